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
	r.judgeAndLand(ctx, taken)
	if r.lost() {
		r.keepWork(ctx)
	}
}

// judgeAndLand has the gates judge what was taken back, and brings it to where a person finds it.
func (r *run) judgeAndLand(ctx context.Context, taken git.Taken) {
	taken, ok := r.gated(ctx, taken)
	r.works[0].taken = taken
	if r.judged = ok; !ok {
		return
	}
	r.noteJudged(taken)
	if !r.setApart(ctx) {
		return
	}
	r.addChanges()
	if len(r.patches) > 0 && len(r.changes) > 0 { // else the first line says it
		r.note("Files under .github/workflows/ or .github/actions/ changed. They are never committed by ai-flow; they come back as a patch.")
	}
	r.dispositions = r.disposed()
	switch {
	case len(r.changes) > 0 && r.Landing != nil:
		r.deliver(ctx)
	case len(r.changes) > 0:
		r.commitTree(ctx, taken)
	case len(r.patches) > 0:
		r.finish("changed only workflow files, which are never committed; they came back as a patch." + r.verdict())
	default:
		r.nothing("changed nothing.")
	}
}

func (r *run) finish(headline string) {
	r.status, r.headline = render.Done, headline
	if r.failedGates() {
		r.next = "What was printed is in the summary of the run."
		if r.RunURL == "" {
			r.next = "What was printed is in `summary.md`, beside `report.json`."
		}
	}
	for i := range r.segments {
		r.segments[i].OK = !r.failedGates()
	}
}

func (r *run) commitTree(ctx context.Context, taken git.Taken) {
	if err := r.leaveBranch(ctx, taken.Tree); err != nil {
		f := failure{class: "git", message: "the change could not be committed", err: err}
		if errors.Is(err, errNamesTaken) {
			f.message, f.next = fmt.Sprintf("the branch %q and ninety-nine more like it exist already", r.branchName()), "Delete those that nobody needs."
		}
		r.fail(ctx, f)
		return
	}
	r.finish(fmt.Sprintf("committed %.10s on the branch `%s`: %s.%s", r.commit, r.branch, extent(taken.Changes), r.verdict()))
}

var errNamesTaken = errors.New("no name is left for the branch")

// leaveBranch commits a tree on the first free name, so that no branch is ever overwritten.
func (r *run) leaveBranch(ctx context.Context, tree git.OID) error {
	for n := 1; n <= maxNames; n++ {
		name := nth(r.branchName(), n)
		commit, err := r.Repo.Branch(ctx, git.CommitOptions{Parent: r.base, Tree: tree, Message: r.message(), Author: r.bot(), Committer: r.bot(), Name: name})
		if errors.Is(err, git.ErrExists) {
			continue
		}
		if err == nil {
			r.branch, r.commit = name, commit
		}
		return err
	}
	return errNamesTaken
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
