package thread

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// word is what a mark begins. The marks are read by exact shape alone: whatever differs by a byte is text of a person.
type word string

const (
	wordResult word = "result" // a result, or a part of one
	wordStatus word = "status" // a status line
	wordAside  word = "aside"  // a comment of ours that another one has replaced: it points there and stands for nothing
	wordReply  word = "reply"  // what a build says in a review thread, in a comment of ours; it stands for no result
)

// The stages as marks have them. waiting is that of a comment of our own that holds no result yet.
const (
	waiting = "waiting"
	failed  = "failed"
	told    = "told"
	open    = "unsure"
	acted   = "acted"
)

// mark begins a piece of ours. Digests stand in the mark of a status line that was written ahead, and of a result that
// leaves open what became of that.
type mark struct {
	word          word
	id            int64 // of the comment, or review, with the command
	stage         string
	bottom        bool // what belongs to the whole comment, below a rule of ours
	before, after string
	thread        int64 // of a reply: the comment that began its thread
	given         int64 // of a reply: when the command was given, in seconds since 1970; 0 when not known
}

// prefix begins every mark; endMark ends what a mark began.
const (
	prefix  = "<!-- ai-flow:"
	endMark = "<!-- ai-flow:end -->"
)

// broken is how prefix stands in text that is quoted by us: shown to nobody, or inside code as good as the same.
const broken = "<! -- ai-flow:"

var (
	markShape = regexp.MustCompile(`^<!-- ai-flow:(result|status|aside) ([1-9][0-9]{0,18})(?: stage=(waiting|failed|told|unsure|acted))?` +
		`( part=bottom)?(?: before=([0-9a-f]{32}) after=([0-9a-f]{32}))? -->$`)
	// A reply names its thread: a list of comments tells it in another field, which nothing else of ours needs.
	replyShape  = regexp.MustCompile(`^<!-- ai-flow:reply ([1-9][0-9]{0,18}) thread=([1-9][0-9]{0,18})(?: given=([1-9][0-9]{0,11}))? -->$`)
	digestShape = regexp.MustCompile(`^[0-9a-f]{32}$`)
)

func (m mark) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s%s %d", prefix, m.word, m.id)
	if m.stage != "" {
		b.WriteString(" stage=" + m.stage)
	}
	if m.bottom {
		b.WriteString(" part=bottom")
	}
	if m.before != "" {
		b.WriteString(" before=" + m.before + " after=" + m.after)
	}
	if m.thread != 0 {
		fmt.Fprintf(&b, " thread=%d", m.thread)
	}
	if m.given > 0 {
		fmt.Fprintf(&b, " given=%d", m.given)
	}
	return b.String() + " -->"
}

// readMark reads a line that is a mark and nothing else.
func readMark(line string) (mark, bool) {
	if !strings.HasPrefix(line, prefix) {
		return mark{}, false
	}
	m := markShape.FindStringSubmatch(line)
	if m == nil {
		return readReply(line)
	}
	id, err := strconv.ParseInt(m[2], 10, 64)
	if err != nil {
		return mark{}, false
	}
	return mark{word: word(m[1]), id: id, stage: m[3], bottom: m[4] != "", before: m[5], after: m[6]}, true
}

func readReply(line string) (mark, bool) {
	m := replyShape.FindStringSubmatch(line)
	if m == nil {
		return mark{}, false
	}
	id, err := strconv.ParseInt(m[1], 10, 64)
	thread, wrong := strconv.ParseInt(m[2], 10, 64)
	if err != nil || wrong != nil {
		return mark{}, false
	}
	given := int64(0)
	if m[3] != "" {
		if given, err = strconv.ParseInt(m[3], 10, 64); err != nil {
			return mark{}, false
		}
	}
	return mark{word: wordReply, id: id, thread: thread, given: given}, true
}

// breakMarks breaks the marks that a text brings along, which could end our own. What render hides in a result to fill it in
// later is none (render.FillPulls), and stays.
func breakMarks(text string) string { return strings.ReplaceAll(text, prefix, broken) }

// standing says what marks stand for together.
func standing(marks []mark) (s Standing) {
	status, ahead := false, false
	for _, m := range marks {
		switch {
		case m.word == wordResult:
			s.Stage = max(s.Stage, stage(m.stage))
		case m.word == wordStatus:
			status, ahead = true, ahead || m.before != ""
		}
		if m.before != "" {
			s.Before, s.After = m.before, m.after
		}
	}
	switch {
	case ahead && s.Stage == Acted:
		s.Stage = Ahead
	case status && s.Stage == Silent:
		s.Stage = Waiting
	case status && s.Stage > Waiting:
		s.Left = true
	}
	return s
}

func stage(name string) Stage {
	switch name {
	case waiting:
		return Waiting
	case failed:
		return Failed
	case told:
		return Told
	case open:
		return Unsure
	case acted:
		return Acted
	}
	return Silent
}
