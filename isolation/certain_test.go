package isolation

import (
	"context"
	"errors"
	"io"
	"strings"
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
