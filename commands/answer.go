package commands

import (
	"fmt"
	"strings"
)

// answers is an agent's text, taken apart by the delimiters that the prompt demanded. All of it is foreign.
type answers struct {
	texts   []string // by segment, "" where there is none
	given   []bool   // whether the delimiter of the segment was there
	threads []string // by review thread that was taken up, in the order of Feedback; "" where nothing was said of it
	notes   []string // what was odd about it, in our words
}

// answer is one that the prompt demands: where it goes, and what it is called.
type answer struct {
	to    *string
	given *bool
	what  string
	twice bool
}

// readAnswers takes text apart. Only a whole line is a delimiter, and only one with this run's nonce (F-26). A number that
// nobody asked for ends the answer before it and starts none. Of several answers to one segment or thread the last is taken,
// because agents that go over their work again say the final word last; it is noted. A lone segment needs no delimiter: then
// all of the text that is under none is its answer.
func readAnswers(text, nonce string, segments int, feedback []Feedback) answers {
	a := answers{texts: make([]string, segments), given: make([]bool, segments)}
	demanded := a.demand(nonce, feedback)
	var block, rest strings.Builder // of the answer that we are in; and what is in none
	var current *answer
	keep := func() {
		if current != nil {
			*current.to = strings.TrimSpace(block.String())
		}
		block.Reset()
	}
	for line := range strings.Lines(text) {
		word := strings.TrimSpace(line)
		next, ours := demanded[word]
		switch {
		case ours || isDelimiter(word, nonce):
			keep()
			if current = next; ours {
				a.begin(current)
			}
		case current == nil:
			rest.WriteString(line)
		default:
			block.WriteString(line)
		}
	}
	keep()
	a.withoutDelimiters(strings.TrimSpace(rest.String()))
	return a
}

// demand makes room for the answers that a prompt demands, by their delimiters.
func (a *answers) demand(nonce string, feedback []Feedback) map[string]*answer {
	demanded := map[string]*answer{}
	for i := range a.texts {
		demanded[delimiter(i+1, nonce)] = &answer{to: &a.texts[i], given: &a.given[i], what: fmt.Sprintf("segment %d", i+1)}
	}
	numbers := threadNumbers(feedback)
	a.threads = make([]string, len(numbers))
	for i, k := range numbers {
		demanded[threadDelimiter(k, nonce)] = &answer{to: &a.threads[i], given: new(bool), what: fmt.Sprintf("feedback %d", k)}
	}
	return demanded
}

func (a *answers) begin(one *answer) {
	if *one.given && !one.twice {
		one.twice = true
		a.notes = append(a.notes, fmt.Sprintf("The agent answered %s more than once; the last answer is shown.", one.what))
	}
	*one.given = true
}

// threadNumbers are the numbers, from 1, of the feedback that stands in review threads.
func threadNumbers(feedback []Feedback) (numbers []int) {
	for i, f := range feedback {
		if f.Thread != 0 {
			numbers = append(numbers, i+1)
		}
	}
	return numbers
}

// The delimiters are the lines that introduce an answer: to a segment, to the review thread of a piece of feedback.
const (
	segmentMark = "<<<AI-FLOW:SEGMENT "
	threadMark  = "<<<AI-FLOW:THREAD "
)

func delimiter(k int, nonce string) string { return fmt.Sprintf("%s%d %s>>>", segmentMark, k, nonce) }

func threadDelimiter(k int, nonce string) string {
	return fmt.Sprintf("%s%d %s>>>", threadMark, k, nonce)
}

// isDelimiter reports whether a line has the shape of a delimiter of this run, whatever its number.
func isDelimiter(word, nonce string) bool {
	return (strings.HasPrefix(word, segmentMark) || strings.HasPrefix(word, threadMark)) && strings.HasSuffix(word, " "+nonce+">>>")
}

// withoutDelimiters saves an answer whose agent put no delimiter of a segment: with one segment it is clear what the rest of
// the text answers; with several a reader can tell, so it is shown under the first and said.
func (a *answers) withoutDelimiters(rest string) {
	for _, given := range a.given {
		if given {
			return
		}
	}
	if rest == "" || len(a.texts) == 0 {
		return
	}
	a.texts[0], a.given[0] = rest, true
	if len(a.texts) > 1 {
		a.notes = append(a.notes, "The agent did not keep its answers apart; all of them stand under the first command.")
	}
}

// revise takes over what a later round said of review threads: what it did not go into stands.
func (a *answers) revise(later answers) {
	for i, text := range later.threads {
		if text != "" && i < len(a.threads) {
			a.threads[i] = text
		}
	}
}
