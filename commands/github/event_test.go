package github

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/d3mlabs/ai-flow/testsupport/webhooks"
)

// commandEvents are the three events that hold commands, with their actions.
var commandEvents = []struct{ name, action string }{
	{"issue_comment", "created"}, {"pull_request_review_comment", "created"}, {"pull_request_review", "submitted"},
}

func TestReadEventExamples(t *testing.T) {
	octocat := Account{Login: "Codertocat", ID: 21031067}
	at := func(s string) time.Time {
		when, err := time.Parse(time.RFC3339, s)
		if err != nil {
			t.Fatal(err)
		}
		return when
	}
	hello := Repo{"Codertocat", "Hello-World"}
	const page = "https://github.com/Codertocat/Hello-World/"
	want := map[string]Event{
		"issue_comment": {Surface: OnIssue, Repo: hello, RepoID: 186853002, Number: 1, Title: "Spelling error in the README file", Sender: octocat,
			Comment: Comment{ID: 492700400, NodeID: "MDEyOklzc3VlQ29tbWVudDQ5MjcwMDQwMA==", Body: "You are totally right! I'll get this fixed right away.",
				Author: octocat, Association: "OWNER", Created: at("2019-05-15T15:20:21Z"), URL: page + "issues/1#issuecomment-492700400"}},
		"pull_request_review_comment": {Surface: OnLine, Repo: hello, RepoID: 186853002, Number: 2, Title: "Update the README with new information.", Sender: octocat,
			HeadOID: "ec26c3e57ca3a959ca5aad62de7213c562f8c821",
			Comment: Comment{ID: 284312630, NodeID: "MDI0OlB1bGxSZXF1ZXN0UmV2aWV3Q29tbWVudDI4NDMxMjYzMA==", Body: "Maybe you should use more emoji on this line.",
				Author: octocat, Association: "OWNER", Created: at("2019-05-15T15:20:37Z"), URL: page + "pull/2#discussion_r284312630",
				Path: "README.md", Hunk: "@@ -1 +1 @@\n-# Hello-World"}},
		"pull_request_review": {Surface: OnReview, Repo: hello, RepoID: 186853002, Number: 2, Title: "Update the README with new information.", Sender: octocat,
			HeadOID: "ec26c3e57ca3a959ca5aad62de7213c562f8c821",
			Comment: Comment{ID: 237895671, NodeID: "MDE3OlB1bGxSZXF1ZXN0UmV2aWV3MjM3ODk1Njcx",
				Author: octocat, Association: "OWNER", Created: at("2019-05-15T15:20:38Z"), URL: page + "pull/2#pullrequestreview-237895671"}},
	}
	for _, c := range commandEvents {
		for i, payload := range webhooks.Examples(t, c.name, c.action) {
			got, err := ReadEvent(c.name, payload)
			if err != nil {
				t.Errorf("%s %d: %v", c.name, i, err)
				continue
			}
			if checkEvent(t, got); i == 0 && got != want[c.name] {
				t.Errorf("%s reads as\n%+v\nwant\n%+v", c.name, got, want[c.name])
			}
		}
	}
}

// H1-06 and dismissals: what is not created or submitted never runs, whatever it changes; nor does another event.
func TestReadEventNotForUs(t *testing.T) {
	for _, c := range commandEvents {
		for _, payload := range webhooks.Examples(t, c.name, "") {
			var p struct{ Action string }
			if err := json.Unmarshal(payload, &p); err != nil {
				t.Fatal(err)
			}
			if _, err := ReadEvent(c.name, payload); errors.Is(err, ErrNotForUs) != (p.Action != c.action) {
				t.Errorf("%s %s: %v", c.name, p.Action, err)
			}
		}
	}
	for _, c := range []struct{ name, payload string }{
		{"push", `{"action":"created"}`}, {"", `{}`}, {"issue_comments", `{"action":"created"}`}, {"ISSUE_COMMENT", `{"action":"created"}`},
		{"pull_request_review", `{"action":"created"}`}, {"issue_comment", `{"action":"submitted"}`}, {"issue_comment", `{"action":"Created"}`},
		{"issue_comment", `{"action":"pinned","comment":[]}`}, // known as another's in spite of what else is wrong
		{"push", "no JSON"},
	} {
		if e, err := ReadEvent(c.name, []byte(c.payload)); !errors.Is(err, ErrNotForUs) || e != (Event{}) {
			t.Errorf("%s %s: %+v, %v", c.name, c.payload, e, err)
		}
	}
}

// small is a payload with just what is needed, and comment, issue and repository as they are given on top of it.
func small(comment, issue, repository string) string {
	return fmt.Sprintf(`{"action":"created","comment":{"id":7,"node_id":"IC_7","body":"/ask x"%s},"issue":{"number":3%s},
		"repository":{"name":"app","owner":{"login":"acme"}%s}}`, comment, issue, repository)
}

func TestReadEventValues(t *testing.T) {
	base := Event{Surface: OnIssue, Repo: Repo{"acme", "app"}, Number: 3, Comment: Comment{ID: 7, NodeID: "IC_7", Body: "/ask x", Association: "NONE"}}
	author := func(a Account) func(*Event) { return func(e *Event) { e.Comment.Author = a } }
	tests := []struct {
		name, comment, issue, repository string
		change                           func(*Event)
	}{
		{"only what is needed", "", "", "", func(*Event) {}},
		{"a comment on a pull request", "", `,"pull_request":{}`, "", func(e *Event) { e.Surface = OnPull }},
		{"a pull request that is null is none", "", `,"pull_request":null`, "", func(*Event) {}},
		{"a person", `,"user":{"login":"ann-b_c","id":5,"type":"User"}`, "", "", author(Account{"ann-b_c", 5, false})},
		{"a bot", `,"user":{"login":"x[bot]","id":5,"type":"Bot"}`, "", "", author(Account{"x[bot]", 5, true})},
		{"a bot by its name alone", `,"user":{"login":"x[bot]","id":5,"type":"User"}`, "", "", author(Account{"x[bot]", 5, true})},
		{"Copilot", `,"user":{"login":"Copilot","id":5,"type":"Bot"}`, "", "", author(Account{"Copilot", 5, true})},
		{"an organisation", `,"user":{"login":"acme","id":5,"type":"Organization"}`, "", "", author(Account{"acme", 5, true})},
		{"a mannequin", `,"user":{"login":"old","id":5,"type":"Mannequin"}`, "", "", author(Account{"old", 5, true})},
		{"an account that does not say what it is", `,"user":{"login":"ann","id":5}`, "", "", author(Account{"ann", 5, true})},
		{"a deleted account", `,"user":null`, "", "", author(Account{})},
		{"the ghost in its place", `,"user":{"login":"ghost","id":10137,"type":"User"}`, "", "", author(Account{})},
		{"an account without an id", `,"user":{"login":"ann","type":"User"}`, "", "", author(Account{})},
		{"an id beyond 32 bit", `,"user":{"login":"ann","id":9007199254740993,"type":"User"}`, "", "", author(Account{"ann", 9007199254740993, false})},
		{"an App", `,"performed_via_github_app":{"slug":"ai-flow"}`, "", "", func(e *Event) { e.Comment.App = "ai-flow" }},
		{"an App without a slug", `,"performed_via_github_app":{"id":1}`, "", "", func(e *Event) { e.Comment.App = "?" }},
		{"no App", `,"performed_via_github_app":null`, "", "", func(*Event) {}},
		{"an association", `,"author_association":"MEMBER"`, "", "", func(e *Event) { e.Comment.Association = "MEMBER" }},
		{"an association unheard of", `,"author_association":"OWNER "`, "", "", func(*Event) {}},
		{"a body of nothing", `,"body":null`, "", "", func(e *Event) { e.Comment.Body = "/ask x" }}, // the second of two keys, and null changes nothing
		{"a key twice", `,"body":"/ask y"`, "", "", func(e *Event) { e.Comment.Body = "/ask y" }},
		{"bytes that are no UTF-8", ",\"body\":\"/ask \xff\"", "", "", func(e *Event) { e.Comment.Body = "/ask \ufffd" }},
		{"half a surrogate pair", `,"body":"/ask \ud800"`, "", "", func(e *Event) { e.Comment.Body = "/ask \ufffd" }},
		{"NUL", `,"body":"/ask \u0000"`, "", "", func(e *Event) { e.Comment.Body = "/ask \x00" }},
		{"what is of lines only", `,"path":"a","diff_hunk":"b","in_reply_to_id":6,"submitted_at":"2026-01-01T00:00:00Z"`, `,"head":{"sha":"x"}`, "", func(*Event) {}},
		{"a repository's id", "", "", `,"id":9007199254740993`, func(e *Event) { e.RepoID = 9007199254740993 }},
		{"a repository with a dot", "", "", `,"name":".github"`, func(e *Event) { e.Repo.Name = ".github" }},
		{"the largest number", "", `,"number":2147483647`, "", func(e *Event) { e.Number = 2147483647 }},
		{"a time with an offset", `,"created_at":"2026-11-30T01:00:00+01:00"`, "", "", func(e *Event) { e.Comment.Created = time.Date(2026, 11, 30, 0, 0, 0, 0, time.UTC) }},
		{"deep nesting in what is not read", `,"reactions":` + strings.Repeat("[", 9000) + strings.Repeat("]", 9000), "", "", func(*Event) {}},
	}
	for _, tt := range tests {
		want := base
		tt.change(&want)
		got, err := ReadEvent("issue_comment", []byte(small(tt.comment, tt.issue, tt.repository)))
		got.Comment.Created = got.Comment.Created.UTC()
		if want.Comment.Created = want.Comment.Created.UTC(); err != nil || got != want {
			t.Errorf("%s: %v\n%+v, want\n%+v", tt.name, err, got, want)
		}
	}
}

func TestReadEventRefuses(t *testing.T) {
	long := strings.Repeat("9", 1<<20)
	tests := []struct{ name, payload, says string }{
		{"nothing", "", "JSON"},
		{"no JSON", "action=created", "JSON"},
		{"cut off", small("", "", "")[:60], "JSON"},
		{"something behind it", small("", "", "") + "x", "JSON"},
		{"null", "null", "no action"},
		{"a list", "[]", "array"},
		{"an object of nothing", "{}", "no action"},
		{"too deep", `{"action":` + strings.Repeat("[", 20_000), "JSON"},
		{"no comment", `{"action":"created","issue":{"number":3},"repository":{"name":"app","owner":{"login":"acme"}}}`, "id 0"},
		{"an id of nothing", small(`,"id":0`, "", ""), "id 0"},
		{"a negative id", small(`,"id":-7`, "", ""), "id -7"},
		{"an id beyond 64 bit", small(`,"id":`+long, "", ""), "comment.id"},
		{"an id with a fraction", small(`,"id":7.5`, "", ""), "comment.id"},
		{"an id as text", small(`,"id":"7"`, "", ""), "comment.id"},
		{"no node id", small(`,"node_id":""`, "", ""), "node id"},
		{"a node id without end", small(`,"node_id":"`+long+`"`, "", ""), "node id"},
		{"no number", small("", `,"number":0`, ""), "number 0"},
		{"a negative number", small("", `,"number":-3`, ""), "number -3"},
		{"a number beyond GraphQL", small("", `,"number":2147483648`, ""), "number 2147483648"},
		{"a pull request as text", small("", `,"pull_request":"x"`, ""), "pull_request"},
		{"a body as a list", small(`,"body":["/ask x"]`, "", ""), "comment.body"},
		{"a repository with a negative id", small("", "", `,"id":-1`), "id -1"},
		{"a repository's id as text", small("", "", `,"id":"1"`), "repository.id"},
		{"no repository", `{"action":"created","comment":{"id":7,"node_id":"x"},"issue":{"number":3}}`, "owner"},
		{"a repository with a slash", small("", "", `,"name":"a/b"`), "a/b"},
		{"a repository up one", small("", "", `,"name":".."`), `".."`},
		{"this repository", small("", "", `,"name":"."`), `"."`},
		{"a repository with a percent", small("", "", `,"name":"a%2fb"`), "a%2fb"},
		{"a repository of nothing", small("", "", `,"name":""`), `""`},
		{"a repository without end", small("", "", `,"name":"`+long+`"`), "999"},
		{"an owner with a dot", small("", "", `,"owner":{"login":"a.b"}`), "a.b"},
		{"an owner with a slash", small("", "", `,"owner":{"login":"a/b"}`), "a/b"},
		{"an author with a slash", small(`,"user":{"login":"a/../b","id":5}`, "", ""), "a/../b"},
		{"an author of a line", small(`,"user":{"login":"a\n::warning::","id":5}`, "", ""), `a\n`},
		{"an author with a negative id", small(`,"user":{"login":"a","id":-5}`, "", ""), "-5"},
		{"a bot of no name", small(`,"user":{"login":"[bot]","id":5}`, "", ""), "[bot]"},
		{"a time that is none", small(`,"created_at":"`+long+`"`, "", ""), "time"},
		{"a time as a number", small(`,"created_at":`+long, "", ""), "created_at"},
		{"a reply to less than nothing", small(`,"in_reply_to_id":-1`, "", ""), "-1"},
		{"an App that is none", small(`,"performed_via_github_app":"x"`, "", ""), "performed_via_github_app"},
	}
	for _, tt := range tests {
		e, err := ReadEvent("issue_comment", []byte(tt.payload))
		if err == nil || errors.Is(err, ErrNotForUs) || e != (Event{}) || !strings.Contains(err.Error(), tt.says) || !strings.Contains(err.Error(), "issue_comment") {
			t.Errorf("%s: %+v, %.300v; want an error with %q", tt.name, e, err, tt.says)
			continue
		}
		if len(err.Error()) > 300 || strings.ContainsAny(err.Error(), "\n\r") {
			t.Errorf("%s: an error of %d bytes: %.100q", tt.name, len(err.Error()), err.Error())
		}
	}
}

func TestReadEventBound(t *testing.T) {
	pad := func(n int) []byte {
		p := small("", "", "")
		return []byte(p + strings.Repeat(" ", n-len(p)))
	}
	if _, err := ReadEvent("issue_comment", pad(MaxPayload)); err != nil {
		t.Errorf("at the bound: %v", err)
	}
	if _, err := ReadEvent("issue_comment", pad(MaxPayload+1)); err == nil || !strings.Contains(err.Error(), "larger") {
		t.Errorf("beyond the bound: %v", err)
	}
}

func TestReadEventReviews(t *testing.T) {
	const head = `"pull_request":{"number":4,"head":{"sha":"%s"}},"repository":{"name":"app","owner":{"login":"acme"}}}`
	line := func(comment, sha string) string {
		return `{"action":"created","comment":{"id":9,"node_id":"x","path":"a b","diff_hunk":"@@"` + comment + `},` + fmt.Sprintf(head, sha)
	}
	sha := strings.Repeat("a1", 20)
	for body, want := range map[string]Event{
		line("", sha):                                  {HeadOID: sha},
		line("", sha+sha[:24]):                         {HeadOID: sha + sha[:24]},
		line("", ""):                                   {},
		line(`,"in_reply_to_id":8`, ""):                {Comment: Comment{ReplyTo: 8}},
		line(`,"in_reply_to_id":9`, ""):                {},
		line(`,"in_reply_to_id":null`, ""):             {},
		line(`,"in_reply_to_id":9007199254740993`, ""): {Comment: Comment{ReplyTo: 9007199254740993}},
	} {
		e, err := ReadEvent("pull_request_review_comment", []byte(body))
		if err != nil || e.HeadOID != want.HeadOID || e.Comment.ReplyTo != want.Comment.ReplyTo || e.Surface != OnLine || e.Comment.Path != "a b" || e.Comment.Hunk != "@@" {
			t.Errorf("%s: %+v, %v", body, e, err)
		}
	}
	for _, bad := range []string{"HEAD", "../x", sha[:39], strings.ToUpper(sha), "--upload-pack=x", sha + "\n"} {
		if _, err := ReadEvent("pull_request_review_comment", []byte(line("", strings.ReplaceAll(bad, "\n", `\n`)))); err == nil {
			t.Errorf("the head %q is taken", bad)
		}
	}
	review := `{"action":"submitted","review":{"id":9,"node_id":"x","body":null,"submitted_at":null},` + fmt.Sprintf(head, sha)
	if e, err := ReadEvent("pull_request_review", []byte(review)); err != nil || e.Surface != OnReview || e.Comment.Body != "" || !e.Comment.Created.IsZero() {
		t.Errorf("a review without a summary: %+v, %v", e, err)
	}
}

func TestReadEventURL(t *testing.T) {
	for in, ok := range map[string]bool{
		"https://github.com/a/b/issues/1#issuecomment-2": true, "http://ghes.acme.example:8080/x": true, "HTTPS://h/x": true,
		"": false, "javascript:alert(1)": false, "https:///x": false, "https://:80/": false, "//h/x": false, "file:///etc/passwd": false, "https:h": false,
		"https://github.com@evil.example/": false, "https://h/a b": false, "https://h/)x": false, "https://h/\">": false, "https://h/\u202e": false,
		"https://h/\\n": false, "https://h/%zz": false, "https://h/" + strings.Repeat("a", 2048): false, "data:text/html,x": false,
	} {
		raw, err := json.Marshal(in)
		if err != nil {
			t.Fatal(err)
		}
		want := map[bool]string{true: in}[ok]
		if e, err := ReadEvent("issue_comment", []byte(small(`,"html_url":`+string(raw), "", ""))); err != nil || e.Comment.URL != want {
			t.Errorf("%.60q becomes %.60q, %v", in, e.Comment.URL, err)
		}
	}
}
