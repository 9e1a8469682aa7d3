package thread

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/d3mlabs/ai-flow/commands/github"
	"github.com/d3mlabs/ai-flow/render"
)

// Tell writes the result in the place of everything of ours, and returns the address where it stands. act says whether
// it may be done again by a re-run; with ActUnsure the digests of the announcement are kept. When the first place cannot be written the next is tried (F-47): a reply, for a lone
// question; the comment with the command; a comment of our own that points to it. With an address an error is about what
// could not be tidied up (a status line that is left), or it is ErrStands: what did nothing replaces no result of an
// act, and none that is ahead or unsure of one unless Look, or Ahead, has shown it to the caller, who then decides.
func (t *Thread) Tell(ctx context.Context, r render.Result, act Act) (url string, err error) {
	s := t.saying(r, act)
	if act == ActUnsure {
		s.before, s.after = t.seen.Before, t.seen.After
	}
	return t.say(ctx, s)
}

// Ahead writes the result of an act that is about to be done, with a status line that says so and holds the digests (see
// Digest) of the document, or what else the act changes, before and after. What render hid in the result Settle fills in.
// After an error the act must not be done. ErrGone when the command was taken back.
func (t *Thread) Ahead(ctx context.Context, r render.Result, status render.Status, before, after string) error {
	if !digestShape.MatchString(before) || !digestShape.MatchString(after) {
		return fmt.Errorf("announcing a result: %.40q and %.40q are not both digests", before, after)
	}
	s := t.saying(r, ActDone)
	s.status, s.before, s.after = render.StatusLine(status), before, after
	url, err := t.say(ctx, s)
	if errors.Is(err, ErrStands) || errors.Is(err, ErrGone) {
		return err
	}
	t.seen = Standing{Stage: Ahead, Before: before, After: after} // it may stand there although that could not be seen
	if url != "" {
		return nil
	}
	return err
}

func (t *Thread) saying(r render.Result, act Act) saying {
	s := saying{id: t.Event.Comment.ID, result: r, stage: told, act: act, redact: t.Redact}
	switch {
	case act == ActDone:
		s.stage = acted
	case act == ActUnsure:
		s.stage = open
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
		return t.publish(ctx, outlet{}, s, func(s saying, is string, _ listing) (string, error) { return t.review(s, tail(is, s.id)) })
	}
	var noReply error
	if t.repliesWith(s) {
		if url, noReply = t.reply(ctx, s); url != "" || errors.Is(noReply, ErrGone) {
			return url, noReply
		}
	}
	own, blind := t.beside(ctx)
	if best := t.best(own); t.yields(s, best) {
		_, err := t.tidy(ctx, own, nil)
		return best.URL, errors.Join(ErrStands, err)
	}
	url, err = t.write(ctx, s)
	gone := isGone(err)
	switch {
	case err == nil:
		return url, errors.Join(blind, t.keep(ctx, own, url, nil))
	case errors.Is(err, ErrStands):
		return url, errors.Join(err, t.keep(ctx, own, url, nil))
	case gone && (s.act == ActNone || s.announces()):
		return "", ErrGone
	}
	url, last := t.publish(ctx, outlet{}, s, func(s saying, is string, _ listing) (string, error) { return t.instead(s, gone, tail(is, s.id)) })
	if url == "" {
		return "", errors.Join(noReply, err, last)
	}
	cleared := t.clear(ctx, s)
	if errors.Is(cleared, ErrStands) { // it can be read by now, and what was said is not to stand beside it
		own, blind := t.others(ctx)
		stands, err := t.tidy(ctx, own, nil)
		return cmp.Or(stands, t.Event.Comment.URL), errors.Join(cleared, blind, err)
	}
	return url, errors.Join(last, cleared)
}

// beside lists our own comments, unless it is known that there are none.
func (t *Thread) beside(ctx context.Context) ([]github.Posted, error) {
	if t.alone {
		return nil, nil
	}
	return t.others(ctx)
}

// yields reports whether what stands in another comment is not to be replaced by what is said.
func (t *Thread) yields(s saying, is Standing) bool {
	return t.protects(is, s) || t.Lone && is.Stage == Told && s.stage == failed
}

// announces reports whether this is said ahead of its act.
func (s saying) announces() bool { return s.act == ActDone && s.before != "" }

// protects reports whether what stands there is not to be replaced by what is said.
func (t *Thread) protects(is Standing, s saying) bool {
	switch {
	case is.Stage < Ahead, s.act == ActDone && !s.announces():
		return false
	case is.Stage == Acted:
		return true
	case s.act == ActUnsure, s.announces() && is.same(Standing{Before: s.before, After: s.after}):
		return false // the latter is itself, and the answer to its writing was lost
	}
	return is.Stage > t.seen.Stage || !is.same(t.seen)
}

func (s Standing) same(other Standing) bool {
	return s.Before == other.Before && s.After == other.After
}

// over is what is said where an announcement stands: what leaves open what became of that keeps its digests.
func (s saying) over(is Standing) saying {
	if s.act == ActUnsure && is.Before != "" {
		s.before, s.after = is.Before, is.After
	}
	return s
}

// write puts what is said into the comment with the command.
func (t *Thread) write(ctx context.Context, s saying) (url string, err error) {
	p, err := t.amend(ctx, t.command(), nil, func(body string) (string, error) {
		clean, blocks := lift(body, s.id)
		stands := standing(marks(blocks))
		if t.protects(stands, s) {
			return "", ErrStands
		}
		return t.inPlace(clean, s.over(stands))
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
	o, alone := t.replies(), t.alone
	url, err = t.publish(ctx, o, s, func(s saying, is string, l listing) (string, error) {
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
		return t.answer(s, tail(is, s.id))
	})
	if url == "" || errors.Is(err, ErrStands) {
		return url, err
	}
	if o.line && !alone {
		own, blind := t.others(ctx)
		err = errors.Join(err, blind, t.keep(ctx, own, url, nil))
	}
	if !clean {
		err = errors.Join(err, t.clear(ctx, s))
	}
	return url, err
}

// clear takes everything of ours out of the comment with the command, where something else is said elsewhere; but what that
// does not replace stays.
func (t *Thread) clear(ctx context.Context, s saying) error {
	_, err := t.amend(ctx, t.command(), nil, func(body string) (string, error) {
		clean, blocks := lift(body, s.id)
		if t.protects(standing(marks(blocks)), s) {
			return "", ErrStands
		}
		return clean, nil
	})
	if isGone(err) {
		return nil
	}
	return err
}
