package commands

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"strings"

	"github.com/d3mlabs/ai-flow/render"
)

// conflict is how an agent says that two edits contradict each other.
const conflict = "CONFLICT:"

// edit lets the agent revise its copy of the document and brings the change home.
func (r *run) edit(ctx context.Context) {
	if !r.launch(ctx) || !r.quiet(ctx) {
		return
	}
	edited, ok := r.readBack(ctx)
	if !ok {
		r.partial()
		return
	}
	if r.leaks(edited) {
		r.refuse(&Refusal{Message: "brought a known secret into " + r.document.Name + ", so nothing was written",
			Next: "Give the command again and say that it is to be left out."})
		r.partial()
		return
	}
	if what := smuggled(r.snapshot, edited); what != "" {
		r.refuse(&Refusal{Message: "brought " + what + " into " + r.document.Name + ", so nothing was written",
			Next: "Give the command again and say that it is to be left out."})
		r.partial()
		return
	}
	changed := edited != r.snapshot
	landed := !changed || r.land(ctx, edited)
	r.reportSegments(changed && landed)
	if r.over() {
		return
	}
	r.status = render.Done
	if !changed {
		r.headline = "changed nothing."
		if !r.anyAnswer() {
			r.status = render.Nothing
		}
	}
}

// readBack reads the copy as the agent user, bounded, and judges it.
func (r *run) readBack(ctx context.Context) (string, bool) {
	data, err := r.room.ReadFile(ctx, r.room.Path(documentFile), maxDocument)
	why := ""
	switch {
	case err == nil:
		why = readable(r.document.Body, data)
	case errors.Is(err, fs.ErrNotExist):
		why = "it is gone"
	default:
		why = "it cannot be read"
	}
	if why == "" {
		return normalise(string(data)), true
	}
	r.fail(ctx, failure{class: "document", message: "what the agent left of the document cannot be used: " + why + ". The document is unchanged", err: err,
		next: "Give the command again, or say more plainly what is to stay."})
	return "", false
}

// smuggled names what an edit added that a reader of the document would not see: a mark by which ai-flow finds its own
// text again, or characters that show nothing and join nothing. The word diff could not show them either (S6, S7). What
// stood there before may stay or go, but not become another.
func smuggled(before, after string) string {
	if more(counted(anyMark.FindAllString(before, -1)), counted(anyMark.FindAllString(after, -1))) {
		return "a mark of ai-flow's own"
	}
	if more(counted(purposeless(before)), counted(purposeless(after))) {
		return "invisible characters"
	}
	return ""
}

// anyMark is a mark of ours in any spelling that a lenient reader may take for one.
var anyMark = regexp.MustCompile(`(?i)<!--\s*ai-flow\s*:[^>]*`)

func counted[T comparable](all []T) map[T]int {
	n := map[T]int{}
	for _, one := range all {
		n[one]++
	}
	return n
}

// more reports whether something is in after more often than before.
func more[T comparable](before, after map[T]int) bool {
	for one, n := range after {
		if n > before[one] {
			return true
		}
	}
	return false
}

// tries bounds how often a document that keeps moving is read again.
const tries = 4

// land writes the edited document where the snapshot stood. If the document moved meanwhile, both changes are brought
// together where they do not touch; otherwise nothing is written and the proposal is shown. It reports whether the change
// is in the document.
func (r *run) land(ctx context.Context, edited string) bool {
	for range tries {
		now, err := r.Place.Document(ctx)
		if err != nil {
			r.propose(ctx, edited, failure{class: "document", message: "the document could not be read again, so nothing was written", err: err})
			return false
		}
		wanted, merged := edited, false
		if current := normalise(now.Body); current != r.snapshot {
			if wanted, merged = merge3(r.snapshot, edited, current); !merged {
				r.propose(ctx, edited, failure{class: "moved", message: "the document was changed meanwhile at the same place, so nothing was written; the proposed change is below",
					next: "Give the command again to work on the document as it is now."})
				return false
			}
		}
		text := likeBefore(now.Body, wanted)
		switch err := r.Place.Replace(ctx, now.Body, text); {
		case err == nil:
			r.landed(now.Body, text, merged)
			return true
		case !errors.Is(err, ErrMoved):
			r.propose(ctx, edited, failure{class: "document", message: "the document could not be written; the proposed change is below", err: err})
			return false
		}
	}
	r.propose(ctx, edited, failure{class: "moved", message: fmt.Sprintf("the document changed %d times while it was being written, so nothing was; the proposed change is below", tries)})
	return false
}

func (r *run) landed(before, after string, merged bool) {
	r.diffs = &render.Diffs{Before: normalise(before), After: normalise(after)}
	r.headline = "changed " + r.document.Name + "."
	if merged {
		r.headline = "changed " + r.document.Name + ", which had been changed meanwhile; both changes are in it."
	}
	if normalise(before) == normalise(after) {
		r.headline, r.diffs = "changed nothing: "+r.document.Name+" had been changed in the same way meanwhile.", nil
	}
}

// propose shows a change that was not made.
func (r *run) propose(ctx context.Context, edited string, f failure) {
	r.diffs = &render.Diffs{Before: r.snapshot, After: edited}
	r.fail(ctx, f)
}

// reportSegments says under each command what came of it.
func (r *run) reportSegments(landed bool) {
	for i, s := range r.Comment.Segments {
		if s.Command == Ask {
			r.answer(i, s)
			continue
		}
		out := r.segment(s, r.answers.texts[i])
		switch {
		case strings.HasPrefix(out.Text, conflict):
			out.Note = "contradicts another edit, so neither was made."
		case r.over():
			out.Note = "was not made."
		case !landed:
			out.Note = "changed nothing."
		default:
			out.OK = true
			if out.Text == "" {
				out.Note = "the agent says nothing about it; the difference shows what it did."
			}
		}
		if f := r.found[i]; len(f.spans) > 1 {
			out.Note = strings.TrimSpace(out.Note + " The quote is " + f.words() + ".")
		}
		r.segments = append(r.segments, out)
	}
}

func (r *run) anyAnswer() bool {
	for i, s := range r.Comment.Segments {
		if s.Command == Ask && r.answers.texts[i] != "" {
			return true
		}
	}
	return false
}
