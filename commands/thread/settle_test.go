package thread

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/d3mlabs/ai-flow/commands/github"
	"github.com/d3mlabs/ai-flow/render"
)

const (
	place0 = "<!-- ai-flow:pull 0 -->"
	place1 = "<!-- ai-flow:pull 1 -->"
)

// announced is a build whose result stands ahead, with two hidden places in it, one of them at the begin of a line.
func announced(t testing.TB, surface github.Surface, body, text string) (*site, *Thread) {
	t.Helper()
	s, th := newThread(t, surface, body)
	// It comes after all rendering, as the places do.
	th.Redact = func(text string) string {
		return strings.NewReplacer("PLACE0", place0, "PLACE1", place1, "hunter2", "***").Replace(text)
	}
	if err := th.Ahead(context.Background(), result(th, render.Done, text), status(th), Digest("a"), Digest("b")); err != nil {
		t.Fatal(err)
	}
	return s, th
}

const built = "Pushed to PLACE0.\n\nPLACE1 is the other one."

// filling is what render.FillPulls does: it keeps lines.
func filling(text string) string {
	return strings.NewReplacer(place0, "[#9](https://github.com/acme/app/pull/9) hunter2", place1, "#10").Replace(text)
}

// all is what stands on the thread.
func (s *site) all() string {
	var b strings.Builder
	for _, c := range s.comments {
		b.WriteString(c.Body + "\n")
	}
	return b.String()
}

// The result of a build that was killed after its push is made final by whoever comes next: its hidden places are filled, its
// status line goes, and what people wrote stays, a place that they typed included.
func TestSettleFills(t *testing.T) {
	ctx := context.Background()
	for _, surface := range []github.Surface{github.OnIssue, github.OnPull, github.OnReview} {
		for _, form := range []bool{false, true} { // somebody edits the comment in a browser
			t.Run(fmt.Sprint(surface, form), func(t *testing.T) {
				typed := "/build this\n\nLook: " + place1 + "\n" + place0 + "\n"
				s, th := announced(t, surface, typed, built)
				at := &s.comments[len(s.comments)-1]
				if !strings.Contains(at.Body, "Pushed to "+place0) || !strings.Contains(at.Body, "⏳") {
					t.Fatalf("ahead stands %q", at.Body)
				}
				if surface == github.OnReview {
					at.Body += "\n> " + place0 + " is mine\n"
				}
				if form {
					at.Body, typed = crlf(at.Body), crlf(typed)
				}
				s.calls = nil
				url, err := th.Settle(ctx, filling)
				if err != nil || url != at.URL {
					t.Fatalf("%q, %v", url, err)
				}
				got := oneLineEnd(at.Body)
				for _, want := range []string{"Pushed to [#9](https://github.com/acme/app/pull/9) ***.\n", "#10 is the other one."} {
					if strings.Count(got, want) != 1 {
						t.Errorf("%q does not hold %q", got, want)
					}
				}
				if surface != github.OnReview && Strip(at.Body, 102) != typed || surface == github.OnReview && !strings.HasSuffix(got, "\n> "+place0+" is mine\n") {
					t.Errorf("what people wrote is another: %q", at.Body)
				}
				if is, err := th.Look(ctx); err != nil || is != (Standing{Stage: Acted, URL: url}) {
					t.Errorf("%+v, %v", is, err)
				}
				final := s.all()
				if _, err := th.Settle(ctx, filling); err != nil || s.all() != final || strings.Count(strings.Join(s.calls, " "), "edit") != 1 {
					t.Errorf("%v, %q: again it is %q", err, s.calls, s.all())
				}
			})
		}
	}
}

// Without anything to fill in the places stay hidden, and can be filled later.
func TestSettleFillsNothing(t *testing.T) {
	ctx := context.Background()
	s, th := announced(t, github.OnIssue, "/build", built)
	if _, err := th.Settle(ctx, nil); err != nil || !strings.Contains(s.body(t, th), place0) || strings.Contains(s.body(t, th), "⏳") {
		t.Errorf("%v: %q", err, s.body(t, th))
	}
	if _, err := th.Settle(ctx, filling); err != nil || !strings.Contains(s.body(t, th), "Pushed to [#9]") {
		t.Errorf("%v: %q", err, s.body(t, th))
	}
}

// A text that would break the marks, or finds no room, is not written: the result becomes final as it was, and somebody is
// told.
func TestSettleFillsBadly(t *testing.T) {
	ctx := context.Background()
	for name, tt := range map[string]struct {
		with string
		own  bool // in a comment of our own it breaks nothing
	}{
		"a line of its own":  {"a\nb", true},
		"a quote that ended": {"a\n>\n\n> b", true},
		"an end":             {"a\n> <!-- ai-flow:end -->\n> b", true},
		"an end, unquoted":   {"a\n<!-- ai-flow:end -->\nb", false},
		"another mark":       {"a\n> <!-- ai-flow:result ID stage=told -->\n> b", true},
		"a result":           {"a\n> <!-- ai-flow:result ID stage=unsure -->\n> b\n> <!-- ai-flow:end -->\n> c", false},
		"a status line":      {"a\n> <!-- ai-flow:status ID -->\n> ⏳ b\n>\n> <!-- ai-flow:end -->\n> c", false},
		"far too much":       {strings.Repeat("x", maxBody), false},
	} {
		for _, surface := range []github.Surface{github.OnIssue, github.OnReview} {
			t.Run(fmt.Sprint(name, surface), func(t *testing.T) {
				s, th := announced(t, surface, "/build", built)
				with := strings.ReplaceAll(tt.with, "ID", fmt.Sprint(th.Event.Comment.ID))
				url, err := th.Settle(ctx, func(text string) string { return strings.ReplaceAll(text, place0, with) })
				whole := surface == github.OnReview && tt.own
				if errors.Is(err, errFill) == whole || url == "" {
					t.Errorf("%q, %v", url, err)
				}
				if got := s.all(); whole != !strings.Contains(got, "Pushed to "+place0) || strings.Contains(got, "⏳") {
					t.Errorf("%q", got)
				}
				if is, err := th.Look(ctx); err != nil || is != (Standing{Stage: Acted, URL: url}) {
					t.Errorf("%+v, %v", is, err)
				}
				if surface == github.OnIssue && Strip(s.body(t, th), 102) != "/build" {
					t.Errorf("%q", s.body(t, th))
				}
			})
		}
	}
}

// A result ahead that is as long as it may be leaves room for what is filled in.
func TestSettleFindsRoom(t *testing.T) {
	for _, surface := range []github.Surface{github.OnIssue, github.OnReview} {
		s, th := announced(t, surface, "/build "+strings.Repeat("x ", 9800), built+strings.Repeat("\n\nwords and words", 9000))
		long := len(s.all())
		title := strings.Repeat("x", 2<<10)
		if _, err := th.Settle(context.Background(), func(text string) string { return strings.ReplaceAll(text, place0, title) }); err != nil {
			t.Error(err)
		}
		if got := s.all(); long < 50<<10 || !strings.Contains(got, title) {
			t.Errorf("ahead stood %d bytes, and now %d", long, len(got))
		}
	}
}

// A command whose comment leaves little room is announced all the same.
func TestAheadWithLittleRoom(t *testing.T) {
	body := "/build " + strings.Repeat("x", maxBody-tight-5*frame)
	s, _ := announced(t, github.OnIssue, body, "Built.")
	if got := s.comments[1].Body; !strings.Contains(got, "⏳") || len(got) > maxBody {
		t.Errorf("%d bytes", len(got))
	}
}

// TestSettleFaults lets each call of Settle fail in each way: the next one ends where an undisturbed one ends (S9).
func TestSettleFaults(t *testing.T) {
	ctx := context.Background()
	for _, surface := range []github.Surface{github.OnIssue, github.OnReview} {
		calm, th := announced(t, surface, "/build", built)
		calm.calls = nil
		if _, err := th.Settle(ctx, filling); err != nil {
			t.Fatal(err)
		}
		for k := 1; k <= len(calm.calls); k++ {
			for f := lost; f <= limited; f++ {
				s, th := announced(t, surface, "/build", built)
				s.calls = nil
				s.fault = func(n int, _ string) fault {
					if n == k {
						return f
					}
					return none
				}
				_, _ = th.Settle(ctx, filling) // what counts is where the next one ends
				s.fault = nil
				if _, err := th.Settle(ctx, filling); err != nil || s.all() != calm.all() {
					t.Errorf("%v, %d, %d: %v, %q, want %q", surface, k, f, err, s.all(), calm.all())
				}
			}
		}
	}
}

// FuzzFill: whatever is filled in, taking our text out leaves what people wrote, and the marks are what they were.
func FuzzFill(f *testing.F) {
	for i, body := range bodies {
		f.Add(body, i, "x "+place0+"\n"+place1, "#9")
		f.Add(body, 0, place0, "a\n> "+endMark+"\nb")
		f.Add(body, i, place0, "a\r> <!-- ai-flow:status 123 -->\n> ⏳\n")
	}
	f.Fuzz(func(t *testing.T, body string, at int, text, with string) {
		const id = 123
		body = Strip(body, id)
		said := place(body, id, render.Parts{Segments: []string{text, place0}, Bottom: place1}, at, at)
		_, before := lift(said, id)
		th := &Thread{}
		th.Event.Comment.ID = id
		final := &final{thread: th, fill: func(text string) string { return strings.ReplaceAll(text, place0, with) }}
		got := final.inPlace(said)
		clean, after := lift(got, id)
		if clean != body {
			t.Errorf("%q came back as %q, out of %q", body, clean, got)
		}
		if len(after) != len(only(before, wordResult)) {
			t.Errorf("%d blocks of %d stand in %q", len(after), len(before), got)
		}
	})
}
