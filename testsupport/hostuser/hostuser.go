// Package hostuser gives tests two real users of this host and a real sudoers rule from one to the other, because a
// boundary between users that was only ever tested against a fake is a guess.
//
// A pair is a dispatcher user aift-d<pid> and an agent user aift-a<pid>, one pair for each test binary; the rule is
// /etc/sudoers.d/aift-<pid>, checked by visudo before it counts. All of it is removed when the last test that asked for it
// ends, or at the end of the binary under [Main]; a later test removes what a killed one left behind. Test binaries
// run side by side, so the account files are changed under a lock.
//
// [EachDispatcher] runs a test twice: as root and, in a second process, as the unprivileged dispatcher user.
//
// Its one invariant: it touches no account, rule or process but those named aift-. It needs root, and refuses to guess: a
// test without it is skipped with the command that would run it, and fails in CI.
package hostuser

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/d3mlabs/ai-flow/testsupport"
)

// User is an account of this host.
type User struct {
	Name, Home string
	UID, GID   int
}

// Pair is who dispatches and who runs the agent.
type Pair struct{ Dispatcher, Agent User }

// inherited names the variable that tells a second process which pair the first one made.
const inherited = "AIFT_PAIR"

// registry is what this test binary made; the mutex also counts for parallel tests.
type registry struct {
	mu   sync.Mutex
	pair *Pair
	held int // tests that use the pair, and Main
}

var shared = &registry{}

// Get returns the pair of this test binary, and makes it the first time.
func Get(t testing.TB) Pair {
	t.Helper()
	if text := os.Getenv(inherited); text != "" {
		var p Pair
		if err := json.Unmarshal([]byte(text), &p); err != nil {
			t.Fatalf("%s: %v", inherited, err)
		}
		return p
	}
	testsupport.Need(t, os.Getuid() == 0, "root", "sudo env PATH=\"$PATH\" go test ./...")
	for _, tool := range []string{"useradd", "userdel", "visudo", "sudo"} {
		_, err := exec.LookPath(tool)
		testsupport.Need(t, err == nil, tool, "su -c 'apt-get install -y sudo passwd'") // who has no sudo cannot use it here
	}
	p, err := shared.acquire()
	if err != nil {
		t.Fatalf("making a pair of users: %v", err)
	}
	t.Cleanup(func() {
		if err := shared.release(); err != nil {
			t.Errorf("removing the pair of users: %v", err)
		}
	})
	return p
}

// Main keeps the pair from test to test. Use it as the last line of TestMain: os.Exit(hostuser.Main(m)).
func Main(m *testing.M) int {
	shared.mu.Lock()
	shared.held++
	shared.mu.Unlock()
	code := m.Run()
	if err := shared.release(); err != nil {
		fmt.Fprintln(os.Stderr, "removing the pair of users:", err)
		return 1
	}
	return code
}

func (r *registry) acquire() (Pair, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.pair == nil {
		p, err := create(os.Getpid())
		if err != nil {
			return Pair{}, err
		}
		r.pair = &p
	}
	r.held++
	return *r.pair, nil
}

func (r *registry) release() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.held--; r.held > 0 || r.pair == nil {
		return nil
	}
	r.pair = nil
	return locked(func() error { return remove(os.Getpid()) })
}

func create(pid int) (p Pair, err error) {
	err = locked(func() error {
		if err := removeStale(); err != nil {
			return err
		}
		if p.Dispatcher, err = add("aift-d" + strconv.Itoa(pid)); err != nil {
			return err
		}
		if p.Agent, err = add("aift-a" + strconv.Itoa(pid)); err != nil {
			return err
		}
		return writeRule(pid, p.rule())
	})
	return p, err
}

func (p Pair) rule() string {
	return fmt.Sprintf("%s ALL=(%s) NOPASSWD:SETENV: ALL\n", p.Dispatcher.Name, p.Agent.Name)
}

func add(name string) (User, error) {
	if err := run("useradd", "--system", "--user-group", "--create-home", "--home-dir", "/home/"+name, "--shell", "/usr/sbin/nologin", name); err != nil {
		return User{}, err
	}
	u, err := user.Lookup(name)
	if err != nil {
		return User{}, err
	}
	uid, err1 := strconv.Atoi(u.Uid)
	gid, err2 := strconv.Atoi(u.Gid)
	if err1 != nil || err2 != nil {
		return User{}, fmt.Errorf("ids of %s: %q %q", name, u.Uid, u.Gid)
	}
	return User{Name: name, Home: u.HomeDir, UID: uid, GID: gid}, os.Chmod(u.HomeDir, 0o700)
}

// Rules replaces the sudoers rules of the pair until the test ends, for what a host may have instead of the right rule.
// "D" and "A" as words stand for the two users. Without lines the pair has no rule.
func (p Pair) Rules(t testing.TB, lines ...string) {
	t.Helper()
	if os.Getenv(inherited) != "" {
		return // the process that made the pair has done it
	}
	text := ""
	for _, l := range lines {
		words := strings.Fields(l)
		for i, w := range words {
			r := strings.NewReplacer("(A)", "("+p.Agent.Name+")", ":D", ":"+p.Dispatcher.Name, ">A", ">"+p.Agent.Name)
			if words[i] = r.Replace(w); w == "D" {
				words[i] = p.Dispatcher.Name
			}
		}
		text += strings.Join(words, " ") + "\n"
	}
	set := func(text string) {
		if err := locked(func() error { return writeRule(os.Getpid(), text) }); err != nil {
			t.Fatalf("setting sudoers rules: %v", err)
		}
	}
	set(text)
	t.Cleanup(func() { set(p.rule()) })
}

func rulePath(pid int) string { return "/etc/sudoers.d/aift-" + strconv.Itoa(pid) }

func writeRule(pid int, text string) error {
	dir, err := os.MkdirTemp("", "aift-sudoers")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	draft := filepath.Join(dir, "rule")
	if err := os.WriteFile(draft, []byte(text), 0o440); err != nil {
		return err
	}
	if err := run("visudo", "-c", "-q", "-f", draft); err != nil {
		return err
	}
	return run("install", "-m", "0440", draft, rulePath(pid))
}

func run(name string, arg ...string) error {
	if out, err := exec.Command(name, arg...).CombinedOutput(); err != nil {
		return fmt.Errorf("%s %s: %w: %s", name, strings.Join(arg, " "), err, out)
	}
	return nil
}
