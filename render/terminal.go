package render

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/d3mlabs/ai-flow/denials"
)

// Terminal makes foreign text safe for a terminal: no escape sequences, no control characters but newline and tab, nothing
// invisible, every line end a newline, invalid bytes shown as the replacement character.
func Terminal(text string) string {
	return visible(strings.ToValidUTF8(text, "\uFFFD"))
}

// maxTerminal bounds the answer in a terminal, in bytes.
const maxTerminal = 128 << 10

// Text is the result for a terminal of the given width in columns (40 at least): outcome, answer, gates, changes, wants with the
// narrowest fix, how it ran. Color adds ANSI colours, which are the only control sequences in it.
func Text(r Result, width int, color bool) string {
	t := &terminal{writer: newWriter(r), width: max(width, 40), color: color}
	t.head()
	t.answers()
	t.gates()
	t.changes()
	t.document()
	t.wants()
	t.foot()
	return t.b.String()
}

type terminal struct {
	*writer
	b     strings.Builder
	width int
	color bool
}

// Colours of the terminal, as parameters of the select-graphic-rendition sequence.
const (
	bold   = "1"
	faint  = "2"
	green  = "32"
	yellow = "33"
	cyan   = "36"
)

func (t *terminal) paint(style, text string) string {
	if !t.color || text == "" || style == "" {
		return text
	}
	return "\x1b[" + style + "m" + text + "\x1b[0m"
}

func (t *terminal) line(text string) { t.b.WriteString(text + "\n") }

func (t *terminal) head() {
	style := green
	switch t.r.Outcome {
	case Done:
	case Refused, Nothing:
		style = cyan
	default:
		style = yellow
	}
	head := t.icon() + " " + outcomeWords(t.r.Outcome)
	if command := t.r.Command; command != "" {
		head += ": " + oneLine(command, maxName)
	}
	t.line(t.paint(style+";"+bold, head))
	t.landings()
	for _, text := range t.r.landing() {
		if text = plainOurs(text); text != "" {
			t.line(wrap(text, t.width, "  ", "  "))
		}
	}
	if t.r.Run.Agent != "" && !t.r.Run.Isolated {
		t.line(t.paint(yellow, wrap("Boundary off: the agent ran as the same user as ai-flow.", t.width, "  ", "  ")))
	}
	for _, n := range t.r.remarks() {
		t.line(wrap(plainOurs(n), t.width, "  · ", "    "))
	}
}

// plainOurs takes the Markdown marks off a sentence of ours: bold outside code, and the back-ticks.
func plainOurs(text string) string {
	parts := strings.Split(oneLine(text, maxOurs), "`")
	for i := 0; i < len(parts); i += 2 {
		parts[i] = strings.ReplaceAll(parts[i], "**", "")
	}
	return strings.Join(parts, "")
}

func (t *terminal) answers() {
	owner := owner(t.segments())
	for i, s := range t.r.Segments {
		text := strings.Trim(Terminal(cutRune(s.Text, maxTerminal)), "\n ")
		note := plainOurs(s.below(i == owner && t.r.Headline != ""))
		if text == "" && note == "" {
			continue
		}
		t.line("")
		if len(t.r.Segments) > 1 {
			t.line(t.paint(bold, oneLine(s.Command+" "+s.Instruction, t.width)))
		}
		if note != "" {
			t.line(wrap(note, t.width, "", ""))
		}
		if text != "" {
			t.line(t.flow(text))
		}
		if len(s.Text) > maxTerminal {
			t.line(t.paint(faint, fmt.Sprintf("(cut here: %s of %s)", bytesOf(maxTerminal), bytesOf(len(s.Text)))))
		}
	}
}

// below is what a terminal says of a segment on a line of its own; told means that the headline says what came of it.
func (s Segment) below(told bool) string {
	if s.Note == "" || told {
		return s.Remark
	}
	return strings.TrimSpace("It " + s.Note + " " + s.Remark)
}

// flow wraps prose and leaves code blocks and tables as they are.
func (t *terminal) flow(text string) string {
	var out []string
	fenced := false
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		bare := strings.TrimLeft(line, " \t")
		switch {
		case strings.HasPrefix(bare, "```"), strings.HasPrefix(bare, "~~~"):
			fenced = !fenced
			out = append(out, t.paint(faint, line))
		case fenced, strings.HasPrefix(bare, "|"):
			out = append(out, line)
		case strings.HasPrefix(bare, "#"):
			out = append(out, t.paint(bold, line))
		default:
			indent := line[:len(line)-len(bare)]
			out = append(out, wrap(bare, t.width, indent, indent+hanging(bare)))
		}
	}
	return strings.Join(out, "\n")
}

// hanging is the indent of the further lines of a list item.
func hanging(line string) string {
	n := 0
	for n < len(line) && isDigit(line[n]) {
		n++
	}
	if n > 0 && n < len(line) && (line[n] == '.' || line[n] == ')') || n == 0 && line != "" && strings.IndexByte("-*+>", line[0]) >= 0 {
		n++
	} else {
		n = 0
	}
	if n == 0 || n >= len(line) || line[n] != ' ' {
		return ""
	}
	return strings.Repeat(" ", n+1)
}

func (t *terminal) changes() {
	for i, f := range t.r.Changes {
		if i == 0 {
			t.line("")
		}
		if i == 50 {
			t.line(fmt.Sprintf("  … and %d more", len(t.r.Changes)-i))
			break
		}
		t.line(fmt.Sprintf("  %s  %s %s", oneLine(f.Path, maxSubject), t.paint(green, fmt.Sprintf("+%d", f.Added)), t.paint(yellow, fmt.Sprintf("−%d", f.Removed))))
	}
}

// maxDocument is how many lines of a document's diff a terminal shows.
const maxDocument = 40

// document shows what became of a document; its two diffs for a page say more.
func (t *terminal) document() {
	lines := strings.Split(strings.TrimRight(t.diffs().source, "\n"), "\n")
	for i, line := range lines {
		switch {
		case line == "" && i == 0:
			return
		case i == 0:
			t.line("")
		}
		if i == maxDocument {
			t.line(t.paint(faint, fmt.Sprintf("  … and %d more lines of the difference", len(lines)-i)))
			return
		}
		style := ""
		switch {
		case strings.HasPrefix(line, "--- ") || strings.HasPrefix(line, "+++ "):
			continue
		case strings.HasPrefix(line, "+"):
			style = green
		case strings.HasPrefix(line, "-"):
			style = yellow
		case strings.HasPrefix(line, "@@"):
			style = faint
		}
		for _, part := range strings.Split(wrap(line, t.width, "  ", "    "), "\n") {
			t.line(t.paint(style, part))
		}
	}
}

func (t *terminal) wants() {
	wants, more := t.r.shown()
	if len(wants) == 0 {
		return
	}
	t.line("")
	t.pair("", yellow+";"+bold, "Boundary wants", "nothing was granted; a person decides")
	for _, w := range wants {
		t.pair("  ", bold, oneLine(w.Subject, maxSubject), channels(w.Want)+" · "+plainOurs(met(w.Want)))
		if reason := oneLine(w.Why, maxWhy); reason != "" && w.Channel == denials.Refused {
			t.line(wrap(reason, t.width, "    ", "    "))
		} else if reason != "" {
			t.line(wrap("“"+reason+"”", t.width, "    ", "    "))
		}
		t.line(wrap("→ "+plainOurs(t.r.advice(w.Triage)), t.width, "    ", "      "))
	}
	if more > 0 {
		t.line(fmt.Sprintf("  … and %d more, in report.json", more))
	}
}

// pair writes a name and, faint, a remark beside it, or below it when the line is too narrow.
func (t *terminal) pair(indent, style, name, remark string) {
	name = indent + t.paint(style, name)
	if columns(Terminal(name))+2+columns(remark) > t.width {
		t.line(name)
		t.line(t.paint(faint, wrap(remark, t.width, indent+"  ", indent+"  ")))
		return
	}
	t.line(name + "  " + t.paint(faint, remark))
}

func (t *terminal) foot() {
	if t.r.Run.Agent == "" {
		return
	}
	plain := func(name string) string { return oneLine(name, maxName) }
	facts := t.facts(plain)
	facts[0] = oneLine(strings.Join([]string{t.r.Run.Agent, t.r.Run.AgentVersion, t.r.Run.AgentStatus}, " "), maxName)
	t.line("")
	t.line(t.paint(faint, wrap(strings.Join(facts, " · "), t.width, "", "")))
}

// wrap breaks one line at spaces so that it fits width columns.
func wrap(text string, width int, first, further string) string {
	var b strings.Builder
	b.WriteString(first)
	column := columns(first)
	start := true
	for _, word := range strings.Fields(text) {
		n := columns(word)
		if !start && column+1+n > width {
			b.WriteString("\n" + further)
			column, start = columns(further), true
		}
		if !start {
			b.WriteByte(' ')
			column++
		}
		b.WriteString(word)
		column += n
		start = false
	}
	return b.String()
}

// columns counts the cells that text takes: two for wide East Asian letters and emoji, none for marks.
func columns(text string) int {
	n := 0
	for len(text) > 0 {
		r, size := utf8.DecodeRuneInString(text)
		text = text[size:]
		switch {
		case unicode.Is(unicode.M, r), r == 0x200D:
		case r >= 0x1100 && (unicode.In(r, unicode.Han, unicode.Hangul, unicode.Hiragana, unicode.Katakana) || r >= 0xFF01 && r <= 0xFF60 || r >= 0x1F300 && r <= 0x1FAFF):
			n += 2
		default:
			n++
		}
	}
	return n
}
