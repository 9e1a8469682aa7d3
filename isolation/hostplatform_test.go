package isolation_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/d3mlabs/ai-flow/isolation"
	"github.com/d3mlabs/ai-flow/testsupport/hostuser"
)

// On a system that is not prepared a person gets the commands, none of which is run, and a refusal that says so.
func TestHostSetupElsewhere(t *testing.T) {
	h := isolation.HostSetup{Dispatcher: "runner", Agent: "ai-agent"}.On("darwin")
	steps, err := h.Survey()
	var s *isolation.SetupError
	if !errors.As(err, &s) || s.Kind != isolation.Unsupported || !strings.Contains(s.Problem, "darwin") || s.Fix == "" {
		t.Errorf("got %v", err)
	}
	all := ""
	for _, s := range steps {
		if len(s.Argv) > 0 || s.Say == "" {
			t.Errorf("a step that could be run: %+v", s)
		}
		all += s.Say + "\n"
	}
	for _, want := range []string{"dscl . -create /Groups/ai-agent", "dscl . -create /Users/ai-agent UserShell /usr/bin/false", "0710 /var/ai-agent",
		`"runner ALL=(ai-agent) NOPASSWD:SETENV: ALL"`, "visudo -c"} {
		if !strings.Contains(all, want) {
			t.Errorf("no word of %s in:\n%s", want, all)
		}
	}
	if steps, err := h.Steps(); err == nil || steps != nil {
		t.Errorf("steps to run: %+v, %v", steps, err)
	}
	if steps, err := h.Undo(); err == nil || steps != nil {
		t.Errorf("steps to run: %+v, %v", steps, err)
	}
	// What cannot be a name is in no command.
	if steps, err := (isolation.HostSetup{Dispatcher: "runner", Agent: "x; rm -rf /"}).On("darwin").Survey(); err == nil || steps != nil {
		t.Errorf("%+v, %v", steps, err)
	}
}

// The proof obeys the rule alone, not what root may: a rule where sudo does not look is no rule.
func TestHostSetupProof(t *testing.T) {
	p := hostuser.Get(t)
	h := isolation.HostSetup{Dispatcher: p.Dispatcher.Name, Agent: p.Agent.Name}.In(t.TempDir() + "/rule")
	if err := h.Prove(t.Context(), runner); err != nil {
		t.Errorf("with the rule of the pair: %v", err)
	}
	for _, rules := range [][]string{{"D ALL=(A) NOPASSWD:NOSETENV: ALL"}, nil} {
		p.Rules(t, rules...)
		var s *isolation.SetupError
		if err := h.Prove(t.Context(), runner); !errors.As(err, &s) || s.Kind != isolation.NoRule || !strings.Contains(s.Fix, "sudo -l -U "+p.Dispatcher.Name) {
			t.Errorf("with %q: %v", rules, err)
		}
	}
}
