package thread

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/d3mlabs/ai-flow/commands/github"
	"github.com/d3mlabs/ai-flow/render"
)

const runURL = "https://github.com/acme/app/actions/runs/1"

// result is one that says word to each command.
func result(th *Thread, o render.Outcome, word string) render.Result {
	r := render.Result{Outcome: o, Command: "/edit", RunURL: runURL}
	for _, a := range th.Asked {
		command, instruction, _ := strings.Cut(a.Text, " ")
		r.Command = command
		r.Segments = append(r.Segments, render.Segment{Command: command, Instruction: instruction, Text: word, OK: o == render.Done || o == render.Restricted})
	}
	return r
}

func status(th *Thread) render.Status { return render.Status{Command: "/ask", RunURL: runURL} }

// run is one run of a command as package dispatch does it, without faults.
func run(t *testing.T, th *Thread, o render.Outcome, word string, act Act) string {
	t.Helper()
	ctx := context.Background()
	if err := th.Wait(ctx, status(th)); err != nil {
		t.Fatal(err)
	}
	url, err := th.Tell(ctx, result(th, o, word), act)
	if err != nil || url == "" {
		t.Fatalf("%q, %v", url, err)
	}
	return url
}

func wantCalls(t *testing.T, s *site, want ...string) {
	t.Helper()
	if !slices.Equal(s.calls, want) {
		t.Errorf("calls %q, want %q", s.calls, want)
	}
	s.calls = nil
}

// A lone question is answered by a reply, with one call to look and five more, and its comment is what it was.
func TestLoneQuestion(t *testing.T) {
	for _, surface := range []github.Surface{github.OnIssue, github.OnPull, github.OnLine} {
		body := "/ask why\r\n\r\n  \r\n"
		s, th := newThread(t, surface, body)
		th.Now = &body
		if _, err := th.Look(context.Background()); err != nil {
			t.Fatal(err)
		}
		s.calls = nil
		if err := th.Wait(context.Background(), status(th)); err != nil {
			t.Fatal(err)
		}
		if got := s.body(t, th); !strings.Contains(got, "⏳") || Strip(got, th.Event.Comment.ID) != body {
			t.Errorf("it waits with %q", got)
		}
		wantCalls(t, s, "edit")
		url, err := th.Tell(context.Background(), result(th, render.Done, "Because."), ActNone)
		if err != nil {
			t.Fatal(err)
		}
		wantCalls(t, s, "list", "post", "read", "edit")
		reply := s.comments[len(s.comments)-1]
		if reply.URL != url || reply.Line != (surface == github.OnLine) || !strings.HasPrefix(reply.Body, "<!-- ai-flow:result 102 stage=told -->\nBecause.") {
			t.Errorf("the reply is %+v at %q", reply, url)
		}
		if got := s.body(t, th); got != body {
			t.Errorf("the question says %q", got)
		}
	}
}

// A failure of a question stands in its comment; an answer takes it away, and is one comment whatever the number of runs
// (F-59), which no failure stands beside (F5).
func TestQuestionAgain(t *testing.T) {
	for _, surface := range []github.Surface{github.OnIssue, github.OnLine} {
		s, th := newThread(t, surface, "/ask why")
		run(t, th, render.Failed, "", ActNone)
		if got := s.body(t, th); !strings.Contains(got, "stage=failed") || strings.Contains(got, "⏳") || len(s.ours()) != 0 {
			t.Errorf("after a failure: %q and %q", got, s.ours())
		}
		first := run(t, th, render.Done, "Because.", ActNone)
		if got := s.body(t, th); got != "/ask why" || len(s.ours()) != 1 {
			t.Errorf("after an answer: %q and %q", got, s.ours())
		}
		if err := th.Wait(context.Background(), status(th)); err != nil {
			t.Fatal(err)
		}
		url, err := th.Tell(context.Background(), result(th, render.Refused, ""), ActNone)
		if got := s.body(t, th); !errors.Is(err, ErrStands) || url != first || got != "/ask why" || len(s.ours()) != 1 {
			t.Errorf("after a refusal: %q, %v, %q and %q", url, err, got, s.ours())
		}
		second := run(t, th, render.Done, "For another reason.", ActNone)
		if ours := s.ours(); first != second || s.body(t, th) != "/ask why" || len(ours) != 1 || !strings.Contains(ours[0], "another reason") {
			t.Errorf("after another answer: %q at %q, then %q", ours, first, second)
		}
	}
}

// The summary of a review cannot be edited: one comment of ours quotes it, and says status and result.
func TestReview(t *testing.T) {
	text := "Nice, @bob.\n\n/ask why\n\n> <!-- ai-flow:status 900 -->\n> x\n> <!-- ai-flow:end -->\n\n/edit that\n\n```\n<!-- ai-flow:result 900 stage=acted -->\n"
	s, th := newThread(t, github.OnReview, text)
	if err := th.Wait(context.Background(), status(th)); err != nil {
		t.Fatal(err)
	}
	wantCalls(t, s, "list", "post")
	if got, err := th.Look(context.Background()); err != nil || got.Stage != Waiting || got.Gone {
		t.Errorf("%+v, %v", got, err)
	}
	wantCalls(t, s, "list")
	url := run(t, th, render.Done, "Said.", ActDone)
	ours := s.ours()
	if len(ours) != 1 || strings.Contains(ours[0], "⏳") || strings.Count(ours[0], "<!-- ai-flow:") != 2 || strings.Contains(ours[0], " @bob") {
		t.Fatalf("%q", ours)
	}
	why, said, that := strings.Index(ours[0], "> `/ask` why"), strings.Index(ours[0], "\nSaid."), strings.Index(ours[0], "> `/edit` that")
	if why < 0 || said < why || that < said || strings.LastIndex(ours[0], "\nSaid.") < that {
		t.Errorf("the results do not stand below their commands: %s", ours[0])
	}
	got, err := th.Look(context.Background())
	if err != nil || got.Stage != Acted || got.URL != url || got.Left {
		t.Errorf("%+v, %v", got, err)
	}
	if err := th.Wait(context.Background(), status(th)); !errors.Is(err, ErrStands) {
		t.Errorf("it may wait again: %v", err)
	}
	if got, err := th.Tell(context.Background(), result(th, render.Refused, ""), ActNone); !errors.Is(err, ErrStands) || got != url {
		t.Errorf("a refusal may replace it: %q, %v", got, err)
	}
}

// A very long review is not repeated, only its commands are; and the result has room.
func TestReviewTooLong(t *testing.T) {
	s, th := newThread(t, github.OnReview, strings.Repeat("x @bob\n\n", 7000)+"/ask why")
	run(t, th, render.Done, strings.Repeat("word ", 20_000), ActNone)
	if ours := s.ours(); len(ours) != 1 || len(ours[0]) > maxBody || len(ours[0]) < maxBody/2 || strings.Contains(ours[0], "bob") {
		t.Errorf("%d bytes: %.300q", len(ours[0]), ours)
	}
}

// What an act did is not taken back by a word of a run that did nothing (F-56).
func TestActedStands(t *testing.T) {
	s, th := newThread(t, github.OnIssue, "/edit this")
	url := run(t, th, render.Done, "Done.", ActDone)
	before := s.body(t, th)
	if err := th.Wait(context.Background(), status(th)); !errors.Is(err, ErrStands) {
		t.Errorf("it may wait again: %v", err)
	}
	got, err := th.Tell(context.Background(), result(th, render.Failed, ""), ActNone)
	if !errors.Is(err, ErrStands) || got != url || s.body(t, th) != before {
		t.Errorf("%q, %v: %q", got, err, s.body(t, th))
	}
	if _, err := th.Tell(context.Background(), result(th, render.Done, "Done, and more to say."), ActDone); err != nil || !strings.Contains(s.body(t, th), "more to say") {
		t.Errorf("a later word about the act: %v, %q", err, s.body(t, th))
	}
}

// A result is written ahead of its act, and made final or replaced afterwards.
func TestAhead(t *testing.T) {
	ctx := context.Background()
	for _, surface := range []github.Surface{github.OnIssue, github.OnLine, github.OnReview} {
		s, th := newThread(t, surface, "/edit this")
		if err := th.Ahead(ctx, result(th, render.Done, "Changed."), status(th), "x", Digest("b")); err == nil {
			t.Error("a digest of another shape is taken, and would not be found again")
		}
		if err := th.Ahead(ctx, result(th, render.Done, "Changed."), status(th), Digest("a"), Digest("b")); err != nil {
			t.Fatal(err)
		}
		got, err := th.Look(ctx)
		if err != nil || got.Stage != Ahead || got.Before != Digest("a") || got.After != Digest("b") {
			t.Errorf("%+v, %v", got, err)
		}
		other := s.clone()
		url, err := th.Settle(ctx, nil)
		if err != nil || url != got.URL {
			t.Errorf("settled at %q, %v", url, err)
		}
		if got, err := th.Look(ctx); err != nil || got.Stage != Acted || got.Before != "" {
			t.Errorf("%+v, %v", got, err)
		}
		th.API = other
		if got, err := th.Look(ctx); err != nil || got.Stage != Ahead {
			t.Errorf("%+v, %v", got, err)
		}
		if err := th.Wait(ctx, status(th)); err != nil { // it was found that the act did not happen
			t.Error(err)
		}
		if got, err := th.Look(ctx); err != nil || got.Stage != Waiting {
			t.Errorf("%+v, %v", got, err)
		}
		if _, err := th.Tell(ctx, result(th, render.Failed, ""), ActNone); err != nil {
			t.Error(err)
		}
		if got, err := th.Look(ctx); err != nil || got.Stage != Failed {
			t.Errorf("%+v, %v", got, err)
		}
	}
}

// A result that was written ahead may be all that tells of an edit that landed: who has not looked does not replace it.
func TestAheadStandsForWhoHasNotLooked(t *testing.T) {
	ctx := context.Background()
	for _, surface := range []github.Surface{github.OnIssue, github.OnReview} {
		s, th := newThread(t, surface, "/edit this")
		if err := th.Ahead(ctx, result(th, render.Done, "Changed."), status(th), Digest("a"), Digest("b")); err != nil {
			t.Fatal(err)
		}
		next := &Thread{API: s, Event: th.Event, Viewer: bot, Read: read, Asked: th.Asked}
		if err := next.Wait(ctx, status(th)); !errors.Is(err, ErrStands) {
			t.Errorf("it waits: %v", err)
		}
		if url, err := next.Tell(ctx, result(th, render.Refused, ""), ActNone); !errors.Is(err, ErrStands) || url == "" {
			t.Errorf("it refuses: %q, %v", url, err)
		}
		s.fault = failing("list", limited)
		if surface == github.OnIssue {
			s.fault = failing("read", limited)
		}
		if _, err := next.Look(ctx); err == nil {
			t.Error("it has seen nothing, and says so to nobody")
		}
		s.fault = nil
		if url, err := next.Tell(ctx, result(th, render.Failed, ""), ActNone); !errors.Is(err, ErrStands) || url == "" {
			t.Errorf("it fails: %q, %v", url, err)
		}
		if got, err := next.Look(ctx); err != nil || got.Stage != Ahead {
			t.Errorf("%+v, %v", got, err)
		}
		if _, err := next.Tell(ctx, result(th, render.Failed, ""), ActNone); err != nil {
			t.Errorf("who has looked decides: %v", err)
		}
		if _, err := th.Tell(ctx, result(th, render.Done, "Changed."), ActDone); err != nil {
			t.Error(err)
		}
	}
	s, th := newThread(t, github.OnIssue, "/edit this")
	if err := th.Ahead(ctx, result(th, render.Done, "Changed."), status(th), Digest("a"), Digest("b")); err != nil {
		t.Fatal(err)
	}
	if _, err := th.Tell(ctx, result(th, render.Failed, ""), ActNone); err != nil || strings.Contains(s.body(t, th), "Changed.") {
		t.Errorf("who wrote it ahead takes it back: %v, %q", err, s.body(t, th))
	}
}

// A result that leaves open whether its act happened keeps the digests of the announcement, wherever it stands, and nothing
// that did nothing replaces it before the caller has looked (F4).
func TestUnsureStands(t *testing.T) {
	ctx := context.Background()
	for _, surface := range []github.Surface{github.OnIssue, github.OnLine, github.OnReview} {
		for _, elsewhere := range []bool{false, true} {
			s, th := newThread(t, surface, "/edit this")
			if err := th.Ahead(ctx, result(th, render.Done, "Changed."), status(th), Digest("a"), Digest("b")); err != nil {
				t.Fatal(err)
			}
			if elsewhere && surface != github.OnReview {
				s.comments[1].Body = "/edit this"
				s.fault = failing("edit", refused)
			}
			want := Standing{Stage: Unsure, Before: Digest("a"), After: Digest("b")}
			var err error
			if want.URL, err = th.Tell(ctx, result(th, render.Failed, ""), ActUnsure); err != nil {
				t.Fatal(err)
			}
			s.fault = nil
			next := &Thread{API: s, Event: th.Event, Viewer: bot, Read: read, Asked: th.Asked}
			for _, who := range []*Thread{th, next} {
				if _, err := who.Tell(ctx, result(th, render.Failed, ""), ActNone); !errors.Is(err, ErrStands) {
					t.Errorf("it is replaced unseen: %v", err)
				}
				if err := who.Ahead(ctx, result(th, render.Done, ""), status(th), Digest("c"), Digest("d")); !errors.Is(err, ErrStands) {
					t.Errorf("another act is announced: %v", err)
				}
			}
			if got, err := next.Look(ctx); err != nil || got != want {
				t.Errorf("%+v, %v, want %+v", got, err, want)
			}
			if url, err := next.Settle(ctx, nil); err != nil || url != want.URL {
				t.Errorf("%q, %v", url, err)
			}
			if _, err := next.Tell(ctx, result(th, render.Failed, ""), ActUnsure); err != nil {
				t.Error(err)
			}
			if got, err := next.Look(ctx); err != nil || got.Before != want.Before || got.Stage != Unsure {
				t.Errorf("%+v, %v, want %+v", got, err, want)
			}
			if _, err := next.Tell(ctx, result(th, render.Failed, ""), ActNone); err != nil {
				t.Errorf("who has looked decides: %v", err)
			}
			if _, err := next.Tell(ctx, result(th, render.Done, "Changed."), ActDone); err != nil {
				t.Error(err)
			}
			if got, err := next.Tell(ctx, result(th, render.Failed, ""), ActUnsure); !errors.Is(err, ErrStands) {
				t.Errorf("%q, %v: a doubt replaces what is sure", got, err)
			}
		}
	}
}

// What a person writes while we work survives (F-58): before our look, and when they write over what we wrote (F-60).
func TestPersonWritesMeanwhile(t *testing.T) {
	s, th := newThread(t, github.OnIssue, "/edit this\n")
	if err := th.Wait(context.Background(), status(th)); err != nil {
		t.Fatal(err)
	}
	s.comments[1].Body = crlf(strings.Replace(s.body(t, th), "/edit this", "Hello.\n\n/edit this\nPS: thanks", 1))
	edits := 0
	s.keep = func(body string) string {
		if edits++; edits == 1 { // they press the button of a form that they had opened before
			return "Hello.\n\n/edit this\nPS: many thanks"
		}
		return body
	}
	url, err := th.Tell(context.Background(), result(th, render.Done, "Done."), ActDone)
	if err != nil || url != s.comments[1].URL {
		t.Fatal(url, err)
	}
	if got := s.body(t, th); Strip(got, 102) != "Hello.\n\n/edit this\nPS: many thanks" || strings.Contains(got, "⏳") || strings.Count(got, "Done.") != 1 {
		t.Errorf("%q", got)
	}
	s.keep = func(string) string { return "No!" } // somebody who never stops
	s.calls = nil
	url, err = th.Tell(context.Background(), result(th, render.Done, "Once more."), ActDone)
	if err != nil || len(s.ours()) != 1 || url == s.comments[1].URL || len(s.calls) > 16 {
		t.Errorf("%q, %v after %d calls; ours %q", url, err, len(s.calls), s.ours())
	}
}

// An edit whose answer was lost is found on the second look, which is a real one; so is what a person wrote meanwhile.
func TestLostEdit(t *testing.T) {
	for _, f := range []fault{lost, dropped} {
		body := "/ask why"
		s, th := newThread(t, github.OnIssue, body)
		th.Now = &body
		s.fault = func(n int, _ string) fault {
			if n == 1 {
				return f
			}
			return none
		}
		s.before = func(n int, _ string) {
			if n == 2 {
				s.comments[1].Body += "\n\nThanks!"
			}
		}
		if err := th.Wait(context.Background(), status(th)); err != nil {
			t.Fatal(err)
		}
		if got := s.body(t, th); strings.Count(got, "⏳") != 1 || Strip(got, 102) != "/ask why\n\nThanks!" && f == dropped || !strings.Contains(got, "Thanks!") {
			t.Errorf("%q after %q", got, s.calls)
		}
	}
}

// Answers in place stay while others are waited for: a run that is killed then takes nothing away.
func TestAnswersStayMeanwhile(t *testing.T) {
	for _, surface := range []github.Surface{github.OnIssue, github.OnReview} {
		s, th := newThread(t, surface, "/ask why\n\n/ask how")
		run(t, th, render.Done, "Because.", ActNone)
		told := s.comments[1].Body
		if err := th.Wait(context.Background(), status(th)); err != nil {
			t.Fatal(err)
		}
		if got := s.comments[1].Body; strings.Count(got, "Because.") != 2 || !strings.Contains(got, "⏳") {
			t.Errorf("%q", got)
		}
		if got, err := th.Look(context.Background()); err != nil || got.Stage != Told || !got.Left {
			t.Errorf("%+v, %v", got, err)
		}
		if _, err := th.Settle(context.Background(), nil); err != nil || s.comments[1].Body != told {
			t.Errorf("%v: %q, not %q", err, s.comments[1].Body, told)
		}
		run(t, th, render.Failed, "", ActNone)
		if got := s.comments[1].Body; strings.Contains(got, "Because.") || strings.Contains(got, "⏳") {
			t.Errorf("%q", got)
		}
	}
}

// A server that keeps another text than it was sent is told a few times, and what stands there is believed.
func TestServerKeepsAnotherText(t *testing.T) {
	s, th := newThread(t, github.OnIssue, "/edit this")
	s.keep = func(body string) string { return strings.ReplaceAll(body, "Done", "D0ne") }
	url, err := th.Tell(context.Background(), result(th, render.Done, "Done."), ActDone)
	if err != nil || url != th.Event.Comment.URL || len(s.ours()) > 0 || len(s.calls) != 8 {
		t.Errorf("%q, %v after %q; ours %q", url, err, s.calls, s.ours())
	}
}
