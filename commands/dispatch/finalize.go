package dispatch

import (
	"context"
	"errors"
	"fmt"

	"github.com/d3mlabs/ai-flow/commands"
	"github.com/d3mlabs/ai-flow/commands/github"
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
	if did, done, err := r.finishLostBuild(ctx, standing); done || err != nil {
		return did, err
	}
	return r.finish(ctx, standing, e)
}

// finishLostBuild ends what a build had pushed when its job ended.
func (r *running) finishLostBuild(ctx context.Context, s thread.Standing) (did string, done bool, err error) {
	if !r.plans(s, s.Stage == thread.Silent && !s.Gone) {
		return "", false, nil
	}
	if err := r.planBuild(ctx, s); err != nil {
		var e *github.Error
		if s.Stage > thread.Waiting && errors.As(err, &e) && (e.Kind == github.Unreachable || e.Kind == github.Limited || e.Kind == github.Cancelled) {
			return "", false, err // what was announced may be there, and the next attempt may see it
		}
		r.say("where the build was to go could not be found out: %v", err)
		r.plan = nil // of what was announced nobody knows
		return "", false, nil
	}
	if len(r.plan.made()) == 0 {
		return "", false, nil
	}
	told := r.finishBuild(ctx, s)
	return "the build had been pushed; its result stands now", true, told.Err
}

// last is the last word on a command.
type last struct {
	say    string // for the run's log, when there is nothing to tell
	settle bool   // a result stands, and only a status line is to go
	lost   render.Lost
	act    thread.Act
}

// lastWord decides by what stands on the thread, what became of an act that was announced, and how the job ended. It is pure.
func lastWord(s thread.Standing, f fate, e Ending, c commands.Command) last {
	switch s.Stage {
	case thread.Silent:
		return neverBegan(e)
	case thread.Waiting:
		return endedWaiting(e, c)
	case thread.Ahead:
		switch f {
		case fateDone:
			return last{say: "the edit had landed; its result stands now", settle: true}
		case fateUndone:
			if e == EndedCancelled {
				return last{lost: render.LostCancelled}
			}
			return last{lost: render.LostRun}
		}
		if c == commands.Build {
			return last{lost: render.LostPush, act: thread.ActUnsure}
		}
		return last{lost: render.LostEdit, act: thread.ActUnsure}
	case thread.Unsure:
		if f == fateDone {
			return last{lost: render.LostReport, act: thread.ActDone}
		}
	}
	if s.Left {
		return last{say: "the result stands, without the status line that was left", settle: true}
	}
	return last{say: "the result stands"}
}

// neverBegan is about a command of which the thread knows nothing but, at most, that it was seen.
func neverBegan(e Ending) last {
	switch e {
	case EndedSuccess:
		return last{say: "nothing to tell: the job succeeded"}
	case EndedCancelled:
		return last{lost: render.LostQueue}
	}
	return last{lost: render.LostStart}
}

// endedWaiting is about a status line that nobody will replace any more. A job that succeeded has told its result, so somebody
// wrote over it; whether it acted is not to be seen any more, and a re-run must not find out by acting again.
func endedWaiting(e Ending, c commands.Command) last {
	switch {
	case e == EndedCancelled:
		return last{lost: render.LostCancelled}
	case e == EndedSuccess && c != commands.Ask:
		return last{lost: render.LostOverwritten, act: thread.ActUnsure}
	case e == EndedSuccess:
		return last{lost: render.LostOverwritten}
	}
	return last{lost: render.LostRun}
}

// finish says the last word.
func (r *running) finish(ctx context.Context, s thread.Standing, e Ending) (did string, err error) {
	if s.Gone {
		return "nothing to tell: the command was deleted", nil
	}
	w := lastWord(s, r.fate(s), e, r.known.Command)
	switch {
	case w.settle:
		return r.settle(ctx, w.say)
	case w.lost == 0:
		return w.say, nil
	}
	result := r.lost(w.lost)
	if _, err = r.thread.Tell(ctx, result, w.act); err != nil {
		return "", fmt.Errorf("telling the thread: %w", err)
	}
	return fmt.Sprintf("told the thread: %s %s", result.Command, result.Headline), nil
}

func (r *running) settle(ctx context.Context, did string) (string, error) {
	if _, err := r.thread.Settle(ctx, nil); err != nil {
		return "", fmt.Errorf("telling the thread: %w", err)
	}
	return did, nil
}
