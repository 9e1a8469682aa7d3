package thread

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/d3mlabs/ai-flow/commands/github"
)

// command is the comment that holds the command.
func (t *Thread) command() github.Ref {
	return github.Ref{Line: t.Event.Surface == github.OnLine, ID: t.Event.Comment.ID}
}

// amend changes a comment to what change makes of it, and returns it as it then stands. Each try reads first, so that an
// edit whose answer was lost is found to have happened, and what a person wrote meanwhile is kept; known is the comment for
// the first try when it has just been read. Between a reading and a writing GitHub lets nobody lock: what is written in that
// moment is lost, and stays in the history of edits (F-60).
func (t *Thread) amend(ctx context.Context, ref github.Ref, known *github.Posted, change func(body string) (string, error)) (github.Posted, error) {
	var last error
	for try := 0; ; try++ {
		is, err := t.read(ctx, ref, known)
		known = nil
		if err != nil && try < maxWrites && !hopeless(err) {
			last = err
			continue
		}
		if err != nil {
			return is, errors.Join(err, last)
		}
		want, err := change(is.Body)
		if err != nil || same(is.Body, want) {
			return is, err
		}
		if try == maxWrites {
			if t.stands(is.Body, want) {
				return is, nil
			}
			return is, last
		}
		stands, err := t.API.EditComment(ctx, ref, is.Body, want)
		switch {
		case err != nil && hopeless(err):
			return is, err
		case err != nil:
			last = err
		case same(stands.Body, want) || t.keeps(stands.Body, want):
			return stands, nil
		default:
			last = errors.New("somebody else writes in the comment, and what was said is gone again")
		}
	}
}

func (t *Thread) read(ctx context.Context, ref github.Ref, known *github.Posted) (github.Posted, error) {
	if known != nil {
		return *known, nil
	}
	return t.API.Comment(ctx, ref)
}

// maxWrites bounds how often one thing is written.
const maxWrites = 3

// same compares bodies as far as GitHub keeps them.
func same(a, b string) bool {
	return strings.TrimSpace(oneLineEnd(a)) == strings.TrimSpace(oneLineEnd(b))
}

// keeps reports whether our blocks of want stand in a body, whatever else does.
func (t *Thread) keeps(body, want string) bool {
	id := t.Event.Comment.ID
	_, a := lift(body, id)
	_, b := lift(want, id)
	return slices.EqualFunc(a, b, func(a, b block) bool { return same(a.raw, b.raw) })
}

// stands reports whether blocks like those of want stand in a body, whatever they say: a server that keeps another text than
// it was sent is no reason to say everything twice.
func (t *Thread) stands(body, want string) bool {
	id := t.Event.Comment.ID
	_, a := lift(body, id)
	_, b := lift(want, id)
	return len(b) > 0 && slices.Equal(marks(a), marks(b))
}

// hopeless is a failure that another try would meet again.
func hopeless(err error) bool {
	var e *github.Error
	if !errors.As(err, &e) || e.Unsure {
		return false
	}
	switch e.Kind {
	case github.Gone, github.Forbidden, github.Unauthorized, github.Invalid, github.Cancelled:
		return true
	}
	return false
}

func isGone(err error) bool {
	var e *github.Error
	return errors.As(err, &e) && e.Kind == github.Gone
}

func unsure(err error) bool {
	var e *github.Error
	return errors.As(err, &e) && e.Unsure
}

// outlet is where comments of our own go.
type outlet struct {
	line   bool  // into the thread of a line, else into the conversation
	thread int64 // the comment that began that thread
}

// replies is where the answer to a lone question goes.
func (t *Thread) replies() outlet {
	if t.Event.Surface != github.OnLine {
		return outlet{}
	}
	o := outlet{line: true, thread: t.Event.Comment.ReplyTo}
	if o.thread == 0 {
		o.thread = t.Event.Comment.ID
	}
	return o
}

// listing is what a list of comments tells about a command.
type listing struct {
	own  []github.Posted // comments of ours about it, oldest first
	here *github.Posted  // the comment with the command, when the list reaches it
}

// list looks for comments of our own. What somebody else wrote is not ours whatever mark it begins with, and without a name
// of our own nothing is.
func (t *Thread) list(ctx context.Context, o outlet) (listing, error) {
	all, err := t.API.Comments(ctx, t.Event.Number, o.line, t.since())
	if err != nil {
		return listing{}, err
	}
	var l listing
	for _, c := range all {
		if c.Ref == t.command() && t.Event.Surface != github.OnReview {
			l.here = &c
			continue
		}
		if _, about := ownMarks(c.Body, t.Event.Comment.ID); about && t.wrote(c) {
			l.own = append(l.own, c)
		}
	}
	slices.SortFunc(l.own, func(a, b github.Posted) int { return int(min(max(a.ID-b.ID, -1), 1)) })
	return l, nil
}

// wrote reports whether a comment is ours.
func (t *Thread) wrote(c github.Posted) bool {
	return t.Viewer != "" && strings.EqualFold(c.Author, t.Viewer)
}

// since is when what we may have said about the command begins: whatever "at or after" means to the second, the command itself
// is in it.
func (t *Thread) since() time.Time {
	if t.Event.Comment.Created.IsZero() {
		return time.Time{}
	}
	return t.Event.Comment.Created.Add(-time.Minute)
}

// publish makes a comment of our own say what text wants it to: the one that counts of those that stand there already, else
// a new one. It looks before each post, so that one whose answer was lost is found and not posted again. text is given what
// is said, what stands in that comment ("" in a new one), and what was listed; its error ends it.
func (t *Thread) publish(ctx context.Context, o outlet, s saying, text func(s saying, is string, l listing) (string, error)) (string, error) {
	t.alone = false
	var last error
	for try := 0; ; try++ {
		l, err := t.list(ctx, o)
		if err != nil {
			return "", errors.Join(err, last)
		}
		best := t.best(l.own)
		switch {
		case t.yields(s, best):
			return best.URL, errors.Join(ErrStands, t.keep(ctx, l.own, best.URL, nil))
		case len(l.own) > 0:
			return t.update(ctx, l.own, best.URL, func(is string) (string, error) { return text(s.over(best), is, l) })
		case try == maxWrites:
			return "", last
		}
		body, err := text(s, "", l)
		if err != nil {
			return "", err
		}
		posted, err := t.API.Post(ctx, t.Event.Number, o.thread, body)
		if err == nil {
			return posted.URL, nil
		}
		if !unsure(err) || t.Viewer == "" {
			return "", err
		}
		last = err
	}
}

// update keeps that of our comments up to date that counts, of equal ones the oldest. Another one, which a disturbed run
// left or a list that was not up to date has caused, becomes a pointer to it: to delete it would need a right and a call
// more, for what hardly ever happens.
func (t *Thread) update(ctx context.Context, own []github.Posted, url string, text func(is string) (string, error)) (string, error) {
	i := max(slices.IndexFunc(own, func(c github.Posted) bool { return c.URL == url }), 0)
	stands, err := t.amend(ctx, own[i].Ref, &own[i], text)
	if err != nil {
		return "", err
	}
	return stands.URL, t.keep(ctx, own, stands.URL, nil)
}

// retire makes a comment of ours point to the one that replaces it.
func (t *Thread) retire(ctx context.Context, c github.Posted, url string) error {
	id := t.Event.Comment.ID
	_, err := t.amend(ctx, c.Ref, &c, func(is string) (string, error) { return aside(id, url, tail(is, id)), nil })
	if isGone(err) {
		return nil
	}
	return err
}
