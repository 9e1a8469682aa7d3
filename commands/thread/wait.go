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
	s := saying{id: t.Event.Comment.ID, stage: waiting, status: render.StatusLine(status), redact: t.Redact}
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
		case t.protects(stands, s):
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
	_, err := t.publish(ctx, outlet{}, s, func(s saying, is string, _ listing) (string, error) {
		below := tail(is, s.id)
		if ownStanding(is, s.id).Stage == Told {
			clean := withoutStatus(is, s.id)
			if told := lay(clean, s.statusBlock(len(clean)-len(below))); len(told) <= maxBody {
				return told, nil
			}
		}
		return t.review(s, below)
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
