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

// The lines of a prompt that are the program's own. All but the first two forms count only with the nonce of the prompt,
// and those two only outside of fences: the rest is data, and data adds no task.
var (
	segmentLine  = regexp.MustCompile(`^### Segment (\d+): /(ask|edit|build)$`)
	documentLine = regexp.MustCompile(`^Document: (.+)$`)
	nonceForm    = regexp.MustCompile(`<<<INSTRUCTION ([0-9A-Za-z]{4,64})>>>`)
)

// reader goes through the lines of a prompt.
type reader struct {
	nonce    string
	task     task
	document string
	ends     map[string]string // delimiter by segment number
	into     *[]string         // where the lines of the open fence go; nil outside
	fenced   bool
	said     []string
	quoted   []string
}

// readTask finds its way in a prompt by its machine-readable lines. Without any it takes the whole prompt for a question.
func readTask(prompt string) task {
	contract := strings.Contains(prompt, "WANTED: <")
	// The rules, where the nonce stands first, come before anything foreign.
	m := nonceForm.FindStringSubmatch(prompt)
	if m == nil {
		return task{segments: []segment{{command: ask, instruction: strings.TrimSpace(prompt)}}, contract: contract}
	}
	r := reader{nonce: m[1], ends: map[string]string{}, task: task{contract: contract}}
	for line := range strings.Lines(prompt) {
		r.line(strings.TrimRight(line, "\r\n"))
	}
	r.closeSegment()
	for i := range r.task.segments {
		s := &r.task.segments[i]
		s.delimiter, s.document = r.ends[s.delimiter], r.document
	}
	if len(r.task.segments) == 0 {
		r.task.segments = []segment{{command: ask, document: r.document}}
	}
	return r.task
}

func (r *reader) line(line string) {
	word, ours := r.own(line)
	switch {
	case ours && word == "END":
		r.into, r.fenced = nil, false
	case r.fenced:
		if r.into != nil {
			*r.into = append(*r.into, line)
		}
	case ours && word == "INSTRUCTION":
		r.into, r.fenced = &r.said, true
	case ours && word == "DATA":
		r.into, r.fenced = nil, true
	case ours && strings.HasPrefix(word, "AI-FLOW:SEGMENT "):
		r.ends[strings.TrimPrefix(word, "AI-FLOW:SEGMENT ")] = line
	case segmentLine.MatchString(line):
		r.closeSegment()
		m := segmentLine.FindStringSubmatch(line)
		// Its number stands in the place of its delimiter until all delimiters are known.
		r.task.segments = append(r.task.segments, segment{command: commandNamed(m[2]), delimiter: m[1]})
	case r.document == "" && documentLine.MatchString(line):
		r.document = documentLine.FindStringSubmatch(line)[1]
	case strings.HasPrefix(line, ">"):
		r.quoted = append(r.quoted, strings.TrimPrefix(strings.TrimPrefix(line, ">"), " "))
	}
}

// own takes a line <<<WORD NONCE>>> or <<<WORD NONCE: words>>> apart.
func (r *reader) own(line string) (word string, ours bool) {
	inner, ok := strings.CutPrefix(line, "<<<")
	if !ok || !strings.HasSuffix(inner, ">>>") {
		return "", false
	}
	word, rest, ok := strings.Cut(strings.TrimSuffix(inner, ">>>"), " "+r.nonce)
	return word, ok && (rest == "" || strings.HasPrefix(rest, ":"))
}

// closeSegment gives the last segment what was read for it. Where a person wrote nothing, the quote or the document says
// what is wanted, and this agent can only repeat that.
func (r *reader) closeSegment() {
	if n := len(r.task.segments); n > 0 {
		s := &r.task.segments[n-1]
		s.instruction = strings.TrimSpace(strings.Join(r.said, "\n"))
		s.anchor = strings.TrimSpace(strings.Join(r.quoted, "\n"))
		if s.instruction == "" {
			s.instruction, s.anchor = s.anchor, ""
		}
		if s.instruction == "" {
			s.instruction = "do what the document says"
		}
	}
	r.said, r.quoted = nil, nil
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
