package fakegithub

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/vektah/gqlparser/v2/ast"

	"github.com/d3mlabs/ai-flow/testsupport/ghschema"
)

// facts is the question that the product asks before it does anything, as agreed with commands/github.
const facts = `query($owner:String!,$name:String!,$number:Int!,$node:ID!){
  viewer{login}
  repository(owner:$owner,name:$name){
    defaultBranchRef{name target{oid}}
    policy:object(expression:"HEAD:.github/ai-flow.yml"){... on Blob{text byteSize isBinary isTruncated}}
    subject:issueOrPullRequest(number:$number){
      __typename
      ... on Issue{title body author{__typename login} createdAt lastEditedAt editor{__typename login} viewerDidAuthor locked closed}
      ... on PullRequest{title body author{__typename login} createdAt lastEditedAt editor{__typename login} viewerDidAuthor locked closed merged
        headRefName headRefOid headRepository{name owner{login}} isCrossRepository baseRefName
        commits(last:1){nodes{commit{oid committedDate checkSuites(first:1){nodes{createdAt}}}}}
        timelineItems(last:1,itemTypes:[HEAD_REF_FORCE_PUSHED_EVENT]){nodes{... on HeadRefForcePushedEvent{createdAt}}}
      }
    }
  }
  command:node(id:$node){
    __typename
    ... on IssueComment{body author{__typename login} createdAt lastEditedAt editor{__typename login} viewerDidAuthor}
    ... on PullRequestReviewComment{body author{__typename login} createdAt lastEditedAt editor{__typename login} viewerDidAuthor
      replyTo{body author{__typename login} createdAt lastEditedAt editor{__typename login} viewerDidAuthor}}
    ... on PullRequestReview{body author{__typename login} createdAt lastEditedAt editor{__typename login} viewerDidAuthor}
  }
}`

const react = `mutation($id:ID!){addReaction(input:{subjectId:$id,content:EYES}){reaction{content}}}`

// lab is a world with one of everything.
type lab struct {
	*Server
	t     testing.TB
	repo  *Repo
	bot   *token // of an App, with what an App of ai-flow has
	issue int
	pull  int
}

func newLab(t testing.TB) *lab {
	s := New(t)
	s.User("ann", "write")
	s.User("bob", "read")
	r := s.Repo("acme/rocket", map[string]string{".github/ai-flow.yml": "agent: demo\n", "a.txt": "a\n"})
	l := &lab{Server: s, t: t, repo: r}
	bot := s.addAccount("ai-flow[bot]", "Bot", "")
	l.bot = &token{kind: "app", as: bot, repos: []*Repo{r}, grants: appGrants()}
	l.issue = r.Issue("ann", "A title", "A body")
	l.pull = r.Pull("bob", "A change", "Its body", "bob/rocket:fix", map[string]string{"b.txt": "b\n"})
	return l
}

// ask sends a query without HTTP and returns the answer as a client reads it.
func (l *lab) ask(by *token, query string, variables map[string]any) (answer map[string]any, operation string) {
	l.t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	body := encode(map[string]any{"query": query, "variables": variables})
	operation, status, data := l.graphql(by, body)
	if status != 200 {
		l.t.Errorf("status %d", status)
	}
	if err := json.Unmarshal(encode(data), &answer); err != nil {
		l.t.Fatal(err)
	}
	return answer, operation
}

// refused expects the query to fail the test of whoever sends it.
func (l *lab) refused(want, query string, variables map[string]any) {
	l.t.Helper()
	seen := &witness{TB: l.t}
	l.Server.t = seen
	defer func() { l.Server.t = l.t }()
	answer, _ := l.ask(l.bot, query, variables)
	if notes := seen.took(); !strings.Contains(notes, want) {
		l.t.Errorf("%s\nis to fail the test with %q, which fails with: %q", query, want, notes)
	}
	if answer["errors"] == nil {
		l.t.Errorf("%s\nwithout an error: %v", query, answer)
	}
}

// at follows keys and numbers into an answer.
func at(v any, path ...any) any {
	for _, p := range path {
		switch p := p.(type) {
		case string:
			m, _ := v.(map[string]any)
			v = m[p]
		case int:
			list, _ := v.([]any)
			if p >= len(list) {
				return nil
			}
			v = list[p]
		}
	}
	return v
}

func asJSON(v any) string { return strings.TrimSpace(string(encode(v))) }

func TestFactsOfAnIssue(t *testing.T) {
	l := newLab(t)
	e := l.repo.Comment(l.issue, "bob", "/ask why?")
	command := l.repo.mustText(comment, e.ID)
	l.repo.SetBody(l.issue, "bob", "Another body")
	answer, operation := l.ask(l.bot, facts, map[string]any{"owner": "ACME", "name": "rocket", "number": l.issue, "node": command.node()})
	if operation != "graphql:viewer,repository,node" {
		t.Errorf("operation %q", operation)
	}
	body := l.repo.must(l.issue).body
	want := fmt.Sprintf(`{"data":{"command":{"__typename":"IssueComment","author":{"__typename":"User","login":"bob"},"body":"/ask why?","createdAt":%q,"editor":null,"lastEditedAt":null,"viewerDidAuthor":false},`+
		`"repository":{"defaultBranchRef":{"name":"main","target":{"oid":%q}},"policy":{"byteSize":12,"isBinary":false,"isTruncated":false,"text":"agent: demo\n"},`+
		`"subject":{"__typename":"Issue","author":{"__typename":"User","login":"ann"},"body":"Another body","closed":false,"createdAt":%q,"editor":{"__typename":"User","login":"bob"},"lastEditedAt":%q,"locked":false,"title":"A title","viewerDidAuthor":false}},`+
		`"viewer":{"login":"ai-flow[bot]"}}}`,
		wire(command.created), l.repo.ref("refs/heads/main"), wire(body.created), wire(body.edited))
	if got := asJSON(answer); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func wire(t time.Time) string { return t.Format(time.RFC3339) }

func TestFactsOfAPullRequest(t *testing.T) {
	l := newLab(t)
	first := l.repo.ReviewComment(l.pull, "ann", "Why this?", "b.txt", 0)
	reply := l.repo.ReviewComment(l.pull, "bob", "/ask why?", "b.txt", first.ID)
	head := l.repo.ForcePush(l.pull, map[string]string{"c.txt": "c\n"})
	l.repo.State(l.pull, false, false, true)
	answer, _ := l.ask(l.bot, facts, map[string]any{"owner": "acme", "name": "rocket", "number": l.pull, "node": l.repo.mustText(onLine, reply.ID).node()})
	p := l.repo.must(l.pull).pull
	subject := at(answer, "data", "repository", "subject")
	for _, c := range []struct {
		want any
		path []any
	}{
		{"PullRequest", []any{"__typename"}},
		{"A change", []any{"title"}},
		{true, []any{"locked"}},
		{false, []any{"closed"}},
		{false, []any{"merged"}},
		{"fix", []any{"headRefName"}},
		{head, []any{"headRefOid"}},
		{"rocket", []any{"headRepository", "name"}},
		{"bob", []any{"headRepository", "owner", "login"}},
		{true, []any{"isCrossRepository"}},
		{"main", []any{"baseRefName"}},
		{head, []any{"commits", "nodes", 0, "commit", "oid"}},
		{wire(l.repo.commit(head).committer.at), []any{"commits", "nodes", 0, "commit", "committedDate"}},
		{wire(l.repo.checked[head]), []any{"commits", "nodes", 0, "commit", "checkSuites", "nodes", 0, "createdAt"}},
		{wire(p.forced), []any{"timelineItems", "nodes", 0, "createdAt"}},
	} {
		if got := at(subject, c.path...); got != c.want {
			t.Errorf("%v is %v, want %v", c.path, got, c.want)
		}
	}
	command := at(answer, "data", "command")
	if at(command, "body") != "/ask why?" || at(command, "replyTo", "body") != "Why this?" || at(command, "replyTo", "author", "login") != "ann" {
		t.Errorf("the reply: %v", command)
	}
	l.repo.DeleteHead(l.pull)
	l.repo.WithoutChecks()
	l.repo.State(l.pull, true, true, false)
	answer, _ = l.ask(l.bot, facts, map[string]any{"owner": "acme", "name": "rocket", "number": l.pull, "node": l.repo.mustText(onLine, first.ID).node()})
	subject = at(answer, "data", "repository", "subject")
	if at(subject, "headRepository") != nil || at(subject, "merged") != true || at(subject, "closed") != true || at(answer, "data", "command", "replyTo") != nil ||
		asJSON(at(subject, "commits", "nodes", 0, "commit", "checkSuites", "nodes")) != "[]" {
		t.Errorf("a merged pull request whose fork is gone: %s", asJSON(answer))
	}
}

// Other data stands when a part cannot be found (the error's type and path are what a client goes by).
func TestFactsThatAreNotThere(t *testing.T) {
	l := newLab(t)
	e := l.repo.Comment(l.issue, "bob", "/ask why?")
	node := l.repo.mustText(comment, e.ID).node()
	l.repo.DeleteComment(e.ID)
	for _, c := range []struct {
		name, owner string
		number      int
		errors      []string
	}{
		{"deleted comment", "acme", l.issue, []string{`["command"]`}},
		{"no such number", "acme", 99, []string{`["repository","subject"]`, `["command"]`}},
		{"no such repository", "acne", l.issue, []string{`["repository"]`, `["command"]`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			answer, _ := l.ask(l.bot, facts, map[string]any{"owner": c.owner, "name": "rocket", "number": c.number, "node": node})
			errors, _ := answer["errors"].([]any)
			if len(errors) != len(c.errors) {
				t.Fatalf("errors: %s", asJSON(errors))
			}
			for i, e := range errors {
				if at(e, "type") != "NOT_FOUND" || asJSON(at(e, "path")) != c.errors[i] || at(e, "message") == "" || at(e, "locations", 0, "line") == nil {
					t.Errorf("error %s", asJSON(e))
				}
			}
			if at(answer, "data", "viewer", "login") != "ai-flow[bot]" || at(answer, "data", "command") != nil {
				t.Errorf("data: %s", asJSON(answer))
			}
		})
	}
}

// GraphQL's Actor.login of a bot is its slug; viewer, and REST, say slug[bot]. Whoever compares the two is never itself.
func TestWhoWroteIt(t *testing.T) {
	l := newLab(t)
	l.mu.Lock()
	mine := l.write(l.repo.must(l.issue), comment, l.bot.as, "mine")
	l.mu.Unlock()
	const query = `query($id:ID!){viewer{login} node(id:$id){... on Comment{author{__typename login} editor{login} viewerDidAuthor lastEditedAt}}}`
	answer, _ := l.ask(l.bot, query, map[string]any{"id": mine.node()})
	want := `{"node":{"author":{"__typename":"Bot","login":"ai-flow"},"editor":null,"lastEditedAt":null,"viewerDidAuthor":true},"viewer":{"login":"ai-flow[bot]"}}`
	if got := asJSON(answer["data"]); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	l.repo.EditComment(mine.id, "ann", "hers")
	e := l.repo.Comment(l.issue, "ann", "hers")
	l.Delete("ann")
	answer, _ = l.ask(l.bot, query, map[string]any{"id": mine.node()})
	if at(answer, "data", "node", "editor") != nil || at(answer, "data", "node", "lastEditedAt") != wire(mine.edited) {
		t.Errorf("edited by somebody whose account was deleted: %s", asJSON(answer))
	}
	answer, _ = l.ask(l.bot, query, map[string]any{"id": l.repo.mustText(comment, e.ID).node()})
	if author, said := at(answer, "data", "node").(map[string]any)["author"]; author != nil || !said {
		t.Errorf("written by somebody whose account was deleted: %s", asJSON(answer))
	}
}

func TestAddReaction(t *testing.T) {
	l := newLab(t)
	for _, e := range []Event{
		l.repo.Comment(l.issue, "ann", "one"), l.repo.Comment(l.pull, "ann", "two"),
		l.repo.ReviewComment(l.pull, "ann", "three", "b.txt", 0), l.repo.Review(l.pull, "ann", "four"),
	} {
		x := l.repo.mustText(0, e.ID)
		for range 2 {
			answer, _ := l.ask(l.bot, react, map[string]any{"id": x.node()})
			if got := asJSON(answer); got != `{"data":{"addReaction":{"reaction":{"content":"EYES"}}}}` {
				t.Errorf("%s: %s", x.body, got)
			}
		}
		if len(x.reactions) != 1 || x.reactions[0].content != "eyes" || x.reactions[0].by != l.bot.as {
			t.Errorf("%s: twice is once: %+v", x.body, x.reactions)
		}
	}
	answer, _ := l.ask(l.bot, react, map[string]any{"id": "IC_nothing"})
	if at(answer, "data", "addReaction") != nil || at(answer, "errors", 0, "type") != "NOT_FOUND" || asJSON(at(answer, "errors", 0, "path")) != `["addReaction"]` {
		t.Errorf("on nothing: %s", asJSON(answer))
	}
}

func TestPermissions(t *testing.T) {
	l := newLab(t)
	e := l.repo.Comment(l.issue, "ann", "/ask why?")
	onIssue := l.repo.mustText(comment, e.ID).node()
	onPull := l.repo.mustText(ofReview, l.repo.Review(l.pull, "ann", "/ask why?").ID).node()
	grants := func(without ...string) *token {
		g := maps.Clone(l.bot.grants)
		for _, p := range without {
			delete(g, p)
		}
		return &token{kind: "app", as: l.bot.as, repos: l.bot.repos, grants: g}
	}
	reader := &token{kind: "agent", as: l.bot.as, repos: l.bot.repos, grants: map[string]string{"contents": "read", "issues": "read", "pull_requests": "read", "metadata": "read"}}
	stranger := &token{kind: "app", as: l.bot.as, repos: []*Repo{}, grants: appGrants()}
	ask := map[string]any{"owner": "acme", "name": "rocket", "number": l.pull, "node": onIssue}
	check := func(name string, by *token, query string, variables map[string]any, errors string) {
		t.Helper()
		answer, _ := l.ask(by, query, variables)
		var got []string
		list, _ := answer["errors"].([]any)
		for _, e := range list {
			got = append(got, fmt.Sprint(at(e, "type"), asJSON(at(e, "path"))))
		}
		if s := strings.Join(got, " "); s != errors {
			t.Errorf("%s: errors %s, want %s", name, s, errors)
		}
	}
	check("what is public everybody reads", stranger, facts, ask, ``)
	check("and nobody writes", stranger, react, map[string]any{"id": onIssue}, `FORBIDDEN["addReaction"]`)
	check("an agent's token does not write", reader, react, map[string]any{"id": onIssue}, `FORBIDDEN["addReaction"]`)
	check("an issue's comment takes the permission for issues", grants("pull_requests"), react, map[string]any{"id": onIssue}, ``)
	check("which is not enough for a review", grants("pull_requests"), react, map[string]any{"id": onPull}, `FORBIDDEN["addReaction"]`)
	l.repo.Private()
	const suites = `FORBIDDEN["repository","subject","commits","nodes",0,"commit","checkSuites"]`
	check("an App without checks", l.bot, facts, ask, suites)
	check("no contents", grants("contents"), facts, ask, `FORBIDDEN["repository","defaultBranchRef"] FORBIDDEN["repository","policy"] `+suites)
	check("no pull requests", grants("pull_requests"), facts, ask, `FORBIDDEN["repository","subject"]`)
	check("no issues", grants("issues"), facts, ask, suites+` FORBIDDEN["command"]`)
	check("a private repository is not there for a stranger", stranger, facts, ask, `NOT_FOUND["repository"] NOT_FOUND["command"]`)
	check("nor to write to", stranger, react, map[string]any{"id": onIssue}, `NOT_FOUND["addReaction"]`)
}

// The fake must be able to say no: a query that GitHub refuses, or a field that is not faked, fails the test.
func TestRefusedQueries(t *testing.T) {
	l := newLab(t)
	e := l.repo.Comment(l.issue, "ann", "x")
	id := map[string]any{"id": l.repo.mustText(comment, e.ID).node()}
	l.refused("loginn", `{viewer{loginn}}`, nil)
	l.refused("must be defined", react, nil)
	l.refused("not faked: Query.rateLimit", `{rateLimit{cost}}`, nil)
	l.refused("not faked: User.bio", `{viewer{bio}}`, nil)
	const comments = `query($n:Int!){repository(owner:"acme",name:"rocket"){issue(number:$n){comments%s{totalCount}}}}`
	for args, want := range map[string]string{
		"":                           "You must provide a `first` or `last` value to properly paginate the `comments` connection.",
		"(first:101)":                "exceeds the `first` limit of 100 records",
		"(last:101)":                 "exceeds the `last` limit of 100 records",
		"(first:1,last:1)":           "Passing both",
		"(first:-1)":                 "cannot be less than zero",
		`(first:1,after:"nonsense")`: "",
		"(first:1,orderBy:{field:UPDATED_AT,direction:ASC})": "not faked: Issue.comments(orderBy:)",
	} {
		if want == "" {
			answer, _ := l.ask(l.bot, fmt.Sprintf(comments, args), map[string]any{"n": l.issue})
			if at(answer, "errors", 0, "type") != "INVALID_CURSOR_ARGUMENTS" {
				t.Errorf("a cursor that is none: %s", asJSON(answer))
			}
			continue
		}
		l.refused(want, fmt.Sprintf(comments, args), map[string]any{"n": l.issue})
	}
	l.lastID = 1 << 31 // as ids of comments really are
	e = l.repo.Comment(l.issue, "ann", "y")
	id["id"] = l.repo.mustText(comment, e.ID).node()
	l.refused("32 bits", `query($id:ID!){node(id:$id){... on IssueComment{databaseId}}}`, id)
	answer, _ := l.ask(l.bot, `query($id:ID!){node(id:$id){... on IssueComment{fullDatabaseId}}}`, id)
	if got := at(answer, "data", "node", "fullDatabaseId"); got != fmt.Sprint(e.ID) {
		t.Errorf("fullDatabaseId %v", got)
	}
}

// Over HTTP, with tokens as they come and go.
func TestTokensOfGraphQL(t *testing.T) {
	l := newLab(t)
	static := l.StaticToken()
	for _, c := range []struct{ credential, want string }{
		{"", `401 {"documentation_url":"https://docs.github.com/rest","message":"This endpoint requires you to be authenticated.","status":"401"}`},
		{"Bearer nonsense", `401 {"documentation_url":"https://docs.github.com/rest","message":"Bad credentials","status":"401"}`},
		{"Bearer " + static, `200 {"data":{"viewer":{"login":"github-actions[bot]"}}}`},
		{"token " + static, `200 {"data":{"viewer":{"login":"github-actions[bot]"}}}`},
	} {
		ask, err := http.NewRequest("POST", l.GraphQL(), strings.NewReader(`{"query":"{viewer{login}}"}`))
		if err != nil {
			t.Fatal(err)
		}
		ask.Header.Set("Authorization", c.credential)
		resp, err := http.DefaultClient.Do(ask)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		if got := fmt.Sprintf("%d %s", resp.StatusCode, strings.TrimSpace(string(body))); err != nil || got != c.want {
			t.Errorf("%q: %s, %v; want %s", c.credential, got, err, c.want)
		}
	}
	last := l.Requests()[3]
	if last.Operation != "graphql:viewer" || last.Token != "static" || last.Status != 200 {
		t.Errorf("noted as %+v", last)
	}
}

func TestRequestThatIsNoJSON(t *testing.T) {
	l := newLab(t)
	seen := &witness{TB: t}
	l.Server.t = seen
	if _, status, _ := l.graphql(l.bot, []byte("{")); status != 400 || !strings.Contains(seen.took(), "no JSON") {
		t.Errorf("status %d", status)
	}
}

// An answer that GitHub could not give fails the test, and null climbs to where the schema has it.
func TestBrokenAnswers(t *testing.T) {
	q, err := ghschema.Parse(`{repository(owner:"o",name:"r"){issue(number:1){title state createdAt author{login} labels(first:1){nodes{name}}}}}`, "", nil)
	if err != nil {
		t.Fatal(err)
	}
	sound := func(name string, v any) thing {
		fields := map[string]any{"title": "T", "state": "OPEN", "createdAt": start(), "author": nil}
		if name != "" {
			fields[name] = v
		}
		repo := lazily(func(a *arguments) any {
			_, _ = a.get("owner"), a.get("name")
			return thing{"Repository", map[string]any{"issue": lazily(func(a *arguments) any {
				_ = a.get("number")
				return thing{"Issue", fields}
			})}}
		})
		fields["labels"] = lazily(func(a *arguments) any {
			_ = a.get("first")
			return thing{"LabelConnection", map[string]any{"nodes": []any{nil}}}
		})
		return thing{"Query", map[string]any{"repository": repo}}
	}
	const without = `{"repository":{"issue":{"author":null,"createdAt":"2026-11-30T09:00:00Z","labels":{"nodes":[null]},"state":"OPEN","title":"T"}}}`
	const climbed = `{"repository":{"issue":null}}`
	for _, c := range []struct {
		name  string
		value any
		note  string
		want  string
	}{
		{"", nil, "", without},
		{"title", nil, "null where the schema has String!", climbed},
		{"state", "open", "no value of enum IssueState", climbed},
		{"createdAt", "yesterday", "no DateTime", climbed},
		{"author", thing{"Issue", nil}, "Issue where the schema has Actor", without},
		{"author", "ann", "an object of type Actor belongs", without},
		{"author", thing{"User", map[string]any{"login": nil}}, "null where the schema has String!", without},
	} {
		seen := &witness{TB: t}
		x := &asking{s: &Server{t: seen}, q: q}
		data, whole := x.selection(sound(c.name, c.value), []ast.SelectionSet{q.Operation.SelectionSet}, nil)
		notes := seen.took()
		if !strings.Contains(notes, c.note) || (notes == "") != (c.note == "") || (len(x.errors) == 0) != (c.note == "") {
			t.Errorf("%s %v: the test is failed with %q, want %q", c.name, c.value, notes, c.note)
		}
		if !whole || asJSON(data) != c.want {
			t.Errorf("%s %v: whole %v %s, want %s", c.name, c.value, whole, asJSON(data), c.want)
		}
	}
}

func TestFragmentsAliasesAndDirectives(t *testing.T) {
	l := newLab(t)
	answer, _ := l.ask(l.bot, `query($yes:Boolean!){
		repository(owner:"acme",name:"rocket"){
			one:issueOrPullRequest(number:1){...i ...i ... on Closable{closed} ... on PullRequest{merged}}
			two:issueOrPullRequest(number:2){...i ... on PullRequest{merged headRepository{name} headRepository{owner{login}}}}
			name @skip(if:$yes) again:name @include(if:$yes)
		}
	} fragment i on Issue{number title}`, map[string]any{"yes": true})
	want := `{"again":"rocket","one":{"closed":false,"number":1,"title":"A title"},"two":{"headRepository":{"name":"rocket","owner":{"login":"bob"}},"merged":false}}`
	if got := asJSON(at(answer, "data", "repository")); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestPages(t *testing.T) {
	l := newLab(t)
	for i := range 7 {
		l.repo.Comment(l.issue, "ann", fmt.Sprint(i))
	}
	walk := func(step, cursorArg, next, cursor string) (pages []string) {
		var at0 any
		for range 10 {
			answer, _ := l.ask(l.bot, fmt.Sprintf(`query($c:String){repository(owner:"acme",name:"rocket"){issue(number:1){comments(%s,%s:$c){
				totalCount nodes{body} edges{cursor} pageInfo{startCursor endCursor hasNextPage hasPreviousPage}}}}}`, step, cursorArg), map[string]any{"c": at0})
			page := at(answer, "data", "repository", "issue", "comments")
			if at(page, "totalCount") != 7.0 {
				t.Fatalf("%s", asJSON(answer))
			}
			var bodies []string
			for _, n := range at(page, "nodes").([]any) {
				bodies = append(bodies, at(n, "body").(string))
			}
			pages = append(pages, strings.Join(bodies, ""))
			if at0 = at(page, "pageInfo", cursor); at(page, "pageInfo", next) == false {
				return pages
			}
		}
		t.Fatal("pages without end")
		return nil
	}
	for _, c := range []struct{ step, arg, next, cursor, want string }{
		{"first:3", "after", "hasNextPage", "endCursor", "012 345 6"},
		{"last:3", "before", "hasPreviousPage", "startCursor", "456 123 0"},
		{"first:100", "after", "hasNextPage", "endCursor", "0123456"},
		{"first:7", "after", "hasNextPage", "endCursor", "0123456"},
	} {
		if got := strings.Join(walk(c.step, c.arg, c.next, c.cursor), " "); got != c.want {
			t.Errorf("%s: pages %q, want %q", c.step, got, c.want)
		}
	}
	l.PageSize(2)
	if got := strings.Join(walk("first:100", "after", "hasNextPage", "endCursor"), " "); got != "01 23 45 6" {
		t.Errorf("with pages of two: %q", got)
	}
}

func TestBlobs(t *testing.T) {
	l := newLab(t)
	long := strings.Repeat("x", maxBlobText-1) + "é"
	l.repo.commitFiles("refs/heads/main", "", "files", map[string]string{"bin": "a\x00b", "long": long, "latin": "caf\xe9", "empty": ""})
	for name, want := range map[string]string{
		"bin":     `{"byteSize":3,"isBinary":true,"isTruncated":false,"text":null}`,
		"latin":   `{"byteSize":4,"isBinary":false,"isTruncated":false,"text":"caf` + "\uFFFD" + `"}`,
		"empty":   `{"byteSize":0,"isBinary":false,"isTruncated":false,"text":""}`,
		"nowhere": `null`,
		"..":      `null`,
	} {
		answer, _ := l.ask(l.bot, fmt.Sprintf(`{repository(owner:"acme",name:"rocket"){o:object(expression:%q){... on Blob{text byteSize isBinary isTruncated}}}}`, "HEAD:"+name), nil)
		if got := asJSON(at(answer, "data", "repository", "o")); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
	answer, _ := l.ask(l.bot, `{repository(owner:"acme",name:"rocket"){o:object(expression:"HEAD:long"){... on Blob{oid text isTruncated}} c:object(expression:"HEAD"){__typename oid}}}`, nil)
	o := at(answer, "data", "repository", "o")
	if at(o, "isTruncated") != true || at(o, "text") != long[:maxBlobText-1] || at(o, "oid") != blobID([]byte(long)) {
		t.Errorf("a long file: truncated %v, %d bytes, %v", at(o, "isTruncated"), len(at(o, "text").(string)), at(o, "oid"))
	}
	if oid, err := l.repo.git("", "rev-parse", "refs/heads/main:long"); err != nil || strings.TrimSpace(string(oid)) != at(o, "oid") {
		t.Errorf("git says %s, %v", oid, err)
	}
	if got := asJSON(at(answer, "data", "repository", "c")); got != fmt.Sprintf(`{"__typename":"Commit","oid":%q}`, l.repo.ref("refs/heads/main")) {
		t.Errorf("HEAD: %s", got)
	}
}

func TestReviewThreads(t *testing.T) {
	l := newLab(t)
	one := l.repo.ReviewComment(l.pull, "ann", "one", "b.txt", 0)
	two := l.repo.ReviewComment(l.pull, "bob", "two", "b.txt", one.ID)
	l.repo.ReviewComment(l.pull, "ann", "three", "b.txt", two.ID) // a reply to a reply joins the thread
	l.repo.ReviewComment(l.pull, "ann", "other", "c.txt", 0)
	answer, _ := l.ask(l.bot, `{repository(owner:"acme",name:"rocket"){pullRequest(number:2){reviewThreads(first:100){nodes{id isResolved path comments(first:50){nodes{body}}}}}}}`, nil)
	nodes := at(answer, "data", "repository", "pullRequest", "reviewThreads", "nodes")
	if got := asJSON(at(nodes, 0, "comments", "nodes")); got != `[{"body":"one"},{"body":"two"},{"body":"three"}]` || at(nodes, 0, "isResolved") != false || at(nodes, 1, "path") != "c.txt" || at(nodes, 2) != nil {
		t.Errorf("threads: %s", asJSON(nodes))
	}
	l.repo.Resolve(one.ID)
	answer, _ = l.ask(l.bot, `{repository(owner:"acme",name:"rocket"){pullRequest(number:2){reviewThreads(last:2){nodes{isResolved}}}}}`, nil)
	if got := asJSON(at(answer, "data", "repository", "pullRequest", "reviewThreads", "nodes")); got != `[{"isResolved":true},{"isResolved":false}]` {
		t.Errorf("one is resolved: %s", got)
	}
	again, _ := l.ask(l.bot, `query($id:ID!){node(id:$id){... on PullRequestReviewThread{path}}}`, map[string]any{"id": at(nodes, 1, "id")})
	if at(again, "data", "node", "path") != "c.txt" {
		t.Errorf("by its id: %s", asJSON(again))
	}
}

// Every field that is faked is one of the schema's, and what it holds is a value that the schema allows: the test asks for
// all of them.
func TestEverythingFaked(t *testing.T) {
	l := newLab(t)
	one := l.repo.ReviewComment(l.pull, "ann", "one", "b.txt", 0)
	l.repo.ReviewComment(l.pull, "ann", "two", "b.txt", one.ID)
	l.repo.Comment(l.issue, "ann", "three")
	l.repo.Comment(l.pull, "ann", "four")
	l.repo.Review(l.pull, "ann", "")
	l.repo.ForcePush(l.pull, map[string]string{"c.txt": "c"})
	for _, x := range l.texts {
		l.react(x, l.person("ann"), "+1")
	}
	q, err := ghschema.Parse(`{viewer{login}}`, "", nil)
	if err != nil {
		t.Fatal(err)
	}
	f := faked{schema: q.Schema, things: map[string]thing{}, seen: map[string]bool{}}
	x := &asking{s: l.Server, by: l.bot, q: q}
	ids := []string{l.repo.node(), l.person("ann").node(), l.bot.as.node(), l.repo.owner.node(), nodeID(threadPrefix, one.ID)}
	for _, x := range l.texts {
		ids = append(ids, x.node())
	}
	for _, id := range ids {
		f.walk(x.node(id))
	}
	for _, typ := range []string{"Issue", "PullRequest", "Commit", "Blob", "Ref", "CheckSuite", "HeadRefForcePushedEvent", "Bot", "Organization", "User", "Reaction"} {
		if f.things[typ].fields == nil {
			t.Errorf("the test does not come to a %s", typ)
		}
	}
	for _, id := range ids {
		typ := x.node(id).(thing).typ
		if answer, _ := l.ask(l.bot, `query($id:ID!){node(id:$id){`+f.on(typ, 2)+`}}`, map[string]any{"id": id}); answer["errors"] != nil {
			t.Errorf("%s: %s", typ, asJSON(answer["errors"]))
		}
	}
}

// faked is what the fake has of the schema: one thing of each type.
type faked struct {
	schema *ast.Schema
	things map[string]thing
	seen   map[string]bool
}

func (f faked) walk(v any) {
	switch v := v.(type) {
	case lazily:
		f.walk(v(&arguments{values: map[string]any{
			"first": int64(5), "itemTypes": []any{"HEAD_REF_FORCE_PUSHED_EVENT"}, "expression": "HEAD:a.txt", "qualifiedName": "main", "number": int64(1),
			"refPrefix": "refs/heads/",
		}}))
	case []any:
		for _, e := range v {
			f.walk(e)
		}
	case thing:
		if id, _ := v.fields["id"].(string); id == "" || !f.seen[id] { // only through what has an id it goes round in circles
			f.seen[id], f.things[v.typ] = true, v
			for _, e := range v.fields {
				f.walk(e)
			}
		}
	}
}

// on selects all that is faked of a type: its leaves, from depth 1 its lists, from depth 2 all else that it holds.
func (f faked) on(typ string, depth int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "__typename ... on %s{", typ)
	for _, name := range slices.Sorted(maps.Keys(f.things[typ].fields)) {
		def := f.schema.Types[typ].Fields.ForName(name)
		if def == nil {
			fmt.Fprintf(&b, " %s", name) // which the schema refuses
			continue
		}
		args := map[string]string{"object": `(expression:"HEAD:a.txt")`, "ref": `(qualifiedName:"main")`, "timelineItems": `(first:5,itemTypes:[HEAD_REF_FORCE_PUSHED_EVENT])`,
			"issueOrPullRequest": `(number:1)`, "issue": `(number:1)`, "pullRequest": `(number:2)`,
			"refs": `(refPrefix:"refs/heads/",first:5)`}[name]
		if def.Arguments.ForName("first") != nil && args == "" {
			args = "(first:5)"
		}
		if len(def.Arguments) == 0 {
			args = ""
		}
		switch inner := f.schema.Types[def.Type.Name()]; {
		case inner.IsLeafType():
			fmt.Fprintf(&b, " %s_%s:%s", typ, name, name) // else two types of one field of an interface could not be merged
		case depth > 0 && strings.HasSuffix(inner.Name, "Connection"):
			node := f.schema.Types[inner.Fields.ForName("nodes").Type.Name()]
			fmt.Fprintf(&b, " %s%s{totalCount pageInfo{startCursor endCursor hasNextPage hasPreviousPage} edges{cursor node{__typename}} nodes{%s}}", name, args, f.held(node, depth-1))
		case depth > 1:
			fmt.Fprintf(&b, " %s%s{%s}", name, args, f.held(inner, depth-1))
		}
	}
	return b.String() + "}"
}

// held selects what is faked of each type that def may be.
func (f faked) held(def *ast.Definition, depth int) string {
	var b strings.Builder
	b.WriteString("__typename ")
	for _, d := range f.schema.GetPossibleTypes(def) {
		if f.things[d.Name].fields != nil {
			b.WriteString(f.on(d.Name, depth))
		}
	}
	return b.String()
}

// What one look at everything costs, without HTTP.
func BenchmarkFacts(b *testing.B) {
	l := newLab(b)
	e := l.repo.ReviewComment(l.pull, "ann", "/ask why?", "b.txt", 0)
	variables := map[string]any{"owner": "acme", "name": "rocket", "number": l.pull, "node": l.repo.mustText(onLine, e.ID).node()}
	for b.Loop() {
		if answer, _ := l.ask(l.bot, facts, variables); answer["errors"] != nil {
			b.Fatal(asJSON(answer))
		}
	}
}
