// Package isolation says who the agent runs as and what it may see. It is the only place that says sudo.
package isolation

import (
	"context"
	"io"
	"syscall"
)

// Runner runs one short command to its end (executor/process has one; isolation starts nothing itself).
type Runner interface {
	Run(ctx context.Context, argv, env []string, stdin io.Reader) (stdout, stderr []byte, code int, err error)
}

// Identity is who the agent runs as: another user behind a sudo prefix, or, when isolation is off, ourselves.
type Identity struct{}

// Resolve finds the user and tries the real launch line. Each way that can go wrong is a *SetupError of its own: no such
// user, root or ourselves, no sudo, refused, SETENV missing.
func Resolve(ctx context.Context, r Runner, name string) (Identity, error) { panic("unbuilt") }

// Unisolated is the identity with the boundary off. It is refused when an App key is present (S10).
func Unisolated(appKeyPresent bool) (Identity, error) { panic("unbuilt") }

// Isolated reports whether another user runs the agent; Name and Home are that user's (or ours).
func (i Identity) Isolated() bool { panic("unbuilt") }
func (i Identity) Name() string   { panic("unbuilt") }
func (i Identity) Home() string   { panic("unbuilt") }

// SignalArgv is the command line that sends sig to a process group as the agent user; nil when we may do it directly.
func (i Identity) SignalArgv(sig syscall.Signal, pgid int) []string { panic("unbuilt") }

// SetupError is a host that is not ready: what is wrong, and the command that mends it.
type SetupError struct {
	Problem string
	Fix     string
}

func (e *SetupError) Error() string { panic("unbuilt") }

// Environment is what may go to the agent. Everything else is left out: the environment is built from nothing.
type Environment struct {
	Parent []string          // where LANG, LC_*, TZ, TERM, proxies and Allow are looked up
	Allow  []string          // further names (AI_FLOW_AGENT_ENV); forbidden ones are refused by name
	Set    map[string]string // the profile's credential and settings, tokens, toolchain redirections
	Path   string            // PATH of the agent; "" means a sane default
}

// Invocation is a command line with its whole environment, ready to start.
type Invocation struct {
	Argv, Env []string
	Dir       string // where the dispatcher's side starts it; the agent's own directory is entered as the agent
}

// OpenOptions of a Room.
type OpenOptions struct {
	StateDir  string            // a directory of the dispatcher's own, closed to the agent: holds the lock
	TempDir   string            // for unisolated runs
	Waiting   func(who string)  // called when another run holds the agent user, before waiting for it
	Redirects map[string]string // toolchain variables -> path below the agent's home
}

// Room is the place of one run: the lock on the agent user, and directories that belong to that user.
type Room struct{}

// Open takes the lock (waiting while another run has it), ends leftovers of that user, and makes the directories.
func Open(ctx context.Context, r Runner, id Identity, o OpenOptions) (*Room, error) { panic("unbuilt") }

func (r *Room) Identity() Identity { panic("unbuilt") }

// Dir is the run's directory, owned by the agent user; Path joins names below it.
func (r *Room) Path(elem ...string) string { panic("unbuilt") }

// Command is a command line that runs argv as the agent in dir (absolute, entered as the agent) with env built from e.
func (r *Room) Command(dir string, e Environment, argv ...string) (Invocation, error) {
	panic("unbuilt")
}

// WriteFile, ReadFile and Install move bytes over a pipe as the agent user, so no link of the agent's is ever followed
// by the dispatcher. ReadFile refuses anything but a regular file of at most max bytes. Install makes an executable.
func (r *Room) WriteFile(ctx context.Context, name string, data []byte) error { panic("unbuilt") }
func (r *Room) ReadFile(ctx context.Context, path string, max int64) ([]byte, error) {
	panic("unbuilt")
}
func (r *Room) Install(ctx context.Context, name string, exe io.Reader) (path string, err error) {
	panic("unbuilt")
}

// Process is a process that outlived a sweep.
type Process struct {
	PID     int
	Command string // bounded, printable
}

// Sweep ends whatever the agent user still runs for this room and returns what survived (nothing, normally).
func (r *Room) Sweep(ctx context.Context) ([]Process, error) { panic("unbuilt") }

// Close sweeps, removes the directories as the agent user and gives the lock back. It never leaves a lock behind.
func (r *Room) Close(ctx context.Context) error { panic("unbuilt") }
