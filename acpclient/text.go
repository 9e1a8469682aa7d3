package acpclient

import (
	"bytes"
	"math"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// text is the value of a string; false for anything else. What is not UTF-8 becomes U+FFFD.
func (v value) text() (string, bool) {
	if !v.is('"') {
		return "", false
	}
	s := v[1 : len(v)-1]
	if bytes.IndexByte(s, '\\') < 0 && utf8.Valid(s) {
		return string(s), true
	}
	return string(unquote(s)), true
}

// short is a string of at most max bytes, cut at a rune; a number gives its digits, all else "".
func (v value) short(max int) string {
	if len(v) > 0 && (v[0] == '-' || '0' <= v[0] && v[0] <= '9') {
		return cut(string(v[:min(len(v), max)]), max)
	}
	if !v.is('"') {
		return ""
	}
	if limit := 6*max + 2; len(v) > limit { // an escaped rune takes at most six bytes for each of its own
		v = append(append(value{}, v[:limit]...), '"')
		return cut(string(unquote(trimEscape(v[1:len(v)-1]))), max)
	}
	s, _ := v.text()
	return cut(s, max)
}

// within is short, and whether that is all of it.
func (v value) within(max int) (s string, whole bool) {
	s = v.short(max + utf8.UTFMax) // a cut at a rune leaves more than max
	return cut(s, max), len(s) <= max
}

// trimEscape drops an escape that a cut has broken in two.
func trimEscape(s []byte) []byte {
	i := bytes.LastIndexByte(s[max(0, len(s)-6):], '\\')
	if i < 0 {
		return s
	}
	i += max(0, len(s)-6)
	slashes := 0
	for i-slashes >= 0 && s[i-slashes] == '\\' {
		slashes++
	}
	if slashes%2 == 0 { // an escaped backslash: whole
		return s
	}
	if i+1 < len(s) && (s[i+1] != 'u' || i+6 <= len(s)) {
		return s
	}
	return s[:i]
}

// cut shortens s to at most max bytes without splitting a rune.
func cut(s string, max int) string {
	if len(s) <= max {
		return s
	}
	for max > 0 && !utf8.RuneStart(s[max]) {
		max--
	}
	return s[:max]
}

// integer is a number without a fraction (1, 1.0, 1e0) that fits.
func (v value) integer() (int64, bool) {
	if len(v) == 0 || len(v) > 64 || v[0] != '-' && (v[0] < '0' || v[0] > '9') {
		return 0, false
	}
	if n, err := strconv.ParseInt(string(v), 10, 64); err == nil {
		return n, true
	}
	f, err := strconv.ParseFloat(string(v), 64)
	if err != nil || f != math.Trunc(f) || math.Abs(f) > 1<<53 {
		return 0, false
	}
	return int64(f), true
}

// count is an integer that cannot be negative; anything else is 0.
func (v value) count() int64 {
	n, ok := v.integer()
	if !ok || n < 0 {
		return 0
	}
	return n
}

// unquote resolves the escapes of a string's inside.
func unquote(s []byte) []byte {
	out := make([]byte, 0, len(s))
	for len(s) > 0 {
		i := bytes.IndexByte(s, '\\')
		if i < 0 {
			i = len(s)
		}
		out = appendValid(out, s[:i])
		if s = s[i:]; len(s) > 0 {
			var n int
			out, n = appendEscape(out, s)
			s = s[n:]
		}
	}
	return out
}

func appendValid(out, s []byte) []byte {
	if utf8.Valid(s) {
		return append(out, s...)
	}
	for len(s) > 0 {
		r, n := utf8.DecodeRune(s)
		out = utf8.AppendRune(out, r)
		s = s[n:]
	}
	return out
}

// appendEscape resolves the escape at the start of s and says how many bytes it took.
func appendEscape(out, s []byte) ([]byte, int) {
	switch s[1] {
	case 'b':
		return append(out, '\b'), 2
	case 'f':
		return append(out, '\f'), 2
	case 'n':
		return append(out, '\n'), 2
	case 'r':
		return append(out, '\r'), 2
	case 't':
		return append(out, '\t'), 2
	case 'u':
		r, _ := hex4(s, 2)
		if !utf16.IsSurrogate(r) {
			return utf8.AppendRune(out, r), 6
		}
		if len(s) >= 12 && s[6] == '\\' && s[7] == 'u' {
			low, _ := hex4(s, 8)
			if r = utf16.DecodeRune(r, low); r != utf8.RuneError {
				return utf8.AppendRune(out, r), 12
			}
		}
		return utf8.AppendRune(out, utf8.RuneError), 6
	}
	return append(out, s[1]), 2 // quote, backslash, slash
}
