package fakeagent

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// run is one run of steps: a turn, or the surroundings of a reply.
type run struct {
	agent     *agent
	prompt    json.RawMessage // id of the prompt being answered; nil outside a turn
	text      string          // of the prompt
	cancelled <-chan struct{}
	burst     atomic.Pointer[bytes.Buffer] // not nil while a Burst collects
	once      sync.Once
	over      atomic.Bool // the remaining steps are not done
}

func (t *run) emit(b []byte) {
	if burst := t.burst.Load(); burst != nil {
		burst.Write(b)
		return
	}
	t.agent.write(b)
}

func (t *run) update(u any) {
	t.emit(line(map[string]any{"jsonrpc": "2.0", "method": "session/update",
		"params": map[string]any{"sessionId": session, "update": u}}))
}

func (t *run) chunk(kind, text string) {
	t.update(map[string]any{"sessionUpdate": kind, "content": map[string]any{"type": "text", "text": text}})
}

func (t *run) say(text string) { t.chunk("agent_message_chunk", text) }

// end answers the prompt, once.
func (t *run) end(reason string, e *Error) {
	if t.prompt == nil {
		return
	}
	t.once.Do(func() {
		answer := map[string]any{"jsonrpc": "2.0", "id": t.prompt}
		result := map[string]any{"stopReason": reason}
		if u := t.agent.script.Usage; u != nil {
			result["usage"] = map[string]any{"inputTokens": u[0], "outputTokens": u[1], "totalTokens": u[2]}
		}
		if answer["result"] = result; e != nil {
			delete(answer, "result")
			answer["error"] = e
		}
		t.emit(line(answer))
	})
}

func (a *agent) steps(t *run, steps []Step) {
	for _, s := range steps {
		if t.over.Load() {
			return
		}
		t.step(s)
	}
}

// step is long because it is the list of what a script can do, each in a line or two.
func (t *run) step(s Step) {
	a := t.agent
	switch {
	case s.Say != "":
		t.say(s.Say)
	case s.Chunks != nil:
		for _, c := range s.Chunks {
			t.say(c)
		}
	case s.Bytewise != "":
		for _, r := range s.Bytewise {
			t.say(string(r))
		}
	case s.Answers != nil:
		t.answer(s.Answers)
	case s.Tell != "":
		text, _ := runShell(s.Tell, t.fill("{{cwd}}"))
		t.say(text)
	case s.Think != "":
		t.chunk("agent_thought_chunk", s.Think)
	case s.Keep != "":
		if err := os.WriteFile(t.fill(s.Keep), []byte(t.text), 0o644); err != nil {
			t.say("keeping the prompt failed: " + err.Error())
		}
	case s.Call != nil:
		t.call(*s.Call)
	case s.Update != nil:
		t.update(s.Update)
	case s.Mode != "":
		t.update(map[string]any{"sessionUpdate": "current_mode_update", "currentModeId": s.Mode})
	case s.Raw != "":
		t.emit([]byte(t.fill(s.Raw) + "\n"))
	case s.Request != "":
		t.say(s.Request + " -> " + string(t.ask(s.Request, map[string]any{"sessionId": session})))
	case s.Sleep > 0:
		time.Sleep(s.Sleep)
	case s.Flood > 0:
		t.flood(s.Flood)
	case s.Big > 0:
		t.say(strings.Repeat("x", s.Big))
	case s.Endless > 0:
		t.endless(s.Endless)
	case s.Burst != nil:
		t.inOneWrite(s.Burst)
	case s.AtOnce != nil:
		t.atOnce(s.AtOnce)
	case s.Self:
		t.say(string(line(t.self())))
	case s.Stderr != "":
		fmt.Fprint(a.errw, s.Stderr)
	case s.Escape != nil:
		if err := s.Escape.start(); err != nil {
			t.say("escape failed: " + err.Error())
		}
	case s.WaitCancel:
		<-t.cancelled
	case s.End != "":
		t.end(s.End, nil)
	case s.EndError != nil:
		t.end("", s.EndError)
	case s.Die != nil:
		die(*s.Die)
	}
}

// introduction is a line by which a prompt has answers kept apart. Its last word is made for the run.
var introduction = regexp.MustCompile(`(?m)^<<<AI-FLOW:[A-Z]+ \d+ (\w+)>>>$`)

// answer answers as the prompt asks for: below each of the lines that it ends with. More answers than lines come without one.
func (t *run) answer(texts []string) {
	var lines []string
	for _, m := range introduction.FindAllStringSubmatch(t.text, -1) {
		if slices.Contains(lines, m[0]) {
			continue
		}
		if len(lines) > 0 && !strings.HasSuffix(lines[0], " "+m[1]+">>>") {
			lines = nil // of foreign text
		}
		lines = append(lines, m[0])
	}
	for i, text := range texts {
		if i < len(lines) {
			text = lines[i] + "\n" + text
		}
		t.say(text + "\n\n")
	}
}

func die(status int) {
	if status >= 0 {
		syscall.Exit(status)
	}
	_ = syscall.Kill(os.Getpid(), syscall.Signal(-status))
	select {} // the signal is on its way
}

func (t *run) fill(s string) string {
	t.agent.mu.Lock()
	defer t.agent.mu.Unlock()
	return strings.NewReplacer("{{session}}", session, "{{prompt}}", string(t.prompt), "{{cwd}}", t.agent.cwd).Replace(s)
}

func (t *run) flood(n int) {
	one := line(map[string]any{"jsonrpc": "2.0", "method": "session/update", "params": map[string]any{"sessionId": session,
		"update": map[string]any{"sessionUpdate": "agent_message_chunk", "content": map[string]any{"type": "text", "text": "x"}}}})
	const batch = 256
	many := bytes.Repeat(one, batch)
	for ; n >= batch; n -= batch {
		t.emit(many)
	}
	t.emit(bytes.Repeat(one, n))
}

// endless writes an update that never ends, piece by piece, so that it costs the agent no memory either.
func (t *run) endless(n int64) {
	t.emit([]byte(`{"jsonrpc":"2.0","method":"session/update","params":{"x":"`))
	piece := bytes.Repeat([]byte("x"), 64<<10)
	for ; n > 0; n -= int64(len(piece)) {
		t.emit(piece[:min(n, int64(len(piece)))])
	}
}

func (t *run) inOneWrite(steps []Step) {
	var b bytes.Buffer
	t.burst.Store(&b)
	t.agent.steps(t, steps)
	t.burst.Store(nil)
	t.emit(b.Bytes())
}

func (t *run) atOnce(steps []Step) {
	var wg sync.WaitGroup
	for _, s := range steps {
		wg.Add(1)
		go func() { defer wg.Done(); t.step(s) }()
	}
	wg.Wait()
}

// ask sends a request and waits for the client's answer: its result, or its error.
func (t *run) ask(method string, params any) json.RawMessage {
	a := t.agent
	a.mu.Lock()
	id := json.RawMessage(fmt.Sprint(a.nextID))
	switch a.script.IDs {
	case Strings:
		id = json.RawMessage(fmt.Sprintf(`"req-%d"`, a.nextID))
	case Null:
		id = json.RawMessage("null")
	}
	a.nextID++
	ch := make(chan json.RawMessage, 1)
	a.answers[string(id)] = ch
	a.mu.Unlock()
	t.emit(line(map[string]any{"jsonrpc": "2.0", "id": id, "method": method, "params": params}))
	return <-ch
}
