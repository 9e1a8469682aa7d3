package acpclient_test

import (
	"io"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/d3mlabs/ai-flow/acpclient"
)

// tracer keeps the frames of both directions. Its lines are copies, since a frame's is valid during the call.
type tracer struct {
	mu     sync.Mutex
	frames []acpclient.Frame
}

func (r *tracer) trace(f acpclient.Frame) {
	f.Line = slices.Clone(f.Line)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.frames = append(r.frames, f)
}

func (r *tracer) lines(sent bool) (list []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, f := range r.frames {
		if f.Sent == sent {
			list = append(list, string(f.Line))
		}
	}
	return list
}

func traced(t *testing.T) (*peer, *tracer) {
	t.Helper()
	r := &tracer{}
	return connect(t, &recorder{}, func(c *acpclient.Config) { c.Trace = r.trace }), r
}

func TestTraceSeesEachLineOnceAndInOrder(t *testing.T) {
	p, r := traced(t)
	var heard, said []string // on the peer's side of the wire
	hear := func(method string) clientLine {
		m := p.receive()
		if m.Method != method {
			t.Fatalf("the client sent %s instead of %s", m.raw, method)
		}
		heard = append(heard, m.raw)
		return m
	}
	say := func(lines ...string) { said = append(said, lines...); p.send(lines...) }
	answer := func(m clientLine, result string) {
		say(`{"jsonrpc":"2.0","id":` + string(m.ID) + `,"result":` + result + `}`)
	}

	_, err := during(p, func() (acpclient.Agent, error) { return p.conn.Initialize(p.ctx) }, func() {
		say("INFO starting", "", "\x1b[2J")
		answer(hear("initialize"), `{"protocolVersion":1}`)
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := during(p, func() (acpclient.Session, error) { return p.conn.NewSession(p.ctx, "/work") }, func() {
		answer(hear("session/new"), `{"sessionId":"s"}`)
	}); err != nil {
		t.Fatal(err)
	}
	if _, err := p.turnBy(func() {
		m := hear("session/prompt")
		for range 50 {
			say(update(`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"x"}}`))
		}
		say(askFor("0", "c"))
		hear("")
		say(`{"jsonrpc":"2.0","id":1,"method":"fs/read_text_file","params":{}}`)
		hear("")
		say(update(`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"` + strings.Repeat("long ", 1<<16) + `"}}`))
		answer(m, `{"stopReason":"end_turn"}`)
	}); err != nil {
		t.Fatal(err)
	}
	say("bye") // with no newline behind it, below
	if _, err := io.WriteString(p.out, "the end"); err != nil {
		t.Fatal(err)
	}
	said = append(said, "the end")
	p.close()
	<-p.conn.Done()
	if got := r.lines(true); !slices.Equal(got, heard) {
		t.Errorf("sent, as traced:\n%s\nas it arrived:\n%s", strings.Join(got, "\n"), strings.Join(heard, "\n"))
	}
	if got := r.lines(false); !slices.Equal(got, said) {
		t.Errorf("%d lines were traced, %d were sent by the agent", len(got), len(said))
	}
}

// turnBy runs one turn in which f plays the agent from the request on.
func (p *peer) turnBy(f func()) (acpclient.Turn, error) {
	return during(p, func() (acpclient.Turn, error) { return p.conn.Prompt(p.ctx, "s", "do it") }, f)
}

func TestTraceSaysWhatALineIs(t *testing.T) {
	long := strings.Repeat("m", 5000)
	for _, c := range []struct {
		line   string
		kind   acpclient.FrameKind
		method string
		served bool
	}{
		{"INFO hello", acpclient.FrameNoise, "", false},
		{"", acpclient.FrameNoise, "", false},
		{`{"level":"info","id":2}`, acpclient.FrameNoise, "", false},
		{`{"jsonrpc":"2.0","id":7,"method":"session/request_permission","params":{"sessionId":"nobody's"}}`, acpclient.FrameRequest, "session/request_permission", true},
		{`{"jsonrpc":"2.0","id":8,"method":"fs/write_text_file","params":{}}`, acpclient.FrameRequest, "fs/write_text_file", false},
		{`{"jsonrpc":"2.0","id":null,"method":"session/update","params":{}}`, acpclient.FrameRequest, "session/update", false},
		{say("x"), acpclient.FrameNotification, "session/update", true},
		{`{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":9}}`, acpclient.FrameNotification, "$/cancel_request", true},
		{`{"jsonrpc":"2.0","method":"github.com/copilot/sessionEvent","params":{}}`, acpclient.FrameNotification, "github.com/copilot/sessionEvent", true},
		{`{"jsonrpc":"2.0","method":"_auth/status_update","params":{}}`, acpclient.FrameNotification, "_auth/status_update", false},
		{`{"jsonrpc":"2.0","method":"session/request_permission","params":{}}`, acpclient.FrameNotification, "session/request_permission", false},
		{`{"jsonrpc":"2.0","id":99,"result":{}}`, acpclient.FrameAnswer, "", false},
		{`{"jsonrpc":"2.0","id":99,"error":{"code":1,"message":"no"}}`, acpclient.FrameAnswer, "", false},
		{`{"jsonrpc":"2.0","method":"` + long + `"}`, acpclient.FrameNotification, long[:4096], false},
	} {
		p, r := traced(t)
		p.send(c.line)
		p.close()
		<-p.conn.Done()
		var got acpclient.Frame
		r.mu.Lock()
		for _, f := range r.frames { // what it sent in answer aside
			if !f.Sent {
				got = f
			}
		}
		r.mu.Unlock()
		if got.Kind != c.kind || got.Method != c.method || got.Served != c.served || string(got.Line) != c.line {
			t.Errorf("%.80q: got kind %v, method %.80q, served %v, line %.80q", c.line, got.Kind, got.Method, got.Served, got.Line)
		}
	}
}

func TestTraceNamesWhatWeSend(t *testing.T) {
	p, r := traced(t)
	p.open()
	if _, err := p.prompt(func(m clientLine) {
		if err := p.conn.Cancel("s"); err != nil {
			t.Error(err)
		}
		p.expect("session/cancel")
		p.send(askFor("0", "c"), `{"jsonrpc":"2.0","id":1,"method":"terminal/create","params":{}}`)
		p.receive()
		p.receive()
		p.answer(m, `{"stopReason":"cancelled"}`)
	}); err != nil {
		t.Fatal(err)
	}
	type said struct {
		kind   acpclient.FrameKind
		method string
	}
	var got []said
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, f := range r.frames {
		if f.Sent {
			got = append(got, said{f.Kind, f.Method})
			if f.Served {
				t.Errorf("%s: we serve the agent's methods, not ours", f.Line)
			}
		}
	}
	want := []said{{acpclient.FrameRequest, "initialize"}, {acpclient.FrameRequest, "session/new"}, {acpclient.FrameRequest, "session/prompt"},
		{acpclient.FrameNotification, "session/cancel"}, {acpclient.FrameAnswer, ""}, {acpclient.FrameAnswer, ""}}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// A line is traced before the Handler hears of it, so that a witness of both sees them in the order of the wire.
func TestTraceComesBeforeTheUpdate(t *testing.T) {
	r := &tracer{}
	var missing int
	p := connect(t, &recorder{update: func(u acpclient.Update) {
		lines := r.lines(false)
		if !strings.Contains(lines[len(lines)-1], `"`+u.Text+`"`) {
			missing++
		}
	}}, func(c *acpclient.Config) { c.Trace = r.trace })
	p.open()
	p.turn(say("one"), say("two"), say("three"))
	if missing > 0 {
		t.Errorf("%d updates came before their line", missing)
	}
}

// What was not sent was not on the wire: a line that a closed input refused is traced at most once, and the ones behind it never.
func TestTraceStopsWithTheInput(t *testing.T) {
	p, r := traced(t)
	p.open()
	p.in.Close()
	for range 3 {
		if _, err := p.conn.Prompt(p.ctx, "s", "x"); err == nil {
			t.Fatal("a prompt was answered by nobody")
		}
	}
	if got := r.lines(true); len(got) > 3 {
		t.Errorf("traced %q", got)
	}
}

// A connection that nobody traces pays nothing: the same allocations as ever for a line, with and without one to tell.
func TestNoTraceCostsNothing(t *testing.T) {
	allocations := func(trace func(acpclient.Frame)) float64 {
		p := connect(t, &recorder{update: func(acpclient.Update) {}}, func(c *acpclient.Config) { c.Trace = trace })
		p.open()
		line := say("x") + "\n"
		heard := make(chan struct{})
		p.rec.update = func(acpclient.Update) { heard <- struct{}{} }
		return testing.AllocsPerRun(500, func() {
			if _, err := io.WriteString(p.out, line); err != nil {
				t.Error(err)
			}
			<-heard
		})
	}
	without, with := allocations(nil), allocations(func(acpclient.Frame) {})
	if without > with || with > without+2 {
		t.Errorf("%v allocations of a line without a trace, %v with one", without, with)
	}
}

// Each place in which an agent was seen to put an exit code has its own name (agents.md point 10).
func TestExitSaysWhereItStood(t *testing.T) {
	for _, c := range []struct{ body, at string }{
		{`"rawOutput":{"exit_code":3}`, "rawOutput.exit_code"},
		{`"rawOutput":{"exitCode":3}`, "rawOutput.exitCode"},
		{`"rawOutput":{"metadata":{"exit":3}}`, "rawOutput.metadata.exit"},
		{`"rawOutput":{"metadata":{"exit_code":3}}`, "rawOutput.metadata.exit_code"},
		{`"rawOutput":{"metadata":{"exitCode":3}}`, "rawOutput.metadata.exitCode"},
		{`"rawOutput":{"contents":[{"exitCode":1},{"exitCode":3}]}`, "rawOutput.contents[].exitCode"},
		{`"_meta":{"terminal_exit":{"exit_code":3}}`, "_meta.terminal_exit.exit_code"},
		{`"_meta":{"terminal_exit":{"exitCode":3}}`, "_meta.terminal_exit.exitCode"},
		{`"content":[{"type":"content","content":{"type":"text","text":"out\n<shellId: 0 completed with exit code 3>"}}]`, "text"},
		{`"status":"failed","rawOutput":"Exit code 3\nno"`, "text"},
		{`"rawOutput":{"exit_code":3,"exitCode":4},"_meta":{"terminal_exit":{"exit_code":5}}`, "rawOutput.exit_code"}, // numbers in their order,
		{`"status":"failed","rawOutput":{"exitCode":3,"output":"Exit code 9\nno"}`, "rawOutput.exitCode"},             // and before any text
		{`"rawOutput":{"exit_code":null,"exitCode":3}`, "rawOutput.exitCode"},
		{`"rawOutput":{"exit_code":"3"}`, ""},
		{`"rawOutput":{"exit_code":99999999999}`, ""},
		{`"_meta":{"terminal_exit":{"exit_code":null}}`, ""},
		{`"status":"completed","rawOutput":"Exit code 3\nno"`, ""}, // of a call that did not fail, anybody's words
		{`"status":"completed"`, ""},
	} {
		rec := &recorder{}
		p := connect(t, rec)
		p.open()
		p.turn(update(`{"sessionUpdate":"tool_call_update","toolCallId":"c",` + c.body + `}`))
		if len(rec.updates) != 1 {
			t.Fatalf("%s: got updates %+v", c.body, rec.updates)
		}
		got := rec.updates[0].Call
		if got.ExitAt != c.at || (got.Exit != nil) != (c.at != "") || (got.Exit != nil && *got.Exit != 3) {
			t.Errorf("%s: got %v at %q, want 3 at %q", c.body, got.Exit, got.ExitAt, c.at)
		}
	}
}
