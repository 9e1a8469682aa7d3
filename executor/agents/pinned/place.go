package pinned

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// maxLinks on one way, as the kernel has it.
const maxLinks = 40

// Ours reports whether nobody but root and ourselves could change what an absolute path leads to: each part of it, and of
// whatever a link on the way leads to, is looked at, for the owner of a directory with a link in it decides where that leads.
// Of a directory that everybody may write, and where only owners may rename (/tmp), the parts below decide. The error is an
// *Error when others could, else of the system.
func Ours(path string) error {
	if !filepath.IsAbs(path) {
		return fmt.Errorf("%q is not an absolute path", path)
	}
	at, links := "/", 0
	for rest := strings.Split(path, "/"); len(rest) > 0; {
		part := rest[0]
		rest = rest[1:]
		if part == ".." {
			at = filepath.Dir(at)
			continue
		}
		next := filepath.Join(at, part)
		info, err := os.Lstat(next)
		if err != nil {
			return err
		}
		if why, fix := exposed(next, info); why != "" {
			return &Error{Problem: why, Fix: fix}
		}
		if info.Mode()&os.ModeSymlink == 0 {
			at = next
			continue
		}
		target, err := os.Readlink(next)
		if links++; err != nil || links > maxLinks {
			return errors.Join(fmt.Errorf("following %q: %d links on the way", next, links), err)
		}
		if filepath.IsAbs(target) {
			at = "/"
		}
		rest = append(strings.Split(target, "/"), rest...)
	}
	return nil
}

// checkPlace refuses a copy that others could change.
func (c *Copy) checkPlace() error {
	err := Ours(c.Path)
	var open *Error
	switch {
	case errors.As(err, &open):
		return &Error{Err: err, Fix: open.Fix, Problem: fmt.Sprintf("the installed copy of %s %s is not started: %s", c.Agent, c.Version, open.Problem)}
	case err != nil:
		return c.broken(err, "cannot be reached: %v", err)
	}
	return nil
}

// makePlace makes a directory that nobody else could change. What is there of its path is looked at first: in a directory of
// another's root would make, write and open whatever a link that is put there leads to. What root makes is for every user of
// the host, whatever its umask.
func makePlace(dir string) error {
	var missing []string // the deepest first
	there := dir
	for there != "/" {
		if _, err := os.Lstat(there); !errors.Is(err, fs.ErrNotExist) {
			break
		}
		missing = append(missing, there)
		there = filepath.Dir(there)
	}
	if err := Ours(there); err != nil {
		return err
	}
	for _, d := range slices.Backward(missing) {
		err := os.Mkdir(d, 0o755)
		if err == nil && os.Geteuid() == 0 {
			err = os.Chmod(d, 0o755)
		}
		if err != nil && !errors.Is(err, fs.ErrExist) { // another install was faster, or in /tmp another user
			return err
		}
	}
	return Ours(dir)
}

// exposed says who else could change a part of a path, "" when nobody could.
func exposed(at string, info os.FileInfo) (why, fix string) {
	st, ok := info.Sys().(*syscall.Stat_t)
	switch {
	case !ok:
		return fmt.Sprintf("who owns %q cannot be found out on this system", at), ownMeans
	case st.Uid != 0 && int(st.Uid) != os.Geteuid():
		return fmt.Sprintf("%q belongs to user %d, who could replace it", at, st.Uid), "keep it below a directory of root's or of your own"
	case info.Mode().Perm()&0o022 != 0 && info.Mode()&os.ModeSymlink == 0 && !(info.IsDir() && info.Mode()&os.ModeSticky != 0):
		return fmt.Sprintf("%q may be written by others (%v)", at, info.Mode()), "chmod go-w " + word(at)
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

// readOwn reads a configuration file of at most max bytes that nobody else could have written. Links that are ours may lead
// to it. One that does not exist wraps fs.ErrNotExist, whoever could make it.
func readOwn(path string, max int64) ([]byte, error) {
	if !filepath.IsAbs(path) {
		return nil, errors.New("it is not an absolute path, and would be one of the current directory")
	}
	if _, err := os.Stat(path); err != nil {
		return nil, err
	}
	if err := Ours(path); err != nil {
		return nil, err
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return nil, err
	}
	f, err := openOwn(real)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, max+1))
	if err == nil && int64(len(text)) > max {
		err = fmt.Errorf("it has more than %d bytes", max)
	}
	return text, err
}
