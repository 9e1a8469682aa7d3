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
		r.reportSegments(false)
		return
	}
	if r.leaks(edited) {
		r.reject("a known secret")
		return
	}
	if what := smuggled(r.snapshot, edited); what != "" {
		r.reject(what)
		return
	}
	if edited != r.snapshot {
		r.land(ctx, edited)
		return
	}
	r.unchanged()
}

// unchanged is the end of an edit that changed nothing. What it was asked beside is answered.
func (r *run) unchanged() {
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
	r.fail(ctx, r.unusable(why, err))
	return "", false
}

func (r *run) unusable(why string, err error) failure {
	return failure{class: "document", lead: changedNothing, message: "what the agent left of " + r.document.Name + " cannot be used (" + why + ")", err: err,
		next: r.again(", and say more plainly what is to stay")}
}

// reject refuses an edit for what it would bring into the document. Questions beside it are answered all the same.
func (r *run) reject(what string) {
	r.refuse(&Refusal{Message: "changed nothing: the edit would bring " + what + " into " + r.document.Name, Next: r.again(", and say that it is to be left out")})
	r.reportSegments(false)
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
		switch contradicts := strings.HasPrefix(out.Text, conflict); {
		case r.failure != nil && r.failure.unsure:
			out.Note = "may have changed " + r.document.Name + "."
		case !landed:
			out.Note = "changed nothing."
		case contradicts:
			out.Note = "was left out."
		default:
			out.OK = true
		}
		out.Remark = r.remark(out.Text, landed, r.found[i])
		r.segments = append(r.segments, out)
	}
}

// remark is what a reader should know of an edit whatever came of it, in whole sentences. That edits contradict each other is
// the agent's word.
func (r *run) remark(text string, landed bool, f finding) string {
	var said []string
	switch {
	case strings.HasPrefix(text, conflict):
		said = append(said, "The agent says that this edit contradicts another one.")
	case landed && text == "":
		said = append(said, "The agent said nothing about it.")
	}
	if len(f.spans) > 1 {
		said = append(said, "The quote is "+f.words()+".")
	}
	return strings.Join(said, " ")
}

func (r *run) anyAnswer() bool {
	for i, s := range r.Comment.Segments {
		if s.Command == Ask && r.answers.texts[i] != "" {
			return true
		}
	}
	return false
}
