package commands

import (
	"context"
	"os"
	"slices"
	"testing"

	"github.com/d3mlabs/ai-flow/executor"
	"github.com/d3mlabs/ai-flow/executor/agents"
	"github.com/d3mlabs/ai-flow/executor/permission"
	"github.com/d3mlabs/ai-flow/isolation"
	"github.com/d3mlabs/ai-flow/render"
	"github.com/d3mlabs/ai-flow/testsupport/fakeagent"
)

func TestMain(m *testing.M) {
	fakeagent.Main()
	os.Exit(m.Run())
}

// scripted is a real agent process, launched by the real executor, whose script is written once its room is known.
type scripted struct {
	executor.Agent
	script func(room *isolation.Room, tree string) fakeagent.Script
}

func (a *scripted) Launch(ctx context.Context, t executor.Task) (executor.Report, error) {
	a.Args = fakeagent.Args(a.script(t.Room, t.Dir))
	return a.Agent.Launch(ctx, t)
}

func newScripted(t *testing.T, log executor.Log, script func(room *isolation.Room, tree string) fakeagent.Script) *scripted {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	id, err := isolation.Unisolated(false)
	if err != nil {
		t.Fatal(err)
	}
	state := t.TempDir()
	if err := os.Chmod(state, 0o700); err != nil {
		t.Fatal(err)
	}
	return &scripted{script: script, Agent: executor.Agent{
		Profile: agents.Profile{Name: "fake", Title: "Fake agent", Status: agents.BuiltIn, Via: agents.Callback}, Self: self, Identity: id,
		Room: isolation.OpenOptions{StateDir: state, TempDir: t.TempDir()}, Environ: os.Environ(), Log: log,
		Extra: map[string]string{"GORACE": "atexit_sleep_ms=0"}, // a program with the race detector sleeps a second at its end
	}}
}

// asks is a request for a change of a file; then is done where it is allowed.
func asks(kind, command, path string, then ...fakeagent.Step) []fakeagent.Step {
	call := fakeagent.Call{Kind: kind, Command: command, Title: kind + " " + path, Ask: true, Open: true, Refused: []fakeagent.Step{{Say: "Refused " + kind + ".\n"}}}
	if path != "" {
		call.Paths = []string{path}
	}
	return append([]fakeagent.Step{{Call: &call}}, then...)
}

// What strangers have written gives an /edit no full access, and it needs none: it may change its own copy of the document,
// and what else it asks for is refused and becomes a want.
func TestUntrustedEdit(t *testing.T) {
	tests := []struct {
		name, policy string
		trusted      bool
		refused      []string // kinds, in order
		lands        bool
	}{
		{"untrusted", "", false, []string{"edit", "edit", "edit", "execute", "delete"}, true},
		{"full_access: false", "permissions: { full_access: false }", true, []string{"edit", "edit", "edit", "execute", "delete"}, true},
		{"a deny rule goes first", "permissions: { deny: [ { kind: edit } ] }", false, []string{"edit", "edit", "edit", "execute", "delete", "edit"}, false},
		{"an ask rule goes first", "permissions: { ask: [ { match: \"**/document.md\" } ] }", false, []string{"edit", "edit", "edit", "execute", "delete", "edit"}, false},
		{"deny_all goes first", "permissions: { deny_all: true }", false, []string{"edit", "edit", "edit", "execute", "delete", "edit"}, false},
		{"trusted", "", true, nil, true},
	}
	s := newStage(t, "one\n")
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s.t = t
			scene{t: t}.put(s.document, "one\n")
			var err error
			if s.flow.Policy, err = ParsePolicy([]byte(tt.policy), "the file"); err != nil {
				t.Fatal(err)
			}
			log := &sayings{}
			s.flow.Agent = newScripted(t, log, func(room *isolation.Room, tree string) fakeagent.Script {
				own := room.Path(documentFile)
				change := &fakeagent.Call{Title: "the change that was allowed", Kind: "think", Silent: true}
				turn := slices.Concat(
					asks("edit", "", tree+"/README.md"),
					asks("edit", "", own+"/../../x"),
					asks("edit", "", ""),
					asks("execute", "touch "+own, own),
					asks("delete", "", own),
					asks("edit", "", own, fakeagent.Step{Call: change}),
				)
				ask := turn[len(turn)-2].Call
				ask.EndOnNo = "end_turn"
				// A real agent writes by itself once it may; the fake one has a shell for that.
				change.Run, change.Command = true, "echo two >> "+own
				return fakeagent.Script{Turns: []fakeagent.Turn{turn, {{Say: "That is all."}}}}
			})
			c, err := Parse("/edit add two", "")
			if err != nil {
				t.Fatal(err)
			}
			out := s.flow.Run(t.Context(), Request{Comment: c, Surface: PullRequest, Number: 1, Trusted: tt.trusted})
			checkOutcome(t, out)
			if lands := s.body() == "one\ntwo\n"; lands != tt.lands {
				t.Errorf("%v %q: the document is %q\n%s", out.Result.Outcome, out.Result.Headline, s.body(), log)
			}
			var refused []string
			for _, r := range out.Report.Refused {
				refused = append(refused, r.Kind)
			}
			if !slices.Equal(refused, tt.refused) {
				t.Errorf("refused %q, want %q\n%s", refused, tt.refused, log)
			}
			if wants := len(out.Report.Wants) > 0; wants != (len(tt.refused) > 0) || tt.lands && wants && out.Result.Outcome != render.Restricted {
				t.Errorf("%v with wants %+v", out.Result.Outcome, out.Report.Wants)
			}
		})
	}
}

// The narrow permission is for the one path as it stands, and for /edit alone.
func TestPermissionsOfAPass(t *testing.T) {
	s := newStage(t, "text\n")
	s.agent.say = []string{"a"}
	shared := make([]permission.Rule, 0, 4)
	s.flow.Policy.Permissions.Allow = shared
	for comment, want := range map[string]int{"/ask x": 0, "/edit x": 1, "/build x": 0} {
		s.agent.tasks = nil
		c, err := Parse(comment, "")
		if err != nil {
			t.Fatal(err)
		}
		s.flow.Run(t.Context(), Request{Comment: c})
		task := s.agent.tasks[0]
		if len(task.Policy.Allow) != want || task.Policy.Trusted {
			t.Errorf("%s: %+v", comment, task.Policy)
		}
		if want == 1 && task.Policy.Allow[0] != (permission.Rule{Kind: "edit", Match: task.Room.Path(documentFile)}) {
			t.Errorf("%s: %+v", comment, task.Policy.Allow)
		}
	}
	if shared[:1][0] != (permission.Rule{}) {
		t.Error("a permission of one run is left in the policy of all")
	}
}
