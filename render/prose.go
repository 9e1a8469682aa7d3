package render

import (
	"fmt"
	"strings"
)

// maxProse bounds what Prose returns, in bytes; no place that we write to has room for more.
const maxProse = 256 << 10

// maxRounds is how often a text may need another look before it is shown as plain code. Ordinary answers take two.
const maxRounds = 8

// Prose makes agent prose safe for GitHub and keeps it readable Markdown: what needs nothing passes unchanged. Nothing in
// the result mentions anybody, refers to an issue, loads an image, is HTML (but <br> in a table cell), hides text, links
// anywhere but to GitHub, or can be taken for a heading, rule, footer, command or mark of ours, code included. At most 256 KiB come back; it says what was
// cut. Prose is idempotent: it repeats one pass until that pass finds nothing to do, and text that never settles, or whose
// nesting would cost too much to read, comes back inside one code block.
func Prose(text string) string {
	return hosts{"https://github.com"}.prose(text)
}

func (h hosts) prose(text string) string {
	return h.proseWithin(text, maxProse)
}

// proseWithin is prose in at most limit bytes. It shortens what goes in, never what came out, so the result is whole.
func (h hosts) proseWithin(text string, limit int) string {
	if len(text) > 4*limit {
		text = cutRune(text, 4*limit)
	}
	text = visible(strings.ToValidUTF8(text, "\uFFFD"))
	out := unmark(h.settle(text))
	for keep := limit; len(out) > limit; {
		if keep <= 0 {
			return ""
		}
		out = unmark(h.settle(cutLine(text, keep)))
		keep = keep*limit/max(len(out), limit) - 64
	}
	return out
}

// settle repeats the pass until it finds nothing to do.
func (h hosts) settle(text string) string {
	if isAsCode(text) {
		return text
	}
	for range maxRounds {
		if TooDear(text) {
			break
		}
		next, changed := h.pass(text)
		if !changed {
			return text
		}
		text = next
	}
	return asCode(text)
}

// asCode is the way out for text that cannot be shown as Markdown: nothing in a code block acts.
func asCode(text string) string {
	fence := fenceFor(text)
	return fence + "text\n" + strings.TrimRight(text, "\n") + "\n" + fence + "\n"
}

// isAsCode recognises what asCode made, so that it is not wrapped again.
func isAsCode(text string) bool {
	fence, rest, ok := strings.Cut(text, "text\n")
	body, closed := strings.CutSuffix(rest, "\n"+fence+"\n")
	return ok && closed && fence == fenceFor(body) && !strings.HasSuffix(body, "\n")
}

// fenceFor returns a fence that no run of back-ticks in text can close.
func fenceFor(text string) string {
	longest, run := 2, 0
	for i := range len(text) {
		if text[i] != '`' {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	return strings.Repeat("`", longest+1)
}

// cutLine returns a prefix of at most limit bytes, at the end of a line when one is near.
func cutLine(text string, limit int) string {
	cut := cutRune(text, limit)
	if i := strings.LastIndexByte(cut, '\n'); i > len(cut)*3/4 {
		return cut[:i+1]
	}
	return cut
}

// cutNotice says what a reader does not see and where it is.
func cutNotice(shown, whole int, where string) string {
	return fmt.Sprintf("*Cut here: the first %s of %s are shown. %s*", bytesOf(shown), bytesOf(whole), where)
}

// Limits on shape. The parser takes a time that grows with the square of what opens and never closes in one paragraph, and
// with the square of depth, and it fills each row of a table up to the columns of its head; within these limits the worst
// text takes no longer than a long ordinary one.
const (
	maxDepth      = 24
	maxMargin     = 400
	maxDelimiters = 12_000
	maxCells      = 100_000
)

// TooDear reports whether text has a shape that no person writes and that a parser of Markdown would spend far more on than
// its length says: nesting, runs of delimiters, wide and long tables. Whoever reads a stranger's text asks first.
func TooDear(text string) bool {
	delimiters, columns, rows := 0, 0, 0
	for line := range strings.Lines(text) {
		if tooDeep(line) {
			return true
		}
		if strings.TrimSpace(line) == "" {
			delimiters, columns, rows = 0, 0, 0
		}
		if head := strings.Count(line, "|"); head > columns && strings.Trim(line, "|-: \t\r\n>+*.)0123456789") == "" {
			columns = head + 1
		}
		rows++
		delimiters += countDelimiters(line)
		if delimiters > maxDelimiters || rows*columns > maxCells {
			return true
		}
	}
	return false
}

func countDelimiters(line string) (n int) {
	for i := range len(line) {
		switch line[i] {
		case '[', ']', '<', '`', '_', '~', '!', '&', '*':
			n++
		}
	}
	return n
}

// tooDeep counts the container marks at the start of a line and the white space among them.
func tooDeep(line string) bool {
	depth, i := 0, 0
	for ; i < len(line); i++ {
		c, next := line[i], byte(' ')
		if i+1 < len(line) {
			next = line[i+1]
		}
		switch {
		case c == ' ', c == '\t', c == '\n', isDigit(c):
		case c == '>', next <= ' ' && strings.IndexByte("-+*.)", c) >= 0:
			depth++
		default:
			return depth > maxDepth || i > maxMargin
		}
	}
	return depth > maxDepth || i > maxMargin && strings.Trim(line, "0123456789") != "" && line[0] <= ' '
}
