package canary

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"io"
	"iter"
	"regexp"
	"strconv"
	"strings"
)

// viewKind is something done to data before it is searched.
type viewKind uint8

const (
	raw     viewKind = 1 << iota
	bare             // letters, digits and what base64 needs: no space, no line end, no NUL, no other sign
	decoded          // percent signs and escapes as what they stand for
	digits           // hexadecimal digits in small letters, what leads and parts them gone
	narrow           // without NUL: what was UTF-16
)

// String names the view.
func (k viewKind) String() string {
	return map[viewKind]string{raw: "data", bare: "data without signs", decoded: "data with escapes undone", digits: "hexadecimal digits", narrow: "data without NUL"}[k]
}

var (
	escape  = regexp.MustCompile(`%[0-9A-Fa-f]{2}|\\u[0-9A-Fa-f]{4}|\\x[0-9A-Fa-f]{2}|&#x[0-9A-Fa-f]{1,6};|&#[0-9]{1,7};|\\+["/\\_*]`)
	leading = regexp.MustCompile(`(?i)(?:\\+|0)x|\\+u00|%`)
)

// viewsOf are the views of data.
func viewsOf(data []byte) iter.Seq2[viewKind, []byte] {
	return func(yield func(viewKind, []byte) bool) {
		_ = yield(raw, data) &&
			yield(narrow, bytes.ReplaceAll(data, []byte{0}, nil)) &&
			yield(bare, keep(data, func(c byte) bool { return isAlnum(c) || strings.IndexByte("+/_=", c) >= 0 })) &&
			yield(decoded, unescaped(data)) &&
			yield(digits, bytes.ToLower(keep(leading.ReplaceAll(data, nil), func(c byte) bool {
				return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'f' || !isAlnum(c) && strings.IndexByte(" :-,.;_\n\r\t", c) < 0
			})))
	}
}

func isAlnum(c byte) bool { return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z' }

func keep(data []byte, ok func(byte) bool) []byte {
	kept := make([]byte, 0, len(data))
	for _, c := range data {
		if ok(c) {
			kept = append(kept, c)
		}
	}
	return kept
}

func unescaped(data []byte) []byte {
	for range 3 { // an escape may be escaped
		next := escape.ReplaceAllFunc(data, func(e []byte) []byte {
			text := string(e)
			digits, base := text[2:], 16
			switch {
			case text[0] == '%':
				digits = text[1:]
			case text[0] == '&' && text[2] == 'x':
				digits = text[3 : len(text)-1]
			case text[0] == '&':
				digits, base = text[2:len(text)-1], 10
			case text[1] != 'u' && text[1] != 'x':
				return e[len(e)-1:]
			}
			n, err := strconv.ParseUint(digits, base, 21)
			switch {
			case err != nil:
				return e
			case n < 0x100:
				return []byte{byte(n)}
			}
			return []byte(string(rune(n)))
		})
		if bytes.Equal(next, data) {
			break
		}
		data = next
	}
	return data
}

// Limits of what is scattered: chunks of at least so many characters, at most so many others between them.
const (
	chunk  = 5
	filler = 24
)

// scattered is where a value begins whose chunks stand in order, with a little between them; -1 for nowhere. Three quarters
// of the value are enough.
func scattered(text []byte, v string) int {
	for from := 0; ; {
		at := bytes.Index(text[from:], []byte(v[:chunk]))
		if at < 0 {
			return -1
		}
		at += from
		pos, done := at+chunk, chunk
		for gap := 0; pos < len(text) && done < len(v) && gap <= filler; pos++ {
			next := v[done:min(done+chunk, len(v))]
			switch {
			case gap == 0 && text[pos] == v[done]:
				done++
			case bytes.HasPrefix(text[pos:], []byte(next)):
				pos, done, gap = pos+len(next)-1, done+len(next), 0
			default:
				gap++
			}
		}
		if done >= len(v)*3/4 {
			return at
		}
		from = at + 1
	}
}

var packedText = regexp.MustCompile(`H4sI[A-Za-z0-9+/_-]+`)

// unpacked is what was compressed: as it is, or in base64, in one line or wrapped.
func unpacked(data []byte) (all [][]byte) {
	var streams [][]byte
	for at := 0; ; {
		i := bytes.Index(data[at:], []byte("\x1f\x8b\x08"))
		if i < 0 {
			break
		}
		at += i + 1
		streams = append(streams, data[at-1:])
	}
	joined := keep(data, func(c byte) bool { return c > ' ' && c != '>' })
	for _, m := range packedText.FindAll(joined, 64) {
		text := strings.NewReplacer("-", "+", "_", "/").Replace(string(m))
		b, err := base64.RawStdEncoding.DecodeString(text[:len(text)/4*4])
		if err == nil {
			streams = append(streams, b)
		}
		if rest, err := base64.RawStdEncoding.DecodeString(text); err == nil {
			streams = append(streams, rest)
		}
	}
	for _, s := range streams {
		z, err := gzip.NewReader(bytes.NewReader(s))
		if err != nil {
			continue // it only looked like one
		}
		// What comes before an error counts as well: the end may be cut off.
		inner, _ := io.ReadAll(io.LimitReader(z, 4<<20))
		if len(inner) > 0 {
			all = append(all, inner)
		}
	}
	return all
}
