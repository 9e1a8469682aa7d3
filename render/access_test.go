package render

import (
	"strings"
	"testing"
	"time"
)

// everywhere is all that a reader may see of a result.
func everywhere(r Result) map[string]string {
	return map[string]string{"comment": Comment(r), "summary": Summary(r), "terminal": Text(r, 100, false)}
}

// What full access left in the dark is said once in each place, and only when it did (issue 5, point 2).
func TestWhatWasNotAskedForIsSaidOnce(t *testing.T) {
	plain := Result{Outcome: Done, Command: "/build", RunURL: runURL, Headline: "made a commit.", Run: Run{Agent: "codex", Isolated: true, User: "ai-agent"}}
	calls := []Step{{Tool: "execute", Title: "touch `a` @everyone", Unasked: true}, {Tool: "read", Title: "README.md"}, {Tool: "edit", Unasked: true}}
	for _, c := range []struct {
		name   string
		change func(*Run)
		said   string
		not    string
	}{
		{"by mode", func(r *Run) { r.Unrecorded = "agent-full-access" }, "were not individually recorded", "write permission"},
		{"not by mode", func(r *Run) { r.NotByMode = "No unattended mode is known." }, "No unattended mode is known.", "recorded"},
		{"not proven", func(r *Run) { r.Unproven = "its profile is a candidate" }, "it is not proven that it asks before it acts: its profile is a candidate.", "ran unasked:"},
		{"not proven, and it did not ask", func(r *Run) { r.Unproven, r.Steps, r.Unasked = "its profile is a candidate", calls, 2 }, "It ran unasked: ", "README.md."},
		{"proven", func(r *Run) { r.Steps, r.Unasked = calls, 2 }, "", "it is not proven"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := plain
			c.change(&r.Run)
			check(t, r)
			for where, text := range everywhere(r) {
				text = strings.Join(strings.Fields(text), " ")
				if c.said != "" && strings.Count(text, c.said) != 1 {
					t.Errorf("%s: says %q %d times:\n%s", where, c.said, strings.Count(text, c.said), text)
				}
				if strings.Contains(text, c.not) {
					t.Errorf("%s: says %q:\n%s", where, c.not, text)
				}
			}
		})
	}
}

func TestUnaskedCallsAreNamed(t *testing.T) {
	var calls []Step
	for range 9 {
		calls = append(calls, Step{Tool: "execute", Title: "touch x", Unasked: true, Took: time.Second})
	}
	r := Result{Run: Run{Steps: calls}}
	if got, want := r.ranUnasked(), " It ran unasked: `touch x`, `touch x`, `touch x`, `touch x`, `touch x` and 4 more."; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := (Result{Run: Run{Steps: []Step{{Tool: "edit", Unasked: true}}}}).ranUnasked(); got != " It ran unasked: `edit`." {
		t.Errorf("got %q", got)
	}
}

func TestModelWords(t *testing.T) { // F-81, A2-20, A2-21
	plain := func(s string) string { return s }
	for _, c := range []struct {
		asked, effective string
		before           []string
		want             string
	}{
		{"", "", nil, ""},
		{"", "a", nil, "a"},
		{"a", "a", nil, "a"},
		{"b", "", nil, "b asked for, not verified"},
		{"b", "a", nil, "a instead of b"},
		{"", "b", []string{"a"}, "b, after a"},
		{"a", "b", []string{"a"}, "b instead of a"},
		{"a", "a", []string{"b"}, "a, after b"},
		{"a", "c", []string{"a", "b"}, "c instead of a, after a and b"},
	} {
		if got := modelWords(Run{ModelAsked: c.asked, ModelEffective: c.effective, ModelsBefore: c.before}, plain); got != c.want {
			t.Errorf("%q: got %q", c.want, got)
		}
	}
}

// The footer counts all approvals, the summary lists those that there are (A1-29 … A1-31).
func TestApprovals(t *testing.T) {
	r := Result{Outcome: Done, Command: "/build", RunURL: runURL, Run: Run{Agent: "x", Isolated: true, Approved: 12, Receipts: []Receipt{{"rm -rf `build`"}, {"<b>@all"}}}}
	check(t, r)
	for where, text := range everywhere(r) {
		if strings.Count(text, "12 approved") != 1 && where != "summary" {
			t.Errorf("%s does not count: %s", where, text)
		}
	}
	summary := Summary(r)
	for _, want := range []string{"### Approved without asking (full access)\n\n<details><summary>12 requests</summary>", "\n- `rm -rf 'build'`\n- `<b>@all`\n", "And 10 more."} {
		if !strings.Contains(summary, want) {
			t.Errorf("no %q in\n%s", want, summary)
		}
	}
	r.Run.Approved, r.Run.Receipts = 0, nil
	for where, text := range everywhere(r) {
		if strings.Contains(strings.ToLower(text), "approved") {
			t.Errorf("%s speaks of approvals where there were none: %s", where, text)
		}
	}
}

// A long command does not hide what stands at its end, neither where it was approved nor where it ran.
func TestWhatWasDoneIsShownToItsEnd(t *testing.T) { // A1-31
	command := "echo " + strings.Repeat("é", 5000) + "; rm -rf important"
	r := Result{Outcome: Done, Command: "/build", Run: Run{Agent: "x", Approved: 1, Receipts: []Receipt{{command}}, Steps: []Step{{Tool: "execute", Title: command}}}}
	text := Summary(r)
	if got := strings.Count(text, "; rm -rf important`"); got != 2 || strings.Count(text, "`echo é") != 2 || len(text) > 3000 || strings.Contains(text, "\uFFFD") {
		t.Errorf("shown %d times, %d bytes:\n%s", got, len(text), text)
	}
}
