package probe_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/d3mlabs/ai-flow/executor/agents"
	"github.com/d3mlabs/ai-flow/executor/probe"
	"github.com/d3mlabs/ai-flow/testsupport/realagent"
)

var update = flag.Bool("update", false, "write the verdicts of testdata anew where they differ; then read the difference")

// The agents from npm do what testdata says of each (A2-46 … A2-50, A2-57, A3-20): a version that does something else is
// not the one that was qualified.
func TestRealAgents(t *testing.T) {
	for _, a := range []struct {
		profile, version string
		binary           func(testing.TB) string
	}{
		{"copilot", realagent.CopilotPinned, func(t testing.TB) string { return realagent.Copilot(t, realagent.CopilotPinned) }},
		{"copilot", realagent.CopilotNewest, func(t testing.TB) string { return realagent.Copilot(t, realagent.CopilotNewest) }},
		{"claude", realagent.ClaudeVersion, realagent.Claude},
		{"codex", realagent.CodexVersion, realagent.Codex},
		{"gemini", realagent.GeminiVersion, realagent.Gemini},
		{"opencode", realagent.OpenCodeVersion, realagent.OpenCode},
		{"qwen", realagent.QwenVersion, realagent.Qwen},
	} {
		t.Run(a.profile+"-"+a.version, func(t *testing.T) {
			profile, ok := agents.Find(a.profile)
			if !ok {
				t.Fatal("there is no such profile")
			}
			agent := subject(t, profile)
			agent.Binary = a.binary(t)
			r := run(t, probe.Options{Agent: agent})
			if r.Version != a.version {
				t.Errorf("A2-6: version %q answered, %q was started", r.Version, a.version)
			}
			compare(t, filepath.Join("testdata", a.profile+"-"+a.version+".txt"), r)
			if t.Failed() {
				tell(t, r)
			}
		})
	}
}

// compare holds each verdict to the file's, where a line is the rule's name, what may be found of it (words between bars, since
// some agents lose a message now and then), and behind a # why.
func compare(t *testing.T, file string, r probe.Result) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil && !*update {
		t.Fatal(err)
	}
	want, lines := map[string]string{}, map[string]string{}
	for line := range strings.Lines(string(data)) {
		fields, _, _ := strings.Cut(line, "#")
		id, held, _ := strings.Cut(strings.TrimSpace(fields), " ")
		want[id], lines[id] = strings.TrimSpace(held), line
	}
	var now strings.Builder
	for _, v := range r.Verdicts {
		may, known := want[v.Rule.ID]
		delete(want, v.Rule.ID)
		right := known && contains(may, v.Held.String())
		if !right && !*update {
			t.Errorf("%s (%s): %v, want %s: %s", v.Rule.ID, v.Rule.Says, v.Held, may, v.Why)
		}
		if !right {
			lines[v.Rule.ID] = fmt.Sprintf("%-9s %v\n", v.Rule.ID, v.Held)
		}
		now.WriteString(lines[v.Rule.ID])
	}
	for id := range want {
		if !*update {
			t.Errorf("%s names the rule %q, which there is not", file, id)
		}
	}
	if *update {
		if err := os.WriteFile(file, []byte(now.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func contains(may, held string) bool {
	for word := range strings.SplitSeq(may, "|") {
		if strings.TrimSpace(word) == held {
			return true
		}
	}
	return false
}

func tell(t *testing.T, r probe.Result) {
	for _, p := range r.Played {
		t.Logf("%v: %d launches, %s, failure %q", p.Scenario, p.Launches, p.Took, p.Failure)
		for _, f := range p.Facts {
			t.Logf("  %s: %s", f.Name, f.Value)
		}
	}
}
