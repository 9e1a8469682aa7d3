// Package acpclient speaks the Agent Client Protocol (ACP, version 1) as a client over a reader and a writer.
//
// The peer is hostile. Its process runs as another user, but each byte that it writes reaches this package, so the one
// invariant is: whatever the agent sends or fails to send, memory stays bounded, nothing blocks for ever, and what is
// handed on is decoded, bounded and valid UTF-8.
//
// How it works. One goroutine reads chunks, one decodes lines and calls the Handler in order, one writes, and each open
// permission request has one of its own. All state that they share lies behind one door (Conn.with). While
// Handler.Update runs nothing more is read: a flood fills the pipe and slows the agent, it is neither queued nor dropped.
//
// The bounds, each with a test: a line has MaxLine bytes (a longer one ends the connection), nests 256 deep (deeper is
// noise); 64 permission requests are open at once (the next is answered "cancelled"); 256 answers wait to be written, and
// an agent that does not read for 10 s while they do ends the connection; 256 updates of at most 1 MiB wait for the
// session/new answer; ids, titles and names have 4 KiB, commands 64 KiB, lists up to 1024 entries.
//
// Whatever is not a message of the protocol (log lines, escapes, JSON scalars, JSON logs that carry an "id") is noise: it
// is shown to Config.Noise and skipped. Unknown requests are answered -32601, unknown notifications ignored. An answer
// counts if it names a call that is still waiting and has a result or an error, not both; the first one wins. Updates of
// sessions that were not opened here are dropped.
//
// It refuses to: serve files or terminals (the capabilities are declined), log in on its own account, choose a permission
// option, end or kill the agent, or close what it was given. Reader and Writer belong to the owner of the process: after
// the connection has ended, a Read or Write still blocked in them returns only once the owner closes them.
package acpclient

import (
	"context"
	"errors"
	"fmt"
	"io"
)

// ErrClosed is what a call returns when the agent closed its output before answering it.
var ErrClosed = errors.New("the agent closed its output before answering")

// Config says what a connection runs over.
type Config struct {
	Reader  io.Reader // required: the agent's standard output
	Writer  io.Writer // required: the agent's standard input; never closed here, the owner of the process does that
	Handler Handler   // required
	MaxLine int       // bytes of the longest line accepted; 0 means 64 MiB
	// Events are the types of Copilot's session events that are asked for, at most 128; with none, nothing of that
	// extension is sent.
	Events []string
	// Noise, when not nil, gets each line that is not a message of the protocol, cut to 512 bytes. It is called from the
	// goroutine that calls Handler.Update.
	Noise func(excerpt []byte)
	// Trace, when not nil, sees each line as it went over the wire, in both directions. It is called from the goroutine that
	// reads and from the one that writes, and holds either up.
	Trace func(Frame)
	// Moment, when not nil, is called from that goroutine too when a permission request arrives; what it returns is kept
	// with the request. The Handler is asked on a goroutine of its own, and by then other things may be so.
	Moment func() any
}

// Handler receives what the agent says on its own account. Update is called from one goroutine, in order of arrival;
// while it runs nothing more is read (back-pressure), so it must not wait for an answer of this connection. Permission is
// called on a goroutine of its own for each request, so several may be open at once; its context ends with the
// connection, when the agent withdraws the request, and when the session is cancelled. An answer given after that is
// sent as "cancelled".
type Handler interface {
	Update(Update)
	Permission(context.Context, PermissionRequest) PermissionAnswer
}

// Open starts reading. The connection ends when the reader does, when ctx ends, or at the first breach of a bound.
func Open(ctx context.Context, c Config) (*Conn, error) {
	if c.Reader == nil || c.Writer == nil || c.Handler == nil {
		return nil, errors.New("opening an ACP connection: Reader, Writer and Handler are required")
	}
	if c.MaxLine == 0 {
		c.MaxLine = 64 << 20
	}
	if c.MaxLine < 0 {
		return nil, errors.New("opening an ACP connection: MaxLine is negative")
	}
	if len(c.Events) > maxSubscribed {
		return nil, fmt.Errorf("opening an ACP connection: %d types of event are more than %d", len(c.Events), maxSubscribed)
	}
	if c.Noise == nil {
		c.Noise = func([]byte) {}
	}
	conn := &Conn{
		cfg:  c,
		out:  make(chan outgoing, maxQueued),
		done: make(chan struct{}),
	}
	conn.ctx, conn.cancel = context.WithCancelCause(ctx)
	conn.st = state{
		calls:    map[int64]*call{},
		sessions: map[string]*session{},
		asks:     map[string]*ask{},
	}
	go conn.write()
	go conn.read()
	return conn, nil
}

// Done is closed when the connection has ended and the last update has been delivered.
func (c *Conn) Done() <-chan struct{} { return c.done }

// Err says, once Done is closed, why the connection ended; nil means that the agent closed its output.
func (c *Conn) Err() error {
	var err error
	c.with(func(s *state) { err = s.err })
	return err
}
