package process_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/d3mlabs/ai-flow/executor/process"
	"github.com/d3mlabs/ai-flow/testsupport/hostuser"
)

// slack is for a busy machine: the bounds are there to find what hangs, not what is slow.
const slack = 15 * time.Second

func start(t *testing.T, ctx context.Context, c process.Command) *process.Child {
	t.Helper()
	ch, err := process.Start(ctx, c)
	if err != nil {
		t.Fatal(err)
	}
	return ch
}

// firstLine waits until the script is where it wants to be.
func firstLine(t *testing.T, ch *process.Child) string {
	t.Helper()
	line, err := bufio.NewReaderSize(ch.Stdout, 16).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(line)
}

// agents.md points 28 and 29: some agents end with their input, some at TERM, some never.
func TestStopClimbsTheLadder(t *testing.T) {
	tests := []struct {
		name, script string
		asked        syscall.Signal
		code         int
		signal       syscall.Signal
		least, most  time.Duration
	}{
		{"ends with its input", "echo up; cat >/dev/null; exit 4", 0, 4, 0, 0, grace},
		{"has ended already", "echo up; exit 6", 0, 6, 0, 0, grace},
		{"ends at TERM by itself", "trap 'exit 7' TERM; echo up; while :; do sleep 0.01; done", syscall.SIGTERM, 7, 0, grace, 2 * grace},
		{"ends by TERM", "echo up; exec sleep 60", syscall.SIGTERM, -1, syscall.SIGTERM, grace, 2 * grace},
		{"ignores TERM", "trap '' TERM; echo up; while :; do sleep 60; done", syscall.SIGKILL, -1, syscall.SIGKILL, 2 * grace, 3 * grace},
		{"is stopped", "echo up; kill -STOP $$", syscall.SIGTERM, -1, syscall.SIGTERM, grace, 2 * grace},
		{"is stopped and ignores TERM", "trap '' TERM; echo up; kill -STOP $$; sleep 60", syscall.SIGKILL, -1, syscall.SIGKILL, 2 * grace, 3 * grace},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			ch := start(t, t.Context(), sh(tt.script))
			firstLine(t, ch)
			began := time.Now()
			r := ch.Stop(t.Context())
			took := time.Since(began)
			if r.Asked != tt.asked || r.Code != tt.code || r.Signal != tt.signal || r.Trouble != nil {
				t.Errorf("asked %v, code %d, signal %v, trouble %v", r.Asked, r.Code, r.Signal, r.Trouble)
			}
			if took < tt.least || took > tt.most+slack {
				t.Errorf("took %v, not between %v and %v", took, tt.least, tt.most)
			}
			if again := ch.Stop(t.Context()); again.Code != r.Code || again.Asked != r.Asked {
				t.Errorf("a second Stop says %+v", again)
			}
		})
	}
}

// F-07: what holds the pipes after the child ended cannot hold us, and does not outlive the child.
func TestGrandchildHoldsTheOutput(t *testing.T) {
	tests := []struct {
		name, script string
		reached      bool // by a signal to the group
	}{
		{"in the group", "sh -c 'trap \"\" TERM; sleep 61' & echo $!; exit 0", true},
		{"stderr only", "sh -c 'trap \"\" TERM; sleep 61' >/dev/null & echo $!; exit 0", true},
		{"in a session of its own", "setsid sleep 61 & echo $!; exit 0", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			began := time.Now()
			r, err := process.Run(t.Context(), sh(tt.script))
			if err != nil || r.Code != 0 {
				t.Fatalf("success became %+v, %v", r, err)
			}
			if took := time.Since(began); took > 3*grace+slack {
				t.Errorf("took %v", took)
			}
			pid, err := strconv.Atoi(strings.TrimSpace(string(r.Stdout)))
			if err != nil {
				t.Fatalf("lost the output from before: %q", r.Stdout)
			}
			if !tt.reached {
				if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
					t.Errorf("the one that nobody could reach: %v", err)
				}
			}
			waitFor(t, func() bool { return !alive(pid) })
		})
	}
}

func alive(pid int) bool {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	return err == nil && !strings.Contains(string(status), "\nState:\tZ")
}

// A grandchild that writes for ever after the child's end is cut off by size and time.
func TestGrandchildFloods(t *testing.T) {
	ch := start(t, t.Context(), sh("setsid sh -c 'while echo flood; do :; done' & echo $!"))
	pid, err := strconv.Atoi(firstLine(t, ch))
	if err != nil {
		t.Fatal(err)
	}
	<-ch.Exited()
	began := time.Now()
	ch.Stop(t.Context())
	if took := time.Since(began); took > 3*grace+slack {
		t.Errorf("took %v", took)
	}
	rest, err := io.ReadAll(ch.Stdout)
	if err != nil || len(rest) > 1<<20 {
		t.Errorf("%d bytes after the end, %v", len(rest), err)
	}
	waitFor(t, func() bool { return !alive(pid) }) // by EPIPE: the pipe has no reader any more
}

// What the child wrote before its end is not lost to a reader that comes late, and then the output ends.
func TestStopKeepsTheRest(t *testing.T) {
	ch := start(t, t.Context(), sh("head -c 60000 /dev/zero"))
	<-ch.Exited()
	ch.Stop(t.Context())
	if rest, err := io.ReadAll(ch.Stdout); err != nil || len(rest) != 60000 {
		t.Errorf("%d bytes, %v", len(rest), err)
	}
	if n, err := ch.Stdout.Read(make([]byte, 1)); n != 0 || err != io.EOF {
		t.Errorf("then %d, %v", n, err)
	}
}

// A reader that waits while the child is being ended gets the end, in whatever way that comes.
func TestStopWakesTheReader(t *testing.T) {
	for _, script := range []string{"sleep 60", "setsid sleep 0.9 & trap '' TERM; sleep 60"} {
		ch := start(t, t.Context(), sh(script))
		done := make(chan error, 1)
		go func() {
			_, err := io.Copy(io.Discard, ch.Stdout)
			done <- err
		}()
		ch.Stop(t.Context())
		select {
		case err := <-done:
			if err != nil {
				t.Errorf("%q: %v", script, err)
			}
		case <-time.After(5 * time.Second):
			t.Fatalf("%q: the reader still waits", script)
		}
	}
}

// A writer that waits for a child which never reads is let go.
func TestStopWakesTheWriter(t *testing.T) {
	ch := start(t, t.Context(), sh("sleep 60"))
	done := make(chan error, 1)
	go func() {
		_, err := ch.Stdin.Write(make([]byte, 10<<20))
		done <- err
	}()
	time.Sleep(20 * time.Millisecond)
	ch.Stop(t.Context())
	if err := <-done; !errors.Is(err, os.ErrClosed) {
		t.Errorf("got %v", err)
	}
}

func TestContextRunsTheLadder(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	ch := start(t, ctx, sh("trap '' TERM; echo up; while :; do sleep 60; done"))
	firstLine(t, ch)
	began := time.Now()
	cancel(errors.New("the job was cancelled"))
	<-ch.Exited()
	if took := time.Since(began); took > 2*grace+slack {
		t.Errorf("cancelled %v ago", took)
	}
	if r := ch.Stop(t.Context()); r.Asked != syscall.SIGKILL {
		t.Errorf("asked %v", r.Asked)
	}
	if _, err := process.Start(ctx, sh("true")); err == nil || !strings.Contains(err.Error(), "the job was cancelled") {
		t.Errorf("starting after the end: %v", err)
	}
}

func TestRunCancelled(t *testing.T) {
	cause := errors.New("the person gave up")
	ctx, cancel := context.WithCancelCause(t.Context())
	time.AfterFunc(50*time.Millisecond, func() { cancel(cause) })
	began := time.Now()
	_, err := process.Run(ctx, sh("trap '' TERM; while :; do sleep 60; done"))
	if !errors.Is(err, cause) {
		t.Errorf("got %v", err)
	}
	if took := time.Since(began); took > 3*grace+slack {
		t.Errorf("took %v", took)
	}
}

func TestStopFromManySides(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	ch := start(t, ctx, sh("exec sleep 60"))
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if r := ch.Stop(ctx); r.Signal != syscall.SIGTERM {
				t.Errorf("ended by %v", r.Signal)
			}
		})
	}
	cancel()
	all.Wait()
}

// The signals go through the given command; one that is refused is told, and does not leave us waiting.
func TestSignalCommand(t *testing.T) {
	log := filepath.Join(t.TempDir(), "log")
	c := sh("trap '' TERM; echo up; while :; do sleep 60; done")
	c.Signal = func(sig syscall.Signal, pgid int) []string {
		return []string{"/bin/sh", "-c", `echo "$1" >>"$3"; kill -"$1" -"$2"`, "sh", strconv.Itoa(int(sig)), strconv.Itoa(pgid), log}
	}
	ch := start(t, t.Context(), c)
	firstLine(t, ch)
	if r := ch.Stop(t.Context()); r.Signal != syscall.SIGKILL || r.Trouble != nil {
		t.Errorf("%+v", r)
	}
	if sent, err := os.ReadFile(log); err != nil || string(sent) != "15\n9\n" {
		t.Errorf("sent %q, %v", sent, err)
	}

	for name, argv := range map[string][]string{"refused": {"/bin/false"}, "missing": {"/nonexistent/kill"}, "hangs": {"/bin/sleep", "60"}} {
		c.Signal = func(syscall.Signal, int) []string { return argv }
		ch := start(t, t.Context(), c)
		firstLine(t, ch)
		began := time.Now()
		r := ch.Stop(t.Context())
		if r.Trouble == nil || !strings.Contains(r.Trouble.Error(), "outlived SIGKILL") || r.Signal != syscall.SIGKILL {
			t.Errorf("%s: %+v", name, r)
		}
		if took := time.Since(began); took > 7*grace+slack {
			t.Errorf("%s: took %v", name, took)
		}
	}
}

// H4-05, H4-06, F-78: through a real sudo, a child that ignores TERM and stops itself (sudo stops with it) and its
// grandchild are dead when Stop returns, where
// killing our own child would have left both. As root and as an unprivileged dispatcher, with and without use_pty.
func TestStopReachesThroughSudo(t *testing.T) {
	hostuser.EachDispatcher(t, func(t *testing.T, p hostuser.Pair) {
		c := sh("")
		c.Argv = []string{"/usr/bin/sudo", "-n", "-u", p.Agent.Name, "--", "/bin/sh", "-c",
			"trap '' TERM; sh -c \"trap '' TERM; sleep 301\" & echo $$ $!; kill -STOP $$; wait; sleep 302"}
		c.Signal = func(sig syscall.Signal, pgid int) []string {
			return []string{"/usr/bin/sudo", "-n", "-u", p.Agent.Name, "--", "/bin/sh", "-c", fmt.Sprintf("kill -%d -%d", sig, pgid)}
		}
		ch := start(t, t.Context(), c)
		pids := strings.Fields(firstLine(t, ch))
		r := ch.Stop(t.Context())
		if r.Asked != syscall.SIGKILL || r.Trouble != nil {
			t.Errorf("%+v", r)
		}
		for _, text := range pids {
			pid, err := strconv.Atoi(text)
			if err != nil {
				t.Fatal(err)
			}
			waitFor(t, func() bool { return !alive(pid) })
		}
	})
}

// 1,000 launches leave no descriptor, no goroutine, no child.
func TestManyLaunchesLeaveNothing(t *testing.T) {
	launches := 100
	if os.Getenv("AI_FLOW_CI") == "1" {
		launches = 1000
	}
	scripts := []string{"cat", "exit 1", "head -c 100000 /dev/zero", "exec sleep 60", "sleep 5 & echo x"}
	before := count(t)
	for i := range launches {
		c := sh(scripts[i%len(scripts)])
		c.Grace = 50 * time.Millisecond
		ctx, cancel := context.WithCancel(t.Context())
		ch := start(t, ctx, c)
		if i%5 == 2 {
			io.CopyN(io.Discard, ch.Stdout, 1)
		}
		if i%4 == 0 {
			cancel()
		}
		if r := ch.Stop(ctx); r.Trouble != nil {
			t.Errorf("launch %d: %v", i, r.Trouble)
		}
		cancel()
		if _, err := process.Start(t.Context(), process.Command{Argv: []string{"/nonexistent"}, Env: []string{}}); err == nil {
			t.Fatal("started nothing")
		}
	}
	var after state
	for end := time.Now().Add(5 * time.Second); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if after = count(t); after.descriptors <= before.descriptors && after.goroutines <= before.goroutines && after.children == 0 {
			return
		}
	}
	buf := make([]byte, 1<<16)
	t.Errorf("before %+v, after %d launches %+v\n%s", before, launches, after, buf[:runtime.Stack(buf, true)])
}

type state struct{ descriptors, goroutines, children int }

func count(t *testing.T) state {
	t.Helper()
	fds, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	s := state{descriptors: len(fds), goroutines: runtime.NumGoroutine()}
	tasks, err := filepath.Glob("/proc/self/task/*/children")
	if err != nil {
		t.Fatal(err)
	}
	for _, task := range tasks {
		text, err := os.ReadFile(task)
		if err == nil {
			s.children += len(strings.Fields(string(text)))
		}
	}
	return s
}
