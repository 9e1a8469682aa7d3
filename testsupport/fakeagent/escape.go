package fakeagent

import (
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"sort"
	"strconv"
	"syscall"
	"time"
)

// start leaves the process behind. The one in between is waited for, so that the last one has no parent of ours when
// start returns.
func (e Escape) start() error {
	if e.Life <= 0 {
		e.Life = 30 * time.Second
	}
	between, err := reexec("between", e, nil)
	if err != nil {
		return err
	}
	_, err = between.Wait()
	return err
}

func reexec(role string, e Escape, attr *syscall.SysProcAttr) (*os.Process, error) {
	argv := []string{os.Args[0], escapeName, role, strconv.FormatInt(int64(e.Life), 10), e.Touch}
	return os.StartProcess("/proc/self/exe", argv, &os.ProcAttr{Env: os.Environ(), Files: []*os.File{nil, os.Stdout, os.Stderr}, Sys: attr})
}

// escaped is the body of the two processes of an Escape.
func escaped(args []string) int {
	life, err := strconv.ParseInt(args[1], 10, 64)
	if err != nil {
		return 2
	}
	e := Escape{Life: time.Duration(life), Touch: args[2]}
	if args[0] == "between" {
		if _, err := reexec("last", e, &syscall.SysProcAttr{Setsid: true}); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		return 0
	}
	signal.Ignore(syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP, syscall.SIGPIPE)
	time.Sleep(e.Life)
	if e.Touch != "" {
		if err := os.WriteFile(e.Touch, []byte("late\n"), 0o644); err != nil {
			return 1
		}
	}
	return 0
}

func (t *run) self() Self {
	s := Self{UID: os.Getuid(), GID: os.Getgid(), Args: os.Args, Env: os.Environ(), Session: t.fill("{{cwd}}")}
	sort.Strings(s.Env)
	s.Groups, _ = os.Getgroups() // none is a fine answer
	s.Dir, _ = os.Getwd()        // "" says that it cannot be known, which a test sees
	mask := syscall.Umask(0)
	syscall.Umask(mask)
	s.Umask = fmt.Sprintf("%03o", mask)
	links, _ := filepath.Glob("/proc/self/fd/*")
	for _, l := range links {
		n, err := strconv.Atoi(filepath.Base(l))
		target, linkErr := os.Readlink(l)
		if err == nil && linkErr == nil && n > 2 {
			s.Files = append(s.Files, fmt.Sprintf("%d -> %s", n, target))
		}
	}
	return s
}
