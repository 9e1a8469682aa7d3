package hostuser

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// EachDispatcher runs f as root, then as the unprivileged dispatcher user in a second process, which is this test
// binary with the same test. It must be called by a top-level test, once, outside of t.Run.
func EachDispatcher(t *testing.T, f func(t *testing.T, p Pair)) {
	t.Helper()
	p := Get(t)
	if os.Getenv(inherited) != "" {
		t.Run("unprivileged", func(t *testing.T) { f(t, p) })
		return
	}
	t.Run("root", func(t *testing.T) { f(t, p) })
	t.Run("unprivileged", func(t *testing.T) { p.Reexec(t) })
}

// Reexec runs the current test again as the dispatcher user and reports as it did. In that process Get returns p.
func (p Pair) Reexec(t *testing.T) {
	t.Helper()
	dir := p.DispatcherDir(t)
	exe := filepath.Join(dir, "test")
	if err := copyExecutable(exe); err != nil {
		t.Fatal(err)
	}
	pair, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	pattern := "^" + strings.ReplaceAll(t.Name(), "/", "$/^") + "$"
	cmd := exec.CommandContext(t.Context(), exe, "-test.run", pattern, "-test.v", "-test.count=1", "-test.timeout=5m")
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + p.Dispatcher.Home, "TMPDIR=" + dir, inherited + "=" + string(pair),
		"AI_FLOW_CI=" + os.Getenv("AI_FLOW_CI"), "GORACE=atexit_sleep_ms=0 " + os.Getenv("GORACE")} // at its end a process with the race detector sleeps for a second
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: p.Dispatcher.Credential()}
	out, err := cmd.CombinedOutput()
	t.Logf("as %s:\n%s", p.Dispatcher.Name, out)
	if err != nil {
		t.Fatalf("as %s: %v", p.Dispatcher.Name, err)
	}
	if bytes.Contains(out, []byte("--- SKIP")) || !bytes.Contains(out, []byte("--- PASS: "+t.Name())) {
		t.Fatalf("as %s the test did not run", p.Dispatcher.Name)
	}
}

// Credential starts a process as the user, with no group but its own.
func (u User) Credential() *syscall.Credential {
	return &syscall.Credential{Uid: uint32(u.UID), Gid: uint32(u.GID), Groups: []uint32{}}
}

// DispatcherDir is a directory of the dispatcher user's, mode 0700, removed at the end of the test. When the test runs
// as root it is made by root and given away.
func (p Pair) DispatcherDir(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp(p.Dispatcher.Home, "test")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	if os.Getuid() == 0 {
		if err := os.Chown(dir, p.Dispatcher.UID, p.Dispatcher.GID); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// copyExecutable is needed because go test builds below a directory that is closed to other users.
func copyExecutable(to string) (err error) {
	from, err := os.Open("/proc/self/exe")
	if err != nil {
		return err
	}
	defer from.Close()
	f, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o755)
	if err != nil {
		return err
	}
	if _, err := io.Copy(f, from); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}
