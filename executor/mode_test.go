package executor_test

import (
	"strings"
	"testing"

	"github.com/d3mlabs/ai-flow/executor/agents"
	"github.com/d3mlabs/ai-flow/executor/permission"
	"github.com/d3mlabs/ai-flow/testsupport/fakeagent"
)

const modeURL = "https://agentclientprotocol.com/protocol/session-modes#"

// asksOnce is a turn with one request; the answer tells whether the pass had full access.
func asksOnce(before ...fakeagent.Step) []fakeagent.Turn {
	return []fakeagent.Turn{append(before, fakeagent.Step{Call: &fakeagent.Call{Command: "touch made", Ask: true, Run: true}}, fakeagent.Step{Say: "ok"})}
}

func TestModeOfThePass(t *testing.T) { // A0-3 … A0-8, A1-3, A1-7 … A1-16
	refusal := fakeagent.Reply{Error: &fakeagent.Error{Code: -32603, Message: "Internal error", Data: []byte(`{"details":"mode store is locked"}`)}}
	for _, c := range []struct {
		name    string
		script  fakeagent.Script
		via     agents.Via
		mode    string // in which the turn ran
		allowed bool
		logged  string
	}{
		{"asking mode by full id", fakeagent.Script{Modes: []string{"plan", modeURL + "agent"}, Turns: asksOnce()}, agents.Callback, modeURL + "agent", true, ""},
		{"unattended mode by full id", fakeagent.Script{Modes: []string{modeURL + "agent", modeURL + "autopilot"}, Turns: asksOnce()}, agents.ByMode, modeURL + "autopilot", true, ""},
		{"by suffix", fakeagent.Script{Modes: []string{"x#agent", "x#autopilot"}, Turns: asksOnce()}, agents.ByMode, "x#autopilot", true, ""},
		{"absent", fakeagent.Script{Modes: []string{"bypassPermissions", "other"}, Turns: asksOnce()}, agents.ByMode, "bypassPermissions", false, `"other"`},
		{"none advertised", fakeagent.Script{Turns: asksOnce()}, agents.Callback, "", true, "no modes"},
		{"set_mode fails", fakeagent.Script{Modes: []string{"plan", modeURL + "agent"}, SetMode: refusal, Turns: asksOnce()}, agents.Callback, "plan", false, "mode store is locked"},
		{"drifts away", fakeagent.Script{Modes: []string{modeURL + "agent", "plan"}, Turns: asksOnce(fakeagent.Step{Mode: "plan"})}, agents.Callback, "plan", false, ""},
		{"drifts into full access by itself", fakeagent.Script{Modes: []string{modeURL + "agent", modeURL + "autopilot"}, Turns: asksOnce(fakeagent.Step{Mode: modeURL + "autopilot"})}, agents.Callback, modeURL + "autopilot", false, ""},
		{"away and back", fakeagent.Script{Modes: []string{modeURL + "agent", "plan"}, Turns: asksOnce(fakeagent.Step{Mode: "plan"}, fakeagent.Step{Mode: modeURL + "agent"})}, agents.Callback, modeURL + "agent", false, ""},
		{"another mode than the one that was set", fakeagent.Script{Modes: []string{"acceptEdits", modeURL + "autopilot"},
			SetMode: fakeagent.Reply{Before: []fakeagent.Step{{Mode: "acceptEdits"}}}, Turns: asksOnce()}, agents.ByMode, "acceptEdits", false, ""}, // agents.md point 22
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := play(t, c.script)
			b.agent.Profile.Asking, b.agent.Profile.FullAccess, b.agent.Profile.Via = modeURL+"agent", modeURL+"autopilot", c.via
			r := b.mustLaunch(t, permission.FullAccess)
			if r.Mode != c.mode {
				t.Errorf("got mode %q, want %q", r.Mode, c.mode)
			}
			if got := len(r.Receipts) == 1; got != c.allowed || got == (len(r.Refusals) == 1) {
				t.Errorf("allowed %v, want %v: receipts %v, refusals %v", got, c.allowed, r.Receipts, r.Refusals)
			}
			if !strings.Contains(b.log.text(), c.logged) {
				t.Errorf("A0-6, A0-9: the log does not say %q:\n%s", c.logged, b.log.text())
			}
		})
	}
}

func TestColdStartIsRetriedOnce(t *testing.T) { // A0-8, A0-13
	for _, c := range []struct {
		failures int
		mode     string
	}{{1, modeURL + "agent"}, {2, "plan"}} { // a third attempt would succeed in the second case
		b := play(t, fakeagent.Script{Modes: []string{"plan", modeURL + "agent"},
			SetMode: fakeagent.Reply{First: c.failures, Error: &fakeagent.Error{Code: -32603, Message: "cold"}}})
		b.agent.Profile.Asking = modeURL + "agent"
		if r := b.mustLaunch(t, permission.ReadOnly); r.Mode != c.mode {
			t.Errorf("after %d failures: mode %q, want %q", c.failures, r.Mode, c.mode)
		}
	}
}

func TestFullAccessModeOfAnUnknownAgentLendsNothing(t *testing.T) { // A1-8
	b := play(t, fakeagent.Script{Modes: []string{"yolo", "ask"}, Turns: asksOnce()})
	r := b.mustLaunch(t, permission.FullAccess)
	if len(r.Receipts) != 0 || len(r.Refusals) != 1 || r.Mode != "yolo" {
		t.Errorf("got receipts %v, refusals %v in mode %q", r.Receipts, r.Refusals, r.Mode)
	}
}

func TestModelSwitchedBehindOurBackIsShown(t *testing.T) { // F-81, A2-20
	b := play(t, fakeagent.Script{Models: []string{"small", "large"}, SetModel: fakeagent.Reply{Before: []fakeagent.Step{{Update: map[string]any{
		"sessionUpdate": "config_option_update", "configOptions": []any{map[string]any{"type": "select", "id": "model", "name": "Model", "category": "model",
			"currentValue": "small", "options": []any{map[string]any{"value": "small", "name": "small"}, map[string]any{"value": "large", "name": "large"}}}}}}}}})
	task := b.task(permission.ReadOnly)
	task.Model = "large"
	r, err := b.agent.Launch(t.Context(), task)
	if err != nil || r.ModelAsked != "large" || r.ModelEffective != "small" {
		t.Errorf("asked %q, effective %q, error %v", r.ModelAsked, r.ModelEffective, err)
	}
}

func TestUntrustedContentIsNeverUpgraded(t *testing.T) { // A1-4
	b := play(t, fakeagent.Script{Turns: asksOnce()})
	task := b.task(permission.FullAccess)
	task.Policy.Trusted = false
	r, err := b.agent.Launch(t.Context(), task)
	if err != nil || len(r.Receipts) != 0 || len(r.Refusals) != 1 {
		t.Errorf("got receipts %v, refusals %v, error %v", r.Receipts, r.Refusals, err)
	}
}
