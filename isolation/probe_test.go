package isolation

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/d3mlabs/ai-flow/executor/process"
	"github.com/d3mlabs/ai-flow/testsupport/hostuser"
)

// killed is a runner whose first runs are ended by a signal, as by the sweep of another run.
type killed struct{ left, runs int }

func (k *killed) Run(context.Context, []string, []string, io.Reader) (out, said []byte, code int, err error) {
	k.runs++
	if k.left--; k.left >= 0 {
		return nil, nil, []int{-1, 137}[k.left%2], nil
	}
	return []byte("fine"), nil, 0, nil
}

func TestProbeOutlivesTheSweepOfAnotherRun(t *testing.T) {
	k := &killed{left: 3}
	out, _, code, err := Identity{}.probe(t.Context(), k, nil, nil)
	if string(out) != "fine" || code != 0 || err != nil || k.runs != 4 {
		t.Errorf("got %q, %d, %v after %d runs", out, code, err, k.runs)
	}
}

// A probe that is killed whenever it is tried says nothing of sudoers: Resolve leaves the proof to Open, which sweeps first
// and then says what runs as the user.
func TestAProbeThatIsAlwaysKilledIsNoMissingRule(t *testing.T) {
	k := &killed{left: 1 << 20}
	id, err := Identity{name: "aift-x", uid: 54321, sudo: "/usr/bin/sudo"}.try(t.Context(), k)
	if err != nil || !id.unproven || !id.Isolated() {
		t.Fatalf("%+v, %v", id, err)
	}
	room := &Room{id: id, runner: k, leftovers: []Process{{PID: 4711, Command: "monster"}}}
	refused(t, room.prove(t.Context()), BadUser, `4711 "monster"`, "aift-x")
}

// S6: setpriv is looked for by us; what a command as the agent says of it, or another user's file there, is nothing.
func TestSetprivIsRoots(t *testing.T) {
	p := hostuser.Get(t)
	theirs, wide, ours := t.TempDir()+"/setpriv", t.TempDir()+"/setpriv", t.TempDir()+"/setpriv"
	for path, mode := range map[string]os.FileMode{theirs: 0o755, wide: 0o775, ours: 0o755} {
		if err := errors.Join(os.WriteFile(path, []byte("#!/bin/sh\nexit 9\n"), mode), os.Chmod(path, mode)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chown(theirs, p.Agent.UID, p.Agent.GID); err != nil {
		t.Fatal(err)
	}
	if got := rootsProgram([]string{theirs, wide, "/nonexistent", ours}); got != ours {
		t.Errorf("took %q", got)
	}
	if err := os.Chmod(filepath.Dir(ours), 0o711); err != nil {
		t.Fatal(err)
	}
	_, err := resolve(t.Context(), process.Runner{}, p.Agent.Name, sudoPlaces(), []string{"/nonexistent/setpriv"})
	if err != nil {
		t.Errorf("without setpriv: %v", err)
	}
	// One that is there and does not work is told: without it sudo, su and the like would be open to the agent, in silence.
	_, err = resolve(t.Context(), process.Runner{}, p.Agent.Name, sudoPlaces(), []string{"/bin/false"})
	refused(t, err, Unsupported, "/bin/false", "util-linux")
}
