package render

import (
	"strconv"
	"strings"
	"time"
)

// Usage is what the agent says it used: tokens, 0 where it said nothing, and money in Currency when it named a price.
type Usage struct {
	Input, Output, CachedRead, CachedWrite, Total int64
	Cost                                          float64
	Currency                                      string
}

// Subagent is one that the agent started. Status is "started" for one whose end was not reported.
type Subagent struct {
	Name, Model, Status string
	Took                time.Duration
	Tokens              int64
}

// maxSubagents is how many are listed.
const maxSubagents = 10

// words say the usage, the first number with its unit; "" when the agent reported none: what is not there is not said.
func (u Usage) words(unit string) string {
	var parts []string
	add := func(n int64, what string) {
		parts = append(parts, tokens(max(n, 0))+unit+what)
		unit = ""
	}
	// An agent that counts what goes in always counts what comes out: of the pair both are said.
	if u.Input > 0 || u.Output > 0 {
		add(u.Input, " in")
		add(u.Output, " out")
	}
	if u.CachedRead > 0 {
		add(u.CachedRead, " from cache")
	}
	if u.CachedWrite > 0 {
		add(u.CachedWrite, " into cache")
	}
	// A total that is no more than what stands before it says nothing new.
	if u.Total > 0 && u.Total != u.Input+u.Output {
		add(u.Total, " in all")
	}
	return strings.Join(parts, ", ")
}

// money says the cost to three places that count, with the currency; "" for none.
func (u Usage) money() string {
	if !(u.Cost > 0) || u.Currency == "" {
		return ""
	}
	if u.Cost < 1e-6 {
		return inline("less than 0.000001 "+u.Currency, 40)
	}
	places := 2
	for scale := u.Cost; scale < 1 && places < 6; places++ {
		scale *= 10
	}
	return inline(strconv.FormatFloat(u.Cost, 'f', places, 64)+" "+u.Currency, 40)
}

// subagentWords names who worked besides the agent.
func subagentWords(all []Subagent) string {
	var parts []string
	for i, s := range all {
		if i == maxSubagents {
			parts = append(parts, "and "+strconv.Itoa(len(all)-i)+" more")
			break
		}
		var facts []string // names in code: in prose the signs of two of them could make mathematics
		for _, fact := range []string{inCode(s.Model), inCode(s.Status), spent(s.Took), spentTokens(s.Tokens)} {
			if fact != "" {
				facts = append(facts, fact)
			}
		}
		name := inCode(s.Name)
		if name == "" {
			name = "one without a name"
		}
		if len(facts) > 0 {
			name += " (" + strings.Join(facts, ", ") + ")"
		}
		parts = append(parts, name)
	}
	return strings.Join(parts, "; ")
}

func inCode(s string) string {
	if s == "" {
		return ""
	}
	return code(s, maxName)
}

func spent(d time.Duration) string {
	if d <= 0 {
		return ""
	}
	return took(d)
}

func spentTokens(n int64) string {
	if n <= 0 {
		return ""
	}
	return tokens(n) + " tokens"
}

// storedWords names what the agent keeps for itself. It lies in its own storage, so no path of it is one of the tree.
func storedWords(paths []string) string {
	var parts []string
	for i, p := range paths {
		if i == maxSubagents {
			parts = append(parts, "and "+strconv.Itoa(len(paths)-i)+" more")
			break
		}
		parts = append(parts, code(p, maxName))
	}
	if len(parts) == 0 {
		return ""
	}
	return "by its own word, and not in the tree: " + strings.Join(parts, ", ")
}
