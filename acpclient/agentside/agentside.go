// Package agentside is the other end of an ACP connection: just enough of it for the built-in demo agent and for scripted
// agents in tests.
package agentside

import (
	"context"
	"io"
)

// Agent is what answers prompts.
type Agent struct {
	Name, Version string
	Modes         []string // the first is current
	Models        []string
	// Prompt runs one turn and returns the stop reason.
	Prompt func(ctx context.Context, t *Turn) (stopReason string, err error)
}

// Turn is one prompt being answered. Its methods send; they may be called from several goroutines.
type Turn struct {
	Session, Cwd, Mode, Model, Text string
}

// Say sends a chunk of the answer.
func (t *Turn) Say(text string) error { panic("unbuilt") }

// Call is a tool call as it goes on the wire.
type Call struct {
	ID, Title, Kind, Status string
	RawInput, RawOutput     any
	Text                    string // a text content block when not ""
	Paths                   []string
}

// Start announces a call, Update changes it.
func (t *Turn) Start(c Call) error  { panic("unbuilt") }
func (t *Turn) Update(c Call) error { panic("unbuilt") }

// Ask requests permission with the three usual options and reports whether it was allowed.
func (t *Turn) Ask(ctx context.Context, c Call) (allowed bool, err error) { panic("unbuilt") }

// Usage reports token counts with the turn's result.
func (t *Turn) Usage(input, output int64) { panic("unbuilt") }

// Serve answers a client until in ends.
func Serve(ctx context.Context, in io.Reader, out io.Writer, a Agent) error { panic("unbuilt") }
