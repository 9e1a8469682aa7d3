package thread

import (
	"context"

	"github.com/d3mlabs/ai-flow/commands/github"
	"github.com/d3mlabs/ai-flow/render"
)

// Wait puts the status line. It takes the place of whatever stood there of ours but an answer, which stays until there is
// another one. ErrStands when the result of an act stands there. One call with Now, else two.
func (t *Thread) Wait(ctx context.Context, status render.Status) error {
	now := t.Now
	t.Now = nil
	s := saying{id: t.Event.Comment.ID, stage: waiting, status: render.StatusLine(status)}
	if t.Event.Surface == github.OnReview {
		return t.waitBelow(ctx, s)
	}
	var known *github.Posted
	if now != nil {
		known = &github.Posted{Ref: t.command(), Body: *now, URL: t.Event.Comment.URL}
	}
	_, err := t.amend(ctx, t.command(), known, func(body string) (string, error) {
		clean, blocks := lift(body, s.id)
		var keep []block
		switch stands := standing(marks(blocks)); {
		case t.protects(stands):
			return "", ErrStands
		case stands.Stage == Told:
			keep = only(blocks, wordResult)
		}
		body = lay(clean, append(keep, s.statusBlock(t.spots(clean).last)...))
		if len(body) > maxBody {
			return "", errNoRoom
		}
		return body, nil
	})
	return err
}

// waitBelow puts the status line into our own comment, below the answer that may stand there.
func (t *Thread) waitBelow(ctx context.Context, s saying) error {
	_, err := t.publish(ctx, outlet{}, func(l listing) (string, error) {
		body, err := t.review(s)
		if err != nil || len(l.own) == 0 {
			return body, err
		}
		switch stands := ownStanding(l.own[0].Body, s.id); {
		case t.protects(stands):
			return "", ErrStands
		case stands.Stage == Told:
			clean := withoutStatus(l.own[0].Body, s.id)
			if told := lay(clean, s.statusBlock(len(clean))); len(told) <= maxBody {
				body = told
			}
		}
		return body, nil
	})
	return err
}

func only(blocks []block, w word) (some []block) {
	for _, b := range blocks {
		if b.mark.word == w {
			some = append(some, b)
		}
	}
	return some
}

// withoutStatus takes the status line out of a body and leaves the result.
func withoutStatus(body string, id int64) string {
	clean, blocks := lift(body, id)
	return lay(clean, only(blocks, wordResult))
}

// Settle takes the status line away from where a result stands beside it: it makes a result that was written ahead final,
// and cleans up after a run that was killed between two writings. It returns the address of the result.
func (t *Thread) Settle(ctx context.Context) (url string, err error) {
	t.Now = nil
	id := t.Event.Comment.ID
	if t.Event.Surface != github.OnReview {
		result := false
		p, err := t.amend(ctx, t.command(), nil, func(body string) (string, error) {
			_, blocks := lift(body, id)
			result = len(only(blocks, wordResult)) > 0
			return withoutStatus(body, id), nil
		})
		switch {
		case err != nil && !isGone(err):
			return "", err
		case result:
			return t.address(p), nil
		}
	}
	for _, o := range t.outlets() {
		l, err := t.list(ctx, o)
		if err != nil {
			return "", err
		}
		for _, c := range l.own {
			if ownStanding(c.Body, id).Stage > Waiting {
				p, err := t.amend(ctx, c.Ref, &c, func(body string) (string, error) { return withoutStatus(body, id), nil })
				return p.URL, err
			}
		}
	}
	return "", nil
}
