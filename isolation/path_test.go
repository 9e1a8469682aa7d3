package isolation

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestSharedPath(t *testing.T) {
	base, err := os.MkdirTemp("/var/tmp", "aift-path")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(base) })
	must := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	dir := func(name string, mode os.FileMode) string {
		path := filepath.Join(base, name)
		must(os.MkdirAll(path, 0o755))
		must(os.Chmod(path, mode))
		return path
	}
	must(os.Chmod(base, 0o755))
	good, closed, shared := dir("go/bin", 0o755), dir("closed", 0o700), dir("shared", 0o777)
	below := dir("home/tool", 0o755)
	must(os.Chmod(filepath.Join(base, "home"), 0o700))
	link := filepath.Join(base, "link")
	must(os.Symlink(below, link))

	got := SharedPath(strings.Join([]string{good, closed, "", ".", "relative", shared, below, link, base + "/absent", good, "/usr/bin"}, ":"))
	want := good + ":/usr/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/sbin:/bin"
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got := SharedPath(""); got != defaultPath {
		t.Errorf("got %s for an empty PATH", got)
	}
}
