package process

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"
)

// Stop ends the child: close its input, wait; TERM as its user, wait; KILL as its user. It is bounded in time, also when
// a grandchild holds the output pipe open: half a minute at the default Grace, at the very worst. When ctx ends, the wait for the end of input
// is left out. Later calls return the first result. A process that left the child's group (setsid) is not reached from
// here: isolation's sweep ends those.
func (ch *Child) Stop(ctx context.Context) Result {
	release := context.AfterFunc(ctx, ch.rush)
	defer release()
	return ch.end()
}

func (ch *Child) end() Result {
	ch.stopOnce.Do(func() { go ch.climb() })
	<-ch.stopped
	return ch.result
}

// rush lets the ladder skip its polite step.
func (ch *Child) rush() { ch.hurryOnce.Do(func() { close(ch.hurry) }) }

func (ch *Child) climb() {
	defer close(ch.stopped)
	defer func() { <-ch.attached; ch.release() }()
	var r Result
	ch.in.Close()
	if !ch.awaitPolitely() {
		r.Trouble = ch.force(&r)
	}
	if err := ch.drain(&r); err != nil {
		r.Trouble = errors.Join(r.Trouble, err)
	}
	r.Stderr = ch.err.bytes()
	r.Code, r.Signal = ch.status()
	ch.result = r
}

// force sends TERM, then KILL, each as the child's user.
func (ch *Child) force(r *Result) error {
	var trouble error
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGKILL} {
		r.Asked = sig
		err := ch.signal(sig)
		// A child that stops itself stops its sudo too, which then sees no end of its child, not even by SIGKILL.
		if cont := ch.cmd.Process.Signal(syscall.SIGCONT); cont != nil && !errors.Is(cont, os.ErrProcessDone) {
			err = errors.Join(err, cont)
		}
		patience := ch.command.grace()
		if sig == syscall.SIGKILL && err == nil {
			patience = max(patience, killTime)
		}
		if ch.await(patience) {
			return nil // a refused signal does not matter to one that is gone
		}
		trouble = errors.Join(trouble, err)
	}
	if ch.hangUp() && ch.await(killTime) {
		return nil
	}
	// Only now, when the child's user has been killed or cannot be, the prefix itself: so that we can wait for it. What
	// it leaves behind is reported as trouble and found by the sweep.
	trouble = errors.Join(trouble, fmt.Errorf("process %d outlived SIGKILL sent as its user", ch.cmd.Process.Pid))
	if err := ch.cmd.Process.Kill(); err != nil {
		trouble = errors.Join(trouble, fmt.Errorf("killing process %d: %w", ch.cmd.Process.Pid, err))
	}
	if !ch.await(killTime) {
		trouble = errors.Join(trouble, fmt.Errorf("process %d cannot be killed", ch.cmd.Process.Pid))
	}
	return trouble
}

// drain takes what is left in the pipes. A grandchild that still holds them has one Grace to let go, and is then killed
// with the rest of the group (the case of exec.ErrWaitDelay after success).
func (ch *Child) drain(r *Result) error {
	until := time.Now().Add(ch.command.grace())
	outEnded := ch.out.finish(until)
	errEnded := ch.err.finish(until)
	if outEnded && errEnded || r.Asked == syscall.SIGKILL {
		return nil
	}
	r.Asked = syscall.SIGKILL
	if err := ch.signal(syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
		return fmt.Errorf("ending what held the output of process %d: %w", ch.cmd.Process.Pid, err)
	}
	return nil
}

func (ch *Child) awaitPolitely() bool {
	t := time.NewTimer(ch.command.grace())
	defer t.Stop()
	select {
	case <-ch.exited:
		return true
	case <-ch.hurry:
	case <-t.C:
	}
	return ch.hasExited()
}

func (ch *Child) await(d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ch.exited:
	case <-t.C:
	}
	return ch.hasExited()
}

// signal reaches the child's whole group. The group has the child's pid as its id, because the child leads a session.
func (ch *Child) signal(sig syscall.Signal) error {
	pgid := ch.cmd.Process.Pid
	var argv []string
	if ch.command.Signal != nil {
		argv = ch.command.Signal(sig, pgid)
	}
	if len(argv) == 0 {
		if err := syscall.Kill(-pgid, sig); err != nil {
			return fmt.Errorf("sending %v to process group %d: %w", sig, pgid, err)
		}
		return nil
	}
	return runSignal(argv)
}

// killTime is for the kernel, not for the child's manners: a busy host buries slowly.
const killTime = 5 * time.Second

// signalTime is what the command line that signals may take. It is not a Grace: on a busy host a sudo that is cut off
// too early leaves the agent alive.
const signalTime = 5 * time.Second

// runSignal runs the command line that signals as another user. It has a pipe to nobody.
func runSignal(argv []string) error {
	cmd := newCmd(argv, []string{"LC_ALL=C", "PATH=/usr/bin:/bin"}, "/")
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("signalling with %q: %w", argv[0], err)
	}
	timer := time.AfterFunc(signalTime, func() { _ = cmd.Process.Kill() })
	defer timer.Stop()
	if err := cmd.Wait(); err != nil {
		return fmt.Errorf("signalling with %q: %w", argv[0], err)
	}
	return nil
}

func (ch *Child) status() (code int, sig syscall.Signal) {
	if !ch.hasExited() {
		return -1, 0
	}
	ws, ok := ch.cmd.ProcessState.Sys().(syscall.WaitStatus)
	if ok && ws.Signaled() {
		return -1, ws.Signal()
	}
	return ch.cmd.ProcessState.ExitCode(), 0
}
