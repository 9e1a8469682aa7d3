package acpclient

import (
	"context"
	"encoding/json"
	"fmt"
	"time"
)

// The methods of an agent's that we act on, beside Copilot's events.
const (
	askMethod      = "session/request_permission"
	updateMethod   = "session/update"
	withdrawMethod = "$/cancel_request"
)

// request answers what the agent asks for: permission, by the Handler; anything else with "no such method", also the fs
// and terminal requests that some agents send although both were declined.
func (c *Conn) request(m message) {
	if m.method != askMethod {
		c.refuse(m.id, codeNoMethod, fmt.Sprintf("method not found: %q", cut(m.method, 128)))
		return
	}
	req := decodePermission(m.params)
	if c.cfg.Moment != nil {
		req.Moment = c.cfg.Moment()
	}
	ctx, cancel := context.WithCancel(c.ctx)
	a := &ask{session: req.Session, cancel: cancel}
	switch c.admit(string(m.id), a) {
	case admitted:
		go c.ask(ctx, append(value(nil), m.id...), a, req)
		return
	case repeated:
		c.refuse(m.id, codeBadParams, "a request with this id is still open")
	default:
		c.reply(m.id, permissionResult(""))
	}
	cancel()
}

// admission is what becomes of a permission request before the Handler sees it.
type admission uint8

const (
	unwelcome admission = iota // of a session not opened here, or one too many: answered "cancelled"
	repeated                   // its id is taken by one still open
	admitted
)

func (c *Conn) admit(id string, a *ask) (how admission) {
	c.with(func(s *state) {
		switch {
		case s.sessions[a.session] == nil || s.asking >= maxAsks:
		case s.asks[id] != nil:
			how = repeated
		default:
			s.asks[id] = a
			s.asking++
			how = admitted
		}
	})
	return how
}

// ask has the Handler decide and sends its answer, or "cancelled" if the question was withdrawn meanwhile: an allowance
// must not outlive what it was asked for.
func (c *Conn) ask(ctx context.Context, id value, a *ask, req PermissionRequest) {
	defer a.cancel()
	decision := c.cfg.Handler.Permission(ctx, req)
	// The id is free for the agent once it can have read the answer, which is before this goroutine knows; the place
	// among the open ones is only free when the answer has left our hands, or an agent that never reads could pile up
	// goroutines here.
	c.with(func(s *state) { delete(s.asks, string(id)) })
	defer c.with(func(s *state) { s.asking-- })
	if ctx.Err() != nil {
		decision = PermissionAnswer{}
	}
	line, err := encode(reply{Version: "2.0", ID: json.RawMessage(id), Result: permissionResult(decision.OptionID)})
	if err != nil {
		c.cancel(fmt.Errorf("answering the agent: %w", err))
		return
	}
	select {
	case c.out <- outgoing{line: line}:
	case <-c.ctx.Done():
	}
}

// reply is an answer of ours. The agent's id goes back byte for byte.
type reply struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Result  any             `json:"result,omitempty"`
	Error   *fault          `json:"error,omitempty"`
}

type fault struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

func permissionResult(option string) any {
	if option == "" {
		return map[string]any{"outcome": map[string]string{"outcome": "cancelled"}}
	}
	return map[string]any{"outcome": map[string]string{"outcome": "selected", "optionId": option}}
}

func (c *Conn) refuse(id value, code int, text string) {
	c.send(reply{Version: "2.0", ID: json.RawMessage(id), Error: &fault{code, text}})
}

func (c *Conn) reply(id value, result any) {
	c.send(reply{Version: "2.0", ID: json.RawMessage(id), Result: result})
}

// send queues an answer from the reader. When the queue is full the reader waits, and so slows an agent that asks faster
// than it reads; an agent that asks and does not read at all would make that a deadlock, so the wait has an end, and the
// connection with it. Dropping answers was rejected: an honest agent would wait for them for ever.
func (c *Conn) send(r reply) {
	line, err := encode(r)
	if err != nil {
		c.cancel(fmt.Errorf("answering the agent: %w", err))
		return
	}
	select {
	case c.out <- outgoing{line: line}:
		return
	default:
	}
	late := time.NewTimer(stall)
	defer late.Stop()
	select {
	case c.out <- outgoing{line: line}:
	case <-late.C:
		c.cancel(breach("the agent has not read its input for %s, and %d answers to it wait", stall, maxQueued))
	case <-c.ctx.Done():
	}
}
