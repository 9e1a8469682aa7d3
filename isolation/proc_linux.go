package isolation

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// processes lists what the identity's user runs. The owner of /proc/PID was rejected as the test: a process that is not
// dumpable shows root there, and any process can make itself so.
func (i Identity) processes(ctx context.Context, r Runner) ([]proc, error) {
	if _, err := os.ReadFile("/proc/1/status"); err != nil {
		return i.ps(ctx, r)
	}
	return ownedBy(i.uid)
}

func ownedBy(uid int) (list []proc, err error) {
	pids, err := allPIDs()
	if err != nil {
		return nil, err
	}
	for _, pid := range pids {
		p, ok := lookAt(pid)
		if ok && (p.uids[0] == uid || p.uids[1] == uid || p.uids[2] == uid || p.uids[3] == uid) {
			list = append(list, p)
		}
	}
	return list, nil
}

func allPIDs() (pids []int, err error) {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		if pid, err := strconv.Atoi(name); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids, nil
}

// forks is how many processes the kernel has started since it booted. The count and the new process become visible
// together.
func forks() (count string, ok bool) {
	stat, err := os.ReadFile("/proc/stat")
	if err != nil {
		return "", false
	}
	_, rest, ok := strings.Cut(string(stat), "\nprocesses ")
	count, _, _ = strings.Cut(rest, "\n")
	return count, ok
}

// processTag names a process for as long as the host runs: a number alone is soon another's.
func processTag(pid int) string {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return strconv.Itoa(pid)
	}
	// The name, in parentheses, may hold anything; the start is the 20th field behind it.
	f := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	if len(f) < 20 {
		return strconv.Itoa(pid)
	}
	return strconv.Itoa(pid) + "-" + f[19]
}

// dispatchers are the tags of programs of our name that run besides us and are not the agent's.
func dispatchers(agent int) (tags []string) {
	self, known := lookAt(os.Getpid())
	pids, err := allPIDs()
	if err != nil || !known {
		return nil
	}
	for _, pid := range pids {
		p, ok := lookAt(pid)
		if ok && pid != self.pid && p.name == self.name && !slices.Contains(p.uids[:], agent) {
			tags = append(tags, processTag(pid))
		}
	}
	return tags
}

// flockHolder says who has the lock on a file that its holder cannot write to. That is for people.
func flockHolder(f *os.File) string {
	const nobodyKnown = "another dispatcher"
	info, err := f.Stat()
	if err != nil {
		return nobodyKnown
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	locks, err := os.ReadFile("/proc/locks")
	if !ok || err != nil {
		return nobodyKnown
	}
	for line := range strings.Lines(string(locks)) { // "1: FLOCK  ADVISORY  WRITE 4711 08:01:131 0 EOF"; "->" in front of who waits
		w := strings.Fields(line)
		if len(w) < 6 || w[1] != "FLOCK" || !strings.HasSuffix(w[5], ":"+strconv.FormatUint(st.Ino, 10)) {
			continue
		}
		pid, err := strconv.Atoi(w[4])
		if p, alive := lookAt(pid); err == nil && alive {
			return fmt.Sprintf("process %d of the user %d", pid, p.uids[0])
		}
	}
	return nobodyKnown
}

// lookAt reads a process. One that ended, zombies included, is not ok.
func lookAt(pid int) (p proc, ok bool) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return proc{}, false
	}
	return parseStatus(string(status), pid)
}

func parseStatus(status string, pid int) (p proc, ok bool) {
	p.pid = pid
	var state, threads string
	for line := range strings.Lines(status) {
		key, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ":\t")
		switch key {
		case "Name":
			p.name = value
		case "State":
			state = value
		case "PPid":
			p.parent, _ = strconv.Atoi(value)
		case "Uid":
			for n, f := range strings.Fields(value) {
				if n < len(p.uids) {
					p.uids[n], _ = strconv.Atoi(f)
				}
			}
			ok = true
		case "Threads":
			threads = value
		}
	}
	// A main thread that ended while others run looks like a zombie, and is alive.
	dead := strings.HasPrefix(state, "X") || strings.HasPrefix(state, "Z") && (threads == "1" || threads == "0" || threads == "")
	p.stuck = strings.HasPrefix(state, "D")
	return p, ok && !dead
}

// tagged lists processes of ours that have an entry in their environment.
func tagged(_ context.Context, _ Runner, uid int, entry string) (list []proc, err error) {
	own, err := ownedBy(uid)
	if err != nil {
		return nil, err
	}
	for _, p := range own {
		if p.pid != os.Getpid() && hasEntry(p.pid, entry) {
			list = append(list, p)
		}
	}
	return list, nil
}

func hasEntry(pid int, entry string) bool {
	env, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
	if err != nil {
		return false
	}
	return bytes.Contains(append([]byte{0}, env...), []byte("\x00"+entry+"\x00"))
}

// killOwn kills processes of ours that have an entry in their environment.
func killOwn(list []proc, entry string) error {
	return killEach(list, func(pid int) bool { return hasEntry(pid, entry) })
}

// killOf kills, as root, those that the user's own kill -1 would take: the real or the saved user is theirs. By the other
// two ids it could be a server of root's that works for the user at this moment.
func killOf(list []proc, uid int) error {
	return killEach(list, func(pid int) bool {
		p, ok := lookAt(pid)
		return ok && (p.uids[0] == uid || p.uids[2] == uid)
	})
}

// killEach kills those that are still what was looked for. The handle (a pidfd) is taken before the second look, so that a
// number that was given to somebody else meanwhile is not killed.
func killEach(list []proc, still func(pid int) bool) error {
	var trouble error
	for _, p := range list {
		handle, err := os.FindProcess(p.pid)
		if err != nil {
			continue // it ended
		}
		if still(p.pid) {
			if err := handle.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
				trouble = errors.Join(trouble, fmt.Errorf("killing process %d: %w", p.pid, err))
			}
		}
		_ = handle.Release() // it cannot fail on a handle that is ours alone
	}
	return trouble
}
