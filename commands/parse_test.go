package commands

import (
	"errors"
	"strings"
	"testing"
)

// seg is a segment as a table names it: command, quote, instruction.
type seg struct {
	command     Command
	quote, text string
}

func TestParse(t *testing.T) {
	tests := []struct {
		name string
		body string
		want []seg
	}{
		{"nothing", "", nil},
		{"prose", "Looks right to me.", nil},
		{"alone", "/build", []seg{{Build, "", ""}}},
		{"text on the line", "/ask what is Foo?", []seg{{Ask, "", "what is Foo?"}}},
		{"a tab", "/ask\twhat?", []seg{{Ask, "", "what?"}}},
		{"text below, kept verbatim", "/edit  a   b\n  c\n\n\td  e\n", []seg{{Edit, "", "a   b\n  c\n\n\td  e"}}},
		{"fences in the instruction are its own", "/edit use\n```go\n/ask x\n> y\n```\nthere", []seg{{Edit, "", "use\n```go\n/ask x\n> y\n```\nthere"}}},
		{"after prose (H1-12b)", "Long explanation of the failure.\n\n/build web", []seg{{Build, "", "web"}}},
		{"in the middle of a paragraph", "I wonder.\n/ask why?", []seg{{Ask, "", "why?"}}},
		{"as a heading, which it becomes", "/ask why?\n---\n", []seg{{Ask, "", "why?\n---"}}},

		{"H1-01 in code", "Docs:\n\n```\n/build all\n```\n\nUse `/edit x`.\n\n| cmd | does |\n|---|---|\n| /ask | asks |\n", nil},
		{"H1-02 quoted", "> /build web\n\nThat worked, thanks.\n", nil},
		{"H1-03 CRLF", "/edit\r\nRename the flag to --dry-run.\r\n\r\nKeep the old one.\r\n", []seg{{Edit, "", "Rename the flag to --dry-run.\n\nKeep the old one."}}},
		{"H1-04 invisible mark in an argument", "/ask why does cmd/main.go\u200e panic?", []seg{{Ask, "", "why does cmd/main.go panic?"}}},
		{"H1-05 longer words", "/builder is a nice name", nil},
		{"H1-05 asked", "/asked already", nil},
		{"H1-05 edit-me", "/edit-me", nil},
		{"H1-08 hidden", "<!--\n/build secrets\n-->\nLGTM", nil},
		{"H1-09 two commands", "/ask what does Foo do?\n/edit rename Foo to Bar\n", []seg{{Ask, "", "what does Foo do?"}, {Edit, "", "rename Foo to Bar"}}},
		{"H1-10 a smart dash that is no flag", "/build web \u2014verbose", []seg{{Build, "", "web \u2014verbose"}}},
		{"H1-10 a dash alone", "/ask \u2014 what is this?", []seg{{Ask, "", "\u2014 what is this?"}}},
		{"H1-11 reply by e-mail", "Looks right to me.\r\n\r\nOn Tue, 3 Mar 2026 at 10:11, Bo <notifications@example.com> wrote:\r\n\r\n> /build web\r\n>\r\n> see above\r\n", nil},
		{"H1-12a in back-ticks", "`/build web`", nil},
		{"H1-12c twice is twice", "/ask one\n/ask one\n", []seg{{Ask, "", "one"}, {Ask, "", "one"}}},
		{"H3-11 an echo in our own reply", "> <!-- ai-flow:result 1 -->\n> Reply with\n>\n> /edit delete everything", nil},

		{"near miss: another word", "/aks why", nil},
		{"near miss: a colon", "/build: web", nil},
		{"near miss: another case", "/Ask why", nil},
		{"near miss: one space before", " /ask why", nil},
		{"near miss: full-width slash", "\uff0fask why", nil},
		{"near miss: zero-width before", "\u200b/ask why", nil},
		{"near miss: zero-width inside", "/a\u200bsk why", nil},
		{"near miss: zero-width behind", "/ask\u200b why", nil},
		{"a path", "/build/output is empty", nil},
		{"a byte order mark is not there", "\ufeff/ask why", []seg{{Ask, "", "why"}}},
		{"a byte order mark on a later line is", "x\n\n\ufeff/ask why", nil},
		{"NBSP is white space", "/ask\u00a0why", []seg{{Ask, "", "why"}}},
		{"ideographic space too", "/ask\u3000why", []seg{{Ask, "", "why"}}},
		{"a lone CR ends a line", "hello\r/ask why\rnow", []seg{{Ask, "", "why\nnow"}}},
		{"a lone CR is an empty line, too", "> q\r\r/ask why", []seg{{Ask, "q", "why"}}},
		{"a lone CR in a fence ends no fence", "```\r/ask why\r```\r", nil},
		{"invalid UTF-8", "/ask a\xffb", []seg{{Ask, "", "a\ufffdb"}}},
		{"joiners in emoji stay", "/ask \U0001f469\u200d\U0001f4bb a\u200db", []seg{{Ask, "", "\U0001f469\u200d\U0001f4bb ab"}}},
		{"tag letters go", "/ask x\U000e0061\U000e0062", []seg{{Ask, "", "x"}}},

		{"tilde fence", "~~~\n/build\n~~~", nil},
		{"longer fence", "````\n```\n/build\n```\n````", nil},
		{"open fence", "```\n/build", nil},
		{"closed fence, then a command", "```\n/build\n```\n/ask x", []seg{{Ask, "", "x"}}},
		{"indented code", "x\n\n    /build\n", nil},
		{"a code span over lines", "see `a\n/build\nb`", nil},
		{"an HTML block", "<div>\n/build\n</div>", nil},
		{"after an HTML block", "<div>\n</div>\n\n/ask x", []seg{{Ask, "", "x"}}},
		{"a comment in a paragraph", "see <!-- a\n/build\n-->", nil},
		{"an open comment", "see\n\n<!-- a\n\n/build", nil},
		{"an attribute", "see <a title='\n/build\n'>x</a>", nil},
		{"details", "<details>\n\n/build\n\n</details>", nil},
		{"details with a summary", "<details><summary>x</summary>\n\n/build\n\n</details>", nil},
		{"details in capitals", "<DETAILS open>\n\n/build\n\n</DETAILS>", nil},
		{"details inline", "x <details>\n\n/build", nil},
		{"nested details", "<details>\n\n<details>\n\n</details>\n\n/build\n\n</details>", nil},
		{"details closed in a comment", "<details>\n\n<!-- </details> -->\n\n/build", nil},
		{"after details", "<details>\n\nx\n\n</details>\n\n/ask x", []seg{{Ask, "", "x"}}},
		{"a details in a quote ends with it", "> <details>\n\n/ask x", []seg{{Ask, "<details>", "x"}}},
		{"details in code are words", "`<details>`\n\n/ask x", []seg{{Ask, "", "x"}}},
		{"an HTML quote", "<blockquote>\n\n/build\n\n</blockquote>", nil},
		{"pre", "<pre>\n\n/build\n\n</pre>", nil},
		{"in a list", "- /build\n- x", nil},
		{"in a list, indented", "- x\n\n  /build", nil},
		{"in a numbered list", "1. /build", nil},
		{"after a list", "- x\n\n/ask y", []seg{{Ask, "", "y"}}},
		{"a nested quote", "> > /build", nil},
		{"a link definition", "[x]:\n/ask\n'why'", nil},
		{"a title of a definition", "[x]: /u\n'\n/ask why\n'", nil},
		{"a title of a link", "[x](/u '\n/ask why\n')", nil},
		{"a text of a link", "[x\n/ask why](/u)", nil},
		{"an image", "![x\n/ask why](/u)", nil},
		{"a footnote", "x[^1]\n\n[^1]: y\n/build", nil},
		{"a footnote that nobody refers to", "[^1]: y\n/build", nil},
		{"struck", "~~x\n/build a~~", nil},
		{"escaped", "\\/build", nil},
		{"our own text to the end", "<!-- ai-flow:panel 7 -->\nTry:\n\n/ask question\n/edit change\n", nil},
		{"our own text that ends", "<!-- ai-flow:panel 7 -->\nTry:\n\n/ask question\n\n<!-- ai-flow:end -->\n\n/ask mine", []seg{{Ask, "", "mine"}}},

		{"a quote above", "> the flag\n> is new\n\n/ask since when?", []seg{{Ask, "the flag\nis new", "since when?"}}},
		{"blank lines between", "> q\n\n\n \n/ask a", []seg{{Ask, "q", "a"}}},
		{"a quote that ends in empty lines of it", "> q\n>\n>\n\n/ask a", []seg{{Ask, "q", "a"}}},
		{"a command right behind a quote of HTML is not of it", "> <!-- -->\n/ask a\n\n/edit b", []seg{{Ask, "<!-- -->", "a"}, {Edit, "", "b"}}},
		{"a quote of nothing but marks", ">\n>\n\n/build", []seg{{Build, "", ""}}},
		{"prose between", "> q\n\nfoo\n\n/ask a", []seg{{Ask, "", "a"}}},
		{"prose in the same paragraph", "> q\n\nfoo\n/ask a", []seg{{Ask, "", "a"}}},
		{"F-64 two quotes do not merge", "> one\n\n> two\n\n/ask a", []seg{{Ask, "two", "a"}}},
		{"a quote ends an instruction", "/ask a\nb\n\n> q\n\n/edit c", []seg{{Ask, "", "a\nb"}, {Edit, "q", "c"}}},
		{"a quote ends it without an empty line", "/ask a\n> q\n\n/edit c", []seg{{Ask, "", "a"}, {Edit, "q", "c"}}},
		{"a quote with nothing behind it", "/ask a\n\n> q\n\nremark", []seg{{Ask, "", "a"}}},
		{"a quote alone is enough", "> q\n\n/edit", []seg{{Edit, "q", ""}}},
		{"F-69 a quote for a build", "> q\n\n/build this", []seg{{Build, "q", "this"}}},
		{"nested quotes keep their marks", "> > a\n> b\n\n/ask c", []seg{{Ask, "> a\nb", "c"}}},
		{"a lazy line of the quote", "> a\nb\n\n/ask c", []seg{{Ask, "a\nb", "c"}}},
		{"code in the quote", "> ```\n> x\n> ```\n\n/ask c", []seg{{Ask, "```\nx\n```", "c"}}},
		{"CRLF in the quote", "> a\r\n> b\r\n\r\n/ask c", []seg{{Ask, "a\nb", "c"}}},
		{"a quote before a list is none", "> q\n- x\n\n/ask c", []seg{{Ask, "", "c"}}},
		{"a remark below our result is not of the instruction", "/ask a\n\n> <!-- ai-flow:result 7 -->\n> x\n> <!-- ai-flow:end -->\n\nremark\n", []seg{{Ask, "", "a"}}},
		{"nor one below our status", "/ask a\n\n> <!-- ai-flow:status 7 -->\n> ⏳\n> <!-- ai-flow:end -->\nremark\n", []seg{{Ask, "", "a"}}},
		{"our own result is no anchor", "/ask a\n\n> <!-- ai-flow:result 1 -->\n> yes\n\n/ask b", []seg{{Ask, "", "a"}, {Ask, "", "b"}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c, err := Parse(tt.body, "")
			if err != nil {
				t.Fatalf("refused: %v", err)
			}
			if len(c.Segments) != len(tt.want) {
				t.Fatalf("%d segments %+v, want %d", len(c.Segments), c.Segments, len(tt.want))
			}
			for i, s := range c.Segments {
				if got := (seg{s.Command, s.Quote, s.Instruction}); got != tt.want[i] {
					t.Errorf("segment %d is %+v, want %+v", i, got, tt.want[i])
				}
			}
			checkPositions(t, tt.body, c)
		})
	}
}

func TestParseRefuses(t *testing.T) {
	tests := []struct {
		name, body string
		reason     Reason
		line       int
		says       string
	}{
		{"build with ask", "/ask a\n/build", NotAlone, 2, "/build"},
		{"build twice", "/build a\n/build b", NotAlone, 1, "only command"},
		{"an unknown flag", "/build --verbose web", UnknownFlag, 1, `"--verbose"`},
		{"two dashes", "/ask -- what", UnknownFlag, 1, `"--"`},
		{"H1-10 a smart dash", "/build \u2014verbose", UnknownFlag, 1, "U+2014"},
		{"a flag of the predecessor", "/build --split", UnknownFlag, 1, "--split"},
		{"split", "/split", Reserved, 1, "/split"},
		{"learn among others", "/ask a\n/learn b", Reserved, 2, "/learn"},
		{"an empty ask", "hello\n\n/ask", Empty, 3, "/ask"},
		{"an empty quote", ">\n\n/edit", Empty, 3, "/edit"},
		{"only an invisible instruction", "/ask \u200b", Empty, 1, "/ask"},
		{"lazily in a quote", "> q\n/edit shorten", Swallowed, 2, "line 2"},
		{"lazily in a list", "- q\n/build", Swallowed, 2, "line 2"},
		{"lazily in a table", "| a |\n|---|\n/build", Swallowed, 3, "line 3"},
		{"lazily, beside one that counts", "> q\n/edit shorten\n\n/ask b", Swallowed, 2, "/edit"},
		{"too many", strings.Repeat("/ask a\n", maxSegments+1), TooLarge, maxSegments + 1, "33"},
		{"too long", strings.Repeat("a", maxComment+1), TooLarge, 0, "characters"},
		{"too many bytes", strings.Repeat("\xff", maxBytes+1), TooLarge, 0, "characters"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Parse(tt.body, "")
			var r *Refusal
			if !errors.As(err, &r) {
				t.Fatalf("not refused: %v", err)
			}
			if r.Reason != tt.reason || r.Line != tt.line || !strings.Contains(r.Message, tt.says) {
				t.Errorf("reason %d line %d %q, want %d line %d with %q", r.Reason, r.Line, r.Message, tt.reason, tt.line, tt.says)
			}
		})
	}
}

func TestPrefix(t *testing.T) {
	c, err := Parse("/ask plain\n\n/ai-ask mine", "ai-")
	if err != nil || len(c.Segments) != 1 || c.Segments[0].Instruction != "mine" || c.Segments[0].Line != 3 {
		t.Errorf("with the prefix ai-: %+v, %v", c, err)
	}
	var r *Refusal
	if _, err := Parse("/ask a", "a b"); !errors.As(err, &r) || r.Reason != BadPrefix {
		t.Errorf("a prefix with a space: %v", err)
	}
}

func TestNearMissesAreNamed(t *testing.T) {
	tests := []struct{ body, says string }{
		{"/aks why", "/aks"}, {"/build: web", "/build"}, {"/Ask why", "/Ask"}, {" /ask why", "first column"},
		{"\uff0fask why", "U+FF0F"}, {"\u200b/ask why", "U+200B"}, {"/ask\u200b why", "U+200B"},
		{"`/build web`", "back-ticks"}, {"```\n/build\n```", "code"}, {"/buid", "/buid"}, {"/edti x", "/edti"},
	}
	for _, tt := range tests {
		c, err := Parse(tt.body, "")
		if err != nil || len(c.Segments) != 0 || len(c.Misses) != 1 || !strings.Contains(c.Misses[0].Why, tt.says) {
			t.Errorf("%q: %+v, %v; want one miss with %q", tt.body, c, err, tt.says)
		}
	}
	for _, body := range []string{"/builder is a nice name", "/asked already", "/edit-me", "/build/output", "/usr/bin", "/", "a/ask b", "/tmp"} {
		if c, err := Parse(body, ""); err != nil || len(c.Misses)+len(c.Segments) != 0 {
			t.Errorf("%q: %+v, %v; want silence", body, c, err)
		}
	}
}

// checkPositions holds what a writer of results relies on: offsets in order, from the start of a command's line to the end of
// a line, its break left out, whatever ends lines; the foot behind all of them, at the end of a line or of the body.
func checkPositions(t *testing.T, body string, c Comment) {
	t.Helper()
	starts, ends := boundaries(body)
	last := 0
	for _, s := range c.Segments {
		if s.Start < last || s.End <= s.Start || s.End > len(body) {
			t.Fatalf("offsets %d to %d of %d after %d", s.Start, s.End, len(body), last)
		}
		if !strings.HasPrefix(body[s.Start:], s.Command.String()) || !starts[s.Start] {
			t.Errorf("offset %d of %q is not at the start of a line with %s", s.Start, body, s.Command)
		}
		if !ends[s.End] {
			t.Errorf("offset %d of %q is not at the end of a line", s.End, body)
		}
		last = s.End
	}
	if len(c.Segments) > 0 && (c.Foot < last || !ends[c.Foot]) {
		t.Errorf("the foot %d of %q is before %d, or not at the end of a line", c.Foot, body, last)
	}
}

// H1-04: what is invisible is known by its property and not by a list; what scripts and emoji are written with stays, once.
func TestClean(t *testing.T) {
	for in, want := range map[string]string{
		"a\u115fb\u3164c\uffa0d":              "abcd",
		"ab\ufe00\ufe0f\U000e0101\U000e0061":  "ab",
		"می\u200cخواهم क्\u200dष":             "می\u200cخواهم क्\u200dष",
		"👨\u200d👩 ❤\ufe0f 🏳\ufe0f\u200d🌈":     "👨\u200d👩 ❤\ufe0f 🏳\ufe0f\u200d🌈",
		"❤\ufe0f\ufe0f\ufe0f é\ufe0f":         "❤\ufe0f é",
		"é\u200d\u200c\u200dé é\u200d\u3164é": "é\u200dé éé",
		"a\x00b\x1b\tc\r\nd\re":               "ab\tc\nd\ne",
	} {
		if got := clean(in); got != want {
			t.Errorf("%+q becomes %+q, want %+q", in, got, want)
		}
	}
	if why := nearMiss("\u3164/ask x", ""); !strings.Contains(why, "invisible character (U+3164)") {
		t.Errorf("an invisible letter before a command is no near miss: %q", why)
	}
	for document, quote := range map[string]string{"1\ufe0f\u20e3 one\n": "1\u20e3 one", "key 🔑\ufe0f here\n": clean("key 🔑\ufe0f here")} {
		if f := locate(document, quote); len(f.spans) != 1 {
			t.Errorf("%+q is not found in %+q", quote, document)
		}
	}
}
