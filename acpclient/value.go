package acpclient

import "bytes"

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
