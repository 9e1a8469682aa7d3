package isolation

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

const lockPoll = 100 * time.Millisecond

// lock is the right to use an agent user, held as long as the descriptor is open: it ends with the process, whatever ends
// that. The file is never removed, since a lock on a removed file keeps nobody out.
type lock struct{ f *os.File }

// acquire waits for the lock. A blocking flock was rejected: it cannot be given up when ctx ends.
func acquire(ctx context.Context, dir, agent string, waiting func(who string)) (*lock, error) {
	if err := privateDir(dir); err != nil {
		return nil, err
	}
	path := filepath.Join(dir, agent+".lock")
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, fmt.Errorf("opening the lock of the agent user: %w", err)
	}
	l := &lock{f: f}
	for told := false; ; {
		switch err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); {
		case err == nil:
			return l, l.sign()
		case !errors.Is(err, syscall.EWOULDBLOCK) && !errors.Is(err, syscall.EINTR):
			return nil, errors.Join(fmt.Errorf("locking %q: %w", path, err), f.Close())
		}
		if !told && waiting != nil {
			waiting(l.holder())
		}
		told = true
		if err := sleep(ctx, lockPoll); err != nil {
			return nil, errors.Join(fmt.Errorf("waiting for the agent user %s, held by %s: %w", agent, l.holder(), err), f.Close())
		}
	}
}

// sign says in the file who holds it. That is for people: the lock itself does not depend on it.
func (l *lock) sign() error {
	text := fmt.Sprintf("process %d since %s\n", os.Getpid(), time.Now().UTC().Format(time.RFC3339))
	if err := errors.Join(l.f.Truncate(0), writeAt0(l.f, text)); err != nil {
		return errors.Join(fmt.Errorf("writing the lock of the agent user: %w", err), l.f.Close())
	}
	return nil
}

func writeAt0(f *os.File, text string) error {
	_, err := f.WriteAt([]byte(text), 0)
	return err
}

func (l *lock) holder() string {
	text, err := io.ReadAll(io.NewSectionReader(l.f, 0, 200))
	if who := strings.TrimSpace(string(text)); err == nil && who != "" {
		return who
	}
	return "another process"
}

func (l *lock) release() error {
	if l == nil {
		return nil
	}
	return errors.Join(l.f.Truncate(0), l.f.Close())
}

// privateDir makes a directory of ours that no other user can enter, or refuses one that is not so.
func privateDir(dir string) error {
	if !filepath.IsAbs(dir) {
		return fmt.Errorf("state directory %q is not an absolute path", dir)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("making the state directory: %w", err)
	}
	info, err := os.Lstat(dir)
	if err != nil {
		return fmt.Errorf("looking at the state directory: %w", err)
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	switch {
	case !info.IsDir():
		return &SetupError{Problem: fmt.Sprintf("the state directory %q is not a directory", dir), Fix: "remove it, or name another one"}
	case !ok || int(st.Uid) != os.Getuid():
		return &SetupError{Problem: fmt.Sprintf("the state directory %q belongs to another user", dir), Fix: "name a directory of your own"}
	case info.Mode().Perm()&0o077 != 0:
		return &SetupError{Problem: fmt.Sprintf("the state directory %q is open to other users (mode %04o)", dir, info.Mode().Perm()),
			Fix: fmt.Sprintf("chmod 0700 %s", shellWord(dir))}
	}
	return nil
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-t.C:
		return nil
	}
}

// shellWord quotes text for a command line that a person copies.
func shellWord(s string) string {
	if s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-=:,+@%", r)
	}) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
