package acpclient

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
)

// call is one request of ours that waits for its answer.
type call struct {
	method string
	accept func(result value) error // runs in the reader, where the result's bytes live
	hold   bool                     // finish only after the drain
	done   chan error               // buffered: the reader never waits for the caller
}

func (p *call) finish(err error) {
	if err != nil {
		err = fmt.Errorf("%s: %w", p.method, err)
	}
	p.done <- err
}

// roundTrip makes one call and decodes its result.
func roundTrip[T any](ctx context.Context, c *Conn, method string, params any, decode func(value) (T, error)) (T, error) {
	var none T
	got := new(T) // written by the reader before done is signalled, and not read unless it was
	p := &call{
		method: method,
		hold:   method == "session/prompt",
		done:   make(chan error, 1),
		accept: func(v value) (err error) {
			*got, err = decode(v)
			return err
		},
	}
	if err := c.call(ctx, p, params); err != nil {
		return none, err
	}
	return *got, nil
}

func (c *Conn) call(ctx context.Context, p *call, params any) error {
	id, err := c.register(p)
	if err != nil {
		return fmt.Errorf("%s: %w", p.method, err)
	}
	line, err := encode(map[string]any{"jsonrpc": "2.0", "id": id, "method": p.method, "params": params})
	if err != nil {
		c.take(id)
		return fmt.Errorf("%s: %w", p.method, err)
	}
	select {
	case c.out <- outgoing{line, id}:
	case err := <-p.done:
		return err
	case <-ctx.Done():
		c.take(id)
		return fmt.Errorf("%s: %w", p.method, context.Cause(ctx))
	}
	select {
	case err := <-p.done:
		return err
	case <-ctx.Done():
		c.take(id)
		return fmt.Errorf("%s: %w", p.method, context.Cause(ctx))
	}
}

func (c *Conn) register(p *call) (id int64, err error) {
	c.with(func(s *state) {
		switch {
		case s.ended && s.err != nil:
			err = s.err
		case s.ended:
			err = ErrClosed
		case s.broken != nil:
			err = s.broken
		default:
			s.lastID++
			id = s.lastID
			s.calls[id] = p
		}
	})
	return id, err
}

// take removes a call; whoever gets it, and nobody else, finishes it.
func (c *Conn) take(id int64) (p *call) {
	c.with(func(s *state) {
		p = s.calls[id]
		delete(s.calls, id)
	})
	return p
}

// answer finishes the call that m answers. One that nobody waits for (never asked, answered before, given up) is
// ignored.
func (c *Conn) answer(m message, held *drain) {
	id, ok := m.id.integer()
	if !ok {
		return
	}
	p := c.take(id)
	if p == nil {
		return
	}
	if m.fault.said() {
		p.finish(decodeError(p.method, m.fault))
		return
	}
	if err := p.accept(m.result); err != nil {
		p.finish(err)
		return
	}
	if p.hold {
		held.hold(p)
		return
	}
	p.finish(nil)
}

// encode makes one line. HTML escaping is off: what we send is read by people in logs.
func encode(message any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(message); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// notify queues a notification of ours without waiting: a queue that is full will not be read in time either.
func (c *Conn) notify(method string, params any) error {
	line, err := encode(map[string]any{"jsonrpc": "2.0", "method": method, "params": params})
	if err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	c.with(func(s *state) {
		switch {
		case s.ended:
			err = ErrClosed
		case s.broken != nil:
			err = s.broken
		}
	})
	if err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	select {
	case c.out <- outgoing{line: line}:
		return nil
	default:
		return fmt.Errorf("%s: %w", method, errors.New("the agent does not read its input"))
	}
}
