package executor_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/d3mlabs/ai-flow/executor"
	"github.com/d3mlabs/ai-flow/executor/agents"
	"github.com/d3mlabs/ai-flow/executor/permission"
	"github.com/d3mlabs/ai-flow/testsupport/fakeagent"
)

// asking is a step that asks for a command; the command's name tells receipts and refusals apart.
func asking(command string) fakeagent.Step {
	return fakeagent.Step{Call: &fakeagent.Call{Command: command, Ask: true}}
}

// fullAccess launches a full-access pass whose agent has the modes given.
func fullAccess(t *testing.T, via agents.Via, s fakeagent.Script) (*bench, executor.Report) {
	t.Helper()
	b := play(t, s)
	b.agent.Profile.Asking, b.agent.Profile.FullAccess, b.agent.Profile.Via = "agent", "yolo", via
	return b, b.mustLaunch(t, permission.FullAccess)
}

// answers lists what was allowed and what was refused.
func answers(r executor.Report) string {
	var b strings.Builder
	for _, a := range r.Receipts {
		fmt.Fprintf(&b, "+%s ", a.Command)
	}
	for _, a := range r.Refusals {
		fmt.Fprintf(&b, "-%s ", a.Command)
	}
	return strings.TrimSpace(b.String())
}

// The mode that counts is that of the moment of the request. The order is certain: each request waits for its answer.
func TestModeIsReadWhenTheRequestArrives(t *testing.T) { // A1-11 … A1-16
	both := []string{"plan", "agent", "yolo"}
	// Sent and not waited for: the fake agent reads no answer before it has answered itself.
	const early = `{"jsonrpc":"2.0","id":900,"method":"session/request_permission","params":{"sessionId":"{{session}}","toolCall":{"toolCallId":"e","kind":"execute","title":"one","rawInput":{"command":"one"}},` +
		`"options":[{"optionId":"a","kind":"allow_once","name":"Yes"},{"optionId":"r","kind":"reject_once","name":"No"}]}}`
	moved := func(to string) fakeagent.Step { return fakeagent.Step{Mode: to} }
	for _, c := range []struct {
		name   string
		script fakeagent.Script
		via    agents.Via
		want   string
	}{
		{"A1-12 out in the middle of a turn", fakeagent.Script{Modes: both, Turns: []fakeagent.Turn{{asking("one"), moved("plan"), asking("two"), {Say: "ok"}}}}, agents.ByMode, "+one -two"},
		{"A1-13 out of the asking mode", fakeagent.Script{Modes: both, Turns: []fakeagent.Turn{{asking("one"), moved("plan"), asking("two"), {Say: "ok"}}}}, agents.Callback, "+one -two"},
		{"A1-13 into full access by itself", fakeagent.Script{Modes: both, Turns: []fakeagent.Turn{{asking("one"), moved("yolo"), asking("two"), {Say: "ok"}}}}, agents.Callback, "+one -two"},
		{"A1-16 away and back within a turn", fakeagent.Script{Modes: both, Turns: []fakeagent.Turn{{moved("plan"), moved("yolo"), asking("one"), {Say: "ok"}}}}, agents.ByMode, "-one"},
		{"A1-16 away and back across turns", fakeagent.Script{Modes: both, Turns: []fakeagent.Turn{
			{moved("plan"), {Call: &fakeagent.Call{Command: "one", Ask: true, EndOnNo: "end_turn"}}}, {moved("yolo"), asking("two"), {Say: "ok"}}}}, agents.ByMode, "-one -two"},
		{"A1-15 the choice is not confirmed yet", fakeagent.Script{Modes: both, SetMode: fakeagent.Reply{Before: []fakeagent.Step{{Raw: early}}},
			Turns: []fakeagent.Turn{{asking("two"), {Say: "ok"}}}}, agents.ByMode, "+two -one"},
		{"A1-7 picked through the option", fakeagent.Script{NewSession: answer(t, options("mode", "plan", both...)), SetOption: answer(t, options("mode", "yolo", both...)),
			Turns: []fakeagent.Turn{{asking("one"), {Say: "ok"}}}}, agents.ByMode, "+one"},
		{"A1-15 the option says another mode", fakeagent.Script{NewSession: answer(t, options("mode", "plan", both...)), SetOption: answer(t, options("mode", "agent", both...)),
			Turns: []fakeagent.Turn{{asking("one"), {Say: "ok"}}}}, agents.ByMode, "-one"},
		{"A1-14 the choice of a model takes the mode with it", fakeagent.Script{NewSession: answer(t, append(options("mode", "plan", both...), options("model", "a", "a", "b")...)),
			SetOption: answer(t, append(options("mode", "yolo", both...), options("model", "a", "a", "b")...)), Turns: []fakeagent.Turn{{{Update: map[string]any{
				"sessionUpdate": "config_option_update", "configOptions": append(options("mode", "plan", both...), options("model", "b", "a", "b")...)}}, asking("one"), {Say: "ok"}}}}, agents.ByMode, "-one"},
		{"A1-9 a start in full access is not a choice", fakeagent.Script{Modes: []string{"yolo"}, SetMode: fakeagent.Reply{Error: &fakeagent.Error{Code: -1, Message: "no"}},
			Turns: []fakeagent.Turn{{asking("one"), {Say: "ok"}}}}, agents.ByMode, "-one"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, r := fullAccess(t, c.via, c.script)
			if got := answers(r); got != c.want {
				t.Errorf("got %q, want %q (mode %q)", got, c.want, r.Mode)
			}
		})
	}
}

// A launch starts with nothing: what an earlier session of the same agent was given is not the next one's.
func TestMarkDoesNotOutliveTheSession(t *testing.T) { // A1-17, A1-40
	turns := []fakeagent.Turn{{asking("one"), {Say: "ok"}}}
	b, r := fullAccess(t, agents.ByMode, fakeagent.Script{Modes: []string{"plan", "yolo"}, Turns: turns})
	if got := answers(r); got != "+one" {
		t.Fatalf("got %q", got)
	}
	b.agent.Args = fakeagent.Args(fakeagent.Script{Modes: []string{"yolo", "plan"}, Turns: turns, SetMode: fakeagent.Reply{Error: &fakeagent.Error{Code: -1, Message: "no"}}})
	if got := answers(b.mustLaunch(t, permission.FullAccess)); got != "-one" {
		t.Errorf("the next session: got %q", got)
	}
}

// Full access answers plain requests for tools and nothing else, whatever options they offer.
func TestOnlyPlainRequestsAreAnswered(t *testing.T) { // A1-2, A1-19 … A1-28
	extra := func(kind, title string, more map[string]any) fakeagent.Step {
		if more == nil {
			more = map[string]any{}
		}
		data, err := json.Marshal(more)
		if err != nil {
			t.Fatal(err)
		}
		return fakeagent.Step{Call: &fakeagent.Call{Command: "x", Kind: kind, Title: title, Ask: true, Extra: data}}
	}
	lastingFirst := []fakeagent.Option{{ID: "a", Kind: "allow_always", Name: "Always"}, {ID: "b", Kind: "allow_once", Name: "Once"}, {ID: "c", Kind: "reject_once", Name: "No"}}
	for _, c := range []struct {
		name string
		step fakeagent.Step
		want string
	}{
		{"A1-19 a command", asking("x"), "+x"},
		{"A1-2 a guard before something destructive", extra("delete", "Delete everything below a variable", nil), "+x"},
		{"A1-20 a question by the tool's name", extra("other", "AskUserQuestion", map[string]any{"name": "AskUserQuestion"}), "-x"},
		{"A1-20 a question by its input", extra("other", "Ask", map[string]any{"rawInput": map[string]any{"questions": []any{"Which one?"}}}), "-"},
		{"A1-21 leaving plan mode", extra("other", "ExitPlanMode", map[string]any{"name": "ExitPlanMode"}), "-x"},
		{"A1-21 a switch of mode", extra("switch_mode", "Go on", nil), "-x"},
		{"A1-22 trust of a folder", extra("other", "Do you trust the files in this folder?", nil), "-x"},
		{"A1-23 marked as interactive", extra("execute", "x", map[string]any{"_meta": map[string]any{"interactive": true}}), "-x"},
		{"A1-26 the lasting option first", fakeagent.Step{Call: &fakeagent.Call{Command: "x", Ask: true, Options: lastingFirst}}, "+x"},
		{"A1-27, A1-28 lasting options only", fakeagent.Step{Call: &fakeagent.Call{Command: "x", Ask: true, Options: []fakeagent.Option{lastingFirst[0], lastingFirst[2]}}}, "-x"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, r := fullAccess(t, agents.Callback, fakeagent.Script{Modes: []string{"agent"}, Turns: []fakeagent.Turn{{c.step, {Say: "ok"}}}})
			got := answers(r)
			if got != c.want && !(c.want == "-" && len(r.Receipts) == 0 && len(r.Refusals) == 1) {
				t.Errorf("got %q, want %q: %v", got, c.want, r.Refusals)
			}
		})
	}
}

func TestElicitationIsDeclinedElsewhere(t *testing.T) { // A1-24
	for _, method := range []string{"session/elicitation", "elicitation/create", "_vendor/ask_user"} {
		_, r := fullAccess(t, agents.Callback, fakeagent.Script{Modes: []string{"agent"}, Turns: []fakeagent.Turn{{{Request: method}}}})
		if answers(r) != "" || !strings.Contains(r.Text, "-32601") {
			t.Errorf("%s: got %q; the agent was told %q", method, answers(r), r.Text)
		}
	}
}
