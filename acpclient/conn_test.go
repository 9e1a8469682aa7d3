package acpclient_test

import (
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/d3mlabs/ai-flow/acpclient"
	"github.com/d3mlabs/ai-flow/testsupport"
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

// F-79, A2-24, point 5: updates of other sessions are dropped, those that come before the session/new answer are not.
func TestSessions(t *testing.T) {
	p := connect(t, &recorder{})
	if _, err := during(p, func() (acpclient.Agent, error) { return p.conn.Initialize(p.ctx) }, func() {
		m := p.expect("initialize")
		p.send(say("before anybody asked"))
		p.answer(m, `{"protocolVersion":1}`)
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
	again, err := during(p, func() (acpclient.Session, error) { return p.conn.NewSession(p.ctx, "/work") }, func() {
		m := p.expect("session/new")
		for range 300 { // more than is kept
			p.send(strings.Replace(say("x"), `"sessionId":"s"`, `"sessionId":"s2"`, 1))
		}
		p.answer(m, `{"sessionId":"s2"}`)
	})
	if got := strings.Count(p.rec.text(), "x"); err != nil || again.ID != "s2" || got != 256 {
		t.Errorf("%d of 300 early updates were kept, %v", got, err)
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
	for range 20 {
		p := connect(t, &recorder{update: func(acpclient.Update) { time.Sleep(time.Millisecond) }}) // a Prompt that does not wait would be back before
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

// Nothing is left open: no descriptor, and by TestMain no goroutine.
func TestNothingLeaks(t *testing.T) {
	count := func() int {
		entries, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			testsupport.Need(t, false, "/proc, so Linux", "docker run --rm -v \"$PWD:/src\" -w /src golang:1.26 go test ./acpclient")
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
