package executor

import (
	"context"
	"errors"

	"github.com/d3mlabs/ai-flow/executor/agents/pinned"
)

// pinnedArgv hands the checked bytes of the agent's executable over to the agent user and returns the command line that runs
// them. They are hashed on their way, so that there is no time between check and start; each launch hands them over anew, since
// an earlier one in the same room could alter its copy (A2-6, A2-7).
func (l *launch) pinnedArgv(ctx context.Context) ([]string, error) {
	exe, err := l.agent.Pinned.Open()
	if err != nil {
		return nil, pinFailure(err)
	}
	defer exe.Close()
	installed, err := l.task.Room.Install(ctx, l.agent.Pinned.Name(), exe)
	if err != nil {
		return nil, pinFailure(err)
	}
	if !exe.Checked() { // the one who takes it may stop reading before its end
		return nil, failf(FailedSetup, "start", nil, "the executable of %s was not handed over as a whole", l.agent.Profile.Title)
	}
	return append([]string{installed}, l.agent.args()...), nil
}

// pinFailure keeps the fix that pinned knows.
func pinFailure(err error) *Failure {
	f := setupFailure("start", err)
	var p *pinned.Error
	if errors.As(err, &p) {
		f.Message, f.Fix = p.Problem, p.Fix
	}
	return f
}

// checkVersion refuses an executable that runs another version of itself than the one whose bytes were checked: Copilot does
// that when a newer package lies in its cache (A2-6).
func (l *launch) checkVersion(answered string) error {
	want := l.agent.Pinned.Version
	if answered == want {
		return nil
	}
	f := failf(FailedInitialize, "initialize", nil, "%s %s was started, and version %q answered", l.agent.Profile.Title, want, bounded(answered))
	f.Fix = "let no setting of the agent's, such as a variable in AI_FLOW_AGENT_ENV or words in AI_FLOW_AGENT_ARGS, make it update itself"
	return f
}
