package commands

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/d3mlabs/ai-flow/render"
)

// How long a cancelled run may take to put its work where a person finds it. A cancelled job is killed ten seconds after it was
// told to end, and the thread is to be told in them too; in a terminal nobody counts.
const (
	keepFor      = 3 * time.Second
	keepLocalFor = 20 * time.Second
)

// lost reports whether a run was cancelled when its work had been taken back, and left it nowhere.
func (r *run) lost() bool {
	landed := slices.ContainsFunc(r.works, func(w *work) bool { return w.pushed || w.err != nil })
	return r.status == render.Cancelled && r.branch == "" && !landed
}

// keepWork leaves what was last taken back of a run that is cancelled: on a local branch, or in a workflow as patches, since
// nothing may be pushed that the gates have not come to their end about. The run stays cancelled. It was rejected to
// commit as if nothing had happened: whoever cancels wants an end, and no result.
func (r *run) keepWork(ctx context.Context) {
	limit := keepLocalFor
	if r.Landing != nil {
		limit = keepFor
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), limit)
	defer cancel()
	r.addChanges()
	r.patches = nil
	err := errors.Join(r.keepChanges(ctx), r.holdBack(ctx))
	if err != nil {
		r.note("Not all of what it had made by then could be kept: see the run's log.")
		r.say("keeping the work: %v", err)
	}
	where := ""
	switch {
	case r.branch != "":
		where = fmt.Sprintf("is on the branch `%s`: %s.", r.branch, extent(r.works[0].taken.Changes))
	case len(r.patches) > 0:
		where = "came back as a patch."
	default:
		return
	}
	r.headline += " What it had made by then " + where
	if r.branch != "" {
		r.next = "" // there is something to go on with
	}
	if len(r.Policy.Gates) > 0 && !r.judged {
		r.headline += " The gates had not come to their end about it."
	}
}

// keepChanges keeps what may be committed.
func (r *run) keepChanges(ctx context.Context) error {
	if r.Landing == nil {
		if len(r.works[0].taken.Changes) == 0 {
			return nil
		}
		return r.leaveBranch(ctx, r.works[0].taken.Tree)
	}
	d := &delivery{run: r}
	for _, w := range r.works {
		if len(w.taken.Changes) > 0 {
			w.rescued = d.rescue(ctx, w) // which says by itself what fails
		}
	}
	return nil
}
