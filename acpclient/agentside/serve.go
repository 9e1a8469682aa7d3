package agentside

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
)

const (
	codeNoMethod  = -32601
	codeBadParams = -32602
	codeInternal  = -32603
)

// params are the members of all requests that we know, in one struct: their names do not clash.
type params struct {
	Session string `json:"sessionId"`
	Cwd     string `json:"cwd"`
	Mode    string `json:"modeId"`
	Model   string `json:"modelId"`
	Option  string `json:"configId"`
	Value   any    `json:"value"`
	Prompt  []struct {
		Text string `json:"text"`
	} `json:"prompt"`
}

// handle answers one message; its error ends the connection.
func (s *server) handle(ctx context.Context, m message) error {
	if m.Method == "" {
		s.settle(m)
		return nil
	}
	var p params
	if len(m.Params) > 0 {
		if err := json.Unmarshal(m.Params, &p); err != nil {
			return s.refuse(m.ID, codeBadParams, err.Error())
		}
	}
	switch m.Method {
	case "initialize":
		return s.result(m.ID, map[string]any{
			"protocolVersion":   1,
			"agentCapabilities": map[string]any{},
			"agentInfo":         map[string]string{"name": s.agent.Name, "version": s.agent.Version},
			"authMethods":       []any{},
		})
	case "session/new":
		return s.open(m, p)
	}
	return s.inSession(ctx, m, p)
}

func (s *server) inSession(ctx context.Context, m message, p params) error {
	s.mu.Lock()
	session := s.sessions[p.Session]
	s.mu.Unlock()
	switch {
	case m.Method == "session/cancel":
		s.cancel(session)
		return nil
	case m.ID == nil:
		return nil // an unknown notification
	case !slices.Contains([]string{"session/set_mode", "session/set_model", "session/set_config_option", "session/prompt"}, m.Method):
		return s.refuse(m.ID, codeNoMethod, "method not found: "+m.Method)
	case session == nil:
		return s.refuse(m.ID, codeBadParams, "unknown session")
	}
	switch m.Method {
	case "session/set_mode":
		return s.setMode(m, session, p.Mode)
	case "session/set_model":
		return s.setModel(m, session, p.Model)
	case "session/set_config_option":
		return s.setOption(m, session, p)
	}
	return s.prompt(ctx, m, session, p)
}

func (s *server) open(m message, p params) error {
	s.mu.Lock()
	n := &session{id: fmt.Sprintf("session-%d", len(s.sessions)+1), cwd: p.Cwd}
	if len(s.agent.Modes) > 0 {
		n.mode = s.agent.Modes[0]
	}
	if len(s.agent.Models) > 0 {
		n.model = s.agent.Models[0]
	}
	s.sessions[n.id] = n
	s.mu.Unlock()
	result := map[string]any{"sessionId": n.id}
	if n.mode != "" {
		result["modes"] = map[string]any{"currentModeId": n.mode, "availableModes": choices("id", s.agent.Modes)}
	}
	if options := s.options(n); options != nil {
		result["configOptions"] = options
	}
	return s.result(m.ID, result)
}

func choices(key string, ids []string) (list []map[string]string) {
	for _, id := range ids {
		list = append(list, map[string]string{key: id, "name": id})
	}
	return list
}

// options advertises the models: the official schema has no other place for them.
func (s *server) options(n *session) []any {
	if len(s.agent.Models) == 0 {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return []any{map[string]any{
		"type": "select", "id": "model", "name": "Model", "category": "model",
		"currentValue": n.model, "options": choices("value", s.agent.Models),
	}}
}

func (s *server) setMode(m message, n *session, mode string) error {
	if !slices.Contains(s.agent.Modes, mode) {
		return s.refuse(m.ID, codeBadParams, "unknown mode")
	}
	s.mu.Lock()
	n.mode = mode
	s.mu.Unlock()
	if err := s.update(n.id, map[string]any{"sessionUpdate": "current_mode_update", "currentModeId": mode}); err != nil {
		return err
	}
	return s.result(m.ID, map[string]any{})
}

func (s *server) setModel(m message, n *session, model string) error {
	if !slices.Contains(s.agent.Models, model) {
		return s.refuse(m.ID, codeBadParams, "unknown model")
	}
	s.mu.Lock()
	n.model = model
	s.mu.Unlock()
	return s.result(m.ID, map[string]any{})
}

func (s *server) setOption(m message, n *session, p params) error {
	model, _ := p.Value.(string)
	if p.Option != "model" || !slices.Contains(s.agent.Models, model) {
		return s.refuse(m.ID, codeBadParams, "unknown option or value")
	}
	s.mu.Lock()
	n.model = model
	s.mu.Unlock()
	return s.result(m.ID, map[string]any{"configOptions": s.options(n)})
}

func (s *server) cancel(n *session) {
	if n == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if n.cancel != nil {
		n.cancel()
	}
}

// prompt runs the turn on a goroutine of its own, so that its requests can be answered and it can be cancelled.
func (s *server) prompt(ctx context.Context, m message, n *session, p params) error {
	ctx, cancel := context.WithCancel(ctx)
	s.mu.Lock()
	busy := n.cancel != nil
	t := &Turn{Session: n.id, Cwd: n.cwd, Mode: n.mode, Model: n.model, server: s}
	if !busy {
		n.cancel = cancel
	}
	s.mu.Unlock()
	if busy {
		cancel()
		return s.refuse(m.ID, codeBadParams, "a turn is already running")
	}
	for _, block := range p.Prompt {
		t.Text += block.Text
	}
	s.turns.Go(func() {
		defer cancel()
		s.finish(ctx, m, n, t)
	})
	return nil
}

func (s *server) finish(ctx context.Context, m message, n *session, t *Turn) {
	reason, err := s.agent.Prompt(ctx, t)
	s.mu.Lock()
	n.cancel = nil
	s.mu.Unlock()
	// A failed write here means that the client has gone; Serve learns that from its input.
	switch {
	case err != nil && ctx.Err() != nil:
		_ = s.result(m.ID, t.outcome("cancelled"))
	case err != nil:
		_ = s.refuse(m.ID, codeInternal, err.Error())
	default:
		_ = s.result(m.ID, t.outcome(reason))
	}
}

// settle hands an answer of the client's to the request that waits for it.
func (s *server) settle(m message) {
	id, err := strconv.ParseInt(string(m.ID), 10, 64)
	if err != nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if w := s.waiting[id]; w != nil {
		delete(s.waiting, id)
		w <- m
	}
}
