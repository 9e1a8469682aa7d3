package render

import (
	"fmt"
	"strings"
)

// howItRan is the end of a summary: our remarks on the run, then its facts.
func (c *writer) howItRan() string {
	remarks := paragraphs(append(append([]string{c.boundaryOff()}, c.remarkLines()...), c.r.touchedLists())...)
	var b strings.Builder
	for _, row := range c.runFacts() {
		if row[1] != "" {
			b.WriteString("| " + row[0] + " | " + cell(row[1]) + " |\n")
		}
	}
	facts := b.String()
	switch {
	case facts != "":
		facts = "| | |\n|---|---|\n" + facts
	case remarks == "":
		return ""
	}
	return paragraphs("### How it ran", remarks, facts)
}

// runFacts are name and value of each fact, the value "" for what is not known; nothing when no agent ran.
func (c *writer) runFacts() [][2]string {
	run := c.r.Run
	if run.Agent == "" {
		return nil
	}
	name := func(s string) string { return code(s, maxName) }
	return [][2]string{
		{"agent", c.agent()}, {"model", modelWords(run, name)}, {"isolation", isolationWords(run)}, {"token", run.Token.words()},
		{"usage", run.Usage.words(" tokens")}, {"cost", costWords(run.Usage)}, {"subagents", subagentWords(run.Subagents)},
		{"agent’s own files", storedWords(run.ProviderFiles)}, {"duration", c.durations()}, {"tree", treeWords(run)}, {"stop reason", inline(run.StopReason, maxName)},
		{"ran unasked", unaskedWords(run.Unasked)}, {"policy", inline(run.Policy, maxName)}, {"report", c.r.report()},
	}
}

// report names report.json. A workflow that uploads it is the operator's to write: until then it is where the job ran.
func (r Result) report() string {
	if r.RunURL == "" {
		return "`report.json`"
	}
	return "`report.json` on the runner"
}

func isolationWords(run Run) string {
	if !run.Isolated {
		return "**off**: the agent ran as the same user as ai-flow"
	}
	return "as user " + code(run.User, maxName)
}

// words say what the agent's token was good for; "" when it is not known.
func (t *Token) words() string {
	switch {
	case t == nil:
		return ""
	case len(t.Repos) == 0:
		return "the agent had none"
	}
	var names []string
	for i, repo := range t.Repos {
		if i == maxPaths {
			names = append(names, fmt.Sprintf("and %d more", len(t.Repos)-i))
			break
		}
		names = append(names, code(repo, maxName))
	}
	return "read-only on " + strings.Join(names, ", ")
}

// costWords says whose word the price is: nothing here works one out.
func costWords(u Usage) string {
	if money := u.money(); money != "" {
		return money + ", as the agent says"
	}
	return ""
}

// maxCommit is how much of an object id is shown: enough to be found, short enough to be read.
const maxCommit = 12

func treeWords(run Run) string {
	words := run.HandOver.words()
	if run.Commit == "" {
		return words
	}
	return strings.TrimSuffix(code(cutRune(run.Commit, maxCommit), maxName)+": "+words, ": ")
}

func unaskedWords(calls int) string {
	if calls <= 0 {
		return ""
	}
	return plural(calls, "call") + " that should have been asked for"
}

func (c *writer) durations() string {
	var parts []string
	for i, p := range c.r.Run.Phases {
		if i == 12 {
			break
		}
		parts = append(parts, inline(p.Name, 40)+" "+took(p.Took))
	}
	text := took(c.r.Run.Duration)
	if len(parts) > 0 {
		text += " (" + strings.Join(parts, ", ") + ")"
	}
	return text
}
