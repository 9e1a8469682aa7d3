package executor_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/d3mlabs/ai-flow/executor"
	"github.com/d3mlabs/ai-flow/executor/agents"
	"github.com/d3mlabs/ai-flow/executor/permission"
	"github.com/d3mlabs/ai-flow/isolation"
	"github.com/d3mlabs/ai-flow/testsupport/fakeagent"
	"github.com/d3mlabs/ai-flow/testsupport/hostuser"
)

func TestMain(m *testing.M) {
	fakeagent.Main()
	os.Exit(hostuser.Main(m))
}

// journal is a Log and a progress listener that remembers.
type journal struct {
	mu     sync.Mutex
	lines  []string
	events []executor.Event
}

func (j *journal) add(line string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.lines = append(j.lines, line)
}

func (j *journal) Say(format string, args ...any) { j.add("say " + fmt.Sprintf(format, args...)) }
func (j *journal) Output(prefix, text string)     { j.add("output " + prefix + text) }
func (j *journal) Foreign(prefix, text string)    { j.add("foreign " + prefix + text) }
func (j *journal) Group(title string) func() {
	j.add("group " + title)
	return func() { j.add("end " + title) }
}

func (j *journal) event(e executor.Event) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.events = append(j.events, e)
}

func (j *journal) text() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return strings.Join(j.lines, "\n")
}

// bench is an agent played by a script, a room, and the launch of tasks in it.
type bench struct {
	agent *executor.Agent
	log   *journal
	room  *isolation.Room
}

// play makes a bench whose agent runs as ourselves; isolated_test.go does the same with another user.
func play(t testing.TB, s fakeagent.Script) *bench {
	t.Helper()
	id, err := isolation.Unisolated(false)
	if err != nil {
		t.Fatal(err)
	}
	return playAs(t, id, s)
}

func playAs(t testing.TB, id isolation.Identity, s fakeagent.Script) *bench {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{log: &journal{}}
	b.agent = &executor.Agent{
		Profile:  agents.Profile{Name: "fake", Title: "Fake agent", Status: agents.BuiltIn, Via: agents.Callback},
		Args:     fakeagent.Args(s),
		Self:     self,
		Identity: id,
		Room:     isolation.OpenOptions{StateDir: stateDir(t), TempDir: t.TempDir()},
		Environ:  os.Environ(),
		Extra:    map[string]string{"GORACE": "atexit_sleep_ms=0"}, // a program with the race detector sleeps a second at its end
		Log:      b.log,
		Progress: b.log.event,
	}
	b.room, err = b.agent.EnterRoom(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.room.Close(context.Background()); err != nil {
			t.Errorf("closing the room: %v", err)
		}
	})
	return b
}

func stateDir(t testing.TB) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "state")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	return dir
}

func (b *bench) task(pass permission.Pass) executor.Task {
	return executor.Task{Label: "/ask", Prompt: "What is this?", Room: b.room, Dir: b.room.Path(),
		Policy: permission.Policy{Pass: pass, FullAccessAllowed: true, Trusted: true}}
}

func (b *bench) launch(t testing.TB, pass permission.Pass) (executor.Report, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	return b.agent.Launch(ctx, b.task(pass))
}

func (b *bench) mustLaunch(t testing.TB, pass permission.Pass) executor.Report {
	t.Helper()
	r, err := b.launch(t, pass)
	if err != nil {
		t.Fatalf("launch: %v\n%s", err, b.log.text())
	}
	return r
}

// wantFailure launches and returns the failure, which must be of the class.
func (b *bench) wantFailure(t testing.TB, class executor.Class) (executor.Report, *executor.Failure) {
	t.Helper()
	r, err := b.launch(t, permission.ReadOnly)
	var f *executor.Failure
	if !errors.As(err, &f) {
		t.Fatalf("got error %v, want a failure of class %v\n%s", err, class, b.log.text())
	}
	if f.Class != class {
		t.Fatalf("got class %v (%v), want %v\n%s", f.Class, f, class, b.log.text())
	}
	return r, f
}

func code(n int) *int { return &n }
