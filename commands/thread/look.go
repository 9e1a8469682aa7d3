package thread

import (
	"context"

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
	t.spare = nil
	for _, o := range t.outlets() {
		if s.Stage > Waiting && !t.Lone {
			break // the result stands in its first place
		}
		l, err := t.list(ctx, o)
		if err != nil {
			return s, err
		}
		for _, c := range l.own {
			s = s.with(t.elsewhere(o, c))
		}
	}
	return s, nil
}

// outlets are where comments of our own about the command may stand.
func (t *Thread) outlets() []outlet {
	if o := t.replies(); t.Lone && o.line {
		return []outlet{o, {}}
	}
	return []outlet{{}}
}

// elsewhere is what a comment of ours stands for. One that is no answer to a question stands there because another place
// could not be written then, and gives way to the next result (F-47).
func (t *Thread) elsewhere(o outlet, c github.Posted) Standing {
	s := ownStanding(c.Body, t.Event.Comment.ID)
	s.URL = c.URL
	if t.Event.Surface != github.OnReview && !(t.Lone && s.Stage == Told) {
		t.spare = append(t.spare, c)
	}
	return s
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
