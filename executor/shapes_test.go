package executor_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/d3mlabs/ai-flow/executor"
	"github.com/d3mlabs/ai-flow/executor/permission"
	"github.com/d3mlabs/ai-flow/testsupport/fakeagent"
)

// opens is an answer to session/new with these members.
func opens(t *testing.T, members map[string]any) fakeagent.Reply {
	t.Helper()
	members["sessionId"] = "fake-session"
	data, err := json.Marshal(members)
	if err != nil {
		t.Fatal(err)
	}
	return fakeagent.Reply{Result: data}
}

func listed(current string, ids ...string) map[string]any {
	all := []any{}
	for _, id := range ids {
		all = append(all, map[string]any{"id": id, "name": id})
	}
	return map[string]any{"currentModeId": current, "availableModes": all}
}

// Agents of which no profile knows anything, and whose sessions and requests are odd and legal, work like the others, and are
// given no more.
func TestAgentsOfOddShapes(t *testing.T) { // A0-2, A0-6, A1-8, A1-26 … A1-28, A2-19, H5-05
	asks := []fakeagent.Turn{{asking("touch a"), {Say: "ok"}}}
	yes := fakeagent.Reply{Result: []byte("{}")}
	no := fakeagent.Reply{Error: &fakeagent.Error{Code: -32601, Message: "method not found"}}
	with := func(kind string, options ...fakeagent.Option) []fakeagent.Turn {
		c := fakeagent.Call{Command: "touch a", Ask: true, Options: options}
		if kind != "execute" {
			c.Extra = toolCall(t, map[string]any{"kind": map[string]any{"": nil}[kind]})
			if kind != "" {
				c.Extra = toolCall(t, map[string]any{"kind": kind})
			}
		}
		return []fakeagent.Turn{{{Call: &c}, {Say: "ok"}}}
	}
	option := func(id, kind string) fakeagent.Option { return fakeagent.Option{ID: id, Kind: kind, Name: id} }
	allowAll := func(value string) []any {
		return []any{map[string]any{"type": "select", "id": "allow_all", "name": "Allow All", "category": "permissions", "currentValue": value,
			"options": []any{map[string]any{"value": "on", "name": "On"}, map[string]any{"value": "off", "name": "Off"}}}}
	}
	for _, c := range []struct {
		name   string
		script fakeagent.Script
		mode   string
		want   string
	}{
		{"no modes", fakeagent.Script{Turns: asks}, "", "+touch a"},
		{"modes in the options alone", fakeagent.Script{NewSession: answer(t, options("mode", "ask", "ask", "yolo")), SetMode: no, SetOption: answer(t, options("mode", "ask", "ask", "yolo")), Turns: asks}, "ask", "+touch a"},
		{"an empty list of modes beside them", fakeagent.Script{NewSession: opens(t, map[string]any{"modes": map[string]any{"availableModes": []any{}}, "configOptions": options("mode", "ask", "ask")}),
			SetMode: no, SetOption: answer(t, options("mode", "ask", "ask")), Turns: asks}, "ask", "+touch a"},
		{"options without a menu", fakeagent.Script{NewSession: answer(t, options("mode", "ask")), SetMode: no, SetOption: answer(t, options("mode", "ask")), Turns: asks}, "ask", "+touch a"},
		{"a current mode and no list", fakeagent.Script{NewSession: opens(t, map[string]any{"modes": listed("ask")}), SetMode: yes, Turns: asks}, "ask", "+touch a"},
		{"a current mode that is not in the list", fakeagent.Script{NewSession: opens(t, map[string]any{"modes": listed("ask", "plan")}), SetMode: yes, Turns: asks}, "ask", "+touch a"},
		{"a full-access mode and no list", fakeagent.Script{NewSession: opens(t, map[string]any{"modes": listed("yolo")}), Turns: asks}, "yolo", "-touch a"},
		{"modes and options are null", fakeagent.Script{NewSession: opens(t, map[string]any{"modes": nil, "models": nil, "configOptions": nil}), Turns: asks}, "", "+touch a"},
		{"another option allows all from the start", fakeagent.Script{NewSession: opens(t, map[string]any{"modes": listed("ask", "ask"), "configOptions": allowAll("on")}), SetMode: yes, Turns: asks}, "ask", "-touch a"},
		{"and does not", fakeagent.Script{NewSession: opens(t, map[string]any{"modes": listed("ask", "ask"), "configOptions": allowAll("off")}), SetMode: yes, Turns: asks}, "ask", "+touch a"},
		{"it is switched on and off by the agent", fakeagent.Script{NewSession: opens(t, map[string]any{"modes": listed("ask", "ask"), "configOptions": allowAll("off")}), SetMode: yes, Turns: []fakeagent.Turn{{
			{Update: map[string]any{"sessionUpdate": "config_option_update", "configOptions": allowAll("on")}},
			{Update: map[string]any{"sessionUpdate": "config_option_update", "configOptions": allowAll("off")}}, asking("touch a"), {Say: "ok"}}}}, "ask", "-touch a"},
		{"lasting allows alone", fakeagent.Script{Turns: with("execute", option("a", "allow_always"), option("b", "allow_always"), option("r", "reject_once"))}, "", "-touch a"},
		{"one id for two options", fakeagent.Script{Turns: with("execute", option("a", "allow_always"), option("a", "allow_once"), option("r", "reject_once"))}, "", "-touch a"},
		{"the same option twice", fakeagent.Script{Turns: with("execute", option("a", "allow_once"), option("a", "allow_once"), option("r", "reject_once"))}, "", "+touch a"},
		{"kinds of options that nobody knows", fakeagent.Script{Turns: with("execute", option("x", "allow_for_now"), option("a", "allow_once"), option("y", "escalate"))}, "", "+touch a"},
		{"those alone", fakeagent.Script{Turns: with("execute", option("x", "allow_for_now"), option("y", "escalate"))}, "", "-touch a"},
		{"a call without a kind", fakeagent.Script{Turns: with("")}, "", "+touch a"},
		{"a call of a kind that nobody knows", fakeagent.Script{Turns: with("deploy")}, "", "+touch a"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := play(t, c.script)
			b.agent.Binary, b.agent.Profile.Status = b.agent.Self, 0
			r := b.mustLaunch(t, permission.FullAccess)
			if got := answers(r); got != c.want || r.Mode != c.mode || r.Text != "ok" {
				t.Errorf("got %q in mode %q, want %q in %q; %q\n%s", got, r.Mode, c.want, c.mode, r.Text, b.log.text())
			}
			if r.Access.Asking != executor.AskingUnproven {
				t.Errorf("it is called %v", r.Access.Asking)
			}
		})
	}
}

// Each kind of update and of content that the schema of the protocol has is either understood or passed over.
func TestEveryKindOfContent(t *testing.T) {
	blocks := []any{
		map[string]any{"type": "text", "text": "one"},
		map[string]any{"type": "image", "data": "AAAA", "mimeType": "image/png"},
		map[string]any{"type": "audio", "data": "AAAA", "mimeType": "audio/wav"},
		map[string]any{"type": "resource_link", "uri": "file:///x", "name": "x"},
		map[string]any{"type": "resource", "resource": map[string]any{"uri": "file:///x", "text": " two"}},
		map[string]any{"type": "resource", "resource": map[string]any{"uri": "file:///x", "blob": "AAAA"}},
		map[string]any{"type": "hologram", "light": []any{1, nil, true}},
	}
	var turn fakeagent.Turn
	update := func(u map[string]any) { turn = append(turn, fakeagent.Step{Update: u}) }
	for i, b := range blocks {
		for _, kind := range []string{"agent_message_chunk", "user_message_chunk", "agent_thought_chunk"} {
			update(map[string]any{"sessionUpdate": kind, "content": b})
		}
		update(map[string]any{"sessionUpdate": "tool_call_update", "toolCallId": "c", "kind": "execute", "title": "t", "status": "in_progress",
			"content": append([]any{map[string]any{"type": "terminal", "terminalId": "x"}, map[string]any{"type": "diff", "path": "a", "oldText": nil, "newText": "x: Permission denied"}},
				map[string]any{"type": "content", "content": b})})
		if i == len(blocks)-1 {
			update(map[string]any{"sessionUpdate": "tool_call_update", "toolCallId": "c", "status": "failed",
				"content": []any{map[string]any{"type": "content", "content": map[string]any{"type": "resource", "resource": map[string]any{"uri": "x", "text": "cat: /etc/shadow: Permission denied"}}}}})
		}
	}
	for _, u := range []map[string]any{
		{"sessionUpdate": "plan", "entries": []any{map[string]any{"content": "x", "priority": "high", "status": "pending"}}},
		{"sessionUpdate": "available_commands_update", "availableCommands": []any{map[string]any{"name": "x", "description": "y", "input": nil}}},
		{"sessionUpdate": "config_option_update", "configOptions": []any{}},
		{"sessionUpdate": "session_info_update", "title": "x"},
		{"sessionUpdate": "usage_update", "used": 1, "size": 2},
		{"sessionUpdate": "of_a_later_version", "x": 1}, {"sessionUpdate": 7}, {},
	} {
		update(u)
	}
	b := play(t, fakeagent.Script{Turns: []fakeagent.Turn{turn}})
	r := b.mustLaunch(t, permission.ReadOnly)
	if r.Text != "one\n\ntwo" || len(r.Steps) != 1 || len(r.Wants) != 1 || r.Wants[0].Subject != "/etc/shadow" {
		t.Errorf("got %q, steps %+v, wants %+v", r.Text, r.Steps, r.Wants)
	}
	if strings.Contains(b.log.text(), "noise: ") {
		t.Errorf("a legal message is noise:\n%s", b.log.text())
	}
}
