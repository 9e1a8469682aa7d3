package render

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxMarks is how many combining marks may stand on one character: enough for any living script, too few to draw over the
// neighbouring lines.
const maxMarks = 8

// maxSequence bounds the search for the end of a terminal string sequence, so that one lone opener swallows nothing.
const maxSequence = 2048

// visible keeps what a reader can see, newlines and tabs. Terminal sequences go as a whole; controls, bidirectional marks,
// zero-width characters, tag letters and every other default-ignorable code point go by Unicode property and not by a list
// of the known ones, because each filter with a list was passed by the next character. Variation selectors and joiners stay
// inside emoji only. Every form of line end becomes a newline.
func visible(text string) string {
	if plainASCII(text) {
		return text
	}
	var b strings.Builder
	b.Grow(len(text))
	var prev rune
	marks := 0
	for i := 0; i < len(text); {
		if n := sequence(text[i:]); n > 0 {
			i += n
			continue
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		rest := text[i+size:]
		i += size
		switch {
		case r == '\r':
			if rest == "" || rest[0] == '\n' {
				continue
			}
			r = '\n'
		case isLineEnd(r):
			r = '\n'
		case r == '\t':
		case r == 0xFE0F, r == 0x200D:
			if !inEmoji(r, prev, rest) {
				continue
			}
		case hidden(r):
			continue
		case unicode.Is(unicode.M, r):
			if marks++; marks > maxMarks {
				continue
			}
		}
		if !unicode.Is(unicode.M, r) {
			marks = 0
		}
		b.WriteRune(r)
		prev = r
	}
	return b.String()
}

// plainASCII reports that visible has nothing to do, which is so for most text.
func plainASCII(text string) bool {
	for i := range len(text) {
		if c := text[i]; c >= 0x7F || c < 0x20 && c != '\n' && c != '\t' {
			return false
		}
	}
	return true
}

// isLineEnd is true of all that some reader of ours takes for the end of a line.
func isLineEnd(r rune) bool {
	switch r {
	case '\n', '\v', '\f', 0x85, 0x2028, 0x2029:
		return true
	}
	return false
}

// hidden is true of code points that show nothing or turn the text around them.
func hidden(r rune) bool {
	switch {
	case r < 0x7F:
		return r < 0x20
	case r >= 0xFFF9 && r <= 0xFFFB:
		return true
	}
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Cs, unicode.Other_Default_Ignorable_Code_Point,
		unicode.Variation_Selector, unicode.Bidi_Control, unicode.Noncharacter_Code_Point)
}

// Invisible reports whether a rune shows nothing, or turns the text around it, without being white space: what has no place
// in a command, a prompt or the subject of a commit. Joiners and variation selectors are among them, although emoji and some
// scripts need them; [Terminal] leaves those of emoji.
func Invisible(r rune) bool { return hidden(r) && !unicode.IsSpace(r) }

// inEmoji decides on the two invisible characters that emoji are built with: the emoji variation selector and the joiner.
func inEmoji(r, prev rune, rest string) bool {
	next, _ := utf8.DecodeRuneInString(rest)
	if r == 0xFE0F {
		if next == 0x20E3 && (prev == '#' || prev == '*' || prev >= '0' && prev <= '9') {
			return true
		}
		return pictograph(prev) || prev == 0x203C || prev == 0x2139 || prev == 0x2049 || prev == 0x3030
	}
	return (pictograph(prev) || prev == 0xFE0F) && pictograph(next)
}

func pictograph(r rune) bool {
	return r >= 0xA9 && r != utf8.RuneError && (unicode.Is(unicode.So, r) || r >= 0x1F3FB && r <= 0x1F3FF || r >= 0x2190 && r <= 0x2BFF && unicode.Is(unicode.Sm, r))
}

// sequence measures the terminal escape sequence that text starts with, 0 if none. An unterminated string sequence counts
// as its opener only: a terminal would swallow the rest of the message, a reader should not.
func sequence(text string) int {
	kind, n := byte(0), 0
	switch {
	case text[0] == 0x1B && len(text) > 1:
		kind, n = text[1], 2
	case strings.HasPrefix(text, "\u009b"):
		kind, n = '[', 2
	case strings.HasPrefix(text, "\u009d"):
		kind, n = ']', 2
	default:
		return 0
	}
	switch kind {
	case '[':
		return n + span(text[n:], 0x20, 0x3F) + final(text[n+span(text[n:], 0x20, 0x3F):], 0x40)
	case ']', 'P', 'X', '^', '_':
		return n + stringSequence(text[n:])
	}
	if kind < 0x20 || kind > 0x7E {
		return 1
	}
	n = 1 + span(text[1:], 0x20, 0x2F)
	return n + final(text[n:], 0x30)
}

func span(text string, low, high byte) int {
	n := 0
	for n < len(text) && text[n] >= low && text[n] <= high {
		n++
	}
	return n
}

func final(text string, low byte) int {
	if text != "" && text[0] >= low && text[0] <= 0x7E {
		return 1
	}
	return 0
}

func stringSequence(text string) int {
	for i := 0; i < len(text) && i < maxSequence && text[i] != '\n'; i++ {
		switch {
		case text[i] == 0x07:
			return i + 1
		case strings.HasPrefix(text[i:], "\x1b\\"), strings.HasPrefix(text[i:], "\u009c"):
			return i + 2
		case text[i] == 0x1B, strings.HasPrefix(text[i:], "\u009d"): // another one begins: this one never ended
			return 0
		}
	}
	return 0
}

// oneLine is visible text on one line, white space collapsed, at most limit bytes (cut at a rune, with an ellipsis).
func oneLine(text string, limit int) string {
	if len(text) > 8*limit {
		text = cutRune(text, 8*limit)
	}
	return clip(strings.Join(strings.Fields(visible(text)), " "), limit)
}

// bothEnds is oneLine for what was done: of a long text the end is kept too, where a command would hide what it is about.
func bothEnds(text string, limit int) string {
	text = strings.Join(strings.Fields(visible(text)), " ")
	if len(text) <= limit {
		return text
	}
	const gap = " … "
	tail := len(text) - (limit-len(gap))/3
	for tail < len(text) && !utf8.RuneStart(text[tail]) {
		tail++
	}
	return cutRune(text, limit-len(gap)-(len(text)-tail)) + gap + text[tail:]
}

// clip cuts text to at most limit bytes at the start of a rune and marks the cut.
func clip(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	return cutRune(text, limit-len("…")) + "…"
}

// cutRune returns the longest prefix of at most limit bytes that ends between two runes and not inside an emoji.
func cutRune(text string, limit int) string {
	if limit <= 0 {
		return ""
	}
	if limit >= len(text) {
		return text
	}
	for limit > 0 && !utf8.RuneStart(text[limit]) {
		limit--
	}
	cut := text[:limit]
	next, _ := utf8.DecodeRuneInString(text[limit:])
	for next == 0xFE0F || next == 0x200D || strings.HasSuffix(cut, "\u200d") {
		var n int
		next, n = utf8.DecodeLastRuneInString(cut)
		cut = cut[:len(cut)-n]
	}
	return cut
}
