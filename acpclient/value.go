package acpclient

import (
	"bytes"
	"math"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// value is one JSON value inside a line that checkValue has accepted; nil is an absent one. Its methods rely on that
// check and validate nothing. It points into the reader's buffer: nothing that outlives the handling of the line may keep
// one.
type value []byte

func (v value) is(first byte) bool { return len(v) > 0 && v[0] == first }

// said tells a value from an absent or null one, which mean the same in all that we read.
func (v value) said() bool { return len(v) > 0 && v[0] != 'n' }

// members walks an object; of anything else it finds nothing.
type members struct {
	b   []byte
	i   int
	key []byte
	val value
}

func (v value) members() members {
	if !v.is('{') {
		return members{}
	}
	return members{b: v, i: 1}
}

func (m *members) next() bool {
	if m.b == nil {
		return false
	}
	m.i = skipSpace(m.b, m.i)
	if m.b[m.i] == ',' {
		m.i = skipSpace(m.b, m.i+1)
	}
	if m.b[m.i] == '}' {
		return false
	}
	m.key = keyAt(m.b, m.i)
	i := skipSpace(m.b, skipString(m.b, m.i))
	i = skipSpace(m.b, i+1) // behind the colon
	m.i = skip(m.b, i)
	m.val = m.b[i:m.i]
	return true
}

// keyAt is the key whose opening quote is at i.
func keyAt(b []byte, i int) []byte {
	key := b[i+1 : skipString(b, i)-1]
	if bytes.IndexByte(key, '\\') >= 0 {
		key = unquote(key)
	}
	return key
}

// get finds the member called key; of two the last counts, as with encoding/json.
func (v value) get(key string) value {
	var found value
	for m := v.members(); m.next(); {
		if string(m.key) == key {
			found = m.val
		}
	}
	return found
}

// at follows a path of keys.
func (v value) at(path ...string) value {
	for _, key := range path {
		v = v.get(key)
	}
	return v
}

// elements walks an array; a value that is no array is walked as if it were the only element of one, null as none:
// agents send both where one is meant.
type elements struct {
	b   []byte
	i   int
	one value
	val value
}

func (v value) elements() elements {
	switch {
	case v.is('['):
		return elements{b: v, i: 1}
	case v.said():
		return elements{one: v}
	}
	return elements{}
}

func (e *elements) next() bool {
	if e.b == nil {
		e.val, e.one = e.one, nil
		return e.val != nil
	}
	e.i = skipSpace(e.b, e.i)
	if e.b[e.i] == ',' {
		e.i = skipSpace(e.b, e.i+1)
	}
	if e.b[e.i] == ']' {
		return false
	}
	end := skip(e.b, e.i)
	e.val, e.i = e.b[e.i:end], end
	return true
}

// skip returns the index behind the value at i.
func skip(b []byte, i int) int {
	switch b[i] {
	case '"':
		return skipString(b, i)
	case '{', '[':
		return skipNested(b, i)
	}
	for i < len(b) && b[i] != ',' && b[i] != '}' && b[i] != ']' && b[i] > ' ' {
		i++
	}
	return i
}

func skipNested(b []byte, i int) int {
	for depth := 0; ; {
		switch b[i] {
		case '"':
			i = skipString(b, i)
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return i + 1
			}
		}
		i++
	}
}

func skipString(b []byte, i int) int {
	for i++; ; {
		i += plain(b[i:])
		switch b[i] {
		case '"':
			return i + 1
		case '\\':
			i += 2
		}
	}
}

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
