package render

import (
	"fmt"
	"slices"
	"strings"

	"github.com/d3mlabs/ai-flow/denials"
)

// maxSummary is GitHub's limit for what one step appends to its summary, 1 MiB, less room for what the caller adds; over
// the limit GitHub drops the whole summary and fails the step (H2-01).
const maxSummary = 1<<20 - 8<<10

// Shares of the summary, in bytes. The rest is for wants and facts, which are bounded by number.
const (
	maxTimeline = 360 << 10
	maxReceipts = 64 << 10
	maxAnswers  = 240 << 10
	maxDiffs    = 80 << 10 // each
)

// openRows is how many rows of the timeline are shown before the rest is folded.
const openRows = 20

// Summary is the step summary, at most 1 MiB, in this order: outcome in one line, further landings, open doors, wants, gates, patches,
// what the agent did, said and changed, approvals, how it ran. Each part has its share; should they still be too much together, diffs, answers, approvals and
// timeline go, in this order.
func Summary(r Result) string {
	c := newWriter(r)
	c.where = "The rest is in " + r.report() + "."
	timeline, tail, answers, diffs := c.timeline(), c.tail(), c.answers(), c.diffSection()
	landings, _ := c.furtherLandings(maxSummary)
	did := ""
	if timeline+tail+answers+diffs != "" {
		did = "### What the agent did"
	}
	sections := []string{paragraphs(c.outcomeLine(), landings), c.doors(), c.wantsSection(), c.gatesSection(), c.patchSection(), did, timeline, tail, answers, diffs,
		c.receipts(), c.howItRan()}
	return joinWithin(maxSummary, sections, []int{9, 8, 10, 6}, "*A part has no room here. "+c.where+"*")
}

// joinWithin joins sections; those named in expendable become the notice, one after the other, until all fit into limit.
func joinWithin(limit int, sections []string, expendable []int, notice string) string {
	for {
		var b strings.Builder
		for _, s := range sections {
			if s != "" {
				b.WriteString(strings.TrimRight(s, "\n") + "\n\n")
			}
		}
		if b.Len() <= limit || len(expendable) == 0 {
			return b.String()
		}
		if sections[expendable[0]] != "" {
			sections[expendable[0]] = notice
		}
		expendable = expendable[1:]
	}
}

func (c *writer) wantsSection() string {
	wants, more := c.r.shown()
	if len(wants) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("### Boundary wants\n\n" + wantsHead(c.r.wantsTotal()) + "\n\n")
	b.WriteString("| wanted | why | channel | count | where a person may meet it |\n|---|---|---|---|---|\n")
	for _, w := range wants {
		fmt.Fprintf(&b, "| %s | %s | %s | %d | %s |\n", cell(code(w.Subject, maxSubject)), cell(why(w.Want)), channels(w.Want),
			max(w.Count, 1), cell(c.r.advice(w.Triage)))
	}
	if more > 0 {
		fmt.Fprintf(&b, "\nAnd %d more. %s\n", more, c.where)
	}
	b.WriteString("\nObserved is a guess from output, refused a fact, declared the agent’s own claim")
	if slices.ContainsFunc(wants, func(w Want) bool { return w.Channel == denials.Gated }) {
		b.WriteString("; gate is a guess from the output of a gate, which the agent did not run")
	}
	b.WriteString(".\n")
	return b.String()
}

// timeline is what the agent did, call by call: the first rows open, the others folded.
func (c *writer) timeline() string {
	steps := c.r.Run.Steps
	if len(steps) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString(stepsHead)
	size, written := 0, 0
	for i, s := range steps {
		row := s.row()
		if size += len(row); size > maxTimeline {
			break
		}
		if i == openRows {
			fmt.Fprintf(&b, "\n<details><summary>%s</summary>\n\n%s", plural(len(steps)-openRows, "further call"), stepsHead)
		}
		b.WriteString(row)
		written++
	}
	if written > openRows {
		b.WriteString("\n</details>\n")
	}
	if written < len(steps) {
		fmt.Fprintf(&b, "\n*%s not shown here. %s*\n", plural(len(steps)-written, "further call"), c.where)
	}
	b.WriteString("\n" + toolCounts(steps) + "\n")
	if more := c.r.Run.MoreSteps; more > 0 {
		fmt.Fprintf(&b, "\nAnd %s of calls not listed.\n", plural(more, "further update"))
	}
	return b.String()
}

const stepsHead = "| phase | tool | what | status | exit | took |\n|---|---|---|---|---|---|\n"

func (s Step) row() string {
	exit := ""
	if s.Exit != nil {
		exit = fmt.Sprint(*s.Exit)
	}
	what := cell(code(bothEnds(s.Title, maxTitle), maxTitle))
	if s.Title == "" {
		what = ""
	}
	if s.Unasked {
		what += " **ran unasked**"
	}
	if s.Subagent != "" {
		what += " by subagent " + cell(code(s.Subagent, maxName))
	}
	return fmt.Sprintf("| %s | %s | %s | %s | %s | %s |\n", cell(inline(s.Phase, 40)), cell(inline(s.Tool, 40)), what,
		cell(inline(s.Status, 40)), exit, took(s.Took))
}

// toolCounts says how many calls of each kind there were, in order of first use.
func toolCounts(steps []Step) string {
	counts := map[string]int{}
	var order []string
	for _, s := range steps {
		tool := oneLine(s.Tool, 40)
		if counts[tool] == 0 {
			order = append(order, tool)
		}
		counts[tool]++
	}
	var parts []string
	for i, tool := range order {
		if i == 12 {
			parts = append(parts, "others")
			break
		}
		if name := inline(tool, 40); name != "" {
			parts = append(parts, fmt.Sprintf("%s %d", name, counts[tool]))
		}
	}
	return plural(len(steps), "call") + ": " + strings.Join(parts, ", ") + "."
}

// The bounds of what is shown of a failed agent's standard error: lines, and bytes.
const (
	maxTailLines = 20
	maxTail      = 8 << 10
)

// tail is the end of a failed agent's standard error, folded, in a fence that it cannot close. It is for whoever looks after
// the runner, and foreign: no comment has it.
func (c *writer) tail() string {
	text := strings.TrimSpace(visible(c.r.Run.Tail))
	if text == "" {
		return ""
	}
	lines := strings.Split(text, "\n")
	lines = lines[max(0, len(lines)-maxTailLines):]
	for i, line := range lines {
		lines[i] = clip(line, maxTail/maxTailLines)
	}
	text = strings.Join(lines, "\n")
	fence := fenceFor(text)
	return details("The end of the agent’s standard error", fence+"text\n"+text+"\n"+fence+"\n")
}

// answers is all that the agent said, folded, in quote blocks.
func (c *writer) answers() string {
	var b strings.Builder
	for i, s := range c.r.Segments {
		if strings.TrimSpace(s.Text) == "" {
			continue
		}
		room := (maxAnswers - b.Len()) / min(len(c.r.Segments)-i, 4)
		answer := c.answer(s.Text, maxAnswers)
		b.WriteString(within(room, func(limit int) string {
			text := answer(limit)
			if text == "" {
				return ""
			}
			return details("What the agent said to "+strings.ReplaceAll(strings.Trim(code(s.Command, 40), "`"), "<", "‹"), quote(text)) + "\n"
		}))
	}
	return b.String()
}

func (c *writer) diffSection() string {
	d := c.diffs()
	return strings.TrimSpace(strings.Join([]string{c.taken(maxDiffs), c.changes(maxDiffs), d.wordDiff(maxDiffs), d.sourceDiff(maxDiffs)}, "\n"))
}

// receipts are the requests that were approved without anybody being asked (A1-29).
func (c *writer) receipts() string {
	receipts := c.r.Run.Receipts
	total := max(c.r.Run.Approved, len(receipts))
	if total == 0 {
		return ""
	}
	var b strings.Builder
	shown := 0
	for _, r := range receipts {
		line := "- " + code(bothEnds(r.Action, maxAction), maxAction)
		if b.Len()+len(line) > maxReceipts {
			break
		}
		b.WriteString(line + "\n")
		shown++
	}
	if more := total - shown; more > 0 {
		fmt.Fprintf(&b, "\nAnd %d more. %s\n", more, c.where)
	}
	return "### Approved without asking (full access)\n\n" + details(plural(total, "request"), b.String())
}
