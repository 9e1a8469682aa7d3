package pinned

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/d3mlabs/ai-flow/testsupport"
)

// copyOf puts bytes into a directory of its own and returns the copy that they are right for.
func copyOf(t testing.TB, data []byte) *Copy {
	t.Helper()
	path := filepath.Join(t.TempDir(), "agent")
	if err := os.WriteFile(path, data, 0o755); err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(data)
	return &Copy{Agent: "acme", Version: "1.2.3", Pinned: true, Path: path, SHA256: hex.EncodeToString(sum[:]), Size: int64(len(data))}
}

var someBytes = bytes.Repeat([]byte("some bytes"), 1<<15)

func TestOpenRefuses(t *testing.T) { // A2-6
	must := func(t *testing.T, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		name string
		root bool
		do   func(t *testing.T, c *Copy)
		says string
	}{
		{"one byte more", false, func(t *testing.T, c *Copy) { must(t, os.WriteFile(c.Path, append(bytes.Clone(someBytes), 0), 0o755)) }, "are right"},
		{"one byte less", false, func(t *testing.T, c *Copy) { must(t, os.Truncate(c.Path, c.Size-1)) }, "are right"},
		{"not executable", false, func(t *testing.T, c *Copy) { must(t, os.Chmod(c.Path, 0o644)) }, "the mode"},
		{"setuid", false, func(t *testing.T, c *Copy) { must(t, os.Chmod(c.Path, 0o755|os.ModeSetuid)) }, "the mode"},
		{"writable by its group", false, func(t *testing.T, c *Copy) { must(t, os.Chmod(c.Path, 0o775)) }, "written by others"},
		{"writable by all", false, func(t *testing.T, c *Copy) { must(t, os.Chmod(c.Path, 0o757)) }, "written by others"},
		{"in a directory that its group may write", false, func(t *testing.T, c *Copy) { must(t, os.Chmod(filepath.Dir(c.Path), 0o775)) }, "written by others"},
		{"below a directory that all may write", false, func(t *testing.T, c *Copy) { must(t, os.Chmod(filepath.Dir(filepath.Dir(c.Path)), 0o777)) }, "written by others"},
		{"somebody else's", true, func(t *testing.T, c *Copy) { must(t, os.Chown(c.Path, 1, 1)) }, "belongs to user 1"},
		{"in somebody else's directory", true, func(t *testing.T, c *Copy) { must(t, os.Chown(filepath.Dir(c.Path), 1, 1)) }, "belongs to user 1"},
		{"a link to the right one", false, func(t *testing.T, c *Copy) {
			must(t, os.Rename(c.Path, c.Path+".right"))
			must(t, os.Symlink(c.Path+".right", c.Path))
		}, "cannot be opened"},
		{"a FIFO", false, func(t *testing.T, c *Copy) { must(t, os.Remove(c.Path)); must(t, syscall.Mkfifo(c.Path, 0o755)) }, "not a regular file"},
		{"a directory", false, func(t *testing.T, c *Copy) { must(t, os.Remove(c.Path)); must(t, os.Mkdir(c.Path, 0o755)) }, "not a regular file"},
		{"gone", false, func(t *testing.T, c *Copy) { must(t, os.Remove(c.Path)) }, "cannot be reached"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.root {
				testsupport.Need(t, os.Geteuid() == 0, "root", "sudo env PATH=\"$PATH\" go test ./executor/agents/pinned")
			}
			right := copyOf(t, someBytes)
			c.do(t, right)
			s, err := right.Open()
			wantError(t, err, c.says)
			if s != nil {
				t.Error("a stream beside the error")
			}
		})
	}
}

// TestLinkBesideTheWay: a directory reached by a link is looked at where it really is.
func TestLinkBesideTheWay(t *testing.T) {
	c := copyOf(t, someBytes)
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(filepath.Dir(c.Path), link); err != nil {
		t.Fatal(err)
	}
	c.Path = filepath.Join(link, "agent")
	if err := c.Verify(t.Context()); err != nil {
		t.Errorf("by a link: %v", err)
	}
	if err := os.Chmod(filepath.Dir(filepath.Dir(mustReal(t, c.Path))), 0o777); err != nil {
		t.Fatal(err)
	}
	wantError(t, c.Verify(t.Context()), "written by others")
}

func mustReal(t *testing.T, path string) string {
	t.Helper()
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		t.Fatal(err)
	}
	return real
}

// TestEachByteCounts flips bytes at the start, in the middle and at the end: none of the streams comes to its end.
func TestEachByteCounts(t *testing.T) {
	for _, at := range []int{0, 1, len(someBytes) / 2, len(someBytes) - 1} {
		c := copyOf(t, someBytes)
		if err := os.WriteFile(c.Path, flipped(someBytes, at), 0o755); err != nil {
			t.Fatal(err)
		}
		wantError(t, c.Verify(t.Context()), "was altered")
	}
}

// TestReplacedWhileOpen: what was opened is what is handed over, whatever is put in its place meanwhile; and what is written
// into it meanwhile is seen.
func TestReplacedWhileOpen(t *testing.T) {
	for _, c := range []struct {
		name  string
		do    func(path string) error
		right bool
	}{
		{"untouched", func(string) error { return nil }, true},
		{"another file by its name", func(path string) error {
			return errors.Join(os.WriteFile(path+".evil", bytes.ToUpper(someBytes), 0o755), os.Rename(path+".evil", path))
		}, true},
		{"removed", os.Remove, true},
		{"written into, behind what was read", func(path string) error { return writeAt(path, int64(len(someBytes)-1)) }, false},
		{"cut", func(path string) error { return os.Truncate(path, 5000) }, false},
		{"grown", func(path string) error { return writeAt(path, int64(len(someBytes))) }, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			right := copyOf(t, someBytes)
			s, err := right.Open()
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			first := make([]byte, 4096)
			if _, err := io.ReadFull(s, first); err != nil {
				t.Fatal(err)
			}
			if err := c.do(right.Path); err != nil {
				t.Fatal(err)
			}
			rest, err := io.ReadAll(s)
			if s.Checked() != c.right || (err == nil) != c.right {
				t.Errorf("checked %v, error %v", s.Checked(), err)
			}
			if c.name == "grown" && !strings.Contains(err.Error(), "is growing") { // whatever grows for ever is not read for ever
				t.Errorf("got %v", err)
			}
			if c.right && !bytes.Equal(append(first, rest...), someBytes) {
				t.Error("other bytes were handed over")
			}
		})
	}
}

func writeAt(path string, at int64) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteAt([]byte("X"), at)
	return errors.Join(err, f.Close())
}

// TestHalfIsNotChecked: whoever stops reading has nothing that may run.
func TestHalfIsNotChecked(t *testing.T) {
	s, err := copyOf(t, someBytes).Open()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, err := io.CopyN(io.Discard, s, int64(len(someBytes))); err != nil || s.Checked() {
		t.Errorf("checked before the end was seen; error %v", err)
	}
	if _, err := s.Read(make([]byte, 1)); err != io.EOF || !s.Checked() {
		t.Errorf("not checked at the end; error %v", err)
	}
}

func TestVerifyEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := copyOf(t, bytes.Repeat(someBytes, 8)).Verify(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// TestFixesNameWhatToDo: the next step of an error about a copy is a whole command.
func TestFixesNameWhatToDo(t *testing.T) {
	c := copyOf(t, someBytes)
	alter(t, c.Path)
	var e *Error
	if err := c.Verify(t.Context()); !errors.As(err, &e) || !strings.Contains(e.Fix, "ai-flow agents install --version 1.2.3 acme") || !strings.Contains(e.Fix, filepath.Dir(c.Path)) {
		t.Errorf("got fix %q", e.Fix)
	}
	if e := unreadable("/a/acme/1.2.3", errors.New("x")); !strings.HasSuffix(e.Fix, ": ai-flow agents install --unpinned --version 1.2.3 acme") {
		t.Errorf("got fix %q", e.Fix)
	}
}

func BenchmarkVerify(b *testing.B) {
	c := copyOf(b, bytes.Repeat([]byte("x"), 16<<20))
	b.SetBytes(c.Size)
	for b.Loop() {
		if err := c.Verify(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
}
