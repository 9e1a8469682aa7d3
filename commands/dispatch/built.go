package dispatch

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/d3mlabs/ai-flow/commands"
	"github.com/d3mlabs/ai-flow/commands/github"
	"github.com/d3mlabs/ai-flow/commands/thread"
	"github.com/d3mlabs/ai-flow/render"
)

// made are the targets on which an earlier attempt at the command has pushed its work.
func (p *plan) made() (list []Target) {
	for _, t := range p.targets {
		if t.made != nil {
			list = append(list, t)
		}
	}
	return list
}

// finishBuild ends what an earlier attempt has begun and pushed: pull requests, replies, result. The work is not done again.
func (r *running) finishBuild(ctx context.Context, s thread.Standing) Told {
	f := &finishing{running: r}
	for _, t := range r.plan.made() {
		f.finish(ctx, t)
	}
	if err := r.answerThreads(ctx, nil, f.landings); err != nil {
		r.say("not every review thread could be answered: %v", err)
	}
	if f.failed != nil {
		return f.unopened(ctx, s)
	}
	told := r.repeated("an earlier attempt pushed the work and ended before it could say so; what was missing is made up for")
	if s.Stage == thread.Ahead && s.After == digest(f.commits) {
		told.URL, told.Err = r.thread.Settle(ctx, func(text string) string { return render.FillPulls(text, f.landings) })
		return told
	}
	told.URL, told.Err = r.thread.Tell(ctx, f.result(s), thread.ActDone)
	return told
}

// finishing is what of a build could be ended.
type finishing struct {
	*running
	landings []render.Landing
	commits  []string
	failed   error // of a pull request that could not be opened
}

// finish opens the pull request of a target.
func (f *finishing) finish(ctx context.Context, t Target) {
	l := render.Landing{Branch: t.made.branch, Commit: t.made.commit, URL: commitURL(f.Event.Comment.URL, f.Event.Repo, t), Opened: t.made.opened || t.made.pull == nil}
	if t.Hub != f.GitHub {
		l.Repo = t.Name
	}
	pull, err := f.pullOf(ctx, t)
	if err != nil {
		f.failed = errors.Join(f.failed, fmt.Errorf("opening the pull request of what was pushed to %s: %w", t.Name, err))
		l.Opened = false
	} else {
		l.Pull = &pull
	}
	f.landings, f.commits = append(f.landings, l), append(f.commits, pushed(t.Name, t.made.branch, t.made.commit))
}

// result is what is told in the place of what got lost. What was meant for a repository in which nothing of ours is found is
// lost as well, if there was anything: that is said, and so is where an earlier result with its patches is to be found.
func (f *finishing) result(s thread.Standing) render.Result {
	result := f.lost(render.LostBuild)
	result.Landings = f.landings
	for _, t := range f.plan.targets {
		if t.made == nil {
			result.Outcome, result.NextStep = render.Restricted, "Look at what is missing, and give the command again in a new comment."
			result.Notes = append(result.Notes, fmt.Sprintf("Nothing of this command was found in `%s`: what was meant for it, if anything was, is lost.", t.Name))
		}
	}
	if s.Before != "" && s.Before != f.plan.digest() {
		result.Outcome = render.Restricted
		result.Notes = append(result.Notes, "The command was to change other repositories than the issue names by now; these were not looked at.")
	}
	if s.Stage == thread.Unsure {
		result.Notes = append(result.Notes, "An earlier result stood here; it is in the history of the comment’s edits and, with its patches, on the page of the run.")
	}
	return result
}

// unopened is a branch that stays without its pull request. What an earlier attempt has said of that stands.
func (f *finishing) unopened(ctx context.Context, s thread.Standing) Told {
	p := problem("github", "an earlier attempt pushed the work, and its pull request could not be opened", f.failed)
	p.Next = strings.TrimSpace(p.Next + " Open it yourself, or run the job again, which opens it.")
	o := commands.Fail(ctx, f.q, p)
	f.say("%v", f.failed)
	told := Told{Outcome: o, URL: s.URL}
	if s.Stage == thread.Unsure {
		return told
	}
	o.Result.Notes = append(o.Result.Notes, f.whereabouts())
	told.Outcome = o
	told.URL, told.Err = f.thread.Tell(ctx, o.Result, thread.ActUnsure)
	return told
}

// whereabouts names the branches that hold the work.
func (f *finishing) whereabouts() string {
	var names []string
	for _, l := range f.landings {
		name := fmt.Sprintf("`%s`", l.Branch)
		if l.Repo != "" {
			name += fmt.Sprintf(" of `%s`", l.Repo)
		}
		names = append(names, name)
	}
	return "The work is on " + strings.Join(names, " and ") + "."
}

// earlierBuild decides by what an earlier attempt has pushed. What it announced and did not push is done again. Where that
// cannot be seen, because the issue leads elsewhere by now, a person decides.
func (r *running) earlierBuild(ctx context.Context, s thread.Standing) (told Told, done bool) {
	switch {
	case len(r.plan.made()) > 0:
		return r.finishBuild(ctx, s), true
	case s.Stage < thread.Ahead, r.fate(s) == fateUndone:
		return Told{}, false
	}
	o := commands.Fail(ctx, r.q, commands.Problem{Class: "lost", Message: "an attempt ended while it was pushing"})
	o.Result = r.lost(render.LostPush)
	told = Told{Outcome: o}
	told.URL, told.Err = r.thread.Tell(ctx, o.Result, thread.ActUnsure)
	return told, true
}

// findDeleted finds what was pushed to branches that people have deleted since, as they do once they have merged: the pull
// request is there still, and the name is free again.
func (r *running) findDeleted(ctx context.Context, s thread.Standing) error {
	for i := range r.plan.targets {
		t := &r.plan.targets[i]
		if t.made != nil {
			continue
		}
		name := commands.FreeBranch(t.Prefix, r.redacted(r.q.Title), t.Names)
		pulls, err := t.Hub.PullsOf(ctx, name)
		if err != nil {
			return fmt.Errorf("looking for the pull requests of the branch %q of %s: %w", name, t.Name, err)
		}
		p := newest(pulls, func(p github.Pull) bool {
			return p.Ours && p.Closed && (r.opened(p) || s.After == digest([]string{pushed(t.Name, name, p.HeadOID)}))
		})
		if p != nil {
			t.made = &made{branch: name, commit: p.HeadOID, pull: p, opened: r.opened(*p)}
		}
	}
	return nil
}

// pullOf is the pull request of what was pushed. One that a person has closed stays closed. Whoever opened it may have been
// killed before it was assigned.
func (r *running) pullOf(ctx context.Context, t Target) (render.Pull, error) {
	if p := t.made.pull; p != nil {
		if t.made.opened && !p.Closed {
			r.assign(ctx, t.Hub, p.Number)
		}
		return shown(*p), nil
	}
	text := render.PullText{Issue: commands.PageOf(r.Event.Comment.URL), Requester: r.Event.Comment.Author.Login, Command: r.Event.Comment.URL, RunURL: r.RunURL}
	if t.Hub == r.GitHub {
		text.Closes = t.Closes
	} else {
		text.PartOf = t.Closes
	}
	pull, _, err := r.ensurePull(ctx, &t, t.made.branch, render.PullTitle(r.known.Facts.Title), render.PullBody(text))
	if err != nil {
		return render.Pull{}, err
	}
	r.assign(ctx, t.Hub, pull.Number)
	return shown(pull), nil
}

// assign assigns the pull request to who asked for it. That it could not be is no failure (F-48).
func (r *running) assign(ctx context.Context, hub *github.Client, number int) (ok bool) {
	err := hub.Assign(ctx, number, r.Event.Comment.Author.Login)
	if err != nil {
		r.say("assigning the pull request: %v", err)
	}
	return err == nil
}

// answerThreads leaves a word in each review thread that was taken up, once. Without words of the agent's there is the commit.
func (r *running) answerThreads(ctx context.Context, said []commands.Disposition, landings []render.Landing) error {
	if said == nil {
		for _, f := range r.plan.taken() {
			said = append(said, commands.Disposition{Thread: f.Thread, Disposition: render.Disposition{URL: f.URL, Path: f.Path}})
		}
	}
	if len(said) == 0 {
		return nil
	}
	commit, url := "", ""
	for _, l := range landings {
		if l.Repo == "" { // the threads are of this repository's
			commit, url = l.Commit, l.URL
		}
	}
	var replies []thread.Reply
	for _, d := range said {
		replies = append(replies, thread.Reply{Thread: d.Thread, Body: render.ThreadReply(d.Disposition, commit, url, r.Event.Comment.URL, r.RunURL)})
	}
	conversation := *r.thread
	conversation.Event.Number = r.plan.swept // not the issue that the command stands on
	return conversation.Answer(ctx, replies)
}

// commitURL is where a person reads the commit, "" where the comment does not tell on which server.
func commitURL(commentURL string, own github.Repo, t Target) string {
	return commands.CommitURL(commentURL, own.String(), t.Name, t.made.commit)
}
