package github

import (
	"context"
	"fmt"
	"net/http"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

const pulled = `{"number":57,"html_url":"https://github.com/acme/site/pull/57","title":"Retry","state":"open","merged_at":null,"user":{"login":"me","type":"User"},` +
	`"head":{"ref":"ai/2-x","sha":"` + tipOID + `","repo":{"id":1}},"base":{"ref":"main","repo":{"id":1}}}`

const tipOID = "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"

// pulledWith is pulled with another text in the place of one.
func pulledWith(t *testing.T, old, new string) string {
	if !strings.Contains(pulled, old) {
		t.Fatalf("no %s in %s", old, pulled)
	}
	return strings.ReplaceAll(pulled, old, new)
}

func TestOpenPull(t *testing.T) {
	s := newScripted(t)
	s.on("POST "+pullsRoute, says(201, pulled))
	c := s.client(static)
	got, err := c.OpenPull(t.Context(), NewPull{Title: `"Retry" <on> é`, Body: "Closes #2", Head: "ai/2-x", Base: "main"})
	want := Pull{Number: 57, URL: "https://github.com/acme/site/pull/57", Title: "Retry", Base: "main", HeadOID: tipOID, Ours: true}
	if err != nil || got != want {
		t.Errorf("%+v, %v", got, err)
	}
	asked := `{"title":"\"Retry\" <on> é","body":"Closes #2","head":"ai/2-x","base":"main","maintainer_can_modify":false,"draft":false}`
	if body := strings.TrimSpace(s.last(pullsRoute).body); body != asked {
		t.Errorf("asked %s", body)
	}
	for _, p := range []NewPull{{Head: "eve:main", Base: "main"}, {Head: "", Base: "main"}, {Head: "x", Base: "../x"}} {
		if _, err := c.OpenPull(t.Context(), p); failure(t, err).Kind != Invalid || failure(t, err).Unsure || len(s.got) != 1 {
			t.Errorf("%+v: %v", p, err)
		}
	}
}

// H7-04: a pull request that was opened and whose answer says something else is unsure, not failed and not opened twice.
func TestOpenPullUnsure(t *testing.T) {
	for name, answer := range map[string]string{
		"no number": pulledWith(t, "57", "0"), "another head": pulledWith(t, "ai/2-x", "ai/2-y"), "another base": pulledWith(t, `"main"`, `"master"`),
		"no head": pulledWith(t, tipOID, "HEAD"), "no state": pulledWith(t, `"open"`, `"draft"`), "a list": "[" + pulled + "]", "nothing": "{}",
	} {
		s := newScripted(t)
		s.on("POST "+pullsRoute, says(201, answer))
		got, err := s.client(static).OpenPull(t.Context(), NewPull{Head: "ai/2-x", Base: "main"})
		if e := failure(t, err); !e.Unsure || e.Kind != Other || len(s.got) != 1 || got != (Pull{}) {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
	// That there is one already is sure, and told from a limit and from a missing permission.
	s := newScripted(t)
	s.on("POST "+pullsRoute, says(422, `{"message":"Validation Failed","errors":[{"resource":"PullRequest","code":"custom","message":"A pull request already exists for acme:ai/2-x."}]}`))
	err := openPull(t.Context(), s.client(static))
	if e := failure(t, err); e.Kind != Invalid || e.Unsure || e.Setup || e.Message != "Validation Failed: custom A pull request already exists for acme:ai/2-x." {
		t.Errorf("%+v", e)
	}
}

// Of what GitHub lists only the pull requests of the very branch of the very repository count.
func TestPullsOf(t *testing.T) {
	s := newScripted(t).graphql(`{"data":{"viewer":{"login":"Me"}}}`)
	list := []string{
		pulledWith(t, "57", "64"), pulledWith(t, "ai/2-x", "AI/2-x"), pulledWith(t, `"repo":{"id":1}},"base"`, `"repo":{"id":2}},"base"`), pulledWith(t, `"repo":{"id":1}},"base"`, `"repo":null},"base"`),
		`null`, pulledWith(t, `"state":"open","merged_at":null,"user":{"login":"me","type":"User"}`, `"state":"closed","merged_at":null,"user":null`),
		pulledWith(t, `"state":"open","merged_at":null,"user":{"login":"me","type":"User"}`, `"state":"closed","merged_at":"2026-11-30T10:00:00Z","user":{"login":"me","type":"Mannequin"}`),
	}
	s.on("GET "+pullsRoute, says(200, "["+strings.Join(list, ",")+"]"))
	c := s.client(static)
	for range 2 {
		got, err := c.PullsOf(t.Context(), "ai/2-x")
		one := Pull{Number: 57, URL: "https://github.com/acme/site/pull/57", Title: "Retry", Base: "main", HeadOID: tipOID}
		first, second, third := one, one, one
		first.Number, first.URL, first.Ours = 64, "https://github.com/acme/site/pull/64", true
		second.Closed = true
		third.Closed, third.Merged = true, true
		if err != nil || !reflect.DeepEqual(got, []Pull{first, second, third}) {
			t.Errorf("%+v, %v", got, err)
		}
	}
	want := "GET " + pullsRoute + "?direction=desc&head=acme%3Aai%2F2-x&per_page=100&sort=created&state=all"
	if lines := s.lines(pullsRoute); lines[0] != want || len(s.got) != 3 {
		t.Errorf("asked %q in %d requests", lines, len(s.got))
	}
}

// An answer that is no list is not one of none: a second pull request would be opened.
func TestPullsOfUnreadable(t *testing.T) {
	for name, answer := range map[string]string{
		"empty": "", "null": "null", "object": "{}", "bad number": "[" + pulledWith(t, "57", "-1") + "]", "huge number": "[" + pulledWith(t, "57", "4294967297") + "]",
		"bad head": "[" + pulledWith(t, tipOID, "--x") + "]", "bad state": "[" + pulledWith(t, `"open"`, `""`) + "]", "wrong type": `[{"number":"57"}]`,
	} {
		s := newScripted(t)
		s.on("GET "+pullsRoute, says(200, answer))
		if err := sendings["pulls of"].do(t.Context(), s.client(static)); failure(t, err).Kind != Other || failure(t, err).Unsure {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, answer := range map[string]string{
		"nobody": `{"data":{"viewer":{"login":""}}}`, "nothing": `{}`, "refused": `{"errors":[{"type":"FORBIDDEN","message":"x"}]}`, "no JSON": "<html>",
	} {
		s := newScripted(t).graphql(answer)
		if _, err := s.client(static).PullsOf(t.Context(), "ai/2-x"); failure(t, err).What != "asking who we are" || len(s.got) != 1 {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// succeeds stands for no failure in the tables below.
const succeeds Kind = 99

// S8: what is not surely unprotected is not said to be.
func TestProtected(t *testing.T) {
	for name, test := range map[string]struct {
		h    handler
		is   bool
		kind Kind
	}{
		"protected": {says(200, `{"name":"a/\"b'é","protected":true}`), true, succeeds},
		"open":      {says(200, `{"name":"a/\"b'é","protected":false}`), false, succeeds},
		"gone":      {says(404, `{"message":"Branch not found"}`), false, Gone},
		"renamed":   {says(301, ``, "Location: /api/v3/repositories/1/branches/new"), false, Gone},
		"unsaid":    {says(200, `{"name":"a/\"b'é"}`), false, Other},
		"null":      {says(200, `{"name":"a/\"b'é","protected":null}`), false, Other},
		"a word":    {says(200, `{"name":"a/\"b'é","protected":"false"}`), false, Other},
		"empty":     {says(200, ``), false, Other},
		"forbidden": {says(403, `{"message":"x"}`), false, Forbidden},
	} {
		s := newScripted(t)
		s.on("GET /api/v3/repos/acme/site/branches/a%2F%22b%27%C3%A9", test.h)
		s.on("GET /api/v3/repositories/1/branches/new", says(200, `{"name":"new","protected":false}`))
		is, err := s.client(static).Protected(t.Context(), `a/"b'é`)
		if is != test.is || (err == nil) != (test.kind == succeeds) || err != nil && failure(t, err).Kind != test.kind {
			t.Errorf("%s: %t, %v", name, is, err)
		}
	}
}

const repoRoute = "/api/v3/repos/acme/site"

// S8: what is not surely free is not said to be, and nobody asks about the branch once the repository says no.
func TestPushable(t *testing.T) {
	const open = `{"name":"ai/2-x","protected":false}`
	said := func(branch, archived string) handler {
		return says(200, `{"default_branch":`+branch+`,"archived":`+archived+`}`)
	}
	for name, test := range map[string]struct {
		repo, branch handler
		is           Barrier
		kind         Kind
		calls        int
	}{
		"free":                  {said(`"main"`, "false"), says(200, open), Free, succeeds, 2},
		"not there":             {said(`"main"`, "false"), says(404, `{"message":"Branch not found"}`), Free, succeeds, 2},
		"renamed":               {said(`"main"`, "false"), says(301, ``, "Location: /api/v3/repositories/1/branches/new"), Free, succeeds, 3},
		"the default":           {said(`"ai/2-x"`, "false"), nil, IsDefault, succeeds, 1},
		"of another case":       {said(`"AI/2-x"`, "false"), says(200, open), Free, succeeds, 2},
		"protected":             {said(`"main"`, "false"), says(200, `{"name":"ai/2-x","protected":true}`), IsProtected, succeeds, 2},
		"archived":              {said(`"main"`, "true"), nil, IsArchived, succeeds, 1},
		"both":                  {said(`"ai/2-x"`, "true"), nil, IsArchived, succeeds, 1},
		"no protection said":    {said(`"main"`, "false"), says(200, `{"name":"ai/2-x"}`), 0, Other, 2},
		"no archive said":       {says(200, `{"default_branch":"main"}`), nil, 0, Other, 1},
		"archive null":          {said(`"main"`, "null"), nil, 0, Other, 1},
		"archive a word":        {said(`"main"`, `"false"`), nil, 0, Other, 1},
		"no default said":       {says(200, `{"archived":false}`), nil, 0, Other, 1},
		"default null":          {said("null", "false"), nil, 0, Other, 1},
		"default empty":         {said(`""`, "false"), nil, 0, Other, 1},
		"default no name":       {said(`"a..b"`, "false"), nil, 0, Other, 1},
		"nothing":               {says(200, ``), nil, 0, Other, 1},
		"a list":                {says(200, `[]`), nil, 0, Other, 1},
		"repository gone":       {says(404, `{"message":"Not Found"}`), nil, 0, Gone, 1},
		"repository forbidden":  {says(403, `{"message":"x"}`), nil, 0, Forbidden, 1},
		"branch forbidden":      {said(`"main"`, "false"), says(403, `{"message":"x"}`), 0, Forbidden, 2},
		"branch of other shape": {said(`"main"`, "false"), says(200, `[]`), 0, Other, 2},
	} {
		s := newScripted(t)
		s.on("GET "+repoRoute, test.repo)
		if test.branch != nil {
			s.on("GET "+repoRoute+"/branches/ai%2F2-x", test.branch)
		}
		s.on("GET /api/v3/repositories/1/branches/new", says(200, `{"name":"new","protected":true}`))
		is, err := s.client(static).Pushable(t.Context(), "ai/2-x")
		if is != test.is || len(s.got) != test.calls || (err == nil) != (test.kind == succeeds) || err != nil && failure(t, err).Kind != test.kind {
			t.Errorf("%s: %d, %v after %d calls", name, is, err, len(s.got))
		}
	}
}

// What is known of nobody is the same as nothing, not even as itself.
func TestVisibility(t *testing.T) {
	for a := Visibility(0); a < 5; a++ {
		for b := Visibility(0); b < 5; b++ {
			if got, want := a.Same(b), a == b && (a == Public || a == Internal || a == Private); got != want {
				t.Errorf("%s and %s: %t", a, b, got)
			}
		}
	}
	for _, word := range []string{"", "public", "Public", "PUBLIC ", "SECRET", "1"} {
		v := Public
		if err := v.UnmarshalText([]byte(word)); err != nil || v != 0 || v.String() != "unknown" {
			t.Errorf("%q is %s, %v", word, v, err)
		}
	}
}

// A description is kept to 64 KiB, whole characters of it, wherever it comes from.
func TestBodies(t *testing.T) {
	for _, body := range []string{"", "Why.", strings.Repeat("x", maxBody), strings.Repeat("x", maxBody+1), strings.Repeat("x", maxBody-1) + "é", strings.Repeat("…", 65536), strings.Repeat("x", maxBody-3) + "🙂🙂"} {
		rest, graph := pullAnswer{Number: 1, State: "open", Body: body}, pullNode{Number: 1, State: "OPEN", HeadRefOID: tipOID, Body: body}
		rest.Head.SHA = tipOID
		a, err := rest.pull("me")
		if err != nil {
			t.Fatal(err)
		}
		b, err := graph.pull()
		if err != nil || a.Body != b.Body || !strings.HasPrefix(body, a.Body) || !utf8.ValidString(a.Body) || len(a.Body) < min(len(body), maxBody-3) || len(a.Body) > maxBody {
			t.Errorf("%d bytes became %d and %d, %v", len(body), len(a.Body), len(b.Body), err)
		}
	}
	if a, err := (&pullAnswer{}).pull("me"); err == nil {
		t.Errorf("%+v", a)
	}
}

// Descriptions so long that a hundred do not fit make the list short, not unreadable.
func TestPullsOfLongBodies(t *testing.T) {
	s := newScripted(t)
	long := pulledWith(t, `"title":"Retry"`, `"title":"Retry","body":"`+strings.Repeat("x", 2000)+`"`)
	s.on("GET "+pullsRoute, func(w http.ResponseWriter, r *http.Request, _ string) {
		n, _ := strconv.Atoi(r.FormValue("per_page"))
		fmt.Fprintf(w, "[%s%s]", strings.Repeat(long+",", n-1), long)
	})
	c := s.client(static)
	c.most = 100_000
	c.isViewer("me")
	if got, err := c.PullsOf(t.Context(), "ai/2-x"); err != nil || len(got) != 20 || len(got[19].Body) != 2000 || len(s.got) != 2 {
		t.Errorf("%d pull requests in %d calls, %v", len(got), len(s.got), err)
	}
	const characters, bytesOfJSON, around = 65536, 6, 64 << 10
	if smallPulls*(characters*bytesOfJSON+around) > maxAnswer {
		t.Errorf("%d pull requests do not fit into %d bytes", smallPulls, maxAnswer)
	}
}

// What is no branch's name never becomes a part of an address.
func TestBranchNames(t *testing.T) {
	s := newScripted(t)
	c := s.client(static)
	for _, name := range []string{
		"", ".", "..", "a/..", "../a", "a/../b", "a..b", ".a", "a/.b", "a//b", "/a", "a/", "a.", "a.lock", "a.lock/b", "-a", "@", "a@{1}", "a b", "a\tb", "a\nb", "a\x7f",
		"a~1", "a^", "a:b", "eve:main", "a?b", "a*", "a[b", `a\b`, "a\x00b", "a\xffb", strings.Repeat("a", 256),
	} {
		_, protected := c.Protected(t.Context(), name)
		_, pulls := c.PullsOf(t.Context(), name)
		_, pushable := c.Pushable(t.Context(), name)
		for _, err := range []error{protected, pulls, pushable} {
			if e := failure(t, err); e.Kind != Invalid || len(s.got) != 0 || len(err.Error()) > 700 {
				t.Errorf("%q: %v after %d requests", name, err, len(s.got))
			}
		}
	}
	for _, name := range []string{"main", "ai/2-x", "a.b", "a@b", "@a", "a/-b", "é/…", "a%2Fb", "a#b", "a&state=closed", "a<b>", `"`, "a\u202eb", strings.Repeat("a", 255)} {
		s := newScripted(t)
		s.isAsked(t, name, func(c *Client) error { _, err := c.Protected(t.Context(), name); return err })
		s.isAsked(t, name, func(c *Client) error { c.isViewer("me"); _, err := c.PullsOf(t.Context(), name); return err })
	}
}

// isAsked expects a call about a branch to be one of the two addresses, with the name in its place and nowhere else.
func (s *scripted) isAsked(t *testing.T, branch string, do func(*Client) error) {
	t.Helper()
	if err := do(s.client(static)); failure(t, err).Kind != Gone {
		t.Errorf("%q: %v", branch, err)
	}
	path, query, _ := strings.Cut(strings.TrimPrefix(s.last("GET").line, "GET "), "?")
	if !strings.HasPrefix(path, "/api/v3/repos/acme/site/branches/") && path != pullsRoute || strings.Count(path, "/") > len(strings.Split("/api/v3/repos/acme/site/branches/x", "/"))-1 {
		t.Errorf("%q: asked %s", branch, path)
	}
	if query != "" && (strings.Count(query, "&") != 4 || strings.Count(query, "state=") != 1) {
		t.Errorf("%q: asked for %s", branch, query)
	}
}

// GitHub answers 201 and ignores whom it cannot assign.
func TestAssign(t *testing.T) {
	for answer, kind := range map[string]Kind{
		`{"number":2,"assignees":[{"login":"bob"},null,{"login":"ANN"}]}`: succeeds,
		`{"number":2,"assignees":[{"login":"bob"}]}`:                      Invalid,
		`{"number":2,"assignees":null}`:                                   Invalid,
		`{"number":3,"assignees":[{"login":"ann"}]}`:                      Other,
		`{"number":2,"assignees":{}}`:                                     Other,
		``:                                                                Other,
	} {
		s := newScripted(t)
		s.on("POST /api/v3/repos/acme/site/issues/2/assignees", says(201, answer))
		err := s.client(static).Assign(t.Context(), 2, "ann")
		if (err == nil) != (kind == succeeds) || err != nil && failure(t, err).Kind != kind {
			t.Errorf("%s: %v", answer, err)
		}
		if body := strings.TrimSpace(s.got[0].body); body != `{"assignees":["ann"]}` {
			t.Errorf("asked %s", body)
		}
	}
	s := newScripted(t)
	for _, login := range []string{"", "ai-flow[bot]", "a b", "../x", strings.Repeat("a", 101)} {
		if err := s.client(static).Assign(t.Context(), 2, login); failure(t, err).Kind != Invalid || len(s.got) != 0 {
			t.Errorf("%q: %v", login, err)
		}
	}
}

// PushToken is what git pushes with: to write contents of one repository, masked, fresh each time, and kept by nobody.
func TestPushToken(t *testing.T) {
	s := newScripted(t)
	s.on("GET "+commentRoute, says(200, commentJSON))
	c := s.client()
	if err := read(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for range 2 {
		token, err := c.PushToken(t.Context())
		if err != nil || seen[token] || !strings.HasPrefix(token, "ghs_") {
			t.Fatalf("%q, %v", token, err)
		}
		if seen[token] = true; !strings.Contains(fmt.Sprint(s.masked), token) {
			t.Error("it was not masked")
		}
	}
	want := `{"repositories":["site"],"permissions":{"contents":"write","metadata":"read"}}`
	if got := strings.TrimSpace(s.last("access_tokens").body); got != want {
		t.Errorf("asked for %s", got)
	}
	if err := read(t.Context(), c); err != nil || s.minted != 3 || seen[strings.TrimPrefix(s.last(commentRoute).auth, "Bearer ")] {
		t.Errorf("it was used for a call: %v, %d minted", err, s.minted)
	}
	late := s.client(func(o *Options) { o.RepoID = 77 })
	s.grant = func(g map[string]any) any { g["repositories"] = []any{map[string]any{"id": 77}}; return g }
	if _, err := late.PushToken(t.Context()); err != nil || !strings.HasPrefix(s.last("access_tokens").body, `{"repository_ids":[77],`) {
		t.Errorf("%v: asked for %s", err, s.last("access_tokens").body)
	}
	if token, err := s.client(static).PushToken(t.Context()); err != nil || token != "ghp_fallback00000000000000000" {
		t.Errorf("fallback: %q, %v", token, err)
	}
}

// F-18: an App that may not write contents says so with the step that helps, and what can do more or other is refused.
func TestPushTokenRefused(t *testing.T) {
	lacks := func(f func(map[string]any)) func(map[string]any) any {
		return func(g map[string]any) any { f(g); return g }
	}
	for name, test := range map[string]struct {
		h     handler // of minting; nil: it succeeds
		grant func(map[string]any) any
		setup bool
		next  string
	}{
		"not granted":  {h: says(422, `{"message":"The permissions requested are not granted to this installation."}`), setup: true, next: "contents: write"},
		"read alone":   {grant: lacks(func(g map[string]any) { g["permissions"] = map[string]string{"contents": "read", "metadata": "read"} }), setup: true, next: "Give the App contents: write "},
		"nothing said": {grant: lacks(func(g map[string]any) { g["permissions"] = nil }), setup: true, next: "contents: write"},
		"more": {grant: lacks(func(g map[string]any) {
			g["permissions"] = map[string]string{"contents": "write", "workflows": "write"}
		})},
		"all of them": {grant: lacks(func(g map[string]any) { delete(g, "repositories") })},
		"another":     {grant: lacks(func(g map[string]any) { g["repositories"] = []any{map[string]any{"full_name": "acme/other"}} })},
	} {
		s := newScripted(t)
		if s.grant = test.grant; test.h != nil {
			s.on("POST /api/v3/app/installations/7/access_tokens", test.h)
		}
		s.on("DELETE /api/v3/installation/token", says(204, ""))
		token, err := s.client().PushToken(t.Context())
		e := failure(t, err)
		if token != "" || e.Setup != test.setup || !strings.Contains(e.Next, test.next) || (len(s.lines("DELETE")) == 1) != (test.h == nil) {
			t.Errorf("%s: %q, %+v", name, token, e)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := newScripted(t).client().PushToken(ctx); failure(t, err).Kind != Cancelled {
		t.Error(err)
	}
}
