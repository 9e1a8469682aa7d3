package commands

import (
	"slices"
	"strings"

	"github.com/aymanbagabas/go-udiff"
)

// hunk replaces base[start:end], in bytes at line boundaries, by text.
type hunk struct {
	start, end int
	text       string
}

// merge3 brings two changes of one text together. clean is false when they touch the same lines, or neighbouring ones
// without a line between them that both left alone: then nobody can say that one did not mean the other, and a person
// decides. A change that both made is made once.
func merge3(base, ours, theirs string) (merged string, clean bool) {
	a, b := hunks(base, ours), hunks(base, theirs)
	var out strings.Builder
	at := 0
	for len(a)+len(b) > 0 {
		var fromA, fromB []hunk
		// One cluster: a hunk, and every hunk of either side that overlaps or touches what the cluster covers so far.
		start := first(a, b)
		end := start
		for {
			n := len(fromA) + len(fromB)
			fromA, a, end = take(fromA, a, end)
			fromB, b, end = take(fromB, b, end)
			if len(fromA)+len(fromB) == n {
				break
			}
		}
		textA, textB := apply(base, start, end, fromA), apply(base, start, end, fromB)
		text := textA
		switch {
		case len(fromA) == 0:
			text = textB
		case len(fromB) > 0 && textA != textB:
			return "", false
		}
		out.WriteString(base[at:start] + text)
		at = end
	}
	out.WriteString(base[at:])
	return out.String(), true
}

func first(a, b []hunk) int {
	switch {
	case len(a) == 0:
		return b[0].start
	case len(b) == 0:
		return a[0].start
	}
	return min(a[0].start, b[0].start)
}

// take moves the hunks that begin at or before end into the cluster.
func take(cluster, rest []hunk, end int) (taken, left []hunk, newEnd int) {
	for len(rest) > 0 && rest[0].start <= end {
		end = max(end, rest[0].end)
		cluster, rest = append(cluster, rest[0]), rest[1:]
	}
	return cluster, rest, end
}

// apply is base[start:end] after hunks that lie in it.
func apply(base string, start, end int, hs []hunk) string {
	var out strings.Builder
	for _, h := range hs {
		out.WriteString(base[start:h.start] + h.text)
		start = h.end
	}
	out.WriteString(base[start:end])
	return out.String()
}

// hunks are the changed line ranges from base to changed, in order, with hunks that touch made one. Both texts must end
// with a line break, as normalised documents do.
func hunks(base, changed string) []hunk {
	edits := udiff.Lines(base, changed)
	slices.SortStableFunc(edits, func(x, y udiff.Edit) int { return x.Start - y.Start })
	var hs []hunk
	for _, e := range edits {
		if n := len(hs); n > 0 && hs[n-1].end >= e.Start {
			hs[n-1].end = e.End
			hs[n-1].text += e.New
			continue
		}
		hs = append(hs, hunk{e.Start, e.End, e.New})
	}
	return hs
}
