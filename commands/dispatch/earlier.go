package dispatch

import (
	"context"

	"github.com/d3mlabs/ai-flow/commands"
	"github.com/d3mlabs/ai-flow/commands/thread"
	"github.com/d3mlabs/ai-flow/render"
)

// fate is what became of an act that was announced, as far as the document tells by its digests.
type fate uint8

const (
	fateUnknown fate = iota // the document is neither what it was nor what it was to be
	fateUndone
	fateDone
)

// fateOf compares the document with the digests of what stands on the thread.
func fateOf(s thread.Standing, document string) fate {
	switch thread.Digest(document) {
	case s.Before:
		return fateUndone
	case s.After:
		return fateDone
	}
	return fateUnknown
}

// fate is what became of the act of this command. Of a build nothing was pushed: what was, has been made up for.
func (r *running) fate(s thread.Standing) fate {
	switch {
	case r.plan == nil:
		return fateOf(s, r.known.Facts.Document.Body)
	case s.Before != r.plan.digest(): // not everywhere that it was to go was looked
		return fateUnknown
	}
	return fateUndone
}

// earlier decides by what an earlier attempt left on the thread. A question is answered anew, and a failure tried again. An
// edit that landed is not made twice; one that was announced is looked up in the document, and where that does not tell,
// it is not made again either: a person decides (F-56, S9).
func (r *running) earlier(ctx context.Context, s thread.Standing) (told Told, done bool) {
	if r.plan != nil && s.Stage != thread.Acted {
		return r.earlierBuild(ctx, s)
	}
	switch s.Stage {
	case thread.Acted:
		told = r.repeated("an earlier attempt did what was asked for, and it is not done twice")
		if told.URL = s.URL; s.Left {
			_, told.Err = r.thread.Settle(ctx, nil)
		}
		return told, true
	case thread.Ahead, thread.Unsure:
	default:
		return Told{}, false
	}
	switch fateOf(s, r.known.Facts.Document.Body) {
	case fateUndone:
		return Told{}, false
	case fateDone:
		told = r.repeated("an earlier attempt landed the edit and ended before it could say so; its result stands now")
		if s.Stage == thread.Ahead {
			told.URL, told.Err = r.thread.Settle(ctx, nil)
		} else {
			told.URL, told.Err = r.thread.Tell(ctx, r.lost(render.LostReport), thread.ActDone)
		}
		return told, true
	}
	o := commands.Fail(ctx, r.q, commands.Problem{Class: "lost", Message: "an attempt ended while it was writing the description"})
	o.Result = r.lost(render.LostEdit)
	told = Told{Outcome: o}
	told.URL, told.Err = r.thread.Tell(ctx, o.Result, thread.ActUnsure)
	return told, true
}

func (r *running) repeated(reason string) Told {
	r.say("%s", reason)
	return Told{Outcome: commands.Repeated(r.q, reason)}
}

// lost is what a thread is told of an attempt that ended without a word.
func (r *running) lost(l render.Lost) render.Result {
	return render.LostResult(l, r.known.Command.String(), r.RunURL)
}
