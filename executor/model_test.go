package executor_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/d3mlabs/ai-flow/executor"
	"github.com/d3mlabs/ai-flow/executor/permission"
	"github.com/d3mlabs/ai-flow/testsupport/fakeagent"
)

// options are a session's configuration options with one menu, in the state given.
func options(id, current string, values ...string) []any {
	var menu []any
	for _, v := range values {
		menu = append(menu, map[string]any{"value": v, "name": v})
	}
	return []any{map[string]any{"type": "select", "id": id, "name": id, "category": id, "currentValue": current, "options": menu}}
}

// answer is a result that holds such options; it serves session/new too.
func answer(t *testing.T, options []any) fakeagent.Reply {
	t.Helper()
	data, err := json.Marshal(map[string]any{"sessionId": "fake-session", "configOptions": options})
	if err != nil {
		t.Fatal(err)
	}
	return fakeagent.Reply{Result: data}
}

// switched is the agent naming a model by itself.
func switched(to string, values ...string) fakeagent.Step {
	return fakeagent.Step{Update: map[string]any{"sessionUpdate": "config_option_update", "configOptions": options("model", to, values...)}}
}

func launchOn(t *testing.T, s fakeagent.Script, model string) (executor.Report, error) {
	t.Helper()
	b := play(t, s)
	task := b.task(permission.ReadOnly)
	task.Model = model
	return b.agent.Launch(t.Context(), task)
}

var catalogue = []string{"gpt-5", "gpt-5-mini", "opus-4"}

func TestModelIsExactOrAUniquePrefix(t *testing.T) { // A3-18, A2-20
	for _, c := range []struct{ ask, effective, failure string }{
		{"", "gpt-5", ""}, {"gpt-5", "gpt-5", ""}, {"op", "opus-4", ""}, {"gpt-5-", "gpt-5-mini", ""},
		{"gpt", "", "ambiguous"}, {"sonnet", "", "not offered"},
	} {
		t.Run(c.ask, func(t *testing.T) {
			// The answer names one model only: had another one been asked for, the launch would fail.
			r, err := launchOn(t, fakeagent.Script{NewSession: answer(t, options("model", "gpt-5", catalogue...)),
				SetOption: answer(t, options("model", c.effective, catalogue...))}, c.ask)
			if c.failure != "" {
				f, ok := err.(*executor.Failure)
				if !ok || f.Class != executor.FailedModel || !strings.Contains(f.Message, c.failure) || !strings.Contains(f.Message, "opus-4") || f.Fix == "" {
					t.Fatalf("got %v, want a failure that says %q and shows the catalogue", err, c.failure)
				}
				return
			}
			if err != nil || r.ModelEffective != c.effective || r.ModelAsked != c.ask || len(r.ModelsBefore) != 0 {
				t.Errorf("got %q after %q, %v; want %q", r.ModelEffective, r.ModelsBefore, err, c.effective)
			}
		})
	}
}

// Success is not proof: what is effective is what the agent names after the choice, and nothing else.
func TestModelThatWasOnlyAcceptedIsNotVerified(t *testing.T) { // A2-19, A2-20, agents.md point 23
	for _, c := range []struct {
		name      string
		script    fakeagent.Script
		ask       string
		effective string
	}{
		{"set_model answers {} to anything", fakeagent.Script{}, "no-such-model", ""},
		{"set_model answers {} to one of the catalogue", fakeagent.Script{Models: catalogue}, "opus-4", ""},
		{"the option's answer names nothing", fakeagent.Script{NewSession: answer(t, options("model", "gpt-5", catalogue...)), SetOption: answer(t, nil)}, "opus-4", ""},
		{"the session runs it already", fakeagent.Script{Models: catalogue, SetModel: fakeagent.Reply{Error: &fakeagent.Error{Code: -32601, Message: "no"}}}, "gpt-5", "gpt-5"},
		{"it is named in the turn", fakeagent.Script{Models: catalogue, Turns: []fakeagent.Turn{{switched("opus-4", catalogue...), {Say: "ok"}}}}, "opus-4", "opus-4"},
		{"another one is named before the answer", fakeagent.Script{Models: catalogue, SetModel: fakeagent.Reply{Before: []fakeagent.Step{switched("gpt-5", catalogue...)}}}, "opus-4", "gpt-5"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, err := launchOn(t, c.script, c.ask)
			if err != nil || r.ModelEffective != c.effective || r.ModelAsked != c.ask {
				t.Errorf("asked %q, effective %q, error %v; want %q", r.ModelAsked, r.ModelEffective, err, c.effective)
			}
		})
	}
}

func TestModelThatTheAgentWillNotRunEndsTheRun(t *testing.T) { // A2-20: never substituted silently
	for name, reply := range map[string]fakeagent.Reply{
		"an error":          {Error: &fakeagent.Error{Code: -32602, Message: "no entitlement for opus-4"}},
		"names another one": answer(t, options("model", "gpt-5", catalogue...)),
	} {
		_, err := launchOn(t, fakeagent.Script{NewSession: answer(t, options("model", "gpt-5", catalogue...)), SetOption: reply}, "opus-4")
		if f, ok := err.(*executor.Failure); !ok || f.Class != executor.FailedModel || f.Fix == "" {
			t.Errorf("%s: got %v, want a failure of the class model", name, err)
		}
	}
}

func TestModelSwitchedInTheTurnIsShown(t *testing.T) { // F-81, A2-21
	for _, c := range []struct {
		name      string
		turn      fakeagent.Turn
		effective string
		before    []string
	}{
		{"away", fakeagent.Turn{switched("b", "a", "b"), {Say: "ok"}}, "b", []string{"a"}},
		{"away and back", fakeagent.Turn{switched("b", "a", "b"), switched("a", "a", "b"), {Say: "ok"}}, "a", []string{"b"}},
		{"the same again", fakeagent.Turn{switched("a", "a", "b"), {Say: "ok"}}, "a", nil},
		{"many", append(repeatSwitches(20), fakeagent.Step{Say: "ok"}), "m19", []string{"a", "m0", "m1", "m2"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, err := launchOn(t, fakeagent.Script{Models: []string{"a", "b"}, Turns: []fakeagent.Turn{c.turn}}, "")
			if err != nil || r.ModelEffective != c.effective || !slices.Equal(r.ModelsBefore, c.before) {
				t.Errorf("got %q after %q, %v; want %q after %q", r.ModelEffective, r.ModelsBefore, err, c.effective, c.before)
			}
		})
	}
}

func repeatSwitches(n int) (turn fakeagent.Turn) {
	for i := range n {
		turn = append(turn, switched(fmt.Sprintf("m%d", i)))
	}
	return turn
}

// TestCatalogueIsShownBounded: routers offer hundreds of models, with names as long as they like.
func TestCatalogueIsShownBounded(t *testing.T) { // A2-20
	var many []string
	for i := range 300 {
		many = append(many, fmt.Sprintf("m%d-%s", i, strings.Repeat("é", 100)))
	}
	for _, ask := range []string{"none", "m", strings.Repeat("x", 3000)} {
		_, err := launchOn(t, fakeagent.Script{Models: many}, ask)
		f, ok := err.(*executor.Failure)
		if !ok || f.Class != executor.FailedModel || len(f.Message) > 20*120+400 || !strings.Contains(f.Message, "m0-") || !strings.Contains(f.Message, "280 more") {
			t.Errorf("%.20q: got %d bytes: %v", ask, len(f.Message), err)
		}
	}
}
