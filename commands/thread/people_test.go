package thread

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/d3mlabs/ai-flow/commands/github"
	"github.com/d3mlabs/ai-flow/render"
)

// What a person wrote below our text in a comment of ours stays, whatever becomes of that comment (F11).
func TestWordsInOurComment(t *testing.T) {
	ctx := context.Background()
	const note = "\nEditor's note: see RFC 7.\r\n\n> <!-- ai-flow:end -->\n"
	for _, surface := range []github.Surface{github.OnIssue, github.OnLine, github.OnReview} {
		s, th := newThread(t, surface, "/ask why")
		run(t, th, render.Done, "Because.", ActNone)
		last := &s.comments[len(s.comments)-1]
		last.Body += note
		kept := func(when string) {
			t.Helper()
			if !strings.HasSuffix(last.Body, "\n"+endMark+"\n"+note) && !strings.HasSuffix(last.Body, end+note) {
				t.Errorf("%s: %q", when, last.Body)
			}
		}
		if err := th.Wait(ctx, status(th)); err != nil {
			t.Fatal(err)
		}
		kept("waiting")
		if _, err := th.Tell(ctx, result(th, render.Done, "For another reason."), ActNone); err != nil {
			t.Fatal(err)
		}
		if kept("told again"); strings.Count(last.Body, "another reason") != 1 || strings.Contains(last.Body, "⏳") || len(s.ours()) != 1 {
			t.Errorf("%q", s.ours())
		}
		if _, err := th.Settle(ctx, nil); err != nil {
			t.Fatal(err)
		}
		kept("settled")
		if err := th.retire(ctx, *last, "https://x/"); err != nil {
			t.Fatal(err)
		}
		if kept("retired"); !strings.HasPrefix(last.Body, aside(102, "https://x/", "")) && surface != github.OnReview {
			t.Errorf("%q", last.Body)
		}
	}
}

// A person who wrote so much into our comment that a result has no room there is told below the question; on a review, which
// has no other place, it is an error.
func TestNoRoomInOurComment(t *testing.T) {
	for _, surface := range []github.Surface{github.OnIssue, github.OnReview} {
		s, th := newThread(t, surface, "/ask why")
		run(t, th, render.Done, "Because.", ActNone)
		s.comments[len(s.comments)-1].Body += strings.Repeat("x", 64_000)
		url, err := th.Tell(context.Background(), result(th, render.Done, "Because."), ActNone)
		if surface == github.OnIssue && (err != nil || url != th.Event.Comment.URL) || surface == github.OnReview && !errors.Is(err, errNoRoom) {
			t.Errorf("%q, %v", url, err)
		}
	}
}

// Whatever a person does to a status line while it stands there, it goes, and their words do not (F12, F13).
func TestTouchedStatusLine(t *testing.T) {
	for _, with := range []string{"", "\n" + endMark, "> " + endMark + " ", ">  " + endMark, "\n> " + endMark, "> mine\n> " + endMark, "> mine", "mine"} {
		for _, ends := range []func(string) string{oneLineEnd, crlf} {
			s, th := newThread(t, github.OnIssue, "/edit a\n\n/edit b\n")
			if err := th.Wait(context.Background(), status(th)); err != nil {
				t.Fatal(err)
			}
			s.comments[1].Body = ends(strings.Replace(s.comments[1].Body, "> "+endMark, with, 1))
			if _, err := th.Tell(context.Background(), result(th, render.Done, "Done."), ActDone); err != nil {
				t.Error(err)
			}
			got := s.body(t, th)
			if strings.Contains(got, "⏳") || strings.Count(got, "Done.") != 2 || strings.Contains(with, "mine") != strings.Contains(got, "mine") {
				t.Errorf("%q: %q", with, got)
			}
			if got, err := th.Look(context.Background()); err != nil || got.Stage != Acted || got.Left {
				t.Errorf("%q: %+v, %v", with, got, err)
			}
		}
	}
}

// A comment with hundreds of commands is refused in its place, after one reading (F7).
func TestManyCommands(t *testing.T) {
	for _, n := range []int{100, 400, 1600} {
		for _, surface := range []github.Surface{github.OnIssue, github.OnReview} {
			s, th := newThread(t, surface, strings.Repeat("/ask a\n\n", n))
			reads, inner := 0, th.Read
			th.Read = func(body string) ([]Anchor, int) { reads++; return inner(body) }
			url, err := th.Tell(context.Background(), render.Result{Outcome: render.Refused, Command: "/ask", Headline: "at most 32 are read"}, ActNone)
			if err != nil || surface == github.OnIssue && (url != th.Event.Comment.URL || len(s.ours()) > 0 || reads != 1) {
				t.Errorf("%d: %q, %v after %d readings", n, url, err, reads)
			}
		}
	}
}

// Every command has its result where it stands, also when a reader is given more of them than the parser of today names.
func TestRoomOfMany(t *testing.T) {
	body := strings.Repeat("/ask a\n\n", 400)
	s, th := newThread(t, github.OnIssue, body)
	th.Read = func(body string) (all []Anchor, foot int) {
		for at := 0; ; {
			i := strings.Index(body[at:], "/ask a")
			if i < 0 {
				return all, len(body)
			}
			at += i + len("/ask a")
			all = append(all, Anchor{End: at, Text: "/ask a"})
		}
	}
	th.Asked, _ = th.Read(body)
	if url, err := th.Tell(context.Background(), render.Result{Outcome: render.Refused, Command: "/ask", Headline: "no"}, ActNone); err != nil || url != th.Event.Comment.URL || len(s.ours()) > 0 {
		t.Errorf("%q, %v, %d comments of ours", url, err, len(s.ours()))
	}
}

// A run that could not look still takes no better result away, wherever that stands, and leaves one (F5).
func TestBetterResultElsewhere(t *testing.T) {
	ctx := context.Background()
	for _, surface := range []github.Surface{github.OnIssue, github.OnLine, github.OnReview} {
		s, th := newThread(t, surface, "/edit this")
		acted := "<!-- ai-flow:result 102 stage=acted -->\nDone.\n<!-- ai-flow:end -->\n"
		if surface == github.OnReview {
			acted = strings.Replace(acted, "102", "900", 1)
		}
		s.add(false, bot, strings.Replace(acted, "acted", "failed", 1))
		best := s.add(false, bot, acted)
		s.add(false, bot, acted)
		if surface != github.OnReview {
			s.comments[1].Body += piece("result 102 stage=failed") + piece("status 102")
		}
		url, err := th.Tell(ctx, result(th, render.Failed, ""), ActNone)
		if !errors.Is(err, ErrStands) || url != best.URL {
			t.Errorf("%q, %v", url, err)
		}
		if ours := strings.Join(s.ours(), ""); strings.Count(ours, "aside") != 2 || strings.Count(ours, "Done.") != 1 {
			t.Errorf("%q", ours)
		}
		if surface != github.OnReview && s.body(t, th) != "/edit this" {
			t.Errorf("%q", s.body(t, th))
		}
	}
	// The comment cannot be read at first, and holds the result of the act.
	s, th := newThread(t, github.OnIssue, "/edit this")
	want := run(t, th, render.Done, "Done.", ActDone)
	reads := 0
	s.fault = func(_ int, call string) fault {
		if call == "read" {
			if reads++; reads <= maxWrites+1 {
				return limited
			}
		}
		return none
	}
	url, err := th.Tell(ctx, result(th, render.Failed, ""), ActNone)
	if !errors.Is(err, ErrStands) || url != want || !strings.Contains(s.body(t, th), "Done.") || len(s.ours()) != 1 || s.ours()[0] != aside(102, want, "") {
		t.Errorf("%q, %v: %q and %q", url, err, s.body(t, th), s.ours())
	}
}
