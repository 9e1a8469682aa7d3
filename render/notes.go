package render

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxPaths is how many paths a sentence or a list of notes names.
const maxPaths = 5

// maxRemarks is how many notes a reader is shown.
const maxRemarks = 10

// landing is what came of the command, in sentences: what it did, what may not be committed, what a person can do.
func (r Result) landing() []string {
	sentences := []string{r.Headline}
	if len(r.Refused) > 0 {
		sentences = append(sentences, "Refused: "+named(r.Refused)+".")
	}
	return append(sentences, r.NextStep)
}

// landing is the result's, with the note on the command that it stands under, unless that says the same, and with the place
// of the text that a thread does not get.
func (c *writer) landing(note string) []string {
	sentences := c.r.landing()
	switch {
	case note == c.r.Headline:
		note = ""
	case c.r.Headline != "":
		note = capital(note)
	}
	sentences = slices.Insert(sentences, 1, note)
	return slices.Insert(sentences, len(sentences)-1, c.elsewhere())
}

// capital begins a sentence.
func capital(text string) string {
	if text == "" {
		return ""
	}
	r, n := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(r)) + text[n:]
}

func named(paths []Path) string {
	var names []string
	for i, p := range paths {
		if i == maxPaths {
			names = append(names, fmt.Sprintf("and %d more", len(paths)-i))
			break
		}
		name := oneLine(p.Reason, maxName)
		if p.Path != "" {
			name = code(p.Path, maxName) + " (" + name + ")"
		}
		names = append(names, name)
	}
	return strings.Join(names, "; ")
}

// remarks are sentences of ours about the run: what the agent may have run unasked, what stayed behind, and the caller's.
func (r Result) remarks() []string {
	var all []string
	for i, path := range r.Ambient {
		if i == maxPaths {
			break
		}
		as := "as the agent user"
		if !r.Run.Isolated {
			as = "as the same user as ai-flow"
		}
		all = append(all, "This tree holds "+code(path, maxName)+", which the agent may run without asking; it runs "+as+".")
	}
	for i, p := range r.Left {
		if i == maxPaths {
			all = append(all, "And "+plural(len(r.Left)-i, "further path")+" left behind.")
			break
		}
		all = append(all, "Left behind: "+code(p.Path, maxName)+", "+oneLine(p.Reason, maxName)+".")
	}
	return append(all, r.Notes...)
}

// words say what the agent was given, "" for nothing.
func (h HandOver) words() string {
	if h == (HandOver{}) {
		return ""
	}
	return fmt.Sprintf("%s, %s of history, %s, in %s", plural(h.Files, "file"), plural(h.Commits, "commit"), bytesOf(int(h.Bytes)), took(h.Took))
}
