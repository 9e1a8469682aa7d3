package commands

import (
	"context"
	"errors"
	"fmt"

	"github.com/d3mlabs/ai-flow/commands/git"
	"github.com/d3mlabs/ai-flow/render"
)

// build lets the agent work in its trees, takes them back as checked objects, has the gates judge the first and commits them.
// A gate that fails to the end keeps nothing back: a person can look at a branch, and mend it, and not at
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
	r.works[0].taken = taken
	r.noteJudged(taken)
	if !r.setApart(ctx) {
		return
	}
	r.addChanges()
	r.dispositions = r.disposed()
	switch {
	case len(r.changes) > 0 && r.Landing != nil:
		r.deliver(ctx)
	case len(r.changes) > 0:
		r.commitTree(ctx, taken)
	case len(r.patches) > 0:
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

// commitTree commits on the first free name, so that no branch is ever overwritten.
func (r *run) commitTree(ctx context.Context, taken git.Taken) {
	for n := 1; n <= maxNames; n++ {
		name := nth(r.branchName(), n)
		commit, err := r.Repo.Branch(ctx, git.CommitOptions{Parent: r.base, Tree: taken.Tree, Message: r.message(), Author: r.bot(), Committer: r.bot(), Name: name})
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

// maxNames bounds how many branches of one name there may be.
const maxNames = 100

// nth is a name for the n-th branch of one name, from 1.
func nth(name string, n int) string {
	if n == 1 {
		return name
	}
	return fmt.Sprintf("%s-%d", name, n)
}

func (r *run) bot() git.Person {
	if r.Bot == (git.Person{}) {
		return git.Person{Name: "ai-flow[bot]", Email: "ai-flow[bot]@users.noreply.github.com"}
	}
	return r.Bot
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
