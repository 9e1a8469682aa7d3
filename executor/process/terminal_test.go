package process_test

import (
	"bytes"
	"context"
	"errors"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/d3mlabs/ai-flow/executor/process"
)

var screen = process.Terminal{Columns: 120, Rows: 40}

func onTerminal(script string) process.Command {
	c := sh(script)
	c.Terminal = screen
	return c
}

func TestTerminal(t *testing.T) {
	tests := []struct {
		name, script, stdin, stdout string
		code                        int
		signal                      syscall.Signal
	}{
		{name: "all three are the terminal", script: "for n in 0 1 2; do test -t $n && echo $n; done; tty | tr -d 0-9", stdout: "0\r\n1\r\n2\r\n/dev/pts/\r\n"},
		{name: "its size", script: "stty size", stdout: "40 120\r\n"},
		{name: "standard error is in the output", script: "echo a; echo b >&2; exit 3", stdout: "a\r\nb\r\n", code: 3},
		{name: "death by a signal", script: "echo a; kill -SEGV $$", stdout: "a\r\n", code: -1, signal: syscall.SIGSEGV},
		{name: "whoever reads gets the end", script: "cat; cat; read x; echo $?", stdout: "1\r\n"},
		{name: "also behind what was given", script: "stty -echo; cat; cat; echo end", stdin: "one\ntwo\n", stdout: "one\r\ntwo\r\nend\r\n"},
		{name: "all of it turned away, and no hang-up", script: "echo a; exec >/dev/null 2>&1 </dev/null; sleep 0.5; exit 4", stdout: "a\r\n", code: 4},
		{name: "a terminal of its own to control", script: "echo hi >/dev/tty; ps -o tpgid= -p $$ | tr -d ' 0-9\n'", stdout: "hi\r\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := onTerminal(tt.script)
			if tt.stdin != "" {
				c.Stdin = late{strings.NewReader(tt.stdin)}
			}
			r, err := process.Run(t.Context(), c)
			if err != nil {
				t.Fatal(err)
			}
			if string(r.Stdout) != tt.stdout || r.Code != tt.code || r.Signal != tt.signal || r.Asked != 0 || r.Trouble != nil || len(r.Stderr) > 0 {
				t.Errorf("got %q, code %d, signal %v, asked %v, trouble %v, stderr %q", r.Stdout, r.Code, r.Signal, r.Asked, r.Trouble, r.Stderr)
			}
		})
	}
}

// late gives the script time to switch the echo off.
type late struct{ *strings.Reader }

func (l late) Read(p []byte) (int, error) {
	time.Sleep(100 * time.Millisecond)
	return l.Reader.Read(p)
}

// All that was printed before the end arrives, however much it was, at whatever pace it is read.
func TestTerminalLosesNothing(t *testing.T) {
	for range 20 {
		r, err := process.Run(t.Context(), onTerminal("seq 20000"))
		if err != nil || len(r.Stdout) != 128894 || !bytes.HasSuffix(r.Stdout, []byte("\r\n20000\r\n")) {
			t.Fatalf("%d bytes that end in %q, %v", len(r.Stdout), r.Stdout[max(0, len(r.Stdout)-20):], err)
		}
	}
}

func TestTerminalEnds(t *testing.T) {
	tests := []struct {
		name, script string
		signal       syscall.Signal
	}{
		{"at TERM", "sleep 60", syscall.SIGTERM},
		{"ignores TERM and HUP", "trap '' TERM HUP; while :; do sleep 60; done", syscall.SIGKILL},
		{"floods", "trap '' TERM HUP; while :; do echo flood; done", syscall.SIGKILL},
		{"is stopped", "trap '' TERM; kill -STOP $$; sleep 60", syscall.SIGKILL},
		{"closed it", "trap '' TERM HUP; exec <&- >&- 2>&-; sleep 60; sleep 60", syscall.SIGKILL},
		{"reads for ever", "trap '' TERM; while :; do cat; done", syscall.SIGKILL},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
			defer cancel()
			began := time.Now()
			c := onTerminal(tt.script)
			c.Stdout = &bytes.Buffer{}
			r, err := process.Run(ctx, c)
			if !errors.Is(err, context.DeadlineExceeded) || r.Signal != tt.signal || r.Trouble != nil {
				t.Errorf("ended by %v, %v, trouble %v", r.Signal, err, r.Trouble)
			}
			if took := time.Since(began); took > 4*grace+slack {
				t.Errorf("took %v", took)
			}
		})
	}
}

// What stays behind holds the terminal open and cannot hold us.
func TestGrandchildHoldsTheTerminal(t *testing.T) {
	for _, script := range []string{"sh -c 'trap \"\" HUP TERM; sleep 61' & echo $!; exit 0", "setsid sleep 61 & echo $!; exit 0"} {
		began := time.Now()
		r, err := process.Run(t.Context(), onTerminal(script))
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
		_ = syscall.Kill(pid, syscall.SIGKILL) // the one in a session of its own, which nobody could reach
		waitFor(t, func() bool { return !alive(pid) })
	}
}
