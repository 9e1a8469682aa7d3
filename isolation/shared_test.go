package isolation_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/d3mlabs/ai-flow/isolation"
	"github.com/d3mlabs/ai-flow/testsupport/hostuser"
)

// sharedLock prepares the lock of the pair's agent as setup does, and takes it away at the end.
func sharedLock(t *testing.T, p hostuser.Pair) (path string) {
	t.Helper()
	path = "/var/lib/ai-flow/" + p.Agent.Name + ".lock"
	if os.Getuid() != 0 {
		return path // the process that made the pair has done it
	}
	steps, err := isolation.HostSetup{Dispatcher: p.Dispatcher.Name, Agent: p.Agent.Name}.Steps()
	if err != nil || len(steps) == 0 || !strings.Contains(steps[0].Say, "make the lock "+path) {
		t.Fatalf("%+v, %v", steps, err)
	}
	take(t, steps[:1])
	take(t, steps[:1])
	t.Cleanup(func() {
		if err := os.Remove(path); err != nil {
			t.Error(err)
		}
		_ = os.Remove(filepath.Dir(path)) // of another's lock it is not empty
	})
	return path
}

// S3, F-07: two dispatchers, different users with state directories of their own, wait for each other from the opening of
// the room to its closing, also while nothing of the agent's runs; the tree of the first stays.
func TestDispatchersShareOneLock(t *testing.T) {
	p := hostuser.Get(t)
	sharedLock(t, p)
	id := resolve(t, p)
	if os.Getuid() == 0 {
		room := open(t, id, isolation.OpenOptions{})
		if err := room.WriteFile(t.Context(), "tree/work", []byte("mine")); err != nil {
			t.Fatal(err)
		}
		p.Reexec(t)
		if data, err := room.ReadFile(t.Context(), "tree/work", 10); err != nil || string(data) != "mine" {
			t.Errorf("the tree: %q, %v", data, err)
		}
		return
	}
	ctx, cancel := context.WithTimeoutCause(t.Context(), time.Second, errors.New("the job was cancelled"))
	defer cancel()
	var who []string
	room, err := isolation.Open(ctx, runner, id, isolation.OpenOptions{StateDir: t.TempDir() + "/state", Waiting: func(w string) { who = append(who, w) }})
	if err == nil {
		t.Error("it did not wait")
		room.Close(t.Context())
	}
	if want := fmt.Sprintf("process %d of the user 0", os.Getppid()); len(who) != 1 || who[0] != want || !strings.Contains(fmt.Sprint(err), "held by "+want+": the job was cancelled") {
		t.Errorf("waited for %q, %v", who, err)
	}
}

// The agent can neither take the shared lock nor see it; a dispatcher takes it, and gives it back whatever ends the run.
func TestTheAgentCannotTakeTheSharedLock(t *testing.T) {
	path := sharedLock(t, hostuser.Get(t))
	hostuser.EachDispatcher(t, func(t *testing.T, p hostuser.Pair) {
		id := resolve(t, p)
		for range 2 {
			room := open(t, id, isolation.OpenOptions{})
			if _, err := os.Stat(path); err != nil {
				t.Fatal(err) // attacks on nothing prove nothing
			}
			const attacks = `exec 2>/dev/null; for l in "$1" /proc/[0-9]*/fd/*; do
				[ "$(readlink -f "$l")" = "$1" ] || continue
				cat "$l" && echo read; : >>"$l" && echo written; flock -n "$l" echo taken; flock -sn "$l" echo shared; done
				rm -f "$1" && echo removed; mv "$1" "$1.x" && echo moved; chmod 644 "$1" && echo opened; : >"${1%/*}/x" && echo made
				newgrp </dev/null; sg nogroup "cat $1" && echo read by another group; exit 0`
			if out := as(t, room, isolation.Environment{}, attacks, path); out != "" {
				t.Errorf("the agent could: %s", out)
			}
			// A second room of ours, with another state directory, waits.
			ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
			if _, err := isolation.Open(ctx, runner, id, isolation.OpenOptions{StateDir: t.TempDir() + "/state"}); err == nil {
				t.Error("two rooms at once")
			}
			cancel()
			if err := room.Close(t.Context()); err != nil {
				t.Error(err)
			}
		}
	})
}

// A shared lock that is not as it has to be is refused, never passed over.
func TestOddSharedLocksAreRefused(t *testing.T) {
	p := hostuser.Get(t)
	path, id := sharedLock(t, p), resolve(t, p)
	for name, change := range map[string]string{
		"open to the agent": "chmod 0644", "writable": "chmod 0606", "the agent's own": "chown " + p.Agent.Name, "of another group": "chgrp 0",
	} {
		if out, err := exec.Command("/bin/sh", "-c", change+` "$1"`, "sh", path).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		var s *isolation.SetupError
		room, err := isolation.Open(t.Context(), runner, id, isolation.OpenOptions{StateDir: t.TempDir() + "/state"})
		if err == nil {
			room.Close(t.Context())
		}
		if !errors.As(err, &s) || s.Kind != isolation.BadPlace || !strings.Contains(s.Problem, path) {
			t.Errorf("%s: %v", name, err)
		}
		steps, err := isolation.HostSetup{Dispatcher: p.Dispatcher.Name, Agent: p.Agent.Name}.Steps()
		if err != nil || !strings.Contains(steps[0].Say, "make the lock") {
			t.Fatalf("%s is not mended: %+v, %v", name, steps, err)
		}
		take(t, steps[:1])
	}
	open(t, id, isolation.OpenOptions{})
}

// Without a shared lock a dispatcher that lives keeps the directory of its run, and loses it when it is dead. A process of
// our name stands for it.
func TestALivingDispatcherKeepsItsTree(t *testing.T) {
	p := hostuser.Get(t)
	id := resolve(t, p)
	comm, err := os.ReadFile("/proc/self/comm")
	if err != nil {
		t.Fatal(err)
	}
	other := filepath.Join(t.TempDir(), strings.TrimSpace(string(comm)))
	if out, err := exec.Command("cp", "/bin/sleep", other).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	dispatcher := exec.Command(other, "60")
	if err := dispatcher.Start(); err != nil {
		t.Fatal(err)
	}
	defer dispatcher.Wait()
	defer dispatcher.Process.Kill()
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", dispatcher.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	start := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))[19]
	name := func(start string) string {
		return p.Agent.Home + "/.ai-flow/ai-flow-run-" + strconv.Itoa(dispatcher.Process.Pid) + "-" + start + "-0011223344556677"
	}
	as(t, open(t, id, isolation.OpenOptions{}), isolation.Environment{}, `mkdir -p "$1/tree" "$2/tree"`, name(start), name("1"))
	there := func(path string) bool {
		_, err := os.Stat(path)
		return err == nil
	}
	open(t, id, isolation.OpenOptions{})
	if !there(name(start) + "/tree") {
		t.Error("the tree of a living dispatcher was removed")
	}
	if there(name("1")) {
		t.Error("a number that was given to another process keeps a tree")
	}
	dispatcher.Process.Kill()
	dispatcher.Wait()
	open(t, id, isolation.OpenOptions{})
	if there(name(start)) {
		t.Error("the tree of a dead dispatcher is kept")
	}
}

// Two that prepare a host at once make one lock: who holds it is not left with a file that has no name.
// The lock of a user whose name begins like another one's lock is left alone: who holds a removed file keeps nobody out.
func TestLocksOfLikeNamesStay(t *testing.T) {
	p := hostuser.Get(t)
	dir := t.TempDir()
	other := dir + "/aift-n.lock.1.lock" // that of a user aift-n.lock.1
	if err := os.WriteFile(other, nil, 0o604); err != nil {
		t.Fatal(err)
	}
	for _, script := range []string{"lock", "unlock"} {
		if out, err := exec.Command("/bin/sh", "scripts/"+script+".sh", dir+"/aift-n.lock", p.Agent.Name).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		if _, err := os.Lstat(other); err != nil {
			t.Errorf("after %s: %v", script, err)
		}
	}
}

func TestTheSharedLockIsMadeOnce(t *testing.T) {
	p := hostuser.Get(t)
	path := sharedLock(t, p)
	steps, err := isolation.HostSetup{Dispatcher: "root", Agent: "aift-z" + strconv.Itoa(os.Getpid())}.Steps()
	if err != nil || len(steps) != 2 {
		t.Fatalf("%+v, %v", steps, err)
	}
	step := steps[1] // with the pair's agent in the place of one that is still to be made
	step.Argv[len(step.Argv)-2], step.Argv[len(step.Argv)-1] = path, p.Agent.Name
	for range 20 {
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		made := make(chan os.FileInfo)
		for range 4 {
			go func() {
				_, said, code, err := runner.Run(t.Context(), step.Argv, step.Env, nil)
				info, err2 := os.Stat(path)
				if err != nil || err2 != nil || code != 0 {
					t.Errorf("status %d, %v, %v: %s", code, err, err2, said)
				}
				made <- info
			}()
		}
		first := <-made
		for range 3 {
			if other := <-made; first != nil && other != nil && !os.SameFile(first, other) {
				t.Error("the lock was replaced")
			}
		}
	}
	if names, err := filepath.Glob(path + "*"); err != nil || len(names) != 1 {
		t.Errorf("left %v, %v", names, err)
	}
}
