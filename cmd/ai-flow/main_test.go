package main

import (
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/d3mlabs/ai-flow/testsupport"
	"github.com/rogpeppe/go-internal/testscript"
)

// TestMain makes this test binary the real program when it is called by its name: the stories run it as one, and so does
// the agent user, into whose room it is copied under that name.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"ai-flow": main})
}

// The users that the stories make. storyUser stands ready before the first story; freshUser is made by the program.
const (
	storyUser = "aift-story"
	freshUser = "aift-fresh"
)

// TestStories runs each story of testdata/script: one file, one thing that a person can rely on.
func TestStories(t *testing.T) {
	root, err := os.MkdirTemp("/tmp", "aift-stories-") // a short path that other users can enter, which t.TempDir is not
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(root); err != nil {
			t.Error(err)
		}
	})
	if err := os.Chmod(root, 0o755); err != nil {
		t.Fatal(err)
	}
	var once sync.Once
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		WorkdirRoot:         root,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		UpdateScripts:       os.Getenv("AIFT_UPDATE") == "1",
		Setup:               setup,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"needroot":  needRoot,
			"agentuser": func(ts *testscript.TestScript, neg bool, args []string) { agentUser(ts, &once, t) },
			"freshuser": freshAgentUser,
			"asnobody":  asNobody,
			"interrupt": interrupt,
			"checkout":  checkout,
			"noprocess": noProcess,
		},
	})
}

// setup gives a story an environment of its own: nothing of the machine's configuration reaches the program.
func setup(e *testscript.Env) error {
	home := filepath.Join(e.WorkDir, "home")
	e.Setenv("HOME", home)
	e.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	e.Setenv("LC_ALL", "C.UTF-8")
	e.Setenv("NO_COLOR", "")
	e.Values["testing"] = e.T()
	return os.MkdirAll(home, 0o700)
}

// checkout makes a small repository in the folder named, from the files that the story put there.
func checkout(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: checkout FOLDER")
	}
	dir := ts.MkAbs(args[0])
	for _, line := range [][]string{
		{"init", "--quiet", "--initial-branch=main"},
		{"add", "--all"},
		{"-c", "user.name=A Person", "-c", "user.email=person@example.org", "commit", "--quiet", "--message=Begin"},
	} {
		cmd := exec.Command("git", line...)
		cmd.Dir = dir
		cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + ts.Getenv("HOME"), "GIT_CONFIG_NOSYSTEM=1",
			"GIT_AUTHOR_DATE=2026-01-01T00:00:00Z", "GIT_COMMITTER_DATE=2026-01-01T00:00:00Z"}
		if out, err := cmd.CombinedOutput(); err != nil {
			ts.Fatalf("git %v: %v\n%s", line, err, out)
		}
	}
}

func tb(ts *testscript.TestScript) testing.TB { return ts.Value("testing").(testing.TB) }

// needRoot says that a story needs root and sudo.
func needRoot(ts *testscript.TestScript, neg bool, args []string) {
	_, err := exec.LookPath("visudo")
	testsupport.Need(tb(ts), os.Geteuid() == 0 && err == nil, "root and sudo", "apt-get install sudo && sudo -E $(which go) test ./cmd/ai-flow")
}

// agentUser makes the user that the stories share, once, by the program itself, and removes it when all have run. The
// stories take turns with it: a user serves one run at a time, and the lock that holds that is the stories' home directory's,
// so they share that too.
func agentUser(ts *testscript.TestScript, once *sync.Once, t *testing.T) {
	needRoot(ts, false, nil)
	ts.Setenv("AI_FLOW_AGENT_USER", storyUser)
	ts.Setenv("XDG_STATE_HOME", "/tmp/aift-stories-state")
	once.Do(func() {
		removeUser(storyUser)
		t.Cleanup(func() {
			removeUser(storyUser)
			os.RemoveAll("/tmp/aift-stories-state")
		})
	})
}

// freshAgentUser names a user that does not exist, and removes what the program made.
func freshAgentUser(ts *testscript.TestScript, neg bool, args []string) {
	needRoot(ts, false, nil)
	removeUser(freshUser)
	ts.Setenv("AI_FLOW_AGENT_USER", freshUser)
	ts.Defer(func() { removeUser(freshUser) })
}

func removeUser(name string) {
	files, _ := filepath.Glob("/etc/sudoers.d/*" + name + "*")
	for _, f := range files {
		os.Remove(f)
	}
	if _, err := user.Lookup(name); err == nil {
		exec.Command("userdel", "--remove", "--force", name).Run()
	}
}

// asNobody runs a command line as a user without any rights, with a home of its own.
func asNobody(ts *testscript.TestScript, neg bool, args []string) {
	needRoot(ts, false, nil)
	const nobody = 65534
	cmd := exec.Command(args[0], args[1:]...)
	if path, err := exec.LookPath(args[0]); err == nil {
		cmd = exec.Command(path, args[1:]...)
	}
	cmd.Dir = ts.MkAbs(".")
	home := ts.MkAbs("nobody-home")
	ts.Check(os.MkdirAll(home, 0o700))
	ts.Check(os.Chown(home, nobody, nobody))
	cmd.Env = []string{"HOME=" + home, "PATH=" + ts.Getenv("PATH"), "LC_ALL=C.UTF-8", "GIT_CONFIG_NOSYSTEM=1", "TMPDIR=/tmp"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	cmd.Stdout, cmd.Stderr = ts.Stdout(), ts.Stderr()
	err := cmd.Run()
	if (err != nil) != neg {
		ts.Fatalf("%v as nobody: %v", args, err)
	}
}

// interrupt runs a command line, sends it a signal after a marker line has come on its standard error, and checks its exit
// status: interrupt SIGNAL MARKER STATUS COMMAND ARG...
func interrupt(ts *testscript.TestScript, neg bool, args []string) {
	signal := map[string]syscall.Signal{"INT": syscall.SIGINT, "TERM": syscall.SIGTERM}[args[0]]
	marker, status := args[1], args[2]
	cmd := exec.Command(args[3], args[4:]...)
	cmd.Dir = ts.MkAbs(".")
	cmd.Env = []string{"HOME=" + ts.Getenv("HOME"), "PATH=" + ts.Getenv("PATH"), "AI_FLOW_AGENT_USER=" + ts.Getenv("AI_FLOW_AGENT_USER"),
		"XDG_STATE_HOME=" + ts.Getenv("XDG_STATE_HOME"), "LC_ALL=C.UTF-8"}
	w := &markerWriter{marker: marker, seen: make(chan struct{})}
	cmd.Stdout, cmd.Stderr = ts.Stdout(), w
	ts.Check(cmd.Start())
	select {
	case <-w.seen:
	case <-time.After(time.Minute):
		cmd.Process.Kill()
		ts.Fatalf("%q did not come; standard error:\n%s", marker, w.text())
	}
	ts.Check(cmd.Process.Signal(signal))
	cmd.Wait()
	fmt.Fprint(ts.Stderr(), w.text())
	if got := strconv.Itoa(cmd.ProcessState.ExitCode()); got != status {
		ts.Fatalf("exit status %s, want %s; standard error:\n%s", got, status, w.text())
	}
}

// noProcess fails when any process of the user that the story's agent runs as is alive.
func noProcess(ts *testscript.TestScript, neg bool, args []string) {
	u, err := user.Lookup(ts.Getenv("AI_FLOW_AGENT_USER"))
	ts.Check(err)
	statuses, err := filepath.Glob("/proc/[0-9]*")
	ts.Check(err)
	for _, p := range statuses {
		info, err := os.Stat(p)
		if err != nil {
			continue // ended meanwhile
		}
		if strconv.Itoa(int(info.Sys().(*syscall.Stat_t).Uid)) == u.Uid {
			command, _ := os.ReadFile(filepath.Join(p, "cmdline"))
			ts.Fatalf("still alive: %s %q", p, command)
		}
	}
}
