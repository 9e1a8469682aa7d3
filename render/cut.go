package render

import (
	"regexp"
	"sort"
	"strings"
)

// cut is what is to be taken out of a text.
type cut struct {
	text   string
	tags   [][]int // of HTML, once they are asked for
	gone   []bool  // by byte; nil when nothing is
	begins []bool  // by byte, where a mask is to stand
}

// aTag is a tag of HTML.
var aTag = regexp.MustCompile(`<[/!]?[A-Za-z-][^<>]*>`)

// crosses reports whether what a view without white space shows from i to end is the end or the beginning of a tag as well, whose
// letters are by chance those of a secret: "</summary>" before what goes on like "canary". Without its tags the text is a view of
// its own, which shows what a tag parts.
func (c *cut) crosses(v view, i, end int) bool {
	if v.least == 0 {
		return false
	}
	if c.tags == nil {
		c.tags = append(aTag.FindAllStringIndex(c.text, -1), []int{len(c.text) + 1, len(c.text) + 1})
	}
	from, to := int(v.at(i).start), int(v.at(end-1).end)
	at := sort.Search(len(c.tags), func(n int) bool { return c.tags[n][1] > from })
	for ; c.tags[at][0] < to; at++ {
		if c.tags[at][0] > from || c.tags[at][1] < to {
			return true
		}
	}
	return false
}

// mark takes out what a view shows from i to end.
func (c *cut) mark(v view, i, end int) {
	if c.gone == nil {
		c.gone, c.begins = make([]bool, len(c.text)), make([]bool, len(c.text))
	}
	c.begins[v.at(i).start] = true
	for ; i < end; i++ {
		for j := v.at(i).start; j < v.at(i).end; j++ {
			c.gone[j] = true
		}
	}
}

// apply is what is left of the text from a byte on.
func (c *cut) apply(from int) string {
	if c.gone == nil {
		return c.text[from:]
	}
	var b strings.Builder
	beside := false // a mask was written last
	for i := from; i < len(c.text); i++ {
		if (c.begins[i] || i == from && c.gone[i]) && !beside {
			b.WriteString(masked)
			beside = true
		}
		if !c.gone[i] {
			b.WriteByte(c.text[i])
			beside = false
		}
	}
	return b.String()
}
