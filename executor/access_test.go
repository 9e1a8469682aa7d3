package executor_test

import (
	"strings"
	"testing"

	"github.com/d3mlabs/ai-flow/executor"
	"github.com/d3mlabs/ai-flow/executor/agents"
	"github.com/d3mlabs/ai-flow/executor/permission"
	"github.com/d3mlabs/ai-flow/testsupport/fakeagent"
)

// unasked is a turn with a command that the agent does not ask for, and one that it asks for.
func unasked() []fakeagent.Turn {
	return []fakeagent.Turn{{{Call: &fakeagent.Call{Command: "true", Run: true}}, {Call: &fakeagent.Call{Command: "touch made", Ask: true, Run: true}}, {Say: "ok"}}}
}

func TestWayOfFullAccess(t *testing.T) { // A1-1, A1-4, A1-5, A2-15; full_access_via of the policy file
	rule := []permission.Rule{{Kind: "execute", Match: "git push*"}}
	both := []string{"plan", "agent", "yolo"}
	for _, c := range []struct {
		name    string
		profile agents.Profile
		via     agents.Via
		policy  permission.Policy
		modes   []string
		want    executor.Access
		mode    string
		unasked int
		allowed bool
	}{
		{"the profile's callback", agents.Profile{Via: agents.Callback}, 0, permission.Policy{}, both,
			executor.Access{Via: agents.Callback, Asking: executor.AskingVerified}, "agent", 1, true},
		{"the profile's mode", agents.Profile{Via: agents.ByMode}, 0, permission.Policy{}, both,
			executor.Access{Via: agents.ByMode, Unrecorded: true}, "yolo", 0, true},
		{"the policy's mode", agents.Profile{Via: agents.Callback}, agents.ByMode, permission.Policy{}, both,
			executor.Access{Via: agents.ByMode, Unrecorded: true}, "yolo", 0, true},
		{"the policy's callback", agents.Profile{Via: agents.ByMode}, agents.Callback, permission.Policy{}, both,
			executor.Access{Via: agents.Callback, Asking: executor.AskingVerified}, "agent", 1, true},
		{"a profile without an unattended mode", agents.Profile{Via: agents.Callback, FullAccess: "-"}, agents.ByMode, permission.Policy{}, both,
			executor.Access{Via: agents.Callback, Instead: executor.NoUnattendedMode, Asking: executor.AskingVerified}, "agent", 1, true},
		{"a deny rule wins over the mode", agents.Profile{Via: agents.ByMode}, agents.ByMode, permission.Policy{Deny: rule}, both,
			executor.Access{Via: agents.Callback, Instead: executor.RulesDecide, Asking: executor.AskingVerified}, "agent", 1, true},
		{"an ask rule too", agents.Profile{Via: agents.ByMode}, 0, permission.Policy{Ask: rule}, both,
			executor.Access{Via: agents.Callback, Instead: executor.RulesDecide, Asking: executor.AskingVerified}, "agent", 1, true},
		{"deny_all", agents.Profile{Via: agents.ByMode}, agents.ByMode, permission.Policy{DenyAll: true}, both,
			executor.Access{Asking: executor.AskingVerified}, "agent", 1, false},
		{"the mode is not advertised", agents.Profile{Via: agents.ByMode}, 0, permission.Policy{}, []string{"plan", "agent"},
			executor.Access{Via: agents.ByMode, Asking: executor.AskingUnproven}, "plan", 1, false},
		{"it starts in the mode, which nobody chose", agents.Profile{Via: agents.ByMode, Asking: "refuses"}, 0, permission.Policy{}, []string{"yolo", "agent"},
			executor.Access{Via: agents.ByMode, Asking: executor.AskingUnproven}, "yolo", 1, false},
		{"no modes at all", agents.Profile{Via: agents.ByMode}, 0, permission.Policy{}, nil,
			executor.Access{Via: agents.ByMode, Asking: executor.AskingUnproven}, "", 1, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			script := fakeagent.Script{Modes: c.modes, Turns: unasked()}
			if c.profile.Asking == "refuses" {
				script.SetMode.Error = &fakeagent.Error{Code: -32603, Message: "no"}
			}
			b := play(t, script)
			p := &b.agent.Profile
			p.Asking, p.FullAccess, p.Via = "agent", "yolo", c.profile.Via
			if c.profile.FullAccess == "-" {
				p.FullAccess = ""
			}
			task := b.task(permission.FullAccess)
			task.Via = c.via
			task.Policy.Deny, task.Policy.Ask, task.Policy.DenyAll = c.policy.Deny, c.policy.Ask, c.policy.DenyAll
			r, err := b.agent.Launch(t.Context(), task)
			if err != nil || r.Access != c.want || r.Mode != c.mode {
				t.Errorf("got %+v in mode %q, %v; want %+v in %q", r.Access, r.Mode, err, c.want, c.mode)
			}
			if r.Unasked != c.unasked || r.Approved != len(r.Receipts) || (r.Approved == 1) != c.allowed {
				t.Errorf("unasked %d, want %d; approved %d of %v", r.Unasked, c.unasked, r.Approved, r.Receipts)
			}
		})
	}
}

func TestAskingIsVerified(t *testing.T) { // A2-19, A2-21; behaviour.md section 6
	both := []string{"auto", "ask"}
	modesAndModel := fakeagent.Reply{Result: []byte(`{"sessionId":"fake-session","modes":{"currentModeId":"auto","availableModes":[{"id":"auto"},{"id":"ask"}]},` +
		`"configOptions":[{"id":"model","category":"model","currentValue":"gpt-5","options":[{"value":"gpt-5"},{"value":"opus-4"}]}]}`)}
	moved := fakeagent.Reply{Before: []fakeagent.Step{{Mode: "auto"}}}
	for _, c := range []struct {
		name   string
		script fakeagent.Script
		status agents.Status
		asking string // the profile's
		model  string
		want   executor.Asking
	}{
		{"set and held", fakeagent.Script{Modes: both}, agents.Qualified, "ask", "", executor.AskingVerified},
		{"a candidate", fakeagent.Script{Modes: both}, agents.Candidate, "ask", "", executor.AskingCandidate},
		{"not advertised", fakeagent.Script{Modes: []string{"auto"}}, agents.Qualified, "ask", "", executor.AskingUnproven},
		{"no modes at all", fakeagent.Script{}, agents.Qualified, "ask", "", executor.AskingUnproven},
		{"no mode is known", fakeagent.Script{Modes: both}, agents.Qualified, "", "", executor.AskingUnproven},
		{"set_mode fails", fakeagent.Script{Modes: both, SetMode: fakeagent.Reply{Error: &fakeagent.Error{Code: -1, Message: "no"}}}, agents.Qualified, "ask", "", executor.AskingUnproven},
		{"success means another mode", fakeagent.Script{Modes: both, SetMode: moved}, agents.Qualified, "ask", "", executor.AskingUnproven},
		{"the option answers with another mode", fakeagent.Script{NewSession: answer(t, options("mode", "auto", both...)), SetOption: answer(t, options("mode", "auto", both...))}, agents.Qualified, "ask", "", executor.AskingUnproven},
		{"the option answers with the mode", fakeagent.Script{NewSession: answer(t, options("mode", "auto", both...)), SetOption: answer(t, options("mode", "ask", both...))}, agents.Qualified, "ask", "", executor.AskingVerified},
		{"the choice of a model moves it", fakeagent.Script{Modes: both, Models: catalogue, SetModel: moved}, agents.Qualified, "ask", "opus-4", executor.AskingUnproven},
		{"the answer about the model says that it moved", fakeagent.Script{Modes: both, NewSession: modesAndModel,
			SetOption: answer(t, append(options("mode", "auto", both...), options("model", "opus-4", catalogue...)...))}, agents.Qualified, "ask", "opus-4", executor.AskingUnproven},
		{"the answer about the model says that it did not", fakeagent.Script{Modes: both, NewSession: modesAndModel,
			SetOption: answer(t, append(options("mode", "ask", both...), options("model", "opus-4", catalogue...)...))}, agents.Qualified, "ask", "opus-4", executor.AskingVerified},
		{"it drifts in the turn", fakeagent.Script{Modes: both, Turns: []fakeagent.Turn{{{Mode: "auto"}, {Say: "ok"}}}}, agents.Qualified, "ask", "", executor.AskingUnproven},
		{"away and back in the turn", fakeagent.Script{Modes: both, Turns: []fakeagent.Turn{{{Mode: "auto"}, {Mode: "ask"}, {Say: "ok"}}}}, agents.Qualified, "ask", "", executor.AskingUnproven},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := play(t, c.script)
			b.agent.Binary, b.agent.Profile.Status, b.agent.Profile.Asking = b.agent.Self, c.status, c.asking
			task := b.task(permission.ReadOnly)
			task.Model = c.model
			r, err := b.agent.Launch(t.Context(), task)
			if err != nil || r.Access != (executor.Access{Asking: c.want}) {
				t.Errorf("got %+v, %v; want %v\n%s", r.Access, err, c.want, b.log.text())
			}
		})
	}
}

func TestApprovalIsOneQuietLine(t *testing.T) { // A1-29 … A1-33
	long := "echo " + strings.Repeat("é", 2000)
	b := play(t, fakeagent.Script{Turns: []fakeagent.Turn{{
		{Call: &fakeagent.Call{Command: "rm -rf\n'build'; ::error::", Ask: true}},
		{Call: &fakeagent.Call{Command: long, Ask: true}},
		{Call: &fakeagent.Call{Command: "go version", Ask: true}},
		{Say: "ok"}}}})
	task := b.task(permission.FullAccess)
	task.Policy.Allow = []permission.Rule{{Kind: "execute", Match: "go version"}}
	r, err := b.agent.Launch(t.Context(), task)
	if err != nil || r.Approved != 2 || len(r.Receipts) != 2 || !strings.HasPrefix(r.Receipts[0].Rule, "full access (") {
		t.Fatalf("got %d approved, receipts %v, error %v", r.Approved, r.Receipts, err)
	}
	var approved []string
	for line := range strings.SplitSeq(b.log.text(), "\n") {
		if strings.Contains(line, "approved: ") {
			approved = append(approved, line)
		}
	}
	if len(approved) != 2 || !strings.Contains(approved[0], "approved: rm -rf ⏎ 'build'; ::error:: (full access (") || len(approved[1]) > 700 {
		t.Errorf("A1-30, A1-31: got %q", approved)
	}
	if !strings.Contains(b.log.text(), "permission allowed: execute go version") {
		t.Error("A1-32: what a rule allowed is not told apart")
	}
	for _, e := range b.log.events {
		if e.Kind == executor.EventRefused || e.Kind == executor.EventWant {
			t.Errorf("A1-33: an approval made the event %+v", e)
		}
	}
}
