package agentside_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/d3mlabs/ai-flow/acpclient/agentside"
	"github.com/d3mlabs/ai-flow/testsupport/acpschema"
)

// client is the other end, played line by line; each line that the agent sends is held against the official schema.
type client struct {
	t      *testing.T
	in     *io.PipeWriter
	lines  *bufio.Reader
	schema *acpschema.Schema
	asked  map[string]string
	served chan error
}

func serve(t *testing.T, ctx context.Context, a agentside.Agent) *client {
	schema, err := acpschema.Load()
	if err != nil {
		t.Fatal(err)
	}
	agentIn, in := io.Pipe()
	out, agentOut := io.Pipe()
	c := &client{t: t, in: in, lines: bufio.NewReader(out), schema: schema, asked: map[string]string{}, served: make(chan error, 1)}
	go func() {
		err := agentside.Serve(ctx, agentIn, agentOut, a)
		agentOut.Close()
		c.served <- err
	}()
	t.Cleanup(func() { in.Close() })
	return c
}

func (c *client) send(line string) {
	c.t.Helper()
	var m struct {
		ID     json.RawMessage
		Method string
	}
	if err := json.Unmarshal([]byte(line), &m); err != nil {
		c.t.Fatal(err)
	}
	if m.Method != "" {
		c.asked[string(m.ID)] = m.Method
	}
	if _, err := io.WriteString(c.in, line+"\n"); err != nil {
		c.t.Fatal(err)
	}
}

func (c *client) expect(parts ...string) string {
	c.t.Helper()
	line, err := c.lines.ReadString('\n')
	if err != nil {
		c.t.Fatal(err)
	}
	var m struct{ ID json.RawMessage }
	if err := json.Unmarshal([]byte(line), &m); err != nil {
		c.t.Fatal(err)
	}
	err = c.schema.Message(acpschema.Agent, []byte(line), c.asked[string(m.ID)])
	if err != nil && !(errors.Is(err, acpschema.ErrUnknown) && c.asked[string(m.ID)] == "session/set_model") {
		c.t.Errorf("the schema refuses %s%v", line, err)
	}
	for _, part := range parts {
		if !strings.Contains(line, part) {
			c.t.Fatalf("got %swant %q in it", line, part)
		}
	}
	return line
}

func story(ctx context.Context, t *agentside.Turn) (string, error) {
	if t.Text == "wait" {
		<-ctx.Done()
		return "", ctx.Err()
	}
	if t.Text == "fail" {
		return "", errors.New("out of ideas")
	}
	call := agentside.Call{ID: "c", Kind: "execute", Status: "pending", RawInput: map[string]any{"command": "touch x"}, Paths: []string{"/x"}}
	if err := t.Start(call); err != nil {
		return "", err
	}
	allowed, err := t.Ask(ctx, call)
	if err != nil {
		return "", err
	}
	status := map[bool]string{true: "completed", false: "failed"}[allowed]
	if err := t.Update(agentside.Call{ID: "c", Status: status, Text: "<out>", RawOutput: map[string]any{"exitCode": 0}}); err != nil {
		return "", err
	}
	t.Usage(1, 2)
	return "end_turn", t.Say(t.Mode + " " + t.Model + " " + t.Cwd)
}

// Everything sent is valid ACP, in the order of the story.
func TestServe(t *testing.T) {
	c := serve(t, context.Background(), agentside.Agent{Name: "demo", Version: "1", Modes: []string{"ask", "yolo"}, Models: []string{"a", "b"}, Prompt: story})
	c.send(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}`)
	c.expect(`"protocolVersion":1`, `"name":"demo"`)
	c.send(`{"jsonrpc":"2.0","id":2,"method":"session/new","params":{"cwd":"/w","mcpServers":[]}}`)
	c.expect(`"sessionId":"session-1"`, `"currentModeId":"ask"`, `"currentValue":"a"`)
	c.send(`{"jsonrpc":"2.0","id":3,"method":"session/set_mode","params":{"sessionId":"session-1","modeId":"yolo"}}`)
	c.expect(`"current_mode_update"`, `"yolo"`)
	c.expect(`"id":3`)
	c.send(`{"jsonrpc":"2.0","id":4,"method":"session/set_config_option","params":{"sessionId":"session-1","configId":"model","value":"b"}}`)
	c.expect(`"currentValue":"b"`)
	c.send(`{"jsonrpc":"2.0","id":5,"method":"session/set_model","params":{"sessionId":"session-1","modelId":"b"}}`)
	c.expect(`"id":5`, `"result"`)
	for _, wrong := range []string{
		`"session/set_mode","params":{"sessionId":"session-1","modeId":"x"}`, `"session/set_model","params":{"sessionId":"session-1","modelId":"x"}`,
		`"session/set_config_option","params":{"sessionId":"session-1","configId":"x","value":"b"}`, `"session/prompt","params":{"sessionId":"other","prompt":[]}`,
		`"no/such","params":{}`, `"session/new","params":{"cwd":7}`,
	} {
		c.send(`{"jsonrpc":"2.0","id":6,"method":` + wrong + `}`)
		c.expect(`"id":6`, `"error"`)
	}
	c.send(`{"jsonrpc":"2.0","method":"$/unknown","params":{}}`)

	for option, status := range map[string]string{"allow_once": "completed", "allow_always": "completed", "reject_once": "failed"} {
		c.send(`{"jsonrpc":"2.0","id":7,"method":"session/prompt","params":{"sessionId":"session-1","prompt":[{"type":"text","text":"go"}]}}`)
		c.expect(`"tool_call"`, `"title":"c"`, `"path":"/x"`)
		var m struct{ ID json.RawMessage }
		if err := json.Unmarshal([]byte(c.expect(`"session/request_permission"`)), &m); err != nil {
			t.Fatal(err)
		}
		c.send(`{"jsonrpc":"2.0","id":` + string(m.ID) + `,"result":{"outcome":{"outcome":"selected","optionId":"` + option + `"}}}`)
		c.expect(`"status":"`+status+`"`, `<out>`)
		c.expect("yolo b /w")
		c.expect(`"stopReason":"end_turn"`, `"inputTokens":1`)
	}

	c.send(`{"jsonrpc":"2.0","id":8,"method":"session/prompt","params":{"sessionId":"session-1","prompt":[{"type":"text","text":"wait"}]}}`)
	c.send(`{"jsonrpc":"2.0","id":9,"method":"session/prompt","params":{"sessionId":"session-1","prompt":[{"type":"text","text":"wait"}]}}`)
	c.expect(`"id":9`, `"error"`)
	c.send(`{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"session-1"}}`)
	c.expect(`"id":8`, `"stopReason":"cancelled"`)
	c.send(`{"jsonrpc":"2.0","id":10,"method":"session/prompt","params":{"sessionId":"session-1","prompt":[{"type":"text","text":"fail"}]}}`)
	c.expect(`"id":10`, `"error"`, "out of ideas")
	c.in.Close()
	if err := <-c.served; err != nil {
		t.Errorf("the end of input is no error: %v", err)
	}
}

// The end of the input, or of the context, ends a turn under way and Serve with it.
func TestServeEnds(t *testing.T) {
	for _, end := range []string{"input", "context"} {
		why := errors.New("stop")
		ctx, cancel := context.WithCancelCause(context.Background())
		ended := make(chan struct{})
		c := serve(t, ctx, agentside.Agent{Prompt: func(ctx context.Context, turn *agentside.Turn) (string, error) {
			defer close(ended)
			_, err := turn.Ask(ctx, agentside.Call{ID: "c"})
			return "end_turn", err
		}})
		c.send(`{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/w","mcpServers":[]}}`)
		c.expect(`session-1`)
		c.send(`{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"session-1","prompt":[{"type":"text","text":"x"}]}}`)
		c.expect(`"session/request_permission"`)
		if end == "input" {
			c.in.Close()
		} else {
			cancel(why)
		}
		c.expect(`"stopReason":"cancelled"`)
		<-ended
		select {
		case err := <-c.served:
			if (end == "input") != (err == nil) || end == "context" && !errors.Is(err, why) {
				t.Errorf("%s: %v", end, err)
			}
		case <-time.After(5 * time.Second):
			t.Fatal("Serve goes on")
		}
		cancel(nil)
	}
}
