package commands

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/d3mlabs/ai-flow/render"
)

// line is one line of a comment; LF, CRLF and a lone CR end one.
type line struct {
	start  int // byte offset in the body
	number int // from 1
	text   string
	head   head
}

// head is what a command line begins with.
type head struct {
	command Command // 0 for a reserved word
	word    string  // slash, prefix and word
	length  int     // bytes up to the instruction
	flag    string  // the first flag, "" when there is none
}

func splitLines(body string) []line {
	var lines []line
	for start := 0; ; {
		end := strings.IndexAny(body[start:], "\r\n")
		if end < 0 {
			return append(lines, line{start: start, number: len(lines) + 1, text: body[start:]})
		}
		lines = append(lines, line{start: start, number: len(lines) + 1, text: body[start : start+end]})
		start += end + 1
		if body[start-1] == '\r' && start < len(body) && body[start] == '\n' {
			start++
		}
	}
}

// The words. A reserved one is refused politely instead of being taken for prose.
var words = [...]struct {
	word    string
	command Command
}{{"ask", Ask}, {"edit", Edit}, {"build", Build}, {"split", 0}, {"learn", 0}}

// findHeads finds the lines that have the shape of a command, and those that nearly have it. A byte order mark before the
// first line is no part of it.
func findHeads(lines []line, prefix string) (heads []line, c Comment) {
	for i, l := range lines {
		if i == 0 {
			if text, ok := strings.CutPrefix(l.text, "\ufeff"); ok {
				l.start, l.text = len("\ufeff"), text
			}
		}
		if h, ok := readHead(l.text, prefix); ok {
			l.head = h
			heads = append(heads, l)
		} else if why := nearMiss(l.text, prefix); why != "" && len(c.Misses) < maxSegments {
			c.Misses = append(c.Misses, Miss{l.number, why})
		}
	}
	return heads, c
}

func readHead(text, prefix string) (head, bool) {
	rest, ok := strings.CutPrefix(text, "/"+prefix)
	if !ok {
		return head{}, false
	}
	for _, w := range words {
		tail, ok := strings.CutPrefix(rest, w.word)
		if !ok {
			continue
		}
		after := strings.TrimLeftFunc(tail, unicode.IsSpace)
		if tail != "" && after == tail {
			continue
		}
		h := head{command: w.command, word: "/" + prefix + w.word, length: len(text) - len(after)}
		if after == "" {
			h.length = len(h.word)
		}
		h.flag = leadingFlag(after)
		return h, true
	}
	return head{}, false
}

// leadingFlag is the first word when it has the shape of a flag: two dashes, or the dash that a phone makes of them in
// front of a word (H1-10). A dash that stands alone is punctuation.
func leadingFlag(text string) string {
	first, _, _ := strings.Cut(text, " ")
	first = strings.TrimRightFunc(first, unicode.IsSpace)
	if strings.HasPrefix(first, "--") {
		return first
	}
	name := strings.TrimLeft(first, "\u2010\u2011\u2012\u2013\u2014\u2015\u2212")
	if name == first || name == "" {
		return ""
	}
	for _, r := range name {
		if r != '-' && r != '=' && (r < 'a' || r > 'z') && (r < '0' || r > '9') {
			return ""
		}
	}
	return first
}

// slashes look like a slash and are none.
const slashes = "\uff0f\u2044\u2215\u29f8"

// nearMiss says why a line that its author may have meant as a command is none.
func nearMiss(text, prefix string) string {
	visible := strings.TrimLeftFunc(withoutInvisible(text), unicode.IsSpace)
	if _, ok := readHead(visible, prefix); ok {
		if i := strings.IndexFunc(text, render.Invisible); i >= 0 {
			r, _ := utf8.DecodeRuneInString(text[i:])
			return fmt.Sprintf("it holds an invisible character (%U) in or before the command", r)
		}
		return "a command starts at the first column"
	}
	if r, n := utf8.DecodeRuneInString(visible); strings.ContainsRune(slashes, r) {
		if _, ok := readHead("/"+visible[n:], prefix); ok {
			return fmt.Sprintf("it begins with %U, which only looks like a slash", r)
		}
	}
	if span, ok := strings.CutPrefix(visible, "`"); ok {
		if _, ok := readHead(strings.Replace(span, "`", " ", 1), prefix); ok {
			return "a command in back-ticks is a quotation"
		}
	}
	rest, ok := strings.CutPrefix(text, "/"+prefix)
	if !ok {
		return ""
	}
	word := rest[:len(rest)-len(strings.TrimLeftFunc(rest, unicode.IsLetter))]
	next, _ := utf8.DecodeRuneInString(rest[len(word):])
	if len(word) == 0 || len(word) > 8 || strings.ContainsRune("-_/.", next) || unicode.IsDigit(next) {
		return "" // another word, or a path
	}
	for _, w := range words[:3] {
		if near(strings.ToLower(word), w.word) {
			return fmt.Sprintf("/%s%s is no command; /%s%s followed by a space is", prefix, word, prefix, w.word)
		}
	}
	return ""
}

// near reports whether two words differ by at most one letter more, less, other, or swapped with its neighbour.
func near(a, b string) bool {
	i := 0
	for i < len(a) && i < len(b) && a[i] == b[i] {
		i++
	}
	a, b = a[i:], b[i:]
	switch {
	case a == b:
		return true
	case len(a) > 0 && a[1:] == b, len(b) > 0 && a == b[1:]:
		return true
	case len(a) > 0 && len(b) > 0 && a[1:] == b[1:]:
		return true
	}
	return len(a) > 1 && len(b) > 1 && a[0] == b[1] && a[1] == b[0] && a[2:] == b[2:]
}

func withoutInvisible(text string) string {
	return strings.Map(func(r rune) rune {
		if render.Invisible(r) {
			return -1
		}
		return r
	}, text)
}

func isBlank(r rune) bool { return unicode.IsSpace(r) || render.Invisible(r) }

// clean makes text of a comment what an agent is given: \n line ends, no invisible characters (H1-04), nothing around it.
func clean(text string) string {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	text = strings.ReplaceAll(text, "\r", "\n")
	text = strings.ToValidUTF8(text, "\ufffd")
	var b strings.Builder
	eachRune(text, func(r rune, idle bool) {
		if !idle {
			b.WriteRune(r)
		}
	})
	return strings.TrimFunc(b.String(), unicode.IsSpace)
}

// purposeless lists the invisible characters of a text that no script and no emoji needs where they stand.
func purposeless(text string) (idle []rune) {
	eachRune(text, func(r rune, is bool) {
		if is {
			idle = append(idle, r)
		}
	})
	return idle
}

// eachRune goes through a text; idle are invisible characters without a purpose.
func eachRune(text string, f func(r rune, idle bool)) {
	before := rune(0)
	for len(text) > 0 {
		r, size := utf8.DecodeRuneInString(text)
		text = text[size:]
		after, _ := utf8.DecodeRuneInString(text)
		idle := render.Invisible(r) && !joins(r, before, after)
		f(r, idle)
		if !idle {
			before = r
		}
	}
}

// joins reports whether an invisible character is one that scripts and emoji are written with, and stands where it means
// something: a joiner between two visible characters that are not ASCII, the emoji variation selector behind one. A second
// one in a row never does, so none of them can spell a hidden text.
func joins(r, before, after rune) bool {
	const zwnj, zwj, emoji = 0x200c, 0x200d, 0xfe0f
	if before < utf8.RuneSelf || before == zwnj || before == zwj {
		return false
	}
	switch r {
	case zwnj, zwj:
		return after >= utf8.RuneSelf && !isBlank(after)
	case emoji:
		return before != emoji && !unicode.IsLetter(before)
	}
	return false
}
