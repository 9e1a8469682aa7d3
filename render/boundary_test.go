package render

import (
	"strings"
	"testing"
)

// Open doors are for the run's page. A thread is read by strangers, and what the agent's side said in a door acts nowhere.
func TestOpenDoorsAreOnTheRunsPageAlone(t *testing.T) {
	r := Result{Outcome: Failed, Command: "/ask", Headline: "stopped: the boundary of this runner is not sound, so no agent was started."}
	for range maxDoors + 3 {
		r.Doors = append(r.Doors, Door{ID: "sockets", Says: "No socket.", Why: "it can connect \"@ann </details> ![x](http://x.test/y) closes #1\"\n::error::x.", Fix: "chmod `0660` /run/x.sock", Waived: "a warning only"})
	}
	summary := Summary(r)
	for _, want := range []string{"### Open doors\n", "- `sockets`: No socket. Seen: it can connect ", "Fix: `chmod ", " **a warning only.**\n", "- And 3 more.\n"} {
		if !strings.Contains(summary, want) {
			t.Errorf("no %q in\n%.1500s", want, summary)
		}
	}
	for _, bad := range []string{"\"@ann", "</details>", "![x]", "closes #1", "\n::error", "\r"} {
		if strings.Contains(summary, bad) {
			t.Errorf("%q acts in\n%.800s", bad, summary)
		}
	}
	if strings.Contains(Summary(Result{Outcome: Done, Command: "/ask"}), "Open doors") {
		t.Error("doors where there are none")
	}
	text := Comment(r)
	if strings.Contains(text, "sockets") || strings.Contains(text, "x.sock") {
		t.Errorf("a thread is told\n%s", text)
	}
}
