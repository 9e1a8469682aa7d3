package commands

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/d3mlabs/ai-flow/commands/github"
)

// payloadOf is an issue_comment event with the body as GitHub would send it.
func payloadOf(t *testing.T, action, body, user string) []byte {
	t.Helper()
	text, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Appendf(nil, `{"action":%q,"comment":{"id":7,"node_id":"IC_7","body":%s,"user":%s},"issue":{"number":3},
		"changes":{"body":{"from":"/buidl web"}},"repository":{"name":"app","owner":{"login":"acme"}}}`, action, text, user)
}

const person = `{"login":"ann","id":5,"type":"User"}`

// Each public report about commands in comments, with its exact bytes, from the payload to what would run.
func TestBugReports(t *testing.T) {
	tests := []struct {
		name, body string
		want       []seg
		refused    Reason
		misses     int // lines that somebody at a terminal is told about
	}{
		{name: "H1-01", body: "Docs:\n\n```\n/build all\n```\n\nUse `/edit x`.\n\n| cmd | does |\n|---|---|\n| /ask | asks |\n", misses: 1},
		{name: "H1-02", body: "> /build web\n\nThat worked, thanks.\n"},
		{name: "H1-03", body: "/edit\r\nRename the flag to --dry-run.\r\n\r\nKeep the old one.\r\n",
			want: []seg{{Edit, "", "Rename the flag to --dry-run.\n\nKeep the old one."}}},
		{name: "H1-04", body: "/ask why does cmd/main.go\u200e panic?", want: []seg{{Ask, "", "why does cmd/main.go panic?"}}},
		{name: "H1-05 a", body: "/builder is a nice name"},
		{name: "H1-05 b", body: "/asked already"},
		{name: "H1-05 c", body: "/edit-me"},
		{name: "H1-08", body: "<!--\n/build secrets\n-->\nLGTM", misses: 1},
		{name: "H1-09", body: "/ask what does Foo do?\n/edit rename Foo to Bar\n",
			want: []seg{{Ask, "", "what does Foo do?"}, {Edit, "", "rename Foo to Bar"}}},
		// The dash is no flag where a word stands before it; it stays in the instruction as it was written, and there are no
		// targets whose name it could become part of. At the place of a flag it is refused, and named.
		{name: "H1-10", body: "/build web \u2014verbose", want: []seg{{Build, "", "web \u2014verbose"}}},
		{name: "H1-10 with dashes", body: "/build web --verbose", want: []seg{{Build, "", "web --verbose"}}},
		{name: "H1-10 as a flag", body: "/build \u2014verbose web", want: []seg{{Build, "", "\u2014verbose web"}}, refused: UnknownFlag},
		{name: "H1-10 as a flag with dashes", body: "/build --verbose web", want: []seg{{Build, "", "--verbose web"}}, refused: UnknownFlag},
		{name: "H1-11", body: "Looks right to me.\r\n\r\nOn Tue, 3 Mar 2026 at 10:11, Bo <notifications@example.com> wrote:\r\n\r\n> /build web\r\n>\r\n> see above\r\n"},
		{name: "H1-12 a", body: "`/build web`", misses: 1},
		{name: "H1-12 b", body: "Long explanation of the failure.\n\n/build web", want: []seg{{Build, "", "web"}}},
		{name: "H1-12 c", body: "/ask one\n/ask one\n", want: []seg{{Ask, "", "one"}, {Ask, "", "one"}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			event, err := github.ReadEvent("issue_comment", payloadOf(t, "created", tt.body, person))
			if err != nil || event.Comment.Body != tt.body || event.Comment.Author.Bot {
				t.Fatalf("the event is %+v, %v", event, err)
			}
			c, err := Parse(event.Comment.Body, "")
			var r *Refusal
			if errors.As(err, &r); (r == nil) != (tt.refused == 0) || r != nil && r.Reason != tt.refused {
				t.Errorf("refused with %v, want reason %d", err, tt.refused)
			}
			checkSegments(t, tt.body, c, tt.want)
			if len(c.Misses) != tt.misses {
				t.Errorf("%d near misses %+v, want %d", len(c.Misses), c.Misses, tt.misses)
			}
		})
	}
}

func checkSegments(t *testing.T, body string, c Comment, want []seg) {
	t.Helper()
	if len(c.Segments) != len(want) {
		t.Fatalf("%q has %d segments %+v, want %d", body, len(c.Segments), c.Segments, len(want))
	}
	for i, s := range c.Segments {
		if got := (seg{s.Command, s.Quote, s.Instruction}); got != want[i] {
			t.Errorf("%q: segment %d is %+v, want %+v", body, i, got, want[i])
		}
	}
	checkPositions(t, body, c)
}

// H1-06: an edited comment never runs, though its body is a command and was none before.
func TestBugReportEdited(t *testing.T) {
	for _, action := range []string{"edited", "deleted"} {
		if _, err := github.ReadEvent("issue_comment", payloadOf(t, action, "/build web", person)); !errors.Is(err, github.ErrNotForUs) {
			t.Errorf("%s: %v", action, err)
		}
	}
}

// H1-07: our own words are found to be a bot's before they are read as commands, which they would be: both lines count, and
// only who wrote them keeps them from running. A hand that is ours (an App) is known even where the account is a person's.
func TestBugReportOurOwnWords(t *testing.T) {
	body := "Try:\n/ask question\n/edit change\n"
	event, err := github.ReadEvent("issue_comment", payloadOf(t, "created", body, `{"login":"ai-flow[bot]","id":9,"type":"Bot"}`))
	if err != nil || !event.Comment.Author.Bot {
		t.Errorf("the author is %+v, %v", event.Comment.Author, err)
	}
	through := strings.Replace(string(payloadOf(t, "created", body, person)), `"id":7`, `"performed_via_github_app":{"slug":"ai-flow"},"id":7`, 1)
	if event, err = github.ReadEvent("issue_comment", []byte(through)); err != nil || event.Comment.App != "ai-flow" {
		t.Errorf("the App is %q, %v", event.Comment.App, err)
	}
	if c, err := Parse(body, ""); err != nil || len(c.Segments) != 2 {
		t.Errorf("without that, %+v, %v", c, err)
	}
}
