package render

import (
	"fmt"
	"strings"
)

// bottom is what belongs to the whole comment: notes, wants, footer. Of what has no room in limit bytes, notes go first, then
// wants, which are counted all the same, then the parts of the footer that the run's page has too. Agent prose holds no
// rule, so what stands below the one rule is ours. "" when the one line of a result says it all.
func (c *writer) bottom(limit int, tight bool) string {
	off, remarks, lines := c.boundaryOff(), c.remarkLines(), c.r.wantLines()
	if refused := c.r.Outcome == Refused || c.r.Outcome == Nothing; refused && c.r.Run.Agent == "" && off == "" && len(remarks)+len(lines) == 0 {
		return "" // no agent ran
	}
	footer := c.footer()
	fits := func(parts ...string) (string, bool) {
		text := paragraphs(parts...)
		return text, quoted(text) <= limit
	}
	for n := len(remarks); n >= 0 && !tight; n-- {
		if text, ok := fits(off, furtherNotes(remarks, n), c.r.wantsBlock(lines, len(lines)), footer); ok {
			return text
		}
	}
	for n := len(lines) - 1; n >= 0 && !tight; n-- {
		if text, ok := fits(off, furtherNotes(remarks, 0), c.r.wantsBlock(lines, n), footer); ok {
			return text
		}
	}
	if text, ok := fits(footer); ok {
		return text
	}
	return c.shortFooter()
}

// boundaryOff says that there was no boundary (S10).
func (c *writer) boundaryOff() string {
	if c.r.Run.Agent == "" || c.r.Run.Isolated {
		return ""
	}
	return "⚠️ **Boundary off**: the agent ran as the same user as ai-flow and could do whatever that user can."
}

// remarkLines are our remarks on the run.
func (c *writer) remarkLines() []string {
	var lines []string
	remarks := c.r.remarks()
	for i, n := range remarks {
		if i == maxRemarks {
			lines = append(lines, fmt.Sprintf("And %s.", plural(len(remarks)-i, "further note")))
			break
		}
		lines = append(lines, "ℹ️ "+c.hosts.ours(n))
	}
	return lines
}

// furtherNotes are the first n notes, and that there are more.
func furtherNotes(notes []string, n int) string {
	text := strings.Join(notes[:n], "\n\n")
	if n < len(notes) {
		text = paragraphs(text, "And more notes, on the run's page.")
	}
	return text
}
