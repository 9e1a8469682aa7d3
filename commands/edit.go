package commands

import (
	"context"
	"errors"
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
	if edited != r.snapshot {
		r.land(ctx, edited)
		return
	}
	r.reportSegments(false)
	r.status, r.headline = render.Done, "changed nothing."
	if !r.anyAnswer() {
		r.status = render.Nothing
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
		case r.failure != nil && r.failure.unsure:
			out.Note = "may have been made."
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
