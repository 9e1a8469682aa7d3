package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// as runs the program in a checkout that is given to another user: as nobody|dispatcher FOLDER ARG...
// nobody has no rights at all; dispatcher has the one sudoers rule that leads to the agent user.
func (s *stage) as(ts *testscript.TestScript, neg bool, args []string) {
	needRoot(ts, false, nil)
	if len(args) < 3 {
		ts.Fatalf("usage: as nobody|dispatcher FOLDER ARG...")
	}
	credential := &syscall.Credential{Uid: 65534, Gid: 65534, Groups: []uint32{}}
	if args[0] == "dispatcher" {
		credential = s.pair.Dispatcher.Credential()
	}
	home, dir := ts.MkAbs("home-of-"+args[0]), ts.MkAbs(args[1])
	ts.Check(os.MkdirAll(home, 0o700))
	for _, top := range []string{home, dir} {
		ts.Check(filepath.WalkDir(top, func(p string, _ os.DirEntry, err error) error {
			if err != nil {
				return err
			}
			return os.Lchown(p, int(credential.Uid), int(credential.Gid))
		}))
	}
	// The program by a name and a place that the user can reach: what it is called decides what this binary does.
	program := filepath.Join(s.root, "ai-flow")
	if err := os.Link(s.agent, program); err != nil && !os.IsExist(err) {
		ts.Check(err)
	}
	cmd := exec.Command(program, args[2:]...)
	cmd.Dir, cmd.Env = dir, environ(ts, home)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: credential}
	cmd.Stdout, cmd.Stderr = ts.Stdout(), ts.Stderr()
	if err := cmd.Run(); (err != nil) != neg {
		ts.Fatalf("%v as %s: %v", args[2:], args[0], err)
	}
	if args[2] == "dispatch" {
		soundReport(ts)
	}
}

// interrupt runs the program in a folder, sends it a signal when a marker has come on its standard error, and checks its
// exit status: interrupt INT|TERM|KILL MARKER STATUS FOLDER ARG...
func interrupt(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 5 {
		ts.Fatalf("usage: interrupt INT|TERM|KILL MARKER STATUS FOLDER ARG...")
	}
	signal := map[string]syscall.Signal{"INT": syscall.SIGINT, "TERM": syscall.SIGTERM, "KILL": syscall.SIGKILL}[args[0]]
	marker, status := args[1], args[2]
	program, err := lookPath("ai-flow", ts.Getenv("PATH"))
	ts.Check(err)
	cmd := exec.Command(program, args[4:]...)
	cmd.Dir, cmd.Env = ts.MkAbs(args[3]), environ(ts, ts.Getenv("HOME"))
	w := &markerWriter{marker: marker, seen: make(chan struct{})}
	cmd.Stdout, cmd.Stderr = ts.Stdout(), w
	ts.Check(cmd.Start())
	select {
	case <-w.seen:
	case <-time.After(time.Minute):
		cmd.Process.Kill()
		ts.Fatalf("%q did not come; standard error:\n%s", marker, w.text())
	}
	began := time.Now()
	ts.Check(cmd.Process.Signal(signal))
	cmd.Wait()
	fmt.Fprint(ts.Stderr(), w.text())
	if got := strconv.Itoa(cmd.ProcessState.ExitCode()); got != status {
		ts.Fatalf("exit status %s, want %s; standard error:\n%s", got, status, w.text())
	}
	if took := time.Since(began); took > 20*time.Second {
		ts.Fatalf("it took %v to end", took)
	}
}

// exits runs a program and checks its exit status exactly: exits STATUS PROGRAM ARG...
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits STATUS PROGRAM ARG...")
	}
	err := ts.Exec(args[1], args[2:]...)
	got := 0
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		got = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if strconv.Itoa(got) != args[0] {
		ts.Fatalf("exit status %d, want %s", got, args[0])
	}
}

// paste runs the command that stands behind a mark on the last standard error, as root: paste MARK
func paste(ts *testscript.TestScript, neg bool, args []string) {
	needRoot(ts, false, nil)
	if neg || len(args) != 1 {
		ts.Fatalf("usage: paste MARK")
	}
	_, command, found := strings.Cut(ts.ReadFile("stderr"), args[0])
	command, _, _ = strings.Cut(strings.TrimSpace(command), "\n")
	if !found {
		ts.Fatalf("no %q on standard error", args[0])
	}
	ts.Check(ts.Exec("sh", "-c", command))
}

func lookPath(name, path string) (string, error) {
	for _, dir := range filepath.SplitList(path) {
		p := filepath.Join(dir, name)
		if _, err := os.Stat(p); err == nil {
			return p, nil
		}
	}
	return "", fmt.Errorf("no %s in %s", name, path)
}

// noProcess fails when a process of the agent's user is alive, or a directory of a run is left in that user's home. A story
// that uses it must have that user to itself.
func noProcess(ts *testscript.TestScript, neg bool, args []string) {
	u, err := user.Lookup(ts.Getenv("AI_FLOW_AGENT_USER"))
	ts.Check(err)
	if alive := processesOf(u.Uid); len(alive) > 0 {
		ts.Fatalf("still alive: %q", alive)
	}
	left, err := filepath.Glob(filepath.Join(u.HomeDir, ".ai-flow", "*"))
	ts.Check(err)
	if len(left) > 0 {
		ts.Fatalf("left behind: %v", left)
	}
}

func agentUID(ts *testscript.TestScript) string {
	u, err := user.Lookup(ts.Getenv("AI_FLOW_AGENT_USER"))
	ts.Check(err)
	return u.Uid
}

// processesOf are the command lines of a user's processes. Those that are dead, and wait for an init that does not collect,
// do not count.
func processesOf(uid string) (alive []string) {
	all, _ := filepath.Glob("/proc/[0-9]*") // the pattern is good
	for _, p := range all {
		info, err := os.Stat(p)
		if err != nil || strconv.Itoa(int(info.Sys().(*syscall.Stat_t).Uid)) != uid {
			continue // ended meanwhile, or somebody else's
		}
		if stat, err := os.ReadFile(filepath.Join(p, "stat")); err != nil || bytes.Contains(stat, []byte(") Z ")) {
			continue
		}
		command, _ := os.ReadFile(filepath.Join(p, "cmdline")) // it may end at any moment
		alive = append(alive, p+" "+string(bytes.ReplaceAll(command, []byte{0}, []byte{' '})))
	}
	return alive
}

// markerWriter keeps what is written and tells when a marker has come.
type markerWriter struct {
	marker string
	seen   chan struct{}

	mu   sync.Mutex
	all  bytes.Buffer
	told bool
}

func (w *markerWriter) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.all.Write(b)
	if !w.told && strings.Contains(w.all.String(), w.marker) {
		w.told = true
		close(w.seen)
	}
	return len(b), nil
}

func (w *markerWriter) text() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.all.String()
}
