// Package agentside is the other end of an ACP connection: just enough of it for the built-in demo agent and for scripted
// agents in tests.
//
// Its one invariant: what it writes is valid ACP version 1, one message a line, each line in one Write. It trusts its
// client (the dispatcher, or a test), so unlike package acpclient it uses encoding/json and bounds nothing but what the
// client could hang on. It refuses to: run commands, touch files, or keep a session after Serve has returned.
package agentside

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
)

// Agent is what answers prompts.
type Agent struct {
	Name, Version string
	Modes         []string // the first is current
	Models        []string
	// Prompt runs one turn and returns the stop reason. Its context ends when the client cancels the turn; a turn that
	// then returns an error is answered "cancelled".
	Prompt func(ctx context.Context, t *Turn) (stopReason string, err error)
}

// Serve answers a client until in ends; then it cancels the turns under way, waits for them and returns nil. When ctx ends
// it returns the cause, and a Read still blocked in in is left to whoever closes in.
func Serve(ctx context.Context, in io.Reader, out io.Writer, a Agent) error {
	ctx, cancel := context.WithCancel(ctx)
	s := &server{agent: a, out: out, sessions: map[string]*session{}, waiting: map[int64]chan message{}}
	defer s.turns.Wait()
	defer cancel()
	messages, failed := make(chan message), make(chan error, 1)
	go receive(ctx, in, messages, failed)
	for {
		select {
		case m := <-messages:
			if err := s.handle(ctx, m); err != nil {
				return err
			}
		case err := <-failed:
			if errors.Is(err, io.EOF) {
				return nil
			}
			return fmt.Errorf("reading from the client: %w", err)
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// receive decodes until the input ends; a decoder, since lines from our own client need no bound.
func receive(ctx context.Context, in io.Reader, messages chan<- message, failed chan<- error) {
	d := json.NewDecoder(in)
	for {
		var m message
		if err := d.Decode(&m); err != nil {
			failed <- err
			return
		}
		select {
		case messages <- m:
		case <-ctx.Done():
			return
		}
	}
}

type message struct {
	ID     json.RawMessage `json:"id,omitempty"`
	Method string          `json:"method,omitempty"`
	Params json.RawMessage `json:"params,omitempty"`
	Result json.RawMessage `json:"result,omitempty"`
	Error  json.RawMessage `json:"error,omitempty"`
}

type session struct {
	id, cwd, mode, model string
	cancel               context.CancelFunc // of the turn under way, else nil
}

// server is one connection. Everything below mu is touched under it only.
type server struct {
	agent Agent
	turns sync.WaitGroup

	writing sync.Mutex // apart from mu, so that a client that reads slowly holds up writers alone
	out     io.Writer

	mu       sync.Mutex
	sessions map[string]*session
	lastID   int64 // of our requests; the first is 0, as with most agents
	waiting  map[int64]chan message
}

// send writes one message as one line.
func (s *server) send(m any) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(m); err != nil {
		return fmt.Errorf("encoding a message: %w", err)
	}
	s.writing.Lock()
	defer s.writing.Unlock()
	if _, err := s.out.Write(b.Bytes()); err != nil {
		return fmt.Errorf("writing to the client: %w", err)
	}
	return nil
}

func (s *server) result(id json.RawMessage, result any) error {
	return s.send(map[string]any{"jsonrpc": "2.0", "id": id, "result": result})
}

func (s *server) refuse(id json.RawMessage, code int, text string) error {
	return s.send(map[string]any{"jsonrpc": "2.0", "id": id, "error": map[string]any{"code": code, "message": text}})
}
