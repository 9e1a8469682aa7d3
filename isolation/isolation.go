// Package isolation says who the agent runs as and what it may see. It is the only place that says sudo.
//
// Its one invariant: whatever the agent's process does, it does as the agent's user, with an environment that was built
// from nothing, and when its [Room] is closed no process and no file of the run is left, or the error says which.
//
// [Resolve] tries the real launch line once and gives each way that a host may not be ready an error of its own with
// the command that mends it; [HostSetup] is that preparation as steps that a caller shows first and then runs. [Open] takes
// the agent user for one run: ending everything that user runs (kill -1 as that user) is right only when the user serves
// one run at a time, and it is the only thing that ends a child which forked twice, called setsid and ignores TERM.
// Dispatchers that are different users share a lock of root's, which [HostSetup] makes and the agent cannot open. Where
// there is none, each keeps its own in its state directory: it sees another's only while that one's processes run as the
// agent user, and leaves its directory alone while that one lives.
//
// Everything happens at the agent's side through short scripts for /bin/sh, run as the agent, with bytes in and out over
// pipes. The dispatcher never opens a path that the agent can write: a link, a FIFO, a swapped directory would be
// followed with the dispatcher's rights. What a script sends back is the agent's word, bounded and with a deadline.
//
// How the launch line is made, and why (measured with sudo 1.9.13):
//
//   - sudo closes descriptors from 3 up, so values travel in its environment and their names in --preserve-env=. That
//     environment is already the agent's: a sudoers file with env_keep can then let nothing through (H4-04).
//   - -E is never used: it would hand over what nobody listed, and sudo-rs refuses it (H4-02).
//   - secure_path replaces PATH, and the dynamic linker drops TMPDIR before sudo even starts. So what is not secret (PATH,
//     HOME, TMPDIR, XDG_*, …) is an argument of the script, which exports it and unsets all names that nobody listed,
//     such as MAIL, SUDO_* and what PAM added.
//   - HOME is a directory of the run's. The account's own would carry a .gitconfig, a .bashrc or a build cache from one run
//     to the next. Tools look upwards too (.git, go.work, CLAUDE.md): [Open] therefore clears what stands beside the run's
//     directory, and the account's home, which is above, is root's when [HostSetup] made it. Of an account that somebody
//     else made, the home is the account's, and what an agent leaves there lies above later runs.
//   - no_new_privs is set where setpriv exists, which we see for ourselves: sudo, su, crontab, at and newuidmap are then of no use to the agent.
//     It stands first on the line, with what else a user can take from itself: not even our own scripts run without it, since
//     an agent can trace whatever runs as its user, and become it.
//
// What this package refuses to do: start a process itself (see [Runner]), read the dispatcher's environment, widen a
// permission, run as root, run as ourselves without being asked to, and trust a name, a path or a byte of the agent's.
package isolation

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/user"
	"strconv"
	"syscall"
)

// Runner runs one short command to its end (executor/process has one; isolation starts nothing itself). A non-zero exit
// status is not an error. It bounds what it reads.
type Runner interface {
	Run(ctx context.Context, argv, env []string, stdin io.Reader) (stdout, stderr []byte, code int, err error)
}

// Identity is who the agent runs as: another user behind a sudo prefix, or, when isolation is off, ourselves. The zero
// value is nobody and runs nothing.
type Identity struct {
	name, home, shell string
	uid, gid          int
	sudo              string // absolute path; "" when not isolated
	setpriv           string // absolute path; "" when the host has none
	options           string // of setpriv, those that work here; words
	made              bool   // the account says that we made it
	unproven          bool   // the launch line was ended by a signal whenever it was tried
}

// Unisolated is the identity with the boundary off. It is refused when an App key is present (S10).
func Unisolated(appKeyPresent bool) (Identity, error) {
	if appKeyPresent {
		return Identity{}, &SetupError{
			Kind:    NoBoundary,
			Problem: "an App key is present and isolation is off: the agent could read the key",
			Fix:     "switch isolation on (AI_FLOW_ISOLATION=user), or run without AI_FLOW_APP_PRIVATE_KEY",
		}
	}
	u, err := user.Current()
	if err != nil {
		return Identity{}, fmt.Errorf("finding out who we are: %w", err)
	}
	uid, err := strconv.Atoi(u.Uid)
	if err != nil {
		return Identity{}, fmt.Errorf("finding out who we are: user id %q", u.Uid)
	}
	return Identity{name: u.Username, home: u.HomeDir, shell: "/bin/sh", uid: uid}, nil
}

// Isolated reports whether another user runs the agent.
func (i Identity) Isolated() bool { return i.sudo != "" }

// Name is the user's name; ours when not isolated.
func (i Identity) Name() string { return i.name }

// Home is the home directory of the account; ours when not isolated. It need not exist. It is where rooms are made, and
// nothing else in it is read by a run, whose HOME is [Room.Home].
func (i Identity) Home() string { return i.home }

// SignalArgv is the command line that sends sig to a process group as the agent user; nil when we may do it directly.
func (i Identity) SignalArgv(sig syscall.Signal, pgid int) []string {
	if !i.Isolated() || pgid <= 1 {
		return nil
	}
	// Without "--", which dash and busybox read as a number.
	return i.as("/bin/sh", "-c", `kill -"$1" -"$2"`, "sh", strconv.Itoa(int(sig)), strconv.Itoa(pgid))
}

// SignalAllArgv is the command line that sends sig to everything that runs as the agent user, for when no group is known:
// on a terminal a sudo with use_pty runs the command in a session of its own. nil when we may do it directly, where no sudo
// stands in between. To find nobody is success.
func (i Identity) SignalAllArgv(sig syscall.Signal) []string {
	if !i.Isolated() {
		return nil
	}
	return i.as("/bin/sh", "-c", `kill -"$1" -1 2>/dev/null || :`, "sh", strconv.Itoa(int(sig)))
}

// as is argv as the agent user, with no variable handed over.
func (i Identity) as(argv ...string) []string {
	if !i.Isolated() {
		return argv
	}
	return append([]string{i.sudo, "-n", "-H", "-u", i.name, "--"}, argv...)
}

// errNobody is what the zero Identity gives instead of running something as ourselves.
var errNobody = errors.New("no identity: Resolve or Unisolated makes one")

// SetupKind is what is not ready. [HostSetup] mends NoUser and NoRule and nothing else: whoever makes a lasting rule for
// any other kind gives rights away for nothing.
type SetupKind uint8

// The kinds of SetupError.
const (
	NoUser      SetupKind = iota + 1 // there is no such user
	NoRule                           // sudo works, and no rule lets us become the user, or none with variables
	BadUser                          // a name or a user that must not run an agent: root, ourselves, as mighty as root, somebody's login, expired
	NoSudo                           // there is no sudo, or one that no rule makes work
	BadPlace                         // a directory or a lock that is missing, closed, open to others, or not ours
	BadVariable                      // a variable that must not reach the agent
	NoBoundary                       // isolation is off where it may not be
	Unsupported                      // this operating system is not prepared by us
)

// SetupError is a host that is not ready: what is wrong, and the command that mends it.
type SetupError struct {
	Kind    SetupKind
	Problem string // one sentence, foreign text quoted and bounded
	Fix     string // a command or a sentence to follow
}

// Error is the problem alone, as the fix is shown in a place of its own.
func (e *SetupError) Error() string { return e.Problem }
