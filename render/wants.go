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
		what = "request"
	case denials.Access:
		what = "access denied"
	default:
		what = "not available"
	}
	if len(w.Channels()) == 1 && w.Channel == denials.Declared { // a claim: only the agent says that it met a door (F-82)
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

// channels names all ways in which a want became known, so that a fact beside a claim is seen to be one.
func channels(w denials.Want) string {
	var names []string
	for _, c := range w.Channels() {
		names = append(names, channel(c))
	}
	return enumerated(names)
}

// why is the reason that the table has: the agent's words in quotation marks, a rule's as they are, or else what was met.
func why(w denials.Want) string {
	if reason := ruling(w); reason != "" {
		return reason
	}
	if said := claim(w); said != "" {
		return said
	}
	w.Count = 0
	return met(w)
}

// claim is the reason in the words of the agent or of a tool, in quotation marks.
func claim(w denials.Want) string {
	why := inline(strings.ReplaceAll(w.Why, "`", ""), maxWhy)
	if why == "" || w.Channel == denials.Refused {
		return ""
	}
	return "“" + why + "”"
}

// ruling is the policy's reason for a refusal.
func ruling(w denials.Want) string {
	if w.Channel != denials.Refused {
		return ""
	}
	return inline(strings.ReplaceAll(w.Why, "`", ""), maxWhy)
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
		text = paragraphs(text, fmt.Sprintf("And %d more, all in %s.", more, r.report()))
	}
	return text
}

// wantLines are the wants that are shown, each with what a person may do about it.
func (r Result) wantLines() []string {
	wants, _ := r.shown()
	lines := make([]string, len(wants))
	for i, w := range wants {
		lines[i] = fmt.Sprintf("- %s: %s (%s). %s", code(w.Subject, maxSubject), told(w.Want), known(w.Want), r.advice(w.Triage))
	}
	return lines
}

// told is what a want is about: what the agent wants it for, else what was met at the door.
func told(w denials.Want) string {
	said := claim(w)
	if w.Channel != denials.Declared || said == "" {
		return strings.TrimSuffix(met(w)+", "+said, ", ")
	}
	if often := times(w.Count); often != "" {
		said += ", " + often
	}
	return said
}

// known says how a want became known: a claim, a fact with the reason of the rule, a guess.
func known(w denials.Want) string {
	by := channels(w)
	if by == "declared" {
		by += ", the agent’s claim"
	}
	if reason := ruling(w); reason != "" {
		by += ": " + reason
	}
	return by
}
