package commands

import (
	"fmt"
	"regexp"
	"strings"
)

// maxNeedles bounds the paragraphs of a quote that are looked for; a longer quote stands for itself.
const maxNeedles = 20

// paragraph is a run of lines of a document. A fence is one paragraph whatever blank lines it holds.
type paragraph struct {
	text        string
	first, last int // lines, from 1
}

// finding is where a quote stands in a document.
type finding struct {
	spans []paragraph // none: nowhere; several: ambiguous
	loose bool        // only when marks of Markdown are overlooked
	said  *Said       // the comment that holds it, when the document does not; nil for none
}

// locate finds the paragraphs that a quote is about: the shortest runs of paragraphs that hold all of it, word for word,
// or else without regard to Markdown, since a quote is copied from the page and not from the source. All of the shortest
// runs are returned: taking the first would edit the wrong one in silence.
func locate(document, quote string) finding {
	all, needles := paragraphs(document), paragraphs(quote)
	if len(needles) == 0 || len(needles) > maxNeedles {
		return finding{}
	}
	same := func(s string) string { return s }
	if spans := search(all, needles, same); len(spans) > 0 {
		return finding{spans: spans}
	}
	return finding{spans: search(all, needles, plain), loose: true}
}

func search(all, needles []paragraph, form func(string) string) []paragraph {
	hay, want := make([]string, len(all)), make([]string, len(needles))
	for i, p := range all {
		hay[i] = form(p.text)
	}
	for i, n := range needles {
		if want[i] = form(n.text); want[i] == "" {
			return nil // it would be found everywhere
		}
	}
	for size := 1; size <= len(needles)+1 && size <= len(all); size++ {
		var spans []paragraph
		for i := 0; i+size <= len(all); i++ {
			if holds(hay[i:i+size], want) {
				spans = append(spans, joined(all[i:i+size]))
			}
		}
		if len(spans) > 0 {
			return spans
		}
	}
	return nil
}

// holds reports whether each needle stands in one of the paragraphs. Needles are paragraphs themselves, so none can
// reach across two.
func holds(hay, needles []string) bool {
	for _, n := range needles {
		found := false
		for _, h := range hay {
			found = found || strings.Contains(h, n)
		}
		if !found {
			return false
		}
	}
	return true
}

func joined(ps []paragraph) paragraph {
	texts := make([]string, len(ps))
	for i, p := range ps {
		texts[i] = p.text
	}
	return paragraph{strings.Join(texts, "\n\n"), ps[0].first, ps[len(ps)-1].last}
}

var fenceMark = regexp.MustCompile("^ {0,3}(`{3,}|~{3,})")

func paragraphs(text string) []paragraph {
	var all []paragraph
	fence := ""
	open := false
	for i, l := range strings.Split(normalise(text), "\n") {
		mark := ""
		if m := fenceMark.FindStringSubmatch(l); m != nil {
			mark = m[1]
		}
		blank := strings.TrimSpace(l) == "" && fence == ""
		switch {
		case fence == "" && mark != "":
			fence = mark
		case fence != "" && mark != "" && mark[0] == fence[0] && len(mark) >= len(fence) && strings.Trim(l, " "+fence[:1]) == "":
			fence = ""
		}
		switch {
		case blank:
			open = false
		case open:
			p := &all[len(all)-1]
			p.text, p.last = p.text+"\n"+l, i+1
		default:
			all = append(all, paragraph{l, i + 1, i + 1})
			open = true
		}
	}
	for i := range all {
		all[i].text = strings.TrimSpace(all[i].text)
	}
	return all
}

var (
	escaped    = regexp.MustCompile(`\\([!-/:-@\[-` + "`" + `{-~])`)
	listMarker = regexp.MustCompile(`(?m)^[ \t]*(?:\d+[.)]|[-+])[ \t]+`)
	markers    = regexp.MustCompile("[`*_#>|]")
	inlineLink = regexp.MustCompile(`\[([^\[\]]*)\]\([^()]*\)`)
)

// plain is text as a reader of the page copies it: without marks, case, the breaks of lines and what nobody sees.
func plain(text string) string {
	text = escaped.ReplaceAllString(strings.ToLower(withoutInvisible(text)), "$1")
	text = listMarker.ReplaceAllString(text, "")
	text = inlineLink.ReplaceAllString(text, "$1")
	text = markers.ReplaceAllString(text, "")
	return strings.Join(strings.Fields(text), " ")
}

// words says where a quote stands, for the prompt and for a reader.
func (f finding) words() string {
	switch len(f.spans) {
	case 0:
		if f.said != nil {
			return "not from the document but from a comment by " + f.said.by() + "; it is given as data above"
		}
		return "not found in the document, so it stands for itself"
	case 1:
		return "found in the document at " + f.spans[0].lines()
	}
	var at []string
	for i, s := range f.spans {
		if i == 5 {
			at = append(at, fmt.Sprintf("and %d more", len(f.spans)-i))
			break
		}
		at = append(at, s.lines())
	}
	return fmt.Sprintf("ambiguous, found in the document at %d places: %s", len(f.spans), strings.Join(at, ", "))
}

func (p paragraph) lines() string {
	if p.first == p.last {
		return fmt.Sprintf("line %d", p.first)
	}
	return fmt.Sprintf("lines %d to %d", p.first, p.last)
}
