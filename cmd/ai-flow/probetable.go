package main

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/d3mlabs/ai-flow/executor/probe"
)

// table is the report as people read it, in lines of the width where words allow it.
func (r probeReport) table(width int) string {
	t := &probeText{}
	t.width = max(width, minWidth)
	t.head(r)
	t.facts(r.Scenarios)
	t.rules(r.Rules)
	t.paragraph("", r.Limits)
	return t.String()
}

// probeText is the report of a probe as it is being written.
type probeText struct{ paragraphs }

func (t *probeText) head(r probeReport) {
	answered := strings.TrimSpace(r.Agent.Answered + " " + r.Agent.Version)
	user := "as " + r.User
	if !r.Isolated {
		user = "as yourself, without a boundary"
	}
	t.hanging("", foreignIndent, strings.Join([]string{r.Agent.Name, firstOf(answered, "said no name"), r.Agent.Status, user, r.When.Format("2006-01-02 15:04 MST"), r.Platform, "ai-flow " + r.AIFlow}, " · "))
	t.hanging("", foreignIndent, firstOf(r.Agent.Binary, "no binary")+": "+r.Agent.Origin)
	took := time.Duration(r.Millis) * time.Millisecond
	t.paragraph("", fmt.Sprintf("%s, %s of the model, %.0f s", count(len(r.Scenarios), "scenario", "scenarios"), count(r.Requests, "request", "requests"), took.Seconds()))
	if r.Failure != "" {
		t.hanging("", foreignIndent, "Nothing to judge: "+r.Failure)
	}
	t.WriteString("\n")
}

// facts are told by scenario; one that was the same wherever it was seen is told once, before them.
func (t *probeText) facts(scenarios []probeScenario) {
	same := sameFacts(scenarios)
	if len(same) > 0 {
		t.paragraph("", "wherever it was seen:")
		t.factLines("  ", same)
		t.WriteString("\n")
	}
	for _, s := range scenarios {
		took := time.Duration(s.Millis) * time.Millisecond
		t.paragraph("", fmt.Sprintf("%s: %s, %s of the model, %.1f s", s.Name, count(s.Launches, "launch", "launches"), count(s.Requests, "request", "requests"), took.Seconds()))
		rest := slices.DeleteFunc(slices.Clone(s.Facts), func(f probeFact) bool {
			return slices.ContainsFunc(same, func(k probeFact) bool { return k.Name == f.Name })
		})
		if s.Failure != "" && !slices.ContainsFunc(rest, func(f probeFact) bool { return f.Value == s.Failure }) {
			t.paragraph("  failed: ", s.Failure)
		}
		for len(rest) > 0 {
			launch := rest[0].Launch
			n := slices.IndexFunc(rest, func(f probeFact) bool { return f.Launch != launch })
			if n < 0 {
				n = len(rest)
			}
			indent := "  "
			if launch != "" {
				t.paragraph("  ", launch)
				indent = "    "
			}
			t.factLines(indent, rest[:n])
			rest = rest[n:]
		}
		t.WriteString("\n")
	}
}

// sameFacts are those with one value in all launches that showed them, of which there are several.
func sameFacts(scenarios []probeScenario) (same []probeFact) {
	values := map[string][]string{}
	for _, s := range scenarios {
		for _, f := range s.Facts {
			if values[f.Name] == nil {
				same = append(same, probeFact{Name: f.Name, Value: f.Value})
			}
			values[f.Name] = append(values[f.Name], f.Value)
		}
	}
	return slices.DeleteFunc(same, func(f probeFact) bool {
		all := values[f.Name]
		return len(all) < 2 || slices.ContainsFunc(all, func(v string) bool { return v != f.Value })
	})
}

func (t *probeText) factLines(indent string, facts []probeFact) {
	column := 0
	for _, f := range facts {
		column = max(column, utf8.RuneCountInString(f.Name))
	}
	column = max(column, foreignIndent-len(indent)-2)
	for _, f := range facts {
		t.paragraph(indent+pad(f.Name, min(column, factColumn))+"  ", f.Value)
	}
}

// rules are told with what does not hold first: it is what a reader looks for.
func (t *probeText) rules(rules []probeRule) {
	if len(rules) == 0 {
		return
	}
	var sums []string
	order := []probe.Held{probe.DoesNot, probe.Holds, probe.NotExercised}
	for _, held := range order {
		n := 0
		for _, r := range rules {
			if r.Held == held.String() {
				n++
			}
		}
		sums = append(sums, fmt.Sprintf("%d %s", n, sumWord(held, n)))
	}
	t.paragraph("", "Rules: "+strings.Join(sums, ", "))
	for _, held := range order {
		for _, r := range rules {
			if r.Held == held.String() {
				t.rule(r)
			}
		}
	}
	t.WriteString("\n")
}

// Widths of columns, in characters.
const (
	foreignIndent = 6 // where foreign text goes on at the least: no line of ours begins there
	factColumn    = 24
	heldColumn    = 13
	ruleColumn    = 9
)

func (t *probeText) rule(r probeRule) {
	t.paragraph("  "+pad(r.Held, heldColumn)+"  "+pad(r.ID, ruleColumn)+"  ", r.Says)
	if r.Why != "" {
		t.paragraph(strings.Repeat(" ", heldColumn+ruleColumn+6)+"– ", r.Why)
	}
}

func sumWord(h probe.Held, n int) string {
	switch {
	case h == probe.Holds && n != 1:
		return "hold"
	case h == probe.DoesNot && n != 1:
		return "do not"
	}
	return h.String()
}
