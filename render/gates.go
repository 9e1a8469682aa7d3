package render

import (
	"fmt"
	"slices"
	"strings"
)

// maxGates is how many gates a table shows; a policy has no more.
const maxGates = 20

// maxTree is how much of a tree's id is shown.
const maxTree = 7

// gatesTable is the table of gates, "" without any: name, how it ended, how long it took.
func (c *writer) gatesTable() string {
	if len(c.r.Gates) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("| gate | | |\n|---|---|---|\n")
	for _, g := range c.r.Gates[:min(len(c.r.Gates), maxGates)] {
		fmt.Fprintf(&b, "| %s | %s | %s |\n", cell(code(g.Name, maxName)), cell(c.gateWords(g)), took(g.Took))
	}
	return b.String()
}

// gateWords say how a gate ended, in which round when that says something, and on which tree.
func (c *writer) gateWords(g Gate) string {
	words := g.icon() + " " + c.hosts.ours(g.Ended)
	if g.Round > 1 || !g.Passed && g.Rounds > 1 {
		words += fmt.Sprintf(" in round %d of %d", g.Round, g.Rounds)
	}
	if g.Tree != "" {
		return words + ", tree " + code(cutRune(g.Tree, maxTree), maxName)
	}
	return words + ", on a tree that an earlier gate had changed"
}

func (g Gate) icon() string {
	if g.Passed {
		return "✅"
	}
	return "❌"
}

// gateFailed is true of a result in which a gate did not pass.
func (r Result) gateFailed() bool {
	return slices.ContainsFunc(r.Gates, func(g Gate) bool { return !g.Passed })
}

// maxGateOutput is the share of the summary of all that gates printed, in bytes.
const maxGateOutput = 128 << 10

// gatesSection is the summary's part on gates: what ran, how it ended, and what those that did not pass printed, folded.
func (c *writer) gatesSection() string {
	table := c.gatesTable()
	if table == "" {
		return ""
	}
	var b strings.Builder
	b.WriteString("### Gates\n\nRun by ai-flow itself, as the agent’s user; what an agent says of them is not asked.\n\n" + table)
	left := maxGateOutput
	for _, g := range c.r.Gates[:min(len(c.r.Gates), maxGates)] {
		text := strings.Trim(Terminal(g.Output), "\n")
		if g.Passed || strings.TrimSpace(text) == "" {
			continue
		}
		if len(text) > left/2 {
			text = "…" + strings.ToValidUTF8(text[len(text)-left/2:], "")
		}
		left -= len(text)
		b.WriteString("\n" + details("What gate "+strings.ReplaceAll(strings.Trim(code(g.Name, maxName), "`"), "<", "‹")+" printed", unmark(asCode(text))))
	}
	return b.String()
}

// gates lists the gates in a terminal.
func (t *terminal) gates() {
	for i, g := range t.r.Gates[:min(len(t.r.Gates), maxGates)] {
		if i == 0 {
			t.line("")
		}
		style := green
		if !g.Passed {
			style = yellow
		}
		t.pair("  ", style, "gate "+oneLine(g.Name, maxName), plainOurs(t.gateWords(g))+" · "+took(g.Took))
	}
}
