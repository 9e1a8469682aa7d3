package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/d3mlabs/ai-flow/testsupport"
	"github.com/d3mlabs/ai-flow/testsupport/fakeagent"
	"github.com/d3mlabs/ai-flow/testsupport/fakegithub"
	"github.com/d3mlabs/ai-flow/testsupport/hostuser"
	"github.com/d3mlabs/ai-flow/testsupport/modelagent"
	"github.com/rogpeppe/go-internal/testscript"
)

// stage is what the stories share: a folder that every user can enter, two real users where that is possible, and a copy of
// this binary that those users can start.
type stage struct {
	root  string
	state string // one directory of ai-flow's own: the stories take turns with the agent user by the lock in it

	dispatchers string // the same, for what the dispatcher user runs
	pair        hostuser.Pair
	agent       string                      // path of the copy
	users       atomic.Int32                // made so far, for their names
	extra       func(*testscript.Env) error // further set-up of each story; may be nil
}

// quickExit is GORACE for each process of the program: one with the race detector sleeps for a second at its end.
const quickExit = "atexit_sleep_ms=0"

func newStage(t *testing.T) *stage {
	testsupport.Tools(t, "git", "sh")
	root, err := os.MkdirTemp("/tmp", "aift-stories-") // t.TempDir lies below a folder that is closed to others
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
	s := &stage{root: root, state: filepath.Join(root, "state"), agent: filepath.Join(root, "agent")}
	if canBecome() {
		s.pair, s.dispatchers = hostuser.Get(t), filepath.Join(root, "state-of-dispatcher")
		if err := errors.Join(os.Mkdir(s.dispatchers, 0o700), os.Chown(s.dispatchers, s.pair.Dispatcher.UID, s.pair.Dispatcher.GID)); err != nil {
			t.Fatal(err)
		}
	}
	if err := copyOwnBinary(s.agent); err != nil {
		t.Fatal(err)
	}
	return s
}

func copyOwnBinary(to string) error {
	exe, err := os.Executable()
	if err != nil {
		return err
	}
	in, err := os.Open(exe)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY|os.O_EXCL, 0o755)
	if err != nil {
		return err
	}
	if _, err := io.Copy(out, in); err != nil {
		return err
	}
	return out.Close()
}

func canBecome() bool {
	for _, tool := range []string{"visudo", "useradd"} {
		if _, err := exec.LookPath(tool); err != nil {
			return false
		}
	}
	return os.Geteuid() == 0
}

// setup gives a story an environment of its own: nothing of the machine's configuration reaches the program.
func (s *stage) setup(e *testscript.Env) error {
	home := filepath.Join(e.WorkDir, "home")
	e.Setenv("HOME", home)
	e.Setenv("STAGE", s.root)
	e.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	e.Setenv("GIT_CONFIG_GLOBAL", "/dev/null")
	e.Setenv("LC_ALL", "C.UTF-8")
	e.Setenv("GORACE", quickExit)
	e.Values["testing"], e.Values[hubKey{}] = e.T(), &hub{others: map[string]*fakegithub.Repo{}}
	if err := errors.Join(os.Chmod(e.WorkDir, 0o755), keepPrinted(e, filepath.Join(e.WorkDir, "printed"))); err != nil {
		return err
	}
	if s.extra != nil {
		if err := s.extra(e); err != nil {
			return err
		}
	}
	return os.MkdirAll(home, 0o700)
}

func tb(ts *testscript.TestScript) testing.TB { return ts.Value("testing").(testing.TB) }

// needRoot says that a story needs root and sudo.
func needRoot(ts *testscript.TestScript, neg bool, args []string) {
	testsupport.Need(tb(ts), canBecome(), "root and sudo", "su -c 'apt-get install -y sudo passwd' && sudo env PATH=\"$PATH\" go test ./cmd/ai-flow")
}

// agentUser lets the story's agent run as the user that stands ready: agentuser [dispatcher]. The word says that it is the
// dispatcher user who runs the program; the stories of that user take turns by a lock of its own.
func (s *stage) agentUser(ts *testscript.TestScript, neg bool, args []string) {
	needRoot(ts, false, nil)
	if len(args) == 1 && args[0] == "dispatcher" {
		ts.Setenv("AI_FLOW_AGENT_USER", s.pair.Agent.Name)
		ts.Setenv("DISPATCHER", s.pair.Dispatcher.Name)
		ts.Setenv("XDG_STATE_HOME", s.dispatchers)
		return
	}
	ts.Setenv("AI_FLOW_AGENT_USER", s.pair.Agent.Name)
	ts.Setenv("AGENT_HOME", s.pair.Agent.Home)
	ts.Setenv("XDG_STATE_HOME", s.state)
}

// freshUser names a user that does not exist, and removes what the program makes of it.
func (s *stage) freshUser(ts *testscript.TestScript, neg bool, args []string) {
	needRoot(ts, false, nil)
	name := fmt.Sprintf("aift-f%d-%d", os.Getpid(), s.users.Add(1))
	ts.Setenv("AI_FLOW_AGENT_USER", name)
	ts.Defer(func() {
		made, err := filepath.Glob("/etc/sudoers.d/ai-flow-*+" + name)
		ts.Check(err)
		for _, path := range append(made, "/var/lib/ai-flow/"+name+".lock") {
			if err := os.Remove(path); err != nil && !os.IsNotExist(err) {
				ts.Logf("%v", err)
			}
		}
		if _, err := user.Lookup(name); err != nil {
			return
		}
		if out, err := exec.Command("userdel", "--remove", "--force", name).CombinedOutput(); err != nil && !strings.Contains(string(out), "mail spool") {
			ts.Logf("userdel %s: %v: %s", name, err, out)
		}
		// The home is root's, which userdel leaves; so is the lock.
		ts.Check(os.RemoveAll("/home/" + name))
		ts.Check(os.RemoveAll("/var/lib/ai-flow/" + name + ".lock"))
	})
}

// fakeAgent makes the scripted agent of a JSON file the one that AI_FLOW_AGENT_BIN names. {{story}} in it is the story's folder,
// which all users can read.
func (s *stage) fakeAgent(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: fakeagent SCRIPT.json")
	}
	var script fakeagent.Script
	d := json.NewDecoder(strings.NewReader(strings.ReplaceAll(ts.ReadFile(args[0]), "{{story}}", ts.Getenv("WORK"))))
	d.DisallowUnknownFields()
	ts.Check(d.Decode(&script))
	ts.Setenv("AI_FLOW_AGENT_BIN", s.agent)
	ts.Setenv("AI_FLOW_AGENT_ARGS", strings.Join(fakeagent.Args(script), " "))
}

// modelAgent makes the small agent that a model drives, with its faults, the one that AI_FLOW_AGENT_BIN names: modelagent FAULT...
func (s *stage) modelAgent(ts *testscript.TestScript, neg bool, faults []string) {
	if neg {
		ts.Fatalf("usage: modelagent FAULT...")
	}
	ts.Setenv("AI_FLOW_AGENT_BIN", s.agent)
	ts.Setenv("AI_FLOW_AGENT_ARGS", strings.Join(append([]string{modelagent.Name}, faults...), " "))
}

// checkout makes a small repository in the folder named, from the files that the story put there.
func checkout(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: checkout FOLDER")
	}
	for _, line := range [][]string{
		{"init", "--quiet", "--initial-branch=main"},
		{"add", "--all"},
		{"-c", "user.name=A Person", "-c", "user.email=person@example.org", "commit", "--quiet", "--message=Begin"},
	} {
		cmd := exec.Command("git", line...)
		cmd.Dir = ts.MkAbs(args[0])
		cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + ts.Getenv("HOME"), "GIT_CONFIG_NOSYSTEM=1",
			"GIT_AUTHOR_DATE=2026-01-01T00:00:00Z", "GIT_COMMITTER_DATE=2026-01-01T00:00:00Z"}
		if out, err := cmd.CombinedOutput(); err != nil {
			ts.Fatalf("git %v: %v\n%s", line, err, out)
		}
	}
}

// environ is the environment of a program that a command of ours starts: the story's, as far as it is our business.
func environ(ts *testscript.TestScript, home string) []string {
	env := []string{"HOME=" + home, "PATH=" + ts.Getenv("PATH"), "LC_ALL=C.UTF-8", "TMPDIR=/tmp", "GORACE=" + quickExit, "GIT_CONFIG_GLOBAL=/dev/null"}
	for _, name := range append(strings.Split(ts.Getenv("AI_FLOW_AGENT_ENV"), ","), "AI_FLOW_AGENT_USER", "AI_FLOW_AGENT", "AI_FLOW_AGENT_BIN", "AI_FLOW_AGENT_ARGS", "AI_FLOW_AGENT_ENV", "AI_FLOW_ISOLATION",
		"AI_FLOW_APP_ID", "AI_FLOW_APP_PRIVATE_KEY", "XDG_STATE_HOME", "GH_TOKEN", "RUNNER_TEMP",
		"GITHUB_ACTIONS", "GITHUB_SERVER_URL", "GITHUB_API_URL", "GITHUB_GRAPHQL_URL", "GITHUB_REPOSITORY", "GITHUB_RUN_ID", "GITHUB_RUN_ATTEMPT",
		"GITHUB_TRIGGERING_ACTOR", "GITHUB_EVENT_NAME", "GITHUB_EVENT_PATH", "GITHUB_STEP_SUMMARY", "GITHUB_OUTPUT", "GITHUB_ENV", "GITHUB_PATH", "GITHUB_STATE", printedTo,
		"COPILOT_OFFLINE", "COPILOT_PROVIDER_TYPE", "COPILOT_PROVIDER_WIRE_API", "COPILOT_PROVIDER_BASE_URL", "COPILOT_PROVIDER_API_KEY", "COPILOT_MODEL") {
		if v := ts.Getenv(name); v != "" {
			env = append(env, fmt.Sprintf("%s=%s", name, v))
		}
	}
	return env
}
