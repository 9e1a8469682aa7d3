package modelagent

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
)

const (
	maxToModel = 64 << 10 // bytes of a tool's output that the model gets to see
	maxAnswer  = 16 << 20
)

// message is one of a conversation in OpenAI's chat completions.
type message struct {
	Role    string     `json:"role"`
	Content string     `json:"content"`
	Calls   []toolCall `json:"tool_calls,omitempty"`
	CallID  string     `json:"tool_call_id,omitempty"`
}

type toolCall struct {
	ID       string `json:"id"`
	Type     string `json:"type"`
	Function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	} `json:"function"`
}

type spent struct {
	Prompt     int64 `json:"prompt_tokens"`
	Completion int64 `json:"completion_tokens"`
}

// provider is where the model is.
type provider struct{ base, key string }

// direct goes through no proxy: the provider of a test is on this host.
var direct = &http.Client{Transport: &http.Transport{}}

// complete asks for the next message of a conversation.
func (p provider) complete(ctx context.Context, model string, said []message) (message, spent, error) {
	body, err := json.Marshal(map[string]any{"model": model, "messages": said, "tools": tools()})
	if err != nil {
		return message{}, spent{}, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, p.base+"/chat/completions", bytes.NewReader(body))
	if err != nil {
		return message{}, spent{}, err
	}
	req.Header.Set("Authorization", "Bearer "+p.key)
	req.Header.Set("Content-Type", "application/json")
	resp, err := direct.Do(req)
	if err != nil {
		return message{}, spent{}, err
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if err != nil {
		return message{}, spent{}, err
	}
	if resp.StatusCode != http.StatusOK {
		return message{}, spent{}, fmt.Errorf("the provider answered %s: %q", resp.Status, cut(string(raw), 200))
	}
	var answer struct {
		Choices []struct{ Message message }
		Usage   spent
	}
	if err := json.Unmarshal(raw, &answer); err != nil || len(answer.Choices) == 0 {
		return message{}, spent{}, fmt.Errorf("the provider answered %q: %v", cut(string(raw), 200), err)
	}
	return answer.Choices[0].Message, answer.Usage, nil
}

// ask asks the model to go on.
func (w *worker) ask(ctx context.Context) (message, error) {
	model := w.turn.Model
	if model == "" {
		model = os.Getenv("OPENAI_MODEL")
	}
	if w.agent.faults[OtherModel] {
		model = "a-cheaper-model"
	}
	if w.agent.faults[SmallerModel] {
		model += "-mini"
	}
	times := 1
	if w.agent.faults[ManyModelCalls] {
		times = 1000
	}
	var answer message
	for range times {
		m, used, err := w.agent.provider.complete(ctx, model, w.agent.said(w.turn.Session))
		if err != nil {
			return m, err
		}
		answer, w.spent.Prompt, w.spent.Completion = m, w.spent.Prompt+used.Prompt, w.spent.Completion+used.Completion
	}
	return answer, nil
}

// tools are what the model is offered.
func tools() (list []any) {
	for _, t := range []struct {
		name, what string
		required   []string
		optional   map[string]any
	}{
		{"bash", "Run a shell command.", []string{"command"}, map[string]any{"background": map[string]string{"type": "boolean"}}},
		{"view", "Read a file.", []string{"path"}, nil},
		{"create", "Write a new file.", []string{"path", "content"}, nil},
		{"edit", "Replace a text in a file, that stands in it once.", []string{"path", "old_str", "new_str"}, nil},
	} {
		properties := map[string]any{}
		for name, schema := range t.optional {
			properties[name] = schema
		}
		for _, name := range t.required {
			properties[name] = map[string]string{"type": "string"}
		}
		list = append(list, map[string]any{"type": "function", "function": map[string]any{"name": t.name, "description": t.what,
			"parameters": map[string]any{"type": "object", "properties": properties, "required": t.required}}})
	}
	return list
}

func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return s[:n]
}
