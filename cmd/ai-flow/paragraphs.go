package main

import (
	"strings"
	"unicode/utf8"
)

// minWidth is how narrow a report gets, in characters.
const minWidth = 60

// paragraphs are lines of a report, whose text goes on under where it began.
type paragraphs struct {
	strings.Builder
	width int
}

// paragraph writes text behind what begins its first line. A word that is longer than a line stays whole: it is a path or a
// command that somebody copies.
func (t *paragraphs) paragraph(begin, text string) {
	t.hanging(begin, utf8.RuneCountInString(begin), text)
}

// hanging is a paragraph whose further lines begin somewhere else than the text of its first.
func (t *paragraphs) hanging(begin string, indent int, text string) {
	line, column, first := begin, utf8.RuneCountInString(begin), true
	for _, word := range strings.Fields(text) {
		n := utf8.RuneCountInString(word)
		if !first && column+1+n > t.width {
			t.WriteString(strings.TrimRight(line, " ") + "\n")
			line, column, first = strings.Repeat(" ", indent), indent, true
		}
		if !first {
			line, column = line+" ", column+1
		}
		line, column, first = line+word, column+n, false
	}
	t.WriteString(strings.TrimRight(line, " ") + "\n")
}

// pad fills text up to so many characters.
func pad(text string, width int) string {
	return text + strings.Repeat(" ", max(0, width-utf8.RuneCountInString(text)))
}
