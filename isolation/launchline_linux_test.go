package isolation_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
	"github.com/d3mlabs/ai-flow/isolation"
	"github.com/d3mlabs/ai-flow/testsupport/hostuser"
)

// What an unprivileged user can take from itself is taken, seen from the inside, and cannot be had back.
func TestTheLaunchLineGivesEverythingUp(t *testing.T) {
	hostuser.EachDispatcher(t, func(t *testing.T, p hostuser.Pair) {
		room := open(t, resolve(t, p), isolation.OpenOptions{})
		got := as(t, room, isolation.Environment{}, `grep -E '^(NoNewPrivs|CapInh|CapPrm|CapEff|CapAmb):' /proc/self/status | tr '\t' ' '; umask
			ulimit -c; ulimit -Hc; ulimit -c unlimited 2>/dev/null && echo core files again; grep 'Max processes' /proc/self/limits; exit 0`)
		none := "0000000000000000"
		want := fmt.Sprintf("CapInh: %[1]s\nCapPrm: %[1]s\nCapEff: %[1]s\nCapAmb: %[1]s\nNoNewPrivs: 1\n0077\n0\n0\n", none)
		rest, ok := strings.CutPrefix(got, want)
		if !ok {
			t.Errorf("got\n%s", got)
		}
		host, err := os.ReadFile("/proc/sys/kernel/pid_max")
		if err != nil {
			t.Fatal(err)
		}
		most, err := strconv.Atoi(strings.TrimSpace(string(host)))
		bound := regexp.MustCompile(`^Max processes +\d+ +(\d+) +processes *$`).FindStringSubmatch(rest)
		if bound == nil || err != nil {
			t.Fatalf("%q, %v", rest, err)
		}
		if n, err := strconv.Atoi(bound[1]); err != nil || n < 100 || n >= most {
			t.Errorf("%d processes, of %d that the host can have: %v", n, most, err)
		}
	})
}

// A setuid program of root's and one with a capability give nothing to an agent. They work for the same user without the line,
// so they are attacks.
func TestSetuidProgramsGiveNothing(t *testing.T) {
	p := hostuser.Get(t)
	dir, err := os.MkdirTemp("/opt", "aift-setuid") // /tmp may be nosuid
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	copied := func(program, to string) string {
		data, err := os.ReadFile(program)
		to = filepath.Join(dir, to)
		if err = errors.Join(err, os.WriteFile(to, data, 0o755), os.Chmod(to, 0o755|os.ModeSetuid)); err != nil {
			t.Fatal(err)
		}
		return to
	}
	secret := filepath.Join(dir, "secret")
	if err := errors.Join(os.WriteFile(secret, []byte("canary"), 0o600), os.Chmod(dir, 0o755)); err != nil {
		t.Fatal(err)
	}
	id, cat := copied("/usr/bin/id", "id"), copied("/bin/cat", "cat")
	script := fmt.Sprintf(`%s; %s %s; sudo -n -l; exit 0`, id, cat, secret)
	plainly, err := exec.Command("/usr/bin/sudo", "-n", "-u", p.Agent.Name, "--", "/bin/sh", "-c", script).Output()
	if err != nil || !strings.Contains(string(plainly), "euid=0(root)") || !strings.Contains(string(plainly), "canary") {
		t.Fatalf("without the line: %q, %v", plainly, err)
	}
	room := open(t, resolve(t, p), isolation.OpenOptions{})
	got := as(t, room, isolation.Environment{}, script)
	if strings.Contains(got, "root") || strings.Contains(got, "canary") || !strings.HasPrefix(got, fmt.Sprintf("uid=%d", p.Agent.UID)) {
		t.Errorf("got %q", got)
	}
}

// bystander is the pid of an agent that waits for ever, with the sudo that leads to it.
type bystander struct {
	cmd   *exec.Cmd
	agent int
}

const waits = "echo $$ up; exec sleep 300"

// start runs an agent, on a terminal or on pipes, from the calling thread, and waits until it is up.
func start(argv, env []string, terminal bool) (bystander, error) {
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Env, cmd.Dir = env, "/"
	out, in, err := os.Pipe()
	if terminal {
		out, in, err = pty.Open()
	}
	if err != nil {
		return bystander{}, err
	}
	cmd.Stdout, cmd.SysProcAttr = in, &syscall.SysProcAttr{Setsid: true}
	if terminal {
		cmd.Stdin, cmd.Stderr, cmd.SysProcAttr.Setctty = in, in, true
	}
	if err := cmd.Start(); err != nil {
		return bystander{}, err
	}
	line := make(chan string, 1)
	go func() {
		s, _ := bufio.NewReader(out).ReadString('\n')
		line <- s
	}()
	select {
	case s := <-line:
		pid, err := strconv.Atoi(strings.TrimSuffix(strings.TrimSpace(s), " up"))
		return bystander{cmd, pid}, err
	case <-time.After(20 * time.Second):
		return bystander{cmd, 0}, errors.New("the agent is not up")
	}
}

// gone waits until a process is no more, or is a zombie.
func gone(pid int, within time.Duration) bool {
	for end := time.Now().Add(within); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil || strings.Contains(string(text), ") Z ") {
			return true
		}
	}
	return false
}

// sudoers are the ways in which sudo stands between: it waits, it has a process of its own on a terminal, it becomes the command.
var sudoers = []struct {
	name, rule     string
	terminal, away bool
}{
	{"pipes", "Defaults>A pam_session", false, false},
	{"use_pty, pipes", "Defaults>A use_pty", false, false},
	{"use_pty, terminal", "Defaults>A use_pty", true, false},
	{"steps away", "Defaults>A !pam_session, !pam_setcred, !use_pty", false, true},
}

// The agent goes with the sudo that leads to it, which cannot relay a SIGKILL. Where sudo becomes the command, there is none.
func TestKillingSudoEndsTheAgent(t *testing.T) {
	p := hostuser.Get(t)
	for _, tt := range sudoers {
		t.Run(tt.name, func(t *testing.T) {
			p.Rules(t, "D ALL=(A) NOPASSWD:SETENV: ALL", tt.rule)
			room := open(t, resolve(t, p), isolation.OpenOptions{})
			inv, err := room.Command("/", isolation.Environment{}, "/bin/sh", "-c", waits)
			if err != nil {
				t.Fatal(err)
			}
			line := strings.Join(inv.Argv, " ")
			if asked := strings.Contains(line, "--pdeathsig=KILL"); asked == tt.away {
				t.Fatalf("the line is %s", line)
			}
			b, err := start(inv.Argv, inv.Env, tt.terminal)
			if err != nil {
				t.Fatal(err)
			}
			if (b.agent == b.cmd.Process.Pid) != tt.away {
				t.Errorf("sudo is %d, the agent %d", b.cmd.Process.Pid, b.agent)
			}
			if err := b.cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			b.cmd.Wait() // killed, as it says
			if !gone(b.agent, 5*time.Second) {
				t.Error("sudo is gone, and the agent is not")
			}
		})
	}
	t.Run("without the line", func(t *testing.T) { // so that it is the line that does it
		id := resolve(t, p)
		open(t, id, isolation.OpenOptions{}) // sweeps what this leaves
		b, err := start([]string{"/usr/bin/sudo", "-n", "-u", p.Agent.Name, "--", "/bin/sh", "-c", waits}, []string{"PATH=/usr/bin:/bin"}, false)
		if err != nil {
			t.Fatal(err)
		}
		b.cmd.Process.Kill()
		b.cmd.Wait()
		if gone(b.agent, 200*time.Millisecond) {
			t.Error("the agent goes with sudo in any case: these tests show nothing")
		}
	})
}

// onDyingThread runs f on a thread that ends with it.
func onDyingThread(f func()) {
	done := make(chan int)
	go func() {
		runtime.LockOSThread() // never unlocked: the thread ends with the goroutine, unless it is the main one
		if syscall.Gettid() == syscall.Getpid() {
			onDyingThread(f)
			runtime.UnlockOSThread()
			done <- 0
			return
		}
		f()
		done <- syscall.Gettid()
	}()
	tid := <-done
	for range 1000 {
		if _, err := os.Stat(fmt.Sprintf("/proc/self/task/%d", tid)); err != nil {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	panic("the thread did not end")
}

// PR_SET_PDEATHSIG goes by the thread that made the process. The end of one of ours must end no agent.
func TestTheEndOfAThreadEndsNoAgent(t *testing.T) {
	p := hostuser.Get(t)
	for _, tt := range sudoers {
		t.Run(tt.name, func(t *testing.T) {
			p.Rules(t, "D ALL=(A) NOPASSWD:SETENV: ALL", tt.rule)
			room := open(t, resolve(t, p), isolation.OpenOptions{})
			inv, err := room.Command("/", isolation.Environment{}, "/bin/sh", "-c", waits)
			if err != nil {
				t.Fatal(err)
			}
			var b bystander
			onDyingThread(func() { b, err = start(inv.Argv, inv.Env, tt.terminal) })
			if err != nil {
				t.Fatal(err)
			}
			if gone(b.agent, 200*time.Millisecond) {
				t.Error("the agent went with a thread of ours")
			}
			if _, err := room.Sweep(context.WithoutCancel(t.Context())); err != nil {
				t.Error(err)
			}
			b.cmd.Wait()
			if !tt.away {
				return
			}
			// Such a sudo with the option is the mistake that is avoided.
			wrong := strings.Split(strings.Replace(strings.Join(inv.Argv, "\x00"), "--no-new-privs", "--no-new-privs\x00--pdeathsig=KILL", 1), "\x00")
			onDyingThread(func() { b, err = start(wrong, inv.Env, false) })
			if err != nil || !gone(b.agent, 5*time.Second) {
				t.Errorf("with the option it would have stayed too: %v", err)
			}
			b.cmd.Wait()
		})
	}
}
