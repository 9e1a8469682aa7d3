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
	"testing"

	"github.com/d3mlabs/ai-flow/isolation"
	"github.com/d3mlabs/ai-flow/testsupport"
	"github.com/d3mlabs/ai-flow/testsupport/hostuser"
)

// A fresh host becomes ready by the steps alone, twice does no harm, and undo leaves it as it was.
func TestHostSetup(t *testing.T) {
	p := hostuser.Get(t)
	pid := strconv.Itoa(os.Getpid())
	ruleFile := "/etc/sudoers.d/aift-s" + pid
	h := isolation.HostSetup{Dispatcher: p.Dispatcher.Name, Agent: "aift-s" + pid}.In(ruleFile)
	lock := "/var/lib/ai-flow/" + h.Agent + ".lock"
	t.Cleanup(func() { take(t, undo(t, h)) })

	steps, err := h.Steps()
	if err != nil || len(steps) != 3 {
		t.Fatalf("%+v, %v", steps, err)
	}
	for i, says := range []string{"make the user " + h.Agent, "make the lock " + lock, h.Dispatcher + " ALL=(" + h.Agent + ") NOPASSWD:SETENV: ALL"} {
		if !strings.Contains(steps[i].Say, says) {
			t.Errorf("step %d says %q", i, steps[i].Say)
		}
	}
	take(t, steps)
	take(t, steps)
	if again, err := h.Steps(); err != nil || len(again) != 0 {
		t.Errorf("on a host that is ready: %+v, %v", again, err)
	}

	u, err := user.Lookup(h.Agent)
	if err != nil {
		t.Fatal(err)
	}
	closed(t, h.Agent, ruleFile)
	groups, err := u.GroupIds()
	if err != nil || len(groups) != 1 {
		t.Errorf("groups %v, %v", groups, err)
	}
	if shadow, err := exec.Command("getent", "shadow", h.Agent).Output(); err != nil || !strings.HasPrefix(string(shadow), h.Agent+":!") {
		t.Errorf("the account is not locked: %v", err)
	}
	id, err := isolation.Resolve(t.Context(), runner, h.Agent)
	if err != nil {
		t.Fatal(err)
	}
	room := open(t, id, isolation.OpenOptions{})
	if out := as(t, room, isolation.Environment{}, "id -un; echo $SHELL; setsid sleep 306 >/dev/null 2>&1 &"); !strings.HasPrefix(out, h.Agent+"\n/bin/") {
		t.Errorf("got %q", out)
	}
	// F-08: what an agent left in the home would lie above each later run's directory.
	if out := as(t, room, isolation.Environment{}, `exec 2>&1; touch "$1/go.work" && echo may write; mv "$1/.ai-flow" "$1/x" && echo may rename`, u.HomeDir); !strings.HasPrefix(room.Path(), u.HomeDir+"/.ai-flow/") || strings.Contains(out, "may ") || strings.Count(out, "denied") != 2 {
		t.Errorf("the room %s, and %q", room.Path(), out)
	}
	if err := room.Close(t.Context()); err != nil {
		t.Error(err)
	}

	take(t, undo(t, h))
	if _, err := user.Lookup(h.Agent); err == nil {
		t.Error("the user is still there")
	}
	for _, path := range []string{ruleFile, u.HomeDir, lock} {
		if _, err := os.Stat(path); err == nil {
			t.Errorf("%s is still there", path)
		}
	}
	if out, err := exec.Command("visudo", "-c").CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
}

// Two that prepare a host at once make one user. useradd alone does not: it looks whether there is such a user before it
// waits for another useradd, and then gives the name a second number, which the first one's lock and home do not have.
func TestTheUserIsMadeOnce(t *testing.T) {
	hostuser.Get(t)
	for round := range 5 {
		h := isolation.HostSetup{Dispatcher: "root", Agent: fmt.Sprintf("aift-o%d-%d", os.Getpid(), round)}
		t.Cleanup(func() { take(t, undo(t, h)) })
		steps, err := h.Steps()
		if err != nil {
			t.Fatal(err)
		}
		made := make(chan string)
		for range 4 {
			go func() {
				_, said, code, err := runner.Run(t.Context(), steps[0].Argv, steps[0].Env, nil)
				number, err2 := exec.Command("id", "-u", "--", h.Agent).Output()
				if err != nil || err2 != nil || code != 0 {
					t.Errorf("status %d, %v, %v: %s", code, err, err2, said)
				}
				made <- string(number)
			}()
		}
		first := <-made
		for range 3 {
			if other := <-made; other != first {
				t.Errorf("the user got the number %s, then %s", strings.TrimSpace(first), strings.TrimSpace(other))
			}
		}
	}
}

// closed checks the modes of all that is made.
func closed(t *testing.T, agent, ruleFile string) {
	t.Helper()
	lock := "/var/lib/ai-flow/" + agent + ".lock"
	for path, mode := range map[string]os.FileMode{"/home/" + agent: os.ModeDir | 0o710, "/home/" + agent + "/.ai-flow": os.ModeDir | 0o700,
		ruleFile: 0o440, lock: 0o604, filepath.Dir(lock): os.ModeDir | 0o755} {
		info, err := os.Stat(path)
		if err != nil {
			t.Error(err)
		} else if info.Mode() != mode {
			t.Errorf("%s: %v", path, info.Mode())
		}
	}
}

// A job of at's is its owner's by number, and whoever gets the number next would have it run.
func TestUndoTakesJobsOfAt(t *testing.T) {
	hostuser.Get(t) // which skips where nobody may make users
	h := isolation.HostSetup{Dispatcher: "root", Agent: "aift-j" + strconv.Itoa(os.Getpid())}
	steps, err := h.Steps()
	if err != nil {
		t.Fatal(err)
	}
	take(t, steps)
	const jobs = "/var/spool/at"
	if os.Mkdir(jobs, 0o755) == nil {
		defer os.Remove(jobs)
	}
	job := jobs + "/aift-" + strconv.Itoa(os.Getpid())
	if out, err := exec.Command("install", "-o", h.Agent, "/dev/null", job).CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
	defer os.Remove(job)
	take(t, undo(t, h))
	if _, err := os.Lstat(job); !os.IsNotExist(err) {
		t.Errorf("the job stays: %v", err)
	}
}

func undo(t *testing.T, h isolation.HostSetup) []isolation.SetupStep {
	t.Helper()
	steps, err := h.Undo()
	if err != nil {
		t.Fatal(err)
	}
	return steps
}

func take(t *testing.T, steps []isolation.SetupStep) {
	t.Helper()
	for _, s := range steps {
		if s.Stands != "" {
			continue
		}
		// Not the test's context: cleaning up comes after its end.
		cmd := exec.Command(s.Argv[0], s.Argv[1:]...)
		cmd.Env = s.Env
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v: %s", s.Say, err, out)
		}
	}
}

// Somebody's files in the way are not given to a new user.
func TestHostSetupTakesNoOtherHome(t *testing.T) {
	hostuser.Get(t)
	name := "aift-t" + strconv.Itoa(os.Getpid())
	if err := os.Mkdir("/home/"+name, 0o755); err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll("/home/" + name)
	if err := os.WriteFile("/home/"+name+"/letters", []byte("dear"), 0o600); err != nil {
		t.Fatal(err)
	}
	steps, err := isolation.HostSetup{Dispatcher: "root", Agent: name}.Steps()
	if err != nil || len(steps) != 2 {
		t.Fatalf("%+v, %v", steps, err)
	}
	cmd := exec.Command(steps[0].Argv[0], steps[0].Argv[1:]...)
	cmd.Env = steps[0].Env
	if out, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(out), "exists already") {
		t.Errorf("%v: %s", err, out)
	}
	if _, err := user.Lookup(name); err == nil {
		t.Error("the user was made")
	}

	// What is left of a user that we made, and userdel did not remove, is no hindrance.
	if err := errors.Join(os.Remove("/home/"+name+"/letters"), os.MkdirAll("/home/"+name+"/.ai-flow/run/x", 0o700)); err != nil {
		t.Fatal(err)
	}
	again := exec.Command(steps[0].Argv[0], steps[0].Argv[1:]...)
	again.Env = steps[0].Env
	if out, err := again.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	defer exec.Command("userdel", name).Run()
	if left, err := os.ReadDir("/home/" + name + "/.ai-flow"); err != nil || len(left) != 0 {
		t.Errorf("the new user finds %v, %v", left, err)
	}
}

// A rule that sudo cannot parse would lock everybody out: it never gets its name.
func TestHostSetupChecksTheRuleFirst(t *testing.T) {
	testsupport.Need(t, os.Getuid() == 0, "root", "sudo env PATH=\"$PATH\" go test ./isolation")
	dir := t.TempDir()
	steps, err := isolation.HostSetup{Dispatcher: "nobody", Agent: "aift-y"}.In(dir + "/rule").Steps()
	if err != nil {
		t.Fatal(err)
	}
	argv := steps[len(steps)-1].Argv
	argv[len(argv)-1] = "this is ((( no rule"
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Env = steps[0].Env
	if out, err := cmd.CombinedOutput(); err == nil {
		t.Errorf("taken: %s", out)
	}
	if names, err := os.ReadDir(dir); err != nil || len(names) != 0 {
		t.Errorf("left %v, %v", names, err)
	}
}

func TestHostSetupRefuses(t *testing.T) {
	for _, h := range []isolation.HostSetup{
		{Dispatcher: "runner"}, {Agent: "ai-agent"}, {Dispatcher: "runner", Agent: "runner"}, {Dispatcher: "runner", Agent: "root"},
		{Dispatcher: "ALL", Agent: "x ALL"}, {Dispatcher: "a\nb", Agent: "x"}, {Dispatcher: "%sudo", Agent: "x"}, {Dispatcher: "runner", Agent: "-x"},
		isolation.HostSetup{Dispatcher: "runner", Agent: "x"}.In("/etc/sudoers.d/a.b"), isolation.HostSetup{Dispatcher: "runner", Agent: "x"}.In("rule"),
	} {
		if steps, err := h.Steps(); err == nil {
			t.Errorf("%+v became %+v", h, steps)
		}
		if _, err := h.Undo(); err == nil {
			t.Errorf("%+v can be undone", h)
		}
	}
	var s *isolation.SetupError
	if _, err := (isolation.HostSetup{Dispatcher: "runner", Agent: "runner"}).Steps(); !errors.As(err, &s) || s.Kind != isolation.BadUser || s.Fix == "" {
		t.Errorf("got %v", err)
	}
}

// H4-12: no lasting rule is made for a user that must not run an agent, whatever led to the preparation.
func TestHostSetupMakesNoRuleForBadUsers(t *testing.T) {
	p := hostuser.Get(t)
	h := isolation.HostSetup{Dispatcher: p.Dispatcher.Name, Agent: p.Agent.Name}
	alias := "aift-r" + strconv.Itoa(os.Getpid())
	change := func(argv ...string) {
		t.Helper()
		if out, err := exec.Command(argv[0], argv[1:]...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	refused := func(h isolation.HostSetup, says string) {
		t.Helper()
		var s *isolation.SetupError
		if steps, err := h.Steps(); !errors.As(err, &s) || s.Kind != isolation.BadUser || !strings.Contains(s.Problem, says) || steps != nil {
			t.Errorf("%+v: %+v, %v", h, steps, err)
		}
	}
	change("usermod", "--append", "--groups", "disk", p.Agent.Name)
	refused(h, "in the group disk")
	change("gpasswd", "--delete", p.Agent.Name, "disk")

	for _, uid := range []int{0, p.Dispatcher.UID} {
		change("useradd", "--non-unique", "--uid", strconv.Itoa(uid), "--gid", strconv.Itoa(p.Agent.GID), "--no-create-home", alias)
		refused(isolation.HostSetup{Dispatcher: p.Dispatcher.Name, Agent: alias}, map[bool]string{true: "is root", false: "one user by two names"}[uid == 0])
		change("userdel", "--force", alias) // by force: it looks for processes, and finds root's
	}
	if steps, err := h.Steps(); err != nil || len(steps) == 0 {
		t.Errorf("a good user: %+v, %v", steps, err)
	}
	// A user that somebody else made, with a home that may hold anything, is not ours to remove.
	if steps, err := h.Undo(); err == nil {
		t.Errorf("undone: %+v", steps)
	}
}

// The trial changes nothing and tells whether the steps could be done: as root they can, without any rule they cannot.
func TestHostSetupTrial(t *testing.T) {
	hostuser.EachDispatcher(t, func(t *testing.T, p hostuser.Pair) {
		s := isolation.HostSetup{Dispatcher: p.Dispatcher.Name, Agent: p.Agent.Name}.Trial()
		_, said, code, err := runner.Run(t.Context(), s.Argv, s.Env, nil)
		if err != nil || (code == 0) != (os.Getuid() == 0) {
			t.Errorf("status %d, %v: %s", code, err, said)
		}
	})
}
