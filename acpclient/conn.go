package acpclient

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"
)

const (
	maxAsks   = 64               // permission requests open at once
	maxQueued = 256              // messages waiting to be written
	stall     = 10 * time.Second // how long an agent may leave its input unread while answers to it pile up

	maxEarly      = 256     // updates that wait for the session/new answer,
	maxEarlyBytes = 1 << 20 // and their text
)

// The drain behind a prompt's answer: lines already there, or there within drainQuiet of each other, are handed on
// before Prompt returns; drainMost bounds that for an agent that goes on talking. What comes later still reaches the
// Handler, after Prompt has returned.
const (
	drainQuiet = 2 * time.Millisecond
	drainMost  = 50 * time.Millisecond
)

// Conn is one connection to one agent. Its methods may be called from several goroutines.
type Conn struct {
	cfg    Config
	ctx    context.Context
	cancel context.CancelCauseFunc
	out    chan outgoing
	done   chan struct{}

	mu sync.Mutex
	st state
}

// state is all that the goroutines of a connection share. It is touched inside Conn.with only.
type state struct {
	lastID    int64
	calls     map[int64]*call
	sessions  map[string]*session
	asks      map[string]*ask // permission requests before the Handler, by id as sent
	asking    int             // those, and the ones whose answer is not queued yet
	opening   int             // session/new calls under way
	early     []Update        // came before the answer that names their session
	earlyLen  int
	logins    []string // what initialize advertised
	malformed int      // events that could not be read
	broken    error    // why nothing can be written any more
	ended     bool
	err       error
}

// session is what a connection remembers of one.
type session struct {
	id        string
	prompting bool
}

// ask is a permission request that waits for the Handler.
type ask struct {
	session string
	cancel  context.CancelFunc
}

// outgoing is one line to write and the call that it begins, if any.
type outgoing struct {
	line []byte
	call int64
}

// with is the door: f alone sees the state, and must neither block nor call back into the connection.
func (c *Conn) with(f func(*state)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	f(&c.st)
}

// read decodes and delivers until the connection ends.
func (c *Conn) read() {
	in := newLines(c.ctx, c.cfg.Reader, c.cfg.MaxLine)
	var held drain
	for {
		line, err := in.next(held.patience())
		if errors.Is(err, errQuiet) {
			held.release()
			continue
		}
		if err != nil {
			c.end(err)
			held.release()
			close(c.done)
			return
		}
		c.handle(line, &held)
		if held.overdue() {
			held.release()
		}
	}
}

// end fails what is still open. The calls whose answers are held are no longer among it.
func (c *Conn) end(err error) {
	if errors.Is(err, io.EOF) {
		err = nil
	}
	why := err
	if why == nil {
		why = ErrClosed
	}
	var open []*call
	c.with(func(s *state) {
		s.ended, s.err = true, err
		for id, call := range s.calls {
			open = append(open, call)
			delete(s.calls, id)
		}
		s.early = nil
	})
	c.cancel(why)
	for _, call := range open {
		call.finish(why)
	}
}

// handle takes in one line.
func (c *Conn) handle(line []byte, held *drain) {
	m := parse(line)
	c.traceReceived(line, m)
	switch m.kind {
	case request:
		c.request(m)
	case notification:
		c.notification(m)
	case answer:
		c.answer(m, held)
	default:
		c.noise(line)
	}
}

func (c *Conn) noise(line []byte) {
	const excerpt = 512
	if line = bytes.TrimSpace(line); len(line) > 0 {
		c.cfg.Noise(append([]byte(nil), line[:min(len(line), excerpt)]...))
	}
}

func (c *Conn) notification(m message) {
	switch m.method {
	case updateMethod:
		c.update(m.params)
	case copilotEvent:
		c.event(m.params)
	case withdrawMethod:
		id := m.params.get("requestId")
		c.with(func(s *state) {
			if a := s.asks[string(id)]; a != nil {
				a.cancel()
			}
		})
	}
}

// update delivers a session/update of a session opened here, keeps one that may belong to the session being opened, and
// drops all else.
func (c *Conn) update(params value) {
	var id, body, meta value
	for m := params.members(); m.next(); {
		switch string(m.key) {
		case "sessionId":
			id = m.val
		case "update":
			body = m.val
		case "_meta":
			meta = m.val
		}
	}
	name, ok := id.text()
	if !ok || len(name) > maxShort {
		return
	}
	var known *session
	var opening bool
	c.with(func(s *state) { known, opening = s.sessions[name], s.opening > 0 })
	if known != nil {
		name = known.id
	} else if !opening {
		return
	}
	for _, u := range decodeUpdate(name, body, meta) {
		if known != nil {
			c.cfg.Handler.Update(u)
			continue
		}
		c.with(func(s *state) {
			size := u.size()
			if len(s.early) < maxEarly && s.earlyLen+size <= maxEarlyBytes {
				s.early, s.earlyLen = append(s.early, u), s.earlyLen+size
			}
		})
	}
}

// opened makes a session known and delivers what came for it too early.
func (c *Conn) opened(id string) {
	var early []Update
	c.with(func(s *state) {
		if s.sessions[id] == nil {
			s.sessions[id] = &session{id: id}
		}
		rest := s.early[:0]
		for _, u := range s.early {
			if u.Session == id {
				early = append(early, u)
				s.earlyLen -= u.size()
			} else {
				rest = append(rest, u)
			}
		}
		s.early = rest
	})
	for _, u := range early {
		c.cfg.Handler.Update(u)
	}
}

// write sends what is queued until the connection ends. After a failed write it goes on failing what is queued, so that
// no call waits for an answer to a request that was never sent; reading is not stopped by it, for the last words of an
// agent that closed its input first.
func (c *Conn) write() {
	var broken error
	for {
		select {
		case m := <-c.out:
			if broken == nil {
				c.traceSent(m.line)
				if _, err := c.cfg.Writer.Write(m.line); err != nil {
					broken = fmt.Errorf("writing to the agent: %w", err)
					c.with(func(s *state) { s.broken = broken })
				}
			}
			if broken != nil {
				c.fail(m.call, broken)
			}
		case <-c.ctx.Done():
			return
		}
	}
}

func (c *Conn) fail(id int64, err error) {
	if call := c.take(id); call != nil {
		call.finish(err)
	}
}
