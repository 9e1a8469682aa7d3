package dispatch

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/d3mlabs/ai-flow/commands"
	"github.com/d3mlabs/ai-flow/commands/git"
	"github.com/d3mlabs/ai-flow/commands/github"
	"github.com/d3mlabs/ai-flow/render"
)

// Target is a repository that a build may change, with the way to it.
type Target struct {
	commands.Target
	Hub    *github.Client
	Remote github.Repo

	own  bool   // it is the thread's own repository
	base string // the branch that a pull request is to be merged into: foreign
	made *made
}

// made is what an earlier attempt at the same command has pushed. Git is the record of that: the commit names the command,
// so that it is found whatever else got lost (F-34, S9).
type made struct {
	branch, commit string
	pull           *github.Pull // of the branch, in whatever state; nil: none
	opened         bool         // the pull request is this command's, and not one that it went on with
}

// target asks about a repository that the issue names. Whoever gave the command must have write permission there as well, and
// it must be as private as the thread is: the agent sees all of them, and what it says goes everywhere (F-17).
func (r *running) target(ctx context.Context, name string) (*Target, github.Builds, error) {
	owner, short, _ := strings.Cut(name, "/")
	t := &Target{Hub: r.GitHub, Remote: r.Event.Repo, own: true}
	t.Name, t.Prefix = r.Event.Repo.String(), commands.BranchPrefix(r.Event.Number)
	t.Closes = fmt.Sprintf("%s#%d", r.Event.Repo, r.Event.Number)
	if other := (github.Repo{Owner: owner, Name: short}); !strings.EqualFold(name, t.Name) {
		hub, err := r.GitHub.In(other)
		if err == nil {
			t.Hub, t.Remote, t.Name, t.own = hub, other, name, false
			t.Prefix = commands.BranchPrefixFor(r.Event.Repo.Name, r.Event.Number)
			err = r.mayChange(ctx, hub)
		}
		if errors.Is(err, errNoWriter) || notOurs(err) {
			r.refuseTarget(name, "which this run does not reach, or where you may not write", "Take it out of the issue, or have the App installed there and be given write permission.")
			return t, github.Builds{}, nil
		}
		if err != nil {
			return nil, github.Builds{}, fmt.Errorf("asking who may write to %s: %w", name, err)
		}
	}
	builds, err := t.Hub.Builds(ctx, t.Prefix)
	switch {
	case err != nil:
		return nil, builds, fmt.Errorf("asking for the branches of %s: %w", name, err)
	case builds.Blocked != "":
		r.refuseTarget(name, "where a branch called `"+builds.Blocked+"` keeps any of ours from being made", "Give that branch another name.")
	case builds.Archived:
		r.refuseTarget(name, "which is archived", "Take it out of the issue.")
	case t.Hub != r.GitHub && !builds.Visibility.Same(r.known.Facts.Visibility):
		r.refuseTarget(name, "which is not as private as this one, and the agent would carry words from one to the other", "Open an issue there.")
	}
	return t, builds, nil
}

var errNoWriter = errors.New("who gave the command, or started this attempt, may not write there")

// mayChange asks in another repository what the gate has asked in the thread's own.
func (r *running) mayChange(ctx context.Context, hub *github.Client) error {
	logins := []string{r.Event.Comment.Author.Login}
	if r.Rerunner != "" && !sameLogin(r.Rerunner, logins[0]) {
		logins = append(logins, r.Rerunner)
	}
	for _, login := range logins {
		permission, err := hub.Permission(ctx, login)
		switch {
		case err != nil:
			return err
		case permission.Level < github.Write:
			return errNoWriter
		}
	}
	return nil
}

// notOurs reports whether an error says that a repository is not there for us.
func notOurs(err error) bool {
	var e *github.Error
	return errors.As(err, &e) && (e.Kind == github.Gone || e.Setup)
}

func (r *running) refuseTarget(name, why, next string) {
	r.plan.refusal = &commands.Refusal{Message: fmt.Sprintf("is to change `%s`, %s", name, why), Next: next}
}

// settleOn decides on the branch: that of an open pull request of ours, which gets a further commit, or a new one. A branch of
// a person's, and one whose pull request was closed or merged, stays as it is.
func (r *running) settleOn(ctx context.Context, t *Target, b github.Builds) error {
	t.base = b.DefaultBranch
	for _, branch := range b.Branches {
		t.Names = append(t.Names, branch.Name)
	}
	t.made = r.madeIn(t.Name, b)
	branch, pull := t.openBuild(b)
	if pull != nil && branch.Name == b.DefaultBranch {
		r.refuseTarget(t.Name, fmt.Sprintf("where the branch of #%d is the default branch by now, which this run never pushes to", pull.Number), "Close that pull request.")
		return nil
	}
	if pull != nil {
		t.Branch, t.Commit, t.Tip = branch.Name, git.OID(branch.Commits[0].OID), git.OID(branch.Commits[0].OID)
		t.Pull = &render.Pull{Number: pull.Number, Title: pull.Title, URL: pull.URL}
	} else {
		t.Commit = git.OID(b.DefaultOID)
		if closed := t.closedBuild(b); closed != nil {
			r.plan.notes = append(r.plan.notes, fmt.Sprintf("An earlier pull request, #%d, was closed without being merged; this is a new one, from the default branch.", closed.Number))
		}
	}
	if t.Commit == "" {
		r.refuseTarget(t.Name, "which has no commit yet", "Make a first commit there.")
		return nil
	}
	r.plan.targets = append(r.plan.targets, *t)
	if t.Pull == nil {
		return nil
	}
	return r.refuseProtected(ctx, t)
}

// madeIn finds the branch on which an earlier attempt has left its commit. A person may have begun a branch of their own from
// it: so the one counts that was announced, else one on which nobody has built, else one with a pull request of ours.
func (r *running) madeIn(name string, b github.Builds) (best *made) {
	most := -1
	for _, branch := range b.Branches {
		c := r.commitFor(branch.Commits)
		if c == nil {
			continue
		}
		pull := newest(branch.Pulls, func(github.Pull) bool { return true })
		rank := 0
		switch {
		case r.plan.standing.After == digest([]string{pushed(name, branch.Name, c.OID)}):
			rank = 3
		case c.OID == branch.Commits[0].OID:
			rank = 2
		case pull != nil && pull.Ours:
			rank = 1
		}
		if rank > most {
			most, best = rank, &made{branch: branch.Name, commit: c.OID, pull: pull, opened: pull != nil && r.opened(*pull)}
		}
	}
	return best
}

// opened reports whether a pull request is one that this command opened.
func (r *running) opened(p github.Pull) bool {
	return p.Ours && !p.Fork && !p.Created.Before(r.Event.Comment.Created)
}

// builtFor reports whether a pull request from a branch is ours for this issue: opened by us, with our mark. People write
// descriptions anew, so one without any mark counts as well, by its branch.
func (t *Target) builtFor(branch string, p github.Pull) bool {
	of := render.BuildOf(p.Body)
	marked := of == "" || strings.EqualFold(of, t.Closes) || t.own && strings.HasSuffix(of, t.Closes[strings.IndexByte(t.Closes, '#'):])
	return p.Ours && marked && slugShape.MatchString(strings.TrimPrefix(branch, t.Prefix))
}

// slugShape is what we put behind a prefix: another repository's name in it would be followed by a full stop.
var slugShape = regexp.MustCompile(`^[a-z0-9-]+$`)

// openBuild finds the newest open pull request of ours for the issue.
func (t *Target) openBuild(b github.Builds) (*github.Branch, *github.Pull) {
	var found *github.Branch
	var best *github.Pull
	for i, branch := range b.Branches {
		p := newest(branch.Pulls, func(p github.Pull) bool { return t.builtFor(branch.Name, p) && !p.Closed })
		if p != nil && len(branch.Commits) > 0 && (best == nil || p.Number > best.Number) {
			found, best = &b.Branches[i], p
		}
	}
	return found, best
}

func (t *Target) closedBuild(b github.Builds) (best *github.Pull) {
	for _, branch := range b.Branches {
		p := newest(branch.Pulls, func(p github.Pull) bool { return t.builtFor(branch.Name, p) && p.Closed && !p.Merged })
		if p != nil && (best == nil || p.Number > best.Number) {
			best = p
		}
	}
	return best
}

func newest(pulls []github.Pull, which func(github.Pull) bool) *github.Pull {
	if i := slices.IndexFunc(pulls, which); i >= 0 {
		return &pulls[i]
	}
	return nil
}
