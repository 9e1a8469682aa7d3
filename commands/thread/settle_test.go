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

// opened is what FillPulls says of the first pull request.
const opened = "opened [#9](https://github.com/acme/app/pull/9)"

// build is the result of a build that pushed to two repositories, before its pull requests are open, or (open) afterwards.
func build(th *Thread, text string, open bool) render.Result {
	r := result(th, render.Done, text)
	for i, repo := range []string{"", "acme/lib"} {
		l := render.Landing{Repo: repo, Branch: "ai/7-x", Commit: strings.Repeat("c", 40), Opened: true}
		if open {
			l.Pull = &render.Pull{Number: 9 + i, URL: fmt.Sprintf("https://github.com/acme/%s/pull/%d", []string{"app", "lib"}[i], 9+i)}
		}
		r.Landings = append(r.Landings, l)
	}
	return r
}

// announced is a build whose result stands ahead.
func announced(t testing.TB, surface github.Surface, body, text string) (*site, *Thread) {
	t.Helper()
	s, th := newThread(t, surface, body)
	if err := th.Ahead(context.Background(), build(th, text, false), status(th), Digest("a"), Digest("b")); err != nil {
		t.Fatal(err)
	}
	return s, th
}

// filling is what package dispatch fills in.
func filling(text string) string { return render.FillPulls(text, build(&Thread{}, "", true).Landings) }

// instead fills in another text.
func instead(with string) func(string) string {
	return func(text string) string { return strings.ReplaceAll(filling(text), opened, with) }
}

// all is what stands on the thread.
func (s *site) all() string {
	var b strings.Builder
	for _, c := range s.comments {
		b.WriteString(c.Body + "\n")
	}
	return b.String()
}

// The result of a build that was killed after its push is made final by whoever comes next: it says what the undisturbed run
// would have said, its status line goes, and what people wrote stays, a place that they copied included (S9).
func TestSettleFills(t *testing.T) {
	ctx := context.Background()
	for _, surface := range []github.Surface{github.OnIssue, github.OnPull, github.OnReview} {
		for _, form := range []bool{false, true} { // somebody edits the comment in a browser
			t.Run(fmt.Sprint(surface, form), func(t *testing.T) {
				copied := "<!-- pull of ai-flow 1 -->is opening a pull request<!-- pull of ai-flow end -->"
				typed := "/build this\n\nLook: " + copied + "\n<!-- ai-flow:pull 1 -->\n"
				s, th := announced(t, surface, typed, "Built.")
				undisturbed, calm := newThread(t, surface, typed)
				if _, err := calm.Tell(ctx, build(calm, "Built.", true), ActDone); err != nil {
					t.Fatal(err)
				}
				at := &s.comments[len(s.comments)-1]
				if !strings.Contains(at.Body, "is opening a pull request") || !strings.Contains(at.Body, "⏳") || strings.Contains(at.Body, "/pull/9") {
					t.Fatalf("ahead stands %q", at.Body)
				}
				want, mine := undisturbed.comments[len(undisturbed.comments)-1].Body, ""
				if surface == github.OnReview {
					mine = "\n> " + copied + " is mine\n"
				}
				at.Body, want = at.Body+mine, want+mine
				if form {
					at.Body = crlf(at.Body)
				}
				s.calls = nil
				url, err := th.Settle(ctx, filling)
				if err != nil || url != at.URL {
					t.Fatalf("%q, %v", url, err)
				}
				if got := at.Body; oneLineEnd(got) != want || form && crlf(got) != got || !strings.Contains(got, opened) || !strings.Contains(got, "/acme/lib/pull/10") {
					t.Errorf("final is %q, want %q", got, want)
				}
				if is, err := th.Look(ctx); err != nil || is != (Standing{Stage: Acted, URL: url}) {
					t.Errorf("%+v, %v", is, err)
				}
				if _, err := th.Settle(ctx, filling); err != nil || oneLineEnd(at.Body) != want || strings.Count(strings.Join(s.calls, " "), "edit") != 1 {
					t.Errorf("%v, %q: again it is %q", err, s.calls, at.Body)
				}
			})
		}
	}
}

// Without anything to fill in the places stay, and can be filled later; what is filled in is looked at for secrets (S5).
func TestSettleFillsLater(t *testing.T) {
	ctx := context.Background()
	s, th := announced(t, github.OnIssue, "/build", "Built.")
	if _, err := th.Settle(ctx, nil); err != nil || !strings.Contains(s.body(t, th), "is opening a pull request") || strings.Contains(s.body(t, th), "⏳") {
		t.Errorf("%v: %q", err, s.body(t, th))
	}
	th.Redact = func(text string) string { return strings.ReplaceAll(text, "hunter2", "***") }
	if _, err := th.Settle(ctx, instead("hunter2")); err != nil || !strings.Contains(s.body(t, th), "***") || strings.Contains(s.body(t, th), "hunter2") {
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
				s, th := announced(t, surface, "/build", "Built.")
				with := strings.ReplaceAll(tt.with, "ID", fmt.Sprint(th.Event.Comment.ID))
				url, err := th.Settle(ctx, instead(with))
				whole := surface == github.OnReview && tt.own
				if errors.Is(err, errFill) == whole || url == "" {
					t.Errorf("%q, %v", url, err)
				}
				if got := s.all(); whole == strings.Contains(got, "is opening a pull request") || strings.Contains(got, "⏳") {
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

// What is told is the last try's: a person took away meanwhile what stood in the way.
func TestSettleFillsAtLast(t *testing.T) {
	s, th := announced(t, github.OnIssue, "/build", "Built.")
	edits := 0
	s.calls, s.fault = nil, func(_ int, call string) fault {
		if call == "edit" {
			if edits++; edits == 1 {
				return dropped
			}
		}
		return none
	}
	_, err := th.Settle(context.Background(), func(text string) string {
		if edits == 0 {
			return endMark
		}
		return filling(text)
	})
	if err != nil || !strings.Contains(s.body(t, th), opened) {
		t.Errorf("%v after %q: %q", err, s.calls, s.body(t, th))
	}
}

// A result ahead that is as long as it may be has room for what is filled in.
func TestSettleFindsRoom(t *testing.T) {
	s, th := announced(t, github.OnIssue, "/build "+strings.Repeat("x ", 20_000), strings.Repeat("words and words\n\n", 9000))
	long := len(s.body(t, th))
	if _, err := th.Settle(context.Background(), filling); err != nil {
		t.Error(err)
	}
	if got := s.body(t, th); long < maxBody-(4<<10) || !strings.Contains(got, opened) {
		t.Errorf("ahead stood %d bytes, and now %d", long, len(got))
	}
}

// TestSettleFaults lets each call of Settle fail in each way: the next one ends where an undisturbed one ends (S9).
func TestSettleFaults(t *testing.T) {
	ctx := context.Background()
	for _, surface := range []github.Surface{github.OnIssue, github.OnReview} {
		calm, th := announced(t, surface, "/build", "Built.")
		calm.calls = nil
		if _, err := th.Settle(ctx, filling); err != nil {
			t.Fatal(err)
		}
		for k := 1; k <= len(calm.calls); k++ {
			for f := lost; f <= limited; f++ {
				s, th := announced(t, surface, "/build", "Built.")
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
		f.Add(body, i, "x PLACE\nPLACE", "#9")
		f.Add(body, 0, "PLACE", "a\n> "+endMark+"\nb")
		f.Add(body, i, "PLACE", "a\r> <!-- ai-flow:status 123 -->\n> ⏳\n")
	}
	f.Fuzz(func(t *testing.T, body string, at int, text, with string) {
		const id = 123
		body = Strip(body, id)
		said := place(body, id, render.Parts{Segments: []string{text, "PLACE"}, Bottom: "PLACE"}, at, at)
		_, before := lift(said, id)
		th := &Thread{}
		th.Event.Comment.ID = id
		final := &final{thread: th, fill: func(text string) string { return strings.ReplaceAll(text, "PLACE", with) }}
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
