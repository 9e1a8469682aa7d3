package acpclient_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/d3mlabs/ai-flow/acpclient"
	"github.com/d3mlabs/ai-flow/testsupport/wire"
)

// TestTranscripts replays what real agents said. The agent's side waits for each of our messages where the transcript has
// one, so the order is the recorded one; what we must see is worked out from the transcript by encoding/json.
func TestTranscripts(t *testing.T) {
	names, err := wire.Names()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) { replay(t, name) })
	}
}

// recorded is a message of a transcript, as the test reads it.
type recorded struct {
	ID     json.RawMessage
	Method string
	Params struct {
		SessionID string          `json:"sessionId"`
		Cwd       string          `json:"cwd"`
		ModeID    string          `json:"modeId"`
		ModelID   string          `json:"modelId"`
		ConfigID  string          `json:"configId"`
		Value     json.RawMessage `json:"value"`
		Prompt    []struct{ Text string }
		Update    map[string]any
		ToolCall  struct {
			ToolCallID string `json:"toolCallId"`
		} `json:"toolCall"`
	}
	Result map[string]any
	Error  *struct{ Code int }
	msg    wire.Message
}

// player replays one transcript.
type player struct {
	*peer
	mu       sync.Mutex
	waiting  map[string][]chan string // by tool call: where its handlers wait, in order of the requests
	answers  map[string]chan string   // the same channels by the recorded id of the request
	ids      map[string]string        // recorded id of a call of ours, and the id that we gave it
	skipped  map[string]bool          // recorded calls that our client does not make
	sessions map[string]bool
	results  sync.WaitGroup
	returned map[string]chan struct{} // by recorded id: closed when the call has returned
}

func load(t *testing.T, name string) []recorded {
	messages, err := wire.Load(name)
	if err != nil {
		t.Fatal(err)
	}
	var all []recorded
	for _, m := range messages {
		r := recorded{msg: m}
		if m.Elided == 0 {
			if err := json.Unmarshal(m.Raw, &r); err != nil {
				t.Fatalf("%s: %v", m.Raw, err)
			}
		}
		all = append(all, r)
	}
	return all
}

func replay(t *testing.T, name string) {
	pl := &player{waiting: map[string][]chan string{}, answers: map[string]chan string{}, ids: map[string]string{}, skipped: map[string]bool{}, returned: map[string]chan struct{}{}, sessions: map[string]bool{}}
	rec := &recorder{choose: pl.choose}
	pl.peer = connect(t, rec)
	all := load(t, name)
	for i, m := range all {
		switch {
		case m.msg.Elided > 0:
		case m.msg.FromAgent:
			if m.Method == "session/request_permission" {
				pl.expectQuestion(m)
			}
			if m.Method == "" && pl.skipped[string(m.ID)] {
				continue
			}
			pl.fromAgent(m)
		case m.Method == "":
			pl.permission(m)
		default:
			pl.fromClient(m, outcome(all[i:], m.ID))
		}
	}
	pl.close()
	<-pl.conn.Done()
	pl.results.Wait()
	if err := pl.conn.Err(); err != nil {
		t.Errorf("the connection ended with %v", err)
	}
	if len(rec.noise) > 0 {
		t.Errorf("real messages were taken for noise: %q", rec.noise)
	}
	compare(t, all, pl.sessions, rec)
}

// outcome finds the recorded answer to the call with this id; nil when the agent never gave one.
func outcome(rest []recorded, id json.RawMessage) *recorded {
	for i := range rest {
		if m := &rest[i]; m.msg.FromAgent && m.Method == "" && string(m.ID) == string(id) && id != nil {
			return m
		}
	}
	return nil
}

// fromAgent sends a recorded message; an answer gets the id that we gave to the call.
func (pl *player) fromAgent(m recorded) {
	raw := string(m.msg.Raw)
	if m.Method == "" {
		var members map[string]json.RawMessage
		if err := json.Unmarshal(m.msg.Raw, &members); err != nil {
			pl.t.Fatal(err)
		}
		members["id"] = json.RawMessage(pl.ids[string(m.ID)])
		changed, err := json.Marshal(members)
		if err != nil {
			pl.t.Fatal(err)
		}
		raw = string(changed)
		if id, _ := m.Result["sessionId"].(string); id != "" {
			pl.sessions[id] = true
		}
	}
	pl.send(raw)
	if m.Method == "" {
		<-pl.returned[string(m.ID)] // the recorded client made its next call after this one had returned
	}
}

// choose answers with what was recorded, when its place in the transcript has come.
func (pl *player) choose(ctx context.Context, q acpclient.PermissionRequest) acpclient.PermissionAnswer {
	pl.mu.Lock()
	list := pl.waiting[q.Call.ID]
	if len(list) == 0 {
		pl.mu.Unlock()
		panic("asked for a call that the transcript does not ask for: " + q.Call.ID)
	}
	pl.waiting[q.Call.ID] = list[1:]
	pl.mu.Unlock()
	select {
	case option := <-list[0]:
		return acpclient.PermissionAnswer{OptionID: option}
	case <-ctx.Done():
		return acpclient.PermissionAnswer{}
	}
}

// expectQuestion prepares for a recorded request before it is sent.
func (pl *player) expectQuestion(m recorded) {
	pl.mu.Lock()
	defer pl.mu.Unlock()
	c := make(chan string, 1)
	call := m.Params.ToolCall.ToolCallID
	pl.waiting[call] = append(pl.waiting[call], c)
	pl.answers[string(m.ID)] = c
}

// permission releases a recorded answer and checks that it goes out.
func (pl *player) permission(m recorded) {
	result, _ := m.Result["outcome"].(map[string]any)
	option, _ := result["optionId"].(string)
	pl.answers[string(m.ID)] <- option
	got := pl.receive()
	if string(got.ID) != string(m.ID) || !strings.Contains(string(got.Result), fmt.Sprintf("%q", result["outcome"])) || !strings.Contains(string(got.Result), option) {
		pl.t.Errorf("answered %s, recorded %s", got.raw, m.msg.Raw)
	}
}

// fromClient makes the recorded call and compares its outcome with the recorded one.
func (pl *player) fromClient(m recorded, want *recorded) {
	c, ctx, p := pl.conn, pl.ctx, m.Params
	var do func() (string, error)
	switch m.Method {
	case "initialize":
		do = func() (string, error) { a, err := c.Initialize(ctx); return a.Version, err }
	case "session/new":
		do = func() (string, error) { s, err := c.NewSession(ctx, p.Cwd); return s.ID, err }
	case "session/prompt":
		do = func() (string, error) {
			turn, err := c.Prompt(ctx, p.SessionID, p.Prompt[0].Text)
			return turn.StopReason, err
		}
	case "session/set_mode":
		do = func() (string, error) { return "", c.SetMode(ctx, p.SessionID, p.ModeID) }
	case "session/set_model":
		do = func() (string, error) { return "", c.SetModel(ctx, p.SessionID, p.ModelID) }
	case "session/set_config_option":
		do = func() (string, error) {
			var v string
			if err := json.Unmarshal(p.Value, &v); err != nil {
				return "", err
			}
			_, err := c.SetOption(ctx, p.SessionID, p.ConfigID, v)
			return "", err
		}
	case "session/cancel":
		if err := c.Cancel(p.SessionID); err != nil {
			pl.t.Error(err)
		}
		pl.expect("session/cancel")
		return
	}
	unasked := m.Method == "session/new" && !strings.HasPrefix(p.Cwd, "/") || m.Method == "session/prompt" && !pl.sessions[p.SessionID]
	if do == nil || unasked {
		pl.skipped[string(m.ID)] = true // the recording laboratory probed more than we use
		return
	}
	returned := make(chan struct{})
	pl.returned[string(m.ID)] = returned
	pl.results.Go(func() {
		defer close(returned)
		got, err := do()
		check(pl.t, m, want, got, err)
	})
	pl.ids[string(m.ID)] = string(pl.expect(m.Method).ID)
}

func check(t testing.TB, m recorded, want *recorded, got string, err error) {
	var fault *acpclient.Error
	switch {
	case want == nil:
		if !errors.Is(err, acpclient.ErrClosed) {
			t.Errorf("%s was never answered, and gives %q, %v", m.Method, got, err)
		}
	case want.Error != nil:
		if !errors.As(err, &fault) || fault.Code != want.Error.Code || fault.Method != m.Method {
			t.Errorf("%s was answered with error %d, and gives %q, %v", m.Method, want.Error.Code, got, err)
		}
	case err != nil:
		t.Errorf("%s gives %v", m.Method, err)
	default:
		expected := map[string]string{
			"initialize":     text(want.Result, "agentInfo", "version"),
			"session/new":    text(want.Result, "sessionId"),
			"session/prompt": text(want.Result, "stopReason"),
		}[m.Method]
		if got != expected {
			t.Errorf("%s gives %q, recorded %q", m.Method, got, expected)
		}
	}
}
