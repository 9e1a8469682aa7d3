package denials

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Bounds of the texts in a Want, in bytes.
const (
	maxSubject = 512
	maxWhy     = 300
	maxSource  = 80
)

// clean returns s without escape sequences and without runes that print nothing or turn the reading direction; other
// controls and all white space become spaces. It returns s itself when there is nothing to do, the common case.
func clean(s string) string {
	if isClean(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	for i := 0; i < len(s); {
		if s[i] == 0x1b {
			i += escapeLen(s[i:])
			continue
		}
		if s[i] == '\b' {
			// Man pages and spinners overstrike; the overstruck byte is not what a person sees.
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		i += n
		switch {
		case invisible(r):
		case unicode.IsSpace(r), unicode.IsControl(r):
			b.WriteByte(' ')
		default:
			b.WriteRune(r) // utf8.RuneError for what is no UTF-8
		}
	}
	return b.String()
}

func isClean(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] < 0x20 || s[i] >= 0x7f {
			return isCleanUnicode(s[i:])
		}
	}
	return true
}

func isCleanUnicode(s string) bool {
	for i, r := range s {
		if r == utf8.RuneError || r < 0x20 || r == 0x7f || invisible(r) || (r != ' ' && unicode.IsSpace(r)) || unicode.IsControl(r) {
			return r == utf8.RuneError && validErrorRune(s[i:]) && isCleanUnicode(s[i+3:])
		}
	}
	return true
}

// validErrorRune tells a real U+FFFD from a broken byte.
func validErrorRune(s string) bool { return strings.HasPrefix(s, "\uFFFD") }

// invisible reports whether r prints nothing of its own: format characters (zero-width, bidi, tags), variation selectors and
// the fillers that Unicode calls default ignorable.
func invisible(r rune) bool {
	switch {
	case r < 0xAD:
		return false
	case unicode.Is(unicode.Cf, r), unicode.Is(unicode.Variation_Selector, r):
		return true
	case r == 0x034F, r == 0x115F, r == 0x1160, r == 0x3164, r == 0xFFA0, r == 0x17B4, r == 0x17B5:
		return true
	}
	return r >= 0xE0000 && r <= 0xE0FFF
}

// escapeLen returns the length of the escape sequence at the start of s, at least 1. One without an end reaches to the end
// of s or 64 bytes, so that a lone escape cannot swallow a line of any length.
func escapeLen(s string) int {
	if len(s) < 2 {
		return 1
	}
	limit := min(len(s), 64)
	switch s[1] {
	case '[':
		for i := 2; i < limit; i++ {
			if s[i] >= 0x40 && s[i] <= 0x7e {
				return i + 1
			}
		}
		return 2
	case ']', 'P', '_', '^':
		for i := 2; i < limit; i++ {
			if s[i] == 0x07 {
				return i + 1
			}
			if s[i] == 0x1b && i+1 < limit && s[i+1] == '\\' {
				return i + 2
			}
		}
		return 2
	}
	return 2
}

// printable returns s cleaned, its white space collapsed, and cut to limit bytes at a rune's edge.
func printable(s string, limit int) string {
	if len(s) > 8*limit {
		s = s[:8*limit] // so that the work is bounded too
	}
	s = strings.Join(strings.Fields(clean(s)), " ")
	return strings.Clone(strings.ToValidUTF8(cut(s, limit), "\uFFFD")) // cloned: wants outlive the output they came from
}

// cut shortens s to at most limit bytes, marking that with an ellipsis; never inside a rune.
func cut(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	end := limit - len("…")
	for end > 0 && !utf8.RuneStart(s[end]) {
		end--
	}
	return strings.TrimRight(s[:end], " ") + "…"
}
