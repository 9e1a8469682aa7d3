package denials

import (
	"hash/maphash"
	"strings"
)

// Bounds of one stream, in bytes. A longer line is read as pieces of maxLine from its start, so that the result depends on
// the text alone and never on how it was cut into deltas.
const (
	maxLine      = 4096
	maxPrev      = 600 // of the lines before, for reasons that stand apart from their path
	maxPrevLines = 6   // of those
	maxOverlap   = 256 // by which a snapshot that slid is recognised
	minOverlap   = 16
)

// A stream is one part of one call's output: complete lines are read at once and forgotten, only the unfinished one is kept.
type stream struct {
	found func(finding) // gets what the lines say
	spill func(path string)
	ours  func(string) bool

	half    string // of an announced path, when halved: what the end of a piece left of it
	halved  bool
	pending []byte // the line without an end so far
	cont    bool   // pending continues a line longer than maxLine
	prev    []byte // the last bytes before pending

	// Hashes of lines that were read and need no second reading, whose result does not hang on the lines before them: a
	// build that prints the same error a million times must not cost a million readings.
	known [64]uint64

	size  int          // of the text that the part holds now, as snapshots see it
	sum   maphash.Hash // of that text
	ended []byte       // its last bytes
}

func newStream(found func(finding), spill func(string), ours func(string) bool) *stream {
	s := &stream{found: found, spill: spill, ours: ours}
	s.sum.SetSeed(maphash.MakeSeed())
	return s
}

// replace takes in a snapshot and reads what is new in it.
func (s *stream) replace(text string) {
	switch {
	case len(text) >= s.size && maphash.String(s.sum.Seed(), text[:s.size]) == s.sum.Sum64():
		s.append(text[s.size:])
		return
	case len(s.ended) >= minOverlap:
		if at := strings.Index(text, string(s.ended)); at >= 0 {
			s.feed(text[at+len(s.ended):])
			s.remember(text)
			return
		}
	}
	s.finish()
	s.prev = s.prev[:0]
	s.feed(afterCut(text))
	s.remember(text)
}

// append takes in a delta.
func (s *stream) append(text string) {
	s.size += len(text)
	s.sum.WriteString(text)
	s.ended = keepTail(s.ended, text, maxOverlap)
	s.feed(text)
}

func (s *stream) remember(text string) {
	s.size = len(text)
	s.sum.Reset()
	s.sum.WriteString(text)
	s.ended = keepTail(s.ended[:0], text, maxOverlap)
}

// afterCut drops the first line behind the mark of an output of which only the end was kept: it begins anywhere.
func afterCut(text string) string {
	for _, mark := range []string{"...\n", "…\n"} {
		if rest, ok := strings.CutPrefix(text, mark); ok {
			_, rest, _ = strings.Cut(strings.TrimLeft(rest, "\r\n"), "\n")
			return rest
		}
	}
	return text
}

// keepTail appends text to tail and keeps the last limit bytes.
func keepTail(tail []byte, text string, limit int) []byte {
	if len(text) >= limit {
		return append(tail[:0], text[len(text)-limit:]...)
	}
	if over := len(tail) + len(text) - limit; over > 0 {
		tail = tail[:copy(tail, tail[over:])]
	}
	return append(tail, text...)
}

// feed reads text as the continuation of what came before.
func (s *stream) feed(text string) {
	for len(s.pending) > 0 || s.cont {
		if text == "" {
			return
		}
		text = s.complete(text)
	}
	end := max(strings.LastIndexByte(text, '\n'), lastReturn(text)) + 1
	s.scan(text[:end])
	s.prev = keepTail(s.prev, text[:end], maxPrev)
	text = text[end:]
	for len(text) > maxLine {
		s.piece(text[:maxLine], "", "", true)
		s.advance(text[:maxLine], "")
		s.cont = true
		text = text[maxLine:]
	}
	s.pending = append(s.pending[:0], text...)
}

// lastReturn looks for a carriage return only where the last line must end: in the last maxLine bytes.
func lastReturn(text string) int {
	from := max(0, len(text)-maxLine)
	if at := strings.LastIndexByte(text[from:], '\r'); at >= 0 {
		return from + at
	}
	return -1
}

// complete moves text into the unfinished line until that ends or is full, and returns the rest.
func (s *stream) complete(text string) string {
	room := maxLine - len(s.pending)
	head := text[:min(room+1, len(text))]
	end := strings.IndexAny(head, "\r\n")
	switch {
	case end >= 0:
		s.pending = append(s.pending, head[:end]...)
		s.flush(head[end : end+1])
		s.cont = false
		return text[end+1:]
	case len(head) > room:
		s.pending = append(s.pending, head[:room]...)
		s.flush("")
		s.cont = true
		return text[room:]
	}
	s.pending = append(s.pending, head...)
	return ""
}

func (s *stream) flush(end string) {
	text := string(s.pending)
	s.piece(text, "", "", end == "")
	s.advance(text, end)
}

// advance makes text, with its end, part of the past.
func (s *stream) advance(text, end string) {
	s.prev = keepTail(s.prev, text, maxPrev)
	s.prev = keepTail(s.prev, end, maxPrev)
	s.pending = s.pending[:0]
}

// finish reads the unfinished line: there will be no more.
func (s *stream) finish() {
	if len(s.pending) > 0 {
		s.flush("\n")
	}
	s.endPath()
	s.cont = false
}

// scan reads complete lines. Nothing is done for a line without a trigger, and a line is done once.
func (s *stream) scan(text string) {
	_, triggers := table()
	start, done := 0, 0 // of the line that done lies in; what was read
	for {
		at := triggers.next(text, done)
		if at < 0 {
			return
		}
		if nl := lastLineEnd(text[done:at]); nl >= 0 {
			start = done + nl + 1
		}
		end := at + nextLineEnd(text[at:])
		from := start + (at-start)/maxLine*maxLine
		to := min(from+maxLine, end)
		s.cont = from > start
		s.piece(text[from:to], text[:from], text[to:end], false)
		s.cont = false
		if done = to; to == end {
			done, start = end+1, end+1
		}
	}
}

func lastLineEnd(s string) int {
	for i := len(s) - 1; i >= 0; i-- {
		if s[i] == '\n' || s[i] == '\r' {
			return i
		}
	}
	return -1
}

func nextLineEnd(s string) int {
	for i := 0; i < len(s); i++ {
		if s[i] == '\n' || s[i] == '\r' {
			return i
		}
	}
	return len(s)
}

// piece reads one line, or a piece of a long one: rest is what is at hand of the same line behind it, and open says that
// there may be more of it. Past is as in read.
func (s *stream) piece(text, past, rest string, open bool) {
	s.restOfPath(text)
	if s.read(text, past) {
		s.spills(text, rest)
	}
	if !open {
		s.endPath()
	}
}

// read gives one line to the shapes. Past is what came before it in the text at hand, behind s.prev. It reports whether the
// line holds a trigger and was not read before.
func (s *stream) read(text, past string) (fresh bool) {
	if _, triggers := table(); triggers.next(text, 0) < 0 {
		return false
	}
	sum := maphash.String(s.sum.Seed(), text)
	slot := &s.known[sum%uint64(len(s.known))]
	if *slot == sum && !s.cont {
		return false
	}
	l, ok := newLine(text)
	looked := s.cont
	l.cont, l.ours = s.cont, s.ours
	l.before = func() []string {
		looked = true
		return lines(s.prev, past)
	}
	if ok {
		for _, f := range l.findings() {
			s.found(f)
		}
	}
	if !looked && len(text) < maxLine { // the path in a longer line may go on in another way
		*slot = sum
	}
	return true
}

// lines returns the last lines of prev and past, the nearest first, without empty ones.
func lines(prev []byte, past string) []string {
	if len(past) > maxPrev {
		past = past[len(past)-maxPrev:]
	}
	all := string(prev) + past
	if len(all) > maxPrev {
		all = all[len(all)-maxPrev:]
	}
	var out []string
	for all != "" && len(out) < maxPrevLines {
		at := strings.LastIndexAny(all, "\r\n")
		if line := strings.TrimSpace(all[at+1:]); line != "" {
			out = append(out, line)
		}
		all = all[:max(0, at)]
	}
	return out
}
