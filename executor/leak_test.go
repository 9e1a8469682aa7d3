package executor_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/d3mlabs/ai-flow/denials"
	"github.com/d3mlabs/ai-flow/executor/permission"
	"github.com/d3mlabs/ai-flow/testsupport"
	"github.com/d3mlabs/ai-flow/testsupport/fakeagent"
)

// TestLaunchesLeaveNothing launches a fast agent again and again (1,000 times in CI) as another user, and counts.
func TestLaunchesLeaveNothing(t *testing.T) { // S3
	b := playIsolated(t, fakeagent.Script{Turns: []fakeagent.Turn{{{Say: "hello"}}}})
	installed(t, b)
	times := 25
	if os.Getenv("AI_FLOW_CI") == "1" {
		times = 1000
	}
	b.mustLaunch(t, permission.ReadOnly) // what is made once: pools, the poller
	before := count(t, b)
	for range times {
		if r := b.mustLaunch(t, permission.ReadOnly); !r.Swept {
			t.Fatalf("survivors: %v", r.Survivors)
		}
	}
	var after counts
	for range 50 { // goroutines that are about to end
		if after = count(t, b); after == before {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Errorf("after %d launches: %+v, before: %+v", times, after, before)
}

type counts struct{ descriptors, goroutines, files int }

func count(t *testing.T, b *bench) (c counts) {
	t.Helper()
	c.goroutines = runtime.NumGoroutine()
	fds, err := os.ReadDir("/proc/self/fd")
	testsupport.Need(t, err == nil, "/proc, so Linux", "docker run --rm -v \"$PWD:/src\" -w /src golang:1.26 go test ./executor")
	c.descriptors = len(fds)
	if os.Getuid() == 0 {
		err = filepath.WalkDir(b.room.Path(), func(string, os.DirEntry, error) error { c.files++; return nil })
		if err != nil {
			t.Fatal(err)
		}
	}
	return c
}

func TestDenialInSpilledOutputIsFound(t *testing.T) { // agents.md point 16
	b := play(t, fakeagent.Script{Turns: []fakeagent.Turn{{
		{Call: &fakeagent.Call{Run: true, Ask: true, Command: `(seq 9; echo "cat: /srv/vault: Permission denied"; seq 9) > $TMPDIR/full.txt; ` +
			`echo "Output too large to read at once. Saved to: $TMPDIR/full.txt"`}},
		{Say: "done"}}}})
	r := b.mustLaunch(t, permission.FullAccess)
	if len(r.Wants) != 1 || r.Wants[0].Subject != "/srv/vault" || r.Wants[0].Channel != denials.Observed {
		t.Errorf("got wants %+v", r.Wants)
	}
}

func TestSpillThatIsALinkIsNotFollowed(t *testing.T) { // S2
	b := playIsolated(t, fakeagent.Script{Turns: []fakeagent.Turn{{
		{Call: &fakeagent.Call{Run: true, Ask: true, Command: `ln -s /proc/self/environ $TMPDIR/a; mkfifo $TMPDIR/b; echo "Saved to: $TMPDIR/a"; echo "saved to $TMPDIR/b"`}}}}})
	began := time.Now()
	b.mustLaunch(t, permission.FullAccess)
	if took := time.Since(began); took > 15*time.Second {
		t.Errorf("a FIFO held the launch for %v", took)
	}
	if got := strings.Count(b.log.text(), "could not be scanned"); got != 2 {
		t.Errorf("got %d notices about unreadable output, want 2:\n%s", got, b.log.text())
	}
}
