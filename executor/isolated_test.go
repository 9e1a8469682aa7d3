package executor_test

import (
	"testing"

	"github.com/d3mlabs/ai-flow/executor/process"
	"github.com/d3mlabs/ai-flow/isolation"
	"github.com/d3mlabs/ai-flow/testsupport/fakeagent"
	"github.com/d3mlabs/ai-flow/testsupport/hostuser"
)

// playIsolated makes a bench whose agent runs as another user, through a real sudo.
func playIsolated(t testing.TB, s fakeagent.Script) *bench {
	t.Helper()
	pair := hostuser.Get(t)
	id, err := isolation.Resolve(t.Context(), process.Runner{}, pair.Agent.Name)
	if err != nil {
		t.Fatal(err)
	}
	return playAs(t, id, s)
}
