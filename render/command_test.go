package render_test

import (
	"strings"
	"testing"

	"github.com/d3mlabs/ai-flow/commands"
	"github.com/d3mlabs/ai-flow/render"
)

// FuzzNoCommand: no line of ours is read as a command, quoted as in a person's comment, or plain as below a review that one
// of our comments quotes; and what people write after our text keeps its meaning (S6).
func FuzzNoCommand(f *testing.F) {
	for i, s := range []string{"/ask x", "a\n/ask x\nb", "```\n/ask x\n```\n/edit y", "x\n\n/build\n", "- a\n/ask b", "> /ask a", "</details>\n/ask", "<!-- x\n\n/ask y", "\u200b/ask x",
		"/ask\u00a0x", "\ufeff/build", "a\r/ask b", "a\u2028/ask b", "|a|\n|-|\n/ask x", "[x]: y '\n/ask z'", "**a\n/ask b**", "`a\n/ask b`", "<details>\n\n/ask", "&#47;ask x", "\\/ask x",
		"# h\n/split a", "~~~\n~~~\n/learn", "1) a\n/edit", "***\n/ask", "    /ask x", "[/ask](https://github.com/a/b)\n/ask"} {
		f.Add(s, uint8(i))
	}
	f.Fuzz(func(t *testing.T, s string, outcome uint8) {
		if len(s) > 2000 {
			return
		}
		var r render.Result
		render.Fill(&r, s)
		r.Outcome = render.Outcome(outcome % 8)
		for i := range r.Segments {
			r.Segments[i].Command, r.Segments[i].OK = "/ask", i != 1
		}
		p := render.InPlace(r, 60_000)
		r.Segments = r.Segments[:1]
		for _, part := range append(p.Segments, p.Bottom, render.Reply(r, 60_000), render.StatusLine(render.Status{Command: s, Model: s, Writing: s})) {
			quoted := "> " + strings.ReplaceAll(part, "\n", "\n> ")
			if n := count(t, part); n != 0 {
				t.Fatalf("plain, %d commands in %q", n, part)
			}
			if n := count(t, "/ask one\n\n"+quoted+"\n\n/edit two\n"); n != 2 {
				t.Fatalf("quoted, %d commands around %q", n, quoted)
			}
		}
	})
}

// count is how many commands a comment holds, those that would be refused included.
func count(t *testing.T, body string) int {
	t.Helper()
	c, err := commands.Parse(body, "")
	n := len(c.Segments)
	if err != nil {
		n += 100
	}
	return n
}
