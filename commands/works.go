package commands

import (
	"context"
	"errors"
	"fmt"

	"github.com/d3mlabs/ai-flow/commands/git"
	"github.com/d3mlabs/ai-flow/executor/agents"
	"github.com/d3mlabs/ai-flow/render"
)

// maxPatch bounds the patch of what is never committed, in bytes.
const maxPatch = 1 << 20

// work is what a run has to do with one repository. Every run has one, with the repository that it looks at; a build has one
// for each of its targets.
type work struct {
	Target
	tree  *git.Tree
	taken git.Taken

	// What deliver makes of it.
	message, title, body string
	commit               git.OID
	pushed               bool
	opened               bool  // the pull request is new
	merged               bool  // it was put on top of what others pushed meanwhile
	err                  error // why it was not pushed, or has no pull request
	rescued              bool  // it was not pushed, and is in a patch
}

// newWorks are the works of a run that was given the commit.
func (r *run) newWorks(commit git.OID) []*work {
	if r.command != Build || len(r.Targets) == 0 {
		return []*work{{Target: Target{Repo: r.Repo, Commit: commit}}}
	}
	var works []*work
	for _, t := range r.Targets {
		works = append(works, &work{Target: t})
	}
	return works
}

// handOver gives the agent trees of its own. Every command gets one: what a read-only pass does to it is thrown away.
func (r *run) handOver(ctx context.Context) {
	commit, ok := r.startingPoint(ctx)
	if !ok {
		return
	}
	r.base = commit
	given, ok := r.withBasesConfiguration(ctx, commit)
	if !ok {
		return
	}
	r.works = r.newWorks(given)
	for _, w := range r.works {
		options := git.HandOverOptions{}
		if r.command == Build {
			options.Branch = either(w.Branch, r.branchName())
		}
		var err error
		if w.tree, err = w.Repo.HandOver(ctx, r.room, w.Commit, options); err != nil {
			r.fail(ctx, failure{class: "git", message: "the agent could not be given a copy of " + either(w.Name, "the repository"), err: err})
			return
		}
	}
	r.tree = r.works[0].tree
	if r.Repo.Exposed(ctx, r.room) {
		r.note(fmt.Sprintf("The agent could also read the checkout itself, as every user of this host can; `chmod o-rx %.200s` closes it.", r.Repo.Dir()))
	}
	r.findAmbient(ctx, r.works[0].Commit)
}

// startingPoint is the commit that the agent looks at.
func (r *run) startingPoint(ctx context.Context) (git.OID, bool) {
	if r.Commit != "" {
		return r.Commit, true
	}
	commit, _, dirty, err := r.Repo.Head(ctx)
	switch {
	case errors.Is(err, git.ErrNoCommit):
		r.fail(ctx, failure{class: "git", message: "the checkout has no commit to work on", err: err, next: "Make a first commit."})
	case err != nil:
		r.fail(ctx, failure{class: "git", message: "the checkout could not be read", err: err})
	case dirty:
		r.note("The checkout has changes that are not committed; they are not in the tree that the agent worked in.")
	}
	return commit, err == nil
}

// withBasesConfiguration is the commit that the agent is given in the place of a stranger's: in it what configures agents is
// as on the base, since it would be obeyed before anything is asked.
func (r *run) withBasesConfiguration(ctx context.Context, commit git.OID) (git.OID, bool) {
	if r.Base == "" {
		return commit, true
	}
	given, paths, err := r.Repo.Overlay(ctx, commit, r.Base, agents.Configures)
	if err != nil {
		r.fail(ctx, failure{class: "git", message: "what configures agents could not be taken from the base", err: err})
		return "", false
	}
	r.Restored = paths
	return given, true
}

// takeBack takes all trees back. It returns the first, for the gates; the others are kept.
func (r *run) takeBack(ctx context.Context) (git.Taken, bool) {
	all := make([]git.Taken, len(r.works))
	var left, refused []git.Refused
	for i, w := range r.works {
		taken, err := w.tree.TakeBack(ctx, git.Limits{Hold: isWorkflow, Directories: workflowDirs[:], Check: r.holdsSecret})
		if err != nil {
			r.fail(ctx, failure{class: "git", message: "the agent's tree could not be taken back; nothing was committed", err: err})
			return taken, false
		}
		all[i] = taken
		left, refused = append(left, w.elsewhere(i, taken.Skipped)...), append(refused, w.elsewhere(i, taken.Refused)...)
	}
	r.left = left
	if len(refused) > 0 {
		r.refused = refused
		r.refuse(&Refusal{Message: "left what may not be committed, so nothing was",
			Next: r.again(", and say that this is to be left out")})
		return all[0], false
	}
	for i, w := range r.works[1:] {
		w.taken = all[i+1]
	}
	return all[0], true
}

// elsewhere names the repository of paths that are not of the first.
func (w *work) elsewhere(i int, paths []git.Refused) (named []git.Refused) {
	if i == 0 {
		return paths
	}
	for _, p := range paths {
		named = append(named, git.Refused{Path: w.Name + ": " + p.Path, Reason: p.Reason})
	}
	return named
}

// addChanges lists what is to be committed.
func (r *run) addChanges() {
	r.changes, r.flagged = nil, nil
	for i, w := range r.works {
		for _, c := range w.taken.Changes {
			twice := flagged(c.Path) || agents.Configures(c.Path)
			if i > 0 {
				c.Path = w.Name + ": " + c.Path
			}
			if twice {
				r.flagged = append(r.flagged, c.Path)
			}
			r.changes = append(r.changes, c)
		}
	}
}

// patch is a change that comes back as a patch, and the tree that it goes on.
type patch struct {
	render.Patch
	work  *work
	stale bool // it does not go on what the work was merged into
}

// setApart makes patches of the files that were held back.
func (r *run) setApart(ctx context.Context) bool {
	err := r.holdBack(ctx)
	if err != nil {
		r.fail(ctx, failure{class: "git", message: "changes of workflow files could not be set apart, so nothing was committed", err: err,
			next: r.again(", and say that workflow files are to be left alone")})
	}
	return err == nil
}

// holdBack makes the patches of workflow files (H7-09, H7-11).
func (r *run) holdBack(ctx context.Context) error {
	for i, w := range r.works {
		if w.taken.Tree == w.taken.Whole {
			continue
		}
		p, cut, err := r.makePatch(ctx, w, w.taken.Tree, w.taken.Whole, maxPatch)
		if err != nil {
			return err
		}
		if cut {
			r.note(fmt.Sprintf("The patch of the workflow files is cut at %d bytes; it holds the files that fit in whole.", maxPatch))
		}
		p.Kind, p.File = render.PatchWorkflows, nth("workflows", i+1)+".patch"
		r.patches = append(r.patches, p)
	}
	return nil
}

// makePatch makes a patch of at most most bytes, and asks git whether it takes it (F-22).
func (r *run) makePatch(ctx context.Context, w *work, from, to git.OID, most int64) (p patch, cut bool, err error) {
	p = patch{work: w}
	p.Repo = w.foreignName(r)
	if p.Bytes, cut, err = w.Repo.Patch(ctx, from, to, most); err != nil {
		return p, cut, err
	}
	if len(p.Bytes) == 0 {
		return p, cut, fmt.Errorf("the first of them alone makes more than %d bytes", most)
	}
	if !cut { // else it would name what the patch lacks
		changes, err := w.Repo.Changes(ctx, from, to)
		if err != nil {
			return p, cut, err
		}
		for _, c := range changes {
			p.Files = append(p.Files, c.Path)
		}
	}
	return p, cut, w.Repo.Applies(ctx, from, p.Bytes)
}

// foreignName is the repository's name where it is not the thread's.
func (w *work) foreignName(r *run) string {
	if w.Name == r.RepoName {
		return ""
	}
	return w.Name
}
