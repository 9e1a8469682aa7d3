package isolation

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

const lockPoll = 100 * time.Millisecond

// sharedLocks holds a lock for each agent user that [HostSetup] prepared: root's, so that dispatchers who are different
// users, with state directories of their own, keep each other out.
const sharedLocks = "/var/lib/ai-flow"

// lock is the right to use an agent user, held as long as the descriptors are open: it ends with the process, whatever
// ends that. The files are never removed, since a lock on a removed file keeps nobody out. An abstract socket was
// rejected: the agent could have its name first.
type lock struct {
	own    *os.File // in our state directory
	shared *os.File // nil on a host that has none
	used   bool     // we have run as this user before, from this state directory
}

// acquire waits for both locks, always in the same order.
func acquire(ctx context.Context, dir string, id Identity, waiting func(who string)) (_ *lock, err error) {
	l := &lock{}
	defer func() {
		if err != nil {
			err = errors.Join(err, l.close())
		}
	}()
	if l.own, err = openOwn(dir, id.name); err != nil {
		return nil, err
	}
	told := false
	tell := func(who string) {
		if !told && waiting != nil {
			waiting(who)
		}
		told = true
	}
	if err := hold(ctx, l.own, id.name, tell, func() string { return signature(l.own) }); err != nil {
		return nil, err
	}
	l.used = signature(l.own) != unsigned
	if err := sign(l.own); err != nil {
		return nil, err
	}
	if l.shared, err = openShared(sharedLocks, id); l.shared == nil {
		return l, err
	}
	return l, hold(ctx, l.shared, id.name, tell, func() string { return flockHolder(l.shared) })
}

func openOwn(dir, agent string) (*os.File, error) {
	if err := privateDir(dir); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(filepath.Join(dir, agent+".lock"), os.O_CREATE|os.O_RDWR|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, fmt.Errorf("opening the lock of the agent user: %w", err)
	}
	return f, nil
}

// openShared opens the lock that all dispatchers of the agent user share; nil when there is none. One that is not as we
// make it is refused and not passed over: somebody else holds to it.
func openShared(dir string, id Identity) (*os.File, error) {
	path := filepath.Join(dir, id.name+".lock")
	odd := func(problem string) error {
		return &SetupError{Kind: BadPlace, Problem: fmt.Sprintf("the lock %q %s", path, problem),
			Fix: fmt.Sprintf("sudo chown 0:%d %s && sudo chmod 0604 %[2]s, in a directory of root's; ai-flow must not be in the group %[1]d", id.gid, path)}
	}
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, odd("cannot be opened: " + errors.Unwrap(err).Error())
	}
	where, err1 := os.Lstat(dir)
	what, err2 := f.Stat()
	if err := errors.Join(err1, err2); err != nil {
		return nil, errors.Join(fmt.Errorf("looking at the shared lock: %w", err), f.Close())
	}
	d, ok1 := where.Sys().(*syscall.Stat_t)
	s, ok2 := what.Sys().(*syscall.Stat_t)
	if !ok1 || !ok2 || d.Uid != 0 || !where.IsDir() || where.Mode().Perm()&0o022 != 0 || s.Uid != 0 || !what.Mode().IsRegular() {
		return nil, errors.Join(odd("is not root's, or lies where others can replace it"), f.Close())
	}
	if int(s.Gid) != id.gid || what.Mode().Perm()&0o072 != 0 {
		return nil, errors.Join(odd("is not closed to the agent user"), f.Close())
	}
	return f, nil
}

// hold waits for the lock on f. A blocking flock was rejected: it cannot be given up when ctx ends.
func hold(ctx context.Context, f *os.File, agent string, tell func(who string), holder func() string) error {
	for {
		switch err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); {
		case err == nil:
			return nil
		case !errors.Is(err, syscall.EWOULDBLOCK) && !errors.Is(err, syscall.EINTR):
			return fmt.Errorf("locking %q: %w", f.Name(), err)
		}
		tell(holder())
		if err := sleep(ctx, lockPoll); err != nil {
			return fmt.Errorf("waiting for the agent user %s, held by %s: %w", agent, holder(), err)
		}
	}
}

// sign says in the file who holds it. That is for people: the lock itself does not depend on it.
func sign(f *os.File) error {
	text := fmt.Sprintf("process %d since %s\n", os.Getpid(), time.Now().UTC().Format(time.RFC3339))
	err := f.Truncate(0)
	if err == nil {
		_, err = f.WriteAt([]byte(text), 0)
	}
	if err != nil {
		return fmt.Errorf("writing the lock of the agent user: %w", err)
	}
	return nil
}

// unsign takes our name out again: we did not use the user after all.
func (l *lock) unsign() error {
	if l.used {
		return nil
	}
	return l.own.Truncate(0)
}

// unsigned is the signature of a lock that nobody has signed.
const unsigned = "another process"

func signature(f *os.File) string {
	text, err := io.ReadAll(io.NewSectionReader(f, 0, 200))
	if who := strings.TrimSpace(string(text)); err == nil && who != "" {
		return who
	}
	return unsigned
}

func (l *lock) release() error {
	if l == nil {
		return nil
	}
	return errors.Join(l.own.Truncate(0), l.close())
}

// close lets go of the shared lock first: whoever waits for it holds an own one.
func (l *lock) close() error {
	var trouble error
	for _, f := range []*os.File{l.shared, l.own} {
		if f != nil {
			trouble = errors.Join(trouble, f.Close())
		}
	}
	return trouble
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
		return &SetupError{Kind: BadPlace, Problem: fmt.Sprintf("the state directory %q is not a directory", dir), Fix: "remove it, or name another one"}
	case !ok || int(st.Uid) != os.Getuid():
		return &SetupError{Kind: BadPlace, Problem: fmt.Sprintf("the state directory %q belongs to another user", dir), Fix: "name a directory of your own"}
	case info.Mode().Perm()&0o077 != 0:
		return &SetupError{Kind: BadPlace, Problem: fmt.Sprintf("the state directory %q is open to other users (mode %04o)", dir, info.Mode().Perm()),
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
