package denials

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

const marker = "WANTED"

// findMarker finds where a WANTED line begins in line: the offsets of the marker and behind its colon.
func findMarker(line string) (start, content int, ok bool) {
	start = skipLead(line)
	if end, ok := matchMarker(line, start, true); ok {
		return start, end, true
	}
	return nextMarker(line, start)
}

// nextMarker finds a marker in capitals, from an offset on, that follows the end of a sentence or is glued to a word.
func nextMarker(s string, from int) (start, content int, ok bool) {
	for from < len(s) {
		i := seek(s, "W", from, len(s))
		i = seek(s, "Ｗ", from, i)
		if i == len(s) {
			break
		}
		if end, ok := matchMarker(s, i, false); ok && mayFollow(s[:i]) {
			return i, end, true
		}
		from = i + 1
	}
	return 0, 0, false
}

// seek returns the offset of sub in s between from and limit, limit when there is none.
func seek(s, sub string, from, limit int) int {
	if i := strings.Index(s[from:limit], sub); i >= 0 {
		return from + i
	}
	return limit
}

// matchMarker reads the letters of the marker at i, with invisible runes between, and then the colon, with spaces, emphasis,
// quotes and tags between. It returns the offset behind the colon.
func matchMarker(s string, i int, anyCase bool) (int, bool) {
	for k := 0; k < len(marker); {
		r, n := utf8.DecodeRuneInString(s[i:])
		if n == 0 {
			return 0, false
		}
		i += n
		switch c := narrow(r); {
		case c == rune(marker[k]), anyCase && c == rune(marker[k]|0x20):
			k++
		case k > 0 && invisible(r):
		default:
			return 0, false
		}
	}
	for i < len(s) {
		if n := colonLen(s[i:]); n > 0 {
			return i + n, true
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case s[i] == 0x1b:
			n = escapeLen(s[i:])
		case s[i] == '<' && tagLen(s[i:]) > 0:
			n = tagLen(s[i:])
		case invisible(r), unicode.IsSpace(r), strings.ContainsRune("*_`~\"'”’", r):
		default:
			return 0, false
		}
		i += n
	}
	return 0, false
}

// narrow maps full-width letters to ASCII.
func narrow(r rune) rune {
	if r >= 0xFF01 && r <= 0xFF5E {
		return r - 0xFEE0
	}
	return r
}

func colonLen(s string) int {
	for _, c := range []string{":", "：", "﹕", "∶", "꞉", "&#58;", "&#x3a;", "&#x3A;", "&colon;"} {
		if strings.HasPrefix(s, c) {
			return len(c)
		}
	}
	return 0
}

// skipLead returns the offset of the first letter of line that is text: behind list markers, numbers, quote marks, emphasis,
// tags, entities and whatever else is no letter.
func skipLead(line string) int {
	for i := 0; i < len(line); {
		r, n := utf8.DecodeRuneInString(line[i:])
		switch {
		case r == 0x1b:
			n = escapeLen(line[i:])
		case r == '<' && tagLen(line[i:]) > 0:
			n = tagLen(line[i:])
		case r == '&' && entityLen(line[i:]) > 0:
			n = entityLen(line[i:])
		case unicode.IsLetter(r):
			if n = listLetters(line, i); n == 0 {
				return i
			}
		}
		i += n
	}
	return len(line)
}

// listLetters returns the length of "a)", "iv." or the x of "[x]" at i.
func listLetters(s string, i int) int {
	j := i
	for j < len(s) && j-i < 4 && (s[j]|0x20 >= 'a' && s[j]|0x20 <= 'z') {
		j++
	}
	switch {
	case j == i || j >= len(s):
		return 0
	case s[j] == ']' && i > 0 && s[i-1] == '[':
		return j + 1 - i
	case (s[j] == '.' || s[j] == ')') && (j-i == 1 || strings.Trim(strings.ToLower(s[i:j]), "ivx") == ""):
		return j + 1 - i
	}
	return 0
}

// tagLen returns the length of the HTML tag or comment mark at the start of s; 0 for none.
func tagLen(s string) int {
	if len(s) < 3 || !(s[1]|0x20 >= 'a' && s[1]|0x20 <= 'z' || s[1] == '/' || s[1] == '!') {
		return 0
	}
	for i := 2; i < min(len(s), 80); i++ {
		switch s[i] {
		case '<', '\n':
			return 0
		case '>':
			return i + 1
		}
	}
	if strings.HasPrefix(s, "<!--") {
		return len("<!--")
	}
	return 0
}

func entityLen(s string) int {
	for i := 1; i < min(len(s), 12); i++ {
		b := s[i]
		if b == ';' && i > 1 {
			return i + 1
		}
		if !(b|0x20 >= 'a' && b|0x20 <= 'z' || b >= '0' && b <= '9' || b == '#') {
			return 0
		}
	}
	return 0
}

// mayFollow reports whether a marker may stand behind before: a sentence has ended, or nothing but emphasis lies between it
// and a word, since rounds of a model are glued without even a space.
func mayFollow(before string) bool {
	spaced := false
	for before != "" {
		r, n := utf8.DecodeLastRuneInString(before)
		switch {
		case unicode.IsSpace(r):
			spaced = true
		case invisible(r), strings.ContainsRune("*`~\"'“‘(<[", r):
		case strings.HasSuffix(before, ">") && lastTagLen(before) > 0:
			n = lastTagLen(before)
		case strings.ContainsRune(".!?…:;。！？；：)]}»”’>|", r), unicode.Is(unicode.So, r):
			return true
		case spaced:
			return false
		default:
			return !unicode.IsUpper(r) && !strings.ContainsRune("_-/\\$%#@+=.", r)
		}
		before = before[:len(before)-n]
	}
	return true
}

func lastTagLen(s string) int {
	open := strings.LastIndexByte(s[max(0, len(s)-80):], '<')
	if open < 0 {
		return 0
	}
	open += max(0, len(s)-80)
	if tagLen(s[open:]) == len(s)-open {
		return len(s) - open
	}
	return 0
}

// atStart reports whether nothing that is text stands in prefix.
func atStart(prefix string) bool { return skipLead(prefix) == len(prefix) }

// fenceMarks returns the run of marks that makes line a code fence's: at least three, behind quote and list marks.
func fenceMarks(line string) string {
	t := strings.TrimLeft(line, " \t>")
	for _, list := range []string{"- ", "* ", "+ "} {
		t = strings.TrimLeft(strings.TrimPrefix(t, list), " \t>")
	}
	for _, mark := range []string{"`", "~"} {
		if run := len(t) - len(strings.TrimLeft(t, mark)); run >= 3 {
			if mark == "`" && strings.Contains(t[run:], "`") {
				return "" // a code span
			}
			return t[:run]
		}
	}
	return ""
}

// isBare reports whether a fence line has nothing behind its marks, as the closing one must.
func isBare(line string) bool {
	return strings.Trim(line, " \t>`~") == "" || strings.Trim(line, " \t>`~-*+") == ""
}

// trimDangling takes from prefix the emphasis or code marks that the removed rest closed, and the space before them.
func trimDangling(prefix, rest string) string {
	trimmed := strings.TrimRight(prefix, " \t")
	marks := trimmed[len(strings.TrimRight(trimmed, "*_`~")):]
	if marks == "" {
		return trimmed
	}
	before := trimmed[:len(trimmed)-len(marks)]
	if strings.HasSuffix(before, " ") || strings.HasSuffix(before, "\t") || strings.Contains(rest, marks) {
		return strings.TrimRight(before, " \t")
	}
	return trimmed
}
