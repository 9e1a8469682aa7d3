package isolation

import (
	"context"
	"errors"
	"io"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// answering is a host whose every command ends in one way.
type answering struct {
	said string
	code int
	err  error
}

func (a answering) Run(context.Context, []string, []string, io.Reader) ([]byte, []byte, int, error) {
	return nil, []byte(a.said), a.code, a.err
}

// S3: a user that is seen to run nothing, on a kernel that goes on forking, counts as gone only after a kill that worked:
// what forks and exits without end is rarely there when one looks.
func TestSweepIsNotCertainAfterAFailedKill(t *testing.T) {
	unseen := func(context.Context) ([]proc, bool, error) { return nil, false, nil }
	for name, c := range map[string]struct {
		host    answering
		trouble string
	}{
		"it worked":            {answering{}, ""},
		"nobody was there":     {answering{said: "/bin/sh: 1: kill: No such process\n\n", code: 1}, ""},
		"sudo refuses":         {answering{said: "sudo: a password is required", code: 1}, "status 1"},
		"nobody, says a name":  {answering{said: "No such process: sudo: refused", code: 1}, "status 1"},
		"sudo is gone":         {answering{err: errors.New("no such file")}, "no such file"},
		"the shell was killed": {answering{code: 137}, "status 137"},
	} {
		room := &Room{id: Identity{name: "aift-x", uid: 54321, sudo: "/usr/bin/sudo"}, runner: c.host}
		ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
		survivors, err := sweep(ctx, false, unseen, room.kill)
		cancel()
		if len(survivors) != 0 || (err == nil) != (c.trouble == "") || err != nil && !strings.Contains(err.Error(), c.trouble) {
			t.Errorf("%s: %v, %v", name, survivors, err)
		}
	}
	// When nothing was forked meanwhile, what was seen is all there is.
	still := func(context.Context) ([]proc, bool, error) { return nil, true, nil }
	room := &Room{id: Identity{name: "aift-x", uid: 54321, sudo: "/usr/bin/sudo"}, runner: answering{code: 1}}
	if survivors, err := sweep(t.Context(), false, still, room.kill); err != nil || survivors != nil {
		t.Errorf("%v, %v", survivors, err)
	}
}

// contested is a host where something kills each lone kill, and all but one of several at once.
type contested struct{ runs atomic.Int32 }

func (c *contested) Run(context.Context, []string, []string, io.Reader) ([]byte, []byte, int, error) {
	if c.runs.Add(1) == 5 {
		return nil, nil, 0, nil
	}
	return nil, nil, -1, nil
}

// S3: against an agent that kills the kill, many are sent at once, and one that came through is enough.
func TestAKillThatIsKilledIsSentManyTimesAtOnce(t *testing.T) {
	host := &contested{}
	room := &Room{id: Identity{name: "aift-x", uid: 54321, sudo: "/usr/bin/sudo"}, runner: host}
	if err := room.kill(t.Context(), nil); err != nil || host.runs.Load() < 5 {
		t.Errorf("%v after %d runs", err, host.runs.Load())
	}
	if err := room.kill(t.Context(), nil); err == nil {
		t.Error("every kill was killed, and it counts as done")
	}
}

// Where only a command of the agent user's can look, one that is killed is no reason not to kill.
func TestSweepKillsWhatItCannotSee(t *testing.T) {
	killed := false
	look := func(context.Context) ([]proc, bool, error) {
		if killed {
			return nil, false, nil
		}
		return nil, false, errors.New("ps was killed")
	}
	kill := func(context.Context, []proc) error { killed = true; return nil }
	if survivors, err := sweep(t.Context(), false, look, kill); err != nil || survivors != nil {
		t.Errorf("%v, %v", survivors, err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	blind := func(context.Context) ([]proc, bool, error) { return nil, false, errors.New("ps was killed") }
	if _, err := sweep(ctx, false, blind, kill); err == nil || !strings.Contains(err.Error(), "ps was killed") {
		t.Errorf("never looked, and said %v", err)
	}
}
