package dispatch

import (
	"context"

	"github.com/d3mlabs/ai-flow/commands"
	"github.com/d3mlabs/ai-flow/commands/thread"
	"github.com/d3mlabs/ai-flow/render"
)

// earlier decides by what an earlier attempt left on the thread. A question is answered anew, and a failure tried again; an
// edit that landed is not made twice, and one that was announced is looked up in the document.
func (r *running) earlier(ctx context.Context, s thread.Standing) (told Told, done bool) {
	switch {
	case s.Stage == thread.Acted:
		reason := "an earlier attempt did what was asked for, and it is not done twice"
		r.say("%s", reason)
		told := Told{URL: s.URL, Outcome: commands.Repeated(r.q, reason)}
		if s.Left {
			_, told.Err = r.thread.Settle(ctx)
		}
		return told, true
	case s.Stage == thread.Ahead && r.known.Facts.Comment != nil:
		return r.announced(ctx, s)
	}
	return Told{}, false
}

func (r *running) announced(ctx context.Context, s thread.Standing) (told Told, done bool) {
	switch thread.Digest(r.known.Facts.Document.Body) {
	case s.Before:
		return Told{}, false
	case s.After:
		reason := "an earlier attempt landed the edit and ended before it could say so; its result stands now"
		r.say("%s", reason)
		told := Told{Outcome: commands.Repeated(r.q, reason)}
		told.URL, told.Err = r.thread.Settle(ctx)
		return told, true
	}
	return r.tellLost(ctx, render.LostEdit), true
}

// tellLost tells that an attempt ended without a word.
func (r *running) tellLost(ctx context.Context, l render.Lost) Told {
	result := render.LostResult(l, r.known.Command.String(), r.RunURL)
	o := commands.Fail(ctx, r.q, commands.Problem{Class: "lost", Message: "an attempt ended without a word"})
	o.Result = result
	return r.tell(ctx, o)
}
