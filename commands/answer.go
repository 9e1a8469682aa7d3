package commands

import (
	"fmt"
	"strings"
)

// answers is an agent's text, taken apart by the delimiters that the prompt demanded. All of it is foreign.
type answers struct {
	texts   []string // by segment, "" where there is none
	given   []bool   // whether the delimiter of the segment was there
	threads []string
	notes   []string // what was odd about it, in our words
}

// readAnswers takes text apart. Only a whole line is a delimiter, and only one with this run's nonce (F-26). A number that
// nobody asked for ends the answer before it and starts none. Of several answers to one segment the last is taken, because
// agents that go over their work again say the final word last; it is noted. A lone segment needs no delimiter: then all
// of the text is its answer.
func readAnswers(text, nonce string, segments int) answers {
	a := answers{texts: make([]string, segments), given: make([]bool, segments)}
	known := make(map[string]int, segments)
	for k := 1; k <= segments; k++ {
		known[delimiter(k, nonce)] = k
	}
	var block strings.Builder
	current, twice := 0, map[int]bool{}
	keep := func() {
		if current > 0 {
			a.texts[current-1] = strings.TrimSpace(block.String())
		}
		block.Reset()
	}
	for line := range strings.Lines(text) {
		word := strings.TrimSpace(line)
		k, ours := known[word]
		if !ours && !isDelimiter(word, nonce) {
			block.WriteString(line)
			continue
		}
		keep()
		if current = k; k == 0 {
			continue
		}
		if a.given[k-1] && !twice[k] {
			twice[k] = true
			a.notes = append(a.notes, fmt.Sprintf("The agent answered segment %d more than once; the last answer is shown.", k))
		}
		a.given[k-1] = true
	}
	keep()
	a.withoutDelimiters(text)
	return a
}

// isDelimiter reports whether a line has the shape of a delimiter of this run, whatever its number.
func isDelimiter(word, nonce string) bool {
	return strings.HasPrefix(word, "<<<AI-FLOW:SEGMENT ") && strings.HasSuffix(word, " "+nonce+">>>")
}

// withoutDelimiters saves an answer whose agent put no delimiter: with one segment it is clear what it answers; with
// several a reader can tell, so it is shown under the first and said.
func (a *answers) withoutDelimiters(text string) {
	for _, given := range a.given {
		if given {
			return
		}
	}
	text = strings.TrimSpace(text)
	if text == "" || len(a.texts) == 0 {
		return
	}
	a.texts[0], a.given[0] = text, true
	if len(a.texts) > 1 {
		a.notes = append(a.notes, "The agent did not keep its answers apart; all of them stand under the first command.")
	}
}
