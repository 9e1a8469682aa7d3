package thread

import (
	"context"
	"strings"
	"testing"

	"github.com/d3mlabs/ai-flow/commands/github"
	"github.com/d3mlabs/ai-flow/render"
)

// F3: an edit that came late, and was not made since a person has written meanwhile, is made again of what stands there.
func TestEditThatMoved(t *testing.T) {
	body := "/edit this"
	s, th := newThread(t, github.OnIssue, body)
	th.Now = &body
	wrote := 0
	s.before = func(_ int, call string) {
		if call == "edit" && wrote < maxWrites {
			wrote++
			s.comments[1].Body += "\n\nAnd thanks!"
		}
	}
	if err := th.Wait(context.Background(), status(th)); err == nil {
		t.Errorf("somebody wrote before each of our %d edits:\n%s", wrote, s.comments[1].Body)
	}
	if n := strings.Count(strings.Join(s.calls, " "), "edit"); n != maxWrites {
		t.Errorf("%d edits: %q", n, s.calls)
	}
	wrote = maxWrites - 1
	if _, err := th.Tell(context.Background(), result(th, render.Done, "Done."), ActDone); err != nil {
		t.Fatal(err)
	}
	want := body + strings.Repeat("\n\nAnd thanks!", maxWrites+1)
	if got := s.body(t, th); Strip(got, 102) != want || strings.Count(got, "Done.") != 1 || strings.Contains(got, "⏳") {
		t.Errorf("%q", got)
	}
}
