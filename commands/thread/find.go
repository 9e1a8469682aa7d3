package thread

import (
	"slices"
	"strings"
)

func (s search) begins(r row) (mark, bool) {
	if !r.quoted {
		return mark{}, false
	}
	m, is := s.known.mark(r.text)
	switch {
	case !is, m.word == wordAside:
		return mark{}, false
	case m.word == wordReply: // we quote none: a person did, and an agent said it
		return m, s.all
	}
	return m, s.all || m.id == s.id
}

// part is a range of rows.
type part struct{ from, to int }

// parts are the rows of a block that begins with the first row, and how far they were looked at. A status line is one line
// that is ours beyond doubt, so it goes without its end mark too, and what a person wrote around it in the quote stays. Of a
// result nobody can tell which lines a person added: it goes as a whole.
func (s search) parts(rows []row, m mark) (parts []part, ends int) {
	n := 1 // rows of the quote, up to its end mark or another mark
	for n < len(rows) && rows[n].quoted && rows[n].text != endMark {
		if _, another := s.known.mark(rows[n].text); another {
			break
		}
		n++
	}
	whole := n < len(rows) && rows[n].quoted && rows[n].text == endMark
	switch {
	case m.word == wordStatus:
		return statusParts(rows, n, whole)
	case whole:
		return []part{{0, n + 1}}, n + 1
	case s.all:
		return []part{{0, n}}, n
	}
	return nil, 0
}

// sandglass begins each status line.
const sandglass = "⏳"

// statusParts are those of a status line whose quote, or whole block, has n rows without the end mark.
func statusParts(rows []row, n int, whole bool) (parts []part, ends int) {
	line := slices.IndexFunc(rows[:n], func(r row) bool { return strings.HasPrefix(r.text, sandglass) })
	switch {
	case line < 0 && !whole, line > 1 && !whole:
		return nil, 0
	case line < 0:
		line = 0 // a person took it away, and left the marks
	}
	parts = []part{{0, 1}}
	take := func(from, to int) {
		if last := &parts[len(parts)-1]; from <= last.to {
			last.to = max(last.to, to)
			return
		}
		parts = append(parts, part{from, to})
	}
	take(line, line+1)
	if whole {
		last := n
		for rows[last-1].text == "" {
			last-- // the empty line that we put above
		}
		take(last, n+1)
		return parts, n + 1
	}
	ends = line + 1
	if ends < n && rows[ends].text == "" {
		ends++
	}
	take(line, ends)
	below := ends
	for below < len(rows) && rows[below].blank {
		below++
	}
	if below < len(rows) && rows[below].quoted && rows[below].text == endMark {
		ends = below + 1
		take(line, ends)
	}
	return parts, ends
}

// row is a line of a body.
type row struct {
	at, end, next int    // where it begins, where its line break does, and where the next one begins
	quoted        bool   // in a quote, without a lone CR, which would begin a line of its own, a person's
	blank         bool   // not even that
	text          string // of a quoted one, without the white space around it
}

func readRows(body string) (rows []row) {
	for at := 0; at < len(body); {
		r := row{at: at, next: len(body)}
		if i := strings.IndexByte(body[at:], '\n'); i >= 0 {
			r.next = at + i + 1
		}
		line := strings.TrimSuffix(strings.TrimSuffix(body[at:r.next], "\n"), "\r")
		r.end = at + len(line)
		content, quoted := strings.CutPrefix(line, ">")
		if r.quoted = quoted && !strings.Contains(line, "\r"); r.quoted {
			r.text = strings.Trim(content, " \t")
		}
		r.blank = strings.Trim(line, " \t") == ""
		rows = append(rows, r)
		at = r.next
	}
	return rows
}
