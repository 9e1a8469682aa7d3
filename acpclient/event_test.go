package acpclient_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/d3mlabs/ai-flow/acpclient"
)

var allEvents = []string{acpclient.EventUsage, acpclient.EventToolDone, acpclient.EventSubagentStarted, acpclient.EventSubagentDone,
	acpclient.EventSubagentFailed, acpclient.EventWorkspaceChanged, "session.idle"}

func subscribed(c *acpclient.Config) { c.Events = allEvents }

func eventLine(params string) string {
	return `{"jsonrpc":"2.0","method":"github.com/copilot/sessionEvent","params":` + params + `}`
}

// A2-22: the types are asked for in the client's capabilities, and an agent that nothing is asked of sees no word of it.
func TestEventsAreNegotiated(t *testing.T) {
	for _, events := range [][]string{nil, {acpclient.EventUsage, acpclient.EventToolDone}} {
		p := connect(t, &recorder{}, func(c *acpclient.Config) { c.Events = events })
		var params struct {
			ClientCapabilities struct {
				Meta map[string]struct{ Events []string } `json:"_meta"`
			} `json:"clientCapabilities"`
		}
		_, err := during(p, func() (acpclient.Agent, error) { return p.conn.Initialize(p.ctx) }, func() {
			m := p.expect("initialize")
			if err := json.Unmarshal(m.Params, &params); err != nil {
				t.Error(err)
			}
			p.answer(m, `{"protocolVersion":1}`)
		})
		if err != nil {
			t.Fatal(err)
		}
		meta := params.ClientCapabilities.Meta
		if got := meta["github.com/copilot"].Events; !reflect.DeepEqual(got, events) || len(events) == 0 && meta != nil {
			t.Errorf("asked for %v, want %v; capabilities %+v", got, events, meta)
		}
	}
	_, err := acpclient.Open(t.Context(), acpclient.Config{Reader: strings.NewReader(""), Writer: new(strings.Builder), Handler: &recorder{}, Events: make([]string, 129)})
	if err == nil {
		t.Error("A2-23: more types were accepted than Copilot takes")
	}
}

// A2-24 to A2-26, A2-30, A2-32, A2-34: the declared fields and nothing else, of the session and its running turn alone.
func TestEvents(t *testing.T) {
	at := time.Date(2026, 11, 30, 11, 23, 15, 952_000_000, time.UTC)
	stamped := `,"timestamp":"2026-11-30T11:23:15.952Z"`
	huge := strings.Repeat("x", 1<<20)
	one := 1
	for _, c := range []struct {
		name, params string
		want         []acpclient.Update
		malformed    int
	}{
		{"usage, whose cost is no money", `{"sessionId":"s","type":"assistant.usage"` + stamped + `,"data":{"model":"m","inputTokens":11,"outputTokens":7,"cacheReadTokens":3,"cacheWriteTokens":2,"cost":33,"duration":340}}`,
			[]acpclient.Update{{Usage: acpclient.Usage{Input: 11, Output: 7, CachedRead: 3, CachedWrite: 2}, Event: acpclient.Event{Type: "assistant.usage", At: at, Model: "m", Took: 340 * time.Millisecond}}}, 0},
		{"of a subagent", `{"sessionId":"s","type":"assistant.usage","agentId":"a","data":{"inputTokens":1}}`,
			[]acpclient.Update{{Subagent: "a", Usage: acpclient.Usage{Input: 1}, Event: acpclient.Event{Type: "assistant.usage"}}}, 0},
		{"exit code", `{"sessionId":"s","type":"tool.execution_complete","data":{"toolCallId":"c","success":true,"shellExecution":{"exitCode":1},"fileEdits":[{"path":"/etc/passwd"}]}}`,
			[]acpclient.Update{{Event: acpclient.Event{Type: "tool.execution_complete", Call: "c", Exit: &one}}}, 0},
		{"exit code that is none", `{"sessionId":"s","type":"tool.execution_complete","data":{"toolCallId":"c","shellExecution":{"exitCode":99999999999}}}`,
			[]acpclient.Update{{Event: acpclient.Event{Type: "tool.execution_complete", Call: "c"}}}, 0},
		{"subagent", `{"sessionId":"s","type":"subagent.completed","agentId":"a","data":{"toolCallId":"c","agentName":"n","agentDisplayName":"d","model":"m","totalTokens":36,"durationMs":1084,"agentDescription":"secret"}}`,
			[]acpclient.Update{{Subagent: "a", Usage: acpclient.Usage{Total: 36}, Event: acpclient.Event{Type: "subagent.completed", Call: "c", Name: "d", Model: "m", Took: 1084 * time.Millisecond}}}, 0},
		{"its other name", `{"sessionId":"s","type":"subagent.started","data":{"toolCallId":"c","agentName":"n"}}`,
			[]acpclient.Update{{Event: acpclient.Event{Type: "subagent.started", Call: "c", Name: "n"}}}, 0},
		{"subagent by its own id alone", `{"sessionId":"s","type":"subagent.failed","agentId":"a","data":{"agentName":"n"}}`,
			[]acpclient.Update{{Subagent: "a", Event: acpclient.Event{Type: "subagent.failed", Name: "n"}}}, 0},
		{"subagent of nobody", `{"sessionId":"s","type":"subagent.failed","data":{"agentName":"n"}}`, nil, 1},
		{"storage", `{"sessionId":"s","type":"session.workspace_file_changed","data":{"path":"../../etc/passwd","operation":"update"}}`,
			[]acpclient.Update{{Event: acpclient.Event{Type: "session.workspace_file_changed", Path: "../../etc/passwd"}}}, 0},
		{"omitted", `{"sessionId":"s","type":"assistant.usage","data":{"omitted":"too-large","bytes":40000,"limit":32768,"inputTokens":5}}`,
			[]acpclient.Update{{Event: acpclient.Event{Type: "assistant.usage", Omitted: true}, Usage: acpclient.Usage{Input: 5}}}, 0},
		{"omitted otherwise", `{"sessionId":"s","type":"subagent.started","dataOmitted":true}`,
			[]acpclient.Update{{Event: acpclient.Event{Type: "subagent.started", Omitted: true}}}, 0},
		{"no type", `{"sessionId":"s","data":{}}`, nil, 1},
		{"no object", `[1]`, nil, 1},
		{"no session", `{"type":"assistant.usage","data":{"inputTokens":1}}`, nil, 1},
		{"no data", `{"sessionId":"s","type":"assistant.usage"}`, nil, 1},
		{"no counts", `{"sessionId":"s","type":"assistant.usage","data":{"model":"m"}}`, nil, 1},
		{"negative, huge, fractional, quoted", `{"sessionId":"s","type":"assistant.usage","data":{"inputTokens":-1,"outputTokens":9223372036854775807,"cacheReadTokens":1.5,"totalTokens":"7"}}`, nil, 1},
		{"no call", `{"sessionId":"s","type":"tool.execution_complete","data":{"shellExecution":{"exitCode":1}}}`, nil, 1},
		{"no path", `{"sessionId":"s","type":"session.workspace_file_changed","data":{}}`, nil, 1},
		{"asked for, not understood (A2-34)", `{"sessionId":"s","type":"session.idle","data":{"mode":"x"}}`, nil, 1},
		{"unknown type", `{"sessionId":"s","type":"no.such.event","data":{}}`, nil, 0},
		{"huge type", `{"sessionId":"s","type":"` + huge + `","data":{}}`, nil, 0},
		{"another session (A2-24)", `{"sessionId":"t","type":"assistant.usage","data":{"inputTokens":1}}`, nil, 0},
		{"huge session", `{"sessionId":"` + huge + `","type":"assistant.usage","data":{"inputTokens":1}}`, nil, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			rec := &recorder{}
			p := connect(t, rec, subscribed)
			p.open()
			if _, err := p.prompt(func(m clientLine) {
				p.send(eventLine(c.params))
				p.answer(m, `{"stopReason":"end_turn"}`)
			}); err != nil {
				t.Fatal(err)
			}
			for i := range c.want {
				c.want[i].Kind, c.want[i].Session = acpclient.Reported, "s"
			}
			if len(rec.updates)+len(c.want) > 0 && !reflect.DeepEqual(rec.updates, c.want) {
				t.Errorf("got  %+v\nwant %+v", rec.updates, c.want)
			}
			if n := p.conn.Malformed(); n != c.malformed {
				t.Errorf("%d malformed, want %d", n, c.malformed)
			}
		})
	}
}

// A2-24: nothing that comes before the session exists or outside a turn reaches the Handler; A2-22: nor what was not asked
// for.
func TestEventsOutOfTheirTime(t *testing.T) {
	usage := eventLine(`{"sessionId":"s","type":"assistant.usage","data":{"inputTokens":1}}`)
	rec := &recorder{}
	p := connect(t, rec, func(c *acpclient.Config) { c.Events = []string{acpclient.EventUsage} })
	p.send(usage)
	p.open()
	p.send(usage)
	if _, err := during(p, func() (struct{}, error) { return struct{}{}, p.conn.SetMode(p.ctx, "s", "m") }, func() {
		p.answer(p.expect("session/set_mode"), `{}`) // so that it has been read before the turn begins
	}); err != nil {
		t.Fatal(err)
	}
	if _, err := p.prompt(func(m clientLine) {
		p.send(eventLine(`{"sessionId":"s","type":"tool.execution_complete","data":{"toolCallId":"c"}}`))
		p.answer(m, `{"stopReason":"end_turn"}`)
	}); err != nil {
		t.Fatal(err)
	}
	p.send(usage)
	p.close()
	<-p.conn.Done()
	if len(rec.updates) != 0 || p.conn.Malformed() != 0 {
		t.Errorf("got %+v, %d malformed", rec.updates, p.conn.Malformed())
	}
}

// A2-25: whatever stands in an event, what is handed on is bounded.
func TestEventsAreBounded(t *testing.T) {
	huge := strings.Repeat("é", 1<<16)
	rec := &recorder{}
	p := connect(t, rec, subscribed)
	p.open()
	if _, err := p.prompt(func(m clientLine) {
		for _, kind := range allEvents {
			p.send(eventLine(fmt.Sprintf(`{"sessionId":"s","type":%q,"timestamp":%q,"agentId":%q,"data":{"toolCallId":%[2]q,"agentDisplayName":%[2]q,"model":%[2]q,"path":%[2]q,"inputTokens":3,"durationMs":1e15,"totalTokens":1e18}}`, kind, huge, huge)))
		}
		p.answer(m, `{"stopReason":"end_turn"}`)
	}); err != nil {
		t.Fatal(err)
	}
	if len(rec.updates) != 6 {
		t.Fatalf("got %d updates", len(rec.updates))
	}
	for _, u := range rec.updates {
		e := u.Event
		for _, text := range []string{e.Call, e.Name, e.Model, e.Path, u.Subagent} {
			if len(text) > 4<<10 {
				t.Errorf("%s: a text of %d bytes", e.Type, len(text))
			}
		}
		if e.Took != 0 || u.Usage.Total != 0 || !e.At.IsZero() {
			t.Errorf("%s: took %v, %+v, at %v", e.Type, e.Took, u.Usage, e.At)
		}
	}
}
