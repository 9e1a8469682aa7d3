package git

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/d3mlabs/ai-flow/testsupport/hostuser"
)

// S1: a checkout that every user can read is said to be one.
func TestExposed(t *testing.T) {
	room := anotherUser(t, hostuser.Get(t))
	for _, c := range []struct {
		mode os.FileMode
		want bool
	}{{0o755, true}, {0o700, false}, {0o711, true}} {
		top, err := os.MkdirTemp("/var/tmp", "aift-exposed")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { os.RemoveAll(top) })
		dir := filepath.Join(top, "repo")
		sh(t, top, "git init -q repo && cd repo && echo a >a && git add a && git -c user.name=a -c user.email=a@b commit -qm a && chmod 755 .git")
		if err := os.Chmod(top, c.mode); err != nil {
			t.Fatal(err)
		}
		if got := open(t, dir).Exposed(t.Context(), room); got != c.want {
			t.Errorf("mode %o: got %v", c.mode, got)
		}
	}
	if open(t, checkout(t, "echo a >a")).Exposed(t.Context(), sameUser(t)) {
		t.Error("without a boundary nothing is exposed that was closed")
	}
}
