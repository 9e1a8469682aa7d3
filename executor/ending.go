package executor

import (
	"context"
	"fmt"
	"time"

	"github.com/d3mlabs/ai-flow/executor/process"
)

// The ladder, what is still in the pipe, and the sweep each have their own time: an agent that makes the ladder climb to
// its last step must not have used up the time of the sweep.
const (
	stopLimit  = 45 * time.Second
	drainLimit = 5 * time.Second
	sweepLimit = 15 * time.Second
)

// end runs the ladder and the sweep, also when ctx has ended already: a cancelled run must not leave the agent alive.
func (l *launch) end(ctx context.Context) {
	ctx = context.WithoutCancel(ctx)
	began := time.Now()
	if l.child != nil {
		stopping, cancel := context.WithTimeout(ctx, stopLimit)
		exit := l.child.Stop(stopping)
		cancel()
		l.report.Exit = Exit{Ran: true, Code: exit.Code, Signal: exit.Signal, Asked: exit.Asked, Took: time.Since(began)}
		l.lastStderr()
		l.agent.Log.Say("%s ended: %s", l.agent.Profile.Name, exitText(exit))
		l.drain()
	}
	sweeping, cancel := context.WithTimeout(ctx, sweepLimit)
	defer cancel()
	survivors, err := l.task.Room.Sweep(sweeping)
	if err != nil {
		l.agent.Log.Say("sweeping the agent's processes: %v", err)
	}
	l.report.Survivors = survivors
	l.report.Swept = err == nil && len(survivors) == 0
	l.report.Phases = append(l.report.Phases, Phase{Name: "stop", Took: time.Since(began)})
}

// drain waits until what the agent had written before its end has been delivered.
func (l *launch) drain() {
	if l.conn == nil {
		return
	}
	select {
	case <-l.conn.Done():
	case <-time.After(drainLimit):
		l.agent.Log.Say("the last output of %s was not taken in within %s", l.agent.Profile.Name, drainLimit)
	}
	if n := l.conn.Malformed(); n > 0 {
		l.agent.Log.Say("%d events of %s could not be read and were ignored", n, l.agent.Profile.Name)
	}
}

func exitText(r process.Result) string {
	if r.Signal != 0 {
		return fmt.Sprintf("by signal %v", r.Signal)
	}
	return fmt.Sprintf("exit status %d", r.Code)
}

// died names how a process ended that should have answered. Status 126 and 127 are the launch line's own: a directory that
// the agent cannot enter, a program that it cannot execute. Then the failure is the host's, and the fix is known.
func (l *launch) died(ctx context.Context, phase string, err error) *Failure {
	var exit process.Result
	select {
	case <-l.child.Exited():
		exit = l.child.Stop(ctx)
	case <-time.After(time.Second):
		return failf(FailedDied, phase, err, "%s closed its output before it had answered, and still ran", l.agent.Profile.Title)
	}
	if phase == "initialize" && (exit.Code == 126 || exit.Code == 127) {
		if closed := l.task.Room.Reach(ctx, l.task.Dir); closed != nil {
			return setupFailure(phase, closed)
		}
		f := failf(FailedSetup, phase, err, "%s cannot execute %q (%s)", l.agent.Identity.Name(), l.agent.Binary, exitText(exit))
		f.Fix = "install it where every user can reach and run it, such as below /usr/local or /opt"
		return f
	}
	return failf(FailedDied, phase, err, "%s ended before it had answered (%s)", l.agent.Profile.Title, exitText(exit))
}
