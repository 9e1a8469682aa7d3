package render

import (
	"strings"
	"testing"
	"time"
)

// Usage is shown as far as it was reported, and what was not is not mentioned.
func TestUsageWords(t *testing.T) {
	for _, c := range []struct {
		usage         Usage
		words, prices string
	}{
		{Usage{}, "", ""},
		{Usage{Input: 22, Output: 14, Total: 36}, "22 in, 14 out", ""},
		{Usage{Output: 14}, "0 in, 14 out", ""},
		{Usage{Input: 1200, Output: 30, CachedRead: 1_000_000, CachedWrite: 5, Total: 1_001_235}, "1.2 k in, 30 out, 1.0 M from cache, 5 into cache, 1.0 M in all", ""},
		{Usage{Total: 7}, "7 in all", ""}, // all that an agent may say
		{Usage{Input: -1, Output: -2, CachedRead: -3, CachedWrite: -4, Total: -5, Cost: -6, Currency: "USD"}, "", ""},
		{Usage{Cost: 0.000414, Currency: "USD"}, "", "0.000414 USD"},
		{Usage{Cost: 1.5, Currency: "EUR"}, "", "1.50 EUR"},
		{Usage{Cost: 0.05, Currency: "USD"}, "", "0.0500 USD"},
		{Usage{Cost: 1e-12, Currency: "USD"}, "", "less than 0.000001 USD"},
		{Usage{Cost: 12345.678, Currency: "USD"}, "", "12345.68 USD"},
		{Usage{Cost: 3}, "", ""}, // three of what
	} {
		if got := c.usage.words(""); got != c.words {
			t.Errorf("%+v: words %q, want %q", c.usage, got, c.words)
		}
		if got := c.usage.money(); got != c.prices {
			t.Errorf("%+v: money %q, want %q", c.usage, got, c.prices)
		}
	}
}

// Footer and summary show all that was reported, and a path of the agent's storage is said to be none of the tree (A2-30).
func TestUsageIsShown(t *testing.T) {
	r := Result{Command: "/ask", Outcome: Done, Segments: []Segment{{Command: "/ask", OK: true, Text: "It is a parser."}}, Run: Run{Agent: "claude", Isolated: true, User: "ai-agent",
		Usage:     Usage{Input: 33, Output: 21, CachedRead: 5, Total: 59, Cost: 0.000414, Currency: "USD"},
		Subagents: []Subagent{{"lab-sub", "lab-model", "completed", 1084 * time.Millisecond, 36}, {Status: "started"}}, ProviderFiles: []string{"files/../plan.md"},
		Steps: []Step{{Tool: "execute", Title: "cat x", Status: "completed", Subagent: "lab-sub"}}}}
	comment, summary := Comment(r), Summary(r)
	if want := " · 33 in, 21 out, 5 from cache, 59 in all · 0.000414 USD · "; !strings.Contains(comment, want) {
		t.Errorf("no %q in the footer: %s", want, comment)
	}
	for _, want := range []string{
		"| usage | 33 tokens in, 21 out, 5 from cache, 59 in all |", "| cost | 0.000414 USD, as the agent says |",
		"| subagents | `lab-sub` (`lab-model`, `completed`, 1.0 s, 36 tokens); one without a name (`started`) |",
		"| agent’s own files | by its own word, and not in the tree: `files/../plan.md` |", "`cat x` by subagent `lab-sub`",
	} {
		if !strings.Contains(summary, want) {
			t.Errorf("no %q in the summary: %s", want, summary)
		}
	}
	r.Run.Usage, r.Run.Subagents, r.Run.ProviderFiles = Usage{}, nil, nil
	for _, page := range []string{Comment(r), Summary(r)} {
		for _, word := range []string{"usage", "cost", "tokens", " in, ", "subagents", "not reported"} {
			if strings.Contains(page, word) {
				t.Errorf("%q is said of an agent that reported nothing: %s", word, page)
			}
		}
	}
}
