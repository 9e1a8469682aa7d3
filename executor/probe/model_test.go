package probe

import "testing"

func TestSameModel(t *testing.T) {
	for _, c := range []struct {
		named, asked string
		same         bool
	}{
		{"gpt-5.5", "gpt-5.5", true},
		{"gpt-5.5[medium]", "gpt-5.5", true}, // Codex
		{"loopback/m", "m", true},            // OpenCode
		{"loopback-model(openai)", "loopback-model", true},
		{"claude-sonnet-4-5", "claude-sonnet-4-5-20250929", true},
		{"openai/gpt-4o-2024-08-06", "gpt-4o", true},
		{"gpt-5", "gpt-5-mini", false},
		{"gpt-5-mini", "gpt-5", false},
		{"claude-sonnet-4", "claude-sonnet-4-5", false},
		{"a", "b", false},
		{"", "", false},
		{"[medium]", "[high]", false},
		{"a/", "b/", false},
	} {
		if got := sameModel(c.named, c.asked); got != c.same {
			t.Errorf("%q and %q: %v", c.named, c.asked, got)
		}
	}
}
