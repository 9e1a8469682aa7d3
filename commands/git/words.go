package git

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// mostWords is how many bytes of a server's words are kept: GitHub's begin with the rule that was broken.
const mostWords = 600

// words is what a server said about a push, in its answer and in the lines that git passes on from it, fit for one line.
// What git said by itself is not part of it.
func (m Remote) words(reason string, stderr []byte) string {
	said := []string{m.tame(reason)}
	var passed []string
	// A carriage return begins a line too, and git puts its mark there.
	for l := range strings.FieldsFuncSeq(string(stderr), func(c rune) bool { return c == '\n' || c == '\r' }) {
		if l, ok := strings.CutPrefix(l, "remote:"); ok {
			passed = append(passed, l)
		}
	}
	said = append(said, m.tame(strings.Join(passed, " ")))
	text := strings.Join(slices.DeleteFunc(said, func(s string) bool { return s == "" }), ": ")
	if len(text) > mostWords {
		text = strings.TrimSpace(strings.ToValidUTF8(text[:mostWords-len("…")], "")) + "…"
	}
	return text
}

// escapes are sequences that colour a terminal, move in it or name its window.
var escapes = regexp.MustCompile(`\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[ -/]*[0-~])`)

// tame takes from foreign words what does not print, and what is secret, also when it was there in pieces.
func (m Remote) tame(said string) string {
	said = escapes.ReplaceAllString(strings.ToValidUTF8(said, "?"), "")
	said = strings.Map(func(c rune) rune {
		switch {
		case unicode.IsSpace(c) || unicode.IsControl(c) || c == '\u2028' || c == '\u2029':
			return ' '
		case !unicode.IsPrint(c):
			return -1
		}
		return c
	}, said)
	said = strings.Join(strings.Fields(said), " ")
	for _, s := range m.secrets() {
		said = strings.ReplaceAll(said, s, "[redacted]")
	}
	for _, s := range m.secrets() {
		if strings.Contains(strings.ReplaceAll(said, " ", ""), s) {
			return "[redacted]"
		}
	}
	return secretShapes.ReplaceAllString(said, "$1$2$3[redacted]")
}
