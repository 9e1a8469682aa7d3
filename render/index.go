package render

import (
	"encoding/binary"
	"iter"
	"slices"
)

// index finds strings of a few lengths, each at least minSecret, in long texts.
type index struct {
	tables []table // one for each length
	begins []bool  // by beginning: whether something that is searched begins like this; nil when nothing is searched
}

type table struct {
	length int
	set    map[string]bool
}

// add makes every part of form of n bytes findable.
func (x *index) add(form string, n int) {
	at := slices.IndexFunc(x.tables, func(t table) bool { return t.length == n })
	if at < 0 {
		at = len(x.tables)
		x.tables = append(x.tables, table{n, map[string]bool{}})
	}
	if x.begins == nil {
		x.begins = make([]bool, 1<<16)
	}
	for i := range len(form) - n + 1 {
		x.tables[at].set[form[i:i+n]] = true
		x.begins[beginning([]byte(form[i:i+4]))] = true
	}
}

// beginning mixes the first four bytes of data, of which minSecret has enough. Two were too few: with a handful of secrets
// every third pair of letters in a source file begins one of their forms.
func beginning(data []byte) uint16 {
	return uint16(binary.LittleEndian.Uint32(data) * 0x9E3779B1 >> 16)
}

// candidates are the places in data where something that is searched may begin.
func (x *index) candidates(data []byte) iter.Seq[int] {
	return func(yield func(int) bool) {
		if x.begins == nil {
			return
		}
		for i := 0; i+minSecret <= len(data); i++ {
			if x.begins[beginning(data[i:])] && !yield(i) {
				return
			}
		}
	}
}

// match is the length of the longest that begins at i, 0 for none.
func (x *index) match(data []byte, i int) int {
	longest := 0
	for _, t := range x.tables {
		if t.length > longest && i+t.length <= len(data) && t.set[string(data[i:i+t.length])] {
			longest = t.length
		}
	}
	return longest
}

// reach is the end of the overlapping matches of which the first begins at i; i when none does.
func (x *index) reach(data []byte, i int) int {
	end := i
	for j := i; j <= end && j+minSecret <= len(data); j++ {
		if x.begins[beginning(data[j:])] {
			end = max(end, j+x.match(data, j))
		}
		if end == i {
			break
		}
	}
	return end
}
