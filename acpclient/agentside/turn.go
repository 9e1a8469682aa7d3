package agentside

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
)

// Turn is one prompt being answered. Its methods send; they may be called from several goroutines.
type Turn struct {
	Session, Cwd, Mode, Model, Text string

	server *server
	mu     sync.Mutex
	usage  map[string]int64
}

// Say sends a chunk of the answer.
func (t *Turn) Say(text string) error {
	return t.server.update(t.Session, map[string]any{
		"sessionUpdate": "agent_message_chunk",
		"content":       map[string]string{"type": "text", "text": text},
	})
}

// Call is a tool call as it goes on the wire; empty fields are left out.
type Call struct {
	ID, Title, Kind, Status string
	RawInput, RawOutput     any
	Text                    string // a text content block when not ""
	Paths                   []string
}

// Start announces a call.
func (t *Turn) Start(c Call) error {
	m := c.members()
	m["sessionUpdate"] = "tool_call"
	if c.Title == "" {
		m["title"] = c.ID // required by the schema
	}
	return t.server.update(t.Session, m)
}

// Update changes a call.
func (t *Turn) Update(c Call) error {
	m := c.members()
	m["sessionUpdate"] = "tool_call_update"
	return t.server.update(t.Session, m)
}

func (c Call) members() map[string]any {
	m := map[string]any{"toolCallId": c.ID}
	for key, text := range map[string]string{"title": c.Title, "kind": c.Kind, "status": c.Status} {
		if text != "" {
			m[key] = text
		}
	}
	if c.RawInput != nil {
		m["rawInput"] = c.RawInput
	}
	if c.RawOutput != nil {
		m["rawOutput"] = c.RawOutput
	}
	if c.Text != "" {
		m["content"] = []any{map[string]any{"type": "content", "content": map[string]string{"type": "text", "text": c.Text}}}
	}
	if c.Paths != nil {
		m["locations"] = locations(c.Paths)
	}
	return m
}

func locations(paths []string) []map[string]string {
	list := make([]map[string]string, 0, len(paths))
	for _, p := range paths {
		list = append(list, map[string]string{"path": p})
	}
	return list
}

// Ask requests permission with the three usual options and reports whether it was allowed. It waits for the answer until
// ctx ends.
func (t *Turn) Ask(ctx context.Context, c Call) (allowed bool, err error) {
	answer, err := t.server.request(ctx, "session/request_permission", map[string]any{
		"sessionId": t.Session,
		"toolCall":  c.members(),
		"options": []map[string]string{
			{"optionId": "allow_once", "name": "Allow once", "kind": "allow_once"},
			{"optionId": "allow_always", "name": "Always allow", "kind": "allow_always"},
			{"optionId": "reject_once", "name": "Deny", "kind": "reject_once"},
		},
	})
	if err != nil {
		return false, fmt.Errorf("asking for permission: %w", err)
	}
	var result struct {
		Outcome struct {
			Outcome string `json:"outcome"`
			Option  string `json:"optionId"`
		} `json:"outcome"`
	}
	if err := json.Unmarshal(answer, &result); err != nil {
		return false, fmt.Errorf("asking for permission: reading the answer: %w", err)
	}
	o := result.Outcome
	return o.Outcome == "selected" && (o.Option == "allow_once" || o.Option == "allow_always"), nil
}

// Usage reports token counts with the turn's result.
func (t *Turn) Usage(input, output int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.usage = map[string]int64{"inputTokens": input, "outputTokens": output, "totalTokens": input + output}
}

func (t *Turn) outcome(reason string) map[string]any {
	t.mu.Lock()
	defer t.mu.Unlock()
	result := map[string]any{"stopReason": reason}
	if t.usage != nil {
		result["usage"] = t.usage
	}
	return result
}

func (s *server) update(session string, update map[string]any) error {
	return s.send(map[string]any{
		"jsonrpc": "2.0", "method": "session/update",
		"params": map[string]any{"sessionId": session, "update": update},
	})
}

// request asks the client and waits for its answer until ctx ends.
func (s *server) request(ctx context.Context, method string, params any) (json.RawMessage, error) {
	answered := make(chan message, 1)
	s.mu.Lock()
	id := s.lastID
	s.lastID++
	s.waiting[id] = answered
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		delete(s.waiting, id)
		s.mu.Unlock()
	}()
	if err := s.send(map[string]any{"jsonrpc": "2.0", "id": id, "method": method, "params": params}); err != nil {
		return nil, err
	}
	select {
	case m := <-answered:
		if m.Error != nil {
			return nil, errors.New("the client answered with an error: " + string(m.Error))
		}
		return m.Result, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}
