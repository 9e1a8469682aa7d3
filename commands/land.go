package commands

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/d3mlabs/ai-flow/render"
)

// The bounds of bringing an edit home.
const (
	tries     = 4                // how often a document that keeps moving is read again
	failures  = 2                // how often a write that failed, and surely did not happen, is made
	settleFor = 20 * time.Second // for finding out whether a write happened, also when the run is cancelled meanwhile
)

// write is one replacement of the document, as it was handed to the place.
type write struct {
	was, now string
	merged   bool   // somebody else's change is in it too
	hidden   string // what it adds that the page does not show, for readers
}

// landing is an edit on its way into the document.
type landing struct {
	*run
	edited string
	sent   *write // the last write, which may have happened whatever was said of it; nil before the first
	err    error  // of sent, when its outcome is not known
	failed int    // writes of unknown outcome
}

// land writes the edited document where the snapshot stood. If the document moved meanwhile, both changes are brought
// together where they do not touch; otherwise nothing is written and the proposal is shown. Each write is announced
// before it is made. Afterwards the outcome is decided.
func (r *run) land(ctx context.Context, edited string) {
	l := &landing{run: r, edited: edited}
	for range tries {
		w, ok := l.next(ctx)
		if !ok {
			return
		}
		if err := l.announce(ctx, w); err != nil {
			l.propose(ctx, failure{class: "github", message: "the result could not be announced, so nothing was written; the proposed change is below", err: err})
			return
		}
		switch err := r.Place.Replace(ctx, w.was, w.now); {
		case err == nil:
			r.complete(w)
			return
		case errors.Is(err, ErrMoved):
			l.sent = &w
		default:
			l.sent, l.err, l.failed = &w, err, l.failed+1
			r.say("writing the document: %v", err)
		}
	}
	l.giveUp(ctx)
}

// next reads the document and says what is to be written there. Not ok means that the outcome is decided: a write whose
// answer was lost turns out to have happened (F-56), or there is no way on.
func (l *landing) next(ctx context.Context) (w write, ok bool) {
	current, err := l.read(ctx)
	if err != nil {
		l.propose(ctx, l.doubt("the document could not be read again", failure{class: "document", err: err}))
		return w, false
	}
	wanted, merged := l.edited, false
	if now := normalise(current.Body); now != l.snapshot {
		if wanted, merged = merge3(l.snapshot, l.edited, now); !merged {
			l.propose(ctx, l.doubt("the document was changed meanwhile at the same place",
				failure{class: "moved", next: "Give the command again to work on the document as it is now.", err: l.err}))
			return w, false
		}
	}
	w = write{was: current.Body, now: likeBefore(current.Body, wanted), merged: merged, hidden: hiddenBy(normalise(current.Body), wanted)}
	switch {
	case w.now == w.was && l.sent != nil:
		l.complete(*l.sent)
	case w.now == w.was:
		l.complete(w)
	case l.failed == failures, l.failed > 0 && ctx.Err() != nil:
		l.propose(ctx, failure{class: "document", message: "the document could not be written; the proposed change is below", err: l.err})
	default:
		return w, true
	}
	return w, false
}

// read reads the document. When a write may have happened, the run's end does not keep us from finding out.
func (l *landing) read(ctx context.Context) (Document, error) {
	if l.failed > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(context.WithoutCancel(ctx), settleFor)
		defer cancel()
	}
	return l.Place.Document(ctx)
}

// doubt completes a failure. After a write of unknown outcome nobody can say that nothing was written.
func (l *landing) doubt(what string, f failure) failure {
	f.message = what + ", so nothing was written; the proposed change is below"
	if l.failed > 0 {
		f.message = "writing failed and " + what + ", so it is not known whether the change is in it; the change is below"
		f.next, f.unsure = "Look at the document before giving the command again.", true
	}
	return f
}

// announce tells the place what will be told once w has succeeded, in the same words.
func (l *landing) announce(ctx context.Context, w write) error {
	ahead := l.fork()
	ahead.complete(w)
	return l.Place.Announce(ctx, ahead.outcome().Result, w.was, w.now)
}

// giveUp ends a landing whose document never stood still, with a last look: the last write may have happened.
func (l *landing) giveUp(ctx context.Context) {
	if l.failed > 0 {
		l.failed = failures
	}
	if _, open := l.next(ctx); open {
		l.propose(ctx, failure{class: "moved", message: fmt.Sprintf("the document changed %d times while it was being written, so nothing was; the proposed change is below", tries)})
	}
}

// propose shows a change that was not made.
func (l *landing) propose(ctx context.Context, f failure) {
	l.diffs = &render.Diffs{Before: l.snapshot, After: l.edited}
	l.fail(ctx, f)
	l.reportSegments(false)
}

// complete decides the outcome of a change that is in the document.
func (r *run) complete(w write) {
	before, after := normalise(w.was), normalise(w.now)
	r.diffs = &render.Diffs{Before: before, After: after}
	r.headline = "changed " + r.document.Name + "."
	if w.merged {
		r.headline = "changed " + r.document.Name + ", which had been changed meanwhile; both changes are in it."
	}
	if before == after {
		r.headline, r.diffs = "changed nothing: "+r.document.Name+" had been changed in the same way meanwhile.", nil
	}
	if w.hidden != "" {
		r.note(w.hidden)
	}
	r.reportSegments(true)
	r.status = render.Done
}
