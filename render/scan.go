package render

import (
	"bytes"
	"html"
	"strings"
	"unicode"
	"unicode/utf8"
)

// scanner goes over the text between the areas once, byte by byte, and takes the force from whatever would act on GitHub.
// It reads the source and not the parse tree, so that it holds wherever another parser finds less code than ours does.
// Where something must stay readable it becomes code: GitHub neither links nor notifies inside code, and a reader sees that
// it was done. (An invisible character in the middle, the usual trick, is what we take out.)
type scanner struct {
	*pass
	done      int // edits and areas end here
	wrapped   int // where the last code span of ours ended
	closer    int // the next '$' that could end mathematics, once searched
	inMarkup  bool
	lineBegin bool // only container marks so far on this line
}

func (s *scanner) run() {
	s.closer, s.wrapped, s.lineBegin = -1, -1, true
	next := 0
	for i := 0; i < len(s.src); {
		for next < len(s.areas) && s.areas[next].end <= i {
			next++
		}
		s.inMarkup = false
		if next < len(s.areas) && s.areas[next].start <= i {
			a := s.areas[next]
			if a.kind != markup {
				i = max(a.end, i+1)
				s.done = i
				s.lineBegin = s.src[i-1] == '\n'
				next++
				continue
			}
			s.inMarkup = true
		}
		if s.lineBegin {
			if n := s.margin(i); n > 0 {
				i += n
				continue
			}
			s.lineBegin = false
			if n := s.atLineStart(i); n > 0 {
				i += n
				continue
			}
		}
		if s.src[i] == '\n' {
			s.lineBegin = true
			i++
			continue
		}
		i += max(1, s.token(i))
	}
}

// margin passes one space or quote mark at the start of a line. A tab becomes spaces: what a tab means inside containers is
// where Markdown parsers differ most.
func (s *scanner) margin(i int) int {
	switch s.src[i] {
	case ' ', '>':
		return 1
	case '\t':
		s.put(i, i+1, tabStop(i-s.lineStart(i)))
		return 1
	}
	return 0
}

// atLineStart breaks what bots take for a command, and heads like those of our panels.
func (s *scanner) atLineStart(i int) int {
	rest := s.src[i:]
	if rest[0] == '/' {
		n := 1
		for n < len(rest) && (isAlnum(rest[n]) || rest[n] == '-' || rest[n] == '_') {
			n++
		}
		next, _ := utf8.DecodeRune(rest[n:])
		if n > 1 && (n == len(rest) || next == ':' || unicode.IsSpace(next)) {
			return s.code(i, i+n)
		}
	}
	for _, glyph := range []string{"✅", "⚠", "ℹ"} {
		after, ok := bytes.CutPrefix(rest, []byte(glyph))
		if !ok {
			continue
		}
		mark := len(glyph) + len(after) - len(bytes.TrimPrefix(after, []byte("\ufe0f")))
		if bytes.HasPrefix(bytes.TrimLeft(rest[mark:], " *_`"), []byte("/")) {
			return s.code(i, i+mark)
		}
	}
	return 0
}

// token handles what starts at i and returns how much it took, 0 for nothing.
func (s *scanner) token(i int) int {
	switch c := s.src[i]; c {
	case '\\':
		return s.escape(i)
	case '`':
		if s.inMarkup {
			return 0
		}
		return s.put(i, i+1, "\\`")
	case '<':
		return s.angle(i)
	case '!':
		if s.at(i+1) == '[' {
			return s.put(i, i+1, "\\!")
		}
	case '[':
		switch s.at(i + 1) {
		case '^':
			return s.put(i, i+1, "\\[")
		case '!':
			return s.alert(i)
		}
	case ']':
		if n := s.at(i + 1); n == '(' || n == '[' || n == ':' {
			return s.put(i, i+1, "\\]")
		}
	case '&':
		return s.entity(i)
	case '@':
		return s.mention(i)
	case '#':
		return s.reference(i)
	case '-':
		return s.ghReference(i)
	case ':':
		return s.colon(i)
	case '$':
		return s.dollar(i)
	default:
		return s.word(i, c)
	}
	return 0
}

func (s *scanner) at(i int) byte {
	if i < 0 || i >= len(s.src) {
		return 0
	}
	return s.src[i]
}

// put replaces, and returns the length it took.
func (s *scanner) put(start, end int, text string) int {
	s.edit(start, end, text)
	s.done = end
	return end - start
}

// code makes src[start:end] a code span and returns how far it reaches from start. The span keeps clear of back-ticks and
// backslashes beside it, which would change what it is.
func (s *scanner) code(start, end int) int {
	before, after := "", ""
	if s.at(start-1) == '`' || s.wrapped == start || s.gluesMail(start) && bytes.IndexByte(s.src[start:end], '@') >= 0 {
		before = " "
	}
	if s.at(start-1) == '\\' && s.done < start {
		before = "\\"
	}
	if s.at(end) == '`' {
		after = " "
	}
	s.put(start, end, before+"`"+string(s.src[start:end])+"`"+after)
	s.wrapped = end
	return end - start
}

// gluesMail is true behind signs that a mail address may hold before its "@", back-ticks among them: some readers find an
// address before they find code. Emphasis counts only behind a word, or bold mentions would come apart.
func (s *scanner) gluesMail(i int) bool {
	if i > 0 && strings.IndexByte("!#$%&'/=?^{|}+-.", s.src[i-1]) >= 0 {
		return true
	}
	word := i
	for word > 0 && strings.IndexByte("*_~", s.src[word-1]) >= 0 {
		word--
	}
	return word < i && s.at(word-1) > ' '
}

// escape keeps backslash escapes out of the scanner's way. Those that hide from it what GitHub acts on after Markdown is
// done (it never sees the backslash) are undone.
func (s *scanner) escape(i int) int {
	next := s.at(i + 1)
	switch {
	case next == '@', next == '/', next == ':', next == '$',
		next == '#' && isDigit(s.at(i+2)),
		next == '-' && isAlnum(s.at(i-1)) && isDigit(s.at(i+2)):
		return s.put(i, i+1, "")
	case isPunct(next):
		return 2
	}
	return 0
}

// alert takes the head of a callout, which is drawn as a warning of the page. A backslash alone may not hold: it is gone
// by the time that GitHub looks.
func (s *scanner) alert(i int) int {
	end := s.forward(i+2, isAlnum)
	if end == i+2 || s.at(end) != ']' {
		return 0
	}
	return s.code(i, end+1)
}

// angle shows HTML, comments and autolinks as text.
func (s *scanner) angle(i int) int {
	n := s.at(i + 1)
	if !isAlnum(n) && n != '/' && n != '!' && n != '?' {
		return 0
	}
	if end := bytes.IndexAny(s.src[i:min(len(s.src), i+2048)], ">\n"); end > 0 && s.src[i+end] == '>' && s.hosts.allow(string(s.src[i+1:i+end])) {
		return end + 1
	}
	return s.put(i, i+1, "\\<")
}

// entity decodes a character reference, so that the next round sees the character. Nested ones unfold at once.
func (s *scanner) entity(i int) int {
	end := i + 1
	for {
		n := 0
		for _, amp := range []string{"amp;", "AMP;", "#38;", "#x26;", "#X26;"} {
			if bytes.HasPrefix(s.src[end:], []byte(amp)) {
				n = len(amp)
			}
		}
		if n == 0 {
			break
		}
		end += n
	}
	semi := bytes.IndexByte(s.src[end:min(len(s.src), end+40)], ';')
	if semi > 0 {
		ref := "&" + string(s.src[end:end+semi+1])
		if char := html.UnescapeString(ref); char != ref && !strings.HasSuffix(char, ";") || ref == "&semi;" {
			return s.put(i, end+semi+1, literal(char))
		}
	}
	if end == i+1 {
		return 0
	}
	return s.put(i, end, "&")
}

// literal writes a decoded character so that it is itself and starts no construct.
func literal(char string) string {
	var b strings.Builder
	for _, r := range visible(char) {
		switch {
		case r == '\n', r == '\t':
			b.WriteByte(' ')
		case r < utf8.RuneSelf && isPunct(byte(r)) && !strings.ContainsRune("@#$/:&", r):
			b.WriteByte('\\')
			b.WriteRune(r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
