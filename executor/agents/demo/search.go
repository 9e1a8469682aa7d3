package demo

import (
	"context"
	"fmt"
	"os"
	"slices"
	"sort"
	"strings"
	"unicode"
)

// hit is a line in which words of the question stand.
type hit struct {
	file string
	line int
	text string
	in   int // how many of the words
}

const stopWords = ` the and for how what where who why when which are was were does did this that these those with from into about
 can could should would will has have had not you your our its there here use used using get any all some more most than then them they
 please tell explain show describe question repository repo code file files project `

// keywords are the words of a question that may name something, at most eight, in their order.
func keywords(question string) (words []string) {
	for _, w := range strings.FieldsFunc(strings.ToLower(question), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' && r != '-' && r != '.'
	}) {
		w = strings.Trim(w, "-_.")
		if len(w) >= 3 && !strings.Contains(stopWords, " "+w+" ") && !slices.Contains(words, w) && len(words) < 8 {
			words = append(words, w)
		}
	}
	return words
}

const maxHits = 6

// search finds the lines with the most words of the question. Of lines alike the first wins, one for a file.
func (t *tree) search(ctx context.Context, words []string) (hits []hit) {
	if len(words) == 0 {
		return nil
	}
	budget := maxTotal
	for _, f := range t.files {
		text := t.read(f)
		if budget -= len(text); budget < 0 || ctx.Err() != nil {
			break
		}
		if best := bestLine(text, words); best.in > 0 {
			best.file = f
			hits = append(hits, best)
		}
	}
	sort.SliceStable(hits, func(i, j int) bool { return hits[i].in > hits[j].in })
	return hits[:min(maxHits, len(hits))]
}

func bestLine(text string, words []string) (best hit) {
	n := 0
	for line := range strings.Lines(text) {
		n++
		lower := strings.ToLower(line)
		in := 0
		for _, w := range words {
			if strings.Contains(lower, w) {
				in++
			}
		}
		if in > best.in {
			best = hit{line: n, text: strings.TrimSpace(line), in: in}
		}
	}
	return best
}

func found(words []string, hits []hit) string {
	if len(words) == 0 {
		return "- There is no word in the question that could be looked up.\n"
	}
	about := code(strings.Join(words, " "))
	if len(hits) == 0 {
		return "- **Looked up:** " + about + " stands in no file here.\n"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "- **Looked up:** %s. The nearest lines:\n", about)
	for _, h := range hits {
		fmt.Fprintf(&b, "  - `%s:%d` %s\n", strings.ReplaceAll(h.file, "`", "'"), h.line, code(h.text))
	}
	return b.String()
}

// inDocument looks the words up in the document too, which lies outside of the checkout.
func (w *worker) inDocument(name string, words []string) string {
	text, err := os.ReadFile(w.absolute(name))
	if err != nil || len(text) > maxText {
		return ""
	}
	h := bestLine(string(text), words)
	if h.in == 0 {
		return fmt.Sprintf("- **The document** (%s) says nothing of it.\n", counted(strings.Count(string(text), "\n"), "line"))
	}
	return fmt.Sprintf("- **The document** says, in line %d: %s\n", h.line, code(h.text))
}

// code shows somebody's text as code, on one line and not too long.
func code(s string) string {
	const most = 120
	s = strings.Join(strings.FieldsFunc(strings.ReplaceAll(s, "`", "'"), unicode.IsSpace), " ")
	if r := []rune(s); len(r) > most {
		s = string(r[:most]) + "…"
	}
	if s == "" {
		return "(an empty line)"
	}
	return "`" + s + "`"
}
