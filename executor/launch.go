package executor

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"os"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/d3mlabs/ai-flow/acpclient"
	"github.com/d3mlabs/ai-flow/denials"
	"github.com/d3mlabs/ai-flow/executor/agents"
	"github.com/d3mlabs/ai-flow/executor/process"
)

// launch is one run of Launch.
type launch struct {
	agent  *Agent
	task   Task
	limits Limits
	turn   *turn
	child  *process.Child
	conn   *acpclient.Conn
	mu     sync.Mutex // for said: a grandchild may write on while the launch ends
	said   []byte     // of standard error, not yet logged: a line that has not ended
	// report is filled as things become known, so that it is worth showing whenever the launch ends.
	report Report
}

// Launch runs the task and returns a Report even when it returns an error: partial text, wants and usage are worth
// showing. The error is a *Failure. When Launch returns, no process of the agent's is alive, or the report names it.
func (a *Agent) Launch(ctx context.Context, t Task) (Report, error) {
	l := &launch{agent: a, task: t, limits: a.Limits.withDefaults()}
	l.turn = &turn{label: "[" + t.Label + "]", policy: t.Policy, profile: a.Profile, log: a.Log, progress: a.Progress, witness: a.Witness, began: time.Now(), enough: make(chan struct{})}
	l.turn.wants = denials.NewCollector(denials.Options{Workspace: t.Dir, Home: t.Room.Home(), OnWant: l.turn.observedWant})
	l.report.ModelAsked = t.Model
	l.turn.access = l.access()

	failure := l.run(ctx)
	l.end(ctx)
	l.collect(ctx)
	l.turn.hush()
	if failure != nil {
		l.explain(failure)
		return l.report, failure
	}
	return l.report, nil
}

// run goes through the phases up to the end of the turn.
func (l *launch) run(ctx context.Context) *Failure {
	if err := ctx.Err(); err != nil {
		return cancelled(ctx, "start")
	}
	if f := l.phase(ctx, "start", l.limits.Start, FailedStart, l.start); f != nil {
		return f
	}
	if f := l.phase(ctx, "initialize", l.limits.Initialize, FailedInitialize, l.initialize); f != nil {
		return f
	}
	var session acpclient.Session
	f := l.phase(ctx, "session", l.limits.Session, FailedSession, func(ctx context.Context) (err error) {
		session, err = l.session(ctx)
		return err
	})
	if f != nil {
		return f
	}
	return l.phase(ctx, "turn", l.limits.Turn, FailedTurnTime, func(ctx context.Context) error { return l.prompt(ctx, session) })
}

// errSilent and errProbing are the causes of a turn that we ended: nothing came, or nothing but what is refused.
var (
	errSilent  = errors.New("the agent went silent")
	errProbing = errors.New("the agent keeps asking for what is refused")
)

// phase runs one phase under its deadline, records how long it took, and makes a Failure of its error.
func (l *launch) phase(ctx context.Context, name string, limit time.Duration, class Class, do func(context.Context) error) *Failure {
	l.turn.tell(Event{Kind: EventPhase, Text: name})
	began := time.Now()
	phased, cancel := context.WithTimeoutCause(ctx, limit, errDeadline)
	err := do(phased)
	cause := context.Cause(phased)
	cancel()
	l.report.Phases = append(l.report.Phases, Phase{Name: name, Took: time.Since(began)})
	if err == nil {
		return nil
	}
	return l.classify(ctx, name, limit, class, err, cause)
}

var errDeadline = errors.New("deadline of the phase")

// classify names the failure. What we know of our own accord (cancelled, out of time) goes before what the agent says:
// one that is cancelled at its deadline may well answer end_turn (H5-03).
func (l *launch) classify(ctx context.Context, phase string, limit time.Duration, class Class, err, cause error) *Failure {
	var f *Failure
	var bound *acpclient.ProtocolError
	who := l.agent.Profile.Title
	switch {
	case ctx.Err() != nil:
		return cancelled(ctx, phase)
	case errors.Is(err, errProbing):
		return failf(FailedTurn, phase, err, "%s asked %d times for what this run refuses and was ended", who, maxRejections)
	case errors.Is(err, errSilent):
		return failf(FailedSilence, phase, err, "%s sent nothing for %s and was ended", who, l.limits.Silence)
	case errors.As(err, &f):
		f.Phase = phase
		return f
	case errors.Is(cause, errDeadline) && phase == "turn":
		return failf(FailedTurnTime, phase, err, "the turn took longer than %s and was ended", limit)
	case errors.Is(cause, errDeadline):
		return failf(class, phase, err, "%s did not finish the phase %q within %s: is it an ACP agent, and can it start here?", who, phase, limit)
	case errors.As(err, &bound):
		return failf(FailedProtocol, phase, err, "%s broke the protocol: %v", who, err)
	case errors.Is(err, acpclient.ErrClosed), errors.Is(err, syscall.EPIPE): // whichever end of it we notice first
		return l.died(ctx, phase, err)
	default:
		if phase == "turn" {
			class = FailedTurn
		}
		return failf(class, phase, err, "%s: %s: %v", phase, who, err)
	}
}

func cancelled(ctx context.Context, phase string) *Failure {
	return failf(FailedCancelled, phase, context.Cause(ctx), "the run was cancelled: %v", context.Cause(ctx))
}

// start puts the built-in agent in place if it is the one, builds the environment from nothing, and starts the process.
func (l *launch) start(ctx context.Context) error {
	argv, err := l.argv(ctx)
	if err != nil {
		return err
	}
	if err := l.settings(ctx); err != nil {
		return err
	}
	inv, err := l.task.Room.Command(l.task.Dir, l.agent.environment(l.task.Room, l.task.Model), argv...)
	if err != nil {
		return setupFailure("start", err)
	}
	child, err := process.Start(context.WithoutCancel(ctx), process.Command{Argv: inv.Argv, Env: inv.Env, Dir: inv.Dir,
		Signal:   func(s syscall.Signal, pgid int) []string { return l.agent.Identity.SignalArgv(s, pgid) },
		OnStderr: func(b []byte) { l.stderr(b) }})
	if err != nil {
		return failf(FailedStart, "start", err, "starting %s: %v", l.agent.Profile.Title, err)
	}
	l.child = child
	l.turn.heard = time.Now()
	config := acpclient.Config{Reader: child.Stdout, Writer: child.Stdin, Handler: l.turn, Moment: l.turn.moment, MaxLine: int(l.limits.Output),
		Events: l.agent.Profile.Events, Noise: func(b []byte) { l.agent.Log.Foreign(l.turn.label+" noise: ", string(b)) }}
	if l.agent.Witness != nil {
		config.Trace = l.agent.Witness.Frame
	}
	l.conn, err = acpclient.Open(context.WithoutCancel(ctx), config)
	if err != nil {
		return failf(FailedStart, "start", err, "connecting to %s: %v", l.agent.Profile.Title, err)
	}
	l.agent.Log.Say("%s started as %s", l.agent.Profile.Name, l.agent.Identity.Name())
	return nil
}

// argv is the agent's command line. The built-in agent is our own executable, which usually lies where the agent user
// cannot go (go run builds below a closed directory), so it is copied into the room.
func (l *launch) argv(ctx context.Context) ([]string, error) {
	if l.agent.Pinned != nil {
		return l.pinnedArgv(ctx)
	}
	if l.agent.Binary != "" {
		return append([]string{l.agent.Binary}, l.agent.args()...), nil
	}
	if l.agent.Profile.Status != agents.BuiltIn {
		f := failf(FailedSetup, "start", nil, "no executable of %s was found", l.agent.Profile.Title)
		f.Fix = "put it on PATH, or name it in AI_FLOW_AGENT_BIN"
		return nil, f
	}
	self, err := os.Open(l.agent.Self)
	if err != nil {
		return nil, failf(FailedStart, "start", err, "opening our own executable: %v", err)
	}
	defer self.Close()
	installed, err := l.task.Room.Install(ctx, "ai-flow", self)
	if err != nil {
		return nil, setupFailure("start", err)
	}
	return append([]string{installed}, l.agent.args()...), nil
}

// settings writes the profile's files into the agent's private state.
func (l *launch) settings(ctx context.Context) error {
	for _, name := range slices.Sorted(maps.Keys(l.agent.Profile.Files)) {
		if err := l.task.Room.WriteFile(ctx, "state/"+name, []byte(l.agent.Profile.Files[name])); err != nil {
			return failf(FailedStart, "start", err, "writing the settings of %s: %v", l.agent.Profile.Title, err)
		}
	}
	return nil
}

// stderr logs whole lines: what comes is cut anywhere.
func (l *launch) stderr(b []byte) {
	l.turn.wants.Stderr(string(b))
	l.mu.Lock()
	defer l.mu.Unlock()
	l.said = append(l.said, b...)
	end := bytes.LastIndexByte(l.said, '\n') + 1
	if len(l.said)-end > maxSaid {
		end = len(l.said)
	}
	l.logStderr(end)
}

// maxSaid bounds how much of a line without an end is kept back, in bytes.
const maxSaid = 8 << 10

// lastStderr logs what came without a line end.
func (l *launch) lastStderr() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.logStderr(len(l.said))
}

// logStderr logs the first end bytes of what is kept.
func (l *launch) logStderr(end int) {
	if end > 0 {
		l.agent.Log.Foreign(l.turn.label+" stderr: ", string(l.said[:end]))
		l.said = append(l.said[:0], l.said[end:]...)
	}
}

func (l *launch) initialize(ctx context.Context) error {
	info, err := l.conn.Initialize(ctx)
	l.report.AgentName, l.report.AgentVersion = info.Name, info.Version
	if err == nil && l.agent.Pinned != nil {
		return l.checkVersion(info.Version)
	}
	return err
}

// explain adds the end of standard error to a failure.
func (l *launch) explain(f *Failure) {
	if l.child != nil {
		f.Tail = string(bytes.ToValidUTF8(l.child.Stderr(), []byte("\uFFFD")))
	}
	l.agent.Log.Say("failed (%v) in %s: %v", f.Class, f.Phase, f)
}
