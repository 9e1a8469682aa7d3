package probe_test

import (
	"bufio"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/d3mlabs/ai-flow/executor/probe"
	"github.com/d3mlabs/ai-flow/testsupport/hostuser"
	"github.com/d3mlabs/ai-flow/testsupport/modelagent"
)

// Nothing is left of a probe, whatever the agent leaves: no process, no room, no listener (A2-46, S3). As root, and as the
// dispatcher's own user, who may touch nothing of the agent's.
func TestProbeLeavesNothing(t *testing.T) {
	hostuser.EachDispatcher(t, func(t *testing.T, p hostuser.Pair) {
		before := listeners(t)
		agent := subject(t, modelagent.Profile(modelagent.LeavesChild))
		r := run(t, probe.Options{Agent: agent, Scenarios: []probe.Scenario{probe.Exit}})
		differ(t, r, nil)
		if got := processes(t, p.Agent.UID); len(got) > 0 {
			t.Errorf("of %s there still runs %q", p.Agent.Name, got)
		}
		if got := listeners(t); got != before {
			t.Errorf("%d listeners are left, there were %d", got, before)
		}
		for _, dir := range []string{agent.Room.StateDir, agent.Room.TempDir, filepath.Join(p.Agent.Home, ".ai-flow")} {
			left, err := filepath.Glob(filepath.Join(dir, "ai-flow-run-*"))
			if err != nil || len(left) > 0 {
				t.Errorf("left in %s: %q, %v", dir, left, err)
			}
		}
	})
}

// processes are the command lines of a user's processes, those that are only waited for aside.
func processes(t *testing.T, uid int) (lines []string) {
	t.Helper()
	statuses, err := filepath.Glob("/proc/[0-9]*/status")
	if err != nil || len(statuses) == 0 {
		t.Fatal("no processes can be seen: ", err)
	}
	for _, path := range statuses {
		status, err := os.ReadFile(path)
		if err != nil || !strings.Contains(string(status), fmt.Sprintf("\nUid:\t%d\t", uid)) || strings.Contains(string(status), "\nState:\tZ") {
			continue // it ended, or is another's
		}
		line, _ := os.ReadFile(filepath.Join(filepath.Dir(path), "cmdline")) // one that ends now has none
		lines = append(lines, strings.ReplaceAll(string(line), "\x00", " "))
	}
	return lines
}

// listeners counts the TCP sockets that this process listens on.
func listeners(t *testing.T) (n int) {
	t.Helper()
	own := map[string]bool{}
	files, err := filepath.Glob("/proc/self/fd/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if to, err := os.Readlink(f); err == nil {
			own[to] = true
		}
	}
	table, err := os.Open("/proc/self/net/tcp")
	if err != nil {
		t.Fatal(err)
	}
	defer table.Close()
	for lines := bufio.NewScanner(table); lines.Scan(); {
		const state, inode, listening = 3, 9, "0A"
		if f := strings.Fields(lines.Text()); len(f) > inode && f[state] == listening && own["socket:["+f[inode]+"]"] {
			n++
		}
	}
	return n
}

// The two counts above see what is there to be seen.
func TestWhatIsLeftWouldBeSeen(t *testing.T) {
	if before := listeners(t); before+1 != func() int { listen(t); return listeners(t) }() {
		t.Error("a listener is not counted")
	}
	if got := processes(t, os.Getuid()); len(got) == 0 {
		t.Error("not even this process is seen")
	}
}

func listen(t *testing.T) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
}
