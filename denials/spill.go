package denials

import (
	"path"
	"slices"
	"strings"
)

// Agents put output that is too long for the wire into a file and say where: "Full output saved to: /p". What was denied in
// the middle of it is then nowhere else.
const (
	savedTo     = "saved to"
	maxSpills   = 8    // paths of one call
	maxAllSpill = 32   // paths of all calls
	maxSpillLen = 1024 // bytes of a path; a longer one is none
)

// Spill is a file in which the agent says that the output of a call is. Path is absolute, clean and foreign, at most 1024
// bytes: read it as the agent's user, bounded, and hand it back as a piece of the same call.
type Spill struct{ CallID, Path string }

// Spills are the files named so far in the output of calls, each once, in order of first appearance: at most 8 that one call
// was the first to name, 32 in all. CallID is cut at 256 bytes. Standard error of the agent names none.
func (c *Collector) Spills() []Spill {
	c.mu.Lock()
	defer c.mu.Unlock()
	kept := c.spills
	c.spills = slices.Clone(kept)
	defer func() { c.spills = kept }()
	for _, k := range c.byAge() {
		counted := k.spilled
		for _, s := range k.parts {
			half := s.half
			s.restOfPath(string(s.pending))
			s.spills(string(s.pending), "")
			s.endPath()
			s.half = half
		}
		k.spilled = counted
	}
	return c.spills
}

// spill keeps a path that is new.
func (k *call) spill(p string) {
	p = path.Clean(p)
	if k.id == "" || k.spilled == maxSpills || len(k.c.spills) == maxAllSpill ||
		slices.ContainsFunc(k.c.spills, func(s Spill) bool { return s.Path == p }) {
		return
	}
	k.spilled++
	k.c.spills = append(k.c.spills, Spill{k.id, strings.Clone(p)})
}

// spills finds the paths that are announced in one line, or in a piece of a long one with the rest at hand.
func (s *stream) spills(text, rest string) {
	rest = rest[:min(len(rest), 2*maxSpillLen)]
	behind := len(rest)
	text += rest
	for {
		at := indexFold(text, savedTo)
		if at < 0 || at >= len(text)-behind {
			return
		}
		before := at > 0 && isNameByte(text[at-1])
		text = text[at+len(savedTo):]
		rest := strings.TrimPrefix(text, ":")
		if rest = strings.TrimLeft(rest, " \t`'\"*<"); before || rest == text || !strings.HasPrefix(rest, "/") {
			continue
		}
		if s.path(rest) {
			return
		}
	}
}

// path takes the path that text begins with, and reports whether text ended first: the next piece may have the rest.
func (s *stream) path(text string) (open bool) {
	end := strings.IndexAny(text, " \t\r\n\"'`*<>|\\\x1b")
	if end < 0 && len(text) <= maxSpillLen {
		s.half = text
		return true
	}
	if end >= 0 && end <= maxSpillLen {
		s.named(text[:end])
	}
	return false
}

// named takes a whole path, without the punctuation of a sentence around it.
func (s *stream) named(p string) {
	if p = strings.TrimRight(p, ".,;:)]}"); len(p) > 1 {
		s.spill(p)
	}
}

// restOfPath completes a path that the piece before text left half.
func (s *stream) restOfPath(text string) {
	if half := s.half; half != "" {
		s.half = ""
		s.path(half + text[:min(len(text), maxSpillLen+1)])
	}
}

// endPath takes the half path for whole: its line ended.
func (s *stream) endPath() {
	if s.half != "" {
		p := s.half
		s.half = ""
		s.named(p)
	}
}

// indexFold finds lower, which is lower case ASCII, in any case.
func indexFold(s, lower string) int {
	for i := 0; i+len(lower) <= len(s); i++ {
		if s[i]|0x20 == lower[0] && equalFold(s[i:i+len(lower)], lower) {
			return i
		}
	}
	return -1
}
