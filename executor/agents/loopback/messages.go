package loopback

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// messages is Anthropic's Messages API.
type messages struct {
	countOnly bool // count_tokens: the same request, answered by a number
}

type messagesRequest struct {
	Model    string
	Stream   bool
	Messages []struct {
		Role    string
		Content json.RawMessage // a string, or blocks
	}
	Tools []struct {
		Name   string
		Schema schema `json:"input_schema"`
	}
}

func (m messages) decode(_ *http.Request, body []byte) (query, error) {
	var r messagesRequest
	if err := json.Unmarshal(body, &r); err != nil {
		return query{}, fmt.Errorf("decoding a messages request: %w", err)
	}
	q := query{model: r.Model, stream: r.Stream && !m.countOnly}
	if m.countOnly {
		return q, nil // no tools: none of the script's business
	}
	// Messages of one role in a row are one, says the API.
	last := ""
	for _, msg := range r.Messages {
		if said := saidByUser(msg.Content); msg.Role == "user" && said != "" {
			q.prompt, q.answers = said, 0
		}
		if msg.Role == "assistant" && last != "assistant" {
			q.answers++
		}
		last = msg.Role
	}
	for _, t := range r.Tools {
		q.tools = append(q.tools, tool{name: t.Name, schema: t.Schema})
	}
	return q, nil
}

// saidByUser is the text of a user's message: of a string, or of text blocks joined, without the reminders that Claude
// Code puts beside prompts and beside tool results, which are in a user's message too.
func saidByUser(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	var blocks []struct{ Type, Text string }
	if json.Unmarshal(raw, &blocks) != nil {
		return ""
	}
	var b strings.Builder
	for _, block := range blocks {
		if block.Type == "text" && !strings.HasPrefix(strings.TrimSpace(block.Text), "<system-reminder>") {
			b.WriteString(block.Text)
		}
	}
	return b.String()
}

func (messages) stopReason(r reply) string {
	if len(r.calls) > 0 {
		return "tool_use"
	}
	return "end_turn"
}

func (messages) message(r reply, content []any, stop any, out int) map[string]any {
	return map[string]any{"id": fmt.Sprintf("msg_loopback_%d", r.seq), "type": "message", "role": "assistant", "model": r.model,
		"content": content, "stop_reason": stop, "stop_sequence": nil,
		"usage": map[string]any{"input_tokens": tokensIn, "output_tokens": out}}
}

func (m messages) encode(r reply) any {
	if m.countOnly {
		return map[string]any{"input_tokens": tokensIn}
	}
	content := []any{}
	if r.text != "" {
		content = append(content, map[string]any{"type": "text", "text": r.text})
	}
	for _, c := range r.calls {
		content = append(content, map[string]any{"type": "tool_use", "id": c.id, "name": c.name, "input": json.RawMessage(c.args)})
	}
	return m.message(r, content, m.stopReason(r), tokensOut)
}

func (m messages) stream(r reply, _ query, send emit) {
	event := func(kind string, with map[string]any) {
		with["type"] = kind
		send(kind, encoded(with))
	}
	index := 0
	block := func(start map[string]any, deltas []map[string]any) {
		event("content_block_start", map[string]any{"index": index, "content_block": start})
		for _, d := range deltas {
			event("content_block_delta", map[string]any{"index": index, "delta": d})
		}
		event("content_block_stop", map[string]any{"index": index})
		index++
	}
	event("message_start", map[string]any{"message": m.message(r, []any{}, nil, 1)})
	event("ping", map[string]any{})
	if r.text != "" {
		var deltas []map[string]any
		for _, piece := range pieces(r.text) {
			deltas = append(deltas, map[string]any{"type": "text_delta", "text": piece})
		}
		block(map[string]any{"type": "text", "text": ""}, deltas)
	}
	for _, c := range r.calls {
		var deltas []map[string]any
		for _, piece := range pieces(c.args) {
			deltas = append(deltas, map[string]any{"type": "input_json_delta", "partial_json": piece})
		}
		block(map[string]any{"type": "tool_use", "id": c.id, "name": c.name, "input": map[string]any{}}, deltas)
	}
	event("message_delta", map[string]any{"delta": map[string]any{"stop_reason": m.stopReason(r), "stop_sequence": nil},
		"usage": map[string]any{"output_tokens": tokensOut}})
	event("message_stop", map[string]any{})
}
