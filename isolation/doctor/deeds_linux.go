package doctor

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/d3mlabs/ai-flow/isolation"
)

// special are the deeds that each system has its own calls for.
func (a attempt) special(ctx context.Context, in inside) outcome {
	switch a.Deed {
	case deedTrace:
		return trace(a.Pid)
	case deedMemory:
		return memory(a.Pid)
	case deedSelf:
		return tell(in.deathSignal)
	case deedScan:
		return scan(a.Pid)
	case deedUserns:
		return userns(ctx, in.runner)
	}
	return outcome{Error: "ENOSYS"}
}

const ptraceSeize = 0x4206

// trace attaches without stopping the process, from a thread that ends at once: that detaches. The main thread never ends
// before the program, so another is taken then.
func trace(pid int) outcome {
	done := make(chan outcome, 1)
	var try func()
	try = func() {
		runtime.LockOSThread() // never unlocked, so the thread ends with the goroutine
		if onMainThread() {
			go try()
			o := <-done
			runtime.UnlockOSThread()
			done <- o
			return
		}
		if _, _, no := syscall.RawSyscall6(syscall.SYS_PTRACE, ptraceSeize, uintptr(pid), 0, 0, 0, 0); no != 0 {
			done <- failed(no)
			return
		}
		done <- outcome{Done: true}
	}
	go try()
	return <-done
}

func onMainThread() bool { return syscall.Gettid() == os.Getpid() }

// memory opens a process's memory, which is where the kernel decides, and reads the first byte that is mapped.
func memory(pid int) outcome {
	f, err := os.Open(fmt.Sprintf("/proc/%d/mem", pid))
	if err != nil {
		return failed(err)
	}
	defer f.Close()
	maps, err := os.ReadFile(fmt.Sprintf("/proc/%d/maps", pid))
	if err != nil {
		return failed(err)
	}
	from, _, _ := strings.Cut(string(maps), "-")
	at, err := strconv.ParseInt(from, 16, 64)
	if err != nil {
		return outcome{Error: "ENOENT"} // a kernel thread has none
	}
	if _, err := f.ReadAt(make([]byte, 1), at); err != nil {
		return failed(err)
	}
	return outcome{Done: true}
}

// tell reads what the kernel says of this process.
func tell(signal int) outcome {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return failed(err)
	}
	limits, err := os.ReadFile("/proc/self/limits")
	if err != nil {
		return failed(err)
	}
	s := self{Status: string(status), Limits: string(limits), DeathSignal: signal}
	if parent, err := os.ReadFile(fmt.Sprintf("/proc/%d/comm", os.Getppid())); err == nil {
		s.Parent = strings.TrimSpace(string(parent))
	}
	for _, v := range strings.Split(string(readSome("self", "environ", maxData)), "\x00") {
		if name, _, _ := strings.Cut(v, "="); name != "" {
			s.Environ = append(s.Environ, name)
		}
	}
	data, err := json.Marshal(s)
	if err != nil {
		return failed(err)
	}
	return outcome{Done: true, Data: data}
}

// deathSignal asks for the signal that comes when the parent ends; -1 when it cannot be asked for. Only the main thread carries
// it, and Go gives a program no way back to that thread: so it is asked as the first thing, while a main function that called
// us is still on it.
func deathSignal() int {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if !onMainThread() {
		return -1
	}
	return askDeathSignal()
}

func askDeathSignal() int {
	var signal int32
	const getDeathSignal = 2 // PR_GET_PDEATHSIG
	if no := prctl(getDeathSignal, &signal); no != 0 {
		return -1
	}
	return int(signal)
}

// scan reads what other processes let it. One that ends meanwhile is left out.
func scan(part int) outcome {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return failed(err)
	}
	var list []ran
	room, cut := maxData/2, false // base64 and quotes make it longer
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil || pid%scanParts != part {
			continue
		}
		p := ran{PID: pid, Name: string(bytes.TrimSpace(readSome(e.Name(), "comm", 64))), Args: readSome(e.Name(), "cmdline", room), Environ: readSome(e.Name(), "environ", room)}
		if room -= len(p.Args) + len(p.Environ); room <= 0 {
			cut = true
			break
		}
		if len(p.Args)+len(p.Environ) > 0 {
			list = append(list, p)
		}
	}
	data, err := json.Marshal(list)
	if err != nil {
		return failed(err)
	}
	return outcome{Done: true, Data: data, Cut: cut}
}

func readSome(pid, what string, max int) []byte {
	return attempt{Path: "/proc/" + pid + "/" + what, Max: max}.read().Data
}

func userns(ctx context.Context, r isolation.Runner) outcome {
	o := attempt{Argv: []string{"/usr/bin/unshare", "--user", "--map-root-user", "--mount", "--", "/bin/true"}}.run(ctx, r)
	if !o.Done || o.Code == 0 {
		return o
	}
	return outcome{Error: "EPERM", Data: o.Data, Code: o.Code}
}

// mightyFile says which rights a program has beyond those of who runs it.
func mightyFile(path string, info os.FileInfo) (found []string) {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return nil
	}
	if info.Mode()&os.ModeSetuid != 0 {
		found = append(found, fmt.Sprintf("setuid %d %s", st.Uid, path))
	}
	if info.Mode()&os.ModeSetgid != 0 && info.Mode()&0o010 != 0 {
		found = append(found, fmt.Sprintf("setgid %d %s", st.Gid, path))
	}
	caps := make([]byte, 64)
	if n, err := syscall.Getxattr(path, "security.capability", caps); err == nil && n > 0 {
		found = append(found, fmt.Sprintf("caps %s %s", hex.EncodeToString(caps[:n]), path))
	}
	return slices.Clip(found)
}
