package executor

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"syscall"
	"time"

	"github.com/d3mlabs/ai-flow/denials"
	"github.com/d3mlabs/ai-flow/executor/process"
	"github.com/d3mlabs/ai-flow/isolation"
)

// Gate is a command of the policy's that judges what an agent left. Name and Run are the policy's words.
type Gate struct {
	Name    string
	Run     string        // a line for sh -c
	Timeout time.Duration // more than 0
}

// GateEnd is the closed set of ways in which a gate ends.
type GateEnd uint8

// The ends of a gate.
const (
	GatePassed    GateEnd = iota + 1 // exit status 0
	GateFailed                       // another exit status
	GateKilled                       // a signal that we did not send
	GateTimedOut                     // ended by us after its Timeout
	GateCancelled                    // ended by us because the caller's context ended
	GateBroken                       // it could not be run
)

// GateReport is how a gate ended. Head, Tail and the wants are foreign text.
type GateReport struct {
	Gate
	End    GateEnd
	Exit   int            // exit status, of GateFailed
	Signal syscall.Signal // of GateKilled
	Took   time.Duration
	// Head and Tail are the two ends of what it printed, as a terminal got it; Omitted counts the bytes between them.
	Head, Tail string
	Omitted    int64
	Wants      []denials.Want // all of the channel Gated, their source is the gate
	MoreWants  int
	Survivors  []isolation.Process // what outlived the sweep: nothing, normally
	Swept      bool                // nothing of it runs any more: the tree may be touched
	Err        error               // why it could not be run, or was ended; nil otherwise
}

// gateTerminal is what a gate may take for the window of a person.
var gateTerminal = process.Terminal{Columns: 120, Rows: 40}

// errGateTime is why a gate was ended that took too long.
var errGateTime = errors.New("the gate's time is up")

// RunGate runs a gate in dir, on a terminal, as the agent user. The agent must be gone: whatever that user still runs when the
// gate ends is ended too. What a gate decides is its exit status, whatever it prints. Its environment is the agent's without
// the agent's credential, settings and tokens; see gateEnvironment.
func (a *Agent) RunGate(ctx context.Context, room *isolation.Room, dir string, g Gate) GateReport {
	began := time.Now()
	r := GateReport{Gate: g}
	defer a.Log.Group("gate " + g.Name + ": " + g.Run)()
	step := Step{ID: fmt.Sprintf("gate %d", began.UnixNano()), Kind: "gate", Title: "gate " + g.Name + ": " + g.Run, Status: "in_progress"}
	a.tell(Event{Kind: EventStep, Step: &step})
	out := a.capture(room, dir, g)
	if ctx.Err() != nil {
		r.End, r.Err = GateCancelled, context.Cause(ctx)
	} else {
		a.runGate(ctx, room, dir, &r, out)
	}
	a.sweepGate(ctx, room, &r)
	r.Took = time.Since(began)
	out.finish(&r)
	step.Status, step.Took = "failed", r.Took
	if r.End == GatePassed {
		step.Status = "completed"
	}
	if r.End == GatePassed || r.End == GateFailed {
		step.Exit = &r.Exit
	}
	a.tell(Event{Kind: EventStep, Step: &step})
	return r
}

func (a *Agent) runGate(ctx context.Context, room *isolation.Room, dir string, r *GateReport, out *gateOutput) {
	inv, err := room.Command(dir, a.gateEnvironment(), "/bin/sh", "-c", r.Run)
	if err != nil {
		r.End, r.Err = GateBroken, err
		return
	}
	timed, cancel := context.WithTimeoutCause(ctx, r.Timeout, errGateTime)
	defer cancel()
	exit, err := process.Run(timed, process.Command{Argv: inv.Argv, Env: inv.Env, Dir: inv.Dir, Stdout: out, Terminal: gateTerminal,
		Signal: func(s syscall.Signal, _ int) []string { return a.Identity.SignalAllArgv(s) }})
	if exit.Trouble != nil {
		a.Log.Say("ending the gate %s: %v", r.Name, exit.Trouble)
	}
	switch {
	case err != nil && ctx.Err() != nil:
		r.End, r.Err = GateCancelled, err
	case errors.Is(err, errGateTime):
		r.End, r.Err = GateTimedOut, err
	case err != nil:
		r.End, r.Err = GateBroken, err
	case exit.Signal != 0:
		r.End, r.Signal = GateKilled, exit.Signal
	case exit.Code == 0:
		r.End = GatePassed
	default:
		r.End, r.Exit = GateFailed, exit.Code
	}
}

func (a *Agent) sweepGate(ctx context.Context, room *isolation.Room, r *GateReport) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), sweepLimit)
	defer cancel()
	survivors, err := room.Sweep(ctx)
	if err != nil {
		a.Log.Say("sweeping the processes of the gate %s: %v", r.Name, err)
	}
	r.Survivors, r.Swept = survivors, err == nil && len(survivors) == 0
}

// gateEnvironment is the agent's environment without what is the agent's alone: its credential, its settings, the token for
// GitHub. A gate judges a tree and needs none of them, and what it runs was written by the agent. What an operator lets the
// agent see by name stays, since a project's tests may need a proxy or an address. CI and PAGER say that nobody sits
// at the terminal: without them a test runner starts to watch files there, and git opens a pager.
func (a *Agent) gateEnvironment() isolation.Environment {
	path, _ := lookup(a.Environ, "PATH")
	own := append([]string{a.Profile.Credential}, a.Profile.Settings...)
	allow := slices.DeleteFunc(slices.Clone(a.AllowEnv), func(name string) bool { return slices.Contains(own, name) })
	return isolation.Environment{Parent: a.Environ, Allow: allow, Path: isolation.SharedPath(path),
		Set: map[string]string{"CI": "true", "PAGER": "cat", "TERM": "xterm-256color"}}
}

func (a *Agent) tell(e Event) {
	if a.Progress != nil {
		a.Progress(e)
	}
}

// words say how it ended, for the log.
func (r GateReport) words() string {
	switch r.End {
	case GatePassed:
		return "passed"
	case GateFailed:
		return fmt.Sprintf("failed with exit status %d", r.Exit)
	case GateKilled:
		return fmt.Sprintf("ended by signal %v", r.Signal)
	case GateTimedOut:
		return fmt.Sprintf("ended by us after %s", r.Timeout)
	case GateCancelled:
		return "cancelled"
	}
	return fmt.Sprintf("could not be run: %v", r.Err)
}
