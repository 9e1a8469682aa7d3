package executor_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/d3mlabs/ai-flow/denials"
	"github.com/d3mlabs/ai-flow/executor"
	"github.com/d3mlabs/ai-flow/isolation"
	"github.com/d3mlabs/ai-flow/testsupport/fakeagent"
	"github.com/d3mlabs/ai-flow/testsupport/hostuser"
)

// Gates run the same way with each sudo, as root and as an unprivileged dispatcher: with use_pty a gate stands in a session
// of a terminal that sudo makes behind ours.
func TestGatesThroughSudo(t *testing.T) {
	hostuser.Get(t).Rules(t, "D ALL=(A) NOPASSWD:SETENV: ALL", "Defaults>A !use_pty", "Defaults:D !use_pty")
	hostuser.EachDispatcher(t, func(t *testing.T, _ hostuser.Pair) { runsGates(t, playIsolated(t, fakeagent.Script{})) })
}

func TestGatesThroughSudoWithUsePty(t *testing.T) {
	hostuser.Get(t).Rules(t, "D ALL=(A) NOPASSWD:SETENV: ALL", "Defaults>A use_pty", "Defaults:D use_pty")
	hostuser.EachDispatcher(t, func(t *testing.T, _ hostuser.Pair) { runsGates(t, playIsolated(t, fakeagent.Script{})) })
}

func TestGatesWithoutABoundary(t *testing.T) { runsGates(t, play(t, fakeagent.Script{})) }

func runsGates(t *testing.T, b *bench) {
	const limit = 1500 * time.Millisecond
	for _, g := range []struct {
		name, run string
		limit     time.Duration // 0: it ends by itself
		end       executor.GateEnd
		exit      int
		signal    syscall.Signal
		says      string
		wants     []string
		once      bool // enough without a sudo
	}{
		{name: "passes on a terminal with a size", run: "test -t 0 && test -t 1 && test -t 2 && stty size && pwd", end: executor.GatePassed, says: "40 120\r\n" + b.room.Path() + "\r\n"},
		{name: "fails", run: "echo one; echo two >&2; exit 3", end: executor.GateFailed, exit: 3, says: "one\r\ntwo\r\n"},
		{name: "is missing", run: "aift-no-such-tool --all", end: executor.GateFailed, exit: 127, says: "not found", wants: []string{"aift-no-such-tool"}},
		{name: "meets a door", run: "cat /proc/1/environ", end: executor.GateFailed, exit: 1, wants: []string{"/proc/1/environ"}, says: "Permission denied"},
		{name: "is killed", run: "echo a; kill -SEGV $$", end: executor.GateKilled, signal: syscall.SIGSEGV, says: "a\r\n"},
		{name: "asks", run: "read answer; cat; echo =$answer=", end: executor.GatePassed, says: "==\r\n"},
		{name: "ends in a fork", run: "(trap '' HUP TERM; sleep 300) & setsid sh -c 'trap \"\" HUP TERM; sleep 300' & sleep 0.2", end: executor.GatePassed},
		{name: "stops itself", run: "echo a; kill -STOP $$; sleep 300", limit: limit, end: executor.GateTimedOut, says: "a\r\n"},
		{name: "never ends, ignores all, floods", run: "trap '' HUP TERM INT; echo a; setsid yes & yes", limit: limit, end: executor.GateTimedOut, says: "a\r\n"},
		{name: "never ends", run: "echo a; sleep 300", limit: limit, end: executor.GateTimedOut, says: "a\r\n", once: true},
		{name: "closes the terminal", run: "trap '' HUP TERM; exec <&- >&- 2>&-; setsid sleep 300; sleep 300", limit: limit, end: executor.GateTimedOut, once: true},
		{name: "reads in the background", run: "cat </dev/tty & sleep 300", limit: limit, end: executor.GateTimedOut, once: true},
	} {
		if sudo := b.agent.Identity.Isolated(); sudo && g.once || !sudo && g.name == "meets a door" { // root meets none
			continue
		}
		t.Run(g.name, func(t *testing.T) {
			if g.limit == 0 {
				g.limit = time.Minute
			}
			began := time.Now()
			r := b.agent.RunGate(t.Context(), b.room, b.room.Path(), executor.Gate{Name: "the gate", Run: g.run, Timeout: g.limit})
			if r.End != g.end || r.Exit != g.exit || r.Signal != g.signal || !strings.Contains(r.Head, g.says) {
				t.Errorf("end %v, exit %d, signal %v, %v, says %.200q", r.End, r.Exit, r.Signal, r.Err, r.Head)
			}
			if !r.Swept || len(r.Survivors) > 0 {
				t.Errorf("left behind: %+v", r.Survivors)
			}
			if took := time.Since(began); took > 25*time.Second {
				t.Errorf("took %v", took)
			}
			var wants []string
			for _, w := range r.Wants {
				wants = append(wants, w.Subject)
				if w.Channel != denials.Gated || w.Source != "the gate" {
					t.Errorf("want %+v", w)
				}
			}
			if !slices.Equal(wants, g.wants) {
				t.Errorf("wants %q", wants)
			}
		})
	}
}

// A gate that was cancelled is gone at once, and one that is cancelled before it began never runs.
func TestGateIsCancelled(t *testing.T) {
	b := play(t, fakeagent.Script{})
	cause := errors.New("a person pressed stop")
	ctx, cancel := context.WithCancelCause(t.Context())
	time.AfterFunc(300*time.Millisecond, func() { cancel(cause) })
	began := time.Now()
	gate := executor.Gate{Name: "x", Run: "sleep 300", Timeout: time.Hour}
	r := b.agent.RunGate(ctx, b.room, b.room.Path(), gate)
	if r.End != executor.GateCancelled || !errors.Is(r.Err, cause) || !r.Swept || time.Since(began) > 10*time.Second {
		t.Errorf("%+v after %v", r, time.Since(began))
	}
	gate.Run = "touch ran"
	if r := b.agent.RunGate(ctx, b.room, b.room.Path(), gate); r.End != executor.GateCancelled {
		t.Errorf("%+v", r)
	}
	if _, err := b.room.ReadFile(t.Context(), "ran", 10); err == nil {
		t.Error("it ran")
	}
}

// What a gate may see: what the agent may, without what is the agent's alone (S1, S5).
func TestGateHasNoCredential(t *testing.T) {
	b := play(t, fakeagent.Script{})
	b.agent.Profile.Credential, b.agent.Profile.Settings = "FAKE_API_KEY", []string{"FAKE_BASE_URL"}
	b.agent.Environ = append(b.agent.Environ, "FAKE_API_KEY=canary-1", "FAKE_BASE_URL=canary-2", "GITHUB_TOKEN=canary-3", "DATABASE=here", "HTTPS_PROXY=http://proxy")
	b.agent.AllowEnv = []string{"DATABASE", "FAKE_API_KEY"}
	b.agent.Extra = map[string]string{"GH_TOKEN": "canary-4", "GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "x.y", "GIT_CONFIG_VALUE_0": "canary-5"}
	r := b.agent.RunGate(t.Context(), b.room, b.room.Path(), executor.Gate{Name: "x", Run: "env", Timeout: time.Minute})
	for _, want := range []string{"CI=true\r\n", "PAGER=cat\r\n", "TERM=xterm-256color\r\n", "DATABASE=here\r\n", "HTTPS_PROXY=http://proxy\r\n", "HOME=" + b.room.Home() + "\r\n"} {
		if !strings.Contains(r.Head, want) {
			t.Errorf("no %q in %s", want, r.Head)
		}
	}
	if strings.Contains(r.Head, "canary") || strings.Contains(r.Head, "GH_TOKEN") {
		t.Errorf("it saw %s", r.Head)
	}
}

// What is kept of a gate's output are its two ends, with the number of bytes between them, however it was printed.
func TestGateOutputIsBounded(t *testing.T) {
	b := play(t, fakeagent.Script{})
	r := b.agent.RunGate(t.Context(), b.room, b.room.Path(), executor.Gate{Name: "x", Timeout: time.Minute,
		Run: "echo first; head -c 20000000 /dev/zero | tr '\\0' x; echo; aift-no-such-tool; head -c 5000000 /dev/zero | tr '\\0' y; echo; echo last; exit 1"})
	if r.End != executor.GateFailed || !strings.HasPrefix(r.Head, "first\r\n") || !strings.HasSuffix(r.Tail, "\r\nlast\r\n") {
		t.Errorf("%v: %.20q … %q", r.End, r.Head, r.Tail[max(0, len(r.Tail)-20):])
	}
	const printed = 7 + 20_000_000 + 2 + int64(len("/bin/sh: 1: aift-no-such-tool: not found\r\n")) + 5_000_000 + 2 + 6
	if kept := int64(len(r.Head) + len(r.Tail)); kept > 1<<20 || kept+r.Omitted != printed {
		t.Errorf("%d kept, %d left out of %d", kept, r.Omitted, printed)
	}
	if len(r.Wants) != 1 || r.Wants[0].Subject != "aift-no-such-tool" {
		t.Errorf("what stands in the middle is not read: %+v", r.Wants)
	}
	if log := b.log.text(); len(log) > 2<<20 || !strings.Contains(log, "bytes are left out here") {
		t.Errorf("the log has %d bytes", len(log))
	}
}

// A gate that cannot be started says why, and is no failure of the tree.
func TestGateIsBroken(t *testing.T) {
	b := play(t, fakeagent.Script{})
	b.agent.AllowEnv = []string{"LD_PRELOAD"}
	r := b.agent.RunGate(t.Context(), b.room, b.room.Path(), executor.Gate{Name: "x", Run: "true", Timeout: time.Minute})
	var setup *isolation.SetupError
	if r.End != executor.GateBroken || !errors.As(r.Err, &setup) || !r.Swept {
		t.Errorf("%+v", r)
	}
}

func BenchmarkGateFlood(b *testing.B) {
	bench := play(b, fakeagent.Script{})
	b.SetBytes(64 << 20)
	for b.Loop() {
		r := bench.agent.RunGate(b.Context(), bench.room, bench.room.Path(), executor.Gate{Name: "x", Run: "yes 'a line of a build that talks' | head -c 67108864", Timeout: 5 * time.Minute})
		if r.End != executor.GatePassed {
			b.Fatalf("%+v", r.End)
		}
	}
}
