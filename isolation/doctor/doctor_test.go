package doctor

import (
	"context"
	"fmt"
	"os"
	"testing"

	"github.com/d3mlabs/ai-flow/executor/process"
	"github.com/d3mlabs/ai-flow/isolation"
	"github.com/d3mlabs/ai-flow/testsupport/hostuser"
)

var runner = process.Runner{}

// TestMain is the process inside too: the test binary, which Run installs in a room and starts as the agent.
func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == hiddenCommand {
		if err := Inside(context.Background(), runner, os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(hostuser.Main(m))
}

// options are those of a run on this host with the pair's users.
func options(t testing.TB, p hostuser.Pair) Options {
	t.Helper()
	id, err := isolation.Resolve(t.Context(), runner, p.Agent.Name)
	if err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return Options{Identity: id, Self: self, Room: isolation.OpenOptions{StateDir: t.TempDir() + "/state"}}
}

func examine(t testing.TB, o Options, list []check) map[string]Finding {
	t.Helper()
	rep, err := run(t.Context(), runner, o, list)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]Finding{}
	for _, f := range rep.Findings {
		found[f.ID] = f
	}
	return found
}

// On a host whose boundary stands everything that could be tried passes.
func TestTheBoundaryStands(t *testing.T) {
	hostuser.EachDispatcher(t, func(t *testing.T, p hostuser.Pair) {
		for id, f := range examine(t, options(t, p), checks()) {
			t.Logf("%-8s %s: %s [%s]", f.Status, id, f.Why, f.Fix)
			if f.Status == Fail {
				t.Errorf("%s failed", id)
			}
		}
	})
}
