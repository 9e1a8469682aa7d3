package isolation_test

import (
	"os"
	"strings"
	"testing"

	"github.com/d3mlabs/ai-flow/executor/process"
	"github.com/d3mlabs/ai-flow/isolation"
	"github.com/d3mlabs/ai-flow/testsupport/hostuser"
)

// TestMain is the monster too: the test binary, installed in a room and run as the agent (monster_linux_test.go).
func TestMain(m *testing.M) {
	if kind := os.Getenv("AIFT_MONSTER"); kind != "" {
		monster(kind)
		os.Exit(0)
	}
	os.Exit(hostuser.Main(m))
}

var runner = process.Runner{}

func resolve(t testing.TB, p hostuser.Pair) isolation.Identity {
	t.Helper()
	id, err := isolation.Resolve(t.Context(), runner, p.Agent.Name)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// open makes a room that the test closes, and whose closing has to work.
func open(t testing.TB, id isolation.Identity, o isolation.OpenOptions) *isolation.Room {
	t.Helper()
	if o.StateDir == "" {
		o.StateDir = t.TempDir() + "/state"
	}
	if o.TempDir == "" {
		o.TempDir = t.TempDir()
	}
	room, err := isolation.Open(t.Context(), runner, id, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := room.Close(t.Context()); err != nil { // the context has ended by now, and Close works all the same
			t.Errorf("closing the room: %v", err)
		}
	})
	return room
}

// as runs a script as the agent in the room, with an environment.
func as(t testing.TB, room *isolation.Room, e isolation.Environment, script string, args ...string) string {
	t.Helper()
	inv, err := room.Command(room.Path(), e, append([]string{"/bin/sh", "-c", script, "sh"}, args...)...)
	if err != nil {
		t.Fatal(err)
	}
	r, err := process.Run(t.Context(), process.Command{Argv: inv.Argv, Env: inv.Env, Dir: inv.Dir, MaxOutput: 16 << 20})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Stderr) > 0 {
		t.Logf("stderr: %s", r.Stderr)
	}
	return strings.TrimSuffix(string(r.Stdout), "\n")
}
