package doctor

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/d3mlabs/ai-flow/isolation"
)

const ruleTime = 5 * time.Second // for asking sudo

// look collects what the checks need to know.
func look(ctx context.Context, r isolation.Runner, o Options, room *isolation.Room) (host, error) {
	agent, err := user.Lookup(o.Identity.Name())
	if err != nil {
		return host{}, fmt.Errorf("looking up the agent user: %w", err)
	}
	ours, err := user.Current()
	if err != nil {
		return host{}, fmt.Errorf("finding out who we are: %w", err)
	}
	uid, err1 := strconv.Atoi(agent.Uid)
	gid, err2 := strconv.Atoi(agent.Gid)
	if err := errors.Join(err1, err2); err != nil {
		return host{}, fmt.Errorf("looking up the agent user: %w", err)
	}
	h := host{Options: o, pid: os.Getpid(), uid: uid, gid: gid, room: room.Path(), runner: runnerOf(o.Environ), dispatcher: ours.Username, home: ours.HomeDir}
	h.ourGID, h.family = os.Getgid(), family(h.pid, uid)
	_, err = os.Lstat(h.sharedLock())
	h.lock = !errors.Is(err, fs.ErrNotExist)
	for _, p := range room.Leftovers() {
		h.leftovers = append(h.leftovers, fmt.Sprintf("%d (%s)", p.PID, p.Command))
	}
	h.groups, err = groupsOf(agent)
	h.rules = askSudo(ctx, r, o)
	return h, err
}

func groupsOf(u *user.User) (map[int]string, error) {
	ids, err := u.GroupIds()
	if err != nil {
		return nil, fmt.Errorf("listing the groups of the agent user: %w", err)
	}
	groups := map[int]string{}
	for _, id := range ids {
		g, err := user.LookupGroupId(id)
		if n, wrong := strconv.Atoi(id); err == nil && wrong == nil {
			groups[n] = g.Name
		}
	}
	return groups, nil
}

// askSudo asks as the dispatcher. The agent is asked about outside of the launch line, where no_new_privs does not hide a
// rule. None of it is for the short form: a sudo that knows no such user may tell the administrator each time.
func askSudo(ctx context.Context, r isolation.Runner, o Options) (a rules) {
	for _, place := range []string{"/usr/bin/sudo", "/usr/local/bin/sudo", "/bin/sudo", "/run/wrappers/bin/sudo"} {
		if _, err := os.Stat(place); err == nil {
			a.programs = append(a.programs, place)
		}
	}
	if len(a.programs) == 0 {
		return a
	}
	ask := func(argv ...string) string {
		ctx, cancel := context.WithTimeout(ctx, ruleTime)
		defer cancel()
		out, _, code, err := r.Run(ctx, append([]string{a.programs[0], "-n"}, argv...), []string{"LC_ALL=C", "PATH=/usr/bin:/bin"}, nil)
		if err != nil || code != 0 {
			return ""
		}
		return string(out[:min(len(out), maxData)])
	}
	if !o.Short {
		a.ours = ask("-l")
		a.agents = ask("-u", o.Identity.Name(), "--", a.programs[0], "-n", "-l")
	}
	return a
}

// runnerOf finds the runner's places in an environment.
func runnerOf(environ []string) (r runnerPaths) {
	get := func(name string) string {
		for i := len(environ) - 1; i >= 0; i-- {
			if value, ok := strings.CutPrefix(environ[i], name+"="); ok && filepath.IsAbs(value) {
				return filepath.Clean(value)
			}
		}
		return ""
	}
	for _, name := range []string{"GITHUB_ENV", "GITHUB_PATH", "GITHUB_OUTPUT", "GITHUB_STATE", "GITHUB_STEP_SUMMARY"} {
		if path := get(name); path != "" {
			r.commandFiles = append(r.commandFiles, path)
		}
	}
	r.workspace, r.temp, r.tools = get("GITHUB_WORKSPACE"), get("RUNNER_TEMP"), get("RUNNER_TOOL_CACHE")
	if r.workspace != "" { // _work/NAME/NAME, beside _work/_actions
		work := filepath.Dir(filepath.Dir(r.workspace))
		r.actions = filepath.Join(work, "_actions")
		if _, err := os.Stat(filepath.Join(filepath.Dir(work), ".runner")); err == nil {
			r.root = filepath.Dir(work)
		}
	}
	return r
}

// plant makes a file that all may read in each directory. What keeps the agent from it is then the directory alone. Where none
// can be made, on a full disk or a file system that nobody can write to, the check says that it could not be tried.
func plant(closed []string) (planted []canary) {
	for _, dir := range closed {
		info, err := os.Stat(dir)
		if err != nil || !info.IsDir() || slices.ContainsFunc(planted, func(c canary) bool { return c.dir == dir }) {
			continue
		}
		clearCanaries(dir)
		c := canary{dir: dir, path: filepath.Join(dir, canaryName+rand.Text()), text: rand.Text()}
		if makeCanary(c.path, c.text) == nil {
			planted = append(planted, c)
		}
	}
	return planted
}

const (
	canaryName = ".ai-flow-canary-"
	canaryAge  = time.Hour // much longer than any checks take, so that none of another process's is in use
)

// clearCanaries removes what a killed process of ours left: no more is a canary than its name and the length of its text says.
func clearCanaries(dir string) {
	entries, _ := os.ReadDir(dir) // what cannot be listed is left as it is
	for _, e := range entries {
		text := rand.Text()
		if !strings.HasPrefix(e.Name(), canaryName) || len(e.Name()) != len(canaryName)+len(text) || !e.Type().IsRegular() {
			continue
		}
		info, err := e.Info()
		if err == nil && info.Size() == int64(len(text)) && owner(info) == os.Getuid() && time.Since(info.ModTime()) > canaryAge {
			_ = os.Remove(filepath.Join(dir, e.Name())) // the next run tries again
		}
	}
}

// makeCanary leaves nothing when it fails.
func makeCanary(path, text string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err1 := f.WriteString(text)
	err2 := f.Chmod(0o644) // whatever the umask is
	if err := errors.Join(err1, err2, f.Close()); err != nil {
		return errors.Join(err, os.Remove(path))
	}
	return nil
}

func uproot(planted []canary) (trouble error) {
	for _, c := range planted {
		if err := os.Remove(c.path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			trouble = errors.Join(trouble, fmt.Errorf("removing a canary: %w", err))
		}
	}
	return trouble
}
