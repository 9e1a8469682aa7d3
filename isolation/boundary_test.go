package isolation_test

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/d3mlabs/ai-flow/isolation"
	"github.com/d3mlabs/ai-flow/testsupport/hostuser"
)

// forbidden is a parent with everything in it that an agent must not see, each with a canary for a value.
func forbidden() (parent []string) {
	for _, name := range strings.Fields(`AI_FLOW_APP_ID AI_FLOW_APP_PRIVATE_KEY AI_FLOW_APP_PRIVATE_KEY_FILE AI_FLOW_BOT_LOGIN GITHUB_TOKEN GH_TOKEN
		GITHUB_ENV GITHUB_PATH GITHUB_OUTPUT GITHUB_STATE GITHUB_STEP_SUMMARY GITHUB_EVENT_PATH ACTIONS_RUNTIME_TOKEN ACTIONS_CACHE_URL
		ACTIONS_ID_TOKEN_REQUEST_TOKEN RUNNER_TEMP RUNNER_TOOL_CACHE INPUT_TOKEN LD_PRELOAD LD_LIBRARY_PATH DYLD_INSERT_LIBRARIES BASH_ENV ENV
		NODE_OPTIONS GIT_DIR GIT_SSH_COMMAND GIT_CONFIG_COUNT GIT_CONFIG_KEY_0 GIT_CONFIG_VALUE_0 SSH_AUTH_SOCK DOCKER_HOST
		COPILOT_ALLOW_ALL HOME PATH USER LOGNAME SHELL TMPDIR XDG_CONFIG_HOME XDG_RUNTIME_DIR SUDO_USER MAIL OTHER PYTHONPATH PERL5LIB
		AWS_SECRET_ACCESS_KEY GOOGLE_APPLICATION_CREDENTIALS EDITOR ImageOS`) {
		parent = append(parent, name+"=/canary/"+name)
	}
	return append(parent, "LANG=de_DE.UTF-8", "LC_TIME=C", "TZ=Europe/Berlin", "TERM=xterm", "HTTPS_PROXY=http://127.0.0.1:1", "no_proxy=localhost", "ALLOWED=it is")
}

// S1, F-05, F-09, H4-03, H4-04: the agent's environment is exactly the list, through a real sudo, with sudoers files that
// would hand over more, keep the caller's PATH, or reset nothing at all.
func TestS1_TheEnvironmentIsExactlyTheList(t *testing.T) {
	p := hostuser.Get(t)
	variants := map[string][]string{
		"plain":     nil,
		"env_keep":  {`Defaults:D env_keep += "GITHUB_TOKEN ACTIONS_RUNTIME_TOKEN OTHER AI_FLOW_APP_PRIVATE_KEY"`},
		"env_reset": {`Defaults:D !env_reset`},
		"PATH":      {`Defaults:D !secure_path`, `Defaults:D env_keep += "PATH HOME USER"`},
		"home":      {`Defaults:D !always_set_home`, `Defaults:D env_keep += "HOME MAIL"`},
	}
	for name, lines := range variants {
		t.Run(name, func(t *testing.T) {
			p.Rules(t, append([]string{"D ALL=(A) NOPASSWD:SETENV: ALL"}, lines...)...)
			t.Run("root", func(t *testing.T) { exactEnvironment(t, p) })
			t.Run("unprivileged", func(t *testing.T) {
				if os.Getuid() == 0 {
					p.Reexec(t)
					return
				}
				exactEnvironment(t, p)
			})
		})
	}
}

func exactEnvironment(t *testing.T, p hostuser.Pair) {
	room := open(t, resolve(t, p), isolation.OpenOptions{})
	e := isolation.Environment{Parent: forbidden(), Allow: []string{"ALLOWED"}, Path: "/opt/agent/bin:/usr/bin:/bin",
		Set: map[string]string{"GH_TOKEN": "read only\nexport OTHER='x'", "GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "k", "GIT_CONFIG_VALUE_0": "v", "XDG_STATE_HOME": "/mine"}}
	for _, v := range forbidden() { // the dispatcher's own environment is as bad, and does not matter
		name, value, _ := strings.Cut(v, "=")
		if name != "LD_PRELOAD" && name != "TMPDIR" && name != "HOME" {
			t.Setenv(name, value)
		}
	}
	got := map[string]string{}
	for _, v := range strings.Split(as(t, room, e, "exec env -0"), "\x00") {
		if name, value, ok := strings.Cut(v, "="); ok {
			got[name] = value
		}
	}
	shell := "/bin/bash"
	if _, err := os.Stat(shell); err != nil {
		shell = "/bin/sh"
	}
	want := map[string]string{
		"HOME": room.Path("home"), "USER": p.Agent.Name, "LOGNAME": p.Agent.Name, "SHELL": shell, "PATH": "/opt/agent/bin:/usr/bin:/bin", "PWD": room.Path(),
		"LANG": "de_DE.UTF-8", "LC_ALL": "C.UTF-8", "LC_TIME": "C", "TZ": "Europe/Berlin", "TERM": "xterm", "HTTPS_PROXY": "http://127.0.0.1:1", "no_proxy": "localhost",
		"TMPDIR": room.Path("tmp"), "XDG_CONFIG_HOME": room.Path("xdg/config"), "XDG_CACHE_HOME": room.Path("xdg/cache"), "XDG_DATA_HOME": room.Path("xdg/data"),
		"XDG_STATE_HOME": "/mine", "XDG_RUNTIME_DIR": room.Path("xdg/runtime"),
		"GH_TOKEN": "read only\nexport OTHER='x'", "GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "k", "GIT_CONFIG_VALUE_0": "v", "ALLOWED": "it is",
	}
	if !maps.Equal(got, want) {
		for name := range got {
			if _, ok := want[name]; !ok {
				t.Errorf("%s=%q is too much", name, got[name])
			}
		}
		for name, v := range want {
			if got[name] != v {
				t.Errorf("%s is %q, not %q", name, got[name], v)
			}
		}
	}
}

// attacks print something only if they work.
const attacks = `exec 2>/dev/null
	for pid in "$1" "$2"; do
		cat /proc/$pid/environ; dd if=/proc/$pid/mem bs=1 count=1; ls /proc/$pid/fd/; cat /proc/$pid/root/etc/hostname; ls /proc/$pid/cwd/
		kill -0 $pid && echo may signal $pid; cat /proc/$pid/maps; cat /proc/$pid/stack; cat /proc/$pid/auxv
	done
	cat "$3"/* ; ls "$3"; cat "$4"/*.lock; ls "$4"; echo x >"$4"/x && echo may write; flock -n "$4"/*.lock echo has the lock
	sudo -n id; sudo -n -u "$5" id; su -c id "$5" </dev/null; grep -l . /etc/shadow; ls /root; id -Gn | tr ' ' '\n' | grep -v "^$6$"
	grep NoNewPrivs:.0 /proc/self/status; [ -t 0 ] && echo a terminal; echo </dev/tty && echo a terminal; exit 0`

// S1: what is the dispatcher's stays the dispatcher's.
func TestS1_TheAgentReadsNothingOfTheDispatchers(t *testing.T) {
	hostuser.EachDispatcher(t, func(t *testing.T, p hostuser.Pair) {
		const canary = "canary-3141592653"
		private := p.DispatcherDir(t)
		state := filepath.Join(private, "state")
		for _, name := range []string{"key.pem", "git"} {
			if err := os.WriteFile(filepath.Join(private, name), []byte(canary), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		// A process of the dispatcher's that has the secret in its environment and in its memory.
		holder := exec.Command("/bin/sh", "-c", "SECRET=$KEY; read -r never")
		holder.Env = []string{"KEY=" + canary}
		in, err := holder.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := holder.Start(); err != nil {
			t.Fatal(err)
		}
		defer holder.Wait()
		defer in.Close()

		room := open(t, resolve(t, p), isolation.OpenOptions{StateDir: state})
		args := []string{strconv.Itoa(os.Getpid()), strconv.Itoa(holder.Process.Pid), private, state, p.Dispatcher.Name, p.Agent.Name}
		if out := as(t, room, isolation.Environment{Parent: []string{"KEY=" + canary}}, attacks, args...); out != "" {
			t.Errorf("the agent learned:\n%.3000q", out)
		}
		// The attacks are none if they find nothing where there is no boundary.
		out, err := exec.Command("/bin/sh", append([]string{"-c", attacks, "sh"}, args...)...).Output()
		if err != nil || strings.Count(string(out), canary) < 3 || !strings.Contains(string(out), "may write") || !strings.Contains(string(out), "may signal") {
			t.Errorf("without a boundary: %v\n%.3000q", err, out)
		}
	})
}

// The run's directory and what is made in it is closed to every other user, the unprivileged dispatcher included; the umask
// keeps it so (H4-09).
func TestTheRoomIsClosedToOthers(t *testing.T) {
	hostuser.EachDispatcher(t, func(t *testing.T, p hostuser.Pair) {
		room := open(t, resolve(t, p), isolation.OpenOptions{})
		if err := room.WriteFile(t.Context(), "prompt/task.md", []byte("x")); err != nil {
			t.Fatal(err)
		}
		got := as(t, room, isolation.Environment{}, `cd "$1" && touch mine && mkdir d && stat -c '%a %U %n' . home tmp xdg xdg/runtime prompt prompt/task.md mine d`, room.Path())
		u := p.Agent.Name
		want := strings.NewReplacer("U", u).Replace("700 U .\n700 U home\n700 U tmp\n700 U xdg\n700 U xdg/runtime\n700 U prompt\n600 U prompt/task.md\n600 U mine\n700 U d")
		if got != want {
			t.Errorf("got\n%s", got)
		}
		if os.Getuid() != 0 {
			if _, err := os.ReadDir(room.Path()); !os.IsPermission(err) {
				t.Errorf("another user looks in: %v", err)
			}
		}
	})
}

// F-08: what one run leaves in its home, or in the account's, is nothing to the next: no configuration of git's, of the
// shell's, of a toolchain's. The traps are real: the run that set them falls into them.
func TestF08_NothingOfOneRunReachesTheNext(t *testing.T) {
	hostuser.EachDispatcher(t, func(t *testing.T, p hostuser.Pair) {
		id, state := resolve(t, p), t.TempDir()+"/state"
		first := open(t, id, isolation.OpenOptions{StateDir: state})
		const poison = `for home in "$HOME" "$1"; do
			printf '[core]\n\tfsmonitor = "echo git-poison >&2; false"\n' >"$home/.gitconfig"
			for rc in .bashrc .profile .bash_profile; do echo 'echo rc-poison' >"$home/$rc"; done
			mkdir -p "$home/go/bin" "$home/.cargo/bin" "$home/.npm"; echo prefix=poison >"$home/.npmrc"
		done`
		const sprung = `exec 2>&1; cd "$TMPDIR" && git init -q w && cd w && git status | grep poison
			bash -lc : ; bash -ic : 2>/dev/null; ls -A ~ | grep -v '^\.ai-flow$'; env | grep -F "$1"`
		as(t, first, isolation.Environment{}, poison, p.Agent.Home)
		if out := as(t, first, isolation.Environment{}, sprung, p.Agent.Home+"/"); !strings.Contains(out, "git-poison") || strings.Count(out, "rc-poison") < 2 {
			t.Errorf("the traps are none: %q", out)
		}
		if err := first.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		second := open(t, id, isolation.OpenOptions{StateDir: state})
		defer as(t, second, isolation.Environment{}, `cd "$1" && rm -rf .gitconfig .bashrc .profile .bash_profile go .cargo .npm .npmrc`, p.Agent.Home)
		out := as(t, second, isolation.Environment{}, sprung, "not in an environment")
		if out != "" {
			t.Errorf("the second run sees %q", out)
		}
		if second.Home() == first.Home() || second.Home() != second.Path("home") {
			t.Errorf("homes %q and %q", first.Home(), second.Home())
		}
	})
}

// F-08: tools look for their configuration upwards (.git, go.work, .cargo, node_modules, CLAUDE.md), so nothing that a run
// put beside or above its room is there for the next; and no run is driven out of its place by a link or a mode.
func TestF08_NothingLiesAboveTheRoom(t *testing.T) {
	hostuser.EachDispatcher(t, func(t *testing.T, p hostuser.Pair) {
		id, state := resolve(t, p), t.TempDir()+"/state"
		for _, plant := range []string{
			`mkdir -p ../.git ../..x ../plain; touch ../go.work ../CLAUDE.md ../..x/f ../ai-flow-run-file; ln -s / ../link; ln -s "$PWD" ../ai-flow-run-link; chmod 0 ../plain ../..x`,
			`chmod 0 ..`,
			`mkdir "$1/elsewhere" && mv "$1/.ai-flow" "$1/moved" && ln -s "$1/elsewhere" "$1/.ai-flow" && touch "$1/elsewhere/go.work"; rm -rf "$1/moved"`,
			`mv "$1/.ai-flow" "$1/moved" && ln -s /var/tmp "$1/.ai-flow"; rm -rf "$1/moved"`,
		} {
			as(t, open(t, id, isolation.OpenOptions{StateDir: t.TempDir() + "/state"}), isolation.Environment{}, `case $PWD in "$1"/.ai-flow/*) ;; *) exit 1 ;; esac; `+plant, p.Agent.Home)
			room := open(t, id, isolation.OpenOptions{StateDir: state})
			above, name := filepath.Split(room.Path())
			if out := as(t, room, isolation.Environment{}, `ls -A ..; stat -c %a ..; [ -h "$1/.ai-flow" ] && echo link; rm -rf "$1/elsewhere"`, p.Agent.Home); out != name+"\n700" || above != p.Agent.Home+"/.ai-flow/" {
				t.Errorf("%s: in %s there is %q", plant, above, out)
			}
			if err := room.Close(t.Context()); err != nil {
				t.Error(err)
			}
		}
	})
}
