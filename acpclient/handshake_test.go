package acpclient_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/d3mlabs/ai-flow/acpclient"
)

func TestInitialize(t *testing.T) {
	for _, c := range []struct {
		name, result string
		want         acpclient.Agent
		fails        string
	}{
		{"full", `{"protocolVersion":1,"agentInfo":{"name":"n","title":"t","version":"1.2"},"authMethods":[{"id":"a"},{"id":"b"},{},null]}`,
			acpclient.Agent{Name: "n", Version: "1.2", AuthMethods: []string{"a", "b"}}, ""},
		{"bare", `{"protocolVersion":1}`, acpclient.Agent{}, ""},
		{"nulls", `{"protocolVersion":1,"agentInfo":null,"authMethods":null}`, acpclient.Agent{}, ""},
		{"version 2", `{"protocolVersion":2}`, acpclient.Agent{}, "the agent speaks ACP version 2, this program version 1"},
		{"version 0", `{"protocolVersion":0}`, acpclient.Agent{}, "version 0"},
		{"version as text", `{"protocolVersion":"1"}`, acpclient.Agent{}, "named no protocol version"},
		{"no version", `{}`, acpclient.Agent{}, "named no protocol version"},
		{"null result", `null`, acpclient.Agent{}, "named no protocol version"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := connect(t, &recorder{})
			got, err := during(p, func() (acpclient.Agent, error) { return p.conn.Initialize(p.ctx) }, func() {
				p.answer(p.expect("initialize"), c.result)
			})
			var breach *acpclient.ProtocolError
			if c.fails != "" && (!errors.As(err, &breach) || !strings.Contains(err.Error(), c.fails) || !strings.HasPrefix(err.Error(), "initialize: ")) {
				t.Errorf("error %v", err)
			}
			if c.fails == "" && (err != nil || !reflect.DeepEqual(got, c.want)) {
				t.Errorf("%+v, %v", got, err)
			}
		})
	}
}

// Point 24: modes and models stand in modes and models, in configuration options, or in both.
func TestNewSession(t *testing.T) {
	option := `{"type":"select","id":"m","name":"Mode","category":"mode","currentValue":"ask","options":[{"value":"ask","name":"Ask"},{"name":"Group","group":"g","options":[{"value":"yolo","name":"Yolo","description":"d"}]}]}`
	options := []acpclient.Choice{{ID: "ask", Name: "Ask"}, {ID: "yolo", Name: "Yolo", Description: "d"}}
	for _, c := range []struct {
		name, result string
		check        func(acpclient.Session) bool
	}{
		{"nothing", `{"sessionId":"s"}`, func(s acpclient.Session) bool {
			return s.ID == "s" && !s.HasSetMode && s.Modes == nil && s.ModeOption == ""
		}},
		{"nulls", `{"sessionId":"s","modes":null,"models":null,"configOptions":null}`, func(s acpclient.Session) bool { return !s.HasSetMode && s.Options == nil }},
		{"modes", `{"sessionId":"s","modes":{"currentModeId":"https://x#agent","availableModes":[{"id":"https://x#agent","name":"Agent","description":null}]}}`,
			func(s acpclient.Session) bool {
				return s.HasSetMode && s.CurrentMode == "https://x#agent" && len(s.Modes) == 1 && s.ModeOption == ""
			}},
		{"option", `{"sessionId":"s","configOptions":[` + option + `]}`, func(s acpclient.Session) bool {
			return !s.HasSetMode && s.ModeOption == "m" && s.CurrentMode == "ask" && reflect.DeepEqual(s.Modes, options)
		}},
		{"both", `{"sessionId":"s","modes":{"currentModeId":"a","availableModes":[{"id":"a","name":"A"}]},"configOptions":[` + option + `]}`, func(s acpclient.Session) bool {
			return s.HasSetMode && s.ModeOption == "m" && s.CurrentMode == "a" && len(s.Modes) == 1
		}},
		{"models", `{"sessionId":"s","models":{"currentModelId":"gpt[low]","availableModels":[{"modelId":"gpt[low]","name":"G"}]},"configOptions":[{"id":"model","name":"M","currentValue":"other","options":[]}]}`,
			func(s acpclient.Session) bool {
				return s.CurrentModel == "gpt[low]" && len(s.Models) == 1 && s.ModelOption == "model"
			}},
		{"boolean option", `{"sessionId":"s","configOptions":[{"type":"boolean","id":"fast","name":"Fast","currentValue":true},{"name":"no id"},7]}`,
			func(s acpclient.Session) bool { return len(s.Options) == 1 && s.Options[0].Current == "true" }},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := connect(t, &recorder{})
			got, err := during(p, func() (acpclient.Session, error) { return p.conn.NewSession(p.ctx, "/work") }, func() {
				p.answer(p.expect("session/new"), c.result)
			})
			if err != nil || !c.check(got) {
				t.Errorf("%+v, %v", got, err)
			}
		})
	}
	for _, result := range []string{`{}`, `{"sessionId":""}`, `{"sessionId":7}`, `null`, `{"sessionId":"` + strings.Repeat("x", 5000) + `"}`} {
		p := connect(t, &recorder{})
		_, err := during(p, func() (acpclient.Session, error) { return p.conn.NewSession(p.ctx, "/work") }, func() {
			p.answer(p.expect("session/new"), result)
		})
		var breach *acpclient.ProtocolError
		if !errors.As(err, &breach) {
			t.Errorf("a session/new answered %.40s gives %v", result, err)
		}
	}
}

// H5-12: no login is tried; the error names the ways and repeats nothing of what the agent said.
func TestLoginWanted(t *testing.T) {
	p := connect(t, &recorder{})
	if _, err := during(p, func() (acpclient.Agent, error) { return p.conn.Initialize(p.ctx) }, func() {
		p.answer(p.expect("initialize"), `{"protocolVersion":1,"authMethods":[{"id":"copilot-login","name":"Log in"},{"id":"api-key"}]}`)
	}); err != nil {
		t.Fatal(err)
	}
	_, err := during(p, func() (acpclient.Session, error) { return p.conn.NewSession(p.ctx, "/work") }, func() {
		m := p.expect("session/new")
		p.send(`{"jsonrpc":"2.0","id":` + string(m.ID) + `,"error":{"code":-32000,"message":"Authentication required for ghp_secret","data":"ghp_secret"}}`)
	})
	var auth *acpclient.AuthError
	var inner *acpclient.Error
	if !errors.As(err, &auth) || !errors.As(err, &inner) || inner.Code != -32000 || !reflect.DeepEqual(auth.Methods, []string{"copilot-login", "api-key"}) {
		t.Fatalf("%v", err)
	}
	want := `session/new: the agent wants a login (error -32000); it offers "copilot-login", "api-key"`
	if err.Error() != want {
		t.Errorf("%v", err)
	}
}

// H5-16: the agent's own words reach the person, quoted and bounded, also those that hide in data.
func TestErrorText(t *testing.T) {
	for _, c := range []struct{ fault, want string }{
		{`{"code":-32602,"message":"model not found"}`, `session/set_model: the agent answered with error -32602: "model not found"`},
		{`{"code":-32603,"message":"Internal error","data":{"details":"403 not authorized\nto use this"}}`, `session/set_model: the agent answered with error -32603: "Internal error" ("403 not authorized\nto use this")`},
		{`{"code":-32603,"message":"Internal error","data":"a string"}`, `session/set_model: the agent answered with error -32603: "Internal error" ("a string")`},
		{`{"code":1,"message":null}`, `session/set_model: the agent answered with error 1: ""`},
		{`{"code":1,"message":{"a":1},"data":{"x":["y"]}}`, `session/set_model: the agent answered with error 1: ""`},
	} {
		p := connect(t, &recorder{})
		_, err := during(p, func() (struct{}, error) { return struct{}{}, p.conn.SetModel(p.ctx, "s", "m") }, func() {
			m := p.expect("session/set_model")
			p.send(`{"jsonrpc":"2.0","id":` + string(m.ID) + `,"error":` + c.fault + `}`)
		})
		if err == nil || err.Error() != c.want {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
	p := connect(t, &recorder{})
	_, err := during(p, func() (struct{}, error) { return struct{}{}, p.conn.SetMode(p.ctx, "s", "m") }, func() {
		m := p.expect("session/set_mode")
		long := strings.Repeat("x", 1<<20)
		p.send(`{"jsonrpc":"2.0","id":` + string(m.ID) + `,"error":{"code":1,"message":"` + long + `","data":"` + long + `"}}`)
	})
	var fault *acpclient.Error
	if !errors.As(err, &fault) || len(err.Error()) > 5000 || fault.Data != nil {
		t.Errorf("an error of %d bytes", len(err.Error()))
	}
	if text := (&acpclient.Error{Code: 1, Message: "m", Data: []byte(`{"details":`)}).Error(); !strings.Contains(text, `"m"`) {
		t.Errorf("an error with broken data says %q", text)
	}
}

func TestTurnOutcome(t *testing.T) {
	for _, c := range []struct {
		result string
		want   acpclient.Turn
		fails  bool
	}{
		{`{"stopReason":"end_turn","usage":{"inputTokens":22,"outputTokens":14,"cachedReadTokens":1,"cachedWriteTokens":2,"totalTokens":36}}`,
			acpclient.Turn{StopReason: "end_turn", Usage: acpclient.Usage{Input: 22, Output: 14, CachedRead: 1, CachedWrite: 2, Total: 36}}, false},
		{`{"stopReason":"max_tokens","usage":null,"_meta":{"quota":{"token_count":{"input_tokens":5,"output_tokens":6}}}}`,
			acpclient.Turn{StopReason: "max_tokens", Usage: acpclient.Usage{Input: 5, Output: 6}}, false},
		{`{"stopReason":"tired","usage":{"inputTokens":-5,"outputTokens":1.5,"totalTokens":"7","cachedReadTokens":1e300}}`, acpclient.Turn{StopReason: "tired"}, false},
		{`{"stopReason":null}`, acpclient.Turn{}, true},
		{`{}`, acpclient.Turn{}, true},
		{`null`, acpclient.Turn{}, true},
	} {
		p := connect(t, &recorder{})
		p.open()
		got, err := p.prompt(func(m clientLine) { p.answer(m, c.result) })
		if (err != nil) != c.fails || got != c.want {
			t.Errorf("%s gives %+v, %v", c.result, got, err)
		}
	}
}
