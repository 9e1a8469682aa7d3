package commands

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/d3mlabs/ai-flow/executor"
	"github.com/d3mlabs/ai-flow/render"
)

// TestEditsRead: what stands below each command reads as English, in every combination of what came of the whole, what came
// of the command, what a reader should know of it, and what to do next.
func TestEditsRead(t *testing.T) {
	const page = "[run page](https://github.com/acme/app/actions/runs/1)"
	const again = " Give the command again in a new comment."
	const proposed = " The proposed change is below."
	contradicts := []string{"CONFLICT: they differ", "fine"}
	for _, tt := range []struct {
		name     string
		comment  string
		answers  []string
		place    *faultyPlace
		twice    bool // the quote of the first stands in the document twice
		decide   func(ctx context.Context, r *run)
		segments []string // the first line of each
	}{
		{name: "landed", comment: "/edit x", answers: []string{"did it"}, decide: landed, segments: []string{"✅ **/edit** changed the description."}},
		{name: "landed without a word", comment: "/edit x", decide: landed, segments: []string{"✅ **/edit** changed the description. The agent said nothing about it."}},
		{name: "two landed without a word", comment: "/edit x\n/edit y", decide: landed, segments: []string{"✅ **/edit** changed the description. The agent said nothing about it.", "✅ **/edit** · The agent said nothing about it."}},
		{name: "an ambiguous quote", comment: "/edit x\n/ask y", twice: true, answers: []string{"did", "Because."}, decide: landed,
			segments: []string{"✅ **/edit** changed the description. The quote is ambiguous, found in the document at 2 places: line 1, line 3.", "✅ **/ask**"}},
		{name: "one contradicts, the other landed", comment: "/edit x\n/edit y", answers: contradicts, decide: landed,
			segments: []string{"⚠️ **/edit** was left out. The agent says that this edit contradicts another one.", "✅ **/edit** changed the description."}},
		{name: "all contradict, nothing changed", comment: "/edit x\n/edit y", answers: []string{"CONFLICT: a", "CONFLICT: b"}, decide: unchanged,
			segments: []string{"ℹ️ **/edit** changed nothing. The agent says that this edit contradicts another one.", "ℹ️ **/edit** changed nothing. The agent says that this edit contradicts another one."}},
		{name: "nothing changed, and no answer", comment: "/edit x\n/ask y", answers: []string{"It is so already."}, decide: unchanged, segments: []string{"ℹ️ **/edit** changed nothing.", "ℹ️ **/ask** got no answer."}},
		{name: "the same change meanwhile", comment: "/edit x", answers: []string{"did it"}, decide: func(ctx context.Context, r *run) {
			r.complete(write{was: afterLanding, now: afterLanding})
		}, segments: []string{"✅ **/edit** changed nothing: the description had been changed in the same way meanwhile."}},
		{name: "both changes", comment: "/edit x", answers: []string{"did it"}, decide: func(ctx context.Context, r *run) {
			r.complete(write{was: beforeLanding, now: afterLanding, merged: true})
		}, segments: []string{"✅ **/edit** changed the description, which had been changed meanwhile; both changes are in it."}},
		{name: "the same lines", comment: "/ask y\n/edit x\n/edit z", answers: []string{"Because.", "did it", ""}, place: &faultyPlace{faults: []fault{contested}}, decide: landed,
			segments: []string{"✅ **/ask**", "⚠️ **/edit** changed nothing: someone changed the same lines of the description meanwhile." + proposed + " To try again on the text as it is now, give the command in a new comment.", "⚠️ **/edit** changed nothing."}},
		{name: "it never stood still", comment: "/edit x", place: &faultyPlace{faults: []fault{moved, moved, moved, moved}}, decide: landed,
			segments: []string{"⚠️ **/edit** changed nothing: the description changed 4 times while it was being written." + proposed + again}},
		{name: "it could not be written", comment: "/edit x", answers: []string{"did it"}, place: &faultyPlace{faults: []fault{lost, lost}}, decide: landed,
			segments: []string{"⚠️ **/edit** changed nothing: the description could not be written." + proposed + again}},
		{name: "nobody knows", comment: "/edit x\n/edit y", place: &faultyPlace{faults: []fault{lostThenOver}}, decide: landed,
			segments: []string{"⚠️ **/edit** stopped: writing failed, and someone changed the same lines of the description meanwhile, so it is not known whether the change is there." + proposed +
				" Look at the description before you give the command again in a new comment.", "⚠️ **/edit** may have changed the description."}},
		{name: "nobody can look", comment: "/edit x", place: &faultyPlace{faults: []fault{answerLost}, blind: true}, decide: landed,
			segments: []string{"⚠️ **/edit** stopped: writing failed, and the description could not be read again, so it is not known whether the change is there." + proposed + " Look at the description before you give the command again in a new comment."}},
		{name: "not announced", comment: "/edit x", place: &faultyPlace{silent: errors.New("502")}, decide: landed,
			segments: []string{"⚠️ **/edit** changed nothing: the result could not be announced on the thread." + proposed + again}},
		{name: "taken back", comment: "/edit x", place: &faultyPlace{silent: ErrTakenBack}, decide: landed,
			segments: []string{"⚠️ **/edit** changed nothing: the comment with the command was deleted." + proposed}},
		{name: "cancelled", comment: "/edit x\n/ask y", answers: []string{"I was", "I am"}, decide: func(_ context.Context, r *run) {
			r.partial()
			r.failLaunch(over(), &executor.Failure{Class: executor.FailedCancelled})
		}, segments: []string{"⚠️ **/edit** was cancelled before it was done. What the agent said so far is on the " + page + "." + again, "⚠️ **/ask** was not answered in full."}},
		{name: "died without a word", comment: "/edit x\n/ask y", decide: func(ctx context.Context, r *run) {
			r.failLaunch(ctx, &executor.Failure{Class: executor.FailedDied, Message: "the agent ended before it had answered."})
			r.partial()
		}, segments: []string{"⚠️ **/edit** stopped: the agent ended before it had answered. The description is unchanged. See the " + page + "." + again, "⚠️ **/ask** got no answer."}},
		{name: "died in the middle of one", comment: "/edit x", answers: []string{"I was"}, decide: func(ctx context.Context, r *run) {
			r.failLaunch(ctx, &executor.Failure{Class: executor.FailedDied, Message: "the agent ended before it had answered.", Fix: "Look at its login.", Tail: "no route to host"})
			r.partial()
		}, segments: []string{"⚠️ **/edit** stopped: the agent ended before it had answered. The description is unchanged. What the agent said so far, and the end of its standard error, are on the " + page + ". Look at its login."}},
		{name: "unusable", comment: "/edit x\n/ask y", answers: []string{"did it", "Because."}, decide: func(ctx context.Context, r *run) {
			r.fail(ctx, r.unusable("it is empty", nil))
			r.reportSegments(false)
		}, segments: []string{"⚠️ **/edit** changed nothing: what the agent left of the description cannot be used (it is empty). What the agent said so far is on the " + page + ". Give the command again in a new comment, and say more plainly what is to stay.", "✅ **/ask**"}},
		{name: "rejected", comment: "/ask y\n/edit x", answers: []string{"Because.", ""}, decide: func(_ context.Context, r *run) { r.reject("a known secret") },
			segments: []string{"✅ **/ask**", "ℹ️ **/edit** changed nothing: the edit would bring a known secret into the description. Give the command again in a new comment, and say that it is to be left out."}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := wordsRun(t, tt.comment, tt.answers, tt.place)
			if tt.twice {
				r.found[0] = locate("one\n\none\n", "one")
			}
			tt.decide(t.Context(), r)
			out := r.outcome()
			checkOutcome(t, out)
			var got []string
			for _, s := range render.InPlace(out.Result, 60_000).Segments {
				line, _, _ := strings.Cut(s, "\n")
				got = append(got, line)
			}
			if !slices.Equal(got, tt.segments) {
				t.Errorf("it reads\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(tt.segments, "\n"))
			}
			if shown := render.Comment(out.Result); strings.Contains(shown, "is below") != strings.Contains(shown, "<summary>Source diff</summary>") && out.Result.Outcome != render.Done {
				t.Errorf("what is said to be below is not, or the other way round: %s", shown)
			}
			if out.Err != nil && strings.Contains(out.Err.Error(), "below") || strings.Contains(out.Report.Message, "below") {
				t.Errorf("nothing is below a line of the log: %v, %q", out.Err, out.Report.Message)
			}
		})
	}
}

// Point 14: in a terminal there are no comments.
func TestEditsReadInATerminal(t *testing.T) {
	r := wordsRun(t, "/edit x", nil, &faultyPlace{faults: []fault{contested}})
	r.Surface, r.RunURL = Local, ""
	landed(t.Context(), r)
	if out := r.outcome(); out.Result.NextStep != "Give the command again to work on the text as it is now." {
		t.Errorf("%q", out.Result.NextStep)
	}
	r = wordsRun(t, "/ask x", nil, nil)
	r.Surface, r.RunURL = Local, ""
	r.failLaunch(t.Context(), &executor.Failure{Class: executor.FailedDied, Message: "it died"})
	if out := r.outcome(); out.Result.NextStep != "The run's log has more." {
		t.Errorf("%q", out.Result.NextStep)
	}
}

// Point 5b: the end of an agent's standard error is on the run's page, redacted and bounded, and in no comment.
func TestTailOfAFailedAgent(t *testing.T) {
	r := wordsRun(t, "/ask x", nil, nil)
	r.Secrets = new(render.Secrets)
	r.Secrets.Add(canary)
	r.failLaunch(t.Context(), &executor.Failure{Class: executor.FailedDied, Message: "it died", Tail: strings.Repeat("first\n", 40) + "token " + canary + "\n" + strings.Repeat("x", 100_000) + "\nno route to host\n"})
	out := r.outcome()
	summary, comment := render.Summary(out.Result), render.Comment(out.Result)
	if !strings.Contains(summary, "no route to host\n```") || strings.Contains(summary, canary[:16]) || strings.Count(summary, "first") != 17 || len(summary) > 10_000 {
		t.Errorf("the page has %d bytes: %.3000s", len(summary), summary)
	}
	if strings.Contains(comment, "route") || !strings.Contains(comment, "standard error is on the [run page]") {
		t.Errorf("the comment: %s", comment)
	}
}

// wordsRun is a run on an issue whose agent has answered.
func wordsRun(t *testing.T, comment string, texts []string, p *faultyPlace) *run {
	t.Helper()
	c, err := Parse(comment, "")
	if err != nil {
		t.Fatal(err)
	}
	if p == nil {
		p = &faultyPlace{}
	}
	p.body = beforeLanding
	n := len(c.Segments)
	r := &run{Flow: &Flow{Place: p, Policy: DefaultPolicy()}, command: Heaviest(c.Segments), launched: true, found: make([]finding, n),
		Request: Request{Comment: c, Surface: Issue, Number: 7, RunURL: "https://github.com/acme/app/actions/runs/1"}}
	r.answers.texts = append(slices.Clone(texts), make([]string, n-len(texts))...)
	r.document, r.snapshot = Document{Name: "the description"}, normalise(p.body)
	return r
}

func landed(ctx context.Context, r *run) { r.land(ctx, afterLanding) }

func unchanged(_ context.Context, r *run) { r.unchanged() }

func over() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}
