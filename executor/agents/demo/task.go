package demo

import (
	"regexp"
	"strings"
)

// command is what a segment asks for.
type command uint8

const (
	ask command = iota + 1
	edit
	build
)

// segment is one part of the task: its command, what the person wrote, and the line that has to introduce the answer.
type segment struct {
	command     command
	instruction string
	anchor      string // the paragraph that the person quoted, "" for none
	delimiter   string
	document    string // path of the document; relative to the session's directory, or absolute
}

type task struct {
	segments []segment
	contract bool // WANTED lines are asked for
}

var (
	segmentLine  = regexp.MustCompile(`^### Segment (\d+): /(?:[a-z0-9-]*)(ask|edit|build)\s*$`)
	documentLine = regexp.MustCompile(`^Document: (.+)$`)
	delimiter    = regexp.MustCompile(`^\s*(<<<AI-FLOW:SEGMENT (\d+) [0-9A-Za-z]+>>>)\s*$`)
	fence        = regexp.MustCompile("^\\s*(<<<.*>>>|`{3,}.*|~{3,}.*)\\s*$")
)

// readTask finds its way in a prompt by its machine-readable lines. Without any it takes the whole prompt for a question.
func readTask(prompt string) task {
	t := task{contract: strings.Contains(prompt, "WANTED: <")}
	delimiters, document := map[string]string{}, ""
	var open []string
	var number string
	closeSegment := func() {
		if n := len(t.segments); n > 0 && number != "" {
			t.segments[n-1].read(open)
		}
		open, number = nil, ""
	}
	for _, line := range strings.Split(strings.ReplaceAll(prompt, "\r\n", "\n"), "\n") {
		switch {
		case segmentLine.MatchString(line):
			closeSegment()
			m := segmentLine.FindStringSubmatch(line)
			number = m[1]
			t.segments = append(t.segments, segment{command: commandNamed(m[2]), delimiter: m[1]})
		case strings.HasPrefix(line, "## ") || strings.HasPrefix(line, "# "):
			closeSegment()
		case delimiter.MatchString(line):
			m := delimiter.FindStringSubmatch(line)
			if delimiters[m[2]] == "" { // the first of a number is the demand; a later one may be quoted by a stranger
				delimiters[m[2]] = m[1]
			}
		case document == "" && documentLine.MatchString(line):
			document = strings.Trim(documentLine.FindStringSubmatch(line)[1], "` ")
		default:
			open = append(open, line)
		}
	}
	closeSegment()
	for i := range t.segments {
		s := &t.segments[i]
		s.delimiter, s.document = delimiters[s.delimiter], document
	}
	if len(t.segments) == 0 {
		t.segments = []segment{{command: ask, instruction: strings.TrimSpace(prompt), document: document}}
	}
	return t
}

func commandNamed(name string) command {
	switch name {
	case "edit":
		return edit
	case "build":
		return build
	}
	return ask
}

// read takes a segment's own lines apart: what is quoted with > is the anchor, the rest is the instruction.
func (s *segment) read(lines []string) {
	var said, quoted []string
	for _, l := range lines {
		if q, ok := strings.CutPrefix(l, ">"); ok {
			quoted = append(quoted, strings.TrimPrefix(q, " "))
		} else if !fence.MatchString(l) {
			said = append(said, l)
		}
	}
	s.instruction = strings.TrimSpace(strings.Join(said, "\n"))
	s.anchor = strings.TrimSpace(strings.Join(quoted, "\n"))
}
