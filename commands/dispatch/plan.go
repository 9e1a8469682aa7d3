package dispatch

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/d3mlabs/ai-flow/commands"
	"github.com/d3mlabs/ai-flow/commands/git"
	"github.com/d3mlabs/ai-flow/commands/github"
	"github.com/d3mlabs/ai-flow/commands/thread"
	"github.com/d3mlabs/ai-flow/render"
)

// plan is where a build goes and what it takes up, decided by what GitHub says before anything runs.
type plan struct {
	targets  []Target
	feedback []commands.Feedback
	swept    int                 // the number of the pull request that the feedback is from; 0: none
	given    map[int64]time.Time // when earlier commands were given, by their ids
	unread   bool                // there is more on the pull request than was looked at
	notes    []string            // ours
	refusal  *commands.Refusal   // why there is nowhere to go; nil: there is
}

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

// planBuild asks where the build goes, and what of it an earlier attempt has made, of which s stands on the thread.
func (r *running) planBuild(ctx context.Context, s thread.Standing) error {
	r.plan = &plan{}
	if r.known.Facts.Head != nil {
		return r.planPull(ctx)
	}
	if err := r.planIssue(ctx); err != nil || r.plan.refusal != nil || s.Stage != thread.Ahead && s.Stage != thread.Unsure {
		return err
	}
	return r.findDeleted(ctx, s)
}

// planPull goes on with the pull request that the command was given on. The gate has refused forks and what is closed.
func (r *running) planPull(ctx context.Context) error {
	head := r.known.Facts.Head
	feedback, err := r.GitHub.Feedback(ctx, r.Event.Number)
	if err != nil {
		return fmt.Errorf("asking what is open on the pull request: %w", err)
	}
	t := Target{Hub: r.GitHub, Remote: r.Event.Repo, own: true, Target: commands.Target{Name: r.Event.Repo.String(), Commit: git.OID(head.OID), Tip: git.OID(head.OID), Branch: head.Branch,
		Pull: &render.Pull{Number: r.Event.Number, Title: r.known.Facts.Title, URL: pageOf(r.Event.Comment.URL)}}}
	if c := r.commitFor(feedback.Commits); c != nil {
		t.made = &made{branch: head.Branch, commit: c.OID, pull: &github.Pull{Number: t.Pull.Number, Title: t.Pull.Title, URL: t.Pull.URL}}
	}
	r.plan.targets, r.plan.swept = []Target{t}, t.Pull.Number
	r.sweep(ctx, feedback)
	return r.refuseProtected(ctx, &t)
}

// planIssue goes to a pull request for each repository that the issue names, or for its own.
func (r *running) planIssue(ctx context.Context) error {
	names, refusal := commands.ParseTargets(r.known.Facts.Document.Body, r.Event.Repo.Owner)
	if r.plan.refusal = refusal; refusal != nil {
		return nil
	}
	if len(names) == 0 {
		names = []string{r.Event.Repo.String()}
	}
	for _, name := range names {
		t, builds, err := r.target(ctx, name)
		if err != nil || r.plan.refusal != nil {
			return err
		}
		if err := r.settleOn(ctx, t, builds); err != nil || r.plan.refusal != nil {
			return err
		}
	}
	return r.sweepOwn(ctx)
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
		if c := r.commitFor(branch.Commits); c != nil && t.made == nil {
			pull := newest(branch.Pulls, func(github.Pull) bool { return true })
			t.made = &made{branch: branch.Name, commit: c.OID, pull: pull, opened: pull != nil && r.opened(*pull)}
		}
	}
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

// opened reports whether a pull request is one that this command opened.
func (r *running) opened(p github.Pull) bool {
	return p.Ours && !p.Fork && !p.Created.Before(r.Event.Comment.Created)
}

// builtFor reports whether a pull request is ours for this issue: opened by us, with our mark. In its own repository the number
// tells, also when that was renamed.
func (t *Target) builtFor(p github.Pull) bool {
	of := render.BuildOf(p.Body)
	return p.Ours && (strings.EqualFold(of, t.Closes) || t.own && strings.HasSuffix(of, t.Closes[strings.IndexByte(t.Closes, '#'):]))
}

// openBuild finds the newest open pull request of ours for the issue.
func (t *Target) openBuild(b github.Builds) (*github.Branch, *github.Pull) {
	var found *github.Branch
	var best *github.Pull
	for i, branch := range b.Branches {
		p := newest(branch.Pulls, func(p github.Pull) bool { return t.builtFor(p) && !p.Closed })
		if p != nil && len(branch.Commits) > 0 && (best == nil || p.Number > best.Number) {
			found, best = &b.Branches[i], p
		}
	}
	return found, best
}

func (t *Target) closedBuild(b github.Builds) (best *github.Pull) {
	for _, branch := range b.Branches {
		p := newest(branch.Pulls, func(p github.Pull) bool { return t.builtFor(p) && p.Closed && !p.Merged })
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

// refuseProtected refuses to push to a protected branch (S8), and to one that is gone. A new branch is none, and what is pushed
// already is not pushed again.
func (r *running) refuseProtected(ctx context.Context, t *Target) error {
	if t.made != nil {
		return nil
	}
	protected, err := t.Hub.Protected(ctx, t.Branch)
	var failed *github.Error
	switch {
	case errors.As(err, &failed) && failed.Kind == github.Gone:
		r.plan.refusal = &commands.Refusal{Message: "changes code, and the branch of this pull request is gone", Next: "Restore the branch, or open another pull request."}
	case err != nil:
		return fmt.Errorf("asking whether the branch is protected: %w", err)
	case protected:
		r.plan.refusal = &commands.Refusal{Message: "changes code, and the branch of this pull request is protected, so this run may not push to it",
			Next: "Open a pull request from another branch."}
	}
	return nil
}

// commitFor finds the commit that an earlier attempt at this command made.
func (r *running) commitFor(commits []github.Commit) *github.Commit {
	i := slices.IndexFunc(commits, func(c github.Commit) bool {
		return strings.EqualFold(c.Email, r.bot().Email) && commands.MadeFor(c.Message, r.Event.Comment.URL)
	})
	if i < 0 {
		return nil
	}
	return &commits[i]
}

// bot is who commits: the account that we act as.
func (r *running) bot() git.Person {
	login := r.thread.Viewer
	if login == "" {
		return git.Person{}
	}
	account := login
	if id := r.known.Facts.ViewerID; id > 0 {
		account = fmt.Sprintf("%d+%s", id, login)
	}
	return git.Person{Name: login, Email: account + "@users.noreply.github.com"}
}

// pageOf is the page that a comment stands on.
func pageOf(commentURL string) string {
	page, _, _ := strings.Cut(commentURL, "#")
	return page
}
