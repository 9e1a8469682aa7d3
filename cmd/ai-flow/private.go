package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// privateDir is a directory for one run below our own one: git's objects, and the room of an agent without a boundary. The
// run holds a lock on it as long as it lives, whatever ends it.
type privateDir struct {
	path string
	held *os.File
	// stale is what killed runs left and could not be removed. It stops nothing: the next run tries again.
	stale error
}

const runPrefix = "run-"

func (p *program) openPrivate() (*privateDir, error) {
	if p.env.state == "" {
		return nil, &usageError{"there is no place for ai-flow's own files", "set HOME or XDG_STATE_HOME to an absolute path"}
	}
	if err := os.MkdirAll(p.env.state, 0o700); err != nil {
		return nil, &usageError{fmt.Sprintf("making ai-flow's own directory: %v", err), "set XDG_STATE_HOME to a directory that you can write"}
	}
	stale := removeStale(p.env.state, time.Now())
	path, err := os.MkdirTemp(p.env.state, runPrefix)
	if err != nil {
		return nil, fmt.Errorf("making a directory for this run: %w", err)
	}
	held, err := lockDir(path)
	if err == nil && held == nil {
		err = errors.New("somebody else holds it")
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("locking %s: %w", quoted(path), err), os.RemoveAll(path))
	}
	return &privateDir{path: path, held: held, stale: stale}, nil
}

// close removes the directory, then lets go of it.
func (d *privateDir) close() error { return errors.Join(os.RemoveAll(d.path), d.held.Close()) }

// lockDir takes the lock on a directory; nil when somebody holds it.
func lockDir(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_DIRECTORY|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return nil, err
	}
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return nil, f.Close()
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// removeStale removes the directories of runs that were killed: those which nobody holds. An age alone was rejected: the
// policy file may let a run take days. A young one may be held in a moment.
func removeStale(state string, now time.Time) error {
	const young = time.Minute
	all, err := filepath.Glob(filepath.Join(state, runPrefix+"*"))
	if err != nil {
		return err
	}
	var errs []error
	for _, path := range all {
		info, err := os.Lstat(path)
		if err != nil || now.Sub(info.ModTime()) < young {
			continue // gone meanwhile, or young
		}
		f, err := lockDir(path)
		if f != nil {
			err = errors.Join(os.RemoveAll(path), f.Close())
		}
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}
