package render

import (
	"bytes"
	"regexp"
	"strings"
	"testing"
)

// Colours of a terminal's output stay where they hide nothing; everything else of a terminal's goes, as in any other line.
func TestOutputKeepsColours(t *testing.T) {
	for in, want := range map[string]string{
		"\x1b[1;31mFAIL\x1b[0m x\r\n":                                 "g \x1b[1m\x1b[31mFAIL\x1b[0m x\x1b[0m\n",
		"\x1b[32mok\nplain\n":                                         "g \x1b[32mok\x1b[0m\ng plain\n",
		"\x1b[8mhidden\x1b[m":                                         "g hidden\x1b[0m\x1b[0m\n",
		"\x1b[30;40mblack\x1b[47;37mwhite":                            "g blackwhite\n",
		"\x1b[38;5;31mone of 256":                                     "g one of 256\n",
		"\x1b[31m::error::x":                                          "g \x1b[31m::error::x\x1b[0m\n",
		"a \x1b[31m#\x1b[32m#[error]y":                                "g a # #[error]y\n",
		"\x1b]0;title\x07\x1b[2J\x1b[31mx\x1b[H":                      "g \x1b[31mx\x1b[0m\n",
		"\ue11fpretended":                                             "g pretended\n",
		"10%\r\x1b[33m20%\r\n":                                        "g 10%\ng \x1b[33m20%\x1b[0m\n",
		"\x1b[31m" + canary[:9] + "\x1b[32m" + canary[9:] + "\x1b[0m": "g ‹masked›\n",
	} {
		var b bytes.Buffer
		l := NewLog(&b, false)
		l.Mask(canary)
		l.Output("g", in)
		if got := b.String(); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

var shownColour = regexp.MustCompile("\x1b\\[(?:[0-4]|2[24]|3[1-69]|9[1-6])m")

// FuzzOutput: nothing but harmless colours is left of what a terminal would obey, each line ends its own, and the runner
// obeys nothing.
func FuzzOutput(f *testing.F) {
	for _, order := range orders {
		f.Add(order, true)
		f.Add("\x1b[31m"+order+"\x1b[0;1;4;38;5;9m", false)
	}
	f.Fuzz(func(t *testing.T, text string, actions bool) {
		var b bytes.Buffer
		l := NewLog(&b, actions)
		l.Output("[gate x]", text)
		l.Output(text, text)
		if err := l.End(); err != nil {
			t.Error(err)
		}
		if got := runner(b.String()); got != nil {
			t.Fatalf("obeyed %q in %q", got, b.String())
		}
		for line := range strings.Lines(b.String()) {
			if strings.Contains(line, "\x1b") && !strings.HasSuffix(line, "\x1b[0m\n") {
				t.Fatalf("a colour goes on behind %q", line)
			}
		}
		if plain := shownColour.ReplaceAllString(b.String(), ""); strings.Contains(plain, "\x1b") {
			t.Fatalf("%q is left in %q", plain, b.String())
		}
	})
}
