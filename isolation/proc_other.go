//go:build !linux

package isolation

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// processes lists what the identity's user runs, by ps as that user.
func (i Identity) processes(ctx context.Context, r Runner) ([]proc, error) { return i.ps(ctx, r) }

// ownedBy is not found out here.
func ownedBy(int) ([]proc, error) { return nil, nil }

// forks is not counted here, so that a sweep always kills.
func forks() (count string, ok bool) { return "", false }

// processTag is the number alone here.
func processTag(pid int) string { return strconv.Itoa(pid) }

// dispatchers are not found out here: only the lock keeps their directories.
func dispatchers(int) []string { return nil }

// flockHolder does not know here.
func flockHolder(*os.File) string { return "another dispatcher" }

// lookAt knows nothing of single processes here: who is logged in is not found out.
func lookAt(int) (p proc, ok bool) { return proc{}, false }

// tagged lists processes of ours that have an entry in their environment, which ps shows for one's own.
func tagged(ctx context.Context, r Runner, _ int, entry string) (list []proc, err error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	out, said, code, err := r.Run(ctx, []string{"/bin/ps", "-xEww", "-o", "pid=,stat=,command="}, bareEnvironment(), nil)
	if err != nil || code != 0 {
		return nil, errors.Join(err, fmt.Errorf("ps: status %d: %s", code, excerpt(said)))
	}
	for line := range strings.Lines(string(out)) {
		f := strings.Fields(line)
		if len(f) < 3 || f[1][0] == 'Z' || !strings.Contains(line+" ", " "+entry+" ") {
			continue
		}
		if pid, err := strconv.Atoi(f[0]); err == nil && pid != os.Getpid() {
			list = append(list, proc{pid: pid, name: f[2]})
		}
	}
	return list, nil
}

// killOf does nothing here, where no handle keeps a number from being given to somebody else: kill -1 is all there is.
func killOf([]proc, int) error { return nil }

func killOwn(list []proc, _ string) error {
	var trouble error
	for _, p := range list {
		handle, err := os.FindProcess(p.pid)
		if err != nil {
			continue // it ended
		}
		if err := handle.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
			trouble = errors.Join(trouble, fmt.Errorf("killing process %d: %w", p.pid, err))
		}
	}
	return trouble
}
