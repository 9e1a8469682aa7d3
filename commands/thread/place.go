package thread

import (
	"errors"
	"strings"

	"github.com/d3mlabs/ai-flow/render"
)

// The bounds of a comment. GitHub counts characters; we count bytes, which are never fewer.
const (
	maxBody  = 65_536
	tight    = 2 << 10 // below this a result says too little for its place
	frame    = 256     // bytes that marks, rule and empty lines of one block take at most
	maxTries = 4
)

var errNoRoom = errors.New("there is no room for the result in the comment")

// saying is what is to stand on a thread for a command.
type saying struct {
	id            int64
	result        render.Result
	stage         string // waiting when there is no result yet
	act           Act
	status        string              // Markdown of the status line; "" for none
	before, after string              // of an announcement, or of the one that is left open
	redact        func(string) string // Thread.Redact
}

// clean is a finished text without what must not leave.
func (s saying) clean(text string) string { return clean(s.redact, text) }

func (t *Thread) clean(text string) string { return clean(t.Redact, text) }

func clean(redact func(string) string, text string) string {
	if redact == nil {
		return text
	}
	return redact(text)
}

func (s saying) mark() mark {
	m := mark{word: wordResult, id: s.id, stage: s.stage}
	if s.act == ActUnsure {
		m.before, m.after = s.before, s.after
	}
	return m
}

// statusBlock are the blocks of the status line: one or none.
func (s saying) statusBlock(at int) []block {
	if s.status == "" {
		return nil
	}
	return []block{quoted(at, mark{word: wordStatus, id: s.id, before: s.before, after: s.after}, s.clean(s.status))}
}

// spots are the places in a body that holds nothing of ours.
type spots struct {
	asked []int // of each command that was asked for; -1 when it stands there no more
	last  int   // below the last command
	end   int   // below everything, as far as a reader would see it there
}

// spots finds the places of a body. What a person wrote may leave a fence, a fold or a comment open to its end; the reader of
// the body then names places above it. Closing it would be an edit of text that is not ours.
func (t *Thread) spots(body string) spots {
	if t.known == nil || t.known.body != body {
		t.known = &reading{body: body, spots: t.find(body)}
	}
	return t.known.spots
}

// reading keeps the places of a body: status and result go into the same one, and it may be dear to read.
type reading struct {
	body string
	spots
}

func (t *Thread) find(body string) spots {
	found, foot := t.Read(body)
	s := spots{asked: match(t.Asked, found), end: lineEnd(body, foot)}
	for i, j := range s.asked {
		if j >= 0 {
			s.asked[i] = lineEnd(body, found[j].End)
		}
	}
	for _, a := range found {
		s.last = max(s.last, lineEnd(body, a.End))
	}
	if len(found) == 0 {
		s.last = s.end
	}
	return s
}

// match finds the commands that were asked for among those that stand there now, each once: by their text, and what is left
// by the first line of it, because a person may write more below a command that is being carried out. -1 is one that is
// gone, or another by now.
func match(asked, found []Anchor) []int {
	at, used := make([]int, len(asked)), make([]bool, len(found))
	for i := range at {
		at[i] = -1
	}
	for _, view := range []func(string) string{oneLineEnd, firstLine} {
		free := map[string][]int{} // those that stand there, by what they say
		for j, a := range found {
			if !used[j] {
				free[view(a.Text)] = append(free[view(a.Text)], j)
			}
		}
		for i, a := range asked {
			if same := free[view(a.Text)]; at[i] < 0 && len(same) > 0 {
				at[i], used[same[0]] = same[0], true
				free[view(a.Text)] = same[1:]
			}
		}
	}
	return at
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(oneLineEnd(text), "\n")
	return strings.TrimRight(line, " \t")
}

// inPlace puts what is to be said into a body that holds nothing of ours.
func (t *Thread) inPlace(body string, s saying) (string, error) {
	spots := t.spots(body)
	room := maxBody - len(body) - len(s.status) - 3*frame // what more blocks take is known when they are laid
	for range maxTries {
		if room < tight {
			return "", errNoRoom
		}
		blocks := append(t.results(render.InPlace(s.result, room), spots, s), s.statusBlock(spots.last)...)
		said := lay(body, blocks)
		if len(said) <= maxBody {
			return said, nil
		}
		room -= len(said) - maxBody
	}
	return "", errNoRoom
}

// results are the parts of a result at their places. A command that a person took away or changed meanwhile is named.
func (t *Thread) results(p render.Parts, spots spots, s saying) (blocks []block) {
	for i, text := range p.Segments {
		at, rank := spots.end, rankNamed
		switch whole := len(p.Segments) == 1 && len(t.Asked) > 1; {
		case whole || i >= len(t.Asked):
		case spots.asked[i] >= 0:
			at, rank = spots.asked[i], rankResult
		default:
			text = naming(t.Asked[i]) + "\n\n" + text
		}
		b := quoted(at, s.mark(), s.clean(text))
		b.rank = rank
		blocks = append(blocks, b)
	}
	if p.Bottom != "" {
		m := s.mark()
		m.bottom = true
		blocks = append(blocks, quoted(spots.end, m, s.clean(p.Bottom)))
	}
	return blocks
}

// naming is a command as it was given, shortened, safe to show.
func naming(a Anchor) string {
	line := firstLine(a.Text)
	if len(line) > 200 {
		line = strings.ToValidUTF8(line[:200], "") + "…"
	}
	return strings.TrimRight(render.Prose(line), "\n")
}
