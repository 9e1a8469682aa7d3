package dispatch

import (
	"context"

	"github.com/d3mlabs/ai-flow/commands/thread"
	"github.com/d3mlabs/ai-flow/render"
)

// Ending is how the job that ran the command ended, as the workflow knows it (needs.dispatch.result).
type Ending uint8

// The endings.
const (
	EndedUnknown Ending = iota
	EndedSuccess
	EndedFailure
	EndedCancelled
	EndedSkipped
)

// Finalize leaves nobody without a word, whatever became of the job that ran the command: a status line that nobody will
// replace any more becomes a result, and a command that never began (GitHub dropped it from the queue for a newer one, no
// runner came) is told so (F-46, F-57). Who may not command is told nothing. did says what was done, for the run's page.
func (j *Job) Finalize(ctx context.Context, e Ending) (did string, err error) {
	if !j.hasCommand() || e == EndedSkipped {
		return "nothing was to be done", nil
	}
	r := &running{Job: j, people: newPeople(j.GitHub), q: j.request()}
	if d := Prefilter(j.Event, j.Bot); d.Verdict != Admit {
		return "nothing is said: " + d.Reason, nil
	}
	if err := j.askAuthor(ctx, r.people, &r.known); err != nil {
		return "nothing is said, because it could not be found out who may command", err
	}
	if d := mayCommand(j.Event, r.known); d.Verdict != Admit {
		return "nothing is said: " + d.Reason, nil
	}
	if r.known.Facts, err = j.GitHub.Look(ctx, j.Event); err != nil {
		return "GitHub did not say what stands on the thread", err
	}
	r.thread = j.thread(r.known.Facts)
	if c := r.known.Facts.Comment; c != nil {
		r.thread.Now = &c.Body
	}
	standing, err := r.thread.Look(ctx)
	if err != nil {
		return "GitHub did not say what stands on the thread", err
	}
	return r.finish(ctx, standing, e)
}

// finish decides by what stands on the thread.
func (r *running) finish(ctx context.Context, s thread.Standing, e Ending) (did string, err error) {
	lost := render.LostRun
	switch {
	case s.Gone:
		return "the command was deleted, so nothing is said", nil
	case s.Stage == thread.Waiting && e == EndedCancelled:
		lost = render.LostCancelled
	case s.Stage == thread.Waiting:
	case s.Stage == thread.Ahead:
		switch thread.Digest(r.known.Facts.Document.Body) {
		case s.After:
			_, err := r.thread.Settle(ctx)
			return "the edit had landed; its result stands now", err
		case s.Before:
		default:
			lost = render.LostEdit
		}
	case s.Stage != thread.Silent && s.Left:
		_, err := r.thread.Settle(ctx)
		return "the result stands, without the status line that was left", err
	case s.Stage != thread.Silent:
		return "the result stands", nil
	case e == EndedSuccess:
		return "the job said nothing, and meant it", nil
	case e == EndedCancelled:
		lost = render.LostQueue
	default:
		lost = render.LostStart
	}
	_, err = r.thread.Tell(ctx, render.LostResult(lost, r.known.Command.String(), r.RunURL), false)
	return "the thread was told that the run ended without a word", err
}
