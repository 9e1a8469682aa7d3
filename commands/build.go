package commands

import (
	"context"
	"errors"
	"fmt"

	"github.com/d3mlabs/ai-flow/commands/git"
	"github.com/d3mlabs/ai-flow/render"
)

// maxPatch bounds the patch of workflow files, in bytes.
const maxPatch = 1 << 20

// build lets the agent work in its tree, takes the tree back as checked objects, has the gates judge it and commits it on a
// branch of its own. A gate that fails to the end keeps nothing back: a person can look at a branch, and mend it, and not at
// work that was thrown away. But the run is then no plain success, and its first line says which gate failed.
func (r *run) build(ctx context.Context) {
	if !r.launch(ctx) {
		return
	}
	r.partial()
	if !r.quiet(ctx) {
		return
	}
	taken, ok := r.takeBack(ctx)
	if !ok {
		return
	}
	if taken, ok = r.gated(ctx, taken); !ok {
		return
	}
	r.noteJudged(taken)
	if !r.workflowPatch(ctx, taken) {
		return
	}
	r.changes = taken.Changes
	switch {
	case len(taken.Changes) > 0:
		r.commitTree(ctx, taken)
	case r.patch != nil:
		r.finish("changed only workflow files, which are never committed; they came back as a patch.")
	default:
		r.nothing("changed nothing.")
	}
}

func (r *run) finish(headline string) {
	r.status, r.headline = render.Done, headline
	if r.failedGates() {
		r.next = "What was printed is in the summary of the run."
	}
	for i := range r.segments {
		r.segments[i].OK = !r.failedGates()
	}
}

func (r *run) takeBack(ctx context.Context) (git.Taken, bool) {
	taken, err := r.tree.TakeBack(ctx, git.Limits{Hold: isWorkflow, Directories: workflowDirs[:], Check: r.holdsSecret})
	if err != nil {
		r.fail(ctx, failure{class: "git", message: "the agent's tree could not be taken back; nothing was committed", err: err})
		return taken, false
	}
	r.left = taken.Skipped
	if len(taken.Refused) > 0 {
		r.refused = taken.Refused
		r.refuse(&Refusal{Message: "left what may not be committed, so nothing was",
			Next: r.again(", and say that this is to be left out")})
		return taken, false
	}
	return taken, true
}

// workflowPatch makes a patch of the workflow files that were held back (H7-09, H7-11).
func (r *run) workflowPatch(ctx context.Context, taken git.Taken) bool {
	if taken.Tree == taken.Whole {
		return true
	}
	patch, cut, err := r.Repo.Patch(ctx, taken.Tree, taken.Whole, maxPatch)
	if err == nil && len(patch) == 0 {
		err = fmt.Errorf("the first of them alone makes more than %d bytes", maxPatch)
	}
	if err != nil {
		r.fail(ctx, failure{class: "git", message: "changes of workflow files could not be set apart, so nothing was committed", err: err,
			next: r.again(", and say that workflow files are to be left alone")})
		return false
	}
	r.patch = patch
	if cut {
		r.note(fmt.Sprintf("The patch of the workflow files is cut at %d bytes; it holds the files that fit in whole.", maxPatch))
	}
	r.note("Files under .github/workflows/ changed. They are never committed by ai-flow; they come back as a patch.")
	return true
}

// commitTree commits on the first free name, so that no branch is ever overwritten.
func (r *run) commitTree(ctx context.Context, taken git.Taken) {
	bot := r.Bot
	if bot == (git.Person{}) {
		bot = git.Person{Name: "ai-flow[bot]", Email: "ai-flow[bot]@users.noreply.github.com"}
	}
	for n := 1; n <= 100; n++ {
		name := r.branchName()
		if n > 1 {
			name = fmt.Sprintf("%s-%d", name, n)
		}
		commit, err := r.Repo.Branch(ctx, git.CommitOptions{Parent: r.base, Tree: taken.Tree, Message: r.message(), Author: bot, Committer: bot, Name: name})
		if errors.Is(err, git.ErrExists) {
			continue
		}
		if err != nil {
			r.fail(ctx, failure{class: "git", message: "the change could not be committed", err: err})
			return
		}
		r.branch, r.commit = name, commit
		r.finish(fmt.Sprintf("committed %.10s on the branch `%s`: %s.%s", commit, name, extent(taken.Changes), r.verdict()))
		return
	}
	r.fail(ctx, failure{class: "git", message: fmt.Sprintf("the branch %q and ninety-nine more like it exist already", r.branchName()), next: "Delete those that nobody needs."})
}

func extent(changes []git.Change) string {
	added, removed := 0, 0
	for _, c := range changes {
		added, removed = added+max(0, c.Added), removed+max(0, c.Removed)
	}
	files := "1 file"
	if len(changes) != 1 {
		files = fmt.Sprintf("%d files", len(changes))
	}
	return fmt.Sprintf("%s, +%d −%d", files, added, removed)
}
