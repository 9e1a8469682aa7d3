package thread

import (
	"context"
	"errors"
	"fmt"

	"github.com/d3mlabs/ai-flow/commands/github"
	"github.com/d3mlabs/ai-flow/render"
)

// Tell writes the result in the place of everything of ours, and returns the address where it stands. acted says that it
// must not be done again by a re-run. When the first place cannot be written the next is tried (F-47): a reply, for a lone
// question; the comment with the command; a comment of our own that points to it. With an address an error is about what
// could not be tidied up (a status line that is left), or it is ErrStands: a result that did not act replaces none that did.
func (t *Thread) Tell(ctx context.Context, r render.Result, acted bool) (url string, err error) {
	return t.say(ctx, t.saying(r, acted))
}

// Ahead writes the result of an act that is about to be done, with a status line that says so and holds the digests (see
// Digest) of the document before and after. After an error the act must not be done. ErrGone when the command was taken
// back.
func (t *Thread) Ahead(ctx context.Context, r render.Result, status render.Status, before, after string) error {
	if !digestShape.MatchString(before) || !digestShape.MatchString(after) {
		return fmt.Errorf("announcing a result: %.40q and %.40q are not both digests", before, after)
	}
	s := t.saying(r, true)
	s.status, s.before, s.after = render.StatusLine(status), before, after
	url, err := t.say(ctx, s)
	if url != "" {
		t.looked = true
		return nil
	}
	return err
}

func (t *Thread) saying(r render.Result, act bool) saying {
	s := saying{id: t.Event.Comment.ID, result: r, stage: told}
	switch {
	case act:
		s.stage = acted
	case r.Outcome == render.Failed, r.Outcome == render.Cancelled, r.Outcome == render.Refused:
		s.stage = failed
	}
	return s
}

// repliesWith reports whether this is an answer that stands in a reply of its own.
func (t *Thread) repliesWith(s saying) bool {
	return t.Lone && s.stage == told && (s.result.Outcome == render.Done || s.result.Outcome == render.Restricted)
}

func (t *Thread) say(ctx context.Context, s saying) (url string, err error) {
	t.Now = nil
	if t.Event.Surface == github.OnReview {
		return t.publish(ctx, outlet{}, func(l listing) (string, error) {
			if len(l.own) > 0 && s.stage != acted && t.protects(ownStanding(l.own[0].Body, s.id)) {
				return "", ErrStands
			}
			return t.review(s)
		})
	}
	var noReply error
	if t.repliesWith(s) {
		if url, noReply = t.reply(ctx, s); url != "" || errors.Is(noReply, ErrGone) {
			return url, noReply
		}
	}
	url, err = t.write(ctx, s)
	gone := isGone(err)
	switch {
	case err == nil:
		return url, t.recall(ctx, url)
	case errors.Is(err, ErrStands):
		return url, err
	case gone && (s.stage != acted || s.before != ""):
		return "", ErrGone
	}
	t.strays = true
	url, last := t.publish(ctx, outlet{}, func(listing) (string, error) { return t.instead(s, gone) })
	if url == "" {
		return "", errors.Join(noReply, err, last)
	}
	return url, errors.Join(last, t.clear(ctx))
}

// protects reports whether what stands there is no matter of a status line or of a result that did not act.
func (t *Thread) protects(s Standing) bool {
	return s.Stage == Acted || s.Stage == Ahead && !t.looked
}

// write puts what is said into the comment with the command.
func (t *Thread) write(ctx context.Context, s saying) (url string, err error) {
	p, err := t.amend(ctx, t.command(), nil, func(body string) (string, error) {
		clean, blocks := lift(body, s.id)
		if s.stage != acted && t.protects(standing(marks(blocks))) {
			return "", ErrStands
		}
		return t.inPlace(clean, s)
	})
	if err != nil && !errors.Is(err, ErrStands) {
		return "", err
	}
	return t.address(p), err
}

// address of the comment with the command.
func (t *Thread) address(p github.Posted) string {
	if p.URL != "" {
		return p.URL
	}
	return t.Event.Comment.URL
}

// reply answers a lone question, and takes what stood in the comment with the command away afterwards: whoever is killed
// between the two leaves an answer and a status line, and not nothing.
func (t *Thread) reply(ctx context.Context, s saying) (url string, err error) {
	clean := false
	url, err = t.publish(ctx, t.replies(), func(l listing) (string, error) {
		if l.here == nil { // the list has an end, or the question is gone
			p, err := t.API.Comment(ctx, t.command())
			if isGone(err) {
				return "", ErrGone
			}
			if err != nil {
				return "", err
			}
			l.here = &p
		}
		clean = Strip(l.here.Body, s.id) == l.here.Body
		return t.answer(s), nil
	})
	if url == "" {
		return "", err
	}
	err = errors.Join(err, t.recall(ctx, url))
	if !clean {
		err = errors.Join(err, t.clear(ctx))
	}
	return url, err
}

// clear takes everything of ours out of the comment with the command.
func (t *Thread) clear(ctx context.Context) error {
	_, err := t.amend(ctx, t.command(), nil, func(body string) (string, error) { return Strip(body, t.Event.Comment.ID), nil })
	if isGone(err) {
		return nil
	}
	return err
}
