package thread

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/d3mlabs/ai-flow/commands/github"
	"github.com/d3mlabs/ai-flow/render"
)

// story is a command as package dispatch carries it out: once, or again after whatever happened.
type story struct {
	name    string
	surface github.Surface
	body    string
	edits   bool // the document
}

var stories = []story{
	{"question on an issue", github.OnIssue, "/ask why\r\n", false},
	{"question on a line", github.OnLine, "/ask why", false},
	{"questions on a pull request", github.OnPull, "/ask why\n\n/ask how\n\n> q", false},
	{"edit on an issue", github.OnIssue, "/ask why\n\n/edit this\n\n```\nopen", true},
	{"edit on a line", github.OnLine, "/edit this", true},
	{"edit in a review", github.OnReview, "Well.\n\n/edit this", true},
	{"question in a review", github.OnReview, "/ask why", false},
}

// scene is a story on its site, with the document that it may edit.
type scene struct {
	*site
	th       *Thread
	document string
}

func (st story) begin(t *testing.T) *scene {
	s, th := newThread(t, st.surface, st.body)
	return &scene{s, th, "before"}
}

// play carries the command out; it returns false when the process was killed.
func (st story) play(c *scene) (alive bool) {
	defer func() {
		if p := recover(); p != nil {
			if _, ok := p.(death); !ok {
				panic(p)
			}
			alive = false
		}
	}()
	ctx, th := context.Background(), c.th
	th.Now = nil
	standing, err := th.Look(ctx)
	switch {
	case err != nil:
		_, _ = th.Tell(ctx, result(th, render.Failed, ""), ActNone)
		return true
	case standing.Stage == Acted:
		return true
	case standing.Stage == Ahead && c.document == "after":
		_, _ = th.Settle(ctx, nil)
		return true
	}
	_ = th.Wait(ctx, status(th)) // the result will say more
	r := result(th, render.Done, "Said.")
	if !st.edits {
		_, _ = th.Tell(ctx, r, ActNone)
		return true
	}
	if err := th.Ahead(ctx, r, status(th), Digest("before"), Digest("after")); err != nil {
		_, _ = th.Tell(ctx, result(th, render.Failed, ""), ActNone)
		return true
	}
	if err := c.call("document", func() error { c.document = "after"; return nil }); err != nil && c.document == "before" {
		_, _ = th.Tell(ctx, result(th, render.Failed, ""), ActNone)
		return true
	}
	_, _ = th.Tell(ctx, r, ActDone)
	return true
}

// finish is what the job that always runs does afterwards.
func (st story) finish(t *testing.T, c *scene) {
	ctx, th := context.Background(), c.th
	standing, err := th.Look(ctx)
	if err != nil {
		t.Fatal(err)
	}
	switch {
	case standing.Stage == Ahead && c.document == "after", standing.Left:
		_, err = th.Settle(ctx, nil)
	case standing.Stage == Silent, standing.Stage == Waiting, standing.Stage == Ahead:
		_, err = th.Tell(ctx, result(th, render.Failed, ""), ActNone)
	}
	if err != nil && !errors.Is(err, ErrStands) {
		t.Fatal(err)
	}
}

// state is what a reader sees: each comment, without the ids of those that we made, and without pointers to others.
func (c *scene) state() string {
	var b strings.Builder
	for _, p := range c.comments {
		if !strings.HasPrefix(p.Body, "<!-- ai-flow:aside ") {
			fmt.Fprintf(&b, "%v %s: %s\n", p.Line, p.Author, p.Body)
		}
	}
	return b.String() + c.document
}

// TestFaults lets each call of each story fail in each way, once or from then on. Whatever happened, the job that always
// runs leaves no status line and exactly one result, and a run after that, or at once, ends where an undisturbed one ends
// (S9).
func TestFaults(t *testing.T) {
	for _, st := range stories {
		undisturbed := st.begin(t)
		st.play(undisturbed)
		want, calls := undisturbed.state(), len(undisturbed.calls)
		if strings.Contains(want, "⏳") || !strings.Contains(want, "Said.") || calls < 4 {
			t.Fatalf("%s: %s", st.name, want)
		}
		for k := 1; k <= calls; k++ {
			for f := lost; f <= killedIn; f++ {
				for _, onward := range []bool{false, true} {
					if onward && f != dropped && f != refused || f == vanished && undisturbed.calls[k-1] != "post" {
						continue // the others go on like these, or not at all; and what vanishes is in another test
					}
					t.Run(fmt.Sprintf("%s/%d %s/%d/%v", st.name, k, undisturbed.calls[k-1], f, onward), func(t *testing.T) {
						d := disturbance{story: st, want: want, elsewhere: f == refused}
						d.check(t, func(n int, _ string) fault {
							if n == k || onward && n > k {
								return f
							}
							return none
						})
					})
				}
			}
		}
	}
}

// disturbance is a story and where it ends.
type disturbance struct {
	story
	want string
	// elsewhere: what GitHub refuses sends a result on to the next place, where it stays when it is that of an act.
	elsewhere bool
}

func (d disturbance) check(t *testing.T, f func(int, string) fault) {
	c := d.begin(t)
	c.fault = f
	d.play(c)
	c.fault = nil
	after := &scene{c.clone(), c.th, c.document}

	d.finish(t, c)
	state := c.state()
	if results := held(c); results != 1 || strings.Contains(state, "⏳") {
		t.Errorf("the finaliser leaves %d comments with a result:\n%s", results, state)
	}
	d.play(c)
	d.ended(t, "finished and run again", c)

	c = after
	c.th.API = c.site
	d.play(c)
	d.ended(t, "run again", c)
}

func (d disturbance) ended(t *testing.T, when string, c *scene) {
	got := c.state()
	if d.elsewhere && held(c) == 1 && strings.Contains(got, "Said.") && !strings.Contains(got, "⏳") {
		return
	}
	if got != d.want {
		t.Errorf("%s:\n%s\nwant:\n%s", when, got, d.want)
	}
}

// held counts the comments that hold a result.
func held(c *scene) (n int) {
	for _, p := range c.comments {
		if strings.Contains(p.Body, "<!-- ai-flow:result ") {
			n++
		}
	}
	return n
}
