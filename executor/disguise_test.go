package executor_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/d3mlabs/ai-flow/executor/permission"
	"github.com/d3mlabs/ai-flow/testsupport/fakeagent"
)

// toolCall is what a request says of its call, beside what the script says.
func toolCall(t *testing.T, members map[string]any) json.RawMessage {
	t.Helper()
	data, err := json.Marshal(members)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func locations(paths ...string) (all []any) {
	for _, p := range paths {
		all = append(all, map[string]any{"path": p})
	}
	return all
}

func numbered(n int, last ...string) (paths []string) {
	for i := range n {
		paths = append(paths, fmt.Sprintf("src/%d.go", i))
	}
	return append(paths, last...)
}

// What a rule is to judge can neither be too much to be kept, nor stand where the rule does not look, nor be said of the call before
// or after.
func TestRulesSeeAllThatIsAsked(t *testing.T) {
	pad := strings.Repeat("x", 64<<10)
	push := permission.Policy{Deny: []permission.Rule{{Kind: "execute", Match: "git push*"}}}
	secrets := permission.Policy{Deny: []permission.Rule{{Kind: "edit", Match: "secrets/**"}}}
	around := "src/" + strings.Repeat("a/../", 200) + "../secrets/key"
	edit := func(id string, announced, asked []string) []fakeagent.Step {
		call := fakeagent.Call{ID: id, Kind: "edit", Title: "Edit files", Paths: announced, Ask: true}
		if asked == nil {
			call.Extra = toolCall(t, map[string]any{"locations": []any{}})
		} else {
			call.Extra = toolCall(t, map[string]any{"locations": locations(asked...)})
		}
		return []fakeagent.Step{{Call: &call}}
	}
	command := func(announced string, rawInput map[string]any) []fakeagent.Step {
		return []fakeagent.Step{{Call: &fakeagent.Call{ID: "c", Command: announced, Title: "Run", Ask: true, Extra: toolCall(t, map[string]any{"rawInput": rawInput})}}}
	}
	for _, c := range []struct {
		name    string
		pass    permission.Pass
		policy  permission.Policy
		steps   []fakeagent.Step
		allowed bool
	}{
		{"a command whose end is too far away", permission.FullAccess, push, command("", map[string]any{"command": "echo " + pad + "; git push", "path": "a"}), false},
		{"and under an allow rule", permission.ReadOnly, permission.Policy{Allow: []permission.Rule{{Kind: "execute", Match: "go test *"}}},
			command("", map[string]any{"command": "go test " + pad + "; git push", "path": "a"}), false},
		{"as a list of words", permission.FullAccess, push, command("", map[string]any{"command": []string{"echo", pad, ";", "git push"}, "path": "a"}), false},
		{"a long command", permission.FullAccess, push, command("", map[string]any{"command": "cat >a <<'E'\n" + pad[:20<<10] + "\nE"}), true},
		{"a list with what is no word", permission.FullAccess, push, command("", map[string]any{"command": []any{"git", map[string]any{"word": "push"}}}), false},
		{"a command that is no text", permission.FullAccess, push, command("", map[string]any{"command": map[string]any{"line": "git push"}}), false},
		{"several commands", permission.FullAccess, push, command("", map[string]any{"commands": []string{"git status", "git push"}}), false},
		{"several that may run", permission.FullAccess, push, command("", map[string]any{"commands": []string{"git status", "git log -1"}}), true},
		{"another one than was announced", permission.FullAccess, push, command("git push", map[string]any{"command": "git status"}), false},
		{"the rest of one that was announced in part", permission.FullAccess, push, command("git", map[string]any{"command": "git status"}), true},
		{"one path of many", permission.FullAccess, secrets, edit("c", nil, numbered(2000, "secrets/key")), false},
		{"one path of many, announced only", permission.FullAccess, secrets, edit("c", numbered(20, "secrets/key"), nil), false},
		{"a long way around, announced only", permission.FullAccess, secrets, edit("c", []string{around}, nil), false},
		{"a longer way around", permission.FullAccess, secrets, edit("c", nil, []string{strings.Repeat("a/../", 900) + "secrets/key"}), false},
		{"announced and not asked for", permission.FullAccess, secrets, edit("c", []string{"secrets/key"}, []string{"src/a.go"}), false},
		{"below the directory of the call", permission.FullAccess, secrets, []fakeagent.Step{{Call: &fakeagent.Call{ID: "c", Kind: "edit", Title: "Edit", Ask: true,
			Extra: toolCall(t, map[string]any{"rawInput": map[string]any{"path": "key", "cwd": "secrets"}})}}}, false},
		{"a refactoring of many files", permission.FullAccess, secrets, edit("c", numbered(100), numbered(100)), true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := play(t, fakeagent.Script{Turns: []fakeagent.Turn{append(c.steps, fakeagent.Step{Say: "ok"})}})
			task := b.task(c.pass)
			task.Policy.Deny, task.Policy.Allow = c.policy.Deny, c.policy.Allow
			r, err := b.agent.Launch(t.Context(), task)
			if err != nil {
				t.Fatal(err)
			}
			if allowed := len(r.Refusals) == 0; allowed != c.allowed || (c.pass == permission.FullAccess && allowed != (len(r.Receipts) == 1)) {
				t.Errorf("allowed %v, want %v: refusals %.300v", allowed, c.allowed, r.Refusals)
			}
		})
	}
}

// An approval is of what was asked for: what the agent says later of the same call ran unasked.
func TestAnApprovalIsOfOneCommand(t *testing.T) {
	for _, c := range []struct {
		name    string
		turn    fakeagent.Turn
		unasked int
	}{
		{"as it was asked for", fakeagent.Turn{{Call: &fakeagent.Call{ID: "c", Command: "true", Ask: true, Run: true}}}, 0},
		{"changed after the answer", fakeagent.Turn{{Call: &fakeagent.Call{ID: "c", Command: "true", Ask: true, Run: true}},
			{Update: map[string]any{"sessionUpdate": "tool_call_update", "toolCallId": "c", "status": "completed", "rawInput": map[string]any{"command": "rm -rf x"}}}}, 1},
		{"the id used again", fakeagent.Turn{{Call: &fakeagent.Call{ID: "c", Command: "true", Ask: true, Run: true}}, {Call: &fakeagent.Call{ID: "c", Command: "rm -rf x", Run: true}}}, 1},
		{"asked for again", fakeagent.Turn{{Call: &fakeagent.Call{ID: "c", Command: "true", Ask: true, Run: true}}, {Call: &fakeagent.Call{ID: "c", Command: "false", Ask: true, Run: true}}}, 0},
		{"refused under an id that had an approval", fakeagent.Turn{{Call: &fakeagent.Call{ID: "c", Command: "true", Ask: true, Run: true}},
			{Call: &fakeagent.Call{ID: "c", Command: "git push", Ask: true, Refused: []fakeagent.Step{{Call: &fakeagent.Call{ID: "c", Command: "git push", Run: true}}}}}}, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := play(t, fakeagent.Script{Turns: []fakeagent.Turn{append(c.turn, fakeagent.Step{Say: "ok"})}})
			task := b.task(permission.FullAccess)
			task.Policy.Deny = []permission.Rule{{Kind: "execute", Match: "git push*"}}
			r, err := b.agent.Launch(t.Context(), task)
			if err != nil || r.Unasked != c.unasked {
				t.Errorf("%d unasked, want %d; %v %+v", r.Unasked, c.unasked, err, r.Steps)
			}
		})
	}
}

// What an agent asks when no turn of ours runs is answered no.
func TestNothingIsAllowedOutsideATurn(t *testing.T) { // F-79, A2-42
	b := play(t, fakeagent.Script{Turns: []fakeagent.Turn{{{Say: "ok"}, {End: "end_turn"}, {Sleep: 200e6}, asking("late")}}, IgnoreEOF: true})
	r, err := b.agent.Launch(t.Context(), b.task(permission.FullAccess))
	if err != nil || len(r.Receipts) != 0 {
		t.Errorf("got %+v, %v", r.Receipts, err)
	}
}

// A receipt shows what was allowed, whatever was done to hide it (A1-29, A1-31).
func TestReceiptsHideNothing(t *testing.T) {
	hidden := strings.Repeat("x", 2000)
	for _, c := range []struct {
		name string
		call fakeagent.Call
		want []string
		not  string
	}{
		{"a terminal sequence", fakeagent.Call{Command: "true \x1b]; rm -rf important; \a"}, []string{"rm -rf important", `\x1b`}, "\x1b"},
		{"turned around", fakeagent.Call{Command: "cat \u202egnp.exe"}, []string{`\u202e`}, "\u202e"},
		{"what shows nothing", fakeagent.Call{Command: "rm a\u200bb \u3164"}, []string{`a\u200bb`, `\u3164`}, "\u200b"},
		{"a line behind a comment", fakeagent.Call{Command: "# see below\nrm -rf x"}, []string{"# see below ⏎ rm -rf x"}, "\n"},
		{"behind much white space", fakeagent.Call{Command: "true" + strings.Repeat(" ", 2000) + "; rm -rf x"}, []string{"true ; rm -rf x"}, ""},
		{"behind much else", fakeagent.Call{Command: "echo " + hidden + "; rm -rf x"}, []string{"echo xxx", "bytes left out", "; rm -rf x"}, ""},
		{"a title that speaks of another file", fakeagent.Call{Kind: "edit", Title: "Tidy up README.md", Paths: []string{"a/b", "/etc/passwd"}}, []string{"a/b", "/etc/passwd"}, ""},
		{"a command that is a word of a tool's", fakeagent.Call{Kind: "edit", Command: "create", Paths: []string{"/etc/passwd"}}, []string{"create", "/etc/passwd"}, ""},
		{"a command with its own path", fakeagent.Call{Command: "cat a/b", Paths: []string{"a/b"}}, []string{"cat a/b"}, "a/b (a/b)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.call.Ask = true
			b := play(t, fakeagent.Script{Turns: []fakeagent.Turn{{{Call: &c.call}, {Say: "ok"}}}})
			r := b.mustLaunch(t, permission.FullAccess)
			if len(r.Receipts) != 1 || r.Approved != 1 {
				t.Fatalf("got %v, %v", r.Receipts, r.Refusals)
			}
			log := ""
			for line := range strings.SplitSeq(b.log.text(), "\n") {
				if strings.Contains(line, "approved: ") {
					log += line
				}
			}
			for where, got := range map[string]string{"receipt": r.Receipts[0].Action(), "log": log} {
				for _, want := range c.want {
					if !strings.Contains(got, want) {
						t.Errorf("%s: %q is not in %q", where, want, got)
					}
				}
				if c.not != "" && strings.Contains(got, c.not) || len(got) > 800 {
					t.Errorf("%s: got %q", where, got)
				}
			}
		})
	}
}

// What says nothing leaves no receipt that could be read, so it is not allowed.
func TestAnActionWithoutAName(t *testing.T) {
	b := play(t, fakeagent.Script{Turns: []fakeagent.Turn{{{Call: &fakeagent.Call{Silent: true, Ask: true, Kind: "edit", Title: "x", Extra: toolCall(t, map[string]any{"title": nil})}}, {Say: "ok"}}}})
	if r := b.mustLaunch(t, permission.FullAccess); len(r.Receipts) != 0 || len(r.Refusals) != 1 {
		t.Errorf("got %+v, %+v", r.Receipts, r.Refusals)
	}
}
