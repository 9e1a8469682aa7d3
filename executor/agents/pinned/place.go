package pinned

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// checkPlace refuses a path that anybody but root and ourselves could change: any part of it that others own or may write.
// Of a directory that everybody may write, and where only owners may rename (/tmp), the parts below decide.
func (c *Copy) checkPlace() error {
	real, err := filepath.EvalSymlinks(filepath.Dir(c.Path))
	if err != nil {
		return c.broken(err, "cannot be reached: %v", err)
	}
	for at := filepath.Join(real, filepath.Base(c.Path)); ; at = filepath.Dir(at) {
		info, err := os.Lstat(at)
		if err != nil {
			return c.broken(err, "cannot be reached: %v", err)
		}
		if why, fix := exposed(at, info); why != "" {
			return &Error{Fix: fix, Problem: fmt.Sprintf("the installed copy of %s %s is not started: %s", c.Agent, c.Version, why)}
		}
		if at == filepath.Dir(at) {
			return nil
		}
	}
}

// exposed says who else could change a part of a path, "" when nobody could.
func exposed(at string, info os.FileInfo) (why, fix string) {
	st, ok := info.Sys().(*syscall.Stat_t)
	switch {
	case !ok:
		return fmt.Sprintf("who owns %q cannot be found out on this system", at), ""
	case st.Uid != 0 && int(st.Uid) != os.Geteuid():
		return fmt.Sprintf("%q belongs to user %d, who could replace it", at, st.Uid), "install it below a directory of root's or of your own"
	case info.Mode().Perm()&0o022 != 0 && info.Mode()&os.ModeSymlink == 0 && !(info.IsDir() && info.Mode()&os.ModeSticky != 0):
		return fmt.Sprintf("%q may be written by others (%v)", at, info.Mode()), fmt.Sprintf("chmod go-w %s", at)
	}
	return "", ""
}

// openOwn opens a file for reading that nobody but root and ourselves can write. O_NONBLOCK: what stands there may be a FIFO.
func openOwn(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil {
		if why, _ := exposed(path, info); why != "" {
			err = errors.New(why)
		} else if !info.Mode().IsRegular() {
			err = errors.New("it is not a regular file")
		}
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}
