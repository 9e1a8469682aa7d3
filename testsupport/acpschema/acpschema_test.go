package acpschema_test

import (
	"errors"
	"testing"

	"github.com/d3mlabs/ai-flow/testsupport/acpschema"
)

// The validator must be able to say no: a check that cannot fail checks nothing.
func TestMessage(t *testing.T) {
	s, err := acpschema.Load()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name     string
		from     acpschema.Sender
		line     string
		answered string
		valid    bool
	}{
		{"initialize", acpschema.Client, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}`, "", true},
		{"initialize without a version", acpschema.Client, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}`, "", false},
		{"version as text", acpschema.Client, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"1"}}`, "", false},
		{"no jsonrpc", acpschema.Client, `{"id":1,"method":"initialize","params":{"protocolVersion":1}}`, "", false},
		{"prompt block of no type", acpschema.Client, `{"jsonrpc":"2.0","id":1,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"text":"x"}]}}`, "", false},
		{"permission answer", acpschema.Client, `{"jsonrpc":"2.0","id":0,"result":{"outcome":{"outcome":"selected","optionId":"a"}}}`, "session/request_permission", true},
		{"permission answer of no option", acpschema.Client, `{"jsonrpc":"2.0","id":0,"result":{"outcome":{"outcome":"selected"}}}`, "session/request_permission", false},
		{"error without a code", acpschema.Client, `{"jsonrpc":"2.0","id":0,"error":{"message":"x"}}`, "", false},
		{"stop reason out of the set", acpschema.Agent, `{"jsonrpc":"2.0","id":1,"result":{"stopReason":"tired"}}`, "session/prompt", false},
		{"update", acpschema.Agent, `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"x"}}}}`, "", true},
		{"update without a session", acpschema.Agent, `{"jsonrpc":"2.0","method":"session/update","params":{"update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"x"}}}}`, "", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			if err := s.Message(c.from, []byte(c.line), c.answered); (err == nil) != c.valid {
				t.Errorf("valid is to be %v, and the validator says: %v", c.valid, err)
			}
		})
	}
	err = s.Message(acpschema.Client, []byte(`{"jsonrpc":"2.0","id":1,"method":"session/set_model","params":{}}`), "")
	if !errors.Is(err, acpschema.ErrUnknown) {
		t.Errorf("a method that the schema does not name: %v", err)
	}
}
