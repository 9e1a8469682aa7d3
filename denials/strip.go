package denials

import (
	"strings"
	"unicode/utf8"
)

// maxDeclared bounds how many wants one text declares; further lines are removed all the same.
const maxDeclared = maxWants

// Strip removes each WANTED line from joined agent text and returns what they said.
//
// A line is a WANTED line when its first letters are WANTED, in any case, and a colon follows: whatever list markers,
// numbers, quote marks, emphasis, code marks, tags, invisible runes or escape sequences stand before or between. In the
// middle of a line it counts in capitals only, and only where a sentence ended or a round of the model was glued on
// ("Started it.WANTED: x — y"); "the most WANTED: list" is prose. The rest of the line belongs to it. A code fence that held
// nothing else goes too, and so do blank lines that would be left double. The contract's own placeholder is removed but is
// no want, nor is "none". Text without a WANTED line comes back as it was; Strip(Strip(x)) is Strip(x).
func Strip(text string) (clean string, wants []Want) {
	var s stripper
	for rest := text; rest != ""; {
		var line, end string
		line, end, rest = cutLine(rest)
		s.line(line, end)
	}
	if !s.removed {
		return text, nil
	}
	s.endFence()
	return s.text(), s.wants
}

// A stripper goes through a text once, line by line.
type stripper struct {
	lines   []textLine
	wants   []Want
	removed bool

	fence  string // the marks of the fence that we are in; "" outside
	opener int    // the line that opened it
	had    bool   // the fence held a WANTED line
	more   bool   // the fence holds something else
}

type textLine struct {
	text, end string
	gone      bool
}

func (s *stripper) line(line, end string) {
	start, content, found := findMarker(line)
	if !found {
		s.keep(line, end)
		return
	}
	s.removed, s.had = true, true
	s.declare(line[content:])
	prefix := line[:start]
	switch marks := fenceMarks(prefix); {
	case !atStart(prefix):
		s.keep(trimDangling(prefix, line[content:]), end)
	case marks != "" && s.fence == "" && !strings.Contains(line[content:], marks):
		// "```WANTED: x" opens a fence with that for its info string, and something closes it below.
		s.keep(strings.TrimRight(prefix, " \t"), end)
	default:
		s.lines = append(s.lines, textLine{end: end, gone: true})
	}
	s.had = true
}

// keep passes a line on and follows the fences.
func (s *stripper) keep(line, end string) {
	marks := fenceMarks(line)
	s.lines = append(s.lines, textLine{text: line, end: end})
	switch {
	case s.fence == "" && marks != "":
		s.fence, s.opener, s.had, s.more = marks, len(s.lines)-1, false, false
	case s.fence != "" && strings.HasPrefix(marks, s.fence) && isBare(line):
		s.endFence()
	case strings.TrimSpace(line) != "":
		s.more = true
	}
}

// endFence removes a fence that held WANTED lines and nothing else.
func (s *stripper) endFence() {
	if s.fence != "" && s.had && !s.more {
		for i := s.opener; i < len(s.lines); i++ {
			s.lines[i].gone = true
		}
	}
	s.fence = ""
}

// text joins what is left. A blank line next to a removal goes if that would leave two together, or one at an end.
func (s *stripper) text() string {
	var b strings.Builder
	gap, blank := false, true
	for _, l := range s.lines {
		if l.gone {
			gap = true
			continue
		}
		empty := strings.TrimSpace(l.text) == ""
		if gap && blank && empty {
			continue
		}
		b.WriteString(l.text)
		b.WriteString(l.end)
		gap, blank = false, empty
	}
	if gap {
		return strings.TrimRight(b.String(), " \t\r\n")
	}
	return b.String()
}

// declare makes wants of what stands behind a marker; another marker in it begins another want.
func (s *stripper) declare(content string) {
	for content != "" && len(s.wants) < maxDeclared {
		next, behind, found := nextMarker(content, 0)
		if !found {
			next, behind = len(content), len(content)
		}
		if w, ok := parseWant(content[:next]); ok {
			s.wants = append(s.wants, w)
		}
		content = content[behind:]
	}
}

// cutLine takes the first line off s. Everything that any reader takes for the end of a line ends one.
func cutLine(s string) (line, end, rest string) {
	for i, r := range s {
		if r > '\r' && r < 0x85 {
			continue
		}
		switch r {
		case '\n', '\r', '\v', '\f', 0x85, 0x2028, 0x2029:
			n := utf8.RuneLen(r)
			if strings.HasPrefix(s[i:], "\r\n") {
				n = 2
			}
			return s[:i], s[i : i+n], s[i+n:]
		}
	}
	return s, "", ""
}
