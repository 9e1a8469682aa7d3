package fakegithub

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
)

// each is a request to each operation that is faked: a good one.
func (d *desk) each() map[string]func(credential string) reply {
	const repo = "/repos/acme/rocket"
	get := func(format string, args ...any) func(string) reply {
		return func(c string) reply { return d.do("GET", fmt.Sprintf(format, args...), c, nil) }
	}
	send := func(method, path string, body object) func(string) reply {
		return func(c string) reply { return d.do(method, path, c, body) }
	}
	d.mu.Lock()
	head := d.repo.threads[0].body.repo.ref("refs/heads/main")
	d.mu.Unlock()
	d.repo.Branch("ai/1-title", map[string]string{"c.txt": "c\n"})
	text := object{"body": "Said again."}
	return map[string]func(string) reply{
		"apps/get-authenticated":                     get("/app"),
		"apps/get-repo-installation":                 get(repo + "/installation"),
		"apps/create-installation-access-token":      func(string) reply { return d.ask(object{"repositories": []string{"rocket"}}) },
		"apps/revoke-installation-access-token":      func(string) reply { return d.do("DELETE", "/installation/token", d.mint(nil), nil) },
		"apps/list-repos-accessible-to-installation": get("/installation/repositories"),
		"rate-limit/get":                             get("/rate_limit"),
		"users/get-by-username":                      get("/users/ANN"),
		"repos/get":                                  get(repo),
		"repos/get-collaborator-permission-level":    get(repo + "/collaborators/ann/permission"),
		"repos/get-content":                          get(repo + "/contents/.github/ai-flow.yml?ref=main"),
		"repos/get-branch":                           get(repo + "/branches/main"),
		"repos/get-commit":                           get(repo + "/commits/main"),
		"git/get-ref":                                get(repo + "/git/ref/heads/main"),
		"git/get-commit":                             get("%s/git/commits/%s", repo, head),
		"issues/get":                                 get("%s/issues/%d", repo, d.issue),
		"issues/update":                              send("PATCH", fmt.Sprintf("%s/issues/%d", repo, d.issue), text),
		"issues/list-comments":                       get("%s/issues/%d/comments?per_page=100", repo, d.issue),
		"issues/create-comment":                      send("POST", fmt.Sprintf("%s/issues/%d/comments", repo, d.issue), text),
		"issues/get-comment":                         get("%s/issues/comments/%d", repo, d.comment),
		"issues/update-comment":                      send("PATCH", fmt.Sprintf("%s/issues/comments/%d", repo, d.comment), text),
		"issues/add-assignees":                       send("POST", fmt.Sprintf("%s/issues/%d/assignees", repo, d.issue), object{"assignees": []string{"ann"}}),
		"pulls/list":                                 get(repo + "/pulls?state=all"),
		"pulls/create":                               send("POST", repo+"/pulls", object{"title": "Built", "head": "ai/1-title", "base": "main", "body": "Closes #1"}),
		"pulls/get":                                  get("%s/pulls/%d", repo, d.pull),
		"pulls/list-review-comments":                 get("%s/pulls/%d/comments", repo, d.pull),
		"pulls/get-review-comment":                   get("%s/pulls/comments/%d", repo, d.line),
		"pulls/update-review-comment":                send("PATCH", fmt.Sprintf("%s/pulls/comments/%d", repo, d.line), text),
		"pulls/create-reply-for-review-comment":      send("POST", fmt.Sprintf("%s/pulls/%d/comments/%d/replies", repo, d.pull, d.line), text),
		"pulls/list-reviews":                         get("%s/pulls/%d/reviews", repo, d.pull),
		"pulls/get-review":                           get("%s/pulls/%d/reviews/%d", repo, d.pull, d.review),
	}
}

// Every operation answers as the official description says, also about what strangers deleted.
func TestEveryOperation(t *testing.T) {
	for _, world := range []string{"as it is", "after people left", "private"} {
		t.Run(world, func(t *testing.T) {
			d := newDesk(t)
			switch world {
			case "after people left":
				d.Delete("bob")
				d.Delete("ann")
				d.User("ann", "none") // another one, for the calls about people
				d.repo.DeleteHead(d.pull)
				d.repo.State(d.pull, true, true, true)
				d.repo.State(d.issue, true, false, false)
			case "private":
				d.repo.Private()
			}
			each := d.each()
			for name, op := range d.ops {
				send := each[name]
				if send == nil {
					t.Errorf("%s has no request here", name)
					continue
				}
				credential := d.token
				if op.needs == "jwt" {
					credential = d.jwt(nil)
				}
				r := send(credential)
				locked := world == "after people left" && name == "pulls/create-reply-for-review-comment"
				if locked == (r.status < 300) || d.last().Operation != name {
					t.Errorf("%s: %d %s by %q", name, r.status, r.raw, d.last().Operation)
				}
			}
		})
	}
}

func (d *desk) last() Request {
	all := d.Requests()
	return all[len(all)-1]
}

// A permission that a token lacks, or has for reading only, is missed in each operation that needs it.
func TestPermissionsOfOperations(t *testing.T) {
	d := newDesk(t)
	each := d.each()
	for name, op := range d.ops {
		permission, level, isPermission := strings.Cut(op.needs, ":")
		if !isPermission {
			continue
		}
		d.Grant(d.app, "administration", "read") // something to ask for when nothing else is left
		without := object{"administration": "read"}
		with := object{permission: level}
		var without2 string
		if permission == "metadata" {
			without2 = "" // every token has it
		} else {
			if level == "write" {
				without[permission] = "read"
			}
			without2 = d.mint(object{"permissions": without})
		}
		if without2 != "" {
			d.want(http.StatusForbidden, "Resource not accessible by integration", each[name](without2))
		}
		if r := each[name](d.mint(object{"permissions": with})); r.status >= 300 {
			t.Errorf("%s with %v: %d %s", name, with, r.status, r.raw)
		}
		d.want(http.StatusUnauthorized, "Requires authentication", each[name](""))
	}
}

// The permission for pull requests opens their conversations, and those of issues not.
func TestConversationsOfPullRequests(t *testing.T) {
	d := newDesk(t)
	token := d.mint(object{"permissions": object{"pull_requests": "write"}})
	on := d.repo.Comment(d.pull, "ann", "On the pull request.").ID
	said := object{"body": "Said."}
	d.want(http.StatusCreated, "Said.", d.do("POST", fmt.Sprintf("/repos/acme/rocket/issues/%d/comments", d.pull), token, said))
	d.want(http.StatusOK, "Said.", d.do("PATCH", fmt.Sprintf("/repos/acme/rocket/issues/comments/%d", on), token, said))
	d.want(http.StatusForbidden, "", d.do("POST", fmt.Sprintf("/repos/acme/rocket/issues/%d/comments", d.issue), token, said))
	d.want(http.StatusForbidden, "", d.do("PATCH", fmt.Sprintf("/repos/acme/rocket/issues/comments/%d", d.comment), token, said))
}

func TestBreachesOfRequests(t *testing.T) {
	d := newDesk(t)
	issue := fmt.Sprintf("/repos/acme/rocket/issues/%d", d.issue)
	for _, c := range []struct {
		name, method, path string
		body               any
		want               string
	}{
		{"a field that there is not", "PATCH", issue, object{"bodyy": "x"}, `there is no field ".bodyy"`},
		{"a field of a wrong type", "PATCH", issue, object{"body": 1}, "value must be a string"},
		{"a field that is missing", "POST", issue + "/comments", object{}, `property "body" is missing`},
		{"no JSON", "POST", issue + "/comments", "body", "failed to decode"},
		{"a parameter that there is not", "GET", issue + "/comments?sort=created", nil, `no query parameter "sort"`},
		{"a parameter of a wrong type", "GET", issue + "/comments?page=two", nil, "page"},
		{"a time in a wrong form", "GET", issue + "/comments?since=yesterday", nil, "since"},
		{"a body where none belongs", "GET", issue, object{"a": 1}, "takes no body"},
		{"an operation that there is not", "PUT", issue, nil, "no operation of GitHub's"},
		{"a number that is none", "GET", issue + "x", nil, "issue_number"},
		{"an operation that is not faked", "GET", "/repos/acme/rocket/issues", nil, "issues/list-for-repo is not faked"},
		{"a change that is not faked", "PATCH", issue, object{"labels": []string{"x"}}, `changing "labels" of an issue is not faked`},
		{"an address outside", "GET", d.URL() + "/acme/rocket/issues/1", nil, "not an address of GitHub's"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d.do(c.method, c.path, d.token, c.body)
			if got := d.seen.took(); !strings.Contains(got, c.want) {
				t.Errorf("the test is failed by %q, not by %q", got, c.want)
			}
		})
	}
}

func TestBreachesOfAnswers(t *testing.T) {
	d := newDesk(t)
	path := fmt.Sprintf("/repos/acme/rocket/issues/comments/%d", d.comment)
	for _, c := range []struct {
		name  string
		spoil func(*answer)
		want  string
	}{
		{"a field is missing", func(a *answer) { delete(a.body.(object), "user") }, `property "user" is missing`},
		{"a field within is missing", func(a *answer) { delete(a.body.(object)["user"].(object), "login") }, "login"},
		{"a field has a wrong type", func(a *answer) { a.body.(object)["body"] = 1 }, "value must be a string"},
		{"a time has a wrong form", func(a *answer) { a.body.(object)["created_at"] = "today" }, "created_at"},
		{"a field that there is not", func(a *answer) { a.body.(object)["bodie"] = "" }, `there is no field ".bodie"`},
		{"a field within that there is not", func(a *answer) { a.body.(object)["user"].(object)["role"] = "" }, `there is no field ".user.role"`},
		{"no body", func(a *answer) { a.body = nil }, "response"},
		{"a status that there is not", func(a *answer) { a.status = http.StatusAccepted }, "status is not supported"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d.mu.Lock()
			d.ops["issues/get-comment"] = operation{"issues:read", func(k *call) answer {
				a := getComment(k)
				c.spoil(&a)
				return a
			}}
			d.mu.Unlock()
			d.do("GET", path, d.token, nil)
			if got := d.seen.took(); !strings.Contains(got, c.want) {
				t.Errorf("the test is failed by %q, not by %q", got, c.want)
			}
		})
	}
}

// H2-02, and that nothing is written when a body is refused.
func TestBodies(t *testing.T) {
	d := newDesk(t)
	issue := fmt.Sprintf("/repos/acme/rocket/issues/%d", d.issue)
	comment := fmt.Sprintf("/repos/acme/rocket/issues/comments/%d", d.comment)
	line := fmt.Sprintf("/repos/acme/rocket/pulls/comments/%d", d.line)
	reply := fmt.Sprintf("/repos/acme/rocket/pulls/%d/comments/%d/replies", d.pull, d.line)
	long, longest := strings.Repeat("é", maxText+1), strings.Repeat("🙂", maxText)
	before := d.repo.Snapshot()
	for _, c := range []struct{ method, path, body, want string }{
		{"POST", issue + "/comments", long, "Body is too long (maximum is 65536 characters)"},
		{"PATCH", comment, long, "Body is too long (maximum is 65536 characters)"},
		{"PATCH", line, long, "Body is too long (maximum is 65536 characters)"},
		{"POST", reply, long, "Body is too long (maximum is 65536 characters)"},
		{"PATCH", issue, long, "body is too long (maximum is 65536 characters)"},
		{"POST", issue + "/comments", " \n", "Body cannot be blank"},
		{"PATCH", comment, "", "Body cannot be blank"},
		{"PATCH", line, "", "Body cannot be blank"},
		{"POST", reply, "", "Body cannot be blank"},
	} {
		d.want(http.StatusUnprocessableEntity, c.want, d.do(c.method, c.path, d.token, object{"body": c.body}))
	}
	if after := d.repo.Snapshot(); after != before {
		t.Errorf("a refused body was written:\n%s", after)
	}
	d.want(http.StatusOK, "", d.do("PATCH", comment, d.token, object{"body": longest}))
	d.want(http.StatusOK, "", d.do("PATCH", issue, d.token, object{"body": ""}))
	if d.repo.CommentBody(d.comment) != longest || d.repo.Body(d.issue) != "" {
		t.Error("what is allowed was not written")
	}
	d.repo.State(d.issue, false, false, true)
	d.want(http.StatusForbidden, "Unable to create comment because issue is locked.", d.do("POST", issue+"/comments", d.token, object{"body": "x"}))
}

// All that happened to a comment can be read, in REST and by the test.
func TestEdits(t *testing.T) {
	d := newDesk(t)
	path := fmt.Sprintf("/repos/acme/rocket/issues/comments/%d", d.comment)
	first := d.do("GET", path, d.token, nil).body["updated_at"]
	d.do("PATCH", path, d.token, object{"body": "/ask why"}) // the same: no edit
	if r := d.do("GET", path, d.token, nil); r.body["updated_at"] != first {
		t.Errorf("writing what stands there is an edit: %s", r.raw)
	}
	d.do("PATCH", path, d.token, object{"body": "Because."})
	r := d.do("GET", path, d.token, nil)
	if posted := d.repo.Thread(d.issue); r.body["body"] != "Because." || r.body["updated_at"] == first || posted[0].Edits != 1 || posted[0].Author != "ann" {
		t.Errorf("%s %+v", r.raw, posted)
	}
	own := d.do("POST", fmt.Sprintf("/repos/acme/rocket/issues/%d/comments", d.issue), d.token, object{"body": "Mine."})
	if app, _ := own.body["performed_via_github_app"].(map[string]any); app["slug"] != "ai-flow" || own.header.Get("Location") != own.body["url"] {
		t.Errorf("%s %v", own.raw, own.header)
	}
	d.repo.DeleteComment(d.comment)
	d.want(http.StatusNotFound, "Not Found", d.do("PATCH", path, d.token, object{"body": "x"}))
	d.want(http.StatusNotFound, "Not Found", d.do("GET", fmt.Sprintf("/repos/acme/rocket/issues/comments/%d", d.line), d.token, nil))
}

// A reply to a reply joins the thread when a person writes it, and is refused to a client.
func TestReplies(t *testing.T) {
	d := newDesk(t)
	replies := "/repos/acme/rocket/pulls/%d/comments/%d/replies"
	r := d.want(http.StatusCreated, "", d.do("POST", fmt.Sprintf(replies, d.pull, d.line), d.token, object{"body": "Said."}))
	id := int64(r.body["id"].(float64))
	d.want(http.StatusNotFound, "", d.do("POST", fmt.Sprintf(replies, d.pull, id), d.token, object{"body": "Said."}))
	d.want(http.StatusNotFound, "", d.do("POST", fmt.Sprintf(replies, d.issue, d.line), d.token, object{"body": "Said."}))
	second := d.repo.ReviewComment(d.pull, "ann", "/ask more", "", id).ID
	posted := d.repo.Thread(d.pull)
	if len(posted) != 4 || posted[2].ReplyTo != d.line || posted[3].ID != second || posted[3].ReplyTo != d.line {
		t.Errorf("%+v", posted)
	}
}

func TestPagesOfREST(t *testing.T) {
	d := newDesk(t)
	for i := range 34 {
		d.repo.Comment(d.issue, "ann", fmt.Sprint("comment ", i))
	}
	path := fmt.Sprintf("/repos/acme/rocket/issues/%d/comments", d.issue)
	walk := func(at string) (sizes []int, bodies []any) {
		for at != "" && len(sizes) < 50 {
			r := d.want(http.StatusOK, "", d.do("GET", at, d.token, nil))
			sizes = append(sizes, len(r.list))
			for _, c := range r.list {
				bodies = append(bodies, c.(map[string]any)["body"])
			}
			at = rel(r.header, "next")
		}
		return sizes, bodies
	}
	for _, c := range []struct {
		name, query string
		cap         int
		want        []int
	}{
		{"GitHub's own size", "", 0, []int{30, 5}},
		{"one asked for", "?per_page=10", 0, []int{10, 10, 10, 5}},
		{"never more than a hundred", "?per_page=1000", 0, []int{35}},
		{"a size that a test sets", "?per_page=100", 17, []int{17, 17, 1}},
		{"from a page in the middle", "?per_page=10&page=3", 0, []int{10, 5}},
		{"a page beyond the end", "?per_page=10&page=9", 0, []int{0}},
	} {
		d.PageSize(c.cap)
		sizes, bodies := walk(path + c.query)
		if !slices.Equal(sizes, c.want) {
			t.Errorf("%s: pages of %v", c.name, sizes)
		}
		if sizes[0] == 30 && (bodies[0] != "/ask why" || bodies[34] != "comment 33") {
			t.Errorf("%s: order %v", c.name, bodies)
		}
	}
	d.PageSize(0)
	r := d.do("GET", path+"?per_page=10&page=2", d.token, nil)
	for name, page := range map[string]string{"first": "page=1", "prev": "page=1", "next": "page=3", "last": "page=4"} {
		if !strings.Contains(rel(r.header, name), page) {
			t.Errorf("%s: %s", name, r.header.Get("Link"))
		}
	}
	if r := d.do("GET", path+"?per_page=100", d.token, nil); r.header.Get("Link") != "" {
		t.Errorf("one page has links: %s", r.header.Get("Link"))
	}
}

func rel(header http.Header, name string) string {
	for link := range strings.SplitSeq(header.Get("Link"), ", ") {
		if at, found := strings.CutSuffix(link, fmt.Sprintf(">; rel=%q", name)); found {
			return strings.TrimPrefix(at, "<")
		}
	}
	return ""
}

// since is about the last change, and what changed at that very second is in.
func TestSince(t *testing.T) {
	d := newDesk(t)
	d.Advance(10 * time.Minute)
	second := d.repo.Comment(d.issue, "ann", "second").ID
	d.Advance(10 * time.Minute)
	path := fmt.Sprintf("/repos/acme/rocket/issues/%d/comments", d.issue)
	at := d.do("GET", fmt.Sprintf("/repos/acme/rocket/issues/comments/%d", second), d.token, nil).body["updated_at"].(string)
	if r := d.do("GET", path+"?since="+at, d.token, nil); len(r.list) != 1 {
		t.Errorf("%s", r.raw)
	}
	d.repo.EditComment(d.comment, "ann", "edited")
	if r := d.do("GET", path+"?since="+at, d.token, nil); len(r.list) != 2 {
		t.Errorf("%s", r.raw)
	}
	late := d.now.Add(time.Second).Format(time.RFC3339)
	if r := d.do("GET", path+"?since="+late, d.token, nil); r.raw != "[]\n" {
		t.Errorf("%s", r.raw)
	}
}

func TestContents(t *testing.T) {
	d := newDesk(t)
	at := "/repos/acme/rocket/contents/"
	for _, c := range []struct {
		path   string
		status int
		want   string
	}{
		{".github/ai-flow.yml", 200, "YWdlbnQ6IGRlbW8K"},
		{".github/ai-flow.yml?ref=main", 200, `"type":"file"`},
		{".github", 200, `"path":".github/ai-flow.yml"`},
		{"none", 404, "Not Found"},
		{"none/below", 404, "Not Found"},
		{"README.md/below", 404, "Not Found"},
		{"README.md?ref=none", 404, "No commit found for the ref none"},
		{"README.md?ref=--help", 404, "No commit found for the ref --help"},
		{"*", 404, "Not Found"},
	} {
		d.want(c.status, c.want, d.do("GET", at+c.path, d.token, nil))
	}
	d.want(404, "Branch not found", d.do("GET", "/repos/acme/rocket/branches/none", d.token, nil))
	d.want(404, "Not Found", d.do("GET", "/repos/acme/rocket/git/ref/heads/mai", d.token, nil))
	d.want(422, "No commit found for SHA", d.do("GET", "/repos/acme/rocket/commits/none", d.token, nil))
}
