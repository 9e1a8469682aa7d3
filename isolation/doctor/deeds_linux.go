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
func (a attempt) special(ctx context.Context, r isolation.Runner) outcome {
	switch a.Deed {
	case deedTrace:
		return trace(a.Pid)
	case deedMemory:
		return memory(a.Pid)
	case deedSelf:
		return tell()
	case deedScan:
		return scan()
	case deedUserns:
		return userns(ctx, r)
	}
	return outcome{Error: "ENOSYS"}
}

const ptraceSeize = 0x4206

// trace attaches without stopping the process, from a thread that ends at once: that detaches.
func trace(pid int) outcome {
	done := make(chan outcome)
	go func() {
		runtime.LockOSThread() // never unlocked, so the thread ends with the goroutine
		_, _, no := syscall.RawSyscall6(syscall.SYS_PTRACE, ptraceSeize, uintptr(pid), 0, 0, 0, 0)
		if no != 0 {
			done <- failed(no)
			return
		}
		done <- outcome{Done: true}
	}()
	return <-done
}

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
func tell() outcome {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return failed(err)
	}
	limits, err := os.ReadFile("/proc/self/limits")
	if err != nil {
		return failed(err)
	}
	s := self{Status: string(status), Limits: string(limits), DeathSignal: -1}
	if signal, ok := deathSignal(); ok {
		s.DeathSignal = signal
	}
	for _, v := range os.Environ() {
		name, _, _ := strings.Cut(v, "=")
		s.Environ = append(s.Environ, name)
	}
	data, err := json.Marshal(s)
	if err != nil {
		return failed(err)
	}
	return outcome{Done: true, Data: data}
}

// deathSignal asks the main thread, the only one that carries it. Go gives a program no way to that thread once it runs, so
// threads are taken one by one until it is among them: idle ones are handed out before new ones are made.
func deathSignal() (signal int, ok bool) {
	const threads = 64
	found, over := make(chan int, threads), make(chan struct{})
	defer close(over)
	for range threads {
		asked := make(chan bool)
		go func() {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			main := syscall.Gettid() == os.Getpid()
			if main {
				found <- askDeathSignal()
			}
			asked <- main
			<-over
		}()
		if <-asked {
			return <-found, true
		}
	}
	return 0, false
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
func scan() outcome {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return failed(err)
	}
	var list []ran
	room, cut := maxData/2, false // base64 and quotes make it longer
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
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
