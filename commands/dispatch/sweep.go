package dispatch

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/d3mlabs/ai-flow/commands"
	"github.com/d3mlabs/ai-flow/commands/github"
	"github.com/d3mlabs/ai-flow/commands/thread"
)

// maxFeedback bounds what one build takes up.
const maxFeedback = 50

// sweepOwn takes up what is open on the pull request that a further /build on an issue goes on with.
func (r *running) sweepOwn(ctx context.Context) error {
	number := 0
	for _, t := range r.plan.targets {
		switch {
		case !t.own:
		case t.made != nil && t.made.pull != nil: // what was pushed there took up what was open, also when people have merged it since
			number = t.made.pull.Number
		case t.Pull != nil:
			number = t.Pull.Number
		}
	}
	if number == 0 {
		return nil
	}
	feedback, err := r.GitHub.Feedback(ctx, number)
	if err != nil {
		return fmt.Errorf("asking what is open on the pull request: %w", err)
	}
	r.plan.swept = number
	r.sweep(ctx, feedback)
	return nil
}

// sweep chooses what of a pull request the build takes up: what people who may write said in the conversation since the
// command that we last committed for, and threads that nobody has resolved and where they said something since we last
// answered. It is what stood there when the command was given, so that a re-run takes up the same. Comments come first,
// since a thread that is left out stays open by itself.
func (r *running) sweep(ctx context.Context, f github.Feedback) {
	since := r.lastBuild(ctx, f)
	for _, c := range f.Comments {
		if c.Created.After(since) && r.counts(ctx, c) {
			r.plan.feedback = append(r.plan.feedback, commands.Feedback{URL: c.URL, Label: "a comment on the pull request, by somebody who may write here",
				Text: remarkText(c)})
		}
	}
	for _, t := range f.Threads {
		if item, ok := r.threadFeedback(ctx, f, t); ok {
			r.plan.feedback = append(r.plan.feedback, item)
		}
	}
	left := max(len(r.plan.feedback)-maxFeedback, 0) + f.More
	r.plan.feedback = r.plan.feedback[:min(maxFeedback, len(r.plan.feedback))]
	if left > 0 {
		r.plan.notes = append(r.plan.notes, fmt.Sprintf("More is open on the pull request than one run takes up: %d threads and comments were left out.", left))
	}
	r.plan.unread = left > 0
	if f.Unread > 0 || f.Older > 0 && len(f.Comments) > 0 && f.Comments[0].Created.After(since) {
		r.plan.unread = true
		r.plan.notes = append(r.plan.notes, "The pull request has more threads and comments than one run reads; the oldest were not looked at.")
	}
}

// lastBuild is when the command was given that we last made a commit for: what people said while the agent worked was not
// taken up. The time is GitHub's; a commit's own is its author's to choose, and a rebase renews it (F-39). Zero when there
// is no such command: then all that was said counts.
func (r *running) lastBuild(ctx context.Context, f github.Feedback) (last time.Time) {
	for _, c := range f.Commits {
		if !strings.EqualFold(c.Email, r.bot().Email) || commands.MadeFor(c.Message, r.Event.Comment.URL) {
			continue
		}
		if at := r.given(ctx, f, commands.CommandID(c.Message)); at.After(last) {
			last = at
		}
	}
	return last
}

// given is when the command of that id was given; zero when that is not to be found out. A command after ours is none yet.
func (r *running) given(ctx context.Context, f github.Feedback, id int64) time.Time {
	if at, known := r.plan.given[id]; known || id == 0 {
		return at
	}
	at := time.Time{}
	if i := slices.IndexFunc(f.Comments, func(c github.Remark) bool { return c.ID == id }); i >= 0 {
		at = f.Comments[i].Created
	} else if len(r.plan.given) < maxAsked {
		c, err := r.GitHub.Comment(ctx, github.Ref{ID: id})
		if err != nil {
			r.say("when the command %d was given could not be found out: %v", id, err)
		}
		at = c.Created
	}
	if !at.Before(r.Event.Comment.Created) {
		at = time.Time{}
	}
	if r.plan.given == nil {
		r.plan.given = map[int64]time.Time{}
	}
	r.plan.given[id] = at
	return at
}

// maxAsked bounds how many earlier commands are asked about.
const maxAsked = 20

// threadFeedback is a thread as data for the agent. A reply of ours answers what was said before the command that it is
// about: what came while that was carried out is open still (F-40).
func (r *running) threadFeedback(ctx context.Context, f github.Feedback, t github.ReviewThread) (item commands.Feedback, open bool) {
	var text strings.Builder
	var answered, last time.Time
	for i, c := range t.Comments {
		switch {
		case c.Ours && thread.Ours(c.Body):
			fmt.Fprintf(&text, "\nWhat an earlier run answered:\n%s\n", c.Body)
			if at := r.answeredUpTo(ctx, f, c); at.After(answered) {
				answered = at
			}
		case r.counts(ctx, c):
			fmt.Fprintf(&text, "\n%s\n", remarkText(c))
			if c.Created.After(last) {
				last = c.Created
			}
		}
		if i == 0 && t.Omitted > 0 {
			fmt.Fprintf(&text, "\n[%d comments are left out here]\n", t.Omitted)
		}
	}
	if !last.After(answered) {
		return item, false
	}
	where := t.Path
	if t.Line > 0 {
		where = fmt.Sprintf("%s, line %d", t.Path, t.Line)
	}
	label := "a review thread on the lines below the name of their file"
	if t.Outdated {
		label += ", which have changed since"
	}
	first := t.Comments[0]
	return commands.Feedback{Thread: first.ID, URL: first.URL, Path: t.Path, Label: label, Text: where + "\n\n" + t.Hunk + "\n" + text.String()}, true
}

// answeredUpTo is the moment up to which a reply of ours has answered its thread.
func (r *running) answeredUpTo(ctx context.Context, f github.Feedback, reply github.Remark) time.Time {
	id := thread.About(reply.Body)
	if id == r.Event.Comment.ID {
		return r.Event.Comment.Created // an earlier attempt at this command
	}
	if at := r.given(ctx, f, id); !at.IsZero() {
		return at
	}
	return reply.Created
}

// counts reports whether somebody's words count: people's who may write, said before the command, and no command. Who edited
// them since must be able to write as well (F-30).
func (r *running) counts(ctx context.Context, c github.Remark) bool {
	given := r.Event.Comment.Created
	switch {
	case c.Ours || c.ID == r.Event.Comment.ID || !c.Created.Before(given) || r.commandIn(c.Body):
		return false
	case !r.mayWrite(ctx, c.Author):
		return false
	}
	return c.Edited.IsZero() || c.Edited.Before(given) || r.mayWrite(ctx, c.Editor)
}

func (r *running) commandIn(body string) bool {
	found, _ := r.read(thread.Clean(body))
	return len(found) > 0
}

// remarkText is a remark with its author's name in front, as data.
func remarkText(c github.Remark) string {
	return "@" + c.Author + ": " + commands.Unfolded(thread.Clean(c.Body))
}

// taken are the threads that a build took up.
func (p *plan) taken() []commands.Feedback {
	return slices.DeleteFunc(slices.Clone(p.feedback), func(f commands.Feedback) bool { return f.Thread == 0 })
}
