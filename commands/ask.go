package commands

import (
	"context"

	"github.com/d3mlabs/ai-flow/render"
)

// ask answers. There is no way from here to a write: the document's copy is not even looked at again (F-55).
func (r *run) ask(ctx context.Context) {
	if !r.launch(ctx) {
		return
	}
	answered := false
	for i, s := range r.Comment.Segments {
		answered = r.answer(i, s) || answered
	}
	if !answered {
		r.fail(ctx, failure{class: "answer", message: "the agent ended its turn without an answer", next: r.again(", or put the question differently")})
		return
	}
	r.status = render.Done
}

// answer adds the result of an /ask segment.
func (r *run) answer(i int, s Segment) bool {
	out := r.segment(s, r.answers.texts[i])
	if out.OK = out.Text != ""; !out.OK {
		out.Note = "got no answer."
	}
	r.segments = append(r.segments, out)
	return out.OK
}

func (r *run) segment(s Segment, text string) render.Segment {
	return render.Segment{Command: s.Command.String(), Instruction: s.Instruction, Text: text}
}

// partial shows what the agent had said before it failed.
func (r *run) partial() {
	r.segments = nil
	for i, s := range r.Comment.Segments {
		out := r.segment(s, r.answers.texts[i])
		switch {
		case s.Command == Edit:
			out.Note = "changed nothing."
		case s.Command == Ask && out.Text == "":
			out.Note = "got no answer."
		case s.Command == Ask:
			out.Note = "was not answered in full."
		}
		r.segments = append(r.segments, out)
	}
}
