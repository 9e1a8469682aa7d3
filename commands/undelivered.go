package commands

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/d3mlabs/ai-flow/commands/git"
	"github.com/d3mlabs/ai-flow/render"
)

var (
	errBranchGone = errors.New("its branch is gone")
	errSameChange = errors.New("somebody made the same change meanwhile")
)

// conflictError is a change that does not go together with what others pushed meanwhile.
type conflictError struct{ paths []string }

func (e *conflictError) Error() string {
	var names []string
	for _, path := range e.paths[:min(len(e.paths), 3)] {
		names = append(names, inCode(path))
	}
	if more := len(e.paths) - len(names); more > 0 {
		names = append(names, fmt.Sprintf("%d more", more))
	}
	return "somebody changed the same lines of " + enumerated(names) + " meanwhile"
}

// announceError is a result that could not be told ahead.
type announceError struct{ err error }

func (e *announceError) Error() string { return "announcing the result: " + e.err.Error() }
func (e *announceError) Unwrap() error { return e.err }

// why says of a work what kept it from landing.
func (d *delivery) why(w *work) failure {
	where := "the branch " + inCode(w.Branch)
	if name := w.foreignName(d.run); name != "" {
		where += " of " + inCode(name)
	}
	f := failure{class: "push", err: w.err, lead: "changed nothing on the server"}
	var p *git.PushError
	var conflict *conflictError
	var untold *announceError
	var barrier *BarrierError
	rescued := d.again("")
	if w.rescued {
		rescued = "The work came back as a patch. " + rescued
	}
	var hint *HintError
	hinted := errors.As(w.err, &hint)
	switch {
	case w.pushed:
		f.class, f.lead, f.unsure = "github", "pushed "+where+", and stopped", true
		f.message, f.next = "its pull request could not be opened", "Open it yourself, or run the job again, which opens it."
		if hinted {
			f.next = hint.Next + " Then run the job again, which opens it."
		}
	case errors.As(w.err, &p) && p.Unsure:
		f.lead, f.unsure = "", true
		f.message = "pushing to " + where + " failed, and it is not known whether the commit is there"
		f.next = "Look at the branch; run the job again, which finds out."
	case errors.Is(w.err, ErrTakenBack):
		return d.unannounced(w.err)
	case errors.As(w.err, &untold):
		f.class, f.message, f.next = "github", "the result could not be announced on the thread", rescued
	case errors.As(w.err, &barrier):
		f.class, f.message, f.next = "moved", where+" "+barrier.Why, rescued
	case errors.As(w.err, &conflict):
		f.class, f.message, f.next = "moved", conflict.Error(), rescued
	case errors.Is(w.err, errBranchGone), errors.Is(w.err, errSameChange):
		f.class, f.message, f.next = "moved", w.err.Error(), rescued
	case p != nil && p.Kind == git.PushMoved:
		f.class, f.message, f.next = "moved", where+" kept moving while it was pushed to", rescued
	case p != nil && p.Kind == git.PushRejected:
		f.message, f.next = "the server did not take the commit on "+where+": "+inCode(p.Reason), rescued
	default:
		f.message, f.next = "the commit could not be pushed to "+where, rescued
		if hinted {
			f.next = hint.Next + " " + f.next
		}
	}
	return f
}

// maxRescued bounds the patches of work that could not be pushed, in bytes, all together: they are held in memory. Not all of
// it has to have room in a comment.
const maxRescued = 256 << 20

// rescueFor is for how long work is rescued after the run was cancelled. A runner gives ten seconds in all.
const rescueFor = 4 * time.Second

// outlasting is a context that goes on for a while after ctx has ended.
func outlasting(ctx context.Context, extra time.Duration) (context.Context, context.CancelFunc) {
	longer, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() { time.AfterFunc(extra, cancel) })
	return longer, func() { stop(); cancel() }
}

// rescue keeps work that could not be pushed, and reports whether it did.
func (d *delivery) rescue(ctx context.Context, w *work) bool {
	left := int64(maxRescued)
	for _, p := range d.patches {
		if p.Kind == render.PatchRescued {
			left -= int64(len(p.Bytes))
		}
	}
	if left <= 0 {
		d.note(fmt.Sprintf("There is no room for a further patch of the work: all of them hold %d MiB.", maxRescued>>20))
		return false
	}
	p, cut, err := d.makePatch(ctx, w, w.taken.Base, w.taken.Tree, left)
	switch {
	case len(p.Bytes) == 0:
		d.note("The work could not even be made a patch: see the run's log.")
		d.say("rescuing the work: %v", err)
		return false
	case err != nil:
		d.note("git does not say that it takes the patch of the work: see the run's log.")
		d.say("rescuing the work: %v", err)
	case cut:
		d.note(fmt.Sprintf("The patch of the work is cut, since all of them may hold %d MiB; it holds the files that fit in whole.", maxRescued>>20))
	}
	p.Kind, p.File = render.PatchRescued, nth("rescued", len(d.patches)+1)+".patch"
	p.Patch.Base, p.Pull = string(w.Commit), w.Pull
	d.patches = append(d.patches, p)
	return true
}
