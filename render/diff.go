package render

import (
	"fmt"
	"html"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/aymanbagabas/go-udiff"
)

// maxDiffInput bounds each side of a diff, in bytes; comparing costs more than linear time.
const maxDiffInput = 256 << 10

// wrapColumn is where lines of a word diff are broken: a preformatted block does not wrap by itself.
const wrapColumn = 100

// changes lists the changed paths, folded.
func (c *writer) changes(limit int) string {
	if len(c.r.Changes) == 0 {
		return ""
	}
	var b strings.Builder
	for i, f := range c.r.Changes {
		line := fmt.Sprintf("- %s %s+%d −%d\n", code(f.Path, maxSubject), status(f.Status), f.Added, f.Removed)
		if b.Len()+len(line) > limit-200 {
			fmt.Fprintf(&b, "\nAnd %d more. %s\n", len(c.r.Changes)-i, c.where)
			break
		}
		b.WriteString(line)
	}
	return details(plural(len(c.r.Changes), "changed file"), b.String())
}

func status(s byte) string {
	switch s {
	case 'A':
		return "new, "
	case 'D':
		return "deleted, "
	case 'R':
		return "renamed, "
	case 'T':
		return "type changed, "
	}
	return ""
}

// diffs are the two diffs of a document, compared once; what has no room is said to be elsewhere.
type diffs struct {
	where  string
	source string
	words  []string // lines with changes, as HTML
}

func (c *writer) diffs() diffs {
	d := diffs{where: c.where}
	if c.r.Diffs == nil {
		return d
	}
	before, after := visible(c.r.Diffs.Before), visible(c.r.Diffs.After)
	if before == after {
		return d
	}
	if len(before) > maxDiffInput || len(after) > maxDiffInput {
		d.source = fmt.Sprintf("(The documents are too large to compare here: %s and %s.)\n", bytesOf(len(before)), bytesOf(len(after)))
		return d
	}
	d.source = udiff.Unified("before", "after", before, after)
	d.words = changedLines(compareWords(before, after))
	return d
}

// sourceDiff is the unified diff, folded, in a fence that nothing inside can close (F-20).
func (d diffs) sourceDiff(limit int) string {
	if d.source == "" {
		return ""
	}
	diff, notice := d.source, ""
	fence := fenceFor(diff)
	if room := limit - 2*len(fence) - len(d.where) - 200; len(diff) > room {
		if room < 400 {
			return "*The source diff has no room here. " + d.where + "*\n"
		}
		short := cutLine(diff, room)
		notice = "\n" + cutNotice(len(short), len(diff), d.where) + "\n"
		diff = short
	}
	return details("Source diff", fence+"diff\n"+strings.TrimRight(diff, "\n")+"\n"+fence+"\n"+notice)
}

// wordDiff shows what changed within the lines, folded. It is HTML of three elements around escaped text in a preformatted
// block: in it nothing is Markdown, nobody is mentioned, and braces or signs in the document mean nothing (F-28).
func (d diffs) wordDiff(limit int) string {
	if len(d.words) == 0 {
		return ""
	}
	room := limit - len(d.where) - 250
	var b strings.Builder
	for i, line := range d.words {
		if b.Len()+len(line) <= room {
			b.WriteString(line)
			continue
		}
		if i == 0 {
			return "*The word diff has no room here. " + d.where + "*\n"
		}
		notice := fmt.Sprintf("\n*Cut here: %d of %d lines with changes are shown. %s*\n", i, len(d.words), d.where)
		return details("Word diff", "<pre>\n"+b.String()+"</pre>\n"+notice)
	}
	return details("Word diff", "<pre>\n"+b.String()+"</pre>\n")
}

// piece is a run of words with one fate.
type piece struct {
	op   byte // ' ', '-', '+'
	text string
}

// compareWords compares word by word. Each word stands on a line of its own for the line diff, whose cost is bounded.
func compareWords(before, after string) []piece {
	a, b := words(before), words(after)
	edits := udiff.Lines(strings.Join(a, "\n")+"\n", strings.Join(b, "\n")+"\n")
	source := strings.Join(a, "\n") + "\n"
	var pieces []piece
	at := 0
	for _, e := range edits {
		pieces = appendPiece(pieces, ' ', source[at:e.Start])
		pieces = appendPiece(pieces, '-', source[e.Start:e.End])
		pieces = appendPiece(pieces, '+', e.New)
		at = e.End
	}
	return appendPiece(pieces, ' ', source[at:])
}

// newlineWord stands for a newline where each word has its own line; visible text has no such character.
const newlineWord = "\x01"

func appendPiece(pieces []piece, op byte, lines string) []piece {
	text := strings.ReplaceAll(strings.ReplaceAll(lines, "\n", ""), newlineWord, "\n")
	if text == "" {
		return pieces
	}
	return append(pieces, piece{op, text})
}

// words splits text into words, runs of spaces, newlines and single signs.
func words(text string) []string {
	var out []string
	for len(text) > 0 {
		r, n := utf8.DecodeRuneInString(text)
		switch {
		case r == '\n':
			out, text = append(out, newlineWord), text[n:]
			continue
		case class(r) != 0:
			for n < len(text) {
				next, size := utf8.DecodeRuneInString(text[n:])
				if class(next) != class(r) {
					break
				}
				n += size
			}
		}
		n += joined(text[n:])
		out, text = append(out, text[:n]), text[n:]
	}
	return out
}

// joined measures the marks that belong to the sign before them, and what a joiner joins to it.
func joined(text string) int {
	n := 0
	for n < len(text) {
		r, size := utf8.DecodeRuneInString(text[n:])
		if r != 0x200D && !unicode.Is(unicode.M, r) {
			break
		}
		n += size
		if r == 0x200D {
			_, size = utf8.DecodeRuneInString(text[n:])
			n += size
		}
	}
	return n
}

func class(r rune) int {
	switch {
	case r == '\n':
		return 0
	case unicode.IsLetter(r), unicode.IsDigit(r), r == '_':
		return 1
	case unicode.IsSpace(r):
		return 2
	}
	return 0
}

// changedLines writes the lines that hold a change, wrapped; what lies between them becomes one sign.
func changedLines(pieces []piece) []string {
	var lines []string
	var line strings.Builder
	column, changed, skipped := 0, false, false
	flush := func() {
		switch {
		case changed:
			if skipped && len(lines) > 0 {
				lines = append(lines, "⋯\n")
			}
			lines = append(lines, line.String()+"\n")
			skipped = false
		default:
			skipped = true
		}
		line.Reset()
		column, changed = 0, false
	}
	for _, p := range pieces {
		for i, text := range strings.Split(p.text, "\n") {
			if i > 0 {
				if p.op != ' ' {
					line.WriteString(element(p.op, "¶"))
					changed = true
				}
				flush()
			}
			if text == "" {
				continue
			}
			changed = changed || p.op != ' '
			line.WriteString(element(p.op, wrapWords(text, &column)))
		}
	}
	flush()
	return lines
}

func element(op byte, text string) string {
	text = html.EscapeString(text)
	switch op {
	case '-':
		return "<del>" + text + "</del>"
	case '+':
		return "<ins>" + text + "</ins>"
	}
	return text
}

// wrapWords breaks text at spaces so that no line of the block grows much longer than wrapColumn.
func wrapWords(text string, column *int) string {
	var b strings.Builder
	for _, word := range words(text) {
		n := utf8.RuneCountInString(word)
		if *column > 0 && *column+n > wrapColumn {
			b.WriteString("\n  ")
			*column = 2
			word = strings.TrimLeft(word, " ")
		}
		b.WriteString(word)
		*column += n
	}
	return b.String()
}
