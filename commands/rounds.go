package commands

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/d3mlabs/ai-flow/commands/git"
	"github.com/d3mlabs/ai-flow/denials"
	"github.com/d3mlabs/ai-flow/executor"
)

// mend lets the agent mend what the gates found, in the same tree. It returns the tree to go on with, and whether there is
// something new to judge. A round that goes wrong takes nothing away: what stood before it is kept. Not ok means that the
// outcome is decided.
func (r *run) mend(ctx context.Context, taken git.Taken, round int) (next git.Taken, more, ok bool) {
	r.say("round %d: what failed goes back to the agent", round)
	r.nonce = newNonce() // the tree may know the one before, and what a gate prints comes from the tree
	report, err := r.Agent.Launch(ctx, r.task(round))
	r.addPass(report)
	r.noteSurvivors()
	if err != nil && ctx.Err() != nil {
		r.failLaunch(ctx, err)
		return taken, false, false
	}
	if err != nil {
		r.note(fmt.Sprintf("Round %d of the agent did not come to its end: %s. What stood before it is taken.", round, roundFailure(err)))
		r.say("round %d: %v", round, err)
		return taken, false, true
	}
	answers := readAnswers(report.Text, r.nonce, len(r.Comment.Segments), r.Feedback)
	r.answers.revise(answers)
	if said := strings.TrimSpace(strings.Join(answers.texts, "\n\n")); said != "" {
		last := &r.segments[len(r.segments)-1]
		if !strings.HasSuffix(last.Text, said) { // some agents say the whole again
			last.Text = strings.TrimSpace(last.Text + "\n\n" + said)
		}
	}
	if !r.quiet(ctx) {
		return taken, false, false
	}
	before, others := *r, r.others()
	next, ok = r.takeBack(ctx)
	switch {
	case !ok && ctx.Err() != nil:
		return taken, false, false
	case !ok:
		r.note(fmt.Sprintf("What round %d of the agent left may not be taken%s. What stood before it is taken.", round, of(r.refused)))
		r.status, r.headline, r.next, r.failure = before.status, before.headline, before.next, before.failure
		r.refused, r.left = before.refused, before.left
		return taken, false, true
	case next.Whole == taken.Whole && slices.Equal(others, r.others()):
		r.note(fmt.Sprintf("The agent changed nothing in round %d, so there was no further one.", round))
		return taken, false, true
	}
	return next, next.Whole != next.Base, true
}

// others are the trees that were last taken of all works but the first, which is handed from round to round.
func (r *run) others() (trees []git.OID) {
	for _, w := range r.works[1:] {
		trees = append(trees, w.taken.Whole)
	}
	return trees
}

// of names the first of the paths that were refused.
func of(refused []git.Refused) string {
	if len(refused) == 0 {
		return ""
	}
	return fmt.Sprintf(" (%s: %s)", inCode(refused[0].Path), refused[0].Reason)
}

func roundFailure(err error) string {
	var f *executor.Failure
	if errors.As(err, &f) {
		return strings.TrimRight(f.Message, ".")
	}
	return "the agent could not be run"
}

// addPass adds a further pass to what the run did. Of what can be only one thing, the last pass's counts.
func (r *run) addPass(p executor.Report) {
	sum := &r.report
	sum.Wants = joinWants(sum.Wants, p.Wants)
	sum.MoreWants += p.MoreWants
	sum.Steps, sum.MoreSteps = append(slices.Clip(sum.Steps), p.Steps...), sum.MoreSteps+p.MoreSteps
	sum.Receipts = append(slices.Clip(sum.Receipts), p.Receipts...)
	sum.Approved += p.Approved
	sum.Access = addAccess(sum.Access, p.Access)
	sum.Refusals = append(slices.Clip(sum.Refusals), p.Refusals...)
	addUsage(sum, p)
	for _, phase := range p.Phases {
		sum.Phases = addPhase(sum.Phases, phase)
	}
	sum.Unasked, sum.Continued = sum.Unasked+p.Unasked, sum.Continued+p.Continued
	sum.Swept, sum.Survivors, sum.StopReason, sum.Mode = p.Swept, p.Survivors, p.StopReason, p.Mode
	sum.ModelsBefore = addModels(*sum, p)
	if p.ModelEffective != "" {
		sum.ModelEffective = p.ModelEffective
	}
}

// addAccess: what was not recorded in one pass, or not proven, is so of the whole; the rest is as in the last pass.
func addAccess(sum, p executor.Access) executor.Access {
	p.Unrecorded = p.Unrecorded || sum.Unrecorded
	p.Asking = max(p.Asking, sum.Asking)
	return p
}

// addModels are the models of both passes other than the one that the last ended with.
func addModels(sum, p executor.Report) (all []string) {
	last := either(p.ModelEffective, sum.ModelEffective)
	for _, id := range slices.Concat(sum.ModelsBefore, []string{sum.ModelEffective}, p.ModelsBefore) {
		if id != "" && id != last && !slices.Contains(all, id) {
			all = append(all, id)
		}
	}
	return all
}

// addPhase adds up the phases of one name.
func addPhase(phases []executor.Phase, p executor.Phase) []executor.Phase {
	phases = slices.Clone(phases)
	if i := slices.IndexFunc(phases, func(known executor.Phase) bool { return known.Name == p.Name }); i >= 0 {
		phases[i].Took += p.Took
		return phases
	}
	return append(phases, p)
}

// joinWants joins the wants of one pass, or of one gate, to those before it: one for each subject, told by the most telling
// channel. What a gate met stays apart from what the agent met, and from other gates (A0-17).
func joinWants(all, more []denials.Want) []denials.Want {
	all = slices.Clone(all)
	for _, w := range more {
		i := slices.IndexFunc(all, func(known denials.Want) bool {
			gated := known.Channel == denials.Gated || w.Channel == denials.Gated
			return known.Subject == w.Subject && (!gated || known.Channel == w.Channel && known.Source == w.Source)
		})
		if i < 0 {
			all = append(all, w)
			continue
		}
		old := &all[i]
		w.Refused, w.Observed = w.Refused+old.Refused, w.Observed+old.Observed
		if w.Channel <= old.Channel { // the reason is that of the channel
			w.Channel, w.Why, w.Kind = old.Channel, old.Why, old.Kind
		}
		w.Count = max(1, w.Refused+w.Observed)
		*old = w
	}
	return all
}

// failing is a gate that goes back to the agent.
type failing struct{ name, ended, output string }

func (r *run) failing() (list []failing) {
	for _, g := range r.gates {
		if !g.passed() {
			list = append(list, failing{g.Name, g.Ended, g.Output})
		}
	}
	return list
}
