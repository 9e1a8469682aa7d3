package modelagent

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"sync"
	"time"
)

// wire is the connection to the client. It lets through what package agentside says and hears, except where a fault is about
// the protocol itself, which that package cannot break.
type wire struct {
	agent  *agent
	models []string

	mu  sync.Mutex
	out io.Writer
}

type frame struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   json.RawMessage `json:"error,omitempty"`
}

// pump hands on what the client says, line by line, until it says no more.
func (w *wire) pump(in io.Reader, to io.Writer) error {
	lines := bufio.NewReader(in)
	for {
		line, err := lines.ReadBytes('\n')
		if len(line) > 0 {
			mine, writeErr := w.intercept(line)
			if writeErr == nil && !mine {
				_, writeErr = to.Write(line)
			}
			if writeErr != nil {
				return writeErr
			}
		}
		if errors.Is(err, io.EOF) {
			return io.EOF
		}
		if err != nil {
			return err
		}
	}
}

// intercept answers a request of the client's in the place of agentside.
func (w *wire) intercept(line []byte) (mine bool, err error) {
	var m frame
	if err := json.Unmarshal(line, &m); err != nil {
		return false, nil // agentside says what is wrong with it
	}
	var p struct{ ModelID, Value, ConfigID string }
	_ = json.Unmarshal(m.Params, &p) // a value that is no string names no model
	f := w.agent.faults
	switch {
	case m.Method == "session/set_mode" && f[IgnoresMode]:
		return true, w.send(frame{ID: m.ID, Result: json.RawMessage(`{}`)})
	case m.Method == "session/new" && f[LoginWanted]:
		return true, w.send(frame{ID: m.ID, Error: json.RawMessage(`{"code":-32000,"message":"Authentication required"}`)})
	case m.Method == "session/set_model" && f[AcceptsBogusModel] && !slices.Contains(w.models, p.ModelID):
		return true, w.send(frame{ID: m.ID, Result: json.RawMessage(`{}`)})
	case m.Method == "session/set_config_option" && f[AcceptsBogusModel] && !slices.Contains(w.models, p.Value):
		return true, w.send(frame{ID: m.ID, Result: json.RawMessage(`{"configOptions":[]}`)})
	}
	return false, nil
}

// Write takes one message of agentside's.
func (w *wire) Write(line []byte) (int, error) {
	n, f := len(line), w.agent.faults
	var m frame
	if err := json.Unmarshal(line, &m); err != nil {
		return 0, err
	}
	if m.Method == "session/request_permission" && (f[NoOnceOption] || f[AlwaysFirst]) {
		line = w.options(m)
	}
	if err := w.raw(line); err != nil {
		return 0, err
	}
	if f[UpdatesAfterEnd] && bytes.Contains(m.Result, []byte(`"stopReason"`)) {
		time.Sleep(100 * time.Millisecond) // behind the answer, and not in its tail
		return n, w.late()
	}
	return n, nil
}

func (w *wire) raw(line []byte) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	_, err := w.out.Write(line)
	return err
}

func (w *wire) send(m frame) error {
	m.Version = "2.0"
	line, err := json.Marshal(m)
	if err != nil {
		return err
	}
	return w.raw(append(line, '\n'))
}

// options replaces those of a permission request.
func (w *wire) options(m frame) []byte {
	var p map[string]any
	_ = json.Unmarshal(m.Params, &p) // agentside's own
	all := []any{map[string]string{"optionId": "allow_always", "name": "Always allow", "kind": "allow_always"}}
	if w.agent.faults[AlwaysFirst] {
		all = append(all, map[string]string{"optionId": "allow_once", "name": "Allow once", "kind": "allow_once"})
	}
	p["options"] = append(all, map[string]string{"optionId": "reject_once", "name": "Deny", "kind": "reject_once"})
	params, _ := json.Marshal(p) // maps of strings
	m.Params = params
	line, _ := json.Marshal(m)
	return append(line, '\n')
}

func (w *wire) update(session string, update map[string]any) error {
	params, err := json.Marshal(map[string]any{"sessionId": session, "update": update})
	if err != nil {
		return err
	}
	return w.send(frame{Method: "session/update", Params: params})
}

func (w *wire) late() error {
	const session = "session-1" // as agentside names the first
	if err := w.update(session, map[string]any{"sessionUpdate": "tool_call", "toolCallId": "late", "title": "late", "kind": "execute", "status": "completed"}); err != nil {
		return err
	}
	return w.update(session, map[string]any{"sessionUpdate": "agent_message_chunk", "content": map[string]string{"type": "text", "text": "late"}})
}

// askForFile sends a request whose answer nobody waits for: its id is none of agentside's.
func (w *wire) askForFile(session, path, content string) error {
	params, err := json.Marshal(map[string]string{"sessionId": session, "path": path, "content": content})
	if err != nil {
		return err
	}
	return w.send(frame{ID: json.RawMessage(`"file-1"`), Method: "fs/write_text_file", Params: params})
}
