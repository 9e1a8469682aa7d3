package hostuser

import (
	"errors"
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// locked runs f while no other test binary changes accounts: useradd fails at once when it cannot have its own lock.
func locked(f func() error) error {
	l, err := os.OpenFile("/run/aift-hostuser.lock", os.O_CREATE|os.O_RDWR|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return err
	}
	defer l.Close()
	if err := syscall.Flock(int(l.Fd()), syscall.LOCK_EX); err != nil {
		return err
	}
	return f()
}

// remove takes away the pair of a process, whatever of it there is.
func remove(pid int) error {
	var err error
	// The second is the lock that a test which prepares the host has made.
	for _, path := range []string{rulePath(pid), "/var/lib/ai-flow/aift-a" + strconv.Itoa(pid) + ".lock"} {
		if e := os.Remove(path); !errors.Is(e, os.ErrNotExist) {
			err = errors.Join(err, e)
		}
	}
	for _, prefix := range []string{"aift-a", "aift-d"} {
		err = errors.Join(err, removeUser(prefix+strconv.Itoa(pid)))
	}
	return err
}

func removeUser(name string) error {
	u, err := user.Lookup(name)
	var unknown user.UnknownUserError
	if errors.As(err, &unknown) {
		return nil
	}
	if err != nil {
		return err
	}
	if err := endAll(u.Uid); err != nil {
		return err
	}
	// Without -r: userdel complains of a missing mail spool. What a test made elsewhere is the test's to remove.
	if err := run("userdel", "--force", name); err != nil {
		return err
	}
	if u.HomeDir != "/home/"+name {
		return fmt.Errorf("home of %s is %q; not removing it", name, u.HomeDir)
	}
	return os.RemoveAll(u.HomeDir)
}

// endAll kills what a test left running as one of its own users. Only a failed test leaves anything.
func endAll(uid string) error {
	for range 50 {
		left := 0
		statuses, err := filepath.Glob("/proc/[0-9]*/status")
		if err != nil {
			return err
		}
		for _, path := range statuses {
			text, err := os.ReadFile(path)
			if err != nil {
				continue // it ended
			}
			if regexp.MustCompile(`(?m)^Uid:\t`+uid+`\t`).Match(text) && !regexp.MustCompile(`(?m)^State:\tZ`).Match(text) {
				pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(path)))
				_ = syscall.Kill(pid, syscall.SIGKILL)
				left++
			}
		}
		if left == 0 {
			return nil
		}
		time.Sleep(20 * time.Millisecond)
	}
	return fmt.Errorf("processes of user %s do not end", uid)
}

// removeStale removes pairs of test binaries that are no more.
func removeStale() error {
	passwd, err := os.ReadFile("/etc/passwd")
	if err != nil {
		return err
	}
	for _, m := range regexp.MustCompile(`(?m)^aift-[ad]([0-9]+):`).FindAllSubmatch(passwd, -1) {
		pid, err := strconv.Atoi(string(m[1]))
		if err != nil || pid == os.Getpid() || syscall.Kill(pid, 0) == nil {
			continue
		}
		if err := remove(pid); err != nil {
			return err
		}
	}
	return removeOrphans()
}

// removeOrphans removes the locks of test users who are no more: a program that prepares the host makes one for each.
func removeOrphans() error {
	locks, err := filepath.Glob("/var/lib/ai-flow/aift-*.lock")
	if err != nil {
		return err
	}
	for _, path := range locks {
		_, err := user.Lookup(strings.TrimSuffix(filepath.Base(path), ".lock"))
		if unknown := user.UnknownUserError(""); !errors.As(err, &unknown) {
			continue
		}
		if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	return nil
}
