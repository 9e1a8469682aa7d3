package fakeagent

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"time"
)

// agent is the running program. Its state is small and lives behind one lock.
type agent struct {
	script Script
	errw   io.Writer

	outMu sync.Mutex
	out   io.Writer

	mu        sync.Mutex
	cwd       string
	mode      string
	turn      int
	nextID    int
	callID    int
	seen      map[string]int                  // requests answered, by method
	answers   map[string]chan json.RawMessage // by the raw id of our request
	cancelled chan struct{}                   // of the turn in flight
}

const session = "fake-session"

type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  json.RawMessage `json:"error"`
}

func play(s Script, in io.Reader, out, errw io.Writer) int {
	if s.Lifetime <= 0 {
		s.Lifetime = time.Minute
	}
	time.AfterFunc(s.Lifetime, func() {
		fmt.Fprintln(errw, "fakeagent: end of its lifetime")
		syscall.Exit(99)
	})
	if s.IgnoreTERM {
		signal.Ignore(syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP, syscall.SIGPIPE)
	}
	a := &agent{script: s, out: out, errw: errw, answers: map[string]chan json.RawMessage{}, cancelled: make(chan struct{})}
	if len(s.Modes) > 0 {
		a.mode = s.Modes[0]
	}
	a.steps(&run{agent: a}, s.Start)
	a.read(in)
	if s.IgnoreEOF {
		select {}
	}
	return s.Exit
}

// read dispatches what the client sends until its end. Lines are read without a bound: the client is ours.
func (a *agent) read(in io.Reader) {
	r := bufio.NewReader(in)
	for {
		line, err := r.ReadBytes('\n')
		var m message
		if len(line) > 0 && json.Unmarshal(line, &m) == nil {
			a.dispatch(m)
		}
		if err != nil {
			return
		}
	}
}

func (a *agent) dispatch(m message) {
	switch m.Method {
	case "":
		a.mu.Lock()
		ch := a.answers[string(m.ID)]
		delete(a.answers, string(m.ID))
		a.mu.Unlock()
		if ch != nil {
			if m.Error != nil {
				m.Result = m.Error
			}
			ch <- m.Result
		}
	case "initialize":
		a.reply(m, a.script.Initialize, a.initializeResult())
	case "session/new":
		var p struct{ Cwd string }
		json.Unmarshal(m.Params, &p)
		a.mu.Lock()
		a.cwd = p.Cwd
		a.mu.Unlock()
		a.reply(m, a.script.NewSession, a.sessionResult())
	case "session/set_mode":
		a.setMode(m)
	case "session/set_model":
		a.reply(m, a.script.SetModel, map[string]any{})
	case "session/set_config_option":
		a.reply(m, a.script.SetOption, map[string]any{"configOptions": []any{}})
	case "session/prompt":
		a.prompt(m)
	case "session/cancel":
		a.mu.Lock()
		close(a.cancelled)
		a.cancelled = make(chan struct{})
		a.mu.Unlock()
	default:
		if m.ID != nil {
			a.write(line(map[string]any{"jsonrpc": "2.0", "id": m.ID, "error": Error{Code: -32601, Message: "Method not found"}}))
		}
	}
}

func (a *agent) prompt(m message) {
	a.mu.Lock()
	n, cancelled := a.turn, a.cancelled
	a.turn++
	a.mu.Unlock()
	var steps Turn
	if turns := a.script.Turns; len(turns) > 0 {
		steps = turns[min(n, len(turns)-1)]
	}
	t := &run{agent: a, prompt: m.ID, cancelled: cancelled, text: promptText(m.Params)}
	go func() {
		if a.script.OnCancel == "-" {
			return
		}
		<-cancelled
		reason := a.script.OnCancel
		if reason == "" {
			reason = "cancelled"
		}
		t.end(reason, nil)
	}()
	go func() {
		a.steps(t, steps)
		t.end("end_turn", nil)
	}()
}

// promptText joins the text blocks of a prompt.
func promptText(params json.RawMessage) string {
	var p struct{ Prompt []struct{ Text string } }
	json.Unmarshal(params, &p)
	var b strings.Builder
	for _, block := range p.Prompt {
		b.WriteString(block.Text)
	}
	return b.String()
}

func (a *agent) setMode(m message) {
	var p struct{ ModeID string }
	json.Unmarshal(m.Params, &p)
	for _, mode := range a.script.Modes {
		if mode == p.ModeID {
			a.reply(m, a.script.SetMode, map[string]any{})
			return
		}
	}
	r := a.script.SetMode
	if r.Error == nil && r.Result == nil {
		r.Error = &Error{Code: -32602, Message: fmt.Sprintf("Invalid mode '%s'", p.ModeID)}
	}
	a.reply(m, r, nil)
}

func (a *agent) initializeResult() any {
	name, version := a.script.Name, a.script.Version
	if name == "" {
		name = "fake"
	}
	if version == "" {
		version = "1.0.0"
	}
	return map[string]any{"protocolVersion": 1, "agentCapabilities": map[string]any{},
		"agentInfo": map[string]any{"name": name, "version": version}, "authMethods": []any{}}
}

func (a *agent) sessionResult() any {
	result := map[string]any{"sessionId": session}
	if ids := a.script.Modes; len(ids) > 0 {
		var modes []any
		for _, id := range ids {
			modes = append(modes, map[string]any{"id": id, "name": id})
		}
		result["modes"] = map[string]any{"availableModes": modes, "currentModeId": ids[0]}
	}
	if ids := a.script.Models; len(ids) > 0 {
		var models []any
		for _, id := range ids {
			models = append(models, map[string]any{"modelId": id, "name": id})
		}
		result["models"] = map[string]any{"availableModels": models, "currentModelId": ids[0]}
	}
	return result
}

// reply answers a request as the script has it, else with the good result.
func (a *agent) reply(m message, r Reply, good any) {
	t := &run{agent: a}
	a.steps(t, r.Before)
	defer a.steps(t, r.After)
	if r.Never {
		return
	}
	answer := map[string]any{"jsonrpc": "2.0", "id": m.ID}
	switch {
	case r.Error != nil && (r.First == 0 || a.count(m.Method) <= r.First):
		answer["error"] = r.Error
	case r.Result != nil:
		answer["result"] = r.Result
	default:
		answer["result"] = good
	}
	a.write(line(answer))
	if r.Twice {
		a.write(line(answer))
	}
}

// count counts the requests of a method.
func (a *agent) count(method string) int {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.seen == nil {
		a.seen = map[string]int{}
	}
	a.seen[method]++
	return a.seen[method]
}

func line(v any) []byte {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err) // a script with a Raw member that is not JSON
	}
	return append(raw, '\n')
}

// write puts bytes on the wire whole. A client that went away is no reason to stop: hostile agents do not.
func (a *agent) write(b []byte) {
	a.outMu.Lock()
	defer a.outMu.Unlock()
	_, _ = a.out.Write(b)
}
