package dispatch

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/d3mlabs/ai-flow/commands"
	"github.com/d3mlabs/ai-flow/commands/git"
	"github.com/d3mlabs/ai-flow/commands/github"
	"github.com/d3mlabs/ai-flow/commands/thread"
	"github.com/d3mlabs/ai-flow/render"
)

// plan is where a build goes and what it takes up, decided by what GitHub says before anything runs.
type plan struct {
	standing thread.Standing // what an earlier attempt has left on the thread
	targets  []Target
	feedback []commands.Feedback
	swept    int               // the number of the pull request that the feedback is from; 0: none
	unknown  int               // people of whom it could not be found out whether their words count
	counted  map[string]bool   // those of them that failed, by login
	unread   bool              // there is more on the pull request than was looked at
	notes    []string          // ours
	refusal  *commands.Refusal // why there is nowhere to go; nil: there is
}

// planBuild asks where the build goes, and what of it an earlier attempt has made, of which s stands on the thread.
func (r *running) planBuild(ctx context.Context, s thread.Standing) error {
	r.plan = &plan{standing: s}
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
		Pull: &render.Pull{Number: r.Event.Number, Title: r.known.Facts.Title, URL: commands.PageOf(r.Event.Comment.URL)}}}
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
