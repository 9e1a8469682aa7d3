package thread

import (
	"strings"
	"testing"

	"github.com/d3mlabs/ai-flow/render"
)

const (
	begin = "> <!-- ai-flow:result 123 stage=told -->\n"
	end   = "> <!-- ai-flow:end -->\n"
)

// What is taken out, and what is not: marks are read by exact shape, and doubt leaves text where it is.
func TestStrip(t *testing.T) {
	tests := []struct{ name, body, want string }{
		{"nothing", "/ask why\n", "/ask why\n"},
		{"a result", "/ask why\n\n" + begin + "> because\n>\n" + end + "\nmore", "/ask why\nmore"},
		{"at the end", "/ask why\n\n" + begin + "> because\n" + end, "/ask why"},
		{"the last line break trimmed", "/ask why\n\n" + begin + "> because\n" + strings.TrimSpace(end), "/ask why"},
		{"first of all, what stands before it trimmed", begin + "> because\n" + end + "x", "x"},
		{"a status", "/ask\n\n> <!-- ai-flow:status 123 -->\n> ⏳\n" + end, "/ask"},
		{"a status with digests", "/ask\n\n> <!-- ai-flow:status 123 before=" + strings.Repeat("a", 32) + " after=" + strings.Repeat("0", 32) + " -->\n> ⏳\n" + end, "/ask"},
		{"the bottom with its rule", "x\n\n---\n\n> <!-- ai-flow:result 123 stage=told part=bottom -->\n> b\n" + end, "x"},
		{"a rule of a person's over another part", "x\n\n---\n\n" + begin + "> b\n" + end, "x\n\n---"},
		{"the bottom, its rule taken away by a person", "x\n> <!-- ai-flow:result 123 stage=told part=bottom -->\n> b\n" + end, "x\n"},
		{"two", "a\n\n" + begin + "> 1\n" + end + "\nb\n\n" + begin + "> 2\n" + end + "\nc", "a\nb\nc"},
		{"the empty line below taken away by a person", "a\n\n" + begin + "> 1\n" + end + "b\n", "a\nb\n"},
		{"the same after a form", "a\r\n\r\n" + crlf(begin+"> 1\n"+end) + "b\r\n", "a\r\nb\r\n"},
		{"two at one place", "a\n\n" + begin + "> 1\n" + end + "\n\n" + begin + "> 2\n" + end + "\nb", "a\nb"},
		{"line ends of a form", "a\r\n\r\n" + strings.ReplaceAll(begin+"> 1\n"+end, "\n", "\r\n") + "\r\nb\r\n", "a\r\nb\r\n"},
		{"ours in a body with other line ends", "a\r\n\n\n" + begin + "> 1\n" + end + "\r\nb\r\n", "a\r\n\r\nb\r\n"},
		{"a CR that is no part of ours", "a\r\n\n" + begin + "> 1\n" + end, "a\r\n\n"},

		{"places of render's in it, one at the begin of a line, one over lines", "a\n\n" + begin + "> <!-- ai-flow:pull 0 -->\n> x <!-- ai-flow:pull-end\n> -->\n>\n" + end + "\nb", "a\nb"},
		{"a place of render's, not ended", "a\n\n" + begin + "> <!-- ai-flow:pull 0 -->\n\nb", "a\n\n" + begin + "> <!-- ai-flow:pull 0 -->\n\nb"},
		{"a place of render's alone", "a\n\n> <!-- ai-flow:pull 0 -->\n" + end, "a\n\n> <!-- ai-flow:pull 0 -->\n" + end},
		{"a reply, which we quote nowhere", "a\n\n> <!-- ai-flow:reply 123 thread=9 -->\n> x\n" + end, "a\n\n> <!-- ai-flow:reply 123 thread=9 -->\n> x\n" + end},
		{"ended by the end of a reply", "a\n\n" + begin + "> x\n> <!-- ai-flow:reply 123 thread=9 -->\n" + end, "a\n\n" + begin + "> x\n> <!-- ai-flow:reply 123 thread=9 -->\n" + end},

		{"another command's", "a\n\n> <!-- ai-flow:result 124 stage=told -->\n> 1\n" + end, "a\n\n> <!-- ai-flow:result 124 stage=told -->\n> 1\n" + end},
		{"not ended", "a\n\n" + begin + "> 1\n\nb", "a\n\n" + begin + "> 1\n\nb"},
		{"ended beyond an empty line", "a\n\n" + begin + "> 1\n\n" + end, "a\n\n" + begin + "> 1\n\n" + end},
		{"ended beyond text", "a\n\n" + begin + "mine\n" + end, "a\n\n" + begin + "mine\n" + end},
		{"text behind a lone CR", "a\n\n" + begin + "> 1\rmine\n" + end, "a\n\n" + begin + "> 1\rmine\n" + end},
		{"ended by the end of another", "a\n\n" + begin + "> 1\n> <!-- ai-flow:result 9 stage=told -->\n" + end, "a\n\n" + begin + "> 1\n> <!-- ai-flow:result 9 stage=told -->\n" + end},
		{"an end alone", "a\n" + end, "a\n" + end},
		{"not quoted", "<!-- ai-flow:result 123 stage=told -->\nx\n<!-- ai-flow:end -->\n", "<!-- ai-flow:result 123 stage=told -->\nx\n<!-- ai-flow:end -->\n"},
		{"behind something", "x " + begin + end, "x " + begin + end},
		{"deeper", "> " + begin + "> " + end, "> " + begin + "> " + end},
		{"text behind the mark", "> <!-- ai-flow:result 123 stage=told --> x\n" + end, "> <!-- ai-flow:result 123 stage=told --> x\n" + end},
		{"an unknown stage", "> <!-- ai-flow:result 123 stage=best -->\n" + end, "> <!-- ai-flow:result 123 stage=best -->\n" + end},
		{"an unknown word", "> <!-- ai-flow:panel 123 -->\n" + end, "> <!-- ai-flow:panel 123 -->\n" + end},
		{"a digest too short", "> <!-- ai-flow:status 123 before=aa after=bb -->\n" + end, "> <!-- ai-flow:status 123 before=aa after=bb -->\n" + end},
		{"an id of many digits", "> <!-- ai-flow:result 99999999999999999999 stage=told -->\n" + end, "> <!-- ai-flow:result 99999999999999999999 stage=told -->\n" + end},
		{"an id with a zero in front", "> <!-- ai-flow:result 0123 stage=told -->\n" + end, "> <!-- ai-flow:result 0123 stage=told -->\n" + end},
		{"white space around marks", "a\n\n>  <!-- ai-flow:result 123 stage=told -->\t\n> 1\n><!-- ai-flow:end --> \nb", "a\nb"},
		{"white space and CR around marks", "a\r\n\r\n> <!-- ai-flow:result 123 stage=told --> \r\n> 1\r\n> <!-- ai-flow:end -->\t\r\nb", "a\r\nb"},
		{"a status line, its end mark taken away (F13)", "/ask\n\n> <!-- ai-flow:status 123 -->\n> ⏳ x\n>\n\n/ask b", "/ask\n/ask b"},
		{"its end mark and more taken away", "/ask\n\n> <!-- ai-flow:status 123 -->\n> ⏳ x", "/ask"},
		{"a status line, its end mark parted from it", "/ask\n\n> <!-- ai-flow:status 123 -->\n> ⏳ x\n>\n\n" + end + "\nb", "/ask\nb"},
		{"a status line, its end mark in no quote", "/ask\n\n> <!-- ai-flow:status 123 -->\n> ⏳ x\n<!-- ai-flow:end -->\nb", "/ask\n<!-- ai-flow:end -->\nb"},
		{"a status line without an end, a quote below", "/ask\n\n> <!-- ai-flow:status 123 -->\n> ⏳ x\n> mine", "/ask\n> mine"},
		{"a status line, words of a person in its quote (F12)", "/ask\n\n> <!-- ai-flow:status 123 -->\n> mine\n> ⏳ x\n>\n> also mine\n>\n" + end + "\nb", "/ask\n\n> mine\n>\n> also mine\n\nb"},
		{"a status line taken away, its marks left", "/ask\n\n> <!-- ai-flow:status 123 -->\n>\n" + end + "b", "/ask\nb"},
		{"the mark of a status line alone", "/ask\n\n> <!-- ai-flow:status 123 -->\n", "/ask\n\n> <!-- ai-flow:status 123 -->\n"},
		{"a sandglass of a person's below it", "/ask\n\n> <!-- ai-flow:status 123 -->\n\n> ⏳ mine\n", "/ask\n\n> <!-- ai-flow:status 123 -->\n\n> ⏳ mine\n"},
		{"a result without an end, a status line below", "a\n" + begin + "> 1\n\n> <!-- ai-flow:status 123 -->\n> ⏳\n" + end, "a\n" + begin + "> 1"},
		{"begun twice: the second", "a\n" + begin + "> mine\n" + begin + "> 1\n" + end, "a\n" + begin + "> mine\n"},
		{"one in another, put there by a person", "a\n" + begin + "> x\n" + begin + end + end, "a\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := Strip(tt.body, 123); got != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}

// Marks nested by hand cost time that grows with their number, not with its square times the length of what GitHub takes.
func TestStripEnds(t *testing.T) {
	n := maxBody / (len(begin) + len(end))
	if got := Strip(strings.Repeat(begin, n)+strings.Repeat(end, n), 123); got != "" {
		t.Errorf("%d bytes are left", len(got))
	}
}

// Clean takes what is ours out of a text for a prompt, of whatever command, and in doubt too much of a quote: what an agent
// said must not pass for what a person said (F9).
func TestClean(t *testing.T) {
	status := "\n\n> <!-- ai-flow:status 7 -->\n> ⏳ x\n>\n" + end
	for body, want := range map[string]string{
		"/ask why\n": "/ask why\n",
		"/ask\n\n" + begin + "> because\n" + end + "\n/ask b" + status + "\nc":             "/ask\n/ask b\nc",
		"a\n\n---\n\n> <!-- ai-flow:result 9 stage=unsure part=bottom -->\n> ⚙️\n" + end:   "a",
		"a\n\n" + begin + "> because\n\n> mine":                                            "a\n> mine",
		"a\n\n" + begin + "> because\n> <!-- ai-flow:result 9 stage=told -->\n> x\n" + end: "a\n",
		"a\n\n> <!-- ai-flow:status 9 -->\n> ⏳ x\n> mine\n":                                "a\n> mine\n",
		"> mine\n\n/ask": "> mine\n\n/ask",
		"a\n\n> <!-- ai-flow:reply 7 thread=9 -->\n> Done in abc.\n" + end + "\nb":                 "a\nb",
		"a\n\n> <!-- ai-flow:reply 7 thread=9 -->\n> Done in abc.\n\n> mine":                       "a\n> mine",
		"a\n\n" + begin + "> <!-- ai-flow:pull 0 -->\n> x <!-- ai-flow:pull 1 -->\n" + end + "\nb": "a\nb",
		"a\n\n" + begin + "> <!-- ai-flow:pull 0 -->\n> x\n\n> mine":                               "a\n> mine",
	} {
		if got := Clean(body); got != want {
			t.Errorf("%q: %q, want %q", body, got, want)
		}
	}
}

// A comment of our own begins with a mark of ours.
func TestOurs(t *testing.T) {
	for body, want := range map[string]bool{
		own(saying{id: 7, stage: told}, "x", ""):          true,
		crlf(own(saying{id: 7, stage: waiting}, "x", "")): true,
		aside(7, "", ""): true,
		"<!-- ai-flow:result 7 stage=unsure -->  \nx":          true,
		framed(mark{word: wordReply, id: 7, thread: 9}, "x"):   true,
		"<!-- ai-flow:reply 7 -->\nx":                          false,
		"<!-- ai-flow:pull 0 -->\nx":                           false,
		"x\n" + aside(7, "", ""):                               false,
		"/ask why\n\n" + begin + "> x\n" + end:                 false,
		begin + "> x\n" + end:                                  false,
		"<!-- ai-flow:status 7 -->\nx":                         false,
		"<!-- ai-flow:result 7 stage=told --> I am the bot\nx": false,
		"": false,
	} {
		if got := Ours(body); got != want {
			t.Errorf("%q: %v", body, got)
		}
	}
}

// crlf is what a form in a browser sends.
func crlf(text string) string { return strings.ReplaceAll(oneLineEnd(text), "\n", "\r\n") }

// place puts parts into a body at places that nobody chose well.
func place(body string, id int64, parts render.Parts, a, b int) string {
	t := &Thread{Read: func(string) ([]Anchor, int) {
		return []Anchor{{End: a, Text: "/ask"}, {End: b, Text: "/ask"}}, len(body)
	},
		Asked: []Anchor{{Text: "/ask"}, {Text: "/ask"}}}
	s := saying{id: id, stage: told, status: "⏳"}
	spots := t.spots(body)
	return lay(body, append(t.results(parts, spots, s), s.statusBlock(spots.last)...))
}

var bodies = []string{"", "\n", "a", "a\n", "a\r", "a\r\n", "a\r\r\n\n\r", "  a  \n\n  ", "/ask why\n\n> q\n\n/edit this\n", "/ask why\r\n\r\n> q\r\n\r\n/edit this",
	"a\n\n---\n\n", "a\n\n> b", "> b\n", "a\n\n" + begin, begin + "> x", "x" + begin + end, begin + end, "\r" + strings.ReplaceAll(begin+end, "\n", "\r"),
	"a\n" + end, "> <!-- ai-flow:result 9 stage=told -->\n> x\n" + end, begin + "> x\n" + begin + end + end, begin + "> <!-- ai-flow:pull 0 --> x\n" + end,
	"a\n> <!-- ai-flow:reply 123 thread=9 -->\n> x\n" + end, "<!-- ai-flow:reply 123 thread=9 -->\nx\n<!-- ai-flow:end -->\n", "\ufeff/ask\u2028x\x00\xff", "> <!-- ai-flow:result 123 stage=told -->\r\n> x\r\n> <!-- ai-flow:end -->"}

// FuzzPlace: taking out is the exact inverse of putting in, for every body that holds nothing of ours, every place and every
// text, also after a form has changed all line ends.
func FuzzPlace(f *testing.F) {
	for i, body := range bodies {
		f.Add(body, i, 2*i, "text\r\n\n```\n"+end, "bottom")
		f.Add(body, 2*i, i, "<!-- ai-flow:end -->\rx", "<!-- ai-flow:result 123 stage=told -->")
		f.Add(body, i, i, "<!-- ai-flow:pull 0 -->\n<!-- ai-flow:pull", "<!-- ai-flow:reply 123 thread=9 -->")
	}
	f.Fuzz(func(t *testing.T, body string, a, b int, text, bottom string) {
		const id = 123
		p := render.Parts{Segments: []string{text, bottom}, Bottom: bottom}
		if clean := Strip(body, id); clean != body {
			if again := Strip(clean, id); again != clean {
				t.Fatalf("what is left of %q changes again: %q, %q", body, clean, again)
			}
			body = clean
		}
		said := place(body, id, p, a, b)
		if got := Strip(said, id); got != body {
			t.Errorf("%q came back as %q, out of %q", body, got, said)
		}
		if clean, blocks := lift(said, id); lay(clean, blocks) != said {
			t.Errorf("%q is not put together again: %q", said, lay(clean, blocks))
		}
		// A form makes a line break of a lone CR, and so may make a block of a person's marks.
		if got, want := Strip(crlf(said), id), crlf(body); got != want && Strip(want, id) == want {
			t.Errorf("after a form %q came back as %q, out of %q", want, got, crlf(said))
		}
		if got := Strip(said, id+1); got != Strip(place(Strip(body, id+1), id, p, a, b), id+1) && Strip(body, id+1) == body {
			t.Errorf("another command takes from %q: %q", said, got)
		}
	})
}

// FuzzStrip: whatever a person writes, only whole lines of quotes and what we put before them go, and a second time nothing.
func FuzzStrip(f *testing.F) {
	for _, body := range bodies {
		f.Add(body)
		f.Add(begin + body + end)
		f.Add(begin + "> a\n\n" + begin + end + body)
		f.Add("x\n" + begin + "> " + body + "\n" + end + "y")
		f.Add("x\n\n> <!-- ai-flow:status 123 -->\n> ⏳ x\n>" + body + "\n\n" + end + "y")
	}
	f.Fuzz(func(t *testing.T, body string) {
		clean := Strip(body, 123)
		if again := Strip(clean, 123); again != clean {
			t.Errorf("%q, then %q", clean, again)
		}
		if !strings.Contains(body, endMark) && !strings.Contains(body, sandglass) && clean != body {
			t.Errorf("%q was taken from although no block of it ends", body)
		}
		prompt := Clean(body)
		if again := Clean(prompt); again != prompt {
			t.Errorf("%q, then %q", prompt, again)
		}
		want := plainLines(body)
		for _, got := range []string{plainLines(clean), plainLines(prompt)} {
			if got != want {
				t.Errorf("of the text %q only %q is left", want, got)
			}
		}
	})
}

// plainLines are the lines of a body that are in no quote, without white space and rules.
func plainLines(body string) string {
	var b strings.Builder
	for line := range strings.SplitSeq(oneLineEnd(body), "\n") {
		if line = strings.TrimSpace(line); !strings.HasPrefix(line, ">") && line != "---" {
			b.WriteString(line)
		}
	}
	return b.String()
}
