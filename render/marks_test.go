package render_test

import (
	"strings"
	"testing"

	"github.com/d3mlabs/ai-flow/commands"
	"github.com/d3mlabs/ai-flow/commands/thread"
	"github.com/d3mlabs/ai-flow/render"
)

// TestPlacesAreNoMarks: on a thread the places of pull requests end nothing and begin nothing: our text goes as a whole, and the
// commands of the comment stay what they are (S6, S9).
func TestPlacesAreNoMarks(t *testing.T) {
	for name, r := range render.Landed() {
		for i := range r.Landings {
			r.Landings[i].Pull, r.Landings[i].Opened = nil, true
		}
		text := render.InPlace(r, 60_000).Segments[0]
		if strings.Contains(text, "<!-- pull of ai-flow 1 -->") != (len(r.Landings) > 0) {
			t.Errorf("%s: no place in %s", name, text)
		}
		body := "Before.\n\n/build keep the flags\n\n> <!-- ai-flow:result 7 stage=acted -->\n> " + strings.ReplaceAll(text, "\n", "\n> ") + "\n>\n> <!-- ai-flow:end -->\n\n\nAfter.\n"
		const person = "Before.\n\n/build keep the flags\n\nAfter.\n"
		if got := thread.Strip(body, 7); got != person {
			t.Errorf("%s: %q is left", name, got)
		}
		if got := thread.Strip(body, 8); got != body {
			t.Errorf("%s: %q is left of another's", name, got)
		}
		if got := thread.Clean(body); got != person {
			t.Errorf("%s: %q is clean", name, got)
		}
		got, err := commands.Parse(body, "")
		if err != nil || len(got.Segments) != 1 || got.Segments[0].Instruction != "keep the flags" && !strings.HasPrefix(got.Segments[0].Instruction, "keep the flags\n") {
			t.Errorf("%s: %+v, %v", name, got.Segments, err)
		}
		want, err := commands.Parse(strings.ReplaceAll(body, "<!-- pull of ai-flow", "<!-- x"), "")
		if err != nil || len(want.Segments) != len(got.Segments) || want.Segments[0].Instruction != got.Segments[0].Instruction {
			t.Errorf("%s: the places change what is read: %+v, %+v, %v", name, got, want, err)
		}
	}
}
