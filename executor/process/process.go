// Package process runs a child process from its start to its certain end. It is the only home of os/exec and
// of pseudo-terminals.
//
// Its one invariant: whatever the child does, each call here returns within a time that the caller can name, and
// leaves no goroutine, descriptor or zombie behind. A child that ignores end of input and TERM, that hands its output
// pipe to a grandchild, that never reads its input or floods its output, makes a call slower by a few Graces, never stuck.
//
// Two kinds of use. [Run] is for a command that runs to its end: input in, bounded output out. [Start] is for a
// conversation over pipes, ended by [Child.Stop] or by the context, whichever comes first.
//
// The child may run as another user behind a prefix (sudo). Then the process that we see is the prefix, and killing it
// leaves the real child running: SIGKILL cannot be passed on, and a signal to the group reaches only those that we may
// signal, while kill(2) reports success. Therefore [Command.Signal] names the command that signals as the child's
// user, and the ladder of [Child.Stop] climbs by it. os/exec's own CommandContext and WaitDelay were rejected for this:
// they end in Process.Kill, which is exactly the call that leaves the agent alive.
//
// A child gets a session of its own, not only a process group. A group alone would keep our controlling terminal: the child
// could push key strokes into it (TIOCSTI), and a sudo that allocates a pty would be stopped as a background job.
//
// What this package refuses to do: to inherit an environment, to search PATH for a program, to run a shell, to decide
// who the child runs as (package isolation), and to find processes that left the child's group (isolation's sweep).
package process

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

const (
	defaultGrace  = 2 * time.Second
	defaultOutput = 1 << 20
	tailSize      = 64 << 10
)

// ErrTooMuchOutput is wrapped by Run's error when the child wrote more than MaxOutput to its standard output.
var ErrTooMuchOutput = errors.New("more output than allowed")

// Command says what to run. Env is the whole environment of the child: nil is an error, not "inherit".
type Command struct {
	Argv []string // Argv[0] is an absolute path: PATH is never searched
	Env  []string
	Dir  string // where the child starts; "" means our own working directory
	// Stdin feeds Run; Start gives the caller a pipe instead. Its Read must come to an end by itself.
	Stdin io.Reader
	// Stdout, when not nil, receives Run's standard output as it comes, without a bound unless MaxOutput is set;
	// otherwise it is captured, at most MaxOutput bytes.
	Stdout    io.Writer
	MaxOutput int64 // bytes of stdout, more is an error of Run (ErrTooMuchOutput); 0 means 1 MiB when capturing.
	// OnStderr, when not nil, sees all of standard error as it comes, in pieces of at most 32 KiB that it may not keep,
	// from one goroutine. While it works the child's writes wait: it sets the pace, and must return.
	OnStderr func(piece []byte)
	// Signal returns the command line that sends sig to the process group pgid as the user the child runs as; nil, or
	// none returned, means that this process may signal it directly.
	Signal func(sig syscall.Signal, pgid int) []string
	Grace  time.Duration // between the steps of the ladder; 0 means 2 s
	// Terminal, when not zero, gives the child a pseudo-terminal of this size in the place of three pipes. Its standard error
	// is then part of the output, line ends are CR LF, and what it reads comes to an end where Stdin does.
	Terminal Terminal
}

// Result is how a child ended.
type Result struct {
	Stdout []byte         // Run only
	Stderr []byte         // the last 64 KiB
	Code   int            // exit status; -1 when a signal ended it, or nothing could
	Signal syscall.Signal // what ended it, or 0
	Asked  syscall.Signal // the strongest signal that the ladder sent; 0 when the child ended without any
	// Trouble is what went wrong while ending it, or nil: a signal that was refused, a child that stayed.
	Trouble error
}

func (c *Command) check() error {
	switch {
	case len(c.Argv) == 0:
		return errors.New("starting a process: empty command line")
	case !filepath.IsAbs(c.Argv[0]):
		return fmt.Errorf("starting %q: the program must be an absolute path", c.Argv[0])
	case c.Env == nil:
		return fmt.Errorf("starting %q: no environment was given (an empty one is not nil)", c.Argv[0])
	}
	if c.Dir == "" {
		return nil
	}
	// Without this a missing directory is reported as a missing program (F-50).
	info, err := os.Stat(c.Dir)
	if err != nil {
		return fmt.Errorf("starting %q: its directory: %w", c.Argv[0], err)
	}
	if !info.IsDir() {
		return fmt.Errorf("starting %q: %q is not a directory", c.Argv[0], c.Dir)
	}
	return nil
}

func (c *Command) grace() time.Duration {
	if c.Grace > 0 {
		return c.Grace
	}
	return defaultGrace
}
