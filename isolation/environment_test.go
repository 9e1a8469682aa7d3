package isolation

import (
	"bytes"
	"errors"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/d3mlabs/ai-flow/testsupport"
)

// H4-03, F-09, F-71 and behaviour.md section 2 "Never": these go to no agent, whoever names them.
func TestNamesThatNeverGoToTheAgent(t *testing.T) {
	names := strings.Fields(`AI_FLOW_APP_ID AI_FLOW_APP_PRIVATE_KEY AI_FLOW_APP_PRIVATE_KEY_FILE GITHUB_TOKEN GITHUB_ENV GITHUB_PATH
		GITHUB_OUTPUT GITHUB_STATE GITHUB_STEP_SUMMARY GITHUB_ACTIONS ACTIONS_RUNTIME_TOKEN ACTIONS_ID_TOKEN_REQUEST_TOKEN RUNNER_TEMP
		INPUT_TOKEN LD_PRELOAD LD_LIBRARY_PATH DYLD_INSERT_LIBRARIES BASH_ENV ENV NODE_OPTIONS GIT_DIR GIT_SSH_COMMAND GIT_ASKPASS
		GIT_CONFIG_PARAMETERS GIT_CONFIG_GLOBAL GIT_CONFIG GIT_AUTHOR_NAME SSH_AUTH_SOCK DOCKER_HOST COPILOT_ALLOW_ALL HOME PATH USER
		LOGNAME SHELL TMPDIR SUDO_USER SUDO_COMMAND MAIL IFS PS4 SHELLOPTS BASH_FUNC_ls MALLOC_CHECK_ GLIBC_TUNABLES RES_OPTIONS PWD
		AI_FLOW_RUN ai_flow_keep 1A A-B A=B`)
	names = append(names, "", "A B", "A\nB", "Ä", "A\x00", strings.Repeat("A", 129), "BASH_FUNC_ls%%")
	for _, name := range names {
		var setup *SetupError
		_, err := Environment{Parent: []string{name + "=v"}, Allow: []string{name}}.handedOver()
		if !errors.As(err, &setup) || !strings.Contains(setup.Fix, "AI_FLOW_AGENT_ENV") {
			t.Errorf("allowed %q: %v", name, err)
		}
		if _, err := (Environment{Set: map[string]string{name: "canary"}}).handedOver(); err == nil || strings.Contains(err.Error(), "canary") {
			t.Errorf("set %q: %v", name, err)
		}
	}
	for _, name := range []string{"GIT_CONFIG_COUNT", "GIT_CONFIG_KEY_0", "GIT_CONFIG_VALUE_12", "XDG_CONFIG_HOME"} {
		if _, err := (Environment{Allow: []string{name}}).handedOver(); err == nil {
			t.Errorf("%s is ours to set, and was allowed from the parent", name)
		}
		if env, err := (Environment{Set: map[string]string{name: "x"}}).handedOver(); err != nil || env[name] != "x" {
			t.Errorf("%s was not set: %v", name, err)
		}
	}
}

func TestHandedOver(t *testing.T) {
	parent := []string{"LANG=de_DE", "LC_TIME=C", "TZ=Europe/Berlin", "TERM=xterm", "https_proxy=http://p:1", "NO_PROXY=*",
		"SECRET=s", "MINE=first", "MINE=last", "LC_BAD NAME=x", "nonsense"}
	base := map[string]string{"LANG": "de_DE", "LC_TIME": "C", "TZ": "Europe/Berlin", "TERM": "xterm", "https_proxy": "http://p:1", "NO_PROXY": "*", "LC_ALL": "C.UTF-8"}
	with := func(more ...string) map[string]string {
		m := maps.Clone(base)
		for i := 0; i < len(more); i += 2 {
			m[more[i]] = more[i+1]
		}
		return m
	}
	tests := []struct {
		name string
		e    Environment
		want map[string]string
	}{
		{"nothing", Environment{}, map[string]string{"TERM": "dumb", "LC_ALL": "C.UTF-8"}},
		{"the usual names", Environment{Parent: parent}, base},
		{"allowed names, the last value stands", Environment{Parent: parent, Allow: []string{"MINE", "MISSING"}}, with("MINE", "last")},
		{"a locale that was asked for (H6-04)", Environment{Parent: append(parent, "LC_ALL=zh_CN"), Allow: []string{"LC_ALL"}}, with("LC_ALL", "zh_CN")},
		{"a locale that was not", Environment{Parent: append(parent, "LC_ALL=zh_CN")}, base},
		{"set beats allowed", Environment{Parent: parent, Allow: []string{"MINE"}, Set: map[string]string{"MINE": ""}}, with("MINE", "")},
	}
	for _, tt := range tests {
		if got, err := tt.e.handedOver(); err != nil || !maps.Equal(got, tt.want) {
			t.Errorf("%s: got %v, %v", tt.name, got, err)
		}
	}
}

func TestValuesAreBounded(t *testing.T) {
	many := map[string]string{}
	for i := range 600 {
		many["N"+strings.Repeat("x", i%100)+string(rune('a'+i/100))] = ""
	}
	for name, set := range map[string]map[string]string{
		"NUL": {"A": "can\x00ary"}, "longer": {"A": "canary" + strings.Repeat("x", 128<<10)}, "variables": many,
	} {
		_, err := Environment{Set: set}.handedOver()
		if err == nil || !strings.Contains(err.Error(), name) || strings.Contains(err.Error(), "ary") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestSearchPath(t *testing.T) {
	for _, bad := range []string{".", "/bin:", ":/bin", "/bin::/usr/bin", "bin", "/bin:./x", "/a\x00b"} {
		if _, err := (Environment{Path: bad}).searchPath(); err == nil {
			t.Errorf("PATH %q was taken", bad)
		}
	}
	if p, err := (Environment{Path: "/opt/x/bin:/bin"}).searchPath(); err != nil || p != "/opt/x/bin:/bin" {
		t.Errorf("got %q, %v", p, err)
	}
}

// shells are those that a host may have as /bin/sh.
func shells(t testing.TB) map[string][]string {
	t.Helper()
	all := map[string][]string{"dash": {"dash"}, "bash": {"bash", "--posix"}, "busybox": {"busybox", "sh"}}
	for name, argv := range all {
		path, err := exec.LookPath(argv[0])
		testsupport.Need(t, err == nil, name, "sudo apt-get install -y dash bash busybox")
		argv[0] = path
	}
	return all
}

// launch runs the launch script itself, without sudo, and returns the environment of what it started.
func launch(t testing.TB, shell, env, fixed []string, keep string) map[string]string {
	t.Helper()
	args := append(slices.Clone(shell[1:]), "-c", launchScript, "ai-flow", "10000", "/usr", keep)
	args = append(append(args, fixed...), "--", "/usr/bin/env", "-0")
	cmd := exec.Command(shell[0], args...)
	cmd.Env = env
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %v: %s", shell, err, said.String())
	}
	got := lookups(strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00"))
	delete(got, "_") // bash's own, which it makes anew when it becomes the command
	delete(got, "SHLVL")
	return got
}

// What PAM or a sudoers file added on the way is taken out again, whatever the values look like.
func TestLaunchScriptKeepsExactlyTheList(t *testing.T) {
	env := []string{"KEEP=a\nexport GH_TOKEN='stolen'\ndeclare -x HOME=x", "GH_TOKEN=it's \"the\" $(touch /tmp/no) `token`\\", "EMPTY=", "MAIL=/var/mail/x",
		"SUDO_COMMAND=/bin/sh -c x\nexport KEEP=2", "SUDO_USER=root", "OLDPWD=/", "ImageOS=ubuntu22", "name=n", "HOME=/root", "keep=k", "dir=d", "GLOB=*", "TAB=a\tb  c",
		"bad-name=x", "BASH_FUNC_env%%=() { echo hijacked; }", "LC_ALL=C"}
	fixed := []string{"HOME=/home/a b", "PATH=/usr/bin:/bin", "SHELL=/bin/sh"}
	want := map[string]string{"KEEP": "a\nexport GH_TOKEN='stolen'\ndeclare -x HOME=x", "GH_TOKEN": "it's \"the\" $(touch /tmp/no) `token`\\", "EMPTY": "",
		"GLOB": "*", "TAB": "a\tb  c", "HOME": "/home/a b", "PATH": "/usr/bin:/bin", "SHELL": "/bin/sh", "PWD": "/usr"}
	for name, shell := range shells(t) {
		if name == "bash" {
			env = slices.DeleteFunc(slices.Clone(env), func(e string) bool { return strings.HasPrefix(e, "bad-name") || strings.HasPrefix(e, "BASH_FUNC") })
		}
		if got := launch(t, shell, env, fixed, "KEEP GH_TOKEN EMPTY GLOB TAB"); !maps.Equal(got, want) {
			t.Errorf("%s: got %q", name, got)
		}
	}
}

func FuzzLaunchScript(f *testing.F) {
	f.Add("plain", "other")
	f.Add("a\nexport X='", "'\nexport KEEP=1\n")
	f.Add("\xff\xfe$IFS", "* ? [a-z]")
	shell, err := exec.LookPath("dash")
	testsupport.Need(f, err == nil, "dash", "sudo apt-get install -y dash")
	f.Fuzz(func(t *testing.T, kept, dropped string) {
		if strings.ContainsRune(kept+dropped, 0) || len(kept)+len(dropped) > 10000 {
			return
		}
		got := launch(t, []string{shell}, []string{"KEEP=" + kept, "DROP=" + dropped}, nil, "KEEP")
		if want := map[string]string{"KEEP": kept, "PWD": "/usr"}; !maps.Equal(got, want) {
			t.Errorf("got %q", got)
		}
	})
}

func TestLaunchScriptSaysWhereItCannotGo(t *testing.T) {
	for name, shell := range shells(t) {
		args := append(slices.Clone(shell[1:]), "-c", launchScript, "ai-flow", "", "/nonexistent/x", "", "--", "/bin/echo", "ran")
		cmd := exec.Command(shell[0], args...)
		cmd.Env = []string{}
		out, err := cmd.CombinedOutput()
		var exit *exec.ExitError
		if !errors.As(err, &exit) || exit.ExitCode() != 126 || string(out) != "ai-flow: the agent user cannot enter /nonexistent/x\n" {
			t.Errorf("%s: %q, %v", name, out, err)
		}
	}
	if _, err := os.Stat("/tmp/no"); err == nil {
		t.Error("a value was evaluated")
	}
}
