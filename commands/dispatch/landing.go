package dispatch

import (
	"cmp"
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

// landing brings a build to the server, as a commands.Landing, and knows what of it is there.
type landing struct {
	*running
	status render.Status
	state  map[string]landed // by the name of the repository
	notes  []string
}

// landed is how far a target's part is.
type landed uint8

const (
	landedUnsure landed = iota + 1 // it may be pushed
	landedBranch                   // it is pushed, without a pull request
	landedWhole
)

// act is what a run knows of its act. A branch without its pull request is not done: whoever comes next opens it.
func (l *landing) act() thread.Act {
	act := thread.ActNone
	for _, s := range l.state {
		if s != landedWhole {
			return thread.ActUnsure
		}
		act = thread.ActDone
	}
	return act
}

// target is the one of the plan that a flow speaks of.
func (l *landing) target(name string) *Target {
	return &l.plan.targets[slices.IndexFunc(l.plan.targets, func(t Target) bool { return t.Name == name })]
}

// Announce writes the result ahead of the pushes (package thread).
func (l *landing) Announce(ctx context.Context, result render.Result) error {
	status := l.status
	status.Writing = "the branch"
	var commits []string
	for _, one := range result.Landings {
		name := one.Repo
		if name == "" {
			name = l.Event.Repo.String()
		}
		commits = append(commits, pushed(name, one.Branch, one.Commit))
	}
	err := l.thread.Ahead(ctx, result, status, l.plan.digest(), digest(commits))
	if errors.Is(err, thread.ErrGone) {
		return commands.ErrTakenBack
	}
	return err
}

// digest is that of where the build goes: whoever comes next knows by it whether they look in the same places.
func (p *plan) digest() string {
	var names []string
	for _, t := range p.targets {
		names = append(names, strings.ToLower(t.Name)+"\n")
	}
	return digest(names)
}

// pushed is a commit on a branch as the announcement has it, and digest is that of all of them.
func pushed(repo, branch, commit string) string {
	return strings.ToLower(repo) + " " + branch + " " + commit + "\n"
}

func digest(lines []string) string { return thread.Digest(strings.Join(lines, "")) }

// Push moves the branch, with a token that can do nothing else and that nobody keeps.
func (l *landing) Push(ctx context.Context, t commands.Target, commit git.OID) error {
	to := l.target(t.Name)
	if err := l.mayPush(ctx, to, t); err != nil {
		return err
	}
	token, err := to.Hub.PushToken(ctx)
	if err != nil {
		return hinted(err)
	}
	err = t.Repo.Push(ctx, l.Remote(to.Remote, token), git.PushOptions{Branch: t.Branch, Old: t.Tip, New: commit})
	var failed *git.PushError
	switch {
	case err == nil && t.Pull != nil:
		l.state[t.Name] = landedWhole
	case err == nil:
		l.state[t.Name] = landedBranch
	case errors.As(err, &failed) && failed.Unsure:
		l.state[t.Name] = landedUnsure
	default:
		delete(l.state, t.Name)
	}
	return err
}

// barriers say why a branch is not pushed to, going on from its name.
var barriers = map[github.Barrier]string{
	github.IsDefault: "is the default branch by now, which this run never pushes to", github.IsProtected: "is protected by now", github.IsArchived: "is in a repository that is archived by now",
}

// mayPush asks once more, right before the push: the agent may have worked for an hour (S8). Nobody looks at a commit on a
// branch whose pull request is closed.
func (l *landing) mayPush(ctx context.Context, to *Target, t commands.Target) error {
	switch err := l.mayChange(ctx, to.Hub); {
	case errors.Is(err, errNoWriter):
		return &commands.BarrierError{Why: "is not pushed to, since who gave the command, or started this attempt, may not write there by now"}
	case err != nil:
		return hinted(err)
	}
	barrier, err := to.Hub.Pushable(ctx, t.Branch)
	if err != nil {
		return hinted(err)
	}
	if why := barriers[barrier]; why != "" || barrier != github.Free {
		return &commands.BarrierError{Why: cmp.Or(why, "cannot be pushed to")}
	}
	if t.Pull == nil {
		return nil
	}
	pulls, err := to.Hub.PullsOf(ctx, t.Branch)
	if err != nil {
		return hinted(err)
	}
	p := newest(pulls, func(p github.Pull) bool { return p.Number == t.Pull.Number })
	switch {
	case p == nil:
		return &commands.BarrierError{Why: "is not that of the pull request any more"}
	case p.Merged:
		return &commands.BarrierError{Why: "has been merged meanwhile"}
	case p.Closed:
		return &commands.BarrierError{Why: "is that of a pull request which was closed meanwhile"}
	}
	return nil
}

// Renew fetches where the branch is by now.
func (l *landing) Renew(ctx context.Context, t commands.Target) (git.OID, error) {
	to := l.target(t.Name)
	token, err := to.Hub.GitToken(ctx)
	if err != nil {
		return "", err
	}
	remote := l.Remote(to.Remote, token)
	tip, err := t.Repo.Tip(ctx, remote, t.Branch)
	if err != nil || tip == "" {
		return "", err
	}
	return tip, t.Repo.Add(ctx, remote, tip)
}

// Open opens the pull request and assigns who asked for it. That nobody could be assigned is said, and no failure (F-48).
func (l *landing) Open(ctx context.Context, t commands.Target, title, body string) (p render.Pull, opened bool, err error) {
	to := l.target(t.Name)
	pull, fresh, err := l.ensurePull(ctx, to, t.Branch, title, body)
	if err != nil {
		return p, false, hinted(err)
	}
	l.state[t.Name] = landedWhole
	if fresh && !l.assign(ctx, to.Hub, pull.Number) {
		l.notes = append(l.notes, fmt.Sprintf("The pull request could not be assigned to `%s`.", l.Event.Comment.Author.Login))
	}
	return shown(pull), fresh, nil
}

// hinted carries over what GitHub's client knows a person can do.
func hinted(err error) error {
	var e *github.Error
	if errors.As(err, &e) && e.Next != "" {
		return &commands.HintError{Next: e.Next, Err: err}
	}
	return err
}

func shown(p github.Pull) render.Pull {
	return render.Pull{Number: p.Number, Title: p.Title, URL: p.URL}
}

func (j *Job) redacted(text string) string {
	if j.Redact == nil {
		return text
	}
	return j.Redact(text)
}

// ensurePull opens a pull request once: when the answer got lost, or there is one already, it is looked for (F-34, H7-04).
// fresh says that this command opened it.
func (r *running) ensurePull(ctx context.Context, to *Target, branch, title, body string) (pull github.Pull, fresh bool, err error) {
	hub, p := to.Hub, github.NewPull{Title: r.redacted(title), Body: r.redacted(body), Head: branch, Base: to.base}
	pull, err = hub.OpenPull(ctx, p)
	var failed *github.Error
	if err == nil || !errors.As(err, &failed) || !failed.Unsure && failed.Kind != github.Invalid {
		return pull, err == nil, err
	}
	all, looked := hub.PullsOf(ctx, p.Head)
	if looked != nil {
		return pull, false, errors.Join(err, looked)
	}
	for _, known := range all {
		if known.Base == p.Base && !known.Closed {
			return known, r.opened(known), nil
		}
	}
	if !failed.Unsure {
		return pull, false, err
	}
	pull, err = hub.OpenPull(ctx, p)
	return pull, err == nil, err
}
