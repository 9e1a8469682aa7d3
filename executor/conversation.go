package executor

import (
	"context"
	"errors"
	"time"

	"github.com/d3mlabs/ai-flow/acpclient"
	"github.com/d3mlabs/ai-flow/denials"
)

// maxContinuations is how often a turn that our refusal ended is asked to go on without what was refused.
const maxContinuations = 2

// continuation is the prompt of such a turn. The protocol has no field in which a rejection could give its reason.
const continuation = "Your last request was refused by this run's permission policy. That is intended and final: do not repeat it " +
	"and do not work around it. Go on with what you can do without it, finish your answer, and end it with a WANTED line " +
	"for what was refused, as the section PERMISSION BOUNDARIES asks."

// prompt runs the turn and its continuations, watched for silence.
func (l *launch) prompt(ctx context.Context, s acpclient.Session) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	go l.watch(ctx, stop)

	text := l.task.Prompt + "\n\n" + denials.Contract()
	for {
		l.logPrompt(text)
		answer, err := l.ask(ctx, s.ID, text)
		l.report.StopReason = answer.StopReason
		l.turn.used(answer.Usage)
		switch {
		case err != nil && (errors.Is(context.Cause(ctx), errSilent) || errors.Is(context.Cause(ctx), errProbing)):
			return context.Cause(ctx)
		case err != nil:
			return err
		case l.turn.endedByRefusal(answer.StopReason) && l.report.Continued < maxContinuations:
			l.report.Continued++
			l.agent.Log.Say("the turn ended with our refusal; asking the agent to go on without it (%d of %d)", l.report.Continued, maxContinuations)
			text = continuation
		case answer.StopReason == "end_turn":
			return nil
		default:
			return failf(FailedTurn, "turn", nil, "%s ended its turn with %q instead of end_turn", l.agent.Profile.Title, bounded(answer.StopReason))
		}
	}
}

// ask runs one prompt. When ctx ends first the agent is told to cancel and gets a moment to answer, so that what it
// still says arrives; the error is ctx's all the same.
func (l *launch) ask(ctx context.Context, session, text string) (acpclient.Turn, error) {
	l.turn.listen(true)
	defer l.turn.listen(false)
	type result struct {
		turn acpclient.Turn
		err  error
	}
	answered := make(chan result, 1)
	patient, giveUp := context.WithCancel(context.WithoutCancel(ctx))
	defer giveUp()
	go func() {
		turn, err := l.conn.Prompt(patient, session, text)
		answered <- result{turn, err}
	}()
	select {
	case r := <-answered:
		return r.turn, r.err
	case <-ctx.Done():
	}
	_ = l.conn.Cancel(session) // a peer that cannot be told is ended by the ladder
	select {
	case r := <-answered:
		return r.turn, context.Cause(ctx)
	case <-time.After(cancelGrace):
		return acpclient.Turn{}, context.Cause(ctx)
	}
}

// cancelGrace is how long an agent may take to answer session/cancel. All agents observed need less than a second.
const cancelGrace = 2 * time.Second

// watch ends the turn when nothing has come for Limits.Silence, or nothing but what is refused.
func (l *launch) watch(ctx context.Context, stop context.CancelCauseFunc) {
	for {
		quiet := l.turn.quiet()
		if quiet >= l.limits.Silence {
			stop(errSilent)
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-l.turn.enough:
			stop(errProbing)
			return
		case <-time.After(l.limits.Silence - quiet):
		}
	}
}

func (l *launch) logPrompt(text string) {
	end := l.agent.Log.Group("prompt of " + l.task.Label)
	l.agent.Log.Foreign("| ", text)
	end()
}
