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
	maxLead     = 16   // bytes between the words and the path
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
			half, halved := s.half, s.halved
			s.restOfPath(string(s.pending))
			s.spills(string(s.pending), "")
			s.endPath()
			s.half, s.halved = half, halved
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
	limit := len(text)
	text += rest[:min(len(rest), 2*maxSpillLen)]
	for at := 0; ; {
		next := indexFold(text[at:limit], savedTo)
		if next < 0 {
			return
		}
		inWord := at+next > 0 && isNameByte(text[at+next-1])
		at += next + len(savedTo)
		if !inWord && s.announced(text[at:]) {
			return
		}
	}
}

// announced takes the path that text brings, and reports whether text ended first: the next piece may have the rest.
func (s *stream) announced(text string) (open bool) {
	text = text[:min(len(text), maxLead+maxSpillLen+1)]
	p := strings.TrimLeft(strings.TrimPrefix(text, ":"), " \t`'\"*<")
	lead := len(text) - len(p)
	if lead > maxLead || p != "" && (lead == 0 || p[0] != '/') {
		return false
	}
	switch end := strings.IndexAny(p, " \t\r\n\"'`*<>|\\\x1b"); {
	case end >= 0 && end <= maxSpillLen:
		s.named(p[:end])
	case end < 0 && len(p) <= maxSpillLen:
		s.half, s.halved = text, true
	}
	return s.halved
}

// named takes a whole path, without the punctuation of a sentence around it.
func (s *stream) named(p string) {
	if p = strings.TrimRight(p, ".,;:)]}"); len(p) > 1 {
		s.spill(p)
	}
}

// restOfPath completes what the piece before text left half.
func (s *stream) restOfPath(text string) {
	if s.halved {
		s.halved = false
		s.announced(s.half + text[:min(len(text), maxLead+maxSpillLen+1)])
	}
}

// endPath takes a half path for whole: its line ended.
func (s *stream) endPath() {
	s.restOfPath("\n")
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
