package agents

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

func TestProfilesAreComplete(t *testing.T) {
	seen := map[string]bool{}
	for _, p := range All() {
		if p.Name == "" || p.Title == "" || p.Verified == "" || p.WhyVia == "" || p.Status == 0 || p.Via == 0 || seen[p.Name] {
			t.Errorf("%q is incomplete or double: %+v", p.Name, p)
		}
		seen[p.Name] = true
		if got, ok := Find(p.Name); !ok || got.Title != p.Title {
			t.Errorf("Find(%q) = %q, %v", p.Name, got.Title, ok)
		}
		for _, s := range p.Secrets {
			if !slices.Contains(p.Settings, s) {
				t.Errorf("%s: secret %s is not among the settings", p.Name, s)
			}
		}
		if p.Provider != "" && !slices.Contains(p.Settings, p.Provider) {
			t.Errorf("%s: provider %s is not among the settings", p.Name, p.Provider)
		}
		if p.FullAccess != "" && !FullAccessMode(p.FullAccess) {
			t.Errorf("%s: mode %q is not on the shared list (A1-6)", p.Name, p.FullAccess)
		}
		if FullAccessMode(p.Asking) {
			t.Errorf("%s: the asking mode %q is a full-access one", p.Name, p.Asking)
		}
		if (p.Loopback == nil) == (p.Offline == "") {
			t.Errorf("%s: neither or both of Loopback and Offline", p.Name)
		}
		if p.Via == ByMode && p.FullAccess == "" {
			t.Errorf("%s: full access by a mode that it has not", p.Name)
		}
	}
	if last := All()[len(All())-1]; last.Status != BuiltIn {
		t.Errorf("the last is %q, want the built-in one", last.Name)
	}
	if _, ok := Find("no such agent"); ok {
		t.Error("found an agent that does not exist")
	}
}

// A2-46: a probe hands over no variable but these, so each must be one that a launch passes, and the key must reach the model.
func TestLoopbackVariablesArePassed(t *testing.T) {
	for _, p := range All() {
		if p.Loopback == nil {
			continue
		}
		passed := append([]string{p.Credential, p.Provider}, p.Settings...)
		keys, roots := 0, 0
		for name, value := range p.Loopback("http://127.0.0.1:9", "the-key") {
			// custom passes nothing by itself: see there.
			if name == "" || value == "" || p.Name != "custom" && !slices.Contains(passed, name) {
				t.Errorf("%s: variable %q (%q) is not passed to it", p.Name, name, value)
			}
			if strings.Contains(value, "the-key") {
				keys++
				if secret := name == p.Credential || slices.Contains(p.Secrets, name); p.Name != "custom" && (!secret || value != "the-key") {
					t.Errorf("%s: the key is in %s=%q, which is not a secret", p.Name, name, value)
				}
			}
			if strings.HasPrefix(value, "{") && !json.Valid([]byte(value)) {
				t.Errorf("%s: %s is no JSON: %s", p.Name, name, value)
			}
			roots += strings.Count(value, "http://127.0.0.1:9")
		}
		if keys == 0 || roots == 0 {
			t.Errorf("%s: %d variables with the key, %d with the model's address", p.Name, keys, roots)
		}
	}
}

// A2-13 and the list of what an agent may never see: no profile passes or sets anything that trusts, loads or allows.
func TestProfilesWidenNothing(t *testing.T) {
	for _, p := range All() {
		names := append([]string{p.Credential, p.Provider, p.ModelVariable}, p.Settings...)
		env := map[string]string{}
		if p.Env != nil {
			env = p.Env("/s")
		}
		for name, value := range env {
			names = append(names, name)
			if strings.HasPrefix(value, "/") && !strings.HasPrefix(value, "/s/") {
				t.Errorf("%s: %s points to %s, which outlives the run (A2-7)", p.Name, name, value)
			}
		}
		for _, name := range names {
			for _, bad := range []string{"ALLOW_ALL", "TRUST", "YOLO", "BYPASS", "DANGEROUS", "_COMMAND", "AI_FLOW_APP"} {
				if strings.Contains(name, bad) {
					t.Errorf("%s: variable %s", p.Name, name)
				}
			}
			for _, prefix := range []string{"GITHUB_", "ACTIONS_", "RUNNER_", "INPUT_", "LD_", "DYLD_", "GIT_", "NODE_OPTIONS", "BASH_ENV"} {
				if strings.HasPrefix(name, prefix) {
					t.Errorf("%s: variable %s", p.Name, name)
				}
			}
		}
		for _, arg := range p.Args {
			if strings.Contains(arg, "allow") || strings.Contains(arg, "yolo") || strings.Contains(arg, "trust") || arg == "--autopilot" {
				t.Errorf("%s: argument %s", p.Name, arg)
			}
		}
		for path := range p.Files {
			if strings.HasPrefix(path, "/") || strings.Contains(path, "..") {
				t.Errorf("%s: file %s is not below State", p.Name, path)
			}
		}
	}
}

func TestFullAccessMode(t *testing.T) {
	yes := []string{"bypassPermissions", "agent-full-access", "full-access", "yolo", "YOLO", "https://agentclientprotocol.com/protocol/session-modes#autopilot",
		"autopilot", "allow_all", "danger-full-access", "full_access", "dangerously-skip-permissions"}
	no := []string{"", "#", "default", "plan", "auto", "auto-edit", "autoEdit", "acceptEdits", "dontAsk", "read-only", "workspace-write", "agent", "ask", "build",
		"https://agentclientprotocol.com/protocol/session-modes#agent", "https://yolo.example/modes#plan"}
	for _, id := range yes {
		if !FullAccessMode(id) {
			t.Errorf("%q is a full-access mode (A1-6)", id)
		}
	}
	for _, id := range no {
		if FullAccessMode(id) {
			t.Errorf("%q is not a full-access mode (A1-3)", id)
		}
	}
}

// Noise is a guess about an answer's text, so it must not swallow prose that begins like it.
func TestNoise(t *testing.T) {
	tests := []struct {
		agent, text string
		noise       bool
	}{
		{"copilot", "Info: /srv/repo/new.txt", true},
		{"copilot", "Info: /srv/repo/new.txt\n", true},
		{"copilot", "Info: /srv/repo/new.txt was made", false},
		{"copilot", "Info: the file", false},
		{"copilot", "Info: /", false},
		{"copilot", "", false},
		{"codex", "Warning: Model metadata for `lab-model` not found. Defaulting to fallback metadata; this can degrade performance.\n\n", true},
		{"codex", "Warning: Model metadata is important", false},
		{"gemini", "[MODE_UPDATE] yolo", true},
		{"gemini", "[MODE_UPDATE] is what it prints", false},
		{"claude", "**Auto mode unavailable:** using Accept edits instead.", true},
		{"claude", "Auto mode is unavailable", false},
	}
	for _, tt := range tests {
		p, _ := Find(tt.agent)
		if got := p.Noise(tt.text); got != tt.noise {
			t.Errorf("%s: noise(%q) = %v", tt.agent, tt.text, got)
		}
	}
}

func TestPick(t *testing.T) {
	tests := []struct {
		name      string
		variables string
		programs  string
		want      string
	}{
		{"nothing", "", "", "demo"},
		{"a binary without a credential", "", "copilot", "demo"},
		{"a credential without a binary", "COPILOT_GITHUB_TOKEN", "", "demo"},
		{"copilot with a token", "COPILOT_GITHUB_TOKEN", "copilot", "copilot"},
		{"copilot with a provider of one's own", "COPILOT_PROVIDER_BASE_URL", "copilot", "copilot"},
		{"the first of two", "ANTHROPIC_API_KEY GEMINI_API_KEY", "gemini claude-agent-acp", "claude"},
		{"another", "GEMINI_API_KEY", "copilot gemini", "gemini"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			has := func(name string) bool { return slices.Contains(strings.Fields(tt.variables), name) }
			look := func(name string) string {
				if slices.Contains(strings.Fields(tt.programs), name) {
					return "/bin/" + name
				}
				return ""
			}
			p, at := Pick(has, look)
			if p.Name != tt.want || !at.Usable || (at.Binary == "") != (tt.want == "demo") {
				t.Errorf("picked %q, %+v; want %q", p.Name, at, tt.want)
			}
		})
	}
}

func TestFullAccessOption(t *testing.T) { // A2-15
	for _, c := range []struct {
		id, value string
		want      bool
	}{
		{"allow_all", "on", true}, {"allow_all", "true", true}, {"allow_all", "off", false}, {"allow_all", "", false}, {"allow_all", "Never", false},
		{"approvals", "yolo", true}, {"approvals", "ask", false}, {"collaboration_mode", "plan", false}, {"effort", "none", false},
	} {
		if got := FullAccessOption(c.id, c.value); got != c.want {
			t.Errorf("%s=%s: %v", c.id, c.value, got)
		}
	}
}
