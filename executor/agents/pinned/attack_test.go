package pinned

import (
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/d3mlabs/ai-flow/testsupport"
)

// TestInstallIntoOthersPlace: whoever may write a directory could put a link into the place of a draft, and root would
// write and chmod where that leads. It is refused before anything is asked for or made.
func TestInstallIntoOthersPlace(t *testing.T) {
	for _, c := range []struct {
		name  string
		root  bool
		there bool // do makes what is installed into
		do    func(dir string) error
		says  string
	}{
		{"open to all", false, false, func(dir string) error { return os.Chmod(dir, 0o777) }, "may be written by others"},
		{"somebody else's", true, false, func(dir string) error { return os.Chown(dir, 1, 1) }, "belongs to user 1"},
		{"somebody else's agent directory", true, true, func(dir string) error {
			return errors.Join(os.MkdirAll(dir+"/agents/acme", 0o755), os.Chown(dir+"/agents/acme", 1, 1))
		}, "belongs to user 1"},
		{"by somebody else's link", true, true, func(dir string) error {
			return errors.Join(os.Mkdir(dir+"/real", 0o755), os.Symlink("real", dir+"/agents"), os.Lchown(dir+"/agents", 1, 1))
		}, "belongs to user 1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.root {
				testsupport.Need(t, os.Geteuid() == 0, "root", "sudo env PATH=\"$PATH\" go test ./executor/agents/pinned")
			}
			r, pin, o := shop(t)
			if err := c.do(filepath.Dir(o.Dir)); err != nil {
				t.Fatal(err)
			}
			_, err := install(t.Context(), o, []Pin{pin})
			wantError(t, err, c.says)
			left, _ := filepath.Glob(o.Dir + "/acme/*")
			if _, err := os.Lstat(o.Dir); !c.there && err == nil {
				left = append(left, o.Dir)
			}
			if len(r.asked) > 0 || len(left) > 0 {
				t.Errorf("asked %q, made %q", r.asked, left)
			}
		})
	}
}

// TestLinkThatLeadsThroughOthers: each link on a way is somebody's, and so is each directory that it lies in.
func TestLinkThatLeadsThroughOthers(t *testing.T) {
	testsupport.Need(t, os.Geteuid() == 0, "root", "sudo env PATH=\"$PATH\" go test ./executor/agents/pinned")
	c := copyOf(t, someBytes)
	theirs, link := t.TempDir(), filepath.Join(t.TempDir(), "link")
	if err := errors.Join(os.Symlink(filepath.Dir(c.Path), theirs+"/on"), os.Symlink(theirs+"/on", link)); err != nil {
		t.Fatal(err)
	}
	c.Path = filepath.Join(link, "agent")
	if err := c.Verify(t.Context()); err != nil {
		t.Fatalf("before: %v", err)
	}
	if err := os.Chown(theirs, 1, 1); err != nil {
		t.Fatal(err)
	}
	wantError(t, c.Verify(t.Context()), "belongs to user 1")
}

// TestOursFollowsLinksAsTheSystemDoes: upwards, to nowhere and in circles.
func TestOursFollowsLinksAsTheSystemDoes(t *testing.T) {
	dir := t.TempDir()
	if err := errors.Join(os.MkdirAll(dir+"/a/b", 0o755), os.Symlink("../../a/./b/../b/", dir+"/a/b/up"), os.Symlink("round", dir+"/round"),
		os.Symlink("nowhere", dir+"/dangling"), os.Symlink("a/b", dir+"/link")); err != nil {
		t.Fatal(err)
	}
	for name, says := range map[string]string{"/a/b/up": "", "/link/../b": "", "/round": "links on the way", "/dangling": "no such file", "/a/b/up/x": "no such file"} {
		if err := Ours(dir + name); (err == nil) != (says == "") || err != nil && !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := Ours("relative"); err == nil {
		t.Error("took a relative path")
	}
}

// TestPlaceThatIsTakenMeanwhile: what another put there while we fetched is looked at before it is called right.
func TestPlaceThatIsTakenMeanwhile(t *testing.T) {
	r, pin, o := shop(t)
	place := filepath.Join(o.Dir, "acme/1.2.3")
	r.during = func() {
		if err := errors.Join(os.MkdirAll(place, 0o755), os.WriteFile(place+"/agent", flipped([]byte(agentBody), 3), 0o755)); err != nil {
			t.Error(err)
		}
	}
	_, err := install(t.Context(), o, []Pin{pin})
	wantError(t, err, "was altered")
}

// TestNoRoomIsNotTheNetworks: an error of our own disk is told as that, and nobody is sent to look at proxies or archives.
func TestNoRoomIsNotTheNetworks(t *testing.T) {
	_, pin, o := shop(t)
	i := &installation{o: o, pin: pin, client: newClient(o.Registry), draft: "/dev/null"}
	full := &fs.PathError{Op: "write", Path: "/x/archive.tgz", Err: syscall.ENOSPC}
	quota := &fs.PathError{Op: "write", Path: "/x/agent", Err: syscall.EDQUOT}
	for err, fix := range map[error]string{i.receive(strings.NewReader("x"), "/dev/null/archive", nil): "name a directory", i.notReceived(full): "make room", i.notAdmitted(quota): "make room"} {
		var e *Error
		if !errors.As(err, &e) || strings.Contains(e.Problem, "not admitted") || !strings.HasPrefix(e.Fix, fix) || !strings.Contains(e.Fix, "--dir") {
			t.Errorf("got %v, %+v", err, e)
		}
	}
}

// TestOldDraftsOfOthersStay: a directory's name is no pattern.
func TestOldDraftsOfOthersStay(t *testing.T) {
	dir := t.TempDir()
	old := time.Now().Add(-2 * oldDraft)
	for _, d := range []string{"/ab/.draft-1", "/a*/.draft-1", "/a*/1.2.3", "/a*/.draft-new"} {
		if err := errors.Join(os.MkdirAll(dir+d, 0o755), os.Chtimes(dir+d, old, old)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chtimes(dir+"/a*/.draft-new", time.Now(), time.Now()); err != nil {
		t.Fatal(err)
	}
	dropDrafts(dir + "/a*")
	for d, stays := range map[string]bool{"/ab/.draft-1": true, "/a*/.draft-1": false, "/a*/1.2.3": true, "/a*/.draft-new": true} {
		if _, err := os.Stat(dir + d); (err == nil) != stays {
			t.Errorf("%s: %v", d, err)
		}
	}
}

// TestForeignErrorsAreBounded: a registry writes its own headers, and an error shows them.
func TestForeignErrorsAreBounded(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Location", "http://%zz"+strings.Repeat("x", 1<<15))
		w.WriteHeader(http.StatusFound)
	}))
	t.Cleanup(s.Close)
	_, pin, o := shop(t)
	var err error
	if o.Registry, err = ReadRegistry([]string{"npm_config_registry=" + s.URL}, nil, "@acme"); err != nil {
		t.Fatal(err)
	}
	_, err = install(t.Context(), o, []Pin{pin})
	if wantError(t, err, "Location"); len(fmt.Sprint(err)) > 600 {
		t.Errorf("%d bytes", len(err.Error()))
	}
}

// TestNoTokenIsAskedForAnother: the place of an archive is the registry's to choose, and a token would be sent there.
func TestNoTokenIsAskedForAnother(t *testing.T) {
	for host, advised := range map[string]bool{"127.0.0.1": true, "localhost": false} {
		for _, status := range []int{http.StatusUnauthorized, http.StatusForbidden} {
			r, pin, o := shop(t)
			r.status = status
			r.describes = description(integrityOf(r.archive), strings.Replace(r.URL, "127.0.0.1", host, 1)+archivePath)
			_, err := install(t.Context(), o, []Pin{pin})
			var e *Error
			if wantError(t, err, fmt.Sprint("status ", status)); errors.As(err, &e) && strings.Contains(e.Fix, "_authToken") != advised {
				t.Errorf("%s, %d: fix %q", host, status, e.Fix)
			}
		}
	}
}

// TestUnpinnedNeedsTLS: without it the registry's word is the word of whoever is on the way.
func TestUnpinnedNeedsTLS(t *testing.T) {
	_, pin, o := shop(t)
	var err error
	if o.Registry, err = ReadRegistry([]string{"npm_config_registry=http://registry.invalid/"}, nil, "@acme"); err != nil {
		t.Fatal(err)
	}
	pin.Version, o.Unpinned = "1.2.2", true
	_, err = install(t.Context(), o, []Pin{pin})
	wantError(t, err, "without TLS")
}

// TestNpmrcOfOthersIsNotRead: it could name any variable of ours, and where to send it.
func TestNpmrcOfOthersIsNotRead(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "npmrc")
	if err := os.WriteFile(file, []byte("registry=https://r.example/\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	read := func(file string) error { _, err := ReadRegistry(nil, []string{file}, "@acme"); return err }
	link := filepath.Join(dir, "link") // as those who keep their settings in git have it
	if err := errors.Join(read(file), os.Symlink("npmrc", link), read(link), read(dir+"/none")); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(file, 0o666); err != nil {
		t.Fatal(err)
	}
	wantError(t, read(file), "written by others")
	wantError(t, read(link), "written by others")
	if err := errors.Join(os.Chmod(file, 0o600), os.Chmod(dir, 0o777)); err != nil {
		t.Fatal(err)
	}
	wantError(t, read(file), "written by others")
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	wantError(t, read("npmrc"), "not an absolute path") // it would be the checkout's
	fifo := filepath.Join(dir, "fifo")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	wantError(t, read(fifo), "not a regular file")
}

// TestRootInstallsForAll: a hardened host's umask would close the host's copies to every dispatcher but root.
func TestRootInstallsForAll(t *testing.T) {
	testsupport.Need(t, os.Geteuid() == 0, "root", "sudo env PATH=\"$PATH\" go test ./executor/agents/pinned")
	_, pin, o := shop(t)
	o.Dir = filepath.Join(o.Dir, "below")
	old := syscall.Umask(0o077)
	c := mustInstall(t, o, pin)
	syscall.Umask(old)
	for at := c.Path; at != filepath.Dir(filepath.Dir(o.Dir)); at = filepath.Dir(at) {
		if info, err := os.Stat(at); err != nil || info.Mode().Perm() != 0o755 {
			t.Errorf("%s has %v, error %v", at, info.Mode(), err)
		}
	}
}

// TestFixesCanBePasted: a directory's name is one word of a command, whatever is in it.
func TestFixesCanBePasted(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "it's a; $(x)")
	c := copyOf(t, someBytes)
	if err := errors.Join(os.Mkdir(dir, 0o755), os.Rename(c.Path, dir+"/agent")); err != nil {
		t.Fatal(err)
	}
	c.Path = dir + "/agent"
	alter(t, c.Path)
	word := "'" + strings.ReplaceAll(dir, "'", `'\''`) + "'"
	var e *Error
	if err := c.Verify(t.Context()); !errors.As(err, &e) || !strings.Contains(e.Fix, "(rm -r "+word+")") {
		t.Errorf("got %v, fix %q", err, e.Fix)
	}
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := c.Verify(t.Context()); !errors.As(err, &e) || e.Fix != "chmod go-w "+word {
		t.Errorf("got %v, fix %q", err, e.Fix)
	}
	if e := unreadable(dir, errors.New("x")); !strings.Contains(e.Fix, "(rm -r "+word+")") {
		t.Errorf("fix %q", e.Fix)
	}
}

// TestNoWaitForAFIFO in the place of an agent's directory.
func TestNoWaitForAFIFO(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mkfifo(dir+"/acme", 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := find([]string{dir}, "acme", nil)
	wantError(t, err, "cannot be listed")
}
