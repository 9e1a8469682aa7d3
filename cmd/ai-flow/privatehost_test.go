package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/d3mlabs/ai-flow/testsupport"
	"github.com/rogpeppe/go-internal/testscript"
)

// furnish makes what a host has of its own: accounts, rules of sudo, homes and /var/lib. All else is the machine's. Other tests change
// the machine's /etc while it is copied: a file that is gone meanwhile is no trouble, and none of their rules or users comes along.
const furnish = `mount --make-rprivate / && mkdir "$1/etc" "$1/home" "$1/lib" && { cp -a /etc/. "$1/etc" || :; } &&
rm -f "$1"/etc/*.lock "$1"/etc/sudoers.d/* && sed -i '/^ai-agent:/d; /^aift-/d' "$1"/etc/passwd "$1"/etc/group "$1"/etc/shadow "$1"/etc/gshadow &&
mount --bind "$1/etc" /etc && mount --bind "$1/home" /home && mount --bind "$1/lib" /var/lib && echo furnished && exec sleep 600`

// privateHost gives a story a host of its own in namespaces of the kernel, for what must not be tried on the machine: a broken
// sudo, a killed useradd, a look at each byte of /etc while other tests make users. Its processes are its own too, so that a number
// of a user that is another's outside can do no harm. It ends with the story.
func privateHost(ts *testscript.TestScript, neg bool, args []string) {
	needRoot(ts, false, nil)
	testsupport.Need(tb(ts), exec.Command("unshare", "--mount", "--pid", "--fork", "--mount-proc", "true").Run() == nil,
		"mount and process namespaces", "docker run --privileged, or a virtual machine")
	dir := ts.MkAbs("private-host")
	ts.Check(os.Mkdir(dir, 0o755))
	cmd := exec.Command("unshare", "--mount", "--pid", "--fork", "--mount-proc", "--kill-child", "sh", "-c", furnish, "sh", dir)
	w := &markerWriter{marker: "furnished", seen: make(chan struct{})}
	cmd.Stdout, cmd.Stderr = w, w
	ts.Check(cmd.Start())
	ts.Defer(func() {
		cmd.Process.Signal(syscall.SIGKILL)
		cmd.Wait()
	})
	select {
	case <-w.seen:
	case <-time.After(time.Minute):
		ts.Fatalf("the private host did not come: %s", w.text())
	}
	children, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%[1]d/children", cmd.Process.Pid))
	ts.Check(err)
	ts.Setenv("PRIVATE_HOST", strings.TrimSpace(string(children)))
	ts.Setenv("AI_FLOW_AGENT_USER", "")
}

// inHost runs a program in the private host and checks its exit status exactly: inhost STATUS PROGRAM ARG...
func inHost(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 || ts.Getenv("PRIVATE_HOST") == "" {
		ts.Fatalf("usage, after privatehost: inhost STATUS PROGRAM ARG...")
	}
	exits(ts, false, append([]string{args[0], "nsenter", "--target", ts.Getenv("PRIVATE_HOST"), "--mount", "--pid", "--"}, args[1:]...))
}

// untouched fails when a byte of the private host's own files, or an owner or a mode, is another than at the last untouched,
// which the first one takes down.
func untouched(ts *testscript.TestScript, neg bool, args []string) {
	all := sha256.New()
	for _, part := range []string{"etc", "home", "lib"} {
		top := filepath.Join(ts.MkAbs("private-host"), part)
		ts.Check(filepath.WalkDir(top, func(p string, _ os.DirEntry, err error) error {
			if err != nil {
				return err
			}
			info, err := os.Lstat(p)
			if err != nil {
				return err
			}
			st := info.Sys().(*syscall.Stat_t)
			fmt.Fprintf(all, "%s %v %d:%d %d %v\n", p, info.Mode(), st.Uid, st.Gid, st.Ino, info.ModTime())
			if info.Mode().IsRegular() {
				data, err := os.ReadFile(p)
				all.Write(data)
				return err
			}
			return nil
		}))
	}
	before, now := ts.Getenv("UNTOUCHED"), hex.EncodeToString(all.Sum(nil))
	switch {
	case before == "":
		ts.Setenv("UNTOUCHED", now)
	case (before == now) == neg:
		ts.Fatalf("the host changed: %v", !neg)
	}
}
