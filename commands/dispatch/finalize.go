package dispatch

import (
	"context"
	"fmt"

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
// runner came) is told so (F-46, F-57). Who may not command is told nothing. did says what was done, for the run's log; "" with
// an error.
func (j *Job) Finalize(ctx context.Context, e Ending) (did string, err error) {
	if !j.hasCommand() || e == EndedSkipped {
		return "nothing was to be done", nil
	}
	r := &running{Job: j, people: newPeople(j.GitHub), q: j.request()}
	if d := Prefilter(j.Event, j.Bot); d.Verdict != Admit {
		return "not authorized: " + d.Reason, nil
	}
	if err := j.askAuthor(ctx, r.people, &r.known); err != nil {
		return "", err
	}
	if d := mayCommand(j.Event, r.known); d.Verdict != Admit {
		return "not authorized: " + d.Reason, nil
	}
	if r.known.Facts, err = j.GitHub.Look(ctx, j.Event); err != nil {
		return "", fmt.Errorf("looking at what stands on the thread: %w", err)
	}
	r.thread = j.thread(r.known.Facts)
	if c := r.known.Facts.Comment; c != nil {
		r.thread.Now = &c.Body
	}
	standing, err := r.thread.Look(ctx)
	if err != nil {
		return "", fmt.Errorf("looking at what stands on the thread: %w", err)
	}
	return r.finish(ctx, standing, e)
}

// finish decides by what stands on the thread.
func (r *running) finish(ctx context.Context, s thread.Standing, e Ending) (did string, err error) {
	lost := render.LostRun
	switch {
	case s.Gone:
		return "nothing to tell: the command was deleted", nil
	case s.Stage == thread.Waiting && e == EndedCancelled:
		lost = render.LostCancelled
	case s.Stage == thread.Waiting:
	case s.Stage == thread.Ahead:
		switch thread.Digest(r.known.Facts.Document.Body) {
		case s.After:
			return r.settle(ctx, "the edit had landed; its result stands now")
		case s.Before:
		default:
			lost = render.LostEdit
		}
	case s.Stage != thread.Silent && s.Left:
		return r.settle(ctx, "the result stands, without the status line that was left")
	case s.Stage != thread.Silent:
		return "the result stands", nil
	case e == EndedSuccess:
		return "nothing to tell: the job succeeded", nil
	case e == EndedCancelled:
		lost = render.LostQueue
	default:
		lost = render.LostStart
	}
	result := render.LostResult(lost, r.known.Command.String(), r.RunURL)
	_, err = r.thread.Tell(ctx, result, thread.ActNone)
	if err != nil {
		return "", fmt.Errorf("telling the thread: %w", err)
	}
	return fmt.Sprintf("told the thread: %s %s", result.Command, result.Headline), nil
}

func (r *running) settle(ctx context.Context, did string) (string, error) {
	if _, err := r.thread.Settle(ctx); err != nil {
		return "", fmt.Errorf("telling the thread: %w", err)
	}
	return did, nil
}
