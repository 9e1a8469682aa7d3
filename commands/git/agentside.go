package git

import (
	"context"
	_ "embed" // the scripts
	"time"

	"github.com/d3mlabs/ai-flow/executor/process"
	"github.com/d3mlabs/ai-flow/isolation"
)

// The scripts are read-only text, kept as files so that shellcheck reads them.
var (
	//go:embed scripts/handover.sh
	handOverScript string
	//go:embed scripts/prelude.sh
	preludeScript string
	//go:embed scripts/survey.sh
	surveyScript string
	//go:embed scripts/collect.sh
	collectScript string
	//go:embed scripts/keep.sh
	keepScript string
	//go:embed scripts/rewind.sh
	rewindScript string
)

// agentEnvironment is the whole environment of a script of ours that runs as the agent, with the agent's files around:
// no home, no configuration, no PATH, no BASH_ENV of its own making. It is given through env -i since the room's own
// environment is the agent's, and rightly has no GIT_ variables.
func agentEnvironment() []string { return environment("/nonexistent") }

// asAgent runs one of the scripts in the room, as the agent user.
func asAgent(ctx context.Context, room *isolation.Room, name string, j job, script string, args ...string) ([]byte, error) {
	argv := append([]string{"/usr/bin/env", "-i"}, agentEnvironment()...)
	argv = append(argv, "/bin/sh", "-c", script, "sh")
	inv, err := room.Command(room.Path(), isolation.Environment{}, append(argv, args...)...)
	if err != nil {
		return nil, err
	}
	if j.time == 0 {
		j.time = transferTime
	}
	return finish(ctx, name+" as the agent", j, process.Command{
		Argv: inv.Argv, Env: inv.Env, Dir: inv.Dir,
		Signal: room.Identity().SignalArgv, Grace: time.Second,
	})
}
