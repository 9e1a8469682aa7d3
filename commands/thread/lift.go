package thread

import (
	"cmp"
	"slices"
	"strings"
)

// block is a piece of ours in a comment of somebody else: quoted lines between two marks, with the white space and the rule
// that we put around them.
type block struct {
	mark mark
	rank rank
	at   int    // offset in the body without our blocks
	raw  string // with everything that goes when it goes
}

// rank orders what stands at one place.
type rank uint8

const (
	rankResult rank = iota // below its command
	rankNamed              // of a command that is no longer there
	rankStatus
	rankBottom
)

func (m mark) rank() rank {
	switch {
	case m.bottom:
		return rankBottom
	case m.word == wordStatus:
		return rankStatus
	}
	return rankResult
}

// What stands in front of a block, with line ends as we write them.
const (
	gap  = "\n\n"
	rule = "\n\n---\n\n"
)

// quoted is a block as we write it, for a place in a body. The empty line before the end mark closes whatever the text left open, a table or a
// piece of HTML; the end mark is HTML itself, so no line of a person's below it can be taken into our quote.
func quoted(at int, m mark, text string) block {
	var b strings.Builder
	b.WriteString(gap)
	if m.bottom {
		b.Reset()
		b.WriteString(rule)
	}
	b.WriteString("> " + m.String() + "\n" + quote(text) + ">\n> " + endMark + "\n")
	return block{mark: m, rank: m.rank(), at: at, raw: b.String()}
}

// between is where the text of a result stands in its block: from behind the line of its mark to that of the end mark.
func (b block) between() (from, to int) {
	rows := readRows(b.raw)
	begins := slices.IndexFunc(rows, func(r row) bool { return r.quoted })
	return rows[begins].next, rows[len(rows)-1].at
}

// quote puts every line into a block quote. A mark that text brings along is broken: it could end the block.
func quote(text string) string {
	var b strings.Builder
	for line := range strings.SplitSeq(strings.TrimRight(oneLineEnd(text), "\n"), "\n") {
		if line != "" {
			line = " " + breakMarks(line)
		}
		b.WriteString(">" + line + "\n")
	}
	return b.String()
}

func oneLineEnd(text string) string {
	return strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
}

// Strip takes everything of ours about the command id out of a body. Line ends may have been changed by a form in between, and
// white space around a mark. Of a result that is not whole nothing is taken: doubt leaves text where it is.
func Strip(body string, id int64) string {
	clean, _ := lift(body, id)
	return clean
}

// Clean takes everything of ours out of a person's body, about whatever command: for text that is given to an agent as that
// person's words. A result whose end mark is gone goes with the whole quote that it stands in, because doubt must not pass an
// agent's words off as a person's.
func Clean(body string) string {
	clean, _ := search{known: lines{}, all: true}.lift(body)
	return clean
}

// lift takes our blocks out of a body. Taking one out may bring the halves of another together, which nobody but a person
// who plays with marks can have made; then all go, and none is returned.
func lift(body string, id int64) (clean string, blocks []block) {
	return search{known: lines{}, id: id}.lift(body)
}

// search is what blocks are looked for.
type search struct {
	id    int64
	all   bool // of any id
	known lines
}

func (s search) lift(body string) (clean string, blocks []block) {
	clean, blocks = s.once(body)
	for last := body; len(clean) < len(last); {
		last = clean
		var more []block
		if clean, more = s.once(last); len(more) > 0 {
			blocks = nil
		}
	}
	return clean, blocks
}

// lines are marks that were read before: marks nested by hand are met once in each round.
type lines map[string]mark

func (l lines) mark(line string) (mark, bool) {
	if !strings.HasPrefix(line, prefix) {
		return mark{}, false
	}
	m, known := l[line]
	if !known {
		m, _ = readMark(line)
		l[line] = m
	}
	return m, m.word != ""
}

func (s search) once(body string) (string, []block) {
	if !strings.Contains(body, prefix) {
		return body, nil
	}
	rows := readRows(body)
	var clean strings.Builder
	var blocks []block
	done := 0 // end of what was dealt with
	for i := 0; i < len(rows); i++ {
		m, is := s.begins(rows[i])
		if !is {
			continue
		}
		parts, ends := s.parts(rows[i:], m)
		if len(parts) == 0 {
			continue
		}
		b := block{mark: m, rank: m.rank()}
		for _, p := range parts {
			from, to := rows[i+p.from], rows[i+p.to-1]
			start := from.at
			if p.from == 0 && len(parts) == 1 {
				start -= lead(body[done:start], m, body[start:])
			}
			clean.WriteString(body[done:start])
			done = to.next
			if glues(clean.String(), body[done:]) {
				done = to.end
			}
			b.raw += body[start:done]
		}
		b.at = clean.Len()
		blocks = append(blocks, b)
		i += ends - 1
	}
	clean.WriteString(body[done:])
	return clean.String(), blocks
}

// lead is the length of what we put in front of a block. Its line ends are those of the block's first line: a form changes
// all or none, and a CR that does not belong to ours is a person's.
func lead(before string, m mark, from string) int {
	first, _, _ := strings.Cut(from, "\n")
	crlf := strings.HasSuffix(first, "\r")
	for _, l := range []string{rule, gap} {
		if l == rule && !m.bottom {
			continue
		}
		if crlf {
			l = strings.ReplaceAll(l, "\n", "\r\n")
		}
		if rest, ok := strings.CutSuffix(before, l); ok && (crlf || !strings.HasSuffix(rest, "\r")) {
			return len(l)
		}
	}
	return 0
}

// glues reports whether two texts would become one line. We put nothing in where they would; a person who took the empty line
// below a block away left it so, and the block's last line break with it to part the two.
func glues(before, after string) bool {
	return before != "" && !strings.HasSuffix(before, "\n") && after != "" && after[0] != '\n' && after[0] != '\r'
}

// lay is the inverse of lift: it puts blocks into a body without any.
func lay(clean string, blocks []block) string {
	blocks = slices.Clone(blocks)
	slices.SortStableFunc(blocks, func(a, b block) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.rank, b.rank))
	})
	var body strings.Builder
	done := 0
	for _, b := range blocks {
		body.WriteString(clean[done:b.at] + b.raw)
		done = b.at
	}
	return body.String() + clean[done:]
}

// lineEnd is the end of the line that an offset is in, before its line break. Only there is a block put in, so that what
// follows begins a line as it did before; and never behind a CR, which would take the first line break of ours for its own
// half.
func lineEnd(body string, at int) int {
	at = min(max(at, 0), len(body))
	for at < len(body) && body[at] != '\n' && body[at] != '\r' {
		at++
	}
	for at > 0 && body[at-1] == '\r' {
		at--
	}
	return at
}
