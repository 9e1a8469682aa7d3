package acpclient

import "encoding/binary"

// maxDepth bounds the nesting of what is parsed. Real messages nest about ten deep; without a bound a line of brackets
// would grow the stack by a frame a byte.
const maxDepth = 256

// checkValue returns the index behind the well-formed JSON value that starts at i, or -1. It agrees with encoding/json
// on what is well formed, up to maxDepth (fuzzed). encoding/json itself was rejected: it spends more time on one message
// than this, decoding and the handler together, and it builds what we would throw away.
func checkValue(b []byte, i, depth int) int {
	if i >= len(b) || depth > maxDepth {
		return -1
	}
	switch b[i] {
	case '{':
		return checkObject(b, i, depth, nil)
	case '[':
		return checkArray(b, i, depth)
	case '"':
		return checkString(b, i)
	case 't':
		return checkWord(b, i, "true")
	case 'f':
		return checkWord(b, i, "false")
	case 'n':
		return checkWord(b, i, "null")
	default:
		return checkNumber(b, i)
	}
}

// checkObject is checkValue for an object, and gives f, if there is one, each member on the way: so the envelope of a
// message costs no second pass over what is in it. What f got counts only if the whole is well formed.
func checkObject(b []byte, i, depth int, f func(key []byte, val value)) int {
	i = skipSpace(b, i+1)
	if i < len(b) && b[i] == '}' {
		return i + 1
	}
	for {
		key := i
		if i = checkKey(b, i); i < 0 {
			return -1
		}
		val := i
		if i = checkValue(b, i, depth+1); i < 0 {
			return -1
		}
		if f != nil {
			f(keyAt(b, key), b[val:i])
		}
		i = skipSpace(b, i)
		if i >= len(b) {
			return -1
		}
		if b[i] == '}' {
			return i + 1
		}
		if b[i] != ',' {
			return -1
		}
		i = skipSpace(b, i+1)
	}
}

// checkKey returns the index of the value that belongs to the key at i, or -1.
func checkKey(b []byte, i int) int {
	if i >= len(b) || b[i] != '"' {
		return -1
	}
	if i = checkString(b, i); i < 0 {
		return -1
	}
	i = skipSpace(b, i)
	if i >= len(b) || b[i] != ':' {
		return -1
	}
	return skipSpace(b, i+1)
}

func checkArray(b []byte, i, depth int) int {
	i = skipSpace(b, i+1)
	if i < len(b) && b[i] == ']' {
		return i + 1
	}
	for {
		if i = checkValue(b, i, depth+1); i < 0 {
			return -1
		}
		i = skipSpace(b, i)
		if i >= len(b) {
			return -1
		}
		if b[i] == ']' {
			return i + 1
		}
		if b[i] != ',' {
			return -1
		}
		i = skipSpace(b, i+1)
	}
}

func checkString(b []byte, i int) int {
	for i++; ; {
		i += plain(b[i:])
		if i >= len(b) {
			return -1
		}
		switch b[i] {
		case '"':
			return i + 1
		case '\\':
			if i = checkEscape(b, i+1); i < 0 {
				return -1
			}
		default:
			return -1 // a bare control character
		}
	}
}

func checkEscape(b []byte, i int) int {
	if i >= len(b) {
		return -1
	}
	switch b[i] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return i + 1
	case 'u':
		if _, ok := hex4(b, i+1); ok {
			return i + 5
		}
	}
	return -1
}

func hex4(b []byte, i int) (rune, bool) {
	if i+4 > len(b) {
		return 0, false
	}
	var r rune
	for _, c := range b[i : i+4] {
		switch {
		case '0' <= c && c <= '9':
			r = r<<4 | rune(c-'0')
		case 'a' <= c|0x20 && c|0x20 <= 'f':
			r = r<<4 | rune(c|0x20-'a'+10)
		default:
			return 0, false
		}
	}
	return r, true
}

// plain counts the bytes at the start of b that stand for themselves in a string: no quote, backslash or control
// character. Eight at a time, since most of a session is the text of strings.
func plain(b []byte) int {
	const ones, high = 0x0101010101010101, 0x8080808080808080
	i := 0
	for ; i+8 <= len(b); i += 8 {
		w := binary.LittleEndian.Uint64(b[i:])
		quote, slash := w^ones*'"', w^ones*'\\'
		if ((w-ones*0x20)&^w|(quote-ones)&^quote|(slash-ones)&^slash)&high != 0 {
			break
		}
	}
	for i < len(b) && b[i] >= 0x20 && b[i] != '"' && b[i] != '\\' {
		i++
	}
	return i
}

func checkWord(b []byte, i int, word string) int {
	if len(b)-i < len(word) || string(b[i:i+len(word)]) != word {
		return -1
	}
	return i + len(word)
}

func checkNumber(b []byte, i int) int {
	if i < len(b) && b[i] == '-' {
		i++
	}
	if i < len(b) && b[i] == '0' {
		i++
	} else if i = digits(b, i); i < 0 {
		return -1
	}
	if i < len(b) && b[i] == '.' {
		if i = digits(b, i+1); i < 0 {
			return -1
		}
	}
	if i < len(b) && b[i]|0x20 == 'e' {
		i++
		if i < len(b) && (b[i] == '+' || b[i] == '-') {
			i++
		}
		return digits(b, i)
	}
	return i
}

// digits returns the index behind one or more digits at i, or -1.
func digits(b []byte, i int) int {
	start := i
	for i < len(b) && '0' <= b[i] && b[i] <= '9' {
		i++
	}
	if i == start {
		return -1
	}
	return i
}

func skipSpace(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\t' || b[i] == '\n' || b[i] == '\r') {
		i++
	}
	return i
}
