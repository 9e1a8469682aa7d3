package acpclient_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
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

func text(v any, path ...string) string {
	for _, key := range path {
		m, _ := v.(map[string]any)
		v = m[key]
	}
	s, _ := v.(string)
	return s
}

// compare holds what the Handler got against the transcript.
func compare(t *testing.T, all []recorded, sessions map[string]bool, rec *recorder) {
	var wantText strings.Builder
	var wantCalls, gotCalls []string
	wantExit, gotExit := map[string][]int{}, map[string][]int{}
	wantDenied, gotDenied := map[string]bool{}, map[string]bool{}
	for _, m := range all {
		if m.Method != "session/update" || !sessions[m.Params.SessionID] {
			continue
		}
		u := m.Params.Update
		id := text(u, "toolCallId")
		switch u["sessionUpdate"] {
		case "agent_message_chunk":
			wantText.WriteString(text(u, "content", "text"))
		case "tool_call", "tool_call_update":
			wantCalls = append(wantCalls, strings.Join([]string{id, text(u, "title"), text(u, "kind"), text(u, "status")}, "|"))
			if code := recordedExit(u); code != nil {
				wantExit[id] = append(wantExit[id], *code)
			}
			if deniedIn(u) {
				wantDenied[id] = true
			}
		}
	}
	streams := map[string]string{}
	for _, u := range rec.updates {
		if u.Kind != acpclient.Call {
			continue
		}
		c := u.Call
		gotCalls = append(gotCalls, strings.Join([]string{c.ID, c.Title, c.Kind, c.Status}, "|"))
		if c.Exit != nil {
			gotExit[c.ID] = append(gotExit[c.ID], *c.Exit)
		}
		for _, o := range c.Outputs {
			key := c.ID + " " + o.Part
			if !o.Append {
				streams[key] = ""
			}
			streams[key] += o.Text
			if strings.Contains(strings.ToLower(streams[key]), "permission denied") {
				gotDenied[c.ID] = true
			}
		}
	}
	for _, q := range rec.asked {
		if q.Interactive {
			t.Errorf("a plain tool request is marked %q: %s", q.Marks, q.Raw)
		}
	}
	if got := rec.text(); got != wantText.String() {
		t.Errorf("text %q, recorded %q", got, wantText.String())
	}
	if !slices.Equal(gotCalls, wantCalls) {
		t.Errorf("calls\n%q, recorded\n%q", gotCalls, wantCalls)
	}
	if fmt.Sprint(gotExit) != fmt.Sprint(wantExit) {
		t.Errorf("exit codes %v, recorded %v", gotExit, wantExit)
	}
	if fmt.Sprint(gotDenied) != fmt.Sprint(wantDenied) {
		t.Errorf("denials visible in %v, recorded in %v", gotDenied, wantDenied)
	}
}

// recordedExit reads point 10's places from decoded JSON.
func recordedExit(u map[string]any) *int {
	at := func(path ...string) any {
		var v any = u
		for _, key := range path {
			m, _ := v.(map[string]any)
			v = m[key]
		}
		return v
	}
	number := func(v any) *int {
		if f, ok := v.(float64); ok {
			n := int(f)
			return &n
		}
		return nil
	}
	if n := number(at("rawOutput", "exit_code")); n != nil {
		return n
	}
	if contents, _ := at("rawOutput", "contents").([]any); len(contents) > 0 {
		m, _ := contents[len(contents)-1].(map[string]any)
		return number(m["exitCode"])
	}
	if n := number(at("_meta", "terminal_exit", "exit_code")); n != nil {
		return n
	}
	var n int
	if s, ok := at("rawOutput").(string); ok && u["status"] == "failed" {
		if _, err := fmt.Sscanf(s, "Exit code %d\n", &n); err == nil {
			return &n
		}
	}
	if s := text(u, "rawOutput", "content"); strings.Contains(s, "completed with exit code") {
		if _, err := fmt.Sscanf(s[strings.LastIndex(s, "completed with exit code"):], "completed with exit code %d>", &n); err == nil {
			return &n
		}
	}
	return nil
}

// deniedIn says whether the words stand in any string of an update's content, rawOutput or _meta (point 12).
func deniedIn(u map[string]any) bool {
	found := false
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case string:
			found = found || strings.Contains(strings.ToLower(v), "permission denied")
		case []any:
			for _, e := range v {
				walk(e)
			}
		case map[string]any:
			for _, e := range v {
				walk(e)
			}
		}
	}
	walk(u["content"])
	walk(u["rawOutput"])
	walk(u["_meta"])
	return found
}

// TestDenialsReachTheHandler names the transcripts in which a denial must be seen, so that the comparison above cannot
// agree on nothing.
func TestDenialsReachTheHandler(t *testing.T) {
	for _, name := range []string{
		"claude/A", "claude/B", "claude/B2", "claude/E2", "claude/K", "claude/L",
		"codex/A", "codex/B", "codex/B2", "codex/B2-fast", "codex/E2", "codex/M",
		"copilot-1.0.88/A", "copilot-1.0.88/B", "copilot-1.0.88/E2", "copilot-1.0.88/K", "copilot-1.0.88/L",
		"copilot-1.0.102/A", "copilot-1.0.102/B", "copilot-1.0.102/E2", "copilot-1.0.102/I2",
	} {
		denied := false
		for _, m := range load(t, name) {
			denied = denied || m.Method == "session/update" && deniedIn(m.Params.Update)
		}
		if !denied {
			t.Errorf("%s holds no denial", name)
		}
	}
}
