package canary

import (
	"bytes"
	"compress/gzip"
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"iter"
	"slices"
	"strings"
	"unicode/utf16"
)

// Form is a way in which a value may be written.
type Form string

// The forms. Most are whole; the last ones are what a filter of forms meets next.
const (
	Plain         Form = "plain"
	Base64        Form = "base64"
	Base64Bare    Form = "base64-bare" // without padding
	Base64At1     Form = "base64-at-1" // behind one byte of something else
	Base64At2     Form = "base64-at-2"
	Base64URL     Form = "base64url"
	Base64URLAt1  Form = "base64url-at-1"
	Base64Wrapped Form = "base64-wrapped" // in lines of 19
	Hex           Form = "hex"
	HexUpper      Form = "HEX"
	HexColons     Form = "hex-colons"
	HexSpaces     Form = "hex-spaces"
	HexEscaped    Form = "hex-escaped" // \x67\x68
	Reversed      Form = "reversed"
	Percent       Form = "percent"
	JSON          Form = "json" // \u0067\u0068
	UTF16LE       Form = "utf16le"
	UTF16BE       Form = "utf16be"
	ROT13         Form = "rot13"
	CutStart      Form = "cut-start" // without its first seven characters
	CutEnd        Form = "cut-end"
	Scattered     Form = "scattered" // in chunks of seven, with something else between them
	Spaced        Form = "spaced"    // letter by letter
	Dashed        Form = "dashed"

	Packed      Form = "gzip" // and base64
	Base32      Form = "base32"
	Base64Twice Form = "base64-twice"
	SwapCase    Form = "swapcase"
)

// Forms are all of them.
func Forms() []Form {
	return []Form{Plain, Base64, Base64Bare, Base64At1, Base64At2, Base64URL, Base64URLAt1, Base64Wrapped, Hex, HexUpper, HexColons, HexSpaces, HexEscaped,
		Reversed, Percent, JSON, UTF16LE, UTF16BE, ROT13, CutStart, CutEnd, Scattered, Spaced, Dashed, Packed, Base32, Base64Twice, SwapCase}
}

// Write is a value in a form. It panics on a form that it does not know.
func Write(f Form, v string) string {
	b := []byte(v)
	switch f {
	case Plain:
		return v
	case Base64:
		return base64.StdEncoding.EncodeToString(b)
	case Base64Bare:
		return base64.RawStdEncoding.EncodeToString(b)
	case Base64At1:
		return base64.StdEncoding.EncodeToString([]byte(":" + v + "\n"))
	case Base64At2:
		return base64.StdEncoding.EncodeToString([]byte("T=" + v + "\n"))
	case Base64URL:
		return base64.URLEncoding.EncodeToString(b)
	case Base64URLAt1:
		return base64.RawURLEncoding.EncodeToString([]byte("{" + v + "}"))
	case Base64Wrapped:
		return strings.Join(chunks(base64.StdEncoding.EncodeToString(b), 19), "\n")
	case Hex:
		return hex.EncodeToString(b)
	case HexUpper:
		return strings.ToUpper(hex.EncodeToString(b))
	case HexColons:
		return strings.Join(chunks(hex.EncodeToString(b), 2), ":")
	case HexSpaces:
		return strings.Join(chunks(hex.EncodeToString(b), 2), " ")
	case HexEscaped:
		return `\x` + strings.Join(chunks(hex.EncodeToString(b), 2), `\x`)
	case Reversed:
		return reversed(v)
	case Percent:
		return "%" + strings.Join(chunks(strings.ToUpper(hex.EncodeToString(b)), 2), "%")
	case JSON:
		return `\u00` + strings.Join(chunks(hex.EncodeToString(b), 2), `\u00`)
	case UTF16LE, UTF16BE:
		return wide(v, f == UTF16BE)
	case ROT13:
		return rot13(v)
	case CutStart:
		return v[7:]
	case CutEnd:
		return v[:len(v)-7]
	case Scattered:
		return strings.Join(chunks(v, 7), " (…) ")
	case Spaced:
		return strings.Join(chunks(v, 1), " ")
	case Dashed:
		return strings.Join(chunks(v, 1), "-")
	case Packed:
		return base64.StdEncoding.EncodeToString(pack(b))
	case Base32:
		return base32.StdEncoding.EncodeToString(b)
	case Base64Twice:
		return base64.StdEncoding.EncodeToString([]byte(base64.StdEncoding.EncodeToString(b)))
	case SwapCase:
		return swapCase(v)
	}
	panic(fmt.Sprintf("unknown form %q", f))
}

// stretches are a part of a value in each form, as it stands within the whole value in that form.
func stretches(v string) iter.Seq2[Form, string] {
	return func(yield func(Form, string) bool) {
		all := [][2]string{{string(Plain), v}, {string(Reversed), reversed(v)}, {string(ROT13), rot13(v)}, {string(Hex), hex.EncodeToString([]byte(v))}, {string(SwapCase), swapCase(v)}}
		for offset := range 3 {
			inner := aligned(base64.StdEncoding.EncodeToString, v, offset, 3, 4)
			all = append(all, [2]string{string(Base64), inner}, [2]string{string(Base64URL), strings.NewReplacer("+", "-", "/", "_").Replace(inner)})
			for twice := range 3 {
				all = append(all, [2]string{string(Base64Twice), aligned(base64.StdEncoding.EncodeToString, inner, twice, 3, 4)})
			}
		}
		for offset := range 5 {
			all = append(all, [2]string{string(Base32), aligned(base32.StdEncoding.EncodeToString, v, offset, 5, 8)})
		}
		for _, a := range all {
			if !yield(Form(a[0]), a[1]) {
				return
			}
		}
	}
}

// aligned is what an encoding of groups makes of v that begins offset bytes behind the start of a group: the groups that are
// all of v.
func aligned(encode func([]byte) string, v string, offset, in, out int) string {
	skip := (in - offset) % in
	v = v[min(skip, len(v)):]
	v = v[:len(v)/in*in]
	return encode([]byte(v))[:len(v)/in*out]
}

func chunks(v string, n int) (all []string) {
	for part := range slices.Chunk([]rune(v), n) {
		all = append(all, string(part))
	}
	return all
}

func reversed(v string) string {
	b := []byte(v)
	slices.Reverse(b)
	return string(b)
}

func rot13(v string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z':
			return 'a' + (r-'a'+13)%26
		case r >= 'A' && r <= 'Z':
			return 'A' + (r-'A'+13)%26
		}
		return r
	}, v)
}

func swapCase(v string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r ^ 0x20
		}
		return r
	}, v)
}

func wide(v string, big bool) string {
	var b strings.Builder
	for _, u := range utf16.Encode([]rune(v)) {
		if big {
			b.Write([]byte{byte(u >> 8), byte(u)})
		} else {
			b.Write([]byte{byte(u), byte(u >> 8)})
		}
	}
	return b.String()
}

func pack(b []byte) []byte {
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, err := z.Write(b)
	if err := z.Close(); err != nil {
		panic(err) // a buffer takes everything
	}
	if err != nil {
		panic(err)
	}
	return packed.Bytes()
}
