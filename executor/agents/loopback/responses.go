package loopback

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
)

// responses is OpenAI's Responses API.
type responses struct{}

type responsesRequest struct {
	Model    string
	Stream   bool
	Previous string          `json:"previous_response_id"`
	Input    json.RawMessage // a string, or items
	Tools    []responsesTool
}

type responsesTool struct {
	Type, Name string
	Parameters schema
}

type responsesItem struct {
	Type    string // "" for a message
	Role    string
	Content json.RawMessage
	CallID  string `json:"call_id"`
}

const responseID = "resp_loopback_"

func (responses) decode(_ *http.Request, body []byte) (query, error) {
	var r responsesRequest
	if err := json.Unmarshal(body, &r); err != nil {
		return query{}, fmt.Errorf("decoding a responses request: %w", err)
	}
	q := query{model: r.Model, stream: r.Stream}
	if r.Previous != "" {
		n, err := strconv.Atoi(strings.TrimPrefix(r.Previous, responseID))
		if err != nil || n < 1 {
			n = -1
		}
		q.after = n
	}
	if json.Unmarshal(r.Input, &q.prompt) != nil {
		var items []responsesItem
		if err := json.Unmarshal(r.Input, &items); err != nil {
			return query{}, fmt.Errorf("decoding the input of a responses request: %w", err)
		}
		q.prompt, q.answers = lastPrompt(items)
	}
	for _, t := range r.Tools {
		q.tools = append(q.tools, t.tool())
	}
	return q, nil
}

// lastPrompt is what the user said last, and the number of answers since then. An answer is several items here: its words,
// its calls. Calls of one answer have ids that begin alike, whatever stands between them.
func lastPrompt(items []responsesItem) (prompt string, answers int) {
	open, of := false, "" // within an answer, and the beginning of its calls' ids
	for _, it := range items {
		switch {
		case it.Role == "user":
			prompt, answers, open, of = contentText(it.Content), 0, false, ""
		case it.Role == "assistant":
			if !open {
				answers++
			}
			open, of = true, ""
		case strings.HasSuffix(it.Type, "_call"):
			mine := it.CallID[:strings.LastIndexByte(it.CallID, '_')+1]
			if another := mine == "" || mine != of; !open && another || open && another && of != "" {
				answers++
			}
			open, of = true, mine
		case strings.HasSuffix(it.Type, "_output"):
			open = false
		}
	}
	return prompt, answers
}

func (t responsesTool) tool() tool {
	switch t.Type {
	case "custom":
		return tool{name: t.Name, kind: custom, schema: schema{Properties: map[string]property{"input": {Type: "string"}}}}
	case "local_shell":
		return tool{name: t.Type, kind: localShell, schema: schema{Properties: map[string]property{"command": {Type: "array"}}}}
	case "function":
		return tool{name: t.Name, schema: t.Parameters}
	}
	return tool{name: t.Type} // web_search and the like, which the provider runs itself
}

func (r reply) messageItem() map[string]any {
	return map[string]any{"id": fmt.Sprintf("msg_loopback_%d", r.seq), "type": "message", "role": "assistant", "status": "completed",
		"content": []any{map[string]any{"type": "output_text", "text": r.text, "annotations": []any{}}}}
}

func (c namedCall) item() map[string]any {
	item := map[string]any{"id": "item_" + c.id, "call_id": c.id, "status": "completed"}
	switch c.kind {
	case custom:
		item["type"], item["name"], item["input"] = "custom_tool_call", c.name, c.args
	case localShell:
		var action map[string]any
		_ = json.Unmarshal([]byte(c.args), &action) // our own encoding of an object
		action["type"], action["env"] = "exec", map[string]any{}
		item["type"], item["action"] = "local_shell_call", action
	default:
		item["type"], item["name"], item["arguments"] = "function_call", c.name, c.args
	}
	return item
}

func (responses) whole(r reply, status string, output []any) map[string]any {
	whole := map[string]any{"id": fmt.Sprint(responseID, r.seq), "object": "response", "created_at": 0, "model": r.model, "status": status, "output": output}
	if status == "completed" {
		whole["usage"] = map[string]any{"input_tokens": tokensIn, "output_tokens": tokensOut, "total_tokens": tokensIn + tokensOut,
			"input_tokens_details": map[string]any{"cached_tokens": 0}, "output_tokens_details": map[string]any{"reasoning_tokens": 0}}
	}
	return whole
}

func (responses) output(r reply) []any {
	output := []any{}
	if r.text != "" {
		output = append(output, r.messageItem())
	}
	for _, c := range r.calls {
		output = append(output, c.item())
	}
	return output
}

func (d responses) encode(r reply) any { return d.whole(r, "completed", d.output(r)) }
