package isolation

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// OpenOptions of a Room.
type OpenOptions struct {
	// StateDir holds the lock: an absolute path of the dispatcher's own, closed to other users, made when missing. Not
	// needed when not isolated. Dispatchers that are different users keep each other out by the lock that HostSetup makes;
	// on a host without it, only those that name the same directory do.
	StateDir string
	TempDir  string           // absolute; where the run's directory goes when not isolated, never used otherwise
	Waiting  func(who string) // called once when another run holds the agent user, before waiting for it; may be nil
}

// Room is the place of one run: the lock on the agent user, and directories that belong to that user. Its methods may be
// called from several goroutines, but Close only when the others have returned.
type Room struct {
	id        Identity
	runner    Runner
	lock      *lock
	dir       string
	tag       string // in the environment of what an unisolated room runs; "" when isolated
	leftovers []Process

	closing sync.Once
	closed  error
}

// Open takes the lock (waiting while another run has it), ends leftovers of that user, and makes the directories. The
// error is a *SetupError where the host is not ready; no lock and no directory is left behind then.
func Open(ctx context.Context, r Runner, id Identity, o OpenOptions) (_ *Room, err error) {
	if id.name == "" {
		return nil, errNobody
	}
	token := make([]byte, 8)
	if _, err := rand.Read(token); err != nil {
		return nil, fmt.Errorf("naming the run: %w", err)
	}
	room := &Room{id: id, runner: r}
	name := "ai-flow-run-" + processTag(os.Getpid()) + "-" + hex.EncodeToString(token)
	if !id.Isolated() {
		room.tag = hex.EncodeToString(token)
	} else if room.lock, err = acquire(ctx, o.StateDir, id, o.Waiting); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, room.lock.release())
		}
	}()
	if err := room.clear(ctx, o.Waiting); err != nil {
		return nil, err
	}
	if err := room.prove(ctx); err != nil {
		return nil, err
	}
	places, err := id.places(o)
	if err != nil {
		return nil, err
	}
	if err := room.make(ctx, name, places); err != nil {
		return nil, err
	}
	return room, nil
}

// places are where the run's directory may stand, best first. A home inside the dispatcher's own is left out: what stands
// there is closed to other users, or should be.
func (i Identity) places(o OpenOptions) ([]string, error) {
	if !i.Isolated() {
		if !filepath.IsAbs(o.TempDir) {
			return nil, fmt.Errorf("temporary directory %q is not an absolute path", o.TempDir)
		}
		return []string{filepath.Clean(o.TempDir)}, nil
	}
	ours, err := user.Current()
	if err != nil {
		return nil, fmt.Errorf("finding out who we are: %w", err)
	}
	places := []string{"/var/tmp", "/tmp"}
	if home := filepath.Clean(ours.HomeDir); home == "/" || !strings.HasPrefix(i.home+"/", home+"/") {
		places = append([]string{i.home + "/.ai-flow"}, places...)
	}
	return places, nil
}

func (r *Room) make(ctx context.Context, name string, places []string) error {
	stale := "clear"
	if !r.id.Isolated() {
		stale = "leave" // without a lock they may be those of a run that goes on
	}
	live := ""
	if r.lock != nil && r.lock.shared == nil {
		live = strings.Join(dispatchers(r.id.uid), " ") // they do not wait for each other, and must not lose their trees
	}
	out, said, a, err := r.id.script(ctx, r.runner, removeTime, nil, openScript, append([]string{name, stale, live}, places...)...)
	switch {
	case err != nil:
		return fmt.Errorf("making the run's directory: %w", err)
	case a == answerNoPlace:
		return &SetupError{Kind: BadPlace, Problem: fmt.Sprintf("the user %s can make a directory neither in its home %q nor in /var/tmp", r.id.name, r.id.home),
			Fix: fmt.Sprintf("sudo install -d -o %s -m 0700 %s", r.id.name, shellWord(r.id.home))}
	case a == answerStale:
		return &SetupError{Kind: BadPlace, Problem: fmt.Sprintf("what a killed run left cannot be removed by %s: %s", r.id.name, excerpt(said)), Fix: "remove it as root"}
	case a != answerOK:
		return fmt.Errorf("making the run's directory: %w", a.because(name, said))
	}
	// The script's word is compared with what it may say: a process of the agent's could have spoken for it.
	dir := strings.TrimSuffix(string(out), "\n")
	for _, p := range places {
		if dir == filepath.Join(p, name) {
			r.dir = dir
			return nil
		}
	}
	return fmt.Errorf("making the run's directory: unexpected answer %s", excerpt(out))
}

// Home is the home of this run: below Path, empty at first, and removed with it. The account's own home is the same for all
// runs, so what one run left there (a .gitconfig, a .bashrc, a poisoned build cache) would be obeyed by the next.
func (r *Room) Home() string { return r.Path("home") }

// Identity is who runs here.
func (r *Room) Identity() Identity { return r.id }

// Leftovers are the processes of the agent user that were running when the room was opened, and were ended.
func (r *Room) Leftovers() []Process { return r.leftovers }

// Path joins names below the run's directory, which belongs to the agent user and is closed to all others; without names it
// is that directory.
func (r *Room) Path(elem ...string) string {
	return filepath.Join(append([]string{r.dir}, elem...)...)
}

// Close sweeps, removes the directories as the agent user and gives the lock back. It never leaves a lock behind, and
// does its work also when ctx has ended. Later calls return the first result.
func (r *Room) Close(ctx context.Context) error {
	r.closing.Do(func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), removeTime+sweepTime)
		defer cancel()
		survivors, err := r.Sweep(ctx)
		r.closed = errors.Join(err, survived(r.id, survivors), r.remove(ctx), r.lock.release())
	})
	return r.closed
}

func (r *Room) remove(ctx context.Context) error {
	_, said, a, err := r.id.script(ctx, r.runner, removeTime, nil, removeScript, r.dir)
	if err == nil && a != answerOK {
		err = a.because(r.dir, said)
	}
	if err != nil {
		return fmt.Errorf("removing the run's directory: %w", err)
	}
	return nil
}

func sortedKeys(m map[string]string) []string {
	return slices.Sorted(maps.Keys(m))
}
