package executor

import (
	"errors"
	"fmt"

	"github.com/d3mlabs/ai-flow/isolation"
)

// Class is the closed set of ways a launch fails.
type Class uint8

// The classes of failure.
const (
	FailedSetup      Class = iota + 1 // the host is not ready; Fix holds the command that mends it
	FailedStart                       // the process could not be started
	FailedInitialize                  // no answer to initialize, or a bad one
	FailedSession                     // no session
	FailedModel                       // the model asked for is not to be had
	FailedAuth                        // the agent wants a login first
	FailedSilence                     // nothing came for Limits.Silence
	FailedTurnTime                    // the turn took longer than Limits.Turn
	FailedTurn                        // any stop reason but end_turn, or an error answer
	FailedDied                        // the process ended before it had answered
	FailedProtocol                    // a breach of the protocol's bounds
	FailedCancelled                   // the caller's context ended
)

// String names the class as report.json does.
func (c Class) String() string {
	return word(int(c), "unknown", "setup", "start", "initialize", "session", "model", "auth", "silence", "turn time", "turn",
		"died", "protocol", "cancelled")
}

// Failure is why a launch did not succeed. Message is one sentence of ours in which foreign text is quoted and bounded.
// Tail is the bounded end of the agent's standard error: for the run page only, never for a comment.
type Failure struct {
	Class   Class
	Phase   string // the phase it happened in: start, initialize, session, turn
	Message string
	Fix     string // the next step, "" when there is none
	Tail    string
	Err     error
}

// Error is the message alone: the tail is foreign and would go wherever errors go.
func (f *Failure) Error() string { return f.Message }

// Unwrap returns the cause.
func (f *Failure) Unwrap() error { return f.Err }

func failf(class Class, phase string, err error, format string, args ...any) *Failure {
	return &Failure{Class: class, Phase: phase, Err: err, Message: fmt.Sprintf(format, args...)}
}

// setupFailure keeps the fix that isolation knows.
func setupFailure(phase string, err error) *Failure {
	f := failf(FailedSetup, phase, err, "%v", err)
	var s *isolation.SetupError
	if errors.As(err, &s) {
		f.Message, f.Fix = s.Problem, s.Fix
	}
	return f
}
