package thread

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/d3mlabs/ai-flow/commands/github"
)

// Reply is what is to stand in a review thread about the command, once.
type Reply struct {
	Thread int64  // the comment that began the thread
	Body   string // rendered
}

// Answer posts replies in review threads, each between our marks and each once: it looks for those that an earlier attempt
// has left, and looks again before it posts one anew whose answer was lost (F-40, F-59, H7-04). One call to list, one for
// each reply; none is ever edited. A thread that is gone is left out, and of two replies for one thread the second. Where it
// cannot be seen what stands there, nothing is posted. It goes on after a failure that is one reply's own; after one that
// the next would meet as well the error says how many are left. All errors are returned.
func (t *Thread) Answer(ctx context.Context, replies []Reply) error {
	var a answers
	for _, r := range replies {
		a.left = append(a.left, pending{Reply: r})
	}
	if len(a.left) > 0 && t.Viewer == "" {
		return a.end(errors.New("it is not known who we are, and so not what we have posted"))
	}
	for try := 0; len(a.left) > 0; try++ {
		there, err := t.answered(ctx)
		if err != nil {
			return a.end(err)
		}
		a.left = slices.DeleteFunc(a.left, func(p pending) bool { return there[p.Thread] })
		if try == maxWrites {
			break
		}
		if err := a.post(ctx, t); err != nil {
			return a.end(err)
		}
	}
	return errors.Join(a.errs()...)
}

// answered are the threads that hold a reply of ours about the command.
func (t *Thread) answered(ctx context.Context) (map[int64]bool, error) {
	all, err := t.API.Comments(ctx, t.Event.Number, true, t.since())
	if err != nil {
		return nil, err
	}
	there := map[int64]bool{}
	for _, c := range all {
		if m, ours := ownMark(c.Body); ours && m.word == wordReply && m.id == t.Event.Comment.ID && t.wrote(c) {
			there[m.thread] = true
		}
	}
	return there, nil
}

// answers is how far Answer has come.
type answers struct {
	left   []pending
	failed []error // about replies that are given up
}

// pending is a reply that is not known to stand there.
type pending struct {
	Reply
	doubt error // its last post may have happened
}

// post tries each reply once, and returns what ends it all. Those whose answers were lost are looked for after all others:
// that is one list for all of them, and later, when it is the more likely to show them.
func (a *answers) post(ctx context.Context, t *Thread) error {
	all, met := a.left, map[int64]bool{}
	a.left = nil
	for i, p := range all {
		if met[p.Thread] {
			continue
		}
		met[p.Thread] = true
		err := context.Cause(ctx)
		if err == nil {
			err = t.post(ctx, p.Reply)
		}
		switch {
		case err == nil, isGone(err):
		case unsure(err):
			a.left = append(a.left, pending{p.Reply, err})
		case ctx.Err() != nil, general(err):
			a.left = append(a.left, all[i:]...)
			return err
		default:
			a.failed = append(a.failed, err)
		}
	}
	return nil
}

// end is what is returned when no more is tried.
func (a *answers) end(why error) error {
	return errors.Join(append(a.errs(), fmt.Errorf("answering in review threads, %d of them left: %w", len(a.left), why))...)
}

func (a *answers) errs() []error {
	errs := slices.Clone(a.failed)
	for _, p := range a.left {
		if p.doubt != nil {
			errs = append(errs, p.doubt)
		}
	}
	return errs
}

// post posts one reply, without a look.
func (t *Thread) post(ctx context.Context, r Reply) error {
	m := mark{word: wordReply, id: t.Event.Comment.ID, thread: r.Thread}
	if given := t.Event.Comment.Created; !given.IsZero() {
		m.given = max(given.Unix(), 0)
	}
	body := framed(m, t.clean(r.Body))
	var err error
	switch {
	case r.Thread <= 0: // it would go into the conversation
		err = errors.New("no comment began it")
	case len(body) > maxBody:
		err = errNoRoom
	default:
		_, err = t.API.Post(ctx, t.Event.Number, r.Thread, body)
	}
	if err != nil {
		return fmt.Errorf("replying in the review thread %d: %w", r.Thread, err)
	}
	return nil
}

// general reports whether the next reply would fail as this one did.
func general(err error) bool {
	var e *github.Error
	if !errors.As(err, &e) {
		return false
	}
	switch e.Kind {
	case github.Limited, github.Unauthorized, github.Cancelled, github.Unreachable:
		return true
	}
	return e.Setup
}
