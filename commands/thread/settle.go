package thread

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/d3mlabs/ai-flow/commands/github"
)

// Settle leaves of what stands on the thread the one result that counts, without a status line: it makes a result that was
// written ahead final, and cleans up after a run that was killed or disturbed between two writings. It returns the address
// of the result.
//
// fill puts what is known by now into the places that render hid in that result; nil for nothing. It is given what stands
// between the marks of a piece of it, quote marks and line ends included, and may be given it again. What it returns has the
// same lines. Where that breaks a mark or finds no room, the result becomes final as it was, and the error says so.
func (t *Thread) Settle(ctx context.Context, fill func(text string) string) (url string, err error) {
	t.Now = nil
	own, err := t.others(ctx)
	if err != nil {
		return "", err
	}
	f := &final{thread: t, fill: fill}
	url, err = t.tidy(ctx, own, f)
	return url, errors.Join(err, f.failed)
}

// final is how a result becomes final.
type final struct {
	thread *Thread
	fill   func(string) string
	failed error // of the last body
}

var errFill = errors.New("what is known by now could not be put into the result that was written ahead")

// inPlace makes what stands in the comment with the command final.
func (f *final) inPlace(body string) string {
	id := f.thread.Event.Comment.ID
	clean, blocks := lift(body, id)
	blocks = only(blocks, wordResult)
	was := lay(clean, blocks)
	for i, b := range blocks {
		from, to := b.between()
		blocks[i].raw = b.raw[:from] + f.filled(b.raw[from:to]) + b.raw[to:]
	}
	is := lay(clean, blocks)
	without, stand := lift(is, id)
	return f.checked(was, is, without == clean && slices.Equal(marks(stand), marks(blocks)))
}

// own makes a comment of our own final.
func (f *final) own(body string) string {
	id := f.thread.Event.Comment.ID
	was := withoutStatus(body, id)
	mark, text, _ := strings.Cut(was, "\n")
	end, _ := ends(text)
	is := mark + "\n" + f.filled(text[:end]) + text[end:]
	before, _ := ownMarks(was, id)
	after, _ := ownMarks(is, id)
	return f.checked(was, is, tail(is, id) == tail(was, id) && slices.Equal(before, after))
}

func (f *final) filled(text string) string {
	if f.fill == nil {
		return text
	}
	filled := f.fill(text)
	if filled == text {
		return text
	}
	return f.thread.clean(filled)
}

// checked is the filled body, when people's text around ours is whole.
func (f *final) checked(was, is string, whole bool) string {
	f.failed = nil
	if !whole || len(is) > maxBody && len(is) > len(was) {
		f.failed = errFill
		return was
	}
	return is
}

// tidy takes away whatever stands beside the one result that counts; own are our comments. With final that result becomes
// final, too.
func (t *Thread) tidy(ctx context.Context, own []github.Posted, final *final) (url string, err error) {
	best := t.best(own)
	if best.Stage > Waiting {
		url = best.URL
	}
	if t.Event.Surface != github.OnReview {
		here := false
		p, err := t.amend(ctx, t.command(), nil, func(body string) (string, error) {
			clean, blocks := lift(body, t.Event.Comment.ID)
			is := standing(marks(blocks))
			here = is.Stage > Waiting && (is.Stage > best.Stage || is.Stage == best.Stage && !t.Lone)
			switch {
			case url != "" && !here:
				return clean, nil
			case final != nil:
				return final.inPlace(body), nil
			}
			return body, nil
		})
		switch {
		case err != nil && !isGone(err):
			return "", err
		case err == nil && here:
			url = t.address(p)
		}
	}
	if url == "" {
		return "", nil
	}
	return url, t.keep(ctx, own, url, final)
}

// keep makes our comments point to the address of the result, but for the one that holds it.
func (t *Thread) keep(ctx context.Context, own []github.Posted, url string, final *final) (err error) {
	for _, c := range own {
		switch {
		case c.URL != url:
			err = errors.Join(err, t.retire(ctx, c, url))
		case final != nil:
			_, e := t.amend(ctx, c.Ref, &c, func(body string) (string, error) { return final.own(body), nil })
			err = errors.Join(err, e)
		}
	}
	return err
}
