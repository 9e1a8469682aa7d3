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

// ErrTakenBack is what Place.Announce returns when the person who gave the command has deleted it meanwhile.
var ErrTakenBack = errors.New("the comment with the command was deleted")

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
			l.propose(ctx, l.unannounced(err))
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
		l.propose(ctx, l.doubt(failure{class: "document", message: "%s could not be read again", err: err}))
		return w, false
	}
	wanted, merged := l.edited, false
	if now := normalise(current.Body); now != l.snapshot {
		if wanted, merged = merge3(l.snapshot, l.edited, now); !merged {
			l.propose(ctx, l.doubt(failure{class: "moved", message: "someone changed the same lines of %s meanwhile", err: l.err,
				next: l.onTheNewText()}))
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
		l.propose(ctx, failure{class: "document", lead: changedNothing, message: l.document.Name + " could not be written", err: l.err, next: l.again("")})
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

// doubt completes a failure, whose message names the document at %s. After a write of unknown outcome nobody can say that
// nothing was written.
func (l *landing) doubt(f failure) failure {
	f.lead, f.message, f.next = changedNothing, fmt.Sprintf(f.message, l.document.Name), either(f.next, l.again(""))
	if l.failed > 0 {
		f.lead, f.message = "", "writing failed, and "+f.message+", so it is not known whether the change is there"
		f.next, f.unsure = "Look at "+l.document.Name+" before you give the command again"+l.anew()+".", true
	}
	return f
}

// onTheNewText is how a change that met another one is tried again.
func (l *landing) onTheNewText() string {
	if l.Surface == Local {
		return l.again(" to work on the text as it is now")
	}
	return "To try again on the text as it is now, give the command" + l.anew() + "."
}

// unannounced is a change that may not be made because the place did not take what would be told of it.
func (r *run) unannounced(err error) failure {
	if errors.Is(err, ErrTakenBack) {
		return failure{class: "github", lead: changedNothing, message: ErrTakenBack.Error(), err: err}
	}
	return failure{class: "github", lead: changedNothing, message: "the result could not be announced on the thread", err: err, next: r.again("")}
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
		l.propose(ctx, failure{class: "moved", lead: changedNothing, next: l.again(""),
			message: fmt.Sprintf("%s changed %d times while it was being written", l.document.Name, tries)})
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
