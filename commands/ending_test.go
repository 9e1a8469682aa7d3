package commands

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/d3mlabs/ai-flow/executor"
	"github.com/d3mlabs/ai-flow/render"
)

// hostileRequest is a request in which everything that a stranger chooses is as bad as it can be.
func hostileRequest(surface Surface, segments ...Segment) Request {
	bad := strings.Repeat("é\xff\n<!-- ai-flow:end -->@everyone ", 200)
	return Request{Comment: Comment{Segments: segments}, Surface: surface, Number: 7, Title: bad, Requester: Person{bad, 1}, RunURL: bad,
		RepoName: bad, CommentID: 1 << 60, CommentURL: bad, Attempt: 3}
}

// Point 9: report.json is what its schema says, and there is something to read, whatever way a run ends and wherever.
func TestEveryEndingIsReported(t *testing.T) {
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	bad := strings.Repeat("é\xff\n::error:: ", 1000)
	makers := map[string]func(q Request) (Outcome, render.Outcome){
		"refuse": func(q Request) (Outcome, render.Outcome) {
			return Refuse(q, &Refusal{Message: bad, Next: bad}), render.Refused
		},
		"refuse a parse": func(q Request) (Outcome, render.Outcome) {
			return Refuse(q, &Refusal{Reason: Swallowed, Message: bad}), render.Refused
		},
		"deny":     func(q Request) (Outcome, render.Outcome) { return Deny(q, bad), render.Refused },
		"repeated": func(q Request) (Outcome, render.Outcome) { return Repeated(q, bad), render.Nothing },
		"fail": func(q Request) (Outcome, render.Outcome) {
			return Fail(t.Context(), q, Problem{"setup", bad, bad, errors.New(bad)}), render.Failed
		},
		"fail of nothing": func(q Request) (Outcome, render.Outcome) { return Fail(t.Context(), q, Problem{}), render.Failed },
		"cancelled": func(q Request) (Outcome, render.Outcome) {
			return Fail(ended, q, Problem{Class: "github", Message: bad}), render.Cancelled
		},
	}
	for name, maker := range makers {
		for surface := Local; surface <= Review; surface++ {
			for _, segments := range [][]Segment{nil, {{Command: Ask}}, {{Command: Ask}, {Command: Edit}}, {{Command: Build, Instruction: bad}}} {
				out, want := maker(hostileRequest(surface, segments...))
				checkOutcome(t, out)
				checkOutcome(t, out.Stands(bad))
				if out.Result.Outcome != want {
					t.Errorf("%s: %v, want %v", name, out.Result.Outcome, want)
				}
				if out.Report.Surface == "unknown" || out.Report.Attempt != 3 || out.Report.Comment.ID != 1<<60 || (out.Report.Denied != "") != (name == "deny") {
					t.Errorf("%s on %v: %+v", name, surface, out.Report)
				}
			}
		}
	}
}

// The fields that only the report and the page of the run tell.
func TestReportNamesThePlace(t *testing.T) {
	s := newStage(t, "")
	s.agent.say = []string{"a"}
	s.flow.Token = &render.Token{Repos: []string{"acme/app", "acme/lib"}}
	c, err := Parse("/ask x", "")
	if err != nil {
		t.Fatal(err)
	}
	q := Request{Comment: c, Surface: ReviewThread, Number: 7, Requester: Person{"octocat", 1}, RunURL: "https://github.com/acme/app/actions/runs/5",
		RepoName: "acme/app", CommentID: 99, CommentURL: "https://github.com/acme/app/pull/7#discussion_r99", Attempt: 2}
	out := s.flow.Run(t.Context(), q)
	checkOutcome(t, out)
	stands := out.Stands("https://github.com/acme/app/pull/7#discussion_r100")
	r := stands.Report
	head := strings.TrimSpace(s.git("rev-parse", "HEAD"))
	if r.Repository != "acme/app" || r.Comment != (reportComment{99, q.CommentURL}) || r.RunURL != q.RunURL || r.Attempt != 2 || r.Requester != "octocat" ||
		r.Looked != head || r.TokenScope != "read-only on acme/app, acme/lib" || !strings.HasSuffix(r.ResultURL, "r100") || out.Report.ResultURL != "" {
		t.Errorf("%+v", r)
	}
	want := render.Thread{Kind: render.OnLine, Number: 7, Command: q.CommentURL, Result: r.ResultURL}
	if got := stands.Result; got.Thread != want || got.Run.Commit != head || got.Run.Token != s.flow.Token {
		t.Errorf("%+v", got)
	}
	for scope, token := range map[string]*render.Token{"": nil, "none": {}} {
		if got := tokenScope(token); got != scope {
			t.Errorf("%+v: %q", token, got)
		}
	}
}

// Every field of the type is in the schema and the other way round; those of the first version are required for ever.
func TestReportAndSchemaNameTheSame(t *testing.T) {
	data, err := os.ReadFile("report.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	var schema struct {
		Required   []string
		Properties map[string]any
	}
	if err := json.Unmarshal(data, &schema); err != nil {
		t.Fatal(err)
	}
	report, err := Report{}.JSON()
	if err != nil {
		t.Fatal(err)
	}
	var fields map[string]any
	if err := json.Unmarshal(report, &fields); err != nil {
		t.Fatal(err)
	}
	for name := range fields {
		if schema.Properties[name] == nil {
			t.Errorf("%q is not in the schema", name)
		}
	}
	for name := range schema.Properties {
		if _, there := fields[name]; !there {
			t.Errorf("%q is in the schema and in no report", name)
		}
	}
	if len(schema.Required) != 32 || slices.Contains(schema.Required, "repository") {
		t.Errorf("version 1 has other required fields than it began with: %q", schema.Required)
	}
}

// What a refusal says goes on from the name of the command, as in "/build changes code, and …", and stands once, however many
// commands the comment holds.
func TestRefusalsRead(t *testing.T) {
	tests := []struct{ name, comment, prefix, says string }{
		{"not alone", "/ask a\n\n/build b", "", "ℹ️ **/build** must be the only command of a comment. Only "},
		{"unknown flag", "/ask --deep x", "", "ℹ️ **/ask** does not know the flag \"--deep\". Leave it out;"},
		{"unknown flag with a prefix", "/ai-ask --deep x", "ai-", "ℹ️ **/ai-ask** does not know the flag \"--deep\". Leave it out;"},
		{"reserved", "/split this", "", "ℹ️ **/split** is reserved and does nothing yet. Use /ask, "},
		{"reserved beside another", "/ask a\n\n/learn this", "", "ℹ️ **/learn** is reserved and does nothing yet."},
		{"empty", "/edit", "", "ℹ️ **/edit** has no text. Write what is to change after it, or quote the paragraph right above it. Post it as a new comment: an edited one is not read."},
		{"empty beside another", "/ask\n\n/edit b", "", "ℹ️ **/ask** has no text. Write your question after it, or quote the paragraph right above it."},
		{"swallowed", "/ask a\n\n> quote\n/edit b", "", "ℹ️ **/ask** was not carried out: the command \"/edit\" on line 4 belongs, as Markdown reads it, to the quote, list or table above it. Put an empty line"},
		{"too large", "/ask " + strings.Repeat("x", 70_000), "", "ℹ️ **the comment** is longer than 65536 characters."},
		{"too many", strings.Repeat("/ask x\n", 40), "", "ℹ️ **the comment** holds 40 commands; at most 32 are read."},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c, err := Parse(tt.comment, tt.prefix)
			var refusal *Refusal
			if !errors.As(err, &refusal) {
				t.Fatalf("parsed: %v", err)
			}
			out := Refuse(Request{Comment: c, Surface: Issue, Number: 7}, refusal)
			checkOutcome(t, out)
			parts := render.InPlace(out.Result, 60_000)
			if len(parts.Segments) != 1 || !strings.HasPrefix(plainMarks(parts.Segments[0]), plainMarks(tt.says)) {
				t.Errorf("it reads %q, want %q", parts.Segments, tt.says)
			}
			if message := sentence(refusal.Message); out.Report.Message != message && out.Report.Message != "was not carried out: "+message {
				t.Errorf("reported as %q", out.Report.Message)
			}
			if strings.Count(render.Comment(out.Result), "ℹ️") != 1 {
				t.Errorf("said more than once: %s", render.Comment(out.Result))
			}
		})
	}
}

// plainMarks is text without the marks of code and escapes, which are render's to choose.
func plainMarks(text string) string {
	return strings.NewReplacer("`", "", "\\", "", "&quot;", "\"").Replace(text)
}

// A refusal of the gate's, as examples.md has it.
func TestRefusalOfTheGate(t *testing.T) {
	q := Request{Comment: Comment{Segments: []Segment{{Command: Build}}}, Surface: PullRequest, Number: 1}
	out := Refuse(q, &Refusal{Message: "changes code, and this pull request comes from a fork (`someone/app`), which this run may not push to",
		Next: "Its author can run it in the fork; `/ask` works here."})
	const want = "ℹ️ **/build** changes code, and this pull request comes from a fork (`someone/app`), which this run may not push to. Its author can run it in the fork; `/ask` works here."
	if got := render.InPlace(out.Result, 60_000); len(got.Segments) != 1 || strings.TrimSpace(got.Segments[0]) != want || got.Bottom != "" {
		t.Errorf("%q", got)
	}
}

// What ended before the agent was reached, under each command of a batch: one line, below the first.
func TestFailuresBeforeTheAgent(t *testing.T) {
	s := newStage(t, "")
	s.agent.enter = &executor.Failure{Class: executor.FailedSetup, Phase: "start", Message: "there is no user ai-agent", Fix: "Make it."}
	out := s.run(t.Context(), "/ask a\n\n/ask b")
	if parts := render.InPlace(out.Result, 60_000); len(parts.Segments) != 1 || !strings.Contains(parts.Segments[0], "there is no user ai-agent") {
		t.Errorf("%q", parts.Segments)
	}
	if out.Report.Looked != "" || out.Report.Commits == nil {
		t.Errorf("%+v", out.Report)
	}
}
