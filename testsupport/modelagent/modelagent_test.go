package modelagent_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/d3mlabs/ai-flow/denials"
	"github.com/d3mlabs/ai-flow/executor"
	"github.com/d3mlabs/ai-flow/executor/agents/loopback"
	"github.com/d3mlabs/ai-flow/executor/permission"
	"github.com/d3mlabs/ai-flow/isolation"
	"github.com/d3mlabs/ai-flow/testsupport/modelagent"
)

func TestMain(m *testing.M) {
	modelagent.Main()
	os.Exit(m.Run())
}

type quiet struct{}

func (quiet) Say(string, ...any)        {}
func (quiet) Foreign(string, string)    {}
func (quiet) Output(string, string)     {}
func (quiet) Group(string) (end func()) { return func() {} }

// bench is the agent in a room, as ourselves, with what its model says.
type bench struct {
	agent *executor.Agent
	room  *isolation.Room
	model *loopback.Server
}

func start(t *testing.T, rounds func(dir string) []loopback.Round, faults ...modelagent.Fault) *bench {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	id, err := isolation.Unisolated(false)
	if err != nil {
		t.Fatal(err)
	}
	state := filepath.Join(t.TempDir(), "state")
	if err := os.Mkdir(state, 0o700); err != nil {
		t.Fatal(err)
	}
	b := &bench{agent: &executor.Agent{Profile: modelagent.Profile(faults...), Self: self, Identity: id, Log: quiet{},
		Room: isolation.OpenOptions{StateDir: state, TempDir: t.TempDir()}}}
	if b.room, err = b.agent.EnterRoom(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.room.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	b.model, err = loopback.Start(t.Context(), loopback.Script{Turns: []loopback.Turn{
		{Prompt: "Your last request was refused", Rounds: []loopback.Round{{Say: "Without it."}}}, {Prompt: "GO", Rounds: rounds(b.room.Path())}}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.model.Close() })
	b.agent.Environ = []string{"PATH=" + os.Getenv("PATH")}
	for name, value := range b.agent.Profile.Loopback(b.model.Root(), "canary-key") {
		b.agent.Environ = append(b.agent.Environ, name+"="+value)
	}
	return b
}

func (b *bench) launch(t *testing.T, pass permission.Pass) executor.Report {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	r, err := b.agent.Launch(ctx, executor.Task{Label: "/ask", Prompt: "GO", Room: b.room, Dir: b.room.Path(),
		Policy: permission.Policy{Pass: pass, FullAccessAllowed: true, Trusted: true}})
	if err != nil || !r.Swept || len(r.Survivors) != 0 {
		t.Fatalf("launch: %v, survivors %v", err, r.Survivors)
	}
	return r
}

func calls(c ...loopback.Call) loopback.Round { return loopback.Round{Calls: c} }

func TestHonestAgentDoesWhatItsModelSays(t *testing.T) {
	b := start(t, func(dir string) []loopback.Round {
		return []loopback.Round{
			calls(loopback.Call{Deed: loopback.Shell, Command: "env > env.txt; exit 3"}, loopback.Call{Deed: loopback.Write, Path: dir + "/new.txt", Text: "before\n"}),
			calls(loopback.Call{Deed: loopback.Edit, Path: dir + "/new.txt", Old: "before", Text: "after"}, loopback.Call{Deed: loopback.Read, Path: dir + "/none"}),
			calls(loopback.Call{Deed: loopback.Shell, Command: "sleep 0.5; echo late > late.txt", Args: map[string]any{"background": true}}),
			{Say: "Done.\nWANTED: docker — to see"},
		}
	})
	r := b.launch(t, permission.FullAccess)
	if strings.TrimSpace(r.Text) != "Done." || len(r.Receipts) != 4 || r.Unasked != 0 || len(r.Wants) != 1 || r.Wants[0].Channel != denials.Declared {
		t.Errorf("text %q, receipts %+v, %d unasked, wants %+v", r.Text, r.Receipts, r.Unasked, r.Wants)
	}
	if len(r.Steps) != 5 || r.Steps[0].Exit == nil || *r.Steps[0].Exit != 3 || r.Steps[0].Status != "failed" || r.Steps[3].Status != "failed" || r.Steps[4].Exit == nil {
		t.Errorf("steps %+v", r.Steps)
	}
	if r.Usage.Input != 44 || r.AgentVersion != modelagent.Version || r.Mode != "ask" || r.ModelEffective != "loopback-model" {
		t.Errorf("usage %+v, version %q, mode %q, model %q", r.Usage, r.AgentVersion, r.Mode, r.ModelEffective)
	}
	if r.Exit != (executor.Exit{Ran: true, Took: r.Exit.Took}) {
		t.Errorf("it ended by %+v, and not by the end of its input", r.Exit)
	}
	for name, want := range map[string]string{"new.txt": "after\n", "late.txt": "late\n"} {
		if data, err := os.ReadFile(b.room.Path(name)); string(data) != want {
			t.Errorf("%s holds %q, %v", name, data, err)
		}
	}
	if env, err := os.ReadFile(b.room.Path("env.txt")); err != nil || !strings.Contains(string(env), "PATH=") || strings.Contains(string(env), "canary-key") {
		t.Errorf("commands see %s, %v", env, err)
	}
	if got := b.model.Requests(); len(got) != 4 || got[0].Key != "canary-key" || got[0].Model != "loopback-model" {
		t.Errorf("the model got %+v", got)
	}
}

func TestHonestAgentStopsAtARefusal(t *testing.T) {
	for fault, continued := range map[modelagent.Fault]int{"": 0, modelagent.EndsTurnOnRejection: 1, modelagent.RejectionIsCancelled: 1} {
		faults := []modelagent.Fault{fault}
		if fault == "" {
			faults = nil
		}
		b := start(t, func(dir string) []loopback.Round {
			return []loopback.Round{calls(loopback.Call{Deed: loopback.Shell, Command: "touch a"}, loopback.Call{Deed: loopback.Write, Path: dir + "/b", Text: "x"}), {Say: "Went on."}}
		}, faults...)
		r := b.launch(t, permission.ReadOnly)
		if len(r.Refusals) != 2 || r.Continued != continued || (r.Steps[0].Status != "failed" && r.Steps[0].Status != "refused") {
			t.Errorf("%q: refusals %+v, continued %d, steps %+v", fault, r.Refusals, r.Continued, r.Steps)
		}
		for _, name := range []string{"a", "b"} {
			if _, err := os.Stat(b.room.Path(name)); err == nil {
				t.Errorf("%q: the refused %s is there", fault, name)
			}
		}
	}
}

func TestFaultThatDoesNotExistIsRefused(t *testing.T) {
	for _, f := range modelagent.Faults() {
		if f == "" || strings.ContainsAny(string(f), " \t") {
			t.Errorf("%q is no word", f)
		}
	}
	out, err := exec.Command(os.Args[0], modelagent.Name, "no-such-fault").CombinedOutput()
	if err == nil || !strings.Contains(string(out), "no-such-fault") {
		t.Errorf("got %v, %s", err, out)
	}
}
