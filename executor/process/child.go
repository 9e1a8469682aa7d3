package process

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"sync/atomic"
	"syscall"
)

// Child is a running process with pipes or a terminal, for a conversation. Whoever started it must call Stop, even when the context
// ended or the process did.
type Child struct {
	// Stdin may be closed at any time, from any goroutine; that ends a Write that waits for the child. Of a terminal, closing
	// it presses the key for the end of input until the child has ended.
	Stdin io.WriteCloser
	// Stdout makes the child wait while nobody reads. After Stop it gives what was still in the pipe, then io.EOF.
	Stdout io.Reader

	command Command
	cmd     *exec.Cmd
	theirs  *os.File // the child's side of its terminal, or nil
	in      io.WriteCloser
	out     *outlet
	err     *tail         // nil on a terminal, where standard error is part of the output
	exited  chan struct{} // closed when the direct child was waited for

	stopOnce  sync.Once
	hurryOnce sync.Once
	hurry     chan struct{} // closed when a step of the ladder is to be left out: the caller's time is up
	stopped   chan struct{} // closed when result is valid
	result    Result
	attached  chan struct{} // closed when release is set: the context may end while Start still runs
	release   func() bool   // detaches the child from the context
	cancelled atomic.Bool   // the context ended before the child
}

// Start starts a conversation. When ctx ends the ladder of Stop runs by itself, without its wait for the end of input.
// An error that wraps fs.ErrNotExist or fs.ErrPermission is about the program, never about what it printed (F-50).
func Start(ctx context.Context, c Command) (*Child, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	if ctx.Err() != nil {
		return nil, fmt.Errorf("starting %q: %w", c.Argv[0], context.Cause(ctx))
	}
	ch := &Child{command: c, exited: make(chan struct{}), hurry: make(chan struct{}),
		stopped: make(chan struct{}), attached: make(chan struct{})}
	launch := ch.launch
	if c.Terminal != (Terminal{}) {
		launch = ch.launchOnTerminal
	}
	if err := launch(); err != nil {
		return nil, fmt.Errorf("starting %q: %w", c.Argv[0], err)
	}
	ch.Stdin, ch.Stdout = ch.in, ch.out
	go ch.wait()
	ch.release = context.AfterFunc(ctx, ch.cancel)
	close(ch.attached)
	return ch, nil
}

// launch makes the pipes and starts the program. The pipes are ours, not os/exec's: its Wait closes StdoutPipe under
// the reader, and its copying goroutines would hang on a grandchild.
func (ch *Child) launch() (err error) {
	var ends [6]*os.File
	defer func() {
		for i, f := range ends {
			if f != nil && (err != nil || i%2 == 0) { // the even ones are the child's
				f.Close()
			}
		}
	}()
	if ends[0], ends[1], err = os.Pipe(); err != nil {
		return err
	}
	if ends[3], ends[2], err = os.Pipe(); err != nil {
		return err
	}
	if ends[5], ends[4], err = os.Pipe(); err != nil {
		return err
	}
	ch.cmd = newCmd(ch.command.Argv, ch.command.Env, ch.command.Dir)
	ch.cmd.Stdin, ch.cmd.Stdout, ch.cmd.Stderr = ends[0], ends[2], ends[4]
	if err := ch.cmd.Start(); err != nil {
		return err
	}
	ch.in, ch.out, ch.err = newInlet(ends[1]), newOutlet(ends[3]), newTail(ends[5], ch.command.OnStderr)
	return nil
}

func newCmd(argv, env []string, dir string) *exec.Cmd {
	return &exec.Cmd{Path: argv[0], Args: argv, Env: env, Dir: dir, SysProcAttr: &syscall.SysProcAttr{Setsid: true}}
}

func (ch *Child) wait() {
	// With files for all three pipes the error says only what ProcessState says too.
	_ = ch.cmd.Wait()
	if ch.theirs != nil {
		_ = ch.theirs.Close() // nothing was written to it
	}
	close(ch.exited)
}

func (ch *Child) cancel() {
	if !ch.hasExited() {
		ch.cancelled.Store(true)
	}
	ch.rush()
	ch.end()
}

// Stderr returns the bounded tail of standard error so far. OnStderr, if set on the command, sees it as it comes.
// It is empty on a terminal.
func (ch *Child) Stderr() []byte { return ch.err.bytes() }

// Exited is closed when the direct child has ended.
func (ch *Child) Exited() <-chan struct{} { return ch.exited }

func (ch *Child) hasExited() bool {
	select {
	case <-ch.exited:
		return true
	default:
		return false
	}
}
