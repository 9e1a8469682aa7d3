package commands

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/d3mlabs/ai-flow/render"
)

// The bounds of a comment. GitHub's own is 65,536 characters; whatever is longer did not come from there.
const (
	maxComment  = 65_536    // characters
	maxBytes    = 256 << 10 // which may take four bytes each
	maxSegments = 32
)

// Segment is one command of a comment. Its offsets count bytes of the body as it was given to Parse.
type Segment struct {
	Command Command
	// Quote is the block quote right above the command, without its marks; Quoted tells an empty one from none.
	Quote  string
	Quoted bool
	// Instruction is everything after the command up to the next quote or command, verbatim but for white space around
	// it, line ends (which become \n) and invisible characters (which are left out).
	Instruction string
	Line        int // of the command, from 1
	Start       int // where the command begins
	// End is where the last line that belongs to the segment ends, before its line break: a result goes here, between two
	// empty lines. It comes sooner, though the instruction goes on, where a result would not be seen; see Comment.Foot.
	End int
}

// Comment is a parsed comment. No segments means that it is none of our business.
type Comment struct {
	Segments []Segment
	Misses   []Miss
	// Foot is where text about all of them goes, at the end of a line: the end of the body, or above a fence, a comment or
	// an element that the body leaves open to its end, which would show such text as code or hide it. Segments end above
	// that, too. 0 when no line has the shape of a command.
	Foot int
}

// Miss is a line that looks like a command and is none. It starts no run; a person at a terminal is told why.
type Miss struct {
	Line int // from 1
	Why  string
}

// Reason is the closed set of reasons to refuse a comment.
type Reason uint8

// The reasons.
const (
	TooLarge    Reason = iota + 1 // longer than any comment on GitHub, or too many commands
	NotAlone                      // a /build among other commands
	UnknownFlag                   // nothing takes flags yet
	Reserved                      // /split and /learn
	Empty                         // /ask or /edit without anything to go by
	Swallowed                     // a command line that Markdown puts inside the quote, list or table above it
	BadPrefix                     // the configured prefix could not stand in a command
)

// Refusal is a comment, or a run, that is not carried out, with what a person can do about it. Foreign text in it is
// quoted.
type Refusal struct {
	Reason  Reason
	Line    int // of the comment, from 1; 0 when it is not about a line
	Message string
	Next    string
}

// Error is the message alone: the next step is shown on its own.
func (r *Refusal) Error() string { return r.Message }

var prefixShape = regexp.MustCompile(`^[A-Za-z0-9_-]{0,32}$`)

// Parse reads a comment. prefix stands between the slash and the word of each command (AI_FLOW_COMMAND_PREFIX). A comment
// whose commands cannot be carried out as they stand is a *Refusal; the segments found are returned beside it, so that the
// refusal can be shown under the line it is about.
//
// A command is a line that starts at its first column with the slash, the prefix and one of ask, edit, build (case counts),
// followed by the end of the line or white space, NBSP and its kin included. It is a command only where a reader sees plain
// text of the comment's author. The Markdown syntax tree decides that, so that text in fences, indented code, code spans,
// HTML, comments, <details>, link definitions and titles, footnotes, strike-through and the bot's own words is prose
// whatever it says. A command line at the first column that Markdown draws into the quote, list or table above it (lazy
// continuation) is refused with the remedy, an empty line, because its author meant it and a reader sees it elsewhere.
func Parse(body, prefix string) (Comment, error) {
	if !prefixShape.MatchString(prefix) {
		return Comment{}, &Refusal{Reason: BadPrefix, Message: fmt.Sprintf("the command prefix %.40q may hold only letters, digits, - and _", prefix)}
	}
	if len(body) > maxBytes || utf8.RuneCountInString(body) > maxComment {
		return Comment{}, &Refusal{Reason: TooLarge, Message: fmt.Sprintf("the comment is longer than %d characters", maxComment)}
	}
	if !strings.Contains(body, "/") && !strings.ContainsAny(body, slashes) {
		return Comment{}, nil
	}
	lines := splitLines(body)
	heads, comment := findHeads(lines, prefix)
	if len(heads) == 0 {
		return comment, nil
	}
	if render.TooDear(body) {
		return comment, &Refusal{Reason: TooLarge, Message: "the comment has nesting or tables that cost too much to read",
			Next: "Put the command into a comment of its own."}
	}
	page := readPage(body, heads)
	var found []line
	var swallowed *line
	for _, h := range heads {
		switch page.places[h.start] {
		case inText:
			found = append(found, h)
		case inQuote:
			if swallowed == nil {
				swallowed = &h
			}
		case elsewhere:
			comment.Misses = append(comment.Misses, Miss{h.number, "it stands in code, HTML or text that a reader does not see as a command"})
		}
	}
	comment.Segments = cut(body, lines, found, page)
	comment.Foot = foot(body, lines, comment.Segments, page.open)
	if swallowed != nil {
		return comment, &Refusal{Reason: Swallowed, Line: swallowed.number,
			Message: fmt.Sprintf("the command %q on line %d belongs, as Markdown reads it, to the quote, list or table above it", swallowed.head.word, swallowed.number),
			Next:    "Put an empty line above the command."}
	}
	err := judge(found, comment.Segments)
	if len(comment.Segments) > maxSegments { // refused; more are only work for whoever shows that
		comment.Segments = comment.Segments[:maxSegments]
	}
	return comment, err
}

// judge refuses what the segments cannot mean together.
func judge(found []line, segments []Segment) error {
	if len(found) > maxSegments {
		return &Refusal{Reason: TooLarge, Line: found[maxSegments].number, Message: fmt.Sprintf("the comment holds %d commands; at most %d are read", len(found), maxSegments)}
	}
	for _, h := range found {
		if h.head.command == 0 {
			return &Refusal{Reason: Reserved, Line: h.number, Message: fmt.Sprintf("%s is reserved and does nothing yet", h.head.word),
				Next: "Use /ask, /edit or /build."}
		}
		if flag := h.head.flag; flag != "" {
			return flagRefusal(h, flag)
		}
		if h.head.command == Build && len(found) > 1 {
			return &Refusal{Reason: NotAlone, Line: h.number, Message: fmt.Sprintf("%s must be the only command of a comment", h.head.word),
				Next: "Only /ask and /edit may stand together. Put the /build into a comment of its own."}
		}
	}
	for i, s := range segments {
		if s.Command != Build && s.Instruction == "" && s.Quote == "" {
			what := map[Command]string{Ask: "your question", Edit: "what is to change"}[s.Command]
			return &Refusal{Reason: Empty, Line: s.Line, Message: fmt.Sprintf("%s has no text", found[i].head.word),
				Next: "Write " + what + " after it, or quote the paragraph right above it."}
		}
	}
	return nil
}

func flagRefusal(h line, flag string) error {
	r := &Refusal{Reason: UnknownFlag, Line: h.number, Message: fmt.Sprintf("%s does not know the flag %.60q", h.head.word, flag),
		Next: "Leave it out; text that begins with dashes goes on the next line."}
	if dash := []rune(flag)[0]; dash != '-' {
		r.Message += fmt.Sprintf(" (it begins with %U, which a keyboard made of --)", dash)
	}
	return r
}

// cut gives each command what belongs to it.
func cut(body string, lines []line, found []line, page page) []Segment {
	segments := make([]Segment, 0, len(found))
	for i, h := range found {
		if h.head.command == 0 {
			continue
		}
		limit := len(body)
		if i+1 < len(found) {
			limit = found[i+1].start
		}
		for _, q := range page.quotes {
			if q.start > h.start {
				limit = min(limit, q.start)
				break
			}
		}
		s := Segment{Command: h.head.command, Line: h.number, Start: h.start}
		text := body[h.start+h.head.length : limit]
		s.Instruction = clean(text)
		s.End = lineEnd(lines, body[:limit])
		for _, open := range page.open {
			if above := lineEnd(lines, body[:open]); above > h.start {
				s.End = min(s.End, above)
			}
		}
		s.Quote, s.Quoted = anchor(lines, h, page)
		segments = append(segments, s)
	}
	return segments
}

// foot is where text about the whole comment goes, never between a command and its end.
func foot(body string, lines []line, segments []Segment, open []int) int {
	if len(open) == 0 {
		return len(body)
	}
	at := lineEnd(lines, body[:slices.Min(open)])
	if n := len(segments); n > 0 {
		at = max(at, segments[n-1].End)
	}
	return at
}

// lineEnd is the end of the last line of a text that is not blank: of the body whose lines are given, or of a part of it
// that ends where a line begins.
func lineEnd(lines []line, text string) int {
	last := len(strings.TrimRightFunc(text, isBlank))
	i, exact := slices.BinarySearchFunc(lines, last, func(l line, at int) int { return cmp.Compare(l.start, at) })
	if !exact && i > 0 {
		i--
	}
	return lines[i].start + len(lines[i].text)
}

// anchor is the quote right above a command: only blank lines between them, and none of the bot's own.
func anchor(lines []line, h line, page page) (text string, found bool) {
	last := h.number - 2 // index of the line above
	for last >= 0 && strings.TrimFunc(lines[last].text, isBlank) == "" {
		last--
	}
	var q quote
	for _, above := range page.quotes {
		if last >= 0 && above.start <= lines[last].start {
			q, found = above, true
		}
	}
	if !found || q.ours {
		return "", false
	}
	var quoted []string
	for _, l := range lines[:last+1] {
		switch {
		case l.start < q.start:
		case l.start < q.end || quoteMark.MatchString(l.text):
			quoted = append(quoted, dequote(l.text))
		default:
			return "", false // behind the quote
		}
	}
	return clean(strings.Join(quoted, "\n")), true
}

var quoteMark = regexp.MustCompile(`^ {0,3}> ?`)

// dequote takes one level of quoting from a line; a lazy line has none.
func dequote(l string) string { return l[len(quoteMark.FindString(l)):] }
