package commands

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/d3mlabs/ai-flow/render"
)

// fault is what becomes of one write.
type fault uint8

const (
	well         fault = iota
	moved              // somebody writes elsewhere first
	contested          // somebody writes at the same place first
	lost               // an error, and nothing is written
	answerLost         // an error, and it is written
	lostThenMore       // an error, it is written, and somebody writes elsewhere
	lostThenOver       // an error, it is written, and somebody writes over it
	movedAndDone       // said to have moved, and yet written
	fullFaults
)

// faultyPlace is a document whose writes go wrong one after the other, and well once the faults are used up.
type faultyPlace struct {
	body   string
	faults []fault
	told   []render.Result // announcements
	was    []string        // of each announcement and write, which must agree
	now    []string
	writes int
	others int
	after  func(fault) // of each write, before it is answered; may be nil
	silent error       // of Announce
	blind  bool        // no read works after the first write
}

func (p *faultyPlace) Document(ctx context.Context) (Document, error) {
	if p.blind && p.writes > 0 {
		return Document{}, errors.New("no answer")
	}
	return Document{Name: "the description", Body: p.body}, ctx.Err()
}

func (p *faultyPlace) Discussion(context.Context) ([]Said, error) { return nil, nil }

func (p *faultyPlace) Announce(_ context.Context, result render.Result, was, now string) error {
	p.told, p.was, p.now = append(p.told, result), append(p.was, was), append(p.now, now)
	return p.silent
}

func (p *faultyPlace) Replace(_ context.Context, was, now string) error {
	p.writes++
	if n := len(p.told); n != p.writes || p.was[n-1] != was || p.now[n-1] != now {
		return fmt.Errorf("write %d of %q was not announced: %q", p.writes, now, p.now)
	}
	f := well
	if len(p.faults) > 0 {
		f, p.faults = p.faults[0], p.faults[1:]
	}
	if p.after != nil {
		defer p.after(f)
	}
	more := func() { p.others++; p.body += fmt.Sprintf("\nmore %d\n", p.others) }
	failed := errors.New("no answer: https://secret.example")
	switch f {
	case moved:
		more()
		return ErrMoved
	case contested:
		p.body = strings.Replace(p.body, "one\n", "uno\n", 1)
		return ErrMoved
	case lost:
		return failed
	case answerLost:
		p.body = now
		return failed
	case lostThenMore:
		p.body = now
		more()
		return failed
	case lostThenOver:
		p.body = strings.Replace(now, "ONE", "eins", 1)
		return failed
	case movedAndDone:
		p.body = now
		return ErrMoved
	}
	if p.body != was {
		return ErrMoved
	}
	p.body = now
	return nil
}

const beforeLanding, afterLanding = "one\n\ntwo\n", "ONE\n\ntwo\n"

// landIn brings an edit home to a place, without an agent.
func landIn(ctx context.Context, p *faultyPlace) (*run, Outcome) {
	p.body = beforeLanding
	r := &run{Flow: &Flow{Place: p, Policy: DefaultPolicy()}, command: Edit, launched: true, found: make([]finding, 1),
		Request: Request{Comment: Comment{Segments: []Segment{{Command: Edit, Instruction: "x"}}}}, answers: answers{texts: []string{"did it"}}}
	r.document, r.snapshot = Document{Name: "the description"}, normalise(p.body)
	r.land(ctx, afterLanding)
	return r, r.outcome()
}

// F-56, F-60, S9: whatever goes wrong with up to four writes, the outcome says what is true of the document, and each write
// was announced in the words that are told in the end.
func TestLandingTellsTheTruth(t *testing.T) {
	var sequences [][]fault
	var extend func(s []fault)
	extend = func(s []fault) {
		sequences = append(sequences, s)
		if len(s) < tries && (len(s) == 0 || s[len(s)-1] != well) {
			for f := well; f < fullFaults; f++ {
				extend(append(s[:len(s):len(s)], f))
			}
		}
	}
	extend(nil)
	ends := map[string]int{}
	for _, faults := range sequences {
		p := &faultyPlace{faults: faults}
		r, out := landIn(t.Context(), p)
		if len(faults) < 3 { // the longer ones end in the same sentences
			checkOutcome(t, out)
		}
		there := strings.Contains(p.body, "ONE")
		unsure := r.failure != nil && r.failure.unsure
		switch {
		case unsure:
			ends["unsure"]++
			if strings.Contains(out.Result.Headline, "unchanged") || strings.Contains(out.Result.Headline, "nothing was written") || !strings.Contains(out.Result.Segments[0].Note, "may") {
				t.Errorf("%v: sure of what nobody knows: %+v", faults, out.Result)
			}
		case out.Result.Outcome == render.Done:
			ends["done"]++
			if !there || out.Result.Diffs == nil || !out.Result.Segments[0].OK || strings.Contains(out.Result.Headline, "same way") {
				t.Errorf("%v: said to be done: %+v, body %q", faults, out.Result, p.body)
			}
			p.told[len(p.told)-1].Run.Duration, out.Result.Run.Duration = 0, 0
			if ahead := p.told[len(p.told)-1]; !reflect.DeepEqual(ahead, out.Result) {
				t.Errorf("%v: announced\n%+v\ntold\n%+v", faults, ahead, out.Result)
			}
		default:
			ends["not done"]++
			if there || out.Result.Outcome != render.Failed || out.Result.Diffs == nil || out.Result.Segments[0].Note != "changed nothing." {
				t.Errorf("%v: said not to be done: %+v, body %q", faults, out.Result, p.body)
			}
		}
		for n := 1; n <= p.others; n++ {
			if !strings.Contains(p.body, fmt.Sprintf("more %d\n", n)) {
				t.Errorf("%v: somebody else's change is lost: %q", faults, p.body)
			}
		}
		if p.writes > tries || strings.Contains(fmt.Sprint(out.Result), "secret") {
			t.Errorf("%v: %d writes; %+v", faults, p.writes, out.Result)
		}
	}
	if len(ends) != 3 || ends["done"] < 100 || ends["unsure"] < 100 || ends["not done"] < 100 {
		t.Errorf("%d sequences end as %v: they say little", len(sequences), ends)
	}
}

// A write that surely did not happen is made once more, and no more often: whoever writes has patience of its own.
func TestLandingIsTriedTwice(t *testing.T) {
	for _, tt := range []struct {
		faults []fault
		want   render.Outcome
	}{{[]fault{lost}, render.Done}, {[]fault{lost, lost}, render.Failed}, {[]fault{moved, lost, moved}, render.Done}} {
		p := &faultyPlace{faults: tt.faults}
		_, out := landIn(t.Context(), p)
		if writes := min(len(tt.faults)+1, 2+strings.Count(fmt.Sprint(tt.faults), "1")); out.Result.Outcome != tt.want || p.writes != writes {
			t.Errorf("%v: %v after %d writes, want %v after %d", tt.faults, out.Result.Outcome, p.writes, tt.want, writes)
		}
	}
}

func TestLandingIsAnnouncedFirst(t *testing.T) {
	p := &faultyPlace{silent: errors.New("the comment is gone")}
	_, out := landIn(t.Context(), p)
	checkOutcome(t, out)
	if out.Report.Failure.Class != "github" || p.writes != 0 || p.body != beforeLanding || out.Result.Diffs == nil || out.Result.Headline != "changed nothing: the result could not be announced on the thread." {
		t.Errorf("%+v, %d writes", out.Result, p.writes)
	}
}

// A document that was changed in the same way meanwhile is written by nobody.
func TestNothingIsWrittenForNothing(t *testing.T) {
	p := &faultyPlace{}
	r, _ := landIn(t.Context(), p) // p holds the edit now
	p.told, p.writes = nil, 0
	r.status, r.segments = 0, nil
	r.land(t.Context(), afterLanding)
	if out := r.outcome(); out.Result.Outcome != render.Done || p.writes != 0 || len(p.told) != 0 || out.Result.Diffs != nil || !strings.Contains(out.Result.Headline, "same way") {
		t.Errorf("%+v, %d writes, %d announcements", out.Result, p.writes, len(p.told))
	}
}

func TestLandingThatCannotBeSeen(t *testing.T) {
	r, out := landIn(t.Context(), &faultyPlace{faults: []fault{answerLost}, blind: true})
	checkOutcome(t, out)
	if out.Result.Outcome != render.Failed || !r.failure.unsure || !strings.Contains(out.Result.Headline, "not known whether") {
		t.Errorf("%+v", out.Result)
	}
}

// F-56: a run that is cancelled in the middle of its write finds out all the same.
func TestLandingOfACancelledRun(t *testing.T) {
	for f, want := range map[fault]render.Outcome{answerLost: render.Done, lost: render.Cancelled, lostThenOver: render.Cancelled, moved: render.Cancelled} {
		ctx, cancel := context.WithCancel(t.Context())
		p := &faultyPlace{faults: []fault{f}, after: func(fault) { cancel() }}
		_, out := landIn(ctx, p)
		checkOutcome(t, out)
		if out.Result.Outcome != want || p.writes != 1 {
			t.Errorf("fault %d: %v %q after %d writes, want %v", f, out.Result.Outcome, out.Result.Headline, p.writes, want)
		}
		if f == lostThenOver && !strings.Contains(out.Result.Headline, "not known whether") {
			t.Errorf("sure of what nobody knows: %q", out.Result.Headline)
		}
	}
}

// S5: what is announced is free of secrets like what is told in the end, and the run goes on with what it was.
func TestAnnouncementsHoldNoSecret(t *testing.T) {
	s := newStage(t, "")
	s.knows(canary)
	p := &faultyPlace{body: "Token: " + canary + "\n\nThe flag is new.\n"}
	s.flow.Place = p
	s.agent.say = []string{"I left **" + canary + "** alone."}
	s.agent.act = func(s scene) { s.revise("new", "old") }
	out := s.run(t.Context(), "/edit say old")
	if out.Result.Outcome != render.Done || len(p.told) != 1 || p.body != "Token: "+canary+"\n\nThe flag is old.\n" {
		t.Fatalf("%+v, body %q", out.Result, p.body)
	}
	for _, result := range []render.Result{p.told[0], out.Result} {
		if text := render.Comment(result); strings.Contains(text, canary[:16]) || !strings.Contains(text, "alone") {
			t.Errorf("told: %s", text)
		}
	}
}
