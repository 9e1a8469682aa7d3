package commands

import (
	"strings"
	"testing"

	"github.com/d3mlabs/ai-flow/render"
)

// S7: what an edit adds and the page hides is named, whatever Markdown hides it with; what a reader sees, or what stood there
// before, is not.
func TestHiddenAdditionsAreNamed(t *testing.T) {
	const nothing = ""
	tests := []struct{ name, before, after, says string }{
		{"text", "a\n", "a **b** `c` [d](https://x.example)\n", nothing},
		{"a comment", "a\n", "a <!-- b -->\n", "1 HTML comment,"},
		{"two comments, one of them a block", "a\n", "a <!-- b -->\n\n<!--\nc\n\nd\n-->\n", "2 HTML comments,"},
		{"a comment that is never closed", "a\n", "a\n\n<!-- b\nc\n", "1 HTML comment,"},
		{"a comment in the middle of an HTML block", "a\n", "a\n\n<div>\n<!-- b --> text\n</div>\n", "1 HTML comment,"},
		{"a comment in a quote in a list", "a\n", "a\n\n- > <!-- b -->\n", "1 HTML comment,"},
		{"a comment behind a command", "a\n", "a\n\n/build x <!-- and more -->\n", "1 HTML comment,"},
		{"a processing instruction", "a\n", "a <?b c?>\n", "1 HTML comment,"},
		{"a declaration", "a\n", "a <!DOCTYPE b>\n", "1 HTML comment,"},
		{"character data", "a\n", "a <![CDATA[b]]>\n", "1 HTML comment,"},
		{"one that stood there", "a <!-- b -->\n", "c <!-- b -->\n", nothing},
		{"one that stood there, moved", "<!-- b -->\n\na\n", "a\n\n<!-- b -->\n", nothing},
		{"another in its place", "a <!-- b -->\n", "a <!-- c -->\n", "1 HTML comment,"},
		{"a second one like it", "a <!-- b -->\n", "a <!-- b --> <!-- b -->\n", "1 HTML comment,"},
		{"one that went", "a <!-- b -->\n", "a\n", nothing},
		{"one in code", "a\n", "a `<!-- b -->`\n\n```\n<!-- c -->\n```\n\n    <!-- d -->\n", nothing},
		{"an escaped one", "a\n", "a \\<!-- b -->\n", nothing},
		{"a definition that is used", "a\n", "[a]\n\n[a]: https://x.example \"t\"\n", nothing},
		{"a definition that is used in full", "a\n", "[text][A  b] ![i][c]\n\n[a B]: /x\n[c]: /y\n", nothing},
		{"a definition that is not used", "a\n", "a\n\n[//]: # (hidden)\n", "1 link definition that nothing uses,"},
		{"a second definition of one label", "a\n", "[a]\n\n[a]: /x\n\n[A]: /y (hidden)\n", "1 link definition that nothing uses,"},
		{"definitions in a row", "a\n", "a\n\n[b]: /x\n[c]: /y\n'title'\n", "2 link definitions that nothing uses,"},
		{"a definition in a list in a quote", "a\n", "a\n\n> - b\n>\n>   [c]: /x\n", "1 link definition that nothing uses,"},
		{"a link to it was taken away", "[b]\n\n[b]: /x\n", "b\n\n[b]: /x\n", "1 link definition that nothing uses,"},
		{"a footnote that is used", "a\n", "a[^1]\n\n[^1]: b\n", nothing},
		{"a footnote that is not used", "a\n", "a\n\n[^1]: b\n    c\n", "1 footnote that nothing refers to,"},
		{"one of two footnotes", "a[^1]\n\n[^1]: b\n", "a[^1]\n\n[^1]: b\n[^2]: c\n", "1 footnote that nothing refers to,"},
		{"a link without a text", "a\n", "a [](/x \"hidden\")\n", "1 link without a text,"},
		{"a fence with words behind its language", "a\n", "```go hidden words\nx\n```\n", "1 code block with words behind its language,"},
		{"a fence with a language", "a\n", "```go\nx\n```\n", nothing},
		{"a hidden element", "a\n", "a\n\n<div hidden>\n\nb\n\n</div>\n", "1 HTML element with attributes that do not show,"},
		{"a styled element", "a\n", "a <span style='display:none'>b</span>\n", "1 HTML element with attributes that do not show,"},
		{"words in an attribute", "a\n", "a <p data-x=\"> <b>\">b</p>\n", "1 HTML element with attributes that do not show,"},
		{"an attribute over several lines", "a\n", "<details\nopen\naria-label='x'>\n", "1 HTML element with attributes that do not show,"},
		{"an element as templates have it", "a\n", "<details open><summary>b</summary>\n\n<img src=\"x\" width=10 align=left>\n\n</details>\n", nothing},
		{"a comment in a table", "a\n", "|a|b|\n|-|-|\n|c|<!-- d -->|\n", "1 HTML comment,"},
		{"several kinds", "a\n", "a <!-- b --> [](/x)\n\n[c]: /d\n", "1 HTML comment, 1 link definition that nothing uses and 1 link without a text,"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			note := hiddenBy(tt.before, tt.after)
			if (note == "") != (tt.says == "") || !strings.Contains(note, "The edit adds "+tt.says) && tt.says != "" {
				t.Errorf("noted %q, want %q", note, tt.says)
			}
		})
	}
}

// A reader of the result is told, beside the difference, and an honest template is no reason to refuse.
func TestHiddenAdditionsReachTheReader(t *testing.T) {
	s := newStage(t, "# Plan\n")
	s.agent.say = []string{"Added the template."}
	s.agent.act = func(s scene) { s.revise("Plan\n", "Plan\n\n<!-- What did you expect? -->\n") }
	out := s.run(t.Context(), "/edit add the template")
	if comment := render.Comment(out.Result); out.Result.Outcome != render.Done || !strings.Contains(comment, "The edit adds 1 HTML comment, which the page does not show: see the source diff.") {
		t.Errorf("%v: %s", out.Result.Outcome, comment)
	}
	if len(out.Report.Notes) != 1 {
		t.Errorf("notes %q", out.Report.Notes)
	}
}

// What is too long to be searched is said to be.
func TestLongDocumentsAreNotSearched(t *testing.T) {
	long := strings.Repeat("a\n", maxSearched)
	if note := hiddenBy("a\n", long); !strings.Contains(note, "too long") {
		t.Errorf("%q", note)
	}
}

// The worst documents that are known: brackets and stars cost the square of their length, tables gigabytes if they were read.
func BenchmarkUnseen(b *testing.B) {
	const n = 64 << 10
	for name, document := range map[string]string{
		"text": strings.Repeat("Some words.\n\n", n/13), "links": strings.Repeat("[a](", n/4), "stars": strings.Repeat("*a_", n/3),
		"table": strings.Repeat("|a", 3000) + "\n" + strings.Repeat("|-", 3000) + "\n" + strings.Repeat("|x\n", n/3),
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				unseenOf(document)
			}
		})
	}
}

func FuzzUnseen(f *testing.F) {
	f.Add("a <!-- b --> [c]\n\n[c]: d\n\n[^1]: e\n")
	f.Add(strings.Repeat(">", 3000))
	f.Add("<" + strings.Repeat("a b=\"", 1000))
	f.Add(strings.Repeat("[", 2000) + strings.Repeat("[^a]: ", 500))
	f.Add("```a b\n<x y")
	f.Fuzz(func(t *testing.T, document string) {
		if note := hiddenBy(document, document); note != "" && len(document) <= maxSearched {
			t.Errorf("an edit that adds nothing is said to add something: %q", note)
		}
	})
}
