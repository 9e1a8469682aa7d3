package isolation_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/d3mlabs/ai-flow/isolation"
	"github.com/d3mlabs/ai-flow/testsupport/hostuser"
)

// duelTime is longer than a sweep.
const duelTime = 14 * time.Second

// S3: an agent that kills whatever its user starts cannot keep root from ending it. An unprivileged dispatcher has only
// commands of that user's to kill with, and may lose: then the survivor is named, and nothing counts as swept.
func TestS3_ADuelOfKills(t *testing.T) {
	hostuser.EachDispatcher(t, func(t *testing.T, p hostuser.Pair) {
		room := open(t, resolve(t, p), isolation.OpenOptions{})
		child := unleash(t, room, installMonster(t, room), "duel")
		if out := as(t, room, isolation.Environment{}, "sleep 0.2; echo lives"); out != "" || len(running(t, p.Agent.UID)) == 0 {
			t.Errorf("there is no duel: %q", out)
		}
		began := time.Now()
		survivors, err := room.Sweep(t.Context())
		took, left := time.Since(began), running(t, p.Agent.UID)
		t.Logf("swept in %v: %v, %v", took, survivors, err)
		switch {
		case took > 12*time.Second:
			t.Errorf("the sweep took %v", took)
		case err == nil && len(survivors) == 0:
			if len(left) > 0 {
				t.Errorf("swept, and still running: %v", left)
			}
		case os.Getuid() == 0:
			t.Errorf("root lost: %v, %v", survivors, err)
		case len(survivors) != 1 || survivors[0].Command != "monster" || err == nil:
			t.Errorf("lost, and said %v, %v", survivors, err)
		}
		outlast(t, p)
		child.Stop(t.Context())
	})
}

// outlast waits until the user runs nothing: a duel ends by itself.
func outlast(t *testing.T, p hostuser.Pair) {
	t.Helper()
	for end := time.Now().Add(2 * duelTime); len(running(t, p.Agent.UID)) > 0; time.Sleep(50 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("still running: %v", running(t, p.Agent.UID))
		}
	}
}

// A leftover that kills whatever its user starts is ended by the next run of root's, and is never taken for sudoers that
// lack a rule: a rule would be made for nothing.
func TestALeftoverThatKillsBlocksNoRun(t *testing.T) {
	hostuser.EachDispatcher(t, func(t *testing.T, p hostuser.Pair) {
		id, state := resolve(t, p), t.TempDir()+"/state"
		open(t, id, isolation.OpenOptions{StateDir: state}).Close(t.Context()) // the user is known to be for agents
		first := open(t, id, isolation.OpenOptions{})
		child := unleash(t, first, installMonster(t, first), "duel")
		if err := os.WriteFile(filepath.Join(state, id.Name()+".lock"), []byte("process 1 since then\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		again, err := isolation.Resolve(t.Context(), runner, p.Agent.Name)
		if err != nil {
			t.Fatalf("resolving: %v", err)
		}
		room, err := isolation.Open(t.Context(), runner, again, isolation.OpenOptions{StateDir: state})
		var setup *isolation.SetupError
		switch {
		case err == nil:
			if left := room.Leftovers(); len(left) == 0 || len(running(t, p.Agent.UID)) > 0 {
				t.Errorf("leftovers %v, running %v", left, running(t, p.Agent.UID))
			}
			if err := room.Close(t.Context()); err != nil {
				t.Error(err)
			}
		case os.Getuid() == 0:
			t.Errorf("root lost: %v", err)
		case !errors.As(err, &setup) || setup.Kind != isolation.BadUser || !strings.Contains(setup.Problem, `"monster"`) || setup.Fix == "":
			t.Errorf("lost, and said %v", err)
		}
		outlast(t, p)
		child.Stop(t.Context())
	})
}
