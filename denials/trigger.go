package denials

import (
	"math/bits"
	"strings"
)

// The scan looks for the words that every shape contains: its triggers. Nearly all text contains none, so the search for
// them is what costs. Each trigger is represented by a window of five bytes of its own, the rarest by a rough count of
// letters; any text that holds the window has one of the window's two runs of four bytes at an even offset. So the search
// reads four bytes at every second offset and asks a bitmap. One bytes.Index for each trigger was tried first: with some
// hundred triggers it is fifty times slower. A regular expression is slower still.
const (
	gram      = 4
	window    = gram + 1
	tableBits = 16
)

// A lookup answers which triggers stand where. It is built once and then only read.
type lookup struct {
	bits [1 << (tableBits - 6)]uint64
	rows map[uint32][]place // by folded run
	all  []trigger
}

type place struct{ row, offset int }

// A trigger is the text that a shape cannot do without.
type trigger struct {
	text string // lower case when fold
	fold bool   // ASCII letters of either case match
}

func newLookup(all []trigger) *lookup {
	l := &lookup{rows: map[uint32][]place{}, all: all}
	for row, t := range all {
		at := rarest(t.text)
		for _, offset := range []int{at, at + 1} {
			g := load(t.text, offset)
			l.rows[g] = append(l.rows[g], place{row, offset})
			h := hash(g)
			l.bits[h>>6] |= 1 << (h & 63)
		}
	}
	return l
}

// rarest returns the offset of the window of s that ordinary text is least likely to hold.
func rarest(s string) int {
	const common = "etaoinsrhldcumfpgwybvkxjqz"
	best, at := 1<<30, 0
	for i := 0; i+window <= len(s); i++ {
		sum := 0
		for _, b := range []byte(s[i : i+window]) {
			switch r := strings.IndexByte(common, b|0x20); {
			case b >= 0x80:
			case r >= 0:
				sum += len(common) - r
			default:
				sum += 15 // spaces and punctuation
			}
		}
		if sum < best {
			best, at = sum, i
		}
	}
	return at
}

// load returns four bytes of s at i, with the bit set that tells upper from lower case letters. What else that bit maps
// together only costs a comparison.
func load(s string, i int) uint32 {
	_ = s[i+3]
	return (uint32(s[i]) | uint32(s[i+1])<<8 | uint32(s[i+2])<<16 | uint32(s[i+3])<<24) | 0x20202020
}

func hash(g uint32) uint32 { return (g * 0x9E3779B1) >> (32 - tableBits) }

func (l *lookup) has(g uint32) bool {
	h := hash(g)
	return bits.TrailingZeros64(l.bits[h>>6]>>(h&63)) == 0
}

// next returns the offset of the first trigger that begins at or after from, or -1.
func (l *lookup) next(s string, from int) int {
	for i := from; i+gram <= len(s); i += 2 {
		if g := load(s, i); l.has(g) {
			for _, p := range l.rows[g] {
				if start := i - p.offset; start >= from && l.all[p.row].matches(s[start:]) {
					return start
				}
			}
		}
	}
	return -1
}

// each calls yield for every trigger in s, in order, until it returns false.
func (l *lookup) each(s string, yield func(row, at int) bool) {
	for i := 0; i+gram <= len(s); i += 2 {
		g := load(s, i)
		if !l.has(g) {
			continue
		}
		for _, p := range l.rows[g] {
			if start := i - p.offset; start >= 0 && l.all[p.row].matches(s[start:]) && !yield(p.row, start) {
				return
			}
		}
	}
}

func (t trigger) matches(s string) bool {
	if len(s) < len(t.text) {
		return false
	}
	if !t.fold {
		return s[:len(t.text)] == t.text
	}
	return equalFold(s[:len(t.text)], t.text)
}

// equalFold compares ASCII letters without case; lower is already lower case. (strings.EqualFold also folds K and ſ, which
// changes lengths.)
func equalFold(s, lower string) bool {
	for i := 0; i < len(lower); i++ {
		b := s[i]
		if 'A' <= b && b <= 'Z' {
			b |= 0x20
		}
		if b != lower[i] {
			return false
		}
	}
	return true
}
