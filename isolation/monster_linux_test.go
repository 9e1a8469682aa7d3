package isolation_test

import (
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"strings"
	"syscall"
	"time"
	"unsafe"
)

// monster does as an agent may, to stay alive. It prints "up" when it is what it wants to be. Nothing here can be more
// than the agent's user can: it runs in a room.
func monster(kind string) {
	signal.Ignore(syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP, syscall.SIGPIPE, syscall.SIGQUIT)
	switch kind {
	case "double fork", "setsid":
		// The child's child, in a session of its own, keeps all the pipes.
		again("sleeper")
	case "nameless": // not dumpable: /proc/PID is then root's
		const prSetDumpable = 4
		syscall.RawSyscall(syscall.SYS_PRCTL, prSetDumpable, 0, 0)
		up()
	case "headless": // the main thread is gone, which looks like a zombie
		go func() {
			time.Sleep(100 * time.Millisecond)
			up()
		}()
		runtime.LockOSThread()
		if syscall.Gettid() != syscall.Getpid() {
			fmt.Println("not the main thread")
			return
		}
		syscall.RawSyscall(syscall.SYS_EXIT, 0, 0, 0)
	case "stopped":
		fmt.Println("up")
		syscall.Kill(os.Getpid(), syscall.SIGSTOP)
		up()
	case "fork bomb": // each child leaves a child and dies; at most a few hundred at once
		var limit syscall.Rlimit
		limit.Cur, limit.Max = 300, 300
		const rlimitNproc = 6
		syscall.RawSyscall(syscall.SYS_SETRLIMIT, rlimitNproc, uintptr(unsafe.Pointer(&limit)), 0)
		sh := exec.Command("/bin/sh", "-c", "trap '' TERM; f() { setsid sh -c \"$0\" \"$0\" & }; while :; do (sleep 0.05 & exec sleep 0.02) & done")
		sh.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		if err := sh.Start(); err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println("up")
	case "hopper": // one process that is always about to be another
		sh := exec.Command("/bin/sh", "-c", "trap '' TERM; h() { (h) & exit 0; }; h")
		sh.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		if err := sh.Start(); err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println("up")
	case "duel": // kills all that its user runs but itself, the kill of a sweep too; it ends by itself when no sweep ends it
		if os.Getuid() == 0 || !strings.HasPrefix(os.Getenv("USER"), "aift-a") {
			fmt.Println("this one is for an agent's user only")
			return
		}
		time.AfterFunc(duelTime, func() { os.Exit(0) })
		for range 8 * runtime.NumCPU() {
			go func() {
				runtime.LockOSThread()
				for {
					syscall.Kill(-1, syscall.SIGKILL)
				}
			}()
		}
		up()
	case "sleeper":
		up()
	}
}

func again(kind string) {
	cmd := exec.Command("/proc/self/exe")
	cmd.Env = append(os.Environ(), "AIFT_MONSTER="+kind)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		fmt.Println(err)
	}
}

func up() {
	fmt.Println("up")
	for {
		time.Sleep(time.Hour)
	}
}

func init() {
	if os.Getenv("AIFT_MONSTER") == "headless" {
		runtime.LockOSThread() // init runs on the main thread, and keeps it
	}
}
