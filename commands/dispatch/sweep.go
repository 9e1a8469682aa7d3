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
func (r *running) sweepOwn(ctx context.Context, own github.Builds) error {
	_, pull := openBuild(own)
	for _, t := range r.plan.targets { // what was pushed there took up what was open, also when people have merged it since
		if t.Hub == r.GitHub && t.made != nil && t.made.pull != nil {
			pull = t.made.pull
		}
	}
	if pull == nil {
		return nil
	}
	feedback, err := r.GitHub.Feedback(ctx, pull.Number)
	if err != nil {
		return fmt.Errorf("asking what is open on the pull request: %w", err)
	}
	r.plan.swept = pull.Number
	r.sweep(ctx, feedback)
	return nil
}

// sweep chooses what of a pull request the build takes up: threads that nobody has resolved and that we have not answered
// since somebody who may write wrote there, and what they said in the conversation since our last commit. It is what stood
// there when the command was given, so that a re-run takes up the same.
func (r *running) sweep(ctx context.Context, f github.Feedback) {
	for _, t := range f.Threads {
		if item, ok := r.threadFeedback(ctx, t); ok {
			r.plan.feedback = append(r.plan.feedback, item)
		}
	}
	since := r.lastBuild(f)
	for _, c := range f.Comments {
		if c.Created.After(since) && r.counts(ctx, c) {
			r.plan.feedback = append(r.plan.feedback, commands.Feedback{URL: c.URL, Label: "a comment on the pull request, by somebody who may write here",
				Text: remarkText(c)})
		}
	}
	if f.Older > 0 && len(f.Comments) > 0 && f.Comments[0].Created.After(since) {
		r.plan.notes = append(r.plan.notes, "The pull request has more comments than one run reads; the oldest that are new were left out.")
	}
	if more := len(r.plan.feedback) - maxFeedback; more > 0 || f.More > 0 {
		r.plan.feedback = r.plan.feedback[:min(maxFeedback, len(r.plan.feedback))]
		r.plan.notes = append(r.plan.notes, fmt.Sprintf("More is open on the pull request than one run takes up: %d threads and comments are left for the next.", max(more, 0)+f.More))
	}
}

// lastBuild is when the command was given that we last made a commit for, by GitHub's clock: what people said while the agent
// worked was not taken up. Where that command stands elsewhere, on the issue, it is when the commit was made, by its own word.
// Zero when there is no commit of ours (F-39).
func (r *running) lastBuild(f github.Feedback) (last time.Time) {
	for _, c := range f.Commits {
		if !strings.EqualFold(c.Email, r.bot().Email) || commands.MadeFor(c.Message, r.Event.Comment.URL) {
			continue
		}
		at := c.Committed
		if i := slices.IndexFunc(f.Comments, func(said github.Remark) bool { return commands.MadeFor(c.Message, said.URL) }); i >= 0 {
			at = f.Comments[i].Created
		}
		if at.After(last) {
			last = at
		}
	}
	return last
}

// threadFeedback is a thread as data for the agent. One that begins with a command is a conversation with us, and one in
// which we have the last word is answered (F-40).
func (r *running) threadFeedback(ctx context.Context, t github.ReviewThread) (f commands.Feedback, ok bool) {
	if len(t.Comments) == 0 || r.commandIn(t.Comments[0].Body) {
		return f, false
	}
	var text strings.Builder
	open := false
	for i, c := range t.Comments {
		switch {
		case c.Ours && thread.Ours(c.Body):
			open = false
			fmt.Fprintf(&text, "\nWhat an earlier run answered:\n%s\n", c.Body)
		case r.counts(ctx, c):
			open = true
			fmt.Fprintf(&text, "\n%s\n", remarkText(c))
		}
		if i == 0 && t.Omitted > 0 {
			fmt.Fprintf(&text, "\n[%d comments are left out here]\n", t.Omitted)
		}
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
	return commands.Feedback{Thread: first.ID, URL: first.URL, Path: t.Path, Label: label, Text: where + "\n\n" + t.Hunk + "\n" + text.String()}, open
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
	return c.Edited.IsZero() || c.Edited.Before(given) || c.Editor == "" || r.mayWrite(ctx, c.Editor)
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
