package render

import (
	"fmt"
	"strings"

	"github.com/d3mlabs/ai-flow/denials"
)

// maxWants is how many wants a reader is shown; the rest is a count (A3-13).
const maxWants = 10

// met says what happened at the door, in words.
func met(w denials.Want) string {
	var what string
	switch w.Kind {
	case denials.MissingTool:
		what = "missing tool"
	case denials.Action:
		what = "request refused"
	case denials.Access:
		what = "access denied"
	default:
		what = "not available"
	}
	if w.Channel == denials.Declared { // a claim: only the agent says that it met a door (F-82)
		what = "wanted"
	}
	if often := times(w.Count); often != "" {
		what += ", " + often
	}
	if w.Source != "" && w.Source != "agent" {
		what += ", in gate " + code(w.Source, maxName)
	}
	return what
}

func channel(c denials.Channel) string {
	switch c {
	case denials.Declared:
		return "declared"
	case denials.Refused:
		return "refused"
	case denials.Observed:
		return "observed"
	case denials.Gated:
		return "gate"
	}
	return "unknown"
}

// claim is the reason in the agent's words, in quotation marks.
func claim(w denials.Want) string {
	why := inline(strings.ReplaceAll(w.Why, "`", ""), maxWhy)
	if why == "" {
		return ""
	}
	return "“" + why + "”"
}

// shown are the wants that have room and the number of those that have not.
func (r Result) shown() (wants []Want, more int) {
	more = max(r.MoreWants, 0)
	if len(r.Wants) > maxWants {
		return r.Wants[:maxWants], more + len(r.Wants) - maxWants
	}
	return r.Wants, more
}

// wantsTotal counts the distinct wants, those without room included.
func (r Result) wantsTotal() int { return len(r.Wants) + max(r.MoreWants, 0) }

func wantsHead(total int) string {
	return fmt.Sprintf("**%s.** Nothing was granted; a person decides.", plural(total, "boundary want"))
}

// wantsBlock is the list at the bottom of a result, its first n lines; "" without wants.
func (r Result) wantsBlock(lines []string, n int) string {
	if len(lines) == 0 {
		return ""
	}
	text := paragraphs(wantsHead(r.wantsTotal()), strings.Join(lines[:n], "\n"))
	if more := r.wantsTotal() - n; more > 0 {
		text = paragraphs(text, fmt.Sprintf("And %d more, all in `report.json`.", more))
	}
	return text
}

// wantLines are the wants that are shown, each with what a person may do about it.
func (r Result) wantLines() []string {
	wants, _ := r.shown()
	lines := make([]string, len(wants))
	for i, w := range wants {
		said := claim(w.Want)
		if w.Channel != denials.Declared || said == "" {
			said = strings.TrimSuffix(met(w.Want)+", "+said, ", ")
		}
		by := channel(w.Channel)
		if w.Channel == denials.Declared {
			by += ", the agent’s claim"
		}
		lines[i] = fmt.Sprintf("- %s: %s (%s). %s", code(w.Subject, maxSubject), said, by, r.Places.advice(w.Triage))
	}
	return lines
}
