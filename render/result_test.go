package render

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/d3mlabs/ai-flow/denials"
)

const runURL = "https://github.com/acme/app/actions/runs/1"

func number(n int) *int { return &n }

// results are the cases of the golden files: result-NAME.comment.out, .summary.out, .text.out.
func results() map[string]Result {
	places := Places{OrgFile: "Brewfile", OrgRepo: "acme/homebrew-tap", ProjectFile: "dependencies.rb"}
	run := Run{Agent: "copilot", AgentVersion: "1.0.102", ModelAsked: "gpt-5.5", ModelEffective: "gpt-5.5", User: "ai-agent", Isolated: true,
		Usage: Usage{Input: 41_200, Output: 3_010}, Duration: 4*time.Minute + 12*time.Second,
		Phases:   []Phase{{"start", 310 * time.Millisecond}, {"turn", 4*time.Minute + 2*time.Second}},
		HandOver: HandOver{Files: 12, Commits: 1, Bytes: 1_400_000, Took: 120 * time.Millisecond}, StopReason: "end_turn"}
	wants := []Want{
		{denials.Want{Subject: "protoc", Channel: denials.Observed, Kind: denials.MissingTool, Source: "agent", Count: 3}, Triage{Verdict: Install}},
		{denials.Want{Subject: "/opt/shared/ddc", Why: "to warm the shader cache", Channel: denials.Declared, Kind: denials.Access, Count: 1},
			Triage{Verdict: ByDesign, Glob: "/opt/shared/**"}},
		{denials.Want{Subject: "git push origin main", Channel: denials.Refused, Kind: denials.Action, Why: "no pass pushes", Count: 2, Refused: 2}, Triage{Verdict: ByHand}},
		{denials.Want{Subject: "/etc/shadow", Channel: denials.Observed, Kind: denials.Access, Count: 1},
			Triage{Verdict: Closed, Why: "it holds the passwords of this machine"}},
		{denials.Want{Subject: "/usr/local/lib/x", Channel: denials.Observed, Kind: denials.Access, Source: "test", Count: 1}, Triage{Verdict: Bring}},
		{denials.Want{Subject: "a Windows machine", Why: "to build the installer", Channel: denials.Declared, Kind: denials.Capability, Count: 1}, Triage{}},
		{denials.Want{Subject: "go test ./...", Why: "to say whether the tests pass", Channel: denials.Declared, Kind: denials.Action, Count: 2, Refused: 2}, Triage{Verdict: ByHand}},
	}
	build := Result{Outcome: Restricted, Command: "/build", Requester: "octo-dev", RunURL: runURL,
		Headline: "opened [#57 Retry on 502](https://github.com/acme/app/pull/57) · 3 files, +84 −12",
		Segments: []Segment{{Command: "/build", Instruction: "keep the CLI flags stable", OK: true,
			Text: "Requests are retried with jitter, at most three times; the flag names are unchanged.\n\n```go\nfor range 3 {\n\ttry()\n}\n```\n"}},
		Changes: []FileChange{{"client/client.go", 'M', 60, 12}, {"client/retry.go", 'A', 24, 0}, {"old|`odd`\nname", 'D', 0, 0}},
		Wants:   wants[:2], Places: places, Run: run}
	build.Run.Steps = []Step{
		{Phase: "turn", Tool: "read", Title: "client/client.go", Status: "completed", Took: 12 * time.Millisecond},
		{Phase: "turn", Tool: "execute", Title: "go test ./... | tee `x`", Status: "completed", Exit: number(1), Took: 41 * time.Second, Unasked: true},
	}
	build.Run.Unasked = 1
	build.Thread = Thread{OnIssue, 12, "https://github.com/acme/app/issues/12#issuecomment-1", "https://github.com/acme/app/issues/12#issuecomment-1"}
	build.Run.Policy, build.Run.Token = "acme/app:.github/ai-flow.yml", &Token{Repos: []string{"acme/app"}}
	build.Run.Receipts, build.Run.Approved = []Receipt{{"go test ./..."}}, 12

	ask := Result{Outcome: Done, Command: "/ask", Requester: "octo-dev", RunURL: runURL, Places: places, Run: run,
		Segments: []Segment{{Command: "/ask", Instruction: "where is the retry?", OK: true, Text: "In [`client.go`](https://github.com/acme/app/blob/main/client.go#L10), thanks to @somebody.\n"}}}
	ask.Run.ModelEffective = "gpt-5.5-mini"
	ask.Thread = Thread{OnLine, 57, "https://github.com/acme/app/pull/57#discussion_r1", "https://github.com/acme/app/pull/57#discussion_r2"}
	ask.Run.Commit, ask.Run.Token = "9f31c2e0aa11bb22cc33dd44ee55ff6677889900", &Token{}

	edit := Result{Outcome: Done, Command: "/edit", Commands: []string{"/edit", "/ask", "/edit"}, Thread: Thread{OnIssue, 12, "", "https://github.com/acme/app/issues/12#issuecomment-1"}, Requester: "octo-dev", RunURL: runURL, Headline: "changed the description of the issue.", Places: places, Run: run,
		Segments: []Segment{
			{Command: "/edit", Instruction: "rename Foo to Bar", OK: true, Text: "Renamed."},
			{Command: "/ask", Instruction: "why?", OK: true, Text: "Because.\n\n- one\n- two"},
			{Command: "/edit", Instruction: "drop the table", Note: "was left out.", Remark: "The agent says that this edit contradicts another one."},
		},
		Diffs: &Diffs{Before: "# Foo\n\nFoo does {+this+} <b>and</b> [-that-].\n\nSame.\nSame.\n\n```\nFoo\n````\n",
			After: "# Bar\n\nBar does {+this+} <b>and</b> @everyone [-that-].\n\nSame.\nSame.\n\n```\nBar\n````\n"}}

	gated := build
	gated.Headline = "committed 0123456789 on the branch `ai/7-retry`: 2 files, +4 −1. But gate `lint` failed with exit status 1."
	gated.NextStep = "What it printed is in the summary of the run."
	gated.Segments = []Segment{{Command: "/build", Instruction: "x", Text: "Done; all tests pass."}}
	gated.Wants = []Want{{denials.Want{Subject: "protoc", Channel: denials.Gated, Kind: denials.MissingTool, Source: "lint", Count: 2}, Triage{Verdict: Install}}}
	gated.Gates = []Gate{
		{Name: "go test ./...", Run: "go test ./...", Passed: true, Ended: "passed", Round: 2, Rounds: 4, Tree: "9f31c2e0aa11bb22cc33dd44ee55ff6677889900", Took: 41 * time.Second},
		{Name: "lint", Run: "make lint", Ended: "failed with exit status 1", Round: 2, Rounds: 4, Tree: "9f31c2e0aa11bb22cc33dd44ee55ff6677889900", Took: 1200 * time.Millisecond,
			Output: "::error::x\n```\n</details>\n<!-- ai-flow:end -->\n\x1b[31m@octocat closes #1\x1b[0m\n"},
		{Name: "odd | `name` <b>", Run: "x", Passed: true, Ended: "passed", Round: 1, Rounds: 1, Took: time.Millisecond},
	}
	died := run
	died.Tail = strings.Repeat("warming up\n", 30) + "Error: ``` no @route <b>\x1b[31m to host"

	wide := build
	wide.Wants, wide.MoreWants = append(append([]Want{}, wants...), wants...), 90

	all := landingResults(build, ask)
	maps.Copy(all, map[string]Result{
		"build": build, "ask": ask, "edit": edit, "wants": wide, "gates": gated,
		"refused": {Outcome: Refused, Command: "/build", Requester: "octo-dev", RunURL: runURL,
			Headline: "changes code, and this pull request comes from a fork (`someone/app`), which this run may not push to.",
			NextStep: "Its author can run it in the fork; `/ask` works here."},
		"failed": {Outcome: Failed, Command: "/edit", Requester: "octo-dev", RunURL: runURL, Run: run,
			Headline: "stopped: the agent sent nothing for 10 minutes and was ended. The description is unchanged.",
			NextStep: "Comment `/edit …` to try again.",
			Segments: []Segment{{Command: "/edit", Instruction: "x", Text: "I was about to"}}, Wants: wants[3:4], Places: places},
		"died": {Outcome: Failed, Command: "/ask", Requester: "octo-dev", RunURL: runURL, Run: died, Thread: Thread{OnIssue, 12, "https://github.com/acme/app/issues/12#issuecomment-1", ""},
			Headline: "stopped: the agent ended before it had answered.", NextStep: "Give the command again in a new comment."},
		"question": {Outcome: Done, Command: "/ask", Requester: "octo-dev", RunURL: runURL, Run: run, Thread: Thread{OnIssue, 12, "https://github.com/acme/app/issues/12#issuecomment-1", ""},
			Segments: []Segment{{Command: "/ask", Instruction: "why?", OK: true, Text: "Because."}}},
		"open": {Outcome: Done, Command: "/ask", Run: Run{Agent: "demo", AgentStatus: "built in, no model", Duration: 900 * time.Millisecond},
			Segments: []Segment{{Command: "/ask", Instruction: "what is this?", OK: true, Text: "A program."}},
			Notes:    []string{"To switch isolation on: `sudo ai-flow setup`."}},
		"paths": {Outcome: Refused, Command: "/build", Headline: "left what may not be committed, so nothing was.", NextStep: "Give the command again, and say that this is to be left out.",
			Run: run, Segments: []Segment{{Command: "/build", Instruction: "x", Text: "Done."}},
			Refused: []Path{{"inner", "a git repository inside the tree"}, {"a`b @user\n# c", "holds a known secret"}, {"", "too many changed paths to list"}, {"d", "x"}, {"e", "x"}, {"f", "x"}, {"g", "x"}},
			Left:    []Path{{"pipe", "not a file"}}, Ambient: []string{".github/hooks"}},
		"cancelled": {Outcome: Cancelled, Command: "/build", Requester: "octo-dev", RunURL: runURL, Run: run, Thread: Thread{OnPullRequest, 57, "", ""},
			Headline: "was cancelled before it was done.", NextStep: "Give the command again in a new comment.", Wants: wants[:1], Places: places,
			Segments: []Segment{{Command: "/build", Instruction: "x", Text: "First I"}}},
		"nothing": {Outcome: Nothing, Command: "/edit", Requester: "octo-dev", RunURL: runURL, Run: run, Headline: "changed nothing.",
			Segments: []Segment{{Command: "/edit", Instruction: "fix the typos", Text: "There are none.", Note: "changed nothing."}}},
		"mixed": {Outcome: Failed, Command: "/edit", Requester: "octo-dev", RunURL: runURL, Run: run, Thread: Thread{OnReview, 57, "https://github.com/acme/app/pull/57#pullrequestreview-1", ""},
			Commands: []string{"/ask", "/edit"}, Headline: "changed nothing: someone changed the same lines of the description meanwhile.",
			NextStep: "To try again on the text as it is now, give the command in a new comment.", Diffs: &Diffs{"Foo\n", "Bar\n"},
			Segments: []Segment{{Command: "/ask", Instruction: "why?", OK: true, Text: "Because."}, {Command: "/edit", Instruction: "rename", Text: "Renamed.", Note: "changed nothing."}}},
		"empty": {},
	})
	return all
}

// TestResultGolden: order and tone of comment, summary and terminal (A3-11, A3-12, A3-13, S10, F-81, F-82).
func TestResultGolden(t *testing.T) {
	for name, r := range results() {
		t.Run(name, func(t *testing.T) {
			base := filepath.Join("testdata", "result", name)
			golden(t, base+".comment.out", Comment(r))
			golden(t, base+".summary.out", Summary(r))
			golden(t, base+".text.out", Text(r, 80, false))
			golden(t, base+".place.out", strings.Join(append(InPlace(r, maxComment).Segments, InPlace(r, maxComment).Bottom), "\n%%\n")+"\n")
			check(t, r)
		})
	}
}

// check holds for every result whatever stands in it.
func check(t *testing.T, r Result) {
	t.Helper()
	comment, summary, text := Comment(r), Summary(r), Text(r, 80, false)
	if n := max(len(comment), len(utf16.Encode([]rune(comment))), utf8.RuneCountInString(comment)); n > 65536 {
		t.Errorf("the comment has %d bytes", n)
	}
	if len(summary) > maxSummary {
		t.Errorf("the summary has %d bytes", len(summary))
	}
	for name, md := range map[string]string{"comment": comment, "summary": summary} {
		if found := ourFaults(md); found != nil {
			t.Errorf("%s: %q\n%s", name, found[:min(4, len(found))], md[:min(6000, len(md))])
		}
	}
	if total := len(r.Wants) + max(0, r.MoreWants); len(r.Wants) > 0 {
		head := "**" + plural(total, "boundary want") + ".**"
		if !strings.Contains(comment, head) || !strings.Contains(summary, "\n### Boundary wants\n\n"+head) {
			t.Errorf("the wants are missing")
		}
	} else if strings.Contains(comment+summary, "### Boundary wants") { // A3-11
		t.Errorf("a section of wants without wants")
	}
	if o := r.Outcome; (o == Refused || o == Nothing) && r.Run.Agent == "" && len(r.Wants)+len(r.Notes) == 0 {
		if strings.Contains(comment, "⚙️") {
			t.Errorf("a refusal is one line: %q", comment)
		}
	} else if !strings.Contains(comment, "⚙️ ") || !strings.HasSuffix(strings.TrimSpace(comment), outcomeWords(newWriter(r).r.Outcome)) {
		t.Errorf("the footer is missing: %q", comment[max(0, len(comment)-200):])
	}
	if again := Terminal(text); again != text {
		i := 0
		for i < len(again) && again[i] == text[i] {
			i++
		}
		t.Errorf("the terminal text holds what no terminal should get: %q", text[max(0, i-20):min(len(text), i+20)])
	}
}

// TestCommentBudget: long values of every kind (H2-01, H2-02, H2-03, F-27).
func TestCommentBudget(t *testing.T) {
	base := results()["build"]
	code := strings.Repeat("a", 65000) + "\n\n```go\n" + strings.Repeat("code()\n", 5000/7)
	cases := map[string]func(*Result){
		"letters":    func(r *Result) { r.Segments[0].Text = strings.Repeat("a", 70_000) },
		"emoji":      func(r *Result) { r.Segments[0].Text = strings.Repeat("🙂", 40_000) },
		"open fence": func(r *Result) { r.Segments[0].Text = code },
		"big":        func(r *Result) { r.Segments[0].Text = strings.Repeat("word & @user `x` ", 200_000) },
		"many":       func(r *Result) { r.Segments = repeat(r.Segments[0], 300) },
		"many long":  func(r *Result) { r.Segments = repeat(Segment{Command: "/edit", Instruction: code, Text: code}, 30) },
		"diff": func(r *Result) {
			r.Diffs = &Diffs{strings.Repeat("a b c\n", 20_000), strings.Repeat("a x c\n", 20_000)}
		},
		"rewritten": func(r *Result) { r.Diffs = &Diffs{strings.Repeat("a ", 50_000), strings.Repeat("b ", 50_000)} },
		"changes":   func(r *Result) { r.Changes = repeat(base.Changes[2], 10_000) },
		"wants": func(r *Result) {
			r.Wants = repeat(Want{Want: denials.Want{Subject: strings.Repeat("`|@x", 5000), Why: code}}, 200)
		},
		"steps":      func(r *Result) { r.Run.Steps = repeat(Step{Tool: "execute", Title: strings.Repeat("|`<", 200)}, 3000) },
		"receipts":   func(r *Result) { r.Run.Receipts = repeat(Receipt{strings.Repeat("x`", 300)}, 3000) },
		"notes":      func(r *Result) { r.Notes = repeat(code, 40) },
		"everything": func(r *Result) { fill(r, strings.Repeat("<details>\n```\n@a #1 | ", 3000)) },
		"all full": func(r *Result) {
			r.Run.Steps = repeat(Step{Tool: "execute", Title: strings.Repeat("|`<", 200)}, 6000)
			r.Run.Receipts = repeat(Receipt{strings.Repeat("x`", 300)}, 3000)
			r.Segments = repeat(Segment{Command: "/edit", OK: true, Text: strings.Repeat("words and more of them\n", 60_000)}, 4)
			r.Diffs = &Diffs{strings.Repeat("a b c\n", 30_000), strings.Repeat("a x c\n", 30_000)}
			r.Changes = repeat(base.Changes[2], 10_000)
		},
		"every emoji": func(r *Result) { fill(r, strings.Repeat("👩‍👩‍👧", 5000)) },
	}
	for name, change := range cases {
		for _, lone := range []bool{false, true} {
			t.Run(fmt.Sprint(name, " lone ", lone), func(t *testing.T) {
				r := base
				r.Segments = append([]Segment{}, base.Segments...)
				if lone {
					r.Segments[0].Command, r.Headline, r.Changes = "/ask", "", nil
				}
				change(&r)
				check(t, r)
				comment := Comment(r)
				if len(r.Segments) == 1 && len(r.Segments[0].Text) > 66_000 && !strings.Contains(comment, "Cut here") {
					t.Errorf("a cut that is not said")
				}
				if strings.HasSuffix(name, "letters") && len(comment) < 60_000 {
					t.Errorf("only %d bytes of 65536 are used", len(comment))
				}
			})
		}
	}
}

func repeat[T any](v T, n int) []T {
	out := make([]T, n)
	for i := range out {
		out[i] = v
	}
	return out
}

// fill puts one text in every field.
func fill(r *Result, s string) {
	*r = Result{Outcome: Failed, Command: s, Commands: repeat(s, 7), Requester: s, RunURL: s, Headline: s, NextStep: s, MoreWants: 1, Thread: Thread{OnIssue, 1, s, s},
		Segments: repeat(Segment{s, s, s, false, s, s}, 3), Diffs: &Diffs{s, s + "x"}, Changes: repeat(FileChange{s, 'A', 1, 2}, 3),
		Wants:   repeat(Want{denials.Want{Subject: s, Why: s, Channel: denials.Declared, Kind: denials.Access, Source: s, Count: 7, Refused: 3, Observed: 4}, Triage{ByDesign, s, s}}, 12),
		Refused: repeat(Path{s, s}, 7), Left: repeat(Path{s, s}, 7), Ambient: repeat(s, 7), Places: Places{s, s, s}, Notes: repeat(s, 12),
		Landings: []Landing{{s, s, s, s, nil, true, nil}, {s, s, s, s, &Pull{2, s, s}, true, nil}, {s, s, s, s, &Pull{3, s, s}, false, nil}, {s, s, s, s, nil, false, repeat(FileChange{s, 'A', 1, 2}, 3)}},
		Patches:  []Patch{{PatchWorkflows, s, []byte(s), s, &Pull{1, s, s}, s, repeat(s, 7)}, {PatchRescued, "", []byte(s + "\n"), "9f31c2e0aa11bb22cc33dd44ee55ff6677889900", nil, "", nil}},
		Taken:    repeat(Disposition{s, s, s}, 2), Flagged: repeat(s, 7), Restored: repeat(s, 7),
		Run: Run{Agent: s, AgentVersion: s, AgentStatus: s, ModelAsked: s, ModelEffective: s + "x", User: s, Isolated: true, Usage: Usage{1, 2, 3, 4, 5, 0.5, s}, Subagents: repeat(Subagent{s, s, s, time.Second, 6}, 12), ProviderFiles: repeat(s, 12),
			Duration: time.Hour, Phases: repeat(Phase{s, time.Second}, 20), Steps: repeat(Step{s, s, s, s, number(3), time.Second, true, s}, 25),
			Receipts: repeat(Receipt{s}, 25), HandOver: HandOver{1, 2, 3, 4}, MoreSteps: 5, StopReason: s, Tail: s, Unasked: 2, ModelsBefore: repeat(s, 6), Approved: 40, Unrecorded: s, NotByMode: s, Unproven: s, Commit: s, Policy: s, Token: &Token{repeat(s, 7)}}}
}

// FuzzResult: whatever stands in the values, the documents keep their limits, fences and folds, and do nothing.
func FuzzResult(f *testing.F) {
	for _, in := range inputs(f, "prose") {
		f.Add(escapes.Replace(in), uint8(5))
	}
	for _, s := range []string{"`|\\|`", "</details>", "](x)", "</pre><img src=x>", "a\n\n---\n", "\\", "@a", "[x](https://github.com/a/b/pull/1)", "**", "<", "0$ $"} {
		f.Add(s, uint8(1))
	}
	f.Add(strings.Repeat("word ", 40)+"[ a\n\n[see #12](https://github.com/acme/app/issues/12)", uint8(4)) // behind a bracket that is long open
	f.Fuzz(func(t *testing.T, s string, outcome uint8) {
		if len(s) > 4000 { // each value has a limit far below; more only costs time
			return
		}
		var r Result
		fill(&r, s)
		r.Outcome = Outcome(outcome % 8)
		check(t, r)
	})
}

// TestMain makes the folders that -update writes to.
func TestMain(m *testing.M) {
	if err := os.MkdirAll(filepath.Join("testdata", "result"), 0o755); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}
