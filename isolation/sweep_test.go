package isolation_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/d3mlabs/ai-flow/executor/process"
	"github.com/d3mlabs/ai-flow/isolation"
	"github.com/d3mlabs/ai-flow/testsupport/hostuser"
)

var monsters = []string{"double fork", "nameless", "headless", "stopped", "fork bomb", "hopper"}

// S3, F-07, H4-05, H4-06, F-78: after a run no process of the agent's is alive, whatever it did. A real sudo, real users,
// as root and as an unprivileged dispatcher, and with and without use_pty.
func TestS3_NothingOutlivesASweep(t *testing.T) {
	hostuser.Get(t).Rules(t, "D ALL=(A) NOPASSWD:SETENV: ALL", "Defaults>A !use_pty", "Defaults:D !use_pty")
	hostuser.EachDispatcher(t, sweepMonsters)
}

// TestS3_NothingOutlivesASweepWithUsePty is the same where sudo puts a pty in between when it can.
func TestS3_NothingOutlivesASweepWithUsePty(t *testing.T) {
	hostuser.Get(t).Rules(t, "D ALL=(A) NOPASSWD:SETENV: ALL", "Defaults>A use_pty", "Defaults:D use_pty")
	hostuser.EachDispatcher(t, sweepMonsters)
}

func sweepMonsters(t *testing.T, p hostuser.Pair) {
	room := open(t, resolve(t, p), isolation.OpenOptions{})
	exe := installMonster(t, room)
	for _, kind := range monsters {
		child := unleash(t, room, exe, kind)
		began := time.Now()
		survivors, err := room.Sweep(t.Context())
		if err != nil || len(survivors) != 0 {
			t.Errorf("%s: %v, %v", kind, survivors, err)
		}
		t.Logf("%s: swept in %v", kind, time.Since(began))
		if left := running(t, p.Agent.UID); len(left) > 0 {
			t.Errorf("%s: still running: %v", kind, left)
		}
		if r := child.Stop(t.Context()); r.Trouble != nil {
			t.Errorf("%s: %v", kind, r.Trouble)
		}
	}
}

func installMonster(t *testing.T, room *isolation.Room) string {
	t.Helper()
	self, err := os.Open("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	defer self.Close()
	exe, err := room.Install(t.Context(), "monster", self)
	if err != nil {
		t.Fatal(err)
	}
	return exe
}

// unleash starts a monster and waits until it is up.
func unleash(t *testing.T, room *isolation.Room, exe, kind string) *process.Child {
	t.Helper()
	inv, err := room.Command(room.Path(), isolation.Environment{Set: map[string]string{"AIFT_MONSTER": kind}}, exe)
	if err != nil {
		t.Fatal(err)
	}
	child, err := process.Start(t.Context(), process.Command{Argv: inv.Argv, Env: inv.Env, Dir: inv.Dir, Signal: room.Identity().SignalArgv, Grace: 200 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(child.Stdout).ReadString('\n')
	if line != "up\n" {
		t.Fatalf("%s is not up: %q, %v, %s", kind, line, err, child.Stderr())
	}
	return child
}

// running is the test's own count, apart from the product's: all tasks with any of the four user ids.
func running(t testing.TB, uid int) (list []string) {
	t.Helper()
	statuses, err := filepath.Glob("/proc/[0-9]*/task/*/status")
	if err != nil {
		t.Fatal(err)
	}
	owned := regexp.MustCompile(fmt.Sprintf(`(?m)^Uid:.*\t%d\b`, uid))
	for _, path := range statuses {
		text, err := os.ReadFile(path)
		if err == nil && owned.Match(text) && !strings.Contains(string(text), "\nState:\tZ") && !strings.Contains(string(text), "\nState:\tX") {
			list = append(list, path)
		}
	}
	return list
}

// The ladder itself reaches the agent through the room's own signal line (it was once written in a way that dash refuses).
func TestSignalArgvReachesTheGroup(t *testing.T) {
	hostuser.EachDispatcher(t, func(t *testing.T, p hostuser.Pair) {
		room := open(t, resolve(t, p), isolation.OpenOptions{})
		inv, err := room.Command("/", isolation.Environment{}, "/bin/sh", "-c", "trap '' TERM; echo up; while :; do sleep 60; done")
		if err != nil {
			t.Fatal(err)
		}
		child, err := process.Start(t.Context(), process.Command{Argv: inv.Argv, Env: inv.Env, Dir: inv.Dir, Signal: room.Identity().SignalArgv, Grace: 300 * time.Millisecond})
		if err != nil {
			t.Fatal(err)
		}
		bufio.NewReader(child.Stdout).ReadString('\n')
		if r := child.Stop(t.Context()); r.Trouble != nil || r.Asked != syscall.SIGKILL {
			t.Errorf("%+v", r)
		}
		if left := running(t, p.Agent.UID); len(left) > 0 {
			t.Errorf("still running: %v", left)
		}
	})
}

// What a killed dispatcher left behind is ended before the next run, and told.
func TestOpenEndsLeftovers(t *testing.T) {
	hostuser.EachDispatcher(t, func(t *testing.T, p hostuser.Pair) {
		id := resolve(t, p)
		first := open(t, id, isolation.OpenOptions{})
		as(t, first, isolation.Environment{}, "setsid sleep 303 >/dev/null 2>&1 & mkdir -p d/e; touch d/e/f; chmod 000 d/e d")
		dir := first.Path()
		// The first room is not closed: a second state directory stands for a dispatcher that was killed. It has to have known
		// the user before, or the leftovers would be somebody's.
		state := filepath.Join(t.TempDir(), "state")
		for range 2 { // being refused once is not having used it
			var refusal *isolation.SetupError
			if _, err := isolation.Open(t.Context(), process.Runner{}, id, isolation.OpenOptions{StateDir: state}); !errors.As(err, &refusal) || refusal.Kind != isolation.BadUser {
				t.Fatalf("an account that runs something and was never ours: %v", err)
			}
		}
		if err := os.WriteFile(filepath.Join(state, id.Name()+".lock"), []byte("process 1 since then\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		second := open(t, id, isolation.OpenOptions{StateDir: state})
		if left := second.Leftovers(); len(left) != 1 || left[0].Command == "" || left[0].PID == 0 {
			t.Errorf("leftovers: %+v", left)
		}
		if left := running(t, p.Agent.UID); len(left) > 0 {
			t.Errorf("still running: %v", left)
		}
		if out := as(t, second, isolation.Environment{}, `[ -e "$1" ] && echo there`, dir); out != "" {
			t.Errorf("the directory of the killed run is %s", out)
		}
	})
}

// An account that a person is logged in to is not swept, and another ai-flow's run is waited for, whatever its lock: both
// are seen by who started the processes, which the agent cannot forge. Shells under other names stand for sshd and for it.
func TestOpenKeepsOffOtherPeoplesProcesses(t *testing.T) {
	p := hostuser.Get(t)
	id := resolve(t, p)
	comm, err := os.ReadFile("/proc/self/comm")
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct{ name, script string }{
		{"sshd", "setpriv --reuid " + p.Agent.Name + " --clear-groups sleep 308 & echo up; wait"},
		{strings.TrimSpace(string(comm)), "sudo -n -u " + p.Agent.Name + " -- sleep 309 & echo up; wait"},
	}
	for _, tt := range tests {
		shell := filepath.Join(t.TempDir(), tt.name)
		if out, err := exec.Command("cp", "/bin/dash", shell).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		holder, err := process.Start(t.Context(), process.Command{Argv: []string{shell, "-c", tt.script}, Env: []string{"PATH=/usr/bin:/bin"}, Grace: 50 * time.Millisecond})
		if err != nil {
			t.Fatal(err)
		}
		for len(running(t, p.Agent.UID)) == 0 {
			time.Sleep(10 * time.Millisecond)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		var who string
		room, err := isolation.Open(ctx, runner, id, isolation.OpenOptions{StateDir: t.TempDir() + "/state", Waiting: func(w string) { who = w }})
		cancel()
		switch {
		case err == nil:
			t.Errorf("%s: opened", tt.name)
			room.Close(t.Context())
		case tt.name == "sshd" && !strings.Contains(err.Error(), "somebody is logged in as "+p.Agent.Name):
			t.Errorf("%s: %v", tt.name, err)
		case tt.name != "sshd" && !strings.Contains(who, "another state directory"):
			t.Errorf("%s: waited for %q, %v", tt.name, who, err)
		}
		if len(running(t, p.Agent.UID)) == 0 {
			t.Errorf("%s: somebody else's process was ended", tt.name)
		}
		holder.Stop(t.Context())
		open(t, id, isolation.OpenOptions{}) // what is left of it is a leftover now
	}
}

// A sweep that cannot become the user reports who survived, and says why. Root needs not become anybody to end what it sees.
func TestSweepReportsSurvivors(t *testing.T) {
	hostuser.EachDispatcher(t, func(t *testing.T, p hostuser.Pair) {
		blocked := &refusing{}
		room, err := isolation.Open(t.Context(), blocked, resolve(t, p), isolation.OpenOptions{StateDir: t.TempDir() + "/state"})
		if err != nil {
			t.Fatal(err)
		}
		as(t, room, isolation.Environment{}, "setsid sleep 304 >/dev/null 2>&1 &")
		blocked.on = true
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		survivors, err := room.Sweep(ctx)
		if os.Getuid() == 0 {
			if left := running(t, p.Agent.UID); len(left) > 0 {
				t.Errorf("root left %v, and said %+v, %v", left, survivors, err)
			}
		} else if len(survivors) != 1 || survivors[0].Command == "" || err == nil || !strings.Contains(err.Error(), "ending the processes") {
			t.Errorf("%+v, %v", survivors, err)
		}
		blocked.on = false
		if err := room.Close(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// refusing is a host that stopped letting us become the agent.
type refusing struct{ on bool }

func (r *refusing) Run(ctx context.Context, argv, env []string, stdin io.Reader) ([]byte, []byte, int, error) {
	if r.on {
		argv = []string{"/bin/false"}
	}
	return runner.Run(ctx, argv, env, stdin)
}

// TestUnisolatedSweep: without another user the run's tag is what finds a process, and nothing else is hit.
func TestUnisolatedSweep(t *testing.T) {
	id, err := isolation.Unisolated(false)
	if err != nil {
		t.Fatal(err)
	}
	room, other := open(t, id, isolation.OpenOptions{}), open(t, id, isolation.OpenOptions{})
	pid := func(r *isolation.Room) int {
		n, err := strconv.Atoi(as(t, r, isolation.Environment{}, "setsid sh -c 'trap \"\" TERM; sleep 305; :' >/dev/null 2>&1 & echo $!"))
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	mine, theirs := pid(room), pid(other)
	if survivors, err := room.Sweep(t.Context()); err != nil || len(survivors) != 0 {
		t.Errorf("%v, %v", survivors, err)
	}
	if alive(mine) || !alive(theirs) {
		t.Errorf("ours alive: %v, another run's alive: %v", alive(mine), alive(theirs))
	}
}

func alive(pid int) bool {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	return err == nil && !strings.Contains(string(status), "\nState:\tZ")
}
