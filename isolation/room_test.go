package isolation_test

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/d3mlabs/ai-flow/isolation"
	"github.com/d3mlabs/ai-flow/testsupport"
	"github.com/d3mlabs/ai-flow/testsupport/hostuser"
)

// One agent user serves one run at a time; a second run waits and says for whom.
func TestASecondRunWaits(t *testing.T) {
	hostuser.EachDispatcher(t, func(t *testing.T, p hostuser.Pair) {
		id, state := resolve(t, p), t.TempDir()+"/state"
		first := open(t, id, isolation.OpenOptions{StateDir: state})

		ctx, cancel := context.WithTimeoutCause(t.Context(), 300*time.Millisecond, errors.New("the job was cancelled"))
		defer cancel()
		if _, err := isolation.Open(ctx, runner, id, isolation.OpenOptions{StateDir: state}); err == nil || !strings.Contains(err.Error(), "the job was cancelled") {
			t.Errorf("a cancelled wait: %v", err)
		}

		waiting := make(chan string, 9)
		opened := make(chan error, 1)
		go func() {
			room, err := isolation.Open(t.Context(), runner, id, isolation.OpenOptions{StateDir: state, Waiting: func(who string) { waiting <- who }})
			if err == nil {
				err = room.Close(t.Context())
			}
			opened <- err
		}()
		if who := <-waiting; !strings.HasPrefix(who, "process ") || !strings.Contains(who, " since 20") {
			t.Errorf("waiting for %q", who)
		}
		select {
		case err := <-opened:
			t.Fatalf("it did not wait: %v", err)
		case <-time.After(300 * time.Millisecond):
		}
		if err := first.Close(t.Context()); err != nil {
			t.Error(err)
		}
		if err := <-opened; err != nil {
			t.Error(err)
		}
		if len(waiting) != 0 {
			t.Error("told more than once")
		}
	})
}

// Whatever ends a dispatcher ends its lock.
func TestTheLockDiesWithItsHolder(t *testing.T) {
	flock, err := exec.LookPath("flock")
	testsupport.Need(t, err == nil, "flock", "sudo apt-get install -y util-linux")
	p := hostuser.Get(t)
	id, state := resolve(t, p), t.TempDir()+"/state"
	if err := open(t, id, isolation.OpenOptions{StateDir: state}).Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	holder := exec.Command(flock, filepath.Join(state, p.Agent.Name+".lock"), "sleep", "60")
	holder.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := holder.Start(); err != nil {
		t.Fatal(err)
	}
	waited := false
	kill := func(string) {
		waited = true
		syscall.Kill(-holder.Process.Pid, syscall.SIGKILL)
	}
	time.Sleep(100 * time.Millisecond)
	open(t, id, isolation.OpenOptions{StateDir: state, Waiting: kill})
	if !waited {
		t.Error("it did not wait")
		kill("")
	}
	holder.Wait()
}

func TestStateDirMustBePrivate(t *testing.T) {
	p := hostuser.Get(t)
	id := resolve(t, p)
	wide, foreign, file, link := t.TempDir()+"/wide", p.DispatcherDir(t), t.TempDir()+"/file", t.TempDir()+"/link"
	if err := errors.Join(os.Mkdir(wide, 0o755), os.WriteFile(file, nil, 0o600), os.Symlink(t.TempDir(), link)); err != nil {
		t.Fatal(err)
	}
	for dir, says := range map[string]string{wide: "chmod 0700", foreign: "another user", file: "directory", link: "not a directory", "relative": "not an absolute path", "": "not an absolute path"} {
		room, err := isolation.Open(t.Context(), runner, id, isolation.OpenOptions{StateDir: dir})
		if err == nil {
			t.Errorf("%q was taken", dir)
			room.Close(t.Context())
			continue
		}
		text := err.Error()
		if s := (*isolation.SetupError)(nil); errors.As(err, &s) {
			text += s.Fix
		}
		if !strings.Contains(text, says) {
			t.Errorf("%q: %s", dir, text)
		}
	}
	planted := t.TempDir()
	os.Chmod(planted, 0o700)
	target := filepath.Join(t.TempDir(), "target")
	if err := os.Symlink(target, filepath.Join(planted, p.Agent.Name+".lock")); err != nil {
		t.Fatal(err)
	}
	if _, err := isolation.Open(t.Context(), runner, id, isolation.OpenOptions{StateDir: planted}); err == nil {
		t.Error("a link was taken for the lock")
	}
}

// F-12: whatever the agent left, in whatever modes, is gone after Close; and nothing of it is where we looked.
func TestCloseRemovesWhateverIsThere(t *testing.T) {
	hostuser.EachDispatcher(t, func(t *testing.T, p hostuser.Pair) {
		room := open(t, resolve(t, p), isolation.OpenOptions{})
		outside := as(t, room, isolation.Environment{}, `mktemp -p /var/tmp`)
		as(t, room, isolation.Environment{}, `mkdir -p tree/a/b/c; touch -- tree/a/b/c/f "-rf" "a
b" tmp/x; mkfifo tree/fifo; ln -s "$1" tree/link; ln -s / tree/root; ln -s "$PWD" tree/self
			chmod 000 tree/a/b/c/f tree/a/b/c tree/a/b tree/a tree bin xdg; chmod 500 .`, outside)
		dir := room.Path()
		if err := room.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := room.Close(t.Context()); err != nil {
			t.Errorf("a second Close: %v", err)
		}
		after := open(t, resolve(t, p), isolation.OpenOptions{})
		if out := as(t, after, isolation.Environment{}, `[ -e "$1" ] && echo the room; [ -e "$2" ] || echo what a link pointed to; rm -f "$2"`, dir, outside); out != "" {
			t.Errorf("there or gone: %s", out)
		}
	})
}

// When nothing works any more, Close says each thing that went wrong and gives the lock back all the same.
func TestCloseNeverLeavesTheLock(t *testing.T) {
	p := hostuser.Get(t)
	id, state := resolve(t, p), t.TempDir()+"/state"
	r := &refusing{}
	room, err := isolation.Open(t.Context(), r, id, isolation.OpenOptions{StateDir: state})
	if err != nil {
		t.Fatal(err)
	}
	r.on = true
	if err := room.Close(t.Context()); err == nil || !strings.Contains(err.Error(), "removing the run's directory") {
		t.Errorf("got %v", err)
	}
	if err := open(t, id, isolation.OpenOptions{StateDir: state, Waiting: func(string) { t.Error("it waits") }}).Close(t.Context()); err != nil {
		t.Error(err)
	}
	r.on = true
	if _, err := isolation.Open(t.Context(), r, id, isolation.OpenOptions{StateDir: state}); err == nil {
		t.Error("opened through a sudo that refuses")
	}
	open(t, id, isolation.OpenOptions{StateDir: state, Waiting: func(string) { t.Error("it waits") }})
}

// A home that is missing or closed is no reason not to work: /var/tmp then, as closed as the home would be.
func TestRoomWithoutAHome(t *testing.T) {
	p := hostuser.Get(t)
	id := resolve(t, p)
	if err := os.Chmod(p.Agent.Home, 0); err != nil {
		t.Fatal(err)
	}
	defer os.Chmod(p.Agent.Home, 0o700)
	if err := os.Chown(p.Agent.Home, 0, 0); err != nil {
		t.Fatal(err)
	}
	defer os.Chown(p.Agent.Home, p.Agent.UID, p.Agent.GID)
	room := open(t, id, isolation.OpenOptions{})
	if !strings.HasPrefix(room.Path(), "/var/tmp/ai-flow-run-") {
		t.Errorf("the room is %s", room.Path())
	}
	if out := as(t, room, isolation.Environment{}, `stat -c %a .; echo "$HOME"; mkdir ~/go && echo ok`); out != "700\n"+room.Home()+"\nok" {
		t.Errorf("got %q", out)
	}
}

// What a killed run left and cannot be removed is told with its place; nothing new is made, the lock is free.
func TestOpenTellsWhatItCannotRemove(t *testing.T) {
	p := hostuser.Get(t)
	id, state := resolve(t, p), t.TempDir()+"/state"
	stuck := p.Agent.Home + "/.ai-flow/ai-flow-run-stuck"
	if err := os.MkdirAll(stuck+"/of-root/x", 0o755); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{filepath.Dir(stuck), stuck} {
		if err := os.Chown(dir, p.Agent.UID, p.Agent.GID); err != nil {
			t.Fatal(err)
		}
	}
	var setup *isolation.SetupError
	if _, err := isolation.Open(t.Context(), runner, id, isolation.OpenOptions{StateDir: state}); !errors.As(err, &setup) || !strings.Contains(setup.Problem, "of-root") {
		t.Errorf("got %v", err)
	}
	if names, err := os.ReadDir(filepath.Dir(stuck)); err != nil || len(names) != 1 {
		t.Errorf("made %v, %v", names, err)
	}
	if err := os.RemoveAll(stuck); err != nil {
		t.Fatal(err)
	}
	open(t, id, isolation.OpenOptions{StateDir: state, Waiting: func(string) { t.Error("it waits") }})
}

func TestFilesCrossByPipeOnly(t *testing.T) {
	hostuser.EachDispatcher(t, func(t *testing.T, p hostuser.Pair) {
		room := open(t, resolve(t, p), isolation.OpenOptions{})
		ctx := t.Context()
		data := []byte("all\x00bytes\r\n\xff" + strings.Repeat("x", 3<<20))
		for _, name := range []string{"a", "deep/er/b", "-rf", "sp ace\n$(id)"} {
			if err := room.WriteFile(ctx, name, data); err != nil {
				t.Fatalf("%q: %v", name, err)
			}
			if got, err := room.ReadFile(ctx, name, int64(len(data))); err != nil || string(got) != string(data) {
				t.Errorf("%q came back with %d bytes, %v", name, len(got), err)
			}
		}
		if got, err := room.ReadFile(ctx, room.Path("a"), int64(len(data))); err != nil || len(got) != len(data) {
			t.Errorf("by its whole path: %d, %v", len(got), err)
		}
		for _, name := range []string{"", "../x", "a/../../x", "dir/", "x\x00y"} {
			if err := room.WriteFile(ctx, name, nil); err == nil {
				t.Errorf("wrote %q", name)
			}
		}
		path, err := room.Install(ctx, "tool", strings.NewReader("#!/bin/sh\necho runs as $(id -un)\n"))
		if err != nil || path != room.Path("bin/tool") {
			t.Errorf("%q, %v", path, err)
		}
		if out := as(t, room, isolation.Environment{}, `"$1"`, path); out != "runs as "+p.Agent.Name {
			t.Errorf("got %q", out)
		}
		for _, name := range []string{"", ".", "..", "a/b", "/x"} {
			if _, err := room.Install(ctx, name, strings.NewReader("")); err == nil {
				t.Errorf("installed %q", name)
			}
		}
	})
}

// F-03: the dispatcher follows no link of the agent's, waits for no FIFO and reads no more than it asked for.
func TestReadFileRefuses(t *testing.T) {
	hostuser.EachDispatcher(t, func(t *testing.T, p hostuser.Pair) {
		room := open(t, resolve(t, p), isolation.OpenOptions{})
		secret := filepath.Join(p.DispatcherDir(t), "secret")
		if err := os.WriteFile(secret, []byte("canary"), 0o600); err != nil {
			t.Fatal(err)
		}
		as(t, room, isolation.Environment{}, `ln -s "$1" link; ln -s nowhere dangling; ln -s /dev/zero zero; mkfifo fifo; mkdir dir
			head -c 1001 /dev/zero >big; truncate -s 1T sparse; echo x >closed; chmod 0 closed; ln -s "${1%/*}" linkdir
			python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind("socket")' 2>/dev/null || mkfifo socket`, secret)
		for name, says := range map[string]string{"link": "is a link", "dangling": "is a link", "zero": "is a link", "fifo": "not a regular file", "dir": "not a regular file",
			"socket": "not a regular file", "/dev/zero": "not a regular file", "big": "more than 1000 bytes", "sparse": "more than 1000 bytes", "closed": "Permission denied",
			"linkdir/secret": "not exist", "missing": "not exist", "/proc/1/environ": "Permission denied"} {
			began := time.Now()
			data, err := room.ReadFile(t.Context(), name, 1000)
			if err == nil || !strings.Contains(err.Error(), says) || strings.Contains(string(data), "canary") {
				t.Errorf("%s: %q, %v", name, data, err)
			}
			if took := time.Since(began); took > 8*time.Second {
				t.Errorf("%s took %v", name, took)
			}
		}
		if _, err := room.ReadFile(t.Context(), "missing", 10); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("missing: %v", err)
		}
	})
}

// What stood under a name is replaced, not written through.
func TestWriteFileFollowsNoLink(t *testing.T) {
	p := hostuser.Get(t)
	room := open(t, resolve(t, p), isolation.OpenOptions{})
	as(t, room, isolation.Environment{}, `echo kept >victim; ln -s victim link; mkfifo fifo`)
	for _, name := range []string{"link", "fifo", "victim"} {
		if err := room.WriteFile(t.Context(), name, []byte("new")); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if name == "link" {
			if got, err := room.ReadFile(t.Context(), "victim", 100); string(got) != "kept\n" {
				t.Errorf("written through: %q, %v", got, err)
			}
		}
		if got, err := room.ReadFile(t.Context(), name, 100); string(got) != "new" {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}

// H4-07: what cannot be entered is found before the agent starts, by its name.
func TestReach(t *testing.T) {
	hostuser.EachDispatcher(t, func(t *testing.T, p hostuser.Pair) {
		room := open(t, resolve(t, p), isolation.OpenOptions{})
		private := p.DispatcherDir(t)
		if err := os.MkdirAll(private+"/work/tree", 0o755); err != nil {
			t.Fatal(err)
		}
		for dir, says := range map[string]string{
			private + "/work/tree": `cannot enter "` + p.Dispatcher.Home + `" (part of "` + private + `/work/tree")`,
			"/usr/nonexistent/x":   `there is no "/usr/nonexistent"`, "/etc/passwd/x": `cannot enter "/etc/passwd"`, "relative": "absolute"} {
			if err := room.Reach(t.Context(), dir); err == nil || !strings.Contains(err.Error(), says) {
				t.Errorf("%s: %v", dir, err)
			}
		}
		for _, dir := range []string{"/", "/usr/bin", room.Path(), room.Path() + "/"} {
			if err := room.Reach(t.Context(), dir); err != nil {
				t.Errorf("%s: %v", dir, err)
			}
		}
	})
}

func TestCommandRefuses(t *testing.T) {
	id, err := isolation.Unisolated(false)
	if err != nil {
		t.Fatal(err)
	}
	room := open(t, id, isolation.OpenOptions{})
	if room.Path() == "" || strings.HasPrefix(room.Path("x"), "/home") {
		t.Errorf("the room is %q", room.Path())
	}
	for name, try := range map[string]func() error{
		"no program":      func() error { _, err := room.Command("/", isolation.Environment{}); return err },
		"an option":       func() error { _, err := room.Command("/", isolation.Environment{}, "-u"); return err },
		"a relative dir":  func() error { _, err := room.Command("x", isolation.Environment{}, "/bin/true"); return err },
		"a NUL byte":      func() error { _, err := room.Command("/", isolation.Environment{}, "/bin/true", "\x00"); return err },
		"a relative PATH": func() error { _, err := room.Command("/", isolation.Environment{Path: "."}, "/bin/true"); return err },
	} {
		if err := try(); err == nil {
			t.Errorf("%s was taken", name)
		}
	}
	inv, err := room.Command("/", isolation.Environment{Set: map[string]string{"TOKEN": "canary"}}, "/bin/true")
	if err != nil || strings.Contains(strings.Join(inv.Argv, " "), "canary") {
		t.Errorf("a value is on the command line: %q, %v", inv.Argv, err)
	}

}

// A run leaves no file: not in the home, not in the state directory but the lock, which stays.
func TestManyRoomsLeaveNothing(t *testing.T) {
	hostuser.EachDispatcher(t, func(t *testing.T, p hostuser.Pair) {
		rooms := 5
		if os.Getenv("AI_FLOW_CI") == "1" {
			rooms = 50
		}
		id, state := resolve(t, p), t.TempDir()+"/state"
		look := func() string {
			room := open(t, id, isolation.OpenOptions{StateDir: state})
			out := as(t, room, isolation.Environment{}, `find "$1" -path "$PWD" -prune -o -print; find /tmp /var/tmp -user "$USER"`, p.Agent.Home)
			if err := room.Close(t.Context()); err != nil {
				t.Error(err)
			}
			return out
		}
		before, fds := look(), descriptors(t)
		for range rooms {
			room := open(t, id, isolation.OpenOptions{StateDir: state})
			as(t, room, isolation.Environment{}, `touch "$TMPDIR/x" "$XDG_CACHE_HOME/y" ~/z; sleep 60 >/dev/null 2>&1 &`)
			if err := room.Close(t.Context()); err != nil {
				t.Error(err)
			}
		}
		if after := look(); after != before {
			t.Errorf("before:\n%s\nafter:\n%s", before, after)
		}
		if now := descriptors(t); now > fds {
			t.Errorf("%d descriptors became %d", fds, now)
		}
		names, err := os.ReadDir(state)
		if err != nil || len(names) != 1 {
			t.Errorf("state directory: %v, %v", names, err)
		}
	})
}

func descriptors(t *testing.T) int {
	t.Helper()
	names, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(names)
}

// BenchmarkCommand is the launch line around /bin/true; BenchmarkBareSudo is what it is compared with:
//
//	go test ./isolation -run '^$' -bench 'Command|BareSudo' -count 6
func BenchmarkCommand(b *testing.B) {
	room := open(b, resolve(b, hostuser.Get(b)), isolation.OpenOptions{})
	for b.Loop() {
		inv, err := room.Command("/", isolation.Environment{}, "/bin/true")
		if err != nil {
			b.Fatal(err)
		}
		bench(b, inv.Argv, inv.Env)
	}
}

func BenchmarkBareSudo(b *testing.B) {
	id := resolve(b, hostuser.Get(b))
	for b.Loop() {
		bench(b, []string{"/usr/bin/sudo", "-n", "-u", id.Name(), "--", "/bin/true"}, []string{})
	}
}

func BenchmarkRoom(b *testing.B) {
	id, state := resolve(b, hostuser.Get(b)), b.TempDir()+"/state"
	for b.Loop() {
		if err := open(b, id, isolation.OpenOptions{StateDir: state}).Close(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
}

func bench(b *testing.B, argv, env []string) {
	if _, said, code, err := runner.Run(b.Context(), argv, env, io.LimitReader(nil, 0)); err != nil || code != 0 {
		b.Fatalf("%d %s %v", code, said, err)
	}
}
