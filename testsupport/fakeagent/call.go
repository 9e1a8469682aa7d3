package fakeagent

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
)

// call plays a tool call: announce, ask, run, close.
func (t *run) call(c Call) {
	c = t.agent.named(c)
	if !c.Silent {
		t.update(c.announcement("tool_call"))
	}
	if c.Ask && !t.permitted(c) {
		return
	}
	if c.Run {
		c.Text, c.Exit = runShell(c.Command, t.fill("{{cwd}}"))
	}
	for _, u := range c.output() {
		t.update(u)
	}
}

func (a *agent) named(c Call) Call {
	a.mu.Lock()
	defer a.mu.Unlock()
	if c.ID == "" {
		c.ID = fmt.Sprintf("call-%d", a.callID)
		a.callID++
	}
	if c.Title == "" {
		c.Title = c.Command
	}
	if c.Kind == "" {
		c.Kind = "execute"
	}
	return c
}

func (c Call) announcement(update string) map[string]any {
	m := map[string]any{"toolCallId": c.ID, "title": c.Title, "kind": c.Kind, "status": "pending"}
	if update != "" {
		m["sessionUpdate"] = update
	}
	if c.Command != "" {
		m["rawInput"] = map[string]any{"command": c.Command}
	}
	var places []any
	for _, p := range c.Paths {
		places = append(places, map[string]any{"path": p})
	}
	if places != nil {
		m["locations"] = places
	}
	return m
}

// permitted asks and, when the answer is no, does what the script has for that.
func (t *run) permitted(c Call) bool {
	options := c.Options
	if options == nil {
		options = []Option{{"allow_once", "allow_once", "Allow once"}, {"allow_always", "allow_always", "Always allow"}, {"reject_once", "reject_once", "Deny"}}
	}
	call := c.announcement("")
	if c.Extra != nil {
		if err := json.Unmarshal(c.Extra, &call); err != nil {
			panic(err) // a script whose Extra is not an object
		}
	}
	answer := t.ask("session/request_permission", map[string]any{"sessionId": session, "toolCall": call, "options": options})
	var got struct {
		Outcome struct{ Outcome, OptionID string }
	}
	// An answer that does not parse is a refusal; the script's Refused says what the agent makes of it.
	_ = json.Unmarshal(answer, &got)
	for _, o := range options {
		if o.ID == got.Outcome.OptionID && got.Outcome.Outcome == "selected" && (o.Kind == "allow_once" || o.Kind == "allow_always") {
			return true
		}
	}
	t.update(map[string]any{"sessionUpdate": "tool_call_update", "toolCallId": c.ID, "status": "failed",
		"rawOutput": map[string]any{"message": "The user rejected this tool call.", "code": "rejected"}})
	t.agent.steps(t, c.Refused)
	if c.EndOnNo != "" {
		t.end(c.EndOnNo, nil)
		t.over.Store(true) // what follows would be work that a real agent does not do
	}
	return false
}

// runShell runs a command and returns both of its streams, merged as a terminal would. os/exec is not used, so that the
// test of who imports it needs no exception here.
func runShell(command, dir string) (text string, exit *int) {
	r, w, err := os.Pipe()
	if err != nil {
		return err.Error(), nil
	}
	defer r.Close()
	null, err := os.Open(os.DevNull)
	if err != nil {
		return err.Error(), nil
	}
	defer null.Close()
	p, err := os.StartProcess("/bin/sh", []string{"sh", "-c", command}, &os.ProcAttr{Dir: dir, Env: os.Environ(), Files: []*os.File{null, w, w}})
	w.Close()
	if err != nil {
		return err.Error(), nil
	}
	out, readErr := io.ReadAll(io.LimitReader(r, 64<<20))
	state, err := p.Wait()
	if err != nil || readErr != nil {
		return fmt.Sprint(string(out), err, readErr), nil
	}
	code := state.ExitCode()
	return string(out), &code
}
