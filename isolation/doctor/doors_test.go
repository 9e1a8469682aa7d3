package doctor

import (
	"crypto/rand"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/d3mlabs/ai-flow/testsupport/hostuser"
)

// place is a directory that the agent can enter, unlike those that a test gets.
func place(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("/var/tmp", "aift-doctor-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	mode(t, dir, 0o755)
	return dir
}

func mode(t testing.TB, path string, m os.FileMode) {
	t.Helper()
	if err := os.Chmod(path, m); err != nil {
		t.Fatal(err)
	}
}

func put(t testing.TB, path, text string, m os.FileMode) {
	t.Helper()
	dir := filepath.Dir(path)
	for ; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(dir); err == nil {
			break
		}
		defer mode(t, dir, 0o755)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), m); err != nil {
		t.Fatal(err)
	}
	mode(t, path, m)
}

// job is the place of a self-hosted runner as it should be, and a state directory of ours. It returns where it is.
func job(t testing.TB, o *Options) (root string) {
	t.Helper()
	root = place(t)
	at := func(p string) string { return filepath.Join(root, p) }
	for _, p := range []string{"_work/_actions/actions/checkout/v6/index.js", "_work/_tool/go/bin/go", "_work/app/app/main.go", "_work/app/app/.git/config", "run.sh", ".runner"} {
		put(t, at(p), "x", 0o644)
	}
	for _, p := range []string{"_work/_temp/_runner_file_commands/env", "_work/_temp/step.sh", ".credentials", "state/key"} {
		put(t, at(p), "x", 0o600)
	}
	mode(t, at("_work/_temp"), 0o700)
	mode(t, at("state"), 0o700)
	o.Environ = []string{"GITHUB_ENV=" + at("_work/_temp/_runner_file_commands/env"), "GITHUB_WORKSPACE=" + at("_work/app/app"),
		"RUNNER_TEMP=" + at("_work/_temp"), "RUNNER_TOOL_CACHE=" + at("_work/_tool")}
	o.Closed = []string{at("state"), at("state/key"), at("not there")}
	return root
}

// door is a file or a directory that the agent must not reach, opened.
type door struct {
	name, id, path string
	mode           os.FileMode
	text           string // when it is not the mode that opens it
	names          string // what the finding has to name
}

// S1, S2: each door that a file's mode can open is found open, named, and closed by what the finding says.
func TestDoorsOfFiles(t *testing.T) {
	doors := []door{
		{name: "a command file that all may write, in a directory that all may enter", id: "command-files", path: "_work/_temp/_runner_file_commands/env", mode: 0o666, names: "_runner_file_commands/env"},
		{name: "a directory of command files that all may change", id: "command-files", path: "_work/_temp/_runner_file_commands", mode: 0o777, names: "_runner_file_commands"},
		{name: "an action that all may write", id: "actions", path: "_work/_actions/actions/checkout/v6/index.js", mode: 0o666, names: "index.js"},
		{name: "a directory of an action that all may change", id: "actions", path: "_work/_actions/actions/checkout", mode: 0o777, names: "actions/checkout"},
		{name: "a workspace that all may change", id: "workspace", path: "_work/app/app", mode: 0o777, names: "app/app"},
		{name: "a tool that all may write", id: "tool-cache", path: "_work/_tool/go/bin/go", mode: 0o777, names: "go/bin/go"},
		{name: "a temporary directory that all may list", id: "runner-temp", path: "_work/_temp", mode: 0o755, names: "_temp"},
		{name: "a temporary directory that all may write", id: "runner-temp", path: "_work/_temp", mode: 0o733, names: "_temp"},
		{name: "a token in the workspace", id: "workspace-credentials", path: "_work/app/app/.git/config",
			text:  "[http \"https://github.com/\"]\n\textraheader = AUTHORIZATION: basic eC1hY2Nlc3MtdG9rZW46Z2hzX0FBQUFBQUFBQUFBQUFBQUFBQUFBQUFB\n",
			names: "a token of GitHub's"},
		{name: "a known secret in the workspace", id: "workspace-credentials", path: "_work/app/app/.git/config", text: "[x]\n\ty = canary-value-0001\n", names: "a known secret"},
		{name: "the runner's key", id: "runner-credentials", path: ".credentials", mode: 0o644, names: ".credentials"},
		{name: "the runner's program", id: "runner-credentials", path: "run.sh", mode: 0o757, names: "run.sh"},
		{name: "the runner's directory", id: "runner-credentials", path: ".", mode: 0o777, names: "create"},
		{name: "a directory of ours that can be listed", id: "dispatcher-files", path: "state", mode: 0o755, names: "list"},
		{name: "a directory of ours that can be entered by who knows a name", id: "dispatcher-files", path: "state", mode: 0o711, names: ".ai-flow-canary-"},
		{name: "a directory of ours that can be written", id: "dispatcher-files", path: "state", mode: 0o733, names: "create"},
	}
	hostuser.EachDispatcher(t, func(t *testing.T, p hostuser.Pair) {
		o := options(t, p)
		o.Secrets, o.In = []string{"canary-value-0001"}, openRoom(t, o)
		for rest := doors; len(rest) > 0; {
			root := job(t, &o)
			at := func(p string) string { return filepath.Join(root, p) }
			mode(t, at("_work/_temp"), 0o711) // which leaves it to the command files themselves to be closed
			opened := map[string]door{}       // one of each check at a time, since a run takes half a second
			var later []door
			for _, d := range rest {
				if opened[d.id].id != "" {
					later = append(later, d)
					continue
				}
				opened[d.id] = d
				if d.text != "" {
					put(t, at(d.path), d.text, 0o644)
				} else {
					mode(t, at(d.path), d.mode)
				}
			}
			rest = later
			for id, f := range examine(t, runner, o, slices.Collect(maps.Keys(opened))...) {
				d := opened[id]
				if f.Status != Fail || !strings.Contains(f.Why, d.names) || strings.Contains(f.Why, "canary-value") {
					t.Errorf("%s: %+v", d.name, f)
					continue
				}
				follow(t, f.Fix)
			}
			for id, f := range examine(t, runner, o, slices.Collect(maps.Keys(opened))...) {
				if f.Status != Pass {
					t.Errorf("%s: not closed by the fix: %+v", opened[id].name, f)
				}
			}
			if names, err := filepath.Glob(at("*/.ai-flow*")); err != nil || len(names) > 0 {
				t.Errorf("left behind: %q, %v", names, err)
			}
		}
	})
}

// S2: what the agent's user owns in a place of the runner's is open to it, whatever the mode says.
func TestDoorsOfOwnership(t *testing.T) {
	hostuser.EachDispatcher(t, func(t *testing.T, p hostuser.Pair) {
		if os.Getuid() != 0 {
			return // an ordinary user cannot give a file away
		}
		o := options(t, p)
		o.In = openRoom(t, o)
		root := job(t, &o)
		uid, gid := int(p.Agent.Credential().Uid), int(p.Agent.Credential().Gid)
		doors := map[string]string{"workspace": root + "/_work/app/app/main.go", "actions": root + "/_work/_actions/actions/checkout", "tool-cache": root + "/_work/_tool"}
		for _, path := range doors {
			if err := os.Lchown(path, uid, gid); err != nil {
				t.Fatal(err)
			}
		}
		mode(t, doors["actions"], 0o555)
		for id, f := range examine(t, runner, o, slices.Collect(maps.Keys(doors))...) {
			if f.Status != Fail || !strings.Contains(f.Why, doors[id]) {
				t.Errorf("%+v", f)
				continue
			}
			follow(t, f.Fix)
		}
		for id, f := range examine(t, runner, o, slices.Collect(maps.Keys(doors))...) {
			if f.Status != Pass {
				t.Errorf("%s: not closed by the fix: %+v", id, f)
			}
		}
	})
}

// S1: the dispatcher's own home. Root's is left as it is.
func TestDoorOfTheHome(t *testing.T) {
	hostuser.EachDispatcher(t, func(t *testing.T, p hostuser.Pair) {
		if os.Getuid() == 0 {
			return
		}
		o := options(t, p)
		mode(t, p.Dispatcher.Home, 0o711) // nobody can list it, and who knows a name can read
		f := one(t, runner, o, "dispatcher-home", Fail)
		follow(t, f.Fix)
		one(t, runner, o, "dispatcher-home", Pass)
	})
}

// What a killed doctor left is removed by a later one, and nothing else: no file of somebody's, and none that may be in use.
func TestCanariesOfKilledRuns(t *testing.T) {
	dir := t.TempDir()
	old := time.Now().Add(-2 * canaryAge)
	for name, when := range map[string]time.Time{canaryName + rand.Text(): old, canaryName + "notes": old, canaryName + rand.Text() + "x": old, "mine": old, canaryName + rand.Text(): time.Now()} {
		put(t, filepath.Join(dir, name), rand.Text(), 0o644)
		if err := os.Chtimes(filepath.Join(dir, name), when, when); err != nil {
			t.Fatal(err)
		}
	}
	if err := uproot(plant([]string{dir})); err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 4 {
		t.Errorf("left %v, %v", left, err)
	}
}

// A directory in which no canary can be made is tried all the same, and passes for nothing.
func TestWhereNoCanaryCanBeMade(t *testing.T) {
	hostuser.EachDispatcher(t, func(t *testing.T, p hostuser.Pair) {
		if os.Getuid() == 0 {
			return
		}
		o := options(t, p)
		o.Short, o.In = true, openRoom(t, o)
		o.Closed = []string{"/root"}
		if f := examine(t, runner, o, "dispatcher-files")["dispatcher-files"]; f.Status != Unknown || !strings.Contains(f.Why, "no canary") {
			t.Errorf("%+v", f)
		}
		o.Closed = []string{"/etc"}
		if f := one(t, runner, o, "dispatcher-files", Fail); strings.Contains(f.Fix, "chmod") {
			t.Errorf("%+v", f)
		}
	})
}

// A link, a FIFO and a device where a file should be neither hold the checks nor pass for closed when they are open.
func TestOddFiles(t *testing.T) {
	hostuser.EachDispatcher(t, func(t *testing.T, p hostuser.Pair) {
		root := place(t)
		put(t, root+"/real", "x", 0o644)
		if err := os.Symlink(root+"/real", root+"/link"); err != nil {
			t.Fatal(err)
		}
		if out, err := exec.Command("mkfifo", "-m", "0666", root+"/fifo").CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		o := options(t, p)
		o.Closed = []string{root + "/link", root + "/fifo"}
		if f := one(t, runner, o, "dispatcher-files", Fail); !strings.Contains(f.Why, "/link") || !strings.Contains(f.Why, "/fifo") {
			t.Errorf("it says %s", f.Why)
		}
	})
}

// S1: what a killed run, or one of a dispatcher with another agent user, left open for all.
func TestDoorOfOtherRuns(t *testing.T) {
	hostuser.EachDispatcher(t, func(t *testing.T, p hostuser.Pair) {
		o := options(t, p)
		dir, err := os.MkdirTemp("/var/tmp", "ai-flow-run-aift-")
		if err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(dir)
		one(t, runner, o, "other-runs", Pass)
		mode(t, dir, 0o755)
		f := one(t, runner, o, "other-runs", Fail)
		if !strings.Contains(f.Why, dir) {
			t.Errorf("it says %s", f.Why)
		}
		if os.Getuid() == 0 {
			follow(t, f.Fix)
			one(t, runner, o, "other-runs", Pass)
		}
	})
}
