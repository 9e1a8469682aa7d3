package fakegithub

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// newPull opens a pull request through the API.
func (d *desk) newPull(body object) reply {
	d.t.Helper()
	return d.do("POST", "/repos/acme/rocket/pulls", d.token, body)
}

// A pull request that is opened through the API is seen everywhere, and follows its branch.
func TestOpenedPull(t *testing.T) {
	d := newDesk(t)
	first := d.repo.Branch("ai/1-x", map[string]string{"x.txt": "x\n"})
	r := d.want(201, first, d.newPull(object{"title": "Built", "body": "Closes #1", "head": "ai/1-x", "base": "main"}))
	n := int(r.body["number"].(float64))
	if r.header.Get("Location") != r.body["url"] || at(r.body, "user", "login") != "ai-flow[bot]" || at(r.body, "head", "label") != "acme:ai/1-x" {
		t.Errorf("%s", r.raw)
	}
	want := PullSummary{Number: n, Title: "Built", Body: "Closes #1", Head: "ai/1-x", HeadOID: first, Base: "main", State: "open", Author: "ai-flow[bot]"}
	if all := d.repo.Pulls(); len(all) != 2 || fmt.Sprint(all[1]) != fmt.Sprint(want) || all[0].Head != "bob/rocket:fix/it" {
		t.Errorf("%+v", all)
	}
	second := d.repo.PushTo("ai/1-x", "eve@example.com", map[string]string{"y.txt": "y\n"})
	for name, path := range map[string]string{"itself": "/pulls/3", "in the list": "/pulls?head=acme:ai/1-x", "a reference": "/git/ref/pull/3/head"} {
		if r := d.do("GET", "/repos/acme/rocket"+path, d.token, nil); r.status != 200 || !strings.Contains(r.raw, second) {
			t.Errorf("%s: %d %s", name, r.status, r.raw)
		}
	}
	d.want(200, `"pull_request"`, d.do("GET", "/repos/acme/rocket/issues/3", d.token, nil))
	q := `{repository(owner:"acme",name:"rocket"){issueOrPullRequest(number:3){... on PullRequest{title headRefOid baseRefOid isCrossRepository viewerDidAuthor commits(last:5){nodes{commit{oid}}}}}}}`
	answer := d.want(200, second, d.do("POST", d.GraphQL(), d.token, object{"query": q}))
	pull := at(answer.body, "data", "repository", "issueOrPullRequest")
	if at(pull, "isCrossRepository") != false || at(pull, "viewerDidAuthor") != true || at(pull, "baseRefOid") != d.repo.Tip("main") || len(at(pull, "commits", "nodes").([]any)) != 2 {
		t.Errorf("%s", answer.raw)
	}
	if e := d.repo.Comment(n, "ann", "/build"); !strings.Contains(string(e.Payload), `"pull_request"`) {
		t.Errorf("%s", e.Payload)
	}
	if e := d.repo.ReviewComment(n, "ann", "/ask", "x.txt", 0); !strings.Contains(string(e.Payload), second) {
		t.Errorf("%s", e.Payload)
	}
	d.want(200, "Other", d.do("PATCH", "/repos/acme/rocket/issues/3", d.token, object{"body": "Other"}))
}

// GitHub says in its own words why a pull request is not opened.
func TestPullIsNotOpened(t *testing.T) {
	d := newDesk(t)
	d.repo.Branch("x", map[string]string{"x.txt": "x\n"})
	d.repo.Branch("y", map[string]string{"y.txt": "y\n"})
	d.locked(func() { d.must(d.repo.setRef("refs/heads/same", d.repo.ref("refs/heads/main"))) })
	k := newClone(t)
	k.must("commit", "-q", "--allow-empty", "-m", "elsewhere")
	k.must("push", "-q", d.repo.GitDir(), "HEAD:refs/heads/stranger")
	open := func(title, body, head, base string) reply {
		return d.newPull(object{"title": title, "body": body, "head": head, "base": base})
	}
	d.want(201, "", open("first", "", "x", "main"))
	long := strings.Repeat("é", maxText)
	for _, c := range []struct {
		name string
		r    reply
		want string
	}{
		{"there is one", open("second", "", "x", "main"), `{"code":"custom","message":"A pull request already exists for acme:x.","resource":"PullRequest"}`},
		{"there is one, with the owner", open("second", "", "acme:x", "main"), "A pull request already exists for acme:x."},
		{"no head", open("t", "", "none", "main"), `{"code":"invalid","field":"head","resource":"PullRequest"}`},
		{"nobody's head", open("t", "", "carl:x", "main"), `"field":"head"`},
		{"no base", open("t", "", "x", "none"), `{"code":"invalid","field":"base","resource":"PullRequest"}`},
		{"nothing new", open("t", "", "same", "main"), "No commits between main and same"},
		{"a stranger", open("t", "", "stranger", "main"), "The stranger branch has no history in common with main"},
		{"no title", open(" ", "", "y", "main"), `{"code":"missing_field","field":"title","resource":"PullRequest"}`},
		{"a long title", open(strings.Repeat("é", 257), "", "y", "main"), "title is too long (maximum is 256 characters)"},
		{"a long body", open("t", long+"é", "y", "main"), "body is too long (maximum is 65536 characters)"},
	} {
		d.want(422, c.want, c.r)
		d.want(422, `"message":"Validation Failed"`, c.r)
	}
	if n := len(d.repo.Pulls()); n != 2 {
		t.Errorf("%d pull requests", n)
	}
	d.want(201, "", open(strings.Repeat("é", 256), long, "y", "main"))
	d.want(201, "", open("into another", "", "x", "y"))
	d.repo.ClosePull(3)
	d.want(201, "", open("when the first is closed", "", "x", "main"))
	d.repo.NoPullsByActions()
	static := d.StaticToken()
	d.want(403, "GitHub Actions is not permitted to create or approve pull requests.", d.do("POST", "/repos/acme/rocket/pulls", static, object{"title": "t", "head": "same", "base": "main"}))
	d.want(422, "", open("an App may", "", "same", "main"))
	d.do("POST", "/repos/acme/rocket/pulls", d.token, object{"title": "t", "head": "same", "base": "main", "draft": true})
	if notes := d.seen.took(); !strings.Contains(notes, "is not faked") {
		t.Errorf("%q", notes)
	}
}

// A list is of the state, the head and the base that are asked for, in the order that is asked for.
func TestListPulls(t *testing.T) {
	d := newDesk(t)
	for _, name := range []string{"a", "b"} {
		d.repo.Branch(name, map[string]string{name: name})
		d.want(201, "", d.newPull(object{"title": name, "head": name, "base": "main"}))
	}
	d.repo.ClosePull(3)
	d.want(201, "", d.newPull(object{"title": "a again", "head": "a", "base": "main"}))
	d.repo.Merge(4)
	d.repo.Comment(d.pull, "ann", "touched")
	for query, want := range map[string]string{
		"":                                       "[5 2]",
		"?state=closed":                          "[4 3]",
		"?state=all":                             "[5 4 3 2]",
		"?state=all&direction=asc":               "[2 3 4 5]",
		"?state=all&sort=updated&direction=desc": "[2 4 5 3]",
		"?state=all&sort=updated":                "[3 5 4 2]",
		"?state=all&head=acme:a":                 "[5 3]",
		"?state=all&head=ACME:a":                 "[5 3]",
		"?head=acme:a":                           "[5]",
		"?head=acme:fix/it":                      "[]",
		"?head=bob:fix/it":                       "[2]",
		"?state=all&base=other":                  "[]",
		"?state=all&sort=created&per_page=1&page=2": "[4]",
	} {
		r := d.do("GET", "/repos/acme/rocket/pulls"+query, d.token, nil)
		var got []any
		for _, p := range r.list {
			got = append(got, at(p, "number"))
		}
		if fmt.Sprint(got) != want || r.status != 200 {
			t.Errorf("%s: %d %v, not %s", query, r.status, got, want)
		}
	}
	d.do("GET", "/repos/acme/rocket/pulls?head=a", d.token, nil)
	d.do("GET", "/repos/acme/rocket/pulls?sort=popularity", d.token, nil)
	if notes := d.seen.took(); !strings.Contains(notes, `head="a" names no owner`) || !strings.Contains(notes, `order by "popularity"`) {
		t.Errorf("%q", notes)
	}
}

// People are assigned who may write or who wrote there; others are passed over in silence, and so is the eleventh.
func TestAssignees(t *testing.T) {
	d := newDesk(t)
	d.User("carl", "read")
	path := fmt.Sprintf("/repos/acme/rocket/issues/%d/assignees", d.pull)
	assign := func(logins ...string) reply {
		return d.want(201, "", d.do("POST", path, d.token, object{"assignees": logins}))
	}
	for _, logins := range [][]string{{"ann", "carl", "nobody", "ai-flow[bot]"}, {"ANN"}, {"bob"}, {}} {
		assign(logins...)
	}
	if got := d.repo.Pulls()[0].Assignees; !slices.Equal(got, []string{"ann", "bob"}) {
		t.Errorf("%q", got)
	}
	r := d.want(200, "", d.do("GET", "/repos/acme/rocket/pulls/2", d.token, nil))
	if at(r.body, "assignee", "login") != "ann" || at(r.body, "assignees", 1, "login") != "bob" {
		t.Errorf("%s", r.raw)
	}
	d.want(200, `"login":"bob"`, d.do("POST", d.GraphQL(), d.token, object{"query": `{repository(owner:"acme",name:"rocket"){pullRequest(number:2){assignees(first:5){nodes{login}}}}}`}))
	for i := range 12 {
		d.User(fmt.Sprint("w", i), "write")
		assign(fmt.Sprint("w", i))
	}
	if got := d.repo.Pulls()[0].Assignees; len(got) != maxAssignees {
		t.Errorf("%q", got)
	}
	d.want(404, "", d.do("POST", "/repos/acme/rocket/issues/99/assignees", d.token, object{"assignees": []string{"ann"}}))
}

// A branch says whether it is protected.
func TestProtectedBranch(t *testing.T) {
	d := newDesk(t)
	d.repo.Branch("release/1", nil)
	d.repo.Protect("release/1")
	d.want(200, `"protected":true`, d.do("GET", "/repos/acme/rocket/branches/release/1", d.token, nil))
	d.want(200, `"protected":false`, d.do("GET", "/repos/acme/rocket/branches/main", d.token, nil))
	d.want(404, "Branch not found", d.do("GET", "/repos/acme/rocket/branches/none", d.token, nil))
}

// What people do to pull requests: the head of a closed one stays, that of one opened again follows, a branch that goes away
// closes it, and a merge brings its commits.
func TestLivesOfPulls(t *testing.T) {
	d := newDesk(t)
	first := d.repo.Branch("a", map[string]string{"a.txt": "a\n"})
	d.want(201, "", d.newPull(object{"title": "a", "head": "a", "base": "main"}))
	d.repo.ClosePull(3)
	second := d.repo.PushTo("a", "ann@example.com", map[string]string{"a.txt": "b\n"})
	if got := d.repo.Pulls()[1]; got.HeadOID != first || got.State != "closed" {
		t.Errorf("closed: %+v", got)
	}
	d.repo.State(3, false, false, false)
	if got := d.repo.Pulls()[1]; got.HeadOID != second || got.State != "open" {
		t.Errorf("opened again: %+v", got)
	}
	d.repo.Retitle(3, "Another title")
	merge := d.repo.Merge(3)
	if got := d.repo.Pulls()[1]; got.State != "merged" || got.Title != "Another title" || d.repo.Tip("main") != merge {
		t.Errorf("merged: %+v", got)
	}
	if log := d.repo.Log("main"); !slices.Equal(log[0].Parents, []string{log[len(log)-1].OID, second}) || d.repo.Tree("main")["a.txt"] != "b\n" || d.repo.Tree("main")["README.md"] == "" {
		t.Errorf("%+v", log)
	}
	d.repo.Branch("b", map[string]string{"b.txt": "b\n", "README.md": Deleted})
	if _, there := d.repo.Tree("b")["README.md"]; there {
		t.Error("a file that was deleted is there")
	}
	d.want(201, "", d.newPull(object{"title": "b", "head": "b", "base": "main"}))
	d.repo.DeleteBranch("b")
	if got := d.repo.Pulls()[2]; got.State != "closed" || d.repo.Tip("b") != "" || d.repo.Refs()["refs/heads/b"] != "" || d.repo.Refs()["refs/heads/main"] != merge {
		t.Errorf("%+v %v", got, d.repo.Refs())
	}
}
