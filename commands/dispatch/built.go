package dispatch

import (
	"context"
	"fmt"

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
	told := r.repeated("an earlier attempt pushed the work and ended before it could say so; what was missing is made up for")
	var landings []render.Landing
	var commits []string
	for _, t := range r.plan.made() {
		pull, err := r.pullOf(ctx, t)
		if err != nil {
			told.Err = fmt.Errorf("opening the pull request of what was pushed to %s: %w", t.Name, err)
			return told // the next attempt goes on from here
		}
		l := render.Landing{Branch: t.made.branch, Commit: t.made.commit, URL: commitURL(r.Event.Comment.URL, r.Event.Repo, t), Pull: &pull, Opened: true}
		if t.Hub != r.GitHub {
			l.Repo = t.Name
		}
		landings, commits = append(landings, l), append(commits, pushed(t.Name, t.made.branch, t.made.commit))
	}
	if err := r.answerThreads(ctx, nil, landings); err != nil {
		r.say("not every review thread could be answered: %v", err)
	}
	switch {
	case s.Stage == thread.Ahead && s.After == digest(commits):
		told.URL, told.Err = r.thread.Settle(ctx, func(text string) string { return render.FillPulls(text, landings) })
	default:
		result := r.lost(render.LostBuild)
		result.Landings = landings
		told.URL, told.Err = r.thread.Tell(ctx, result, thread.ActDone)
	}
	return told
}

// earlierBuild decides by what an earlier attempt has pushed. What it announced and did not push is done again. Where that
// cannot be seen, because the issue leads elsewhere by now, a person decides.
func (r *running) earlierBuild(ctx context.Context, s thread.Standing) (told Told, done bool) {
	switch {
	case len(r.plan.made()) > 0:
		return r.finishBuild(ctx, s), true
	case r.plan.refusal == nil || s.Stage < thread.Ahead:
		return Told{}, false
	}
	o := commands.Fail(ctx, r.q, commands.Problem{Class: "lost", Message: "an attempt ended while it was pushing"})
	o.Result = r.lost(render.LostPush)
	told = Told{Outcome: o}
	told.URL, told.Err = r.thread.Tell(ctx, o.Result, thread.ActUnsure)
	return told, true
}

// pullOf is the pull request of what was pushed. One that a person has closed stays closed.
func (r *running) pullOf(ctx context.Context, t Target) (render.Pull, error) {
	if t.made.pull != nil {
		return shown(*t.made.pull), nil
	}
	text := render.PullText{Issue: pageOf(r.Event.Comment.URL), Requester: r.Event.Comment.Author.Login, Command: r.Event.Comment.URL, RunURL: r.RunURL, Number: r.Event.Number}
	if t.Hub == r.GitHub {
		text.Closes = t.Closes
	} else {
		text.PartOf = t.Closes
	}
	pull, _, err := ensurePull(ctx, t.Hub, github.NewPull{Title: render.PullTitle(r.redacted(r.known.Facts.Title)), Body: r.redacted(render.PullBody(text)), Head: t.made.branch, Base: t.base})
	if err != nil {
		return render.Pull{}, err
	}
	if err := t.Hub.Assign(ctx, pull.Number, r.Event.Comment.Author.Login); err != nil {
		r.say("assigning the pull request: %v", err)
	}
	return shown(pull), nil
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
	return r.thread.Answer(ctx, replies)
}

// commitURL is where a person reads the commit, "" where the comment does not tell on which server.
func commitURL(commentURL string, own github.Repo, t Target) string {
	return commands.CommitURL(commentURL, own.String(), t.Name, t.made.commit)
}
