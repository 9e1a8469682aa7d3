package loopback

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// chat is OpenAI's chat completions.
type chat struct{}

type chatRequest struct {
	Model         string
	Stream        bool
	StreamOptions struct {
		IncludeUsage bool `json:"include_usage"`
	} `json:"stream_options"`
	Messages []struct {
		Role    string
		Content json.RawMessage // a string, parts, or null
	}
	Tools []struct {
		Function struct {
			Name       string
			Parameters schema
		}
	}
}

func (chat) decode(_ *http.Request, body []byte) (query, error) {
	var r chatRequest
	if err := json.Unmarshal(body, &r); err != nil {
		return query{}, fmt.Errorf("decoding a chat completion request: %w", err)
	}
	q := query{model: r.Model, stream: r.Stream, usage: r.StreamOptions.IncludeUsage}
	for _, m := range r.Messages {
		switch m.Role {
		case "user":
			q.prompt, q.answers = contentText(m.Content), 0
		case "assistant":
			q.answers++
		}
	}
	for _, t := range r.Tools {
		q.tools = append(q.tools, tool{name: t.Function.Name, schema: t.Function.Parameters})
	}
	return q, nil
}

// contentText is the text of a message: of a string, or of text parts joined.
func contentText(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	var parts []struct{ Text string }
	if json.Unmarshal(raw, &parts) != nil {
		return "" // null, or a shape with no text in it
	}
	var b strings.Builder
	for _, p := range parts {
		b.WriteString(p.Text)
	}
	return b.String()
}

func (r reply) finish() string {
	if len(r.calls) > 0 {
		return "tool_calls"
	}
	return "stop"
}

func (r reply) id() string { return fmt.Sprintf("chatcmpl-loopback-%d", r.seq) }

func usage() map[string]any {
	return map[string]any{"prompt_tokens": tokensIn, "completion_tokens": tokensOut, "total_tokens": tokensIn + tokensOut}
}

func (chat) encode(r reply) any {
	message := map[string]any{"role": "assistant", "content": r.text}
	if r.text == "" {
		message["content"] = nil
	}
	if len(r.calls) > 0 {
		message["tool_calls"] = toolCalls(r.calls)
	}
	return map[string]any{"id": r.id(), "object": "chat.completion", "created": 0, "model": r.model, "usage": usage(),
		"choices": []any{map[string]any{"index": 0, "message": message, "finish_reason": r.finish()}}}
}

func toolCalls(calls []namedCall) (out []any) {
	for i, c := range calls {
		out = append(out, map[string]any{"index": i, "id": c.id, "type": "function",
			"function": map[string]any{"name": c.name, "arguments": c.args}})
	}
	return out
}

func (chat) stream(r reply, q query, send emit) {
	chunk := func(choices []any, extra map[string]any) {
		m := map[string]any{"id": r.id(), "object": "chat.completion.chunk", "created": 0, "model": r.model, "choices": choices}
		for k, v := range extra {
			m[k] = v
		}
		send("", encoded(m))
	}
	delta := func(d map[string]any, finish any) []any {
		return []any{map[string]any{"index": 0, "delta": d, "finish_reason": finish}}
	}
	chunk(delta(map[string]any{"role": "assistant", "content": ""}, nil), nil)
	for _, piece := range pieces(r.text) {
		chunk(delta(map[string]any{"content": piece}, nil), nil)
	}
	if len(r.calls) > 0 {
		chunk(delta(map[string]any{"tool_calls": toolCalls(r.calls)}, nil), nil)
	}
	chunk(delta(map[string]any{}, r.finish()), nil)
	if q.usage {
		chunk([]any{}, map[string]any{"usage": usage()})
	}
	send("", []byte("[DONE]"))
}
