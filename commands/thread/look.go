package thread

import (
	"context"
	"errors"

	"github.com/d3mlabs/ai-flow/commands/github"
)

// Look reads what stands on the thread. It changes nothing there. One call, or none with Now, and one more for comments of our
// own, where some may be.
func (t *Thread) Look(ctx context.Context) (Standing, error) {
	var s Standing
	if t.Event.Surface != github.OnReview {
		var known *github.Posted
		if t.Now != nil {
			known = &github.Posted{Body: *t.Now, URL: t.Event.Comment.URL}
		}
		p, err := t.read(ctx, t.command(), known)
		if err != nil && !isGone(err) {
			return s, err
		}
		_, blocks := lift(p.Body, t.Event.Comment.ID)
		s = standing(marks(blocks))
		s.Gone = err != nil
		if s.Stage != Silent {
			s.URL = t.address(p)
		}
	}
	for _, o := range t.outlets() {
		if s.Stage > Waiting && !t.Lone {
			break // it stands in its first place
		}
		l, err := t.list(ctx, o)
		if err != nil {
			return s, err
		}
		for _, c := range l.own {
			s = s.with(t.elsewhere(c))
		}
	}
	t.looked = true
	return s, nil
}

// outlets are where comments of our own about the command may stand.
func (t *Thread) outlets() []outlet {
	if o := t.replies(); t.Lone && o.line {
		return []outlet{o, {}}
	}
	return []outlet{{}}
}

// elsewhere is what a comment of ours stands for.
func (t *Thread) elsewhere(c github.Posted) Standing {
	s := ownStanding(c.Body, t.Event.Comment.ID)
	s.URL = c.URL
	t.strays = t.strays || t.stray(s)
	return s
}

// stray is a comment of ours that is no answer to a question: it stands there because another place could not be written
// then, and gives way to the next result (F-47).
func (t *Thread) stray(s Standing) bool {
	return t.Event.Surface != github.OnReview && !(t.Lone && s.Stage == Told)
}

// recall makes strays point to the place where the result stands by now.
func (t *Thread) recall(ctx context.Context, url string) error {
	if !t.strays {
		return nil
	}
	l, err := t.list(ctx, outlet{})
	if err != nil {
		return err
	}
	for _, c := range l.own {
		if t.stray(ownStanding(c.Body, t.Event.Comment.ID)) && c.URL != url {
			err = errors.Join(err, t.retire(ctx, c, url))
		}
	}
	t.strays = err != nil
	return err
}

// with is what stands on a thread where b stands as well.
func (s Standing) with(b Standing) Standing {
	if b.Stage <= s.Stage {
		return s
	}
	b.Gone = s.Gone
	b.Left = b.Left || s.Stage == Waiting
	return b
}
