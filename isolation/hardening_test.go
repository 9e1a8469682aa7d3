package isolation

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/d3mlabs/ai-flow/executor/process"
	"github.com/d3mlabs/ai-flow/testsupport"
	"github.com/d3mlabs/ai-flow/testsupport/hostuser"
)

// The signal at the parent's end is asked for only where sudo is the parent, and nothing that the probe says becomes a word of
// the line but what is ours.
func TestHardenTakesWhatWorks(t *testing.T) {
	all := strings.Join(hardening[:], " ")
	for _, tt := range []struct{ works, parent, want string }{
		{all, "sudo", all},
		{all, "ai-flow", strings.TrimSuffix(all, " "+parentDeath)},
		{all, "", strings.TrimSuffix(all, " "+parentDeath)},
		{"--inh-caps=-all --no-new-privs", "sudo", "--no-new-privs --inh-caps=-all"},
		{"", "sudo", "--no-new-privs"},
		{"--reuid=0 -- /bin/evil " + parentDeath, "sudo", "--no-new-privs " + parentDeath},
	} {
		if got := (Identity{options: "--stale"}).harden(tt.works, tt.parent).options; got != tt.want {
			t.Errorf("of %q below %q: %q, want %q", tt.works, tt.parent, got, tt.want)
		}
	}
}

// A setpriv without an option must not break the launch: busybox's knows only the first, old ones of util-linux all but the last.
func TestProbeFindsTheOptionsThatWork(t *testing.T) {
	p := hostuser.Get(t)
	testsupport.Tools(t, "busybox", "setpriv", "bash", "dash")
	for _, tt := range []struct{ name, script, want string }{
		{"all", `exec setpriv "$@"`, strings.Join(hardening[:], " ")},
		{"busybox", `exec busybox setpriv "$@"`, "--no-new-privs"},
		{"old", `case "$*" in *pdeathsig*) exit 1;; esac; exec setpriv "$@"`, "--no-new-privs --ambient-caps=-all --inh-caps=-all"},
		{"not both", `case "$*" in *inh*pdeathsig*) exit 1;; esac; exec setpriv "$@"`, "--no-new-privs --ambient-caps=-all --inh-caps=-all"},
	} {
		for _, shell := range [][]string{{"dash"}, {"bash"}, {"busybox", "sh"}} {
			setpriv := filepath.Join(t.TempDir(), "setpriv")
			if err := os.WriteFile(setpriv, []byte("#!/bin/sh\n"+tt.script+"\n"), 0o755); err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command(shell[0], append(append(shell[1:], "-c", probeScript, "ai-flow", setpriv), hardening[:]...)...)
			out, err := cmd.CombinedOutput()
			says := lookups(strings.Split(string(out), "\n"))
			if got := strings.TrimSpace(says["works"]); err != nil || got != tt.want || says["parent"] == "" {
				t.Errorf("%s in %s: %v, %q, want %q", tt.name, shell[0], err, out, tt.want)
			}
		}
		if tt.name != "busybox" {
			continue
		}
		// The whole way, with a setpriv that knows less.
		wrapper := filepath.Join(t.TempDir(), "setpriv")
		if err := os.WriteFile(wrapper, []byte("#!/bin/sh\n"+tt.script+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		for _, dir := range []string{filepath.Dir(wrapper), filepath.Dir(filepath.Dir(wrapper))} {
			if err := os.Chmod(dir, 0o711); err != nil {
				t.Fatal(err)
			}
		}
		id, err := resolve(t.Context(), process.Runner{}, p.Agent.Name, sudoPlaces(), []string{wrapper})
		if err != nil || id.options != tt.want {
			t.Fatalf("%q, %v", id.options, err)
		}
		out, _, a, err := id.script(t.Context(), process.Runner{}, readTime, nil, `grep NoNewPrivs /proc/self/status`)
		if err != nil || a != answerOK || string(out) != "NoNewPrivs:\t1\n" {
			t.Errorf("with a setpriv that knows less: %q, %d, %v", out, a, err)
		}
	}
}

// S1: an agent can trace what runs as its user, and become it; so no script of ours runs with more than the agent has.
func TestScriptsRunHardened(t *testing.T) {
	hostuser.EachDispatcher(t, func(t *testing.T, p hostuser.Pair) {
		id, err := Resolve(t.Context(), process.Runner{}, p.Agent.Name)
		if err != nil {
			t.Fatal(err)
		}
		out, _, a, err := id.script(t.Context(), process.Runner{}, readTime, nil, `grep NoNewPrivs /proc/$$/status`)
		if err != nil || a != answerOK || string(out) != "NoNewPrivs:\t1\n" {
			t.Errorf("%q, %d, %v", out, a, err)
		}
	})
}

// The bound of processes is said in each shell's own way, raises nothing, and is none where the shell knows no such limit.
func TestLaunchScriptBoundsProcesses(t *testing.T) {
	p := hostuser.Get(t)
	const limits = `grep -E 'Max (processes|core)' /proc/self/limits | tr -s ' ' | cut -d' ' -f3-6`
	for name, shell := range shells(t) {
		for _, tt := range []struct{ before, bound, want string }{
			{"ulimit -Sp 500; ulimit -Hp 9000", "700", "500 700"},
			{"ulimit -Sp 800; ulimit -Hp 9000", "700", "700 700"},
			{"ulimit -Sp 500; ulimit -Hp 600", "700", "500 600"},
			{"ulimit -Sp 500; ulimit -Hp 600", "", "500 600"},
		} {
			args := append(append([]string{"-c", "ulimit -c unlimited; " + tt.before + `; exec "$@"`, "sh"}, shell...), "-c", launchScript, "ai-flow", tt.bound, "/", "PATH", "--", "/bin/sh", "-c", limits)
			cmd := exec.Command("dash", args...)
			cmd.SysProcAttr = &syscall.SysProcAttr{Credential: p.Agent.Credential()}
			out, err := cmd.CombinedOutput()
			lines := strings.Split(string(out), "\n")
			if err != nil || len(lines) != 3 || !strings.HasPrefix(lines[1], tt.want+" ") && !strings.HasPrefix(lines[0], tt.want+" ") || !strings.Contains(string(out), "size 0 0") {
				t.Errorf("%s, %s with a bound of %q: %q, %v", name, tt.before, tt.bound, out, err)
			}
		}
	}
}

// A core file would hold the provider's key. Sudo 1.9 sees to it by itself, others may not: so the script runs without one here.
func TestNoCoreFileIsWritten(t *testing.T) {
	p := hostuser.Get(t)
	const crash = `cd "$1" && sh -c 'kill -SEGV $$' 2>/dev/null; ls`
	pattern, err := os.ReadFile("/proc/sys/kernel/core_pattern")
	if err != nil {
		t.Fatal(err)
	}
	elsewhere := strings.ContainsAny(string(pattern), "|/")
	for name, shell := range shells(t) {
		dir := filepath.Join(p.Agent.Home, "crash")
		if out, err := exec.Command("install", "-d", "-o", p.Agent.Name, dir).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		run := func(argv ...string) string {
			cmd := exec.Command("dash", append([]string{"-c", `ulimit -c unlimited; exec "$@"`, "dash"}, argv...)...)
			cmd.SysProcAttr = &syscall.SysProcAttr{Credential: p.Agent.Credential()}
			out, err := cmd.Output()
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
			return string(out)
		}
		if got := run(append(shell, "-c", launchScript, "ai-flow", "", "/", "PATH", "--", "/bin/sh", "-c", crash, "sh", dir)...); got != "" {
			t.Errorf("%s left %q", name, got)
		}
		if got := run("/bin/sh", "-c", crash, "sh", dir); !elsewhere && !strings.Contains(got, "core") {
			t.Errorf("without the script there is no core file either: %q", got)
		}
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	}
}

// BenchmarkLaunchLine is what the whole line costs beside a bare sudo; compare the two.
func BenchmarkLaunchLine(b *testing.B) {
	p := hostuser.Get(b)
	id, err := Resolve(b.Context(), process.Runner{}, p.Agent.Name)
	if err != nil {
		b.Fatal(err)
	}
	room, err := Open(b.Context(), process.Runner{}, id, OpenOptions{StateDir: b.TempDir() + "/state"})
	if err != nil {
		b.Fatal(err)
	}
	defer room.Close(context.Background())
	line, err := room.Command(room.Path(), Environment{}, "/bin/true")
	if err != nil {
		b.Fatal(err)
	}
	for name, argv := range map[string][]string{"whole": line.Argv, "bare": id.as("/bin/true")} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, said, code, err := (process.Runner{}).Run(b.Context(), argv, line.Env, nil); err != nil || code != 0 {
					b.Fatalf("%d, %v, %s", code, err, said)
				}
			}
		})
	}
}
