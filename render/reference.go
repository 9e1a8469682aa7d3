package render

import (
	"html"
	"strconv"
	"unicode"
	"unicode/utf8"
)

// reference decodes a character reference. Of nested ones (&amp;amp;#103;) the innermost counts at once, however deep.
func reference(src []byte, i int) (n int, seen string) {
	end := i + 1
	for {
		n, char := referred(src[end:])
		if n == 0 {
			break
		}
		if end += n; char != "&" {
			return end - i, char
		}
	}
	if end == i+1 {
		return 0, ""
	}
	return end - i, "&"
}

// The longest names of characters, in bytes: with the semicolon, and of those that HTML knows without one.
const (
	maxEntity   = 32
	maxShortRef = 6
)

// referred reads a character reference behind its "&". HTML, other than Markdown, does without the semicolon, and knows no
// bound on the digits.
func referred(rest []byte) (n int, char string) {
	if len(rest) > 1 && rest[0] == '#' {
		return numbered(rest)
	}
	for n < len(rest) && n < maxEntity && isAlnum(rest[n]) {
		n++
	}
	if n < len(rest) && rest[n] == ';' {
		ref := "&" + string(rest[:n+1])
		if char := html.UnescapeString(ref); char != ref && char[len(char)-1] != ';' {
			return n + 1, shown(char)
		}
	}
	if n < 2 {
		return 0, ""
	}
	ref := "&" + string(rest[:min(n, maxShortRef)])
	char = html.UnescapeString(ref)
	if char == ref {
		return 0, ""
	}
	_, size := utf8.DecodeRuneInString(char)
	return len(ref) - 1 - (len(char) - size), shown(char[:size])
}

// numbered reads a reference by number.
func numbered(rest []byte) (n int, char string) {
	base, digits := 10, 1
	if rest[1] == 'x' || rest[1] == 'X' {
		base, digits = 16, 2
	}
	code := rune(0)
	for n = digits; n < len(rest); n++ {
		d, err := strconv.ParseUint(string(rest[n:n+1]), base, 8)
		if err != nil {
			break
		}
		code = min(code*rune(base)+rune(d), unicode.MaxRune+1)
	}
	if n == digits {
		return 0, ""
	}
	if n < len(rest) && rest[n] == ';' {
		n++
	}
	return n, shown(string(code))
}

// shown is a decoded character, "" of an invisible one.
func shown(char string) string {
	if r, size := utf8.DecodeRuneInString(char); size == len(char) && Invisible(r) {
		return ""
	}
	return char
}
