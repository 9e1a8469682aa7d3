package render

import (
	"fmt"
	"strings"
)

// maxComment is GitHub's limit for a comment less room for the hidden marker that its writer adds. GitHub counts
// characters; we count bytes, which are never fewer.
const maxComment = 65536 - 512

// maxSegments is how many commands of one comment get a result of their own.
const maxSegments = 20

// Comment is the result as it stands in a comment, at most 65,536 by any way of counting. An acting command's result is
// quoted below the command, with wants and footer below one rule; a lone /ask is a plain reply: answer, rule, wants,
// footer; a refusal or a failure is one quoted line. What does not fit goes in this order: source diff, word diff,
// changed files, the end of long answers. Outcome and wants always stand.
func Comment(r Result) string {
	c := newWriter(r)
	bottom := c.bottom()
	room := maxComment - len(bottom)
	if c.loneAnswer() {
		return c.answer(c.r.Segments[0].Text, maxComment)(room) + "\n" + strings.TrimPrefix(bottom, "\n")
	}
	return c.panels(room) + bottom
}

// writer holds what the parts of one result share.
type writer struct {
	r     Result
	hosts hosts
	where string // where a reader finds what has no room, a sentence
}

func newWriter(r Result) *writer {
	c := &writer{r: r, hosts: hostsFor(r.RunURL), where: "The rest is in `summary.md`."}
	if link := c.runLink("run page"); link != "" {
		c.where = "The rest is on the " + link + "."
	}
	if c.r.Outcome == Done && r.wantsTotal() > 0 {
		c.r.Outcome = Restricted
	}
	return c
}

// loneAnswer is true of one /ask that was answered: it gets a reply of its own, so nothing need be quoted.
func (c *writer) loneAnswer() bool {
	r := c.r
	if len(r.Segments) != 1 || r.Outcome != Done && r.Outcome != Restricted || r.Diffs != nil || r.Headline != "" {
		return false
	}
	s := r.Segments[0]
	return isAsk(s.Command) && s.OK && strings.TrimSpace(s.Text) != ""
}

func isAsk(command string) bool { return strings.HasSuffix(command, "ask") }

// runLink links the run page, "" outside a workflow or when the address is not plain.
func (c *writer) runLink(label string) string {
	if !c.hosts.ownPage(c.r.RunURL) {
		return ""
	}
	return "[" + label + "](" + c.r.RunURL + ")"
}

// bottom is what belongs to the whole comment: notes, wants, footer, under the one rule. Agent prose holds no rule, so
// what stands below it is ours.
func (c *writer) bottom() string {
	parts := c.notes()
	if wants := c.r.wantsBlock(); wants != "" {
		parts = append(parts, wants)
	}
	if refused := c.r.Outcome == Refused || c.r.Outcome == Nothing; refused && c.r.Run.Agent == "" && len(parts) == 0 {
		return "" // no agent ran: the one line says it all
	}
	parts = append(parts, c.footer())
	if c.loneAnswer() {
		return "\n---\n\n" + strings.Join(parts, "\n\n") + "\n"
	}
	return "\n---\n\n" + quote(strings.Join(parts, "\n\n"))
}

// notes are our remarks on the run, first of all that there was no boundary (S10).
func (c *writer) notes() []string {
	var notes []string
	if c.r.Run.Agent != "" && !c.r.Run.Isolated {
		notes = append(notes, "⚠️ **Boundary off**: the agent ran as the same user as ai-flow and could do whatever that user can.")
	}
	remarks := c.r.remarks()
	for i, n := range remarks {
		if i == maxRemarks {
			notes = append(notes, fmt.Sprintf("And %s.", plural(len(remarks)-i, "further note")))
			break
		}
		notes = append(notes, "ℹ️ "+c.hosts.ours(n))
	}
	return notes
}

// panels are the results of the segments, each below its command.
func (c *writer) panels(room int) string {
	segments := c.r.Segments
	if len(segments) == 0 {
		segments = []Segment{{Command: c.r.Command, OK: c.r.Outcome == Done || c.r.Outcome == Restricted}}
	}
	more := ""
	if n := len(segments) - maxSegments; n > 0 {
		segments = segments[:maxSegments]
		more = fmt.Sprintf("\n> And %s. %s\n", plural(n, "further command"), c.where)
	}
	heads, texts := make([]string, len(segments)), make([]string, len(segments))
	owner := c.owner(segments)
	room -= len(more)
	for i, s := range segments {
		heads[i] = c.head(s, i == owner)
		room -= len(commandLine(s)) + 2*len(heads[i]) + 64
	}
	for i, s := range segments { // what one answer leaves free is the next one's
		share := room / (len(segments) - i)
		texts[i] = c.said(s, share)
		room -= len(texts[i])
	}
	texts[owner] += c.extras(room)
	var b strings.Builder
	for i, s := range segments {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(commandLine(s) + quote(heads[i]) + texts[i])
	}
	b.WriteString(more)
	return b.String()
}

// owner is the segment that headline, changes and diffs belong to: the first that acts.
func (c *writer) owner(segments []Segment) int {
	for i, s := range segments {
		if !isAsk(s.Command) {
			return i
		}
	}
	return 0
}

func commandLine(s Segment) string {
	if s.Instruction == "" {
		return ""
	}
	return code(s.Command, maxName) + " " + inline(s.Instruction, maxInstruction) + "\n\n"
}

// head is the line that says what came of a segment.
func (c *writer) head(s Segment, owner bool) string {
	parts := []string{c.icon(s), "**" + strings.Trim(code(s.Command, maxName), "`") + "**"}
	if safe := inline(s.Command, maxName); safe != s.Command {
		parts[1] = code(s.Command, maxName)
	}
	var sentences []string
	if owner {
		sentences = c.r.landing()
	}
	parts = append(parts, c.hosts.ours(append(sentences, s.Note)...))
	return strings.Join(strings.Fields(strings.Join(parts, " ")), " ")
}

func (c *writer) icon(s Segment) string {
	switch c.r.Outcome {
	case Refused, Nothing:
		return "ℹ️"
	case Done, Restricted:
		if s.OK {
			return "✅"
		}
	}
	return "⚠️"
}

// said is a segment's prose in the quote block. What an agent said before it failed is folded: it is not a result.
func (c *writer) said(s Segment, room int) string {
	failed := c.r.Outcome == Failed || c.r.Outcome == Cancelled || !s.OK
	answer := c.answer(s.Text, maxComment)
	return within(room, func(limit int) string {
		text := answer(limit)
		if text == "" {
			return ""
		}
		if failed {
			text = details("What the agent said before it ended", text)
		}
		return ">\n" + quote(text)
	})
}

// answer returns a function that gives sanitised prose of at most limit bytes, with a notice when it was cut; most is the
// largest limit there will be.
func (c *writer) answer(text string, most int) func(limit int) string {
	whole, complete := "", len(text) <= most
	if complete {
		whole = strings.Trim(c.hosts.prose(text), "\n")
	}
	return func(limit int) string {
		room := limit - 200 - len(c.where)
		switch {
		case strings.TrimSpace(text) == "":
			return ""
		case complete && len(whole) < limit:
			return whole + "\n"
		case room < 200:
			return ""
		}
		short := strings.Trim(c.hosts.proseWithin(text, room), "\n")
		return short + "\n\n" + cutNotice(len(short), len(text), c.where) + "\n"
	}
}

// extras are changed files and diffs, folded, as far as there is room, the least important last.
func (c *writer) extras(room int) string {
	d := c.diffs()
	var b strings.Builder
	for _, part := range []func(int) string{c.changes, d.wordDiff, d.sourceDiff} {
		b.WriteString(within(room-b.Len(), func(limit int) string { return fold(part(limit)) }))
	}
	return b.String()
}

func fold(text string) string {
	if text == "" {
		return ""
	}
	return ">\n" + quote(text)
}

// within calls render with smaller and smaller limits until what comes back, decorated, keeps to room.
func within(room int, render func(limit int) string) string {
	limit := room
	for range 16 {
		if limit <= 0 {
			break
		}
		text := render(limit)
		if len(text) <= room {
			return text
		}
		limit -= max(len(text)-room, limit/32)
	}
	return ""
}

// quote puts every line in the quote block in which all that comes from a run stands.
func quote(text string) string {
	var b strings.Builder
	for line := range strings.Lines(strings.TrimRight(text, "\n") + "\n") {
		if line == "\n" {
			b.WriteString(">\n")
			continue
		}
		b.WriteString("> " + line)
	}
	return b.String()
}

// details folds Markdown below a summary of ours. The blank lines keep Markdown alive inside and after it (H2-05).
func details(summary, text string) string {
	return "<details><summary>" + summary + "</summary>\n\n" + strings.TrimRight(text, "\n") + "\n\n</details>\n"
}
