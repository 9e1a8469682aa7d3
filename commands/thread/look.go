package thread

import (
	"context"

	"github.com/d3mlabs/ai-flow/commands/github"
)

// Look reads what stands on the thread. It changes nothing there. One call, or none with Now, and one for each place where
// comments of our own may be.
func (t *Thread) Look(ctx context.Context) (Standing, error) {
	var here Standing
	if t.Event.Surface != github.OnReview {
		var known *github.Posted
		if t.Now != nil {
			known = &github.Posted{Body: *t.Now, URL: t.Event.Comment.URL}
		}
		p, err := t.read(ctx, t.command(), known)
		if err != nil && !isGone(err) {
			return here, err
		}
		_, blocks := lift(p.Body, t.Event.Comment.ID)
		if here = standing(marks(blocks)); here.Stage != Silent {
			here.URL = t.address(p)
		}
		here.Gone = err != nil
	}
	own, err := t.others(ctx)
	if err != nil {
		return here, err
	}
	t.seen = t.together(here, t.best(own))
	return t.seen, nil
}

// others lists the comments of our own about the command, wherever they are.
func (t *Thread) others(ctx context.Context) (own []github.Posted, err error) {
	outlets := []outlet{{}}
	if o := t.replies(); t.Lone && o.line {
		outlets = []outlet{o, {}}
	}
	for _, o := range outlets {
		l, err := t.list(ctx, o)
		if err != nil {
			return nil, err
		}
		own = append(own, l.own...)
	}
	t.alone = len(own) == 0
	return own, nil
}

// best is what the comments of our own stand for together.
func (t *Thread) best(own []github.Posted) (s Standing) {
	for _, c := range own {
		b := ownStanding(c.Body, t.Event.Comment.ID)
		b.URL = c.URL
		s = s.with(b)
	}
	return s
}

// together is what stands in the comment with the command and in those of our own. Of two that are as good it is the one
// that stands where it belongs.
func (t *Thread) together(here, own Standing) Standing {
	s := here.with(own)
	if t.Lone {
		s = own.with(here)
	}
	s.Gone = here.Gone
	return s
}

// with is what stands on a thread where b stands as well.
func (s Standing) with(b Standing) Standing {
	if b.Stage > s.Stage {
		s, b = b, s
	}
	s.Left = s.Left || s.Stage > Waiting && b.Stage > Silent
	return s
}
