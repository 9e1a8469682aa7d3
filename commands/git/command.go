package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/d3mlabs/ai-flow/executor/process"
)

// systemDirs is where git is looked for, and the PATH of everything that this package starts, on both sides.
const systemDirs = "/usr/bin:/usr/local/bin:/bin:/opt/homebrew/bin:/run/current-system/sw/bin"

// Error is a git command that failed.
type Error struct {
	Command string // "pack-objects"; with "as the agent" when it ran there
	Code    int    // exit status; -1 when a signal ended it
	Stderr  string // the end of what it said: at most 2 KiB, credentials redacted. Foreign when it ran as the agent.
	Err     error  // why it could not be run to its end, or nil
	cut     bool   // Stderr is not all
}

func (e *Error) Error() string {
	msg := "git " + e.Command + ": "
	if e.Err != nil {
		msg += e.Err.Error()
	} else {
		msg += "exit status " + strconv.Itoa(e.Code)
	}
	if e.Stderr != "" {
		msg += fmt.Sprintf(": %q", e.Stderr)
	}
	return msg
}

func (e *Error) Unwrap() error { return e.Err }

// job is how one git command is run.
type job struct {
	stdin  io.Reader
	stdout io.Writer     // nil: captured, at most max bytes
	max    int64         // 0 means 1 MiB
	time   time.Duration // 0 means questionTime
	fine   int           // an exit status that is an answer, beside 0
	env    []string
	// For the one command that talks to a server:
	secrets []string // never to be seen in an Error
	maxFile int64    // bytes that a file of its making may have; 0 for no bound
	stderr  *[]byte  // gets the last 64 KiB of standard error, as they are; may be nil
}

// hardening is given to every git of the dispatcher's. A list like this is no defence where the agent can write the
// configuration (a filter still ran, F-01); here it keeps the user's own checkout from running what we do not need.
var hardening = [...]string{
	"core.hooksPath=/dev/null", "core.fsmonitor=false", "core.untrackedCache=false", "core.attributesFile=/dev/null",
	"core.excludesFile=/dev/null", "core.bigFileThreshold=16m", "core.quotePath=false", "protocol.allow=never", "gc.auto=0", "maintenance.auto=false",
	"commit.gpgSign=false", "submodule.recurse=false", "pack.compression=1", "advice.detachedHead=false",
}

// environment is the whole environment of every git, on both sides, made from nothing.
func environment(home string, more ...string) []string {
	return append([]string{
		"PATH=" + systemDirs, "HOME=" + home, "XDG_CONFIG_HOME=" + home, "LC_ALL=C",
		"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null", "GIT_ATTR_NOSYSTEM=1", "GIT_TERMINAL_PROMPT=0",
		"GIT_ALLOW_PROTOCOL=none", "GIT_NO_LAZY_FETCH=1", "GIT_NO_REPLACE_OBJECTS=1",
		"GIT_PAGER=cat", "GIT_EDITOR=false", "GIT_LITERAL_PATHSPECS=1",
	}, more...)
}

// environment is that of the dispatcher's git: it takes no locks in the user's checkout that it can do without.
func (r *Repo) environment() []string { return environment(r.private, "GIT_OPTIONAL_LOCKS=0") }

// ours runs git on the private repository, theirs on the checkout's git directory. Neither is ever started with its
// working directory in a tree.
func (r *Repo) ours(ctx context.Context, j job, args ...string) ([]byte, error) {
	return r.run(ctx, j, append([]string{"--git-dir=" + r.gitDir}, args...)...)
}

func (r *Repo) theirs(ctx context.Context, j job, args ...string) ([]byte, error) {
	where := []string{"--git-dir=" + r.at.gitDir}
	if r.at.top != "" {
		where = append(where, "--work-tree="+r.at.top)
	}
	return r.run(ctx, j, append(where, args...)...)
}

func (r *Repo) run(ctx context.Context, j job, args ...string) ([]byte, error) {
	argv := []string{r.bin}
	if j.maxFile > 0 {
		// git itself has such a bound only for the receiving side of a push. The signal is ignored so that git says why.
		argv = []string{"/bin/sh", "-c", `trap '' XFSZ && ulimit -f "$1" && shift && exec "$@"`, "sh", strconv.FormatInt((j.maxFile+511)/512, 10), r.bin}
	}
	for _, setting := range hardening {
		argv = append(argv, "-c", setting)
	}
	return finish(ctx, subcommand(args), j, process.Command{
		Argv: append(argv, args...), Env: append(r.environment(), j.env...), Dir: r.private,
	})
}

// finish runs a command of either side to its end and makes one error of the ways in which that can go wrong.
func finish(ctx context.Context, name string, j job, c process.Command) ([]byte, error) {
	if j.time == 0 {
		j.time = questionTime
	}
	ctx, cancel := context.WithTimeoutCause(ctx, j.time, fmt.Errorf("it took longer than %v", j.time))
	defer cancel()
	c.Stdin, c.Stdout, c.MaxOutput = j.stdin, j.stdout, j.max
	res, err := process.Run(ctx, c)
	if j.stderr != nil {
		*j.stderr = res.Stderr
	}
	if err == nil && (res.Code == 0 || res.Code == j.fine) {
		return res.Stdout, nil
	}
	said, cut := excerpt(res.Stderr, j.secrets...)
	return res.Stdout, &Error{Command: name, Code: res.Code, Stderr: said, Err: err, cut: cut}
}

// line is the answer of a command that gives one line.
func line(out []byte, err error) (string, error) { return strings.TrimSuffix(string(out), "\n"), err }

func subcommand(args []string) string {
	for _, a := range args {
		if !strings.HasPrefix(a, "-") {
			return a
		}
	}
	return ""
}

var secretShapes = regexp.MustCompile(`(://)[^/\s@]+@|\b(gh[a-z]_|github_pat_|sk-)[A-Za-z0-9_-]{16,}|(?i:(authorization: *[a-z]+ +))\S+`)

// excerpt is the bounded, redacted end of standard error, and whether there was more.
func excerpt(stderr []byte, secrets ...string) (said string, cut bool) {
	const most = 2 << 10
	said = strings.ToValidUTF8(string(bytes.TrimSpace(stderr)), "?")
	for _, s := range secrets {
		said = strings.ReplaceAll(said, s, "[redacted]")
	}
	said = secretShapes.ReplaceAllString(said, "$1$2$3[redacted]")
	if cut = len(said) > most; cut {
		said = "…" + strings.ToValidUTF8(said[len(said)-most:], "")
	}
	return said, cut
}

func findGit(dirs string) (string, error) {
	for _, dir := range filepath.SplitList(dirs) {
		bin := filepath.Join(dir, "git")
		if info, err := os.Stat(bin); err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
			return bin, nil
		}
	}
	return "", fmt.Errorf("no git in %s; install git", dirs)
}

var versionShape = regexp.MustCompile(`^git version (\d+)\.(\d+)`)

func (r *Repo) checkVersion(ctx context.Context) error {
	out, err := r.run(ctx, job{}, "version")
	if err != nil {
		return err
	}
	m := versionShape.FindSubmatch(out)
	if m == nil {
		return fmt.Errorf("git version answered %q", out)
	}
	major, _ := strconv.Atoi(string(m[1])) // digits, by the shape
	minor, _ := strconv.Atoi(string(m[2]))
	r.version = version{major, minor}
	return r.mustBe(version{2, 31}, "install")
}

type version struct{ major, minor int }

// mustBe refuses a git that is older than oldest. wanted is what the error says of a newer one: to be installed, or needed for what.
func (r *Repo) mustBe(oldest version, wanted string) error {
	if v := r.version; v.major < oldest.major || v.major == oldest.major && v.minor < oldest.minor {
		return fmt.Errorf("%s is version %d.%d; %s git %d.%d or newer", r.bin, v.major, v.minor, wanted, oldest.major, oldest.minor)
	}
	return nil
}

// errConsumerGone ends a producer whose consumer has already given its own reason.
var errConsumerGone = errors.New("the other end of the pipe is gone")

// stream joins two commands: what the first writes, the second reads. Nothing is kept in between. Of two errors it returns
// the one that was there first: the other follows from it.
func stream(produce func(io.Writer) error, consume func(io.Reader) error) error {
	r, w := io.Pipe()
	produced := make(chan error, 1)
	go func() {
		err := produce(w)
		produced <- err
		w.CloseWithError(err) // only then can the consumer notice
	}()
	err := consume(r)
	var first error
	select { // looked at before the pipe is closed: what comes after that may be our doing
	case first = <-produced:
		r.Close()
	default:
		r.CloseWithError(errConsumerGone) // else a producer with more to say would wait for ever
		if first = <-produced; err != nil {
			return err
		}
	}
	if first != nil && !errors.Is(first, errConsumerGone) {
		return first
	}
	return err
}

// cQuote writes a name in git's C style, for files and lists of one name a line.
func cQuote(name string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, c := range []byte(name) {
		switch {
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case c < ' ' || c >= 0x7f:
			fmt.Fprintf(&b, `\%03o`, c)
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}
