package acpclient_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/d3mlabs/ai-flow/acpclient"
)

func TestOpenRefuses(t *testing.T) {
	for name, c := range map[string]acpclient.Config{
		"no reader":     {Writer: io.Discard, Handler: &recorder{}},
		"no writer":     {Reader: strings.NewReader(""), Handler: &recorder{}},
		"no handler":    {Reader: strings.NewReader(""), Writer: io.Discard},
		"negative line": {Reader: strings.NewReader(""), Writer: io.Discard, Handler: &recorder{}, MaxLine: -1},
	} {
		if _, err := acpclient.Open(context.Background(), c); err == nil {
			t.Errorf("%s: opened", name)
		}
	}
}

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

// Point 20: several requests are open at once and answered in any order.
func TestPermissionsOverlap(t *testing.T) {
	hold := map[string]chan string{"c1": make(chan string), "c2": make(chan string)}
	p := connect(t, &recorder{choose: func(_ context.Context, q acpclient.PermissionRequest) acpclient.PermissionAnswer {
		return acpclient.PermissionAnswer{OptionID: <-hold[q.Call.ID]}
	}})
	p.open()
	_, err := p.prompt(func(m clientLine) {
		p.send(askFor("0", "c1"), askFor("1", "c2"), askFor("0", "again"))
		if got := p.receive(); string(got.ID) != "0" || got.Error == nil {
			t.Errorf("an id in use was answered %s", got.raw)
		}
		hold["c2"] <- "no"
		if got := p.receive(); string(got.ID) != "1" || !strings.Contains(got.raw, `"no"`) {
			t.Errorf("the second request was answered %s", got.raw)
		}
		hold["c1"] <- "allow_once"
		if got := p.receive(); string(got.ID) != "0" || !strings.Contains(got.raw, `"allow_once"`) {
			t.Errorf("the first request was answered %s", got.raw)
		}
		p.send(askFor("0", "c1"))
		hold["c1"] <- ""
		if got := p.receive(); !strings.Contains(got.raw, `"cancelled"`) {
			t.Errorf("no option was answered %s", got.raw)
		}
		p.answer(m, `{"stopReason":"end_turn"}`)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// A question withdrawn, by $/cancel_request or by our own cancel, ends the handler's context and is never allowed.
func TestPermissionWithdrawn(t *testing.T) {
	p := connect(t, &recorder{choose: func(ctx context.Context, _ acpclient.PermissionRequest) acpclient.PermissionAnswer {
		<-ctx.Done()
		return acpclient.PermissionAnswer{OptionID: "allow_once"}
	}})
	p.open()
	turn, err := p.prompt(func(m clientLine) {
		p.send(askFor(`"r"`, "c1"), `{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":"r"}}`)
		if got := p.receive(); !strings.Contains(got.raw, `{"outcome":"cancelled"}`) {
			t.Errorf("a withdrawn request was answered %s", got.raw)
		}
		p.send(askFor("1", "c2"))
		for len(asked(p.rec)) < 2 {
			time.Sleep(time.Millisecond)
		}
		if err := p.conn.Cancel("s"); err != nil {
			t.Error(err)
		}
		got := []string{p.receive().raw, p.receive().raw}
		slices.Sort(got)
		if !strings.Contains(got[0], `{"outcome":"cancelled"}`) || !strings.Contains(got[1], "session/cancel") {
			t.Errorf("after a cancel came %q", got)
		}
		p.answer(m, `{"stopReason":"cancelled"}`)
	})
	if err != nil || turn.StopReason != "cancelled" {
		t.Fatalf("%+v, %v", turn, err)
	}
}

func asked(r *recorder) []acpclient.PermissionRequest {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.asked)
}

// An agent cannot have more than 64 questions open, and none for a session that is not ours.
func TestPermissionsBounded(t *testing.T) {
	release := make(chan struct{})
	p := connect(t, &recorder{choose: func(ctx context.Context, _ acpclient.PermissionRequest) acpclient.PermissionAnswer {
		<-release
		return acpclient.PermissionAnswer{OptionID: "allow_once"}
	}})
	p.open()
	_, err := p.prompt(func(m clientLine) {
		for i := range 70 {
			p.send(askFor(fmt.Sprint(i), "c"))
		}
		for range 6 {
			if got := p.receive(); !strings.Contains(got.raw, `{"outcome":"cancelled"}`) {
				t.Errorf("one too many was answered %s", got.raw)
			}
		}
		close(release)
		for range 64 {
			if got := p.receive(); !strings.Contains(got.raw, "allow_once") {
				t.Errorf("one of the 64 was answered %s", got.raw)
			}
		}
		p.send(strings.Replace(askFor("99", "c"), `"sessionId":"s"`, `"sessionId":"other"`, 1))
		if got := p.receive(); !strings.Contains(got.raw, `{"outcome":"cancelled"}`) {
			t.Errorf("a request of another session was answered %s", got.raw)
		}
		p.answer(m, `{"stopReason":"end_turn"}`)
	})
	if err != nil {
		t.Fatal(err)
	}
	if n := len(asked(p.rec)); n != 64 {
		t.Errorf("the handler was asked %d times", n)
	}
}

// F-79, A2-24, point 5: updates of other sessions are dropped, those that come before the session/new answer are not.
func TestSessions(t *testing.T) {
	p := connect(t, &recorder{})
	if _, err := during(p, func() (acpclient.Agent, error) { return p.conn.Initialize(p.ctx) }, func() {
		p.answer(p.expect("initialize"), `{"protocolVersion":1}`)
	}); err != nil {
		t.Fatal(err)
	}
	other := strings.Replace(say("other"), `"sessionId":"s"`, `"sessionId":"o"`, 1)
	_, err := during(p, func() (acpclient.Session, error) { return p.conn.NewSession(p.ctx, "/work") }, func() {
		m := p.expect("session/new")
		p.send(other, say("early "), update(`{"sessionUpdate":"available_commands_update","availableCommands":[]}`))
		for range 300 { // more than is kept
			p.send(other)
		}
		p.answer(m, `{"sessionId":"s"}`)
	})
	if err != nil {
		t.Fatal(err)
	}
	p.turn(other, say("in time"))
	if got := p.rec.text(); got != "early in time" {
		t.Errorf("text %q", got)
	}
	if _, err := p.conn.Prompt(p.ctx, "o", "x"); err == nil {
		t.Error("a prompt for a session that was never opened was sent")
	}
	if _, err := p.conn.NewSession(p.ctx, "relative"); err == nil {
		t.Error("a session in a relative directory was asked for")
	}
}

// A2-35: a second prompt would abort the first.
func TestOneTurnAtATime(t *testing.T) {
	p := connect(t, &recorder{})
	p.open()
	_, err := p.prompt(func(m clientLine) {
		if _, err := p.conn.Prompt(p.ctx, "s", "me too"); err == nil {
			t.Error("two turns at once")
		}
		p.answer(m, `{"stopReason":"end_turn"}`)
	})
	if err != nil {
		t.Fatal(err)
	}
	p.turn()
}

// H5-08: a tail in the same write as the answer is delivered before Prompt returns, as is one just behind it.
func TestTailBehindTheAnswer(t *testing.T) {
	for range 50 {
		p := connect(t, &recorder{})
		p.open()
		_, err := p.prompt(func(m clientLine) {
			p.send(say("hel"), `{"jsonrpc":"2.0","id":`+string(m.ID)+`,"result":{"stopReason":"end_turn"}}`, say("l"), say("o"))
		})
		if got := p.rec.text(); err != nil || got != "hello" {
			t.Fatalf("text %q, %v", got, err)
		}
	}
}

// An agent that never stops talking behind its answer does not keep Prompt from returning.
func TestDrainEnds(t *testing.T) {
	p := connect(t, &recorder{})
	p.open()
	stop := make(chan struct{})
	stopped := make(chan struct{})
	_, err := p.prompt(func(m clientLine) {
		p.answer(m, `{"stopReason":"end_turn"}`)
		go func() {
			defer close(stopped)
			for {
				select {
				case <-stop:
					return
				default:
					p.send(say("x"))
				}
			}
		}()
	})
	close(stop)
	<-stopped
	if err != nil {
		t.Fatal(err)
	}
}

// The last words before the end of input count, with a newline behind them or without.
func TestLastUpdateBeforeTheEnd(t *testing.T) {
	for _, end := range []string{"\n", ""} {
		p := connect(t, &recorder{})
		p.open()
		_, err := p.prompt(func(clientLine) {
			io.WriteString(p.out, say("last words")+end)
			p.close()
		})
		if !errors.Is(err, acpclient.ErrClosed) {
			t.Errorf("a turn without an answer says %v", err)
		}
		<-p.conn.Done()
		if got := p.rec.text(); got != "last words" || p.conn.Err() != nil {
			t.Errorf("text %q, %v", got, p.conn.Err())
		}
		if _, err := p.conn.Prompt(p.ctx, "s", "x"); !errors.Is(err, acpclient.ErrClosed) {
			t.Errorf("a call after the end says %v", err)
		}
		if err := p.conn.Cancel("s"); !errors.Is(err, acpclient.ErrClosed) {
			t.Errorf("a cancel after the end says %v", err)
		}
	}
}

// An agent that closes its input and goes on talking is still heard; only the call that could not be sent fails.
func TestInputClosedByTheAgent(t *testing.T) {
	p := connect(t, &recorder{})
	p.open()
	p.in.Close()
	_, err := p.conn.Prompt(p.ctx, "s", "x")
	if err == nil || errors.Is(err, acpclient.ErrClosed) || !strings.Contains(err.Error(), "writing to the agent") {
		t.Errorf("the prompt says %v", err)
	}
	p.send(say("still here"))
	p.close()
	<-p.conn.Done()
	if got := p.rec.text(); got != "still here" || p.conn.Err() != nil {
		t.Errorf("text %q, %v", got, p.conn.Err())
	}
}

// An agent that asks without end and never reads ends its own connection; reading until then is not held up by the
// permission answers.
func TestAgentThatDoesNotRead(t *testing.T) {
	if testing.Short() {
		t.Skip("waits for the 10 s bound; enable with: go test without -short")
	}
	p := connect(t, &recorder{})
	p.open()
	began := time.Now()
	go func() {
		line := `{"jsonrpc":"2.0","id":1,"method":"no/such","params":{}}` + "\n"
		for {
			if _, err := io.WriteString(p.out, line); err != nil {
				return
			}
		}
	}()
	<-p.conn.Done()
	var breach *acpclient.ProtocolError
	if err := p.conn.Err(); !errors.As(err, &breach) || !strings.Contains(err.Error(), "has not read its input") {
		t.Errorf("the connection says %v", err)
	}
	if took := time.Since(began); took < 9*time.Second || took > 30*time.Second {
		t.Errorf("it took %s", took)
	}
}

// Cancel never waits, and a prompt to an agent that does not read ends with its context.
func TestCancelDoesNotWait(t *testing.T) {
	p := connect(t, &recorder{})
	p.open()
	ctx, cancel := context.WithTimeout(p.ctx, 50*time.Millisecond)
	defer cancel()
	if _, err := p.conn.Prompt(ctx, "s", strings.Repeat("x", 1<<20)); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("the prompt says %v", err)
	}
	var err error
	for range 1000 {
		if err = p.conn.Cancel("s"); err != nil {
			break
		}
	}
	if err == nil {
		t.Error("a thousand unread cancels were queued")
	}
}

// 100,000 updates at once are delivered in order, to a handler that is slower than they come.
func TestFlood(t *testing.T) {
	const n = 100_000
	seen := 0
	p := connect(t, &recorder{update: func(u acpclient.Update) {
		if u.Text != fmt.Sprint(seen) {
			panic(fmt.Sprintf("update %q came as number %d", u.Text, seen))
		}
		if seen++; seen%10_000 == 0 {
			time.Sleep(5 * time.Millisecond)
		}
	}})
	p.open()
	_, err := p.prompt(func(m clientLine) {
		var b strings.Builder
		for i := range n {
			b.WriteString(say(fmt.Sprint(i)) + "\n")
		}
		io.WriteString(p.out, b.String())
		p.answer(m, `{"stopReason":"end_turn"}`)
	})
	if err != nil || seen != n {
		t.Fatalf("%d of %d updates, %v", seen, n, err)
	}
}

// The end of the context ends the connection although the reader is blocked in Read.
func TestContextEnds(t *testing.T) {
	r, w := pipe(t)
	defer w.Close()
	defer r.Close()
	ctx, cancel := context.WithCancelCause(context.Background())
	conn, err := acpclient.Open(ctx, acpclient.Config{Reader: r, Writer: io.Discard, Handler: &recorder{}})
	if err != nil {
		t.Fatal(err)
	}
	why := errors.New("run cancelled")
	_, err = during(&peer{t: t, ctx: context.Background()}, func() (acpclient.Agent, error) { return conn.Initialize(context.Background()) }, func() {
		time.AfterFunc(10*time.Millisecond, func() { cancel(why) })
		<-conn.Done()
	})
	if !errors.Is(err, why) || !errors.Is(conn.Err(), why) {
		t.Errorf("the call says %v, the connection %v", err, conn.Err())
	}
}

// H5-07: a line of 5 MiB is one line; one of 1 GiB without an end is the end, at the stated bound and in bounded memory.
func TestLongLines(t *testing.T) {
	p := connect(t, &recorder{})
	p.open()
	long := strings.Repeat("0123456789abcdef", 5<<20/16)
	p.turn(say(long), say("!"))
	if p.rec.text() != long+"!" {
		t.Fatal("the long line arrived otherwise")
	}

	p = connect(t, &recorder{})
	p.open()
	before := heap()
	go func() {
		junk := bytes.Repeat([]byte("x"), 1<<20)
		for range 1024 {
			if _, err := p.out.Write(junk); err != nil {
				return // closed at the end of the test
			}
		}
	}()
	var peak uint64
	for ended := false; !ended; {
		select {
		case <-p.conn.Done():
			ended = true
		case <-time.After(2 * time.Millisecond):
			peak = max(peak, heap())
		}
	}
	var breach *acpclient.ProtocolError
	if err := p.conn.Err(); !errors.As(err, &breach) || !strings.Contains(err.Error(), "67108864 bytes") {
		t.Errorf("the connection says %v", err)
	}
	if grown := int64(peak) - int64(before); grown > 256<<20 {
		t.Errorf("the heap grew by %d bytes for a line of at most 64 MiB", grown)
	}
}

func heap() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// Nothing is left open: no descriptor, and by TestMain no goroutine.
func TestNothingLeaks(t *testing.T) {
	count := func() int {
		entries, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Skip("needs /proc; enable with: Linux")
		}
		return len(entries)
	}
	before := count()
	for range 100 {
		t.Run("connection", func(t *testing.T) {
			p := connect(t, &recorder{})
			p.open()
			p.turn(say("x"))
		})
	}
	if after := count(); after > before {
		t.Errorf("%d descriptors before, %d after", before, after)
	}
	if left := leaked(); left != "" {
		t.Errorf("goroutines left:\n%s", left)
	}
}
