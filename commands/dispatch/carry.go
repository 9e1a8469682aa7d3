package dispatch

import (
	"context"
	"errors"
	"slices"

	"github.com/d3mlabs/ai-flow/commands"
	"github.com/d3mlabs/ai-flow/commands/thread"
	"github.com/d3mlabs/ai-flow/render"
)

// carryOut lets the flow do the work.
func (r *running) carryOut(ctx context.Context, status render.Status) commands.Outcome {
	r.place = &place{running: r, status: status, name: documentName(r.Event)}
	setting := Setting{Policy: r.policy, Commit: r.q.Commit, Branch: r.branch(), Base: r.q.Base, Place: r.place}
	if r.plan != nil {
		setting.Targets = r.plan.targets
	}
	flow, end, err := r.Prepare(ctx, setting)
	if end != nil {
		defer func() {
			if err := end(); err != nil {
				r.say("cleaning up: %v", err)
			}
		}()
	}
	if err != nil {
		return commands.Fail(ctx, r.q, trouble(err))
	}
	if r.plan == nil {
		return flow.Run(ctx, r.q)
	}
	r.landing = &landing{running: r, status: status, state: map[string]landed{}}
	flow.Landing, flow.Bot = r.landing, r.bot()
	return r.replied(ctx, flow.Run(ctx, r.q))
}

// replied answers the review threads that a build took up, and adds what is to be said beside its outcome.
func (r *running) replied(ctx context.Context, o commands.Outcome) commands.Outcome {
	r.landing.count(o)
	notes := slices.Clone(r.landing.notes)
	switch o.Result.Outcome {
	case render.Done, render.Restricted, render.Nothing:
		if err := r.answerThreads(ctx, o.Dispositions, o.Result.Landings); err != nil && len(o.Dispositions) > 0 {
			r.say("not every review thread could be answered: %v", err)
			notes = append(notes, "Not every review thread that was taken up could be answered.")
		}
	}
	// The report's list is never nil, which slices.Concat of empty ones would be.
	o.Result.Notes, o.Report.Notes = append(slices.Clip(o.Result.Notes), notes...), append(slices.Clip(o.Report.Notes), notes...)
	return o
}

// count takes note of what the flow has found to be pushed, also where a push was answered otherwise.
func (l *landing) count(o commands.Outcome) {
	for _, c := range o.Report.Commits {
		if l.state[c.Repository] = landedBranch; c.PullRequest != "" {
			l.state[c.Repository] = landedWhole
		}
	}
}

func trouble(err error) commands.Problem {
	var t *Trouble
	if errors.As(err, &t) {
		return t.Problem
	}
	return problem("setup", "the run could not be prepared", err)
}

// actOf is what is known of the run's act. A flow that ended well has looked: what it announced stands in the document, also
// where somebody has built on it since.
func (r *running) actOf(o commands.Outcome) thread.Act {
	if r.landing != nil {
		return r.landing.act()
	}
	act := r.place.act()
	if well := o.Result.Outcome == render.Done || o.Result.Outcome == render.Restricted; well && act == thread.ActUnsure {
		return thread.ActDone
	}
	return act
}
