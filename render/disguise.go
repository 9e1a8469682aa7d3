package render

import (
	"bytes"
	"iter"
	"strconv"
	"unicode"
	"unicode/utf8"
)

// view is a text as somebody may see it who reads it rendered. Each byte knows which bytes of the source it comes from, so
// that what is found in a view is taken out of the source and not more.
type view struct {
	text  []byte
	from  []stretch // nil: the source itself
	least int       // how much of a secret has to be seen in it before it counts, in bytes
}

// stretch is a part of the source, as offsets.
type stretch struct{ start, end int32 }

func (v view) at(i int) stretch {
	if v.from == nil {
		return stretch{int32(i), int32(i) + 1}
	}
	return v.from[i]
}

// rule says what a reader sees in the place of the n bytes from i on; n is 0 where it is the byte itself. It is asked only
// about bytes for which acts holds.
type rule struct {
	acts func(c byte) bool
	seen func(src []byte, i int) (n int, seen string)
	goes bool // what is nothing goes with the byte before it, and does not stay when that is taken out
}

// rewrite is the view by a rule, and whether it is another one.
func (v view) rewrite(r rule) (out view, changed bool) {
	var acts [256]bool
	for c := range acts {
		acts[c] = r.acts(byte(c))
	}
	for i := 0; i < len(v.text); {
		begin, n, text := i, 0, ""
		for i < len(v.text) && n == 0 {
			if acts[v.text[i]] {
				n, text = r.seen(v.text, i)
			}
			if n == 0 {
				i++
			}
		}
		if n > 0 && !changed {
			changed, out = true, view{make([]byte, 0, len(v.text)), make([]stretch, 0, len(v.text)), v.least}
		}
		if !changed {
			return v, false
		}
		out.text = append(out.text, v.text[begin:i]...)
		for ; begin < i; begin++ {
			out.from = append(out.from, v.at(begin))
		}
		if n > 0 {
			out.text = append(out.text, text...)
			for range len(text) {
				out.from = append(out.from, stretch{v.at(i).start, v.at(i + n - 1).end})
			}
			if last := len(out.from) - 1; r.goes && text == "" && last >= 0 && out.from[last].end == v.at(i).start {
				out.from[last].end = v.at(i + n - 1).end
			}
			i += n
		}
	}
	return out, changed
}

// views are a text itself and what readers may see of it: with what is encoded decoded, as often as [Prose] and a browser
// together would; without what shows nothing, tags of HTML and the targets of links among it; and then its letters and
// digits alone, which no emphasis, escape or code span parts; and these without the white space, which no line end parts. A parse of the Markdown was rejected: no two parsers agree on
// what an attacker writes, and a view that shows too much hides nothing.
func views(text string) iter.Seq[view] {
	return func(yield func(view) bool) {
		whole := view{text: []byte(text)}
		if !whole.unfold(yield) {
			return
		}
		var last []byte
		for _, quotes := range []bool{true, false} {
			v, changed := whole.rewrite(untagged(whole.text, quotes))
			if !changed || bytes.Equal(v.text, last) {
				continue
			}
			if last = v.text; !v.unfold(yield) {
				return
			}
		}
	}
}

// unfold yields the view, each round of decoding it, and its letters and digits. It reports whether to go on.
func (v view) unfold(yield func(view) bool) bool {
	for range maxRounds + 1 {
		if !yield(v) {
			return false
		}
		next, changed := v.rewrite(rule{isCoded, decoded, true})
		if !changed {
			break
		}
		v = next
	}
	next, changed := v.rewrite(rule{isSign, bare, false})
	if changed && !yield(next) {
		return false
	}
	// Words that only stand side by side may make up a few letters of a secret, so more of them have to.
	joined, changed := v.rewrite(rule{isSign, func([]byte, int) (int, string) { return 1, "" }, false})
	joined.least = maxGram
	return !changed || yield(joined)
}

func isCoded(c byte) bool { return c == '&' || c == '\\' || c == '%' || c >= 0x7F || c < ' ' }

// decoded is what [rule] sees of it: character references, backslash escapes, those of JSON among them, and percent signs as
// what they stand for, what is invisible as nothing.
func decoded(src []byte, i int) (n int, seen string) {
	c := src[i]
	switch {
	case c == '&':
		return reference(src, i)
	case c == '\\' && i+1 < len(src) && isPunct(src[i+1]):
		return 2, string(src[i+1 : i+2])
	case c == '\\' && i+5 < len(src) && src[i+1] == 'u':
		if r, err := strconv.ParseUint(string(src[i+2:i+6]), 16, 16); err == nil {
			return 6, string(rune(r))
		}
	case c == '\\' && i+3 < len(src) && src[i+1] == 'x':
		if b, err := strconv.ParseUint(string(src[i+2:i+4]), 16, 8); err == nil {
			return 4, string([]byte{byte(b)})
		}
	case c == '%' && i+2 < len(src):
		if b, err := strconv.ParseUint(string(src[i+1:i+3]), 16, 8); err == nil {
			return 3, string([]byte{byte(b)})
		}
	case c >= 0x7F || c < ' ':
		if r, size := utf8.DecodeRune(src[i:]); Invisible(r) {
			return size, ""
		}
	}
	return 0, ""
}

func isSign(c byte) bool { return !isAlnum(c) }

// bare is what [rule] sees of it: signs are nothing and white space is one space.
func bare(src []byte, i int) (n int, seen string) {
	if c := src[i]; c < utf8.RuneSelf && c > ' ' {
		if isPunct(c) {
			return 1, ""
		}
		return 0, ""
	}
	for i+n < len(src) {
		r, size := utf8.DecodeRune(src[i+n:])
		if !unicode.IsSpace(r) {
			break
		}
		n += size
	}
	if n == 1 && src[i] == ' ' {
		return 0, ""
	}
	return n, " "
}

// untagged returns a rule: HTML's tags and comments are nothing, and so are the targets of links. With quotes a tag may hold
// ">" in the value of an attribute; without, none does, which is right where what looks like the beginning of a tag is none.
// It never looks at a byte more than a few times.
func untagged(src []byte, quotes bool) rule {
	ends := map[string]int{}
	for _, end := range []string{"-->", "\"", "'", ")", "]"} {
		ends[end] = bytes.LastIndex(src, []byte(end))
	}
	// past is where what begins before i ends, 0 for nowhere.
	past := func(i int, end string) int {
		if i > ends[end] {
			return 0
		}
		return i + bytes.Index(src[i:], []byte(end)) + len(end)
	}
	return rule{func(c byte) bool { return c == '<' || c == ']' }, func(src []byte, i int) (n int, seen string) {
		rest := src[i:]
		if len(rest) < 3 || escaped(src, i) {
			return 0, ""
		}
		end := 0
		switch {
		case bytes.HasPrefix(rest, []byte("<!--")):
			end = past(i+2, "-->") // <!--> is one
		case bytes.HasPrefix(rest, []byte("](")):
			end = past(i+2, ")")
		case bytes.HasPrefix(rest, []byte("][")):
			end = past(i+2, "]")
		case rest[0] == '<' && (isAlnum(rest[1]) || bytes.IndexByte([]byte("/!?"), rest[1]) >= 0):
			end = tagEnd(src, i, quotes, past)
		}
		return max(0, end-i), ""
	}, false}
}

// tagEnd is where the tag that begins at i ends, 0 when it is none because another one begins first. Two tags of which one
// begins while the other is open, outside its quotes, never look at the same bytes, so all of them together take time in
// proportion to the text.
func tagEnd(src []byte, i int, quotes bool, past func(int, string) int) int {
	for j := i + 1; j < len(src); {
		switch c := src[j]; {
		case c == '>':
			return j + 1
		case c == '<':
			return 0
		case quotes && (c == '"' || c == '\''):
			if j = past(j+1, string(c)); j == 0 {
				return 0
			}
		default:
			j++
		}
	}
	return 0
}

// escaped reports whether the sign at i stands behind a backslash that is not itself behind one.
func escaped(src []byte, i int) bool {
	n := 0
	for i-n > 0 && src[i-n-1] == '\\' {
		n++
	}
	return n%2 == 1
}
