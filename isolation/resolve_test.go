package isolation

import (
	"errors"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strings"
	"testing"

	"github.com/d3mlabs/ai-flow/executor/process"
	"github.com/d3mlabs/ai-flow/testsupport/hostuser"
)

// refused checks that an error is a *SetupError which says these words, and how to mend it.
func refused(t *testing.T, err error, kind SetupKind, problem, fix string) {
	t.Helper()
	var s *SetupError
	if !errors.As(err, &s) || s.Kind != kind || err.Error() != s.Problem || !strings.Contains(s.Problem, problem) || !strings.Contains(s.Fix, fix) {
		t.Errorf("got %v; want the kind %d, the problem %q and the fix %q", err, kind, problem, fix)
	}
}

func TestResolveRefusesUsers(t *testing.T) {
	r := process.Runner{}
	ours, err := user.Current()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"", "-u", "#0", "a b", "a/b", "Ä", "1a", "root\n", strings.Repeat("a", 40)} {
		_, err := Resolve(t.Context(), r, name)
		refused(t, err, BadUser, "cannot be the name of a user", "AI_FLOW_AGENT_USER")
	}
	_, err = Resolve(t.Context(), r, "aift-nobody")
	refused(t, err, NoUser, "there is no user aift-nobody", "sudo useradd --system")
	_, err = Resolve(t.Context(), r, "root")
	refused(t, err, BadUser, "root", "AI_FLOW_AGENT_USER")
	if ours.Uid != "0" {
		_, err = Resolve(t.Context(), r, ours.Username)
		refused(t, err, BadUser, "itself runs as", "AI_FLOW_ISOLATION=none")
	}
}

// H4-12 as the unprivileged dispatcher: the runner itself is no agent user.
func TestResolveRefusesOurselves(t *testing.T) {
	hostuser.EachDispatcher(t, func(t *testing.T, p hostuser.Pair) {
		if os.Getuid() == 0 {
			return
		}
		_, err := Resolve(t.Context(), process.Runner{}, p.Dispatcher.Name)
		refused(t, err, BadUser, "itself runs as", "another user")
	})
}

func TestResolveRefusesMightyGroups(t *testing.T) {
	p := hostuser.Get(t)
	for _, group := range []string{"sudo", "disk", "shadow"} {
		if out, err := exec.Command("usermod", "--append", "--groups", group, p.Agent.Name).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		_, err := Resolve(t.Context(), process.Runner{}, p.Agent.Name)
		if out, err := exec.Command("gpasswd", "--delete", p.Agent.Name, group).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		refused(t, err, BadUser, "in the group "+group, "sudo gpasswd --delete "+p.Agent.Name+" "+group)
	}
}

func TestResolveWithoutSudo(t *testing.T) {
	p := hostuser.Get(t)
	_, err := resolve(t.Context(), process.Runner{}, p.Agent.Name, []string{"/nonexistent/sudo"}, nil)
	refused(t, err, NoSudo, "no sudo on this host", "apt-get install sudo")
}

// H4-01 and "doctor must test the real launch line": each sudoers file that does not do has an error of its own, whose
// fix is the rule that does.
func TestResolveWithRealSudoers(t *testing.T) {
	p := hostuser.Get(t)
	tests := []struct {
		name, problem string
		rules         []string
	}{
		{"no rule", "does not let ai-flow become", nil},
		{"a password", "does not let ai-flow become", []string{"D ALL=(A) SETENV: ALL"}},
		{"another command only", "does not let ai-flow become", []string{"D ALL=(A) NOPASSWD:SETENV: /bin/true"}},
		{"no SETENV", "needs SETENV", []string{"D ALL=(A) NOPASSWD: NOSETENV: ALL"}},
		{"a terminal", "requiretty", []string{"D ALL=(A) NOPASSWD:SETENV: ALL", "Defaults:D requiretty"}},
		{"right", "", []string{"D ALL=(A) NOPASSWD:SETENV: ALL"}},
		{"right, and strict", "", []string{"D ALL=(A) NOPASSWD:SETENV: ALL", "Defaults:D env_reset, secure_path=/bin, use_pty, !visiblepw"}},
	}
	for _, tt := range tests {
		t.Run(strings.ReplaceAll(tt.name, " ", "_"), func(t *testing.T) {
			if os.Getuid() == 0 {
				p.Rules(t, tt.rules...)
				p.Reexec(t)
				return
			}
			id, err := Resolve(t.Context(), process.Runner{}, p.Agent.Name)
			if tt.problem == "" {
				if err != nil || id.Name() != p.Agent.Name || id.Home() != p.Agent.Home || !id.Isolated() {
					t.Errorf("%+v, %v", id, err)
				}
				return
			}
			fix := p.Dispatcher.Name + " ALL=(" + p.Agent.Name + ") NOPASSWD:SETENV: ALL"
			kind := NoRule
			if tt.name == "a terminal" {
				kind, fix = NoSudo, "requiretty"
			}
			refused(t, err, kind, tt.problem, fix)
		})
	}
}

// TestResolveWithOtherSudos runs programs that answer as sudo-rs and broken hosts do (H4-02).
func TestResolveWithOtherSudos(t *testing.T) {
	p := hostuser.Get(t)
	tests := []struct {
		name, script string
		kind         SetupKind
		problem, fix string
	}{
		{"sudo-rs, interactive", `echo 'sudo: interactive authentication is required' >&2; exit 1`, NoRule, "does not let", "NOPASSWD:SETENV"},
		{"sudo-rs, no rule", `echo "sudo: I'm sorry x. I'm afraid I can't do that" >&2; exit 1`, NoRule, "does not let", "NOPASSWD:SETENV"},
		{"refuses variables in words of its own", `case "$*" in *preserve-env*) echo nope >&2; exit 1;; esac; exit 0`, NoRule, "needs SETENV", "SETENV"},
		{"drops variables", `while [ "$1" != -- ]; do shift; done; shift; unset AI_FLOW_PROBE; exec setpriv --reuid UID --clear-groups "$@"`, NoRule, "dropped the variable", "SETENV"},
		{"runs as somebody else", `while [ "$1" != -- ]; do shift; done; shift; exec "$@"`, NoSudo, "ran a command as user", "--version"},
		{"under no_new_privs", `echo 'sudo: The "no new privileges" flag is set, which prevents sudo from running as root.' >&2; exit 1`, NoSudo, "no_new_privs", "no-new-privileges"},
		{"on nosuid", `echo "sudo: effective uid is not 0, is sudo on a file system with the 'nosuid' option set?" >&2; exit 1`, NoSudo, "not set up", "reinstall"},
		{"not setuid", `echo 'sudo: /usr/bin/sudo must be owned by uid 0 and have the setuid bit set' >&2; exit 1`, NoSudo, "not set up", "reinstall"},
		{"expired account", `echo 'sudo: account validation failure, is your account locked?' >&2; exit 1`, BadUser, "expired", p.Agent.Name},
		{"noisy", `head -c 100000 /dev/zero | tr '\0' '\033' >&2; exit 1`, NoRule, "does not let", "SETENV"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			fake := filepath.Join(t.TempDir(), "sudo")
			uid := strings.NewReplacer("UID", p.Agent.Name)
			if err := os.WriteFile(fake, []byte("#!/bin/sh\ncase \"$*\" in *' -E'*) exit 99;; esac\n"+uid.Replace(tt.script)+"\n"), 0o755); err != nil {
				t.Fatal(err)
			}
			_, err := resolve(t.Context(), process.Runner{}, p.Agent.Name, []string{fake}, nil)
			refused(t, err, tt.kind, tt.problem, tt.fix)
			if err != nil && (len(err.Error()) > 3000 || strings.ContainsRune(err.Error(), '\x1b')) {
				t.Errorf("%d bytes of error", len(err.Error()))
			}
		})
	}
}

// S10: with the boundary off and a key there is no identity.
func TestS10_NoKeyWithoutABoundary(t *testing.T) {
	id, err := Unisolated(true)
	refused(t, err, NoBoundary, "App key", "AI_FLOW_ISOLATION=user")
	if _, err := (&Room{id: id}).Command("/", Environment{}, "/bin/true"); !errors.Is(err, errNobody) {
		t.Errorf("the refused identity runs: %v", err)
	}
	if _, err := Open(t.Context(), process.Runner{}, id, OpenOptions{TempDir: t.TempDir()}); !errors.Is(err, errNobody) {
		t.Errorf("the refused identity opens a room: %v", err)
	}
	if id, err := Unisolated(false); err != nil || id.Isolated() || id.Name() == "" || id.SignalArgv(9, 100) != nil {
		t.Errorf("%+v, %v", id, err)
	}
}
