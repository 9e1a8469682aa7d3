package acpclient_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/d3mlabs/ai-flow/acpclient"
)

// H5-06, F-80: what is not a message is skipped and shown, and a JSON log with an id is no answer.
func TestNoise(t *testing.T) {
	p := connect(t, &recorder{})
	noise := []string{
		"INFO migrating", "\x1b]0;t\x07", "42", "[]", `"text"`, "null", `{"level":"info","id":2}`, `{"level":"error","error":"boom","id":2}`,
		`{"id":2,"result":{"stopReason":"end_turn"},"level":"info"}`, `{"jsonrpc":"1.0","id":2,"result":{}}`, `{"jsonrpc":"2.0","id":2}`,
		`{"jsonrpc":"2.0","id":2,"result":{},"error":{"code":1,"message":"both"}}`, `{"jsonrpc":"2.0","id":{},"result":{}}`,
		`{"jsonrpc":"2.0","id":2,"error":"no object"}`, `{"jsonrpc":"2.0","id":2,"result":`, `[{"jsonrpc":"2.0","id":2,"result":{}}]`,
		"\xff\xfe\x00", `{"jsonrpc":"2.0","id":2,"result":{}}}`, `INFO done {"id":2,"result":{"sessionId":"evil"}}`,
		strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000), `{"jsonrpc":"2.0","method":"session/update","result":{}}`,
	}
	_, err := during(p, func() (acpclient.Agent, error) { return p.conn.Initialize(p.ctx) }, func() {
		p.answer(p.expect("initialize"), `{"protocolVersion":1}`)
	})
	if err != nil {
		t.Fatal(err)
	}
	s, err := during(p, func() (acpclient.Session, error) { return p.conn.NewSession(p.ctx, "/work") }, func() {
		m := p.expect("session/new")
		if string(m.ID) != "2" {
			t.Fatalf("the noise names id 2, the call has %s", m.ID)
		}
		p.send(noise...)
		p.send("", "\r", "  "+`{"jsonrpc":"2.0","id":2,"result":{"sessionId":"s"}}`+"\r")
	})
	if err != nil || s.ID != "s" {
		t.Fatalf("session %+v, %v", s, err)
	}
	p.turn("\x1b[2K"+say("glued behind an escape"), strings.Replace(say("bad ? byte"), "?", "\xff", 1))
	if got := p.rec.text(); got != "glued behind an escapebad \uFFFD byte" {
		t.Errorf("text %q", got)
	}
	if len(p.rec.noise) != len(noise) {
		t.Errorf("%d lines of noise shown, %d sent: %q", len(p.rec.noise), len(noise), p.rec.noise)
	}
	for _, n := range p.rec.noise {
		if len(n) > 512 {
			t.Errorf("an excerpt of %d bytes", len(n))
		}
	}
}

// An answer without "jsonrpc" is understood if nothing else is odd about it; so are both members with one of them null.
func TestLenientAnswers(t *testing.T) {
	for name, answer := range map[string]string{
		"plain":        `{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":1}}`,
		"no jsonrpc":   `{"id":1,"result":{"protocolVersion":1}}`,
		"null error":   `{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":1},"error":null}`,
		"id 1.0":       `{"jsonrpc":"2.0","id":1.0,"result":{"protocolVersion":1}}`,
		"result first": `{"result":{"protocolVersion":1},"id":1,"jsonrpc":"2.0"}`,
		"escaped keys": `{"jsonrp\u0063":"2.0","i\u0064":1,"r\u0065sult":{"protocolV\u0065rsion":1}}`,
	} {
		t.Run(name, func(t *testing.T) {
			p := connect(t, &recorder{})
			_, err := during(p, func() (acpclient.Agent, error) { return p.conn.Initialize(p.ctx) }, func() {
				p.expect("initialize")
				p.send(answer)
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
}

// H5-14: answers to ids never asked, the same answer twice, an answer after its call was given up: the first good one wins.
func TestStrayAnswers(t *testing.T) {
	p := connect(t, &recorder{})
	p.open()
	turn, err := p.prompt(func(m clientLine) {
		id := string(m.ID)
		p.send(`{"jsonrpc":"2.0","id":99,"result":{"stopReason":"refusal"}}`,
			`{"jsonrpc":"2.0","id":"`+id+`","result":{"stopReason":"refusal"}}`,
			`{"jsonrpc":"2.0","id":null,"result":{"stopReason":"refusal"}}`,
			`{"jsonrpc":"2.0","id":`+id+`,"result":{"stopReason":"refusal"},"error":{"code":1,"message":"x"}}`,
			`{"jsonrpc":"2.0","id":`+id+`,"result":{"stopReason":"end_turn"}}`,
			`{"jsonrpc":"2.0","id":`+id+`,"result":{"stopReason":"refusal"}}`,
			`{"jsonrpc":"2.0","id":`+id+`,"error":{"code":1,"message":"x"}}`)
	})
	if err != nil || turn.StopReason != "end_turn" {
		t.Fatalf("%+v, %v", turn, err)
	}
	short, cancel := context.WithCancelCause(p.ctx)
	late := errors.New("the phase took too long")
	_, err = during(p, func() (struct{}, error) { return struct{}{}, p.conn.SetMode(short, "s", "m") }, func() {
		p.expect("session/set_mode")
		cancel(late)
	})
	if !errors.Is(err, late) {
		t.Fatalf("a call given up says %v", err)
	}
	p.send(`{"jsonrpc":"2.0","id":4,"result":{}}`)
	p.turn(say("goes on"))
	if p.rec.text() != "goes on" {
		t.Errorf("text %q", p.rec.text())
	}
}

// F-80, H5-13, H5-14: ids go back byte for byte, whatever their type; what we do not know is answered -32601, also while a
// call of ours is open.
func TestForeignRequests(t *testing.T) {
	p := connect(t, &recorder{})
	p.open()
	ids := []string{`0`, `"req-1"`, `null`, `1.0`, `-7`, `1e3`, `""`, `"\u0000\"<é"`, `12345678901234567890123`}
	_, err := p.prompt(func(m clientLine) {
		for i, id := range ids {
			method := []string{"fs/write_text_file", "craft/drainMidTurnQueue", "terminal/create"}[i%3]
			p.send(`{"jsonrpc":"2.0","id":` + id + `,"method":"` + method + `","params":{"path":"/x","content":"y"}}`)
			got := p.receive()
			if !strings.Contains(got.raw, `"id":`+id+`,`) && !strings.Contains(got.raw, `"id":`+id+`}`) || got.Error == nil || got.Error.Code != -32601 {
				t.Errorf("request %s was answered %s", id, got.raw)
			}
		}
		for _, id := range ids[:4] {
			p.send(askFor(id, "c"))
			if got := p.receive(); !strings.Contains(got.raw, `"id":`+id) || !strings.Contains(got.raw, "allow_once") {
				t.Errorf("permission request %s was answered %s", id, got.raw)
			}
		}
		p.send(`{"jsonrpc":"2.0","method":"_auth/status_update","params":{}}`, `{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":0}}`,
			`{"jsonrpc":"2.0","method":"session/update"}`, `{"jsonrpc":"2.0","method":"session/update","params":null}`,
			`{"jsonrpc":"2.0","id":"`+strings.Repeat("x", 300)+`","method":"no/such"}`)
		p.answer(m, `{"stopReason":"end_turn"}`)
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(p.rec.noise) != 1 {
		t.Errorf("only the request with an id of 300 bytes is noise: %q", p.rec.noise)
	}
}
