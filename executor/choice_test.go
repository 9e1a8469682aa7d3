package executor

import (
	"testing"

	"github.com/d3mlabs/ai-flow/acpclient"
)

func choices(ids ...string) (all []acpclient.Choice) {
	for _, id := range ids {
		all = append(all, acpclient.Choice{ID: id, Name: "name of " + id})
	}
	return all
}

// The choice of a mode and that of a model are alike and apart (A0-10).
func TestMatch(t *testing.T) { // A0-2, A0-4, A0-5, A0-6, A0-11
	const url = "https://agentclientprotocol.com/protocol/session-modes#autopilot"
	for _, c := range []struct {
		name, want string
		modes      []acpclient.Choice
		id         string
	}{
		{"the full id", url, choices("x#autopilot", url), url},
		{"the suffix", url, choices("plan", "https://elsewhere.example/modes#autopilot"), "https://elsewhere.example/modes#autopilot"},
		{"the suffix without a URL", url, choices("autopilot"), "autopilot"},
		{"a plain id", "yolo", choices("plan", "yolo"), "yolo"},
		{"no prefix is enough", "yolo", choices("yolo-ish", "y"), ""},
		{"nor is a name", "name of plan", choices("plan"), ""},
		{"the old mode of another agent", url, choices("bypassPermissions"), ""},
		{"none advertised", url, nil, ""},
	} {
		if id, ok := match(c.want, c.modes); id != c.id || ok != (c.id != "") {
			t.Errorf("%s: got %q, %v; want %q", c.name, id, ok, c.id)
		}
	}
}

func TestMatchModel(t *testing.T) { // A3-18, A2-20
	for _, c := range []struct {
		want   string
		models []acpclient.Choice
		id     string
		why    string
	}{
		{"gpt-5", choices("gpt-5-mini", "gpt-5"), "gpt-5", ""},
		{"gpt-5-m", choices("gpt-5-mini", "gpt-5"), "gpt-5-mini", ""},
		{"gpt", choices("gpt-5-mini", "gpt-5"), "", "ambiguous"},
		{"gpt", choices("gpt-5", "gpt-5"), "gpt-5", ""},
		{"5", choices("gpt-5"), "", "not offered"},
		{"GPT-5", choices("gpt-5"), "", "not offered"},
		{"x", nil, "", "not offered"},
	} {
		if id, why := matchModel(c.want, c.models); id != c.id || why != c.why {
			t.Errorf("%q: got %q, %q; want %q, %q", c.want, id, why, c.id, c.why)
		}
	}
}

func TestAskingIsNamed(t *testing.T) {
	for asking, want := range map[Asking]string{0: "", AskingVerified: "verified", AskingCandidate: "candidate", AskingUnproven: "unproven", 9: "unknown"} {
		if got := asking.String(); got != want {
			t.Errorf("%d: got %q, want %q", asking, got, want)
		}
	}
}
