package process_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/d3mlabs/ai-flow/executor/process"
	"github.com/d3mlabs/ai-flow/testsupport/hostuser"
)

func TestMain(m *testing.M) { os.Exit(hostuser.Main(m)) }

const grace = 500 * time.Millisecond

// sh is a shell script with a fixed small environment.
func sh(script string) process.Command {
	return process.Command{Argv: []string{"/bin/sh", "-c", script}, Env: []string{"PATH=/usr/bin:/bin"}, Grace: grace}
}

func TestRun(t *testing.T) {
	tests := []struct {
		name, script, stdin string
		stdout, stderr      string
		code                int
		signal              syscall.Signal
	}{
		{name: "input to output", script: "cat", stdin: "hello", stdout: "hello"},
		{name: "exit status is a result", script: "echo no >&2; exit 3", stderr: "no\n", code: 3},
		{name: "death by a signal", script: "kill -SEGV $$", code: -1, signal: syscall.SIGSEGV},
		{name: "input that nobody wants", script: "exec <&-; echo ok", stdin: strings.Repeat("x", 1<<20), stdout: "ok\n"},
		{name: "output closed early", script: "exec >&-; sleep 0.1; exit 5", code: 5},
		{name: "No such file on stderr is not a start error (F-50)", script: "echo 'x: No such file or directory' >&2", stderr: "x: No such file or directory\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := sh(tt.script)
			c.Stdin = strings.NewReader(tt.stdin)
			r, err := process.Run(t.Context(), c)
			if err != nil {
				t.Fatal(err)
			}
			if string(r.Stdout) != tt.stdout || string(r.Stderr) != tt.stderr || r.Code != tt.code || r.Signal != tt.signal {
				t.Errorf("got stdout %q, stderr %q, code %d, signal %v", r.Stdout, r.Stderr, r.Code, r.Signal)
			}
			if r.Asked != 0 || r.Trouble != nil {
				t.Errorf("the ladder was used: %v, %v", r.Asked, r.Trouble)
			}
		})
	}
}

// The environment is the given one, also when it is empty; nil is an error and never means ours (rule 5).
func TestRunEnvironmentIsExact(t *testing.T) {
	t.Setenv("AIFT_CANARY", "leaked")
	for _, env := range [][]string{{}, {"ONE=1"}} {
		r, err := process.Run(t.Context(), process.Command{Argv: []string{"/usr/bin/env"}, Env: env})
		if got := strings.Fields(string(r.Stdout)); err != nil || strings.Join(got, " ") != strings.Join(env, " ") {
			t.Errorf("environment %q became %q, %v", env, got, err)
		}
	}
}

func TestRunRefuses(t *testing.T) {
	env := []string{}
	tests := []struct {
		name string
		c    process.Command
		is   error
		says string
	}{
		{"no environment", process.Command{Argv: []string{"/bin/true"}}, nil, "no environment"},
		{"no program", process.Command{Env: env}, nil, "empty command line"},
		{"a program to be searched for", process.Command{Argv: []string{"true"}, Env: env}, nil, "absolute"},
		{"missing program", process.Command{Argv: []string{"/nonexistent/x"}, Env: env}, fs.ErrNotExist, `"/nonexistent/x"`},
		{"missing directory (F-50)", process.Command{Argv: []string{"/bin/true"}, Env: env, Dir: "/nonexistent"}, fs.ErrNotExist, "directory"},
		{"not a directory", process.Command{Argv: []string{"/bin/true"}, Env: env, Dir: "/etc/passwd"}, nil, "not a directory"},
		{"not executable", process.Command{Argv: []string{"/etc/passwd"}, Env: env}, fs.ErrPermission, "permission"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := process.Run(t.Context(), tt.c)
			if err == nil || !strings.Contains(err.Error(), tt.says) || tt.is != nil && !errors.Is(err, tt.is) {
				t.Errorf("got %v", err)
			}
		})
	}
}

// Secrets are never on argv, but a prompt may be, and no error repeats an argument (S5).
func TestErrorsDoNotRepeatArguments(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err := process.Run(ctx, process.Command{Argv: []string{"/bin/sh", "-c", "sleep 60", "canary"}, Env: []string{"T=canary"}, Grace: grace})
	if err == nil || strings.Contains(err.Error(), "canary") || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
}

func TestRunBoundsOutput(t *testing.T) {
	c := sh("exec head -c 1000 /dev/zero")
	c.MaxOutput = 1000
	if r, err := process.Run(t.Context(), c); err != nil || len(r.Stdout) != 1000 {
		t.Errorf("exactly the limit: %d bytes, %v", len(r.Stdout), err)
	}
	c.MaxOutput = 999
	if r, err := process.Run(t.Context(), c); !errors.Is(err, process.ErrTooMuchOutput) || len(r.Stdout) != 999 {
		t.Errorf("one byte more: %d bytes, %v", len(r.Stdout), err)
	}
	began := time.Now()
	r, err := process.Run(t.Context(), sh("trap '' TERM; while :; do echo flood; done"))
	if !errors.Is(err, process.ErrTooMuchOutput) || len(r.Stdout) != 1<<20 {
		t.Errorf("a flood: %d bytes, %v", len(r.Stdout), err)
	}
	if took := time.Since(began); took > 10*grace+slack {
		t.Errorf("a flood took %v", took)
	}
}

func TestRunToWriter(t *testing.T) {
	var got bytes.Buffer
	c := sh("head -c 5000000 /dev/zero")
	c.Stdout = &got
	if r, err := process.Run(t.Context(), c); err != nil || got.Len() != 5000000 || len(r.Stdout) != 0 {
		t.Errorf("%d bytes to the writer, %d kept, %v", got.Len(), len(r.Stdout), err)
	}
	c.Stdout = failing{}
	if _, err := process.Run(t.Context(), c); !errors.Is(err, errFull) {
		t.Errorf("a writer that fails: %v", err)
	}
	c.Stdout, c.Stdin = nil, failing{}
	if _, err := process.Run(t.Context(), sh2(c, "cat")); !errors.Is(err, errFull) {
		t.Errorf("a reader that fails: %v", err)
	}
}

func sh2(c process.Command, script string) process.Command {
	c.Argv = []string{"/bin/sh", "-c", script}
	return c
}

var errFull = errors.New("full")

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errFull }
func (failing) Read([]byte) (int, error)  { return 0, errFull }

func TestRunnerBounds(t *testing.T) {
	argv := []string{"/usr/bin/head", "-c", "2000", "/dev/zero"}
	if out, _, code, err := (process.Runner{}).Run(t.Context(), argv, []string{}, nil); err != nil || code != 0 || len(out) != 2000 {
		t.Errorf("%d bytes, code %d, %v", len(out), code, err)
	}
	if _, _, _, err := (process.Runner{MaxOutput: 10}).Run(t.Context(), argv, []string{}, nil); !errors.Is(err, process.ErrTooMuchOutput) {
		t.Errorf("over the limit: %v", err)
	}
}

// The child leads a session: no terminal of ours to push key strokes into, and a group that signals can reach.
func TestChildLeadsASession(t *testing.T) {
	r, err := process.Run(t.Context(), sh(`read -r pid comm state ppid pgrp sid tty rest </proc/self/stat; echo $((pid == pgrp)) $((pid == sid)) $tty`))
	if got := strings.TrimSpace(string(r.Stdout)); err != nil || got != "1 1 0" {
		t.Errorf("leader of group, of session, terminal: %q, %v", got, err)
	}
}

func TestStdoutMakesTheChildWait(t *testing.T) {
	ch, err := process.Start(t.Context(), sh("head -c 10000000 /dev/zero; echo done >&2; cat"))
	if err != nil {
		t.Fatal(err)
	}
	defer ch.Stop(t.Context())
	time.Sleep(200 * time.Millisecond)
	if got := ch.Stderr(); len(got) != 0 {
		t.Fatalf("the child wrote 10 MB to nobody: %q", got)
	}
	if n, err := io.CopyN(io.Discard, ch.Stdout, 10000000); err != nil {
		t.Fatalf("after %d bytes: %v", n, err)
	}
	waitFor(t, func() bool { return string(ch.Stderr()) == "done\n" })
}

func TestStderr(t *testing.T) {
	var seen bytes.Buffer
	c := sh("i=0; while [ $i -lt 30000 ]; do echo line $i >&2; i=$((i+1)); done")
	c.OnStderr = func(p []byte) { seen.Write(p) }
	r, err := process.Run(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Stderr) != 64<<10 || !bytes.HasSuffix(seen.Bytes(), r.Stderr) {
		t.Errorf("the tail has %d bytes and is not the end of the %d seen", len(r.Stderr), seen.Len())
	}
	if lines := bytes.Count(seen.Bytes(), []byte("\n")); lines != 30000 {
		t.Errorf("%d lines seen", lines)
	}
}

// A callback sets the pace: what it has not taken waits in the child, not in our memory.
func TestOnStderrSetsThePace(t *testing.T) {
	release := make(chan struct{})
	c := sh("head -c 5000000 /dev/zero >&2; echo done; cat")
	c.OnStderr = func([]byte) { <-release }
	ch, err := process.Start(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	said := make(chan string, 1)
	go func() {
		line := make([]byte, 5)
		io.ReadFull(ch.Stdout, line)
		said <- string(line)
	}()
	select {
	case got := <-said:
		t.Errorf("the child went on: %q", got)
	case <-time.After(200 * time.Millisecond):
	}
	close(release)
	if got := <-said; got != "done\n" {
		t.Errorf("then: %q", got)
	}
	ch.Stop(t.Context())
}

func waitFor(t *testing.T, what func() bool) {
	t.Helper()
	for end := time.Now().Add(slack); !what(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("it did not come to be")
		}
	}
}

func BenchmarkRun(b *testing.B) {
	for b.Loop() {
		if _, err := process.Run(b.Context(), process.Command{Argv: []string{"/bin/true"}, Env: []string{}}); err != nil {
			b.Fatal(err)
		}
	}
}
