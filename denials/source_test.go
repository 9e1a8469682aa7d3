package denials

import (
	"go/build"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// Source text is no want, even of a command that failed: Go's own tree is full of the words, in strings, comments, tables and
// scripts.
func TestSourceTextIsNoWant(t *testing.T) {
	files := 0
	for _, dir := range []string{"os", "net", "syscall", "internal", "cmd/go", "cmd/link"} {
		err := filepath.WalkDir(filepath.Join(build.Default.GOROOT, "src", dir), func(path string, d fs.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() {
				return err
			}
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			files++
			c := NewCollector(Options{})
			c.Observe(Call{ID: "1", Kind: Execute, Pieces: text(string(data)), Failed: true, Done: true})
			wants, _ := c.Wants()
			for _, w := range wants {
				t.Errorf("%s: %s %q", path, w.Subject, w.Why)
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
	if files < 1000 {
		t.Errorf("only %d files read", files)
	}
}
