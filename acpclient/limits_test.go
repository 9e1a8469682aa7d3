package acpclient_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/d3mlabs/ai-flow/acpclient"
	"github.com/d3mlabs/ai-flow/testsupport"
)

// An agent that asks without end and never reads ends its own connection at the stated 10 s, and holds no more than the
// stated number of goroutines until then.
func TestAgentThatDoesNotRead(t *testing.T) {
	testsupport.Need(t, !testing.Short(), "the 10 s that an agent may leave its input unread", "go test ./acpclient")
	for name, line := range map[string]func(int) string{
		"unknown requests":    func(i int) string { return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"no/such","params":{}}`, i) },
		"permission requests": func(i int) string { return askFor(fmt.Sprint(i), "c") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := connect(t, &recorder{})
			p.open()
			began := time.Now()
			go func() {
				for i := 0; ; i++ {
					if _, err := io.WriteString(p.out, line(i)+"\n"); err != nil {
						return
					}
				}
			}()
			most := 0
			for ended := false; !ended; {
				select {
				case <-p.conn.Done():
					ended = true
				case <-time.After(20 * time.Millisecond):
					most = max(most, runtime.NumGoroutine())
				}
			}
			var breach *acpclient.ProtocolError
			if err := p.conn.Err(); !errors.As(err, &breach) || !strings.Contains(err.Error(), "has not read its input") {
				t.Errorf("the connection says %v", err)
			}
			if took := time.Since(began); took < 9*time.Second || took > 40*time.Second || most > 200 {
				t.Errorf("it took %s and up to %d goroutines", took, most)
			}
		})
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
	_, err = during(p, func() (struct{}, error) { return struct{}{}, p.conn.SetMode(p.ctx, "s", "m") }, p.close)
	if !errors.Is(err, acpclient.ErrClosed) {
		t.Errorf("a call that never got into the queue says %v", err)
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
