package isolation_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/d3mlabs/ai-flow/isolation"
	"github.com/d3mlabs/ai-flow/testsupport/hostuser"
)

// stumble takes the place of each program that a step starts, by a directory in front of its PATH. It counts the calls, and kills the
// step and all that it started before call number AIFT_AT.
const stumble = `#!/bin/sh
PATH=/usr/bin:/bin:/usr/sbin:/sbin
n=0
if read -r n <"$AIFT_COUNT"; then :; fi
n=$((n + 1))
echo "$n" >"$AIFT_COUNT"
[ "$n" = "$AIFT_AT" ] && kill -KILL 0
exec "${0##*/}" "$@"
`

// S9: setup that is killed before any of its changes, and undo too, are mended by running them again: nothing is left half made, and
// nothing at all after undo.
func TestHostSetupKilledAnywhere(t *testing.T) {
	p := hostuser.Get(t)
	h := isolation.HostSetup{Dispatcher: p.Dispatcher.Name, Agent: "aift-k" + strconv.Itoa(os.Getpid())}
	t.Cleanup(func() { take(t, undo(t, h)) })
	shims := t.TempDir()
	for _, program := range []string{"useradd", "usermod", "userdel", "install", "mkdir", "rm", "chown", "chmod", "ln", "mv", "visudo", "rmdir", "setpriv"} {
		if err := os.WriteFile(filepath.Join(shims, program), []byte(stumble), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	made, unmade := 0, 0
	for at := 1; made == 0 || unmade == 0; at++ {
		if at > 40 {
			t.Fatal("there is no end to it")
		}
		count := filepath.Join(t.TempDir(), "count")
		if killed := takeUntil(t, survey(t, h), shims, count, at); !killed && made == 0 {
			made = at
		}
		take(t, survey(t, h))
		if left, err := h.Steps(); err != nil || len(left) != 0 {
			t.Fatalf("killed before change %d and done again, this is still to be done: %+v, %v", at, left, err)
		}
		if err := h.Prove(t.Context(), runner); err != nil {
			t.Fatalf("killed before change %d and done again: %v", at, err)
		}
		closed(t, h.Agent, "/etc/sudoers.d/ai-flow-"+h.Dispatcher+"+"+h.Agent)
		if err := os.WriteFile(count, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if killed := takeUntil(t, undo(t, h), shims, count, at); !killed && unmade == 0 {
			unmade = at
		} else if killed && at%2 == 0 { // after a half undo a host can be made ready again
			take(t, survey(t, h))
			if err := h.Prove(t.Context(), runner); err != nil {
				t.Fatalf("undo was killed before change %d: %v", at, err)
			}
		}
		take(t, undo(t, h))
		traceless(t, h)
	}
	t.Logf("%d changes to make, %d to take back", made-1, unmade-1)
	if made < 10 || unmade < 5 {
		t.Errorf("only %d and %d changes were seen", made-1, unmade-1)
	}
}

func survey(t *testing.T, h isolation.HostSetup) []isolation.SetupStep {
	t.Helper()
	steps, err := h.Steps()
	if err != nil {
		t.Fatal(err)
	}
	return steps
}

// takeUntil does steps until one is killed, each in a process group of its own.
func takeUntil(t *testing.T, steps []isolation.SetupStep, shims, count string, at int) (killed bool) {
	t.Helper()
	for _, s := range steps {
		if s.Stands != "" {
			continue
		}
		cmd := exec.Command(s.Argv[0], s.Argv[1:]...)
		cmd.Env = append(s.Env[:len(s.Env):len(s.Env)], "PATH="+shims+":/usr/bin:/bin:/usr/sbin:/sbin", "AIFT_COUNT="+count, "AIFT_AT="+strconv.Itoa(at))
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		out, err := cmd.CombinedOutput()
		var exit *exec.ExitError
		if errors.As(err, &exit) && exit.Sys().(syscall.WaitStatus).Signal() == syscall.SIGKILL {
			return true
		}
		if err != nil {
			t.Fatalf("%s: %v: %s", s.Say, err, out)
		}
	}
	return false
}

// traceless fails when anything of the pair is left on the host.
func traceless(t *testing.T, h isolation.HostSetup) {
	t.Helper()
	if _, err := user.Lookup(h.Agent); err == nil {
		t.Errorf("the user %s is left", h.Agent)
	}
	if _, err := user.LookupGroup(h.Agent); err == nil {
		t.Errorf("the group %s is left", h.Agent)
	}
	for _, pattern := range []string{"/home/" + h.Agent + "*", "/var/lib/ai-flow/" + h.Agent + "*", fmt.Sprintf("/etc/sudoers.d/*%s*", h.Agent)} {
		if left, err := filepath.Glob(pattern); err != nil || len(left) > 0 {
			t.Errorf("left: %v, %v", left, err)
		}
	}
	out, err := exec.Command("visudo", "-c").CombinedOutput()
	if err != nil && strings.Contains(string(out), h.Agent) {
		t.Errorf("%v: %s", err, out)
	}
}
