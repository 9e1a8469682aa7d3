// Package process runs a child process from its start to its certain end. It is the only home of os/exec (and of creack/pty).
package process

import (
	"context"
	"io"
	"syscall"
	"time"
)

// Command says what to run. Env is the whole environment of the child: nil is an error, not "inherit".
type Command struct {
	Argv []string
	Env  []string
	Dir  string
	// Stdin feeds Run; Start gives the caller a pipe instead.
	Stdin io.Reader
	// Stdout, when not nil, receives Run's standard output as it comes; otherwise it is captured, at most MaxOutput bytes.
	Stdout    io.Writer
	MaxOutput int64 // bytes captured of each of stdout and stderr; 0 means 1 MiB. More on stdout is an error of Run.
	// Signal returns the command line that sends sig to the process group pgid as the user the child runs as; nil means
	// that this process may signal it directly.
	Signal func(sig syscall.Signal, pgid int) []string
	Grace  time.Duration // between the steps of the ladder; 0 means 2 s
}

// Result is how a child ended.
type Result struct {
	Stdout, Stderr []byte // Stderr is a bounded tail
	Code           int    // exit status; -1 when a signal ended it
	Signal         syscall.Signal
}

// Run runs a command to its end. A non-zero exit status is not an error; not starting, overflowing and being cancelled are.
func Run(ctx context.Context, c Command) (Result, error) { panic("unbuilt") }

// Child is a running process with pipes, for a conversation.
type Child struct {
	Stdin  io.WriteCloser
	Stdout io.Reader
}

// Start starts a conversation. When ctx ends the ladder of Stop runs by itself.
func Start(ctx context.Context, c Command) (*Child, error) { panic("unbuilt") }

// Stderr returns the bounded tail of standard error so far. OnStderr, if set on the command, sees it as it comes.
func (c *Child) Stderr() []byte { panic("unbuilt") }

// Exited is closed when the direct child has ended.
func (c *Child) Exited() <-chan struct{} { panic("unbuilt") }

// Stop ends the child: close its input, wait; TERM as its user, wait; KILL as its user. It is bounded in time, also when
// a grandchild holds the output pipe open. Later calls return the first result.
func (c *Child) Stop(ctx context.Context) Result { panic("unbuilt") }
