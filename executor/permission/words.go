package permission

import "strings"

// splitShell takes a command line apart the way a shell would read it, generously: words without their quotes, one list
// for each simple command, and the text inside substitutions and groups on its own; in the word a `$` or a backtick stays
// where the substitution was. It never fails; a quote left open
// ends with the text.
func splitShell(command string) (simple [][]string, nested []string) {
	s := shellScanner{text: command}
	for s.pos < len(s.text) {
		s.step()
	}
	s.endCommand()
	return s.simple, s.nested
}

type shellScanner struct {
	text   string
	pos    int
	word   strings.Builder
	inWord bool
	words  []string
	simple [][]string
	nested []string
}

func (s *shellScanner) step() {
	c := s.text[s.pos]
	s.pos++
	switch c {
	case '\\':
		if s.pos < len(s.text) {
			if s.text[s.pos] != '\n' {
				s.add(s.text[s.pos])
			}
			s.pos++
		}
	case '\'':
		s.inWord = true
		end := strings.IndexByte(s.text[s.pos:], '\'')
		if end < 0 {
			end = len(s.text) - s.pos
		}
		s.word.WriteString(s.text[s.pos : s.pos+end])
		s.pos = min(s.pos+end+1, len(s.text))
	case '"':
		s.double()
	case '`':
		s.backtick()
	case '$':
		s.add(c)
		if s.pos < len(s.text) && s.text[s.pos] == '(' {
			s.pos++
			s.group()
		}
	case '(':
		s.endCommand()
		s.group()
		s.endCommand()
	case ';', '&', '|', '\n', ')', '\r':
		s.endCommand()
	case '<', '>':
		s.endWord()
	case ' ', '\t':
		s.endWord()
	default:
		s.add(c)
	}
}

func (s *shellScanner) add(c byte) {
	s.inWord = true
	s.word.WriteByte(c)
}

func (s *shellScanner) double() {
	s.inWord = true
	for s.pos < len(s.text) {
		c := s.text[s.pos]
		s.pos++
		switch {
		case c == '"':
			return
		case c == '\\' && s.pos < len(s.text):
			s.word.WriteByte(s.text[s.pos])
			s.pos++
		case c == '`':
			s.backtick()
		case c == '$' && s.pos < len(s.text) && s.text[s.pos] == '(':
			s.pos++
			s.word.WriteByte(c)
			s.group()
		default:
			s.word.WriteByte(c)
		}
	}
}

func (s *shellScanner) backtick() {
	s.add('`')
	end := strings.IndexByte(s.text[s.pos:], '`')
	if end < 0 {
		end = len(s.text) - s.pos
	}
	s.nested = append(s.nested, s.text[s.pos:s.pos+end])
	s.pos = min(s.pos+end+1, len(s.text))
}

// group takes the text up to the parenthesis that closes it, or to the end.
func (s *shellScanner) group() {
	end := closing(s.text, s.pos)
	s.inWord = true
	s.nested = append(s.nested, s.text[s.pos:end])
	s.pos = min(end+1, len(s.text))
}

// closing finds the parenthesis that closes the group beginning at i. Quotes are heeded, because a parenthesis inside
// them closes nothing; a stack instead of recursion, because the depth is a stranger's.
func closing(text string, i int) int {
	stack := []byte{')'}
	for ; i < len(text); i++ {
		c, top := text[i], stack[len(stack)-1]
		switch {
		case top == '\'' && c != '\'':
		case c == top:
			if stack = stack[:len(stack)-1]; len(stack) == 0 {
				return i
			}
		case c == '\\':
			i++
		case c == '"' || c == '\'' && top == ')':
			stack = append(stack, c)
		case c == '(' && (top == ')' || text[i-1] == '$'):
			stack = append(stack, ')')
		}
	}
	return len(text)
}

func (s *shellScanner) endWord() {
	if s.inWord {
		s.words = append(s.words, s.word.String())
	}
	s.word.Reset()
	s.inWord = false
}

func (s *shellScanner) endCommand() {
	s.endWord()
	if len(s.words) > 0 {
		s.simple = append(s.simple, s.words)
	}
	s.words = nil
}
