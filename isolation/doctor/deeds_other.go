//go:build !linux

package doctor

import (
	"context"
	"fmt"
	"os"
	"syscall"
)

// special are the deeds for which we know the calls of Linux alone.
func (a attempt) special(context.Context, inside) outcome {
	return outcome{Error: "ENOSYS"}
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
	if info.Mode()&os.ModeSetgid != 0 {
		found = append(found, fmt.Sprintf("setgid %d %s", st.Gid, path))
	}
	return found
}

func deathSignal() int { return -1 }
