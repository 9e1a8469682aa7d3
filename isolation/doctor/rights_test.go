package doctor

import (
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/d3mlabs/ai-flow/isolation"
	"github.com/d3mlabs/ai-flow/testsupport/hostuser"
)

// loosened is a host whose launch line lacks something: what stands on it is changed before it runs.
type loosened struct {
	change  func(argv []string) []string
	changed *int
}

func (l loosened) Run(ctx context.Context, argv, env []string, stdin io.Reader) (stdout, stderr []byte, code int, err error) {
	if slices.Contains(argv, hiddenCommand) {
		with := l.change(slices.Clone(argv))
		if !slices.Equal(with, argv) {
			*l.changed++
		}
		argv = with
	}
	return runner.Run(ctx, argv, env, stdin)
}

func replaced(old, with string) func([]string) []string {
	return func(argv []string) []string {
		for i, a := range argv {
			argv[i] = strings.ReplaceAll(a, old, with)
		}
		return argv
	}
}

func without(option string) func([]string) []string {
	return func(argv []string) []string {
		return slices.DeleteFunc(argv, func(a string) bool { return a == option })
	}
}

// S1: what the launch line takes from the agent is missed when it does not.
func TestALooserLaunchLineIsFound(t *testing.T) {
	hostuser.EachDispatcher(t, func(t *testing.T, p hostuser.Pair) {
		o := options(t, p)
		o.In, o.Short = openRoom(t, o), true
		loose := func(change func([]string) []string, ids ...string) {
			n := 0
			for id, f := range examine(t, loosened{change, &n}, o, ids...) {
				if f.Status != Fail || f.Fix == "" || n != 1 {
					t.Errorf("%s: %+v", id, f)
				}
			}
		}
		loose(func(argv []string) []string {
			argv = without("--no-new-privs")(without("--pdeathsig=KILL")(argv))
			return replaced("umask 077", "umask 022")(replaced("XDG_DATA_HOME=", "GITHUB_TOKEN=")(argv))
		}, "no-new-privs", "death-signal", "umask", "environment")
		if os.Getuid() != 0 {
			return
		}
		// What only root can give, by another program than sudo. The process limit cannot be lifted by a root without CAP_SYS_RESOURCE.
		give := []string{"/usr/bin/prlimit", "--core=unlimited", "--", "/usr/bin/setpriv", "--ruid", "0", "--euid", strconv.Itoa(p.Agent.UID), "--regid", strconv.Itoa(p.Agent.GID), "--groups", "0", "--inh-caps=+kill", "--"}
		loose(func(argv []string) []string {
			argv = append(give, argv[slices.Index(argv, "--")+1:]...)
			return replaced("ulimit -c 0", ":")(without("--inh-caps=-all")(argv))
		}, "core-dumps", "capabilities", "agent-user", "groups")
	})
}

func openRoom(t testing.TB, o Options) *isolation.Room {
	t.Helper()
	room, err := isolation.Open(t.Context(), runner, o.Identity, o.Room)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := room.Close(t.Context()); err != nil {
			t.Error(err)
		}
	})
	return room
}

// S1: a sudoers rule for the agent is found, also where no_new_privs keeps it from being of use, and in use where it does not.
func TestDoorOfSudo(t *testing.T) {
	p := hostuser.Get(t)
	p.Rules(t, "D ALL=(A) NOPASSWD:SETENV: ALL", p.Agent.Name+" ALL=(root) NOPASSWD: /bin/sh")
	hostuser.EachDispatcher(t, func(t *testing.T, p hostuser.Pair) {
		o := options(t, p)
		o.In = openRoom(t, o)
		f := one(t, runner, o, "sudo", Fail)
		if !strings.Contains(f.Why, "only no_new_privs keeps it from") || !strings.Contains(f.Fix, p.Agent.Name) {
			t.Errorf("%+v", f)
		}
		n := 0
		f = one(t, loosened{without("--no-new-privs"), &n}, o, "sudo", Fail)
		if !strings.Contains(f.Why, "works for the agent") || n != 1 {
			t.Errorf("%+v", f)
		}
		o.Short = true // nobody asks outside of the launch line then
		one(t, runner, o, "sudo", Pass)
	})
}

// A group that gives the agent more is found, and the fix takes it away.
func TestDoorOfGroups(t *testing.T) {
	p := hostuser.Get(t)
	group := "aift-g" + strconv.Itoa(os.Getpid())
	if os.Getuid() == 0 {
		as(t, "groupadd", "--system", group)
		t.Cleanup(func() { as(t, "groupdel", group) })
		as(t, "gpasswd", "--add", p.Agent.Name, group)
	}
	var fix string
	hostuser.EachDispatcher(t, func(t *testing.T, p hostuser.Pair) {
		f := one(t, runner, options(t, p), "groups", Fail)
		if fix = f.Fix; !strings.Contains(f.Why, "aift-g") {
			t.Errorf("%+v", f)
		}
	})
	if os.Getuid() == 0 {
		follow(t, fix)
		one(t, runner, options(t, p), "groups", Pass)
	}
}

func as(t testing.TB, argv ...string) {
	t.Helper()
	if out, err := exec.Command(argv[0], argv[1:]...).CombinedOutput(); err != nil {
		t.Fatalf("%v: %v: %s", argv, err, out)
	}
}

// What sudo is set to for the dispatcher is found, and the fix is a command line that mends it.
func TestDoorsOfSettings(t *testing.T) {
	p := hostuser.Get(t)
	p.Rules(t, "D ALL=(A) NOPASSWD:SETENV: ALL", "Defaults:D !use_pty", "Defaults:D !secure_path")
	mended := "/etc/sudoers.d/zz-ai-flow-"
	states := []struct {
		name string
		want Status
	}{{"open", Fail}, {"mended", Pass}}
	for _, state := range states {
		t.Run(state.name, func(t *testing.T) {
			if os.Getuid() != 0 {
				o := options(t, p)
				for _, id := range []string{"use-pty", "secure-path"} {
					one(t, runner, o, id, state.want)
				}
				return
			}
			if state.want == Pass {
				for _, setting := range []string{"use_pty", securePath} {
					follow(t, settingFix(host{dispatcher: p.Dispatcher.Name}, setting))
					name, _, _ := strings.Cut(setting, "=")
					t.Cleanup(func() {
						if err := os.Remove(mended + name); err != nil {
							t.Error(err)
						}
					})
				}
			}
			p.Reexec(t)
		})
	}
}

// S1, S5: a secret in the arguments or the environment of a process is found in each form in which it is handed around, by the
// process and never by its value.
func TestDoorOfSecrets(t *testing.T) {
	const secret = "canary-private-value-0007"
	hostuser.EachDispatcher(t, func(t *testing.T, p hostuser.Pair) {
		o := options(t, p)
		o.Secrets, o.In = []string{secret}, openRoom(t, o)
		arguments := []string{"--token=" + secret, base64.StdEncoding.EncodeToString([]byte("x:" + secret)), "ghs_" + strings.Repeat("B4", 18)}
		var places []string
		end := func() {}
		for _, a := range arguments {
			holder := exec.CommandContext(t.Context(), "/bin/sh", "-c", "read -r never", a)
			in, err := holder.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := holder.Start(); err != nil {
				t.Fatal(err)
			}
			before := end
			end = func() {
				before()
				in.Close()
				if err := holder.Wait(); err == nil {
					t.Error("read got a line")
				}
			}
			places = append(places, fmt.Sprintf("in the arguments of process %d (\"sh\")", holder.Process.Pid))
		}
		// A process of the agent user's own shows its environment too.
		inv, err := o.In.Command("/", isolation.Environment{Set: map[string]string{"PROVIDER": secret}}, "/bin/sleep", "60")
		if err != nil {
			t.Fatal(err)
		}
		go runner.Run(t.Context(), inv.Argv, inv.Env, nil)
		await(t, func() bool { return running(p.Agent.UID, "sleep") })
		f := one(t, runner, o, "secrets-in-processes", Fail)
		for _, place := range append(places, "a known secret in the environment of process") {
			if !strings.Contains(f.Why, place) {
				t.Errorf("%q does not say %q", f.Why, place)
			}
		}
		for _, a := range append(arguments, secret) {
			if strings.Contains(f.Why+f.Fix, a) {
				t.Errorf("%q is told", a)
			}
		}
		end()
		one(t, runner, o, "secrets-in-processes", Pass) // the checks have ended what ran in the room
	})
}

func await(t testing.TB, f func() bool) {
	t.Helper()
	for until := time.Now().Add(10 * time.Second); !f(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(until) {
			t.Fatal("it did not come")
		}
	}
}

// running looks for a process of a user's by its name.
func running(uid int, name string) bool {
	all, _ := filepath.Glob("/proc/[0-9]*/status")
	return slices.ContainsFunc(all, func(path string) bool {
		status, err := os.ReadFile(path)
		return err == nil && field(string(status), "Name") == name && !strings.HasPrefix(field(string(status), "State"), "Z") && strings.HasPrefix(field(string(status), "Uid"), strconv.Itoa(uid)+"\t")
	})
}

// S3: a process that was left of a run is ended and told of; the next time there is none.
func TestDoorOfLeftovers(t *testing.T) {
	hostuser.EachDispatcher(t, func(t *testing.T, p hostuser.Pair) {
		o := options(t, p)
		// The lock says that we have used the user before; else it would be somebody's.
		put(t, filepath.Join(o.Room.StateDir, p.Agent.Name+".lock"), "process 1 since 2026-01-01T00:00:00Z\n", 0o600)
		mode(t, o.Room.StateDir, 0o700)
		left := exec.CommandContext(t.Context(), "sudo", "-n", "-u", p.Agent.Name, "--", "sleep", "60")
		if err := left.Start(); err != nil {
			t.Fatal(err)
		}
		await(t, func() bool { return running(p.Agent.UID, "sleep") })
		f := one(t, runner, o, "leftovers", Fail)
		if !strings.Contains(f.Why, "sleep") {
			t.Errorf("%+v", f)
		}
		if err := left.Wait(); err == nil {
			t.Error("it was not ended")
		}
		one(t, runner, o, "leftovers", Pass)
	})
}

// S3: the shared lock passes as setup makes it, and fails when the agent can take it. Open refuses such a lock, so it is
// opened while a room is.
func TestDoorOfTheSharedLock(t *testing.T) {
	p := hostuser.Get(t)
	steps, err := isolation.HostSetup{Dispatcher: p.Dispatcher.Name, Agent: p.Agent.Name}.Steps()
	if err != nil {
		t.Fatal(err)
	}
	setUp := func() {
		for _, s := range steps {
			if _, said, code, err := runner.Run(t.Context(), s.Argv, s.Env, nil); strings.Contains(s.Say, ".lock") && (err != nil || code != 0) {
				t.Fatalf("%s: %d, %v: %s", s.Say, code, err, said)
			}
		}
	}
	steps = slices.DeleteFunc(steps, func(s isolation.SetupStep) bool { return !strings.Contains(s.Say, ".lock") })
	if len(steps) != 1 {
		t.Fatalf("%+v", steps)
	}
	path := host{Options: Options{Identity: options(t, p).Identity}}.sharedLock()
	setUp()
	defer func() {
		if err := os.Remove(path); err != nil {
			t.Error(err)
		}
		_ = os.Remove(filepath.Dir(path)) // of another's lock it is not empty
	}()
	o := options(t, p)
	o.In = openRoom(t, o)
	one(t, runner, o, "one-run-at-a-time", Pass)
	mode(t, path, 0o644)
	f := one(t, runner, o, "one-run-at-a-time", Fail)
	if f.Fix != "sudo ai-flow setup --user "+o.Identity.Name() {
		t.Errorf("%+v", f)
	}
	setUp() // which is what the fix does
	one(t, runner, o, "one-run-at-a-time", Pass)
}
