package dispatch

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/d3mlabs/ai-flow/commands"
	"github.com/d3mlabs/ai-flow/commands/github"
	"github.com/d3mlabs/ai-flow/commands/thread"
	"github.com/d3mlabs/ai-flow/render"
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
		if !c.Created.Before(since) && r.counts(ctx, c) {
			r.plan.feedback = append(r.plan.feedback, commands.Feedback{URL: c.URL, Label: "a comment on the pull request, by somebody who may write here",
				Text: remarkText(c)})
		}
	}
	for _, t := range f.Threads {
		if item, ok := r.threadFeedback(ctx, t); ok {
			r.plan.feedback = append(r.plan.feedback, item)
		}
	}
	left := max(len(r.plan.feedback)-maxFeedback, 0) + f.More
	r.plan.feedback = r.plan.feedback[:min(maxFeedback, len(r.plan.feedback))]
	if left > 0 {
		r.leave(fmt.Sprintf("More is open on the pull request than one run takes up: %d threads and comments were left out.", left))
	}
	if f.Unread > 0 || f.ReadSince.After(since) {
		r.leave("The pull request has more threads and comments than one run reads; the oldest were not looked at.")
	}
	if n := r.plan.unknown; n > 0 {
		r.leave(fmt.Sprintf("Of %d people who said something it could not be found out whether they may write here, so it was left out.", n))
	}
}

// leave notes that something on the pull request was not taken up, so that nobody is told that all was looked at.
func (r *running) leave(note string) {
	r.plan.unread = true
	r.plan.notes = append(r.plan.notes, note)
}

// lastBuild is when the /build was given that we last made a commit for: what people said while the agent worked was not
// taken up. The time is GitHub's; a commit's own is its author's to choose, and a rebase renews it (F-39). A commit says only
// what to look up: anybody may write ours off, and have it merged. Zero when there is none: then all that was said counts.
func (r *running) lastBuild(ctx context.Context, f github.Feedback) (last time.Time) {
	asked := 0
	for _, c := range f.Commits {
		id := commands.CommandID(c.Message)
		if id == 0 || id == r.Event.Comment.ID || !strings.EqualFold(c.Email, r.bot().Email) || asked == maxAsked {
			continue
		}
		given := github.Remark{}
		if i := slices.IndexFunc(f.Comments, func(c github.Remark) bool { return c.ID == id }); i >= 0 {
			given = f.Comments[i]
		} else {
			asked++
			given = r.elsewhere(ctx, id)
		}
		if given.Created.After(last) && given.Created.Before(r.Event.Comment.Created) && commands.MadeFor(c.Message, given.URL) && r.builds(ctx, given) {
			last = given.Created
		}
	}
	return last
}

// maxAsked bounds how many earlier commands are asked about.
const maxAsked = 10

// elsewhere is the comment with an earlier command on the issue that the pull request was built for.
func (r *running) elsewhere(ctx context.Context, id int64) github.Remark {
	c, err := r.GitHub.Comment(ctx, github.Ref{ID: id})
	if err != nil {
		r.say("when the command %d was given could not be found out: %v", id, err)
		return github.Remark{}
	}
	page := commands.PageOf(c.URL)
	_, issue, _ := strings.Cut(render.BuildOf(r.known.Facts.Document.Body), "#")
	if page != commands.PageOf(r.Event.Comment.URL) && (issue == "" || !strings.HasSuffix(page, "/issues/"+issue)) {
		return github.Remark{}
	}
	return github.Remark{Text: github.Text{Body: c.Body, Author: c.Author, Created: c.Created}, ID: id, URL: c.URL}
}

// builds reports whether a comment is a /build by somebody who may write.
func (r *running) builds(ctx context.Context, c github.Remark) bool {
	comment, _ := commands.Parse(thread.Clean(c.Body), r.Prefix) // a refusal made no commit
	return commands.Heaviest(comment.Segments) == commands.Build && r.mayWrite(ctx, c.Author)
}

// threadFeedback is a thread as data for the agent. A reply of ours answers what was said before the command that it is
// about: what came while that was carried out is open still (F-40).
func (r *running) threadFeedback(ctx context.Context, t github.ReviewThread) (item commands.Feedback, open bool) {
	var text strings.Builder
	var answered, last time.Time
	for i, c := range t.Comments {
		switch {
		case c.Ours && thread.Ours(c.Body):
			fmt.Fprintf(&text, "\nWhat an earlier run answered:\n%s\n", c.Body)
			at := thread.Answered(c.Body)
			if at.IsZero() {
				at = c.Created
			}
			if at.After(answered) {
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
			r.leave(fmt.Sprintf("A review thread on %s has more comments than one run reads; the oldest but the first were not looked at.", inCode(t.Path)))
		}
	}
	if last.IsZero() || last.Before(answered) {
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

// inCode shows a foreign path in a sentence of ours.
func inCode(path string) string {
	return "`" + strings.Map(func(c rune) rune {
		if c == '`' || !unicode.IsPrint(c) {
			return '?'
		}
		return c
	}, path[:min(len(path), 120)]) + "`"
}

// counts reports whether somebody's words count: people's who may write, said no later than the command, and no command.
// Who edited them since must be able to write as well (F-30). GitHub's times are seconds: what has the same one belongs to
// both sides, and is rather taken up twice than lost.
func (r *running) counts(ctx context.Context, c github.Remark) bool {
	given := r.Event.Comment.Created
	if c.Ours || c.ID == r.Event.Comment.ID || c.Created.After(given) || r.commandIn(c.Body) || !r.mayTake(ctx, c.Author) {
		return false
	}
	return c.Edited.IsZero() || c.Edited.Before(given) || r.mayTake(ctx, c.Editor)
}

// maxPeople bounds how many people are asked about: who may not write is many people's choice, and each is a call.
const maxPeople = 50

// mayTake asks whether somebody's words may be taken up, and takes note of those of whom that cannot be found out.
func (r *running) mayTake(ctx context.Context, login string) bool {
	key := strings.ToLower(login)
	if _, asked := r.people.known[key]; !asked && len(r.people.known) >= maxPeople {
		r.plan.unknown++
		return false
	}
	may := r.mayWrite(ctx, login)
	if known, asked := r.people.known[key]; asked && known.err != nil && !r.plan.counted[key] {
		if r.plan.counted == nil {
			r.plan.counted = map[string]bool{}
		}
		r.plan.counted[key] = true
		r.plan.unknown++
	}
	return may
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
