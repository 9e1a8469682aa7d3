package sdkagent_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/coder/acp-go-sdk"

	"github.com/d3mlabs/ai-flow/acpclient"
	"github.com/d3mlabs/ai-flow/testsupport/wire"
)

// traffic is all session updates of all transcripts that the SDK can decode, for one session.
func traffic(b *testing.B) (lines [][]byte) {
	names, err := wire.Names()
	if err != nil {
		b.Fatal(err)
	}
	for _, name := range names {
		messages, err := wire.Load(name)
		if err != nil {
			b.Fatal(err)
		}
		for _, m := range messages {
			var v struct {
				Method string          `json:"method"`
				Params json.RawMessage `json:"params"`
			}
			var p map[string]json.RawMessage
			var n acp.SessionNotification
			if m.Elided > 0 || json.Unmarshal(m.Raw, &v) != nil || v.Method != "session/update" || json.Unmarshal(v.Params, &n) != nil || n.Validate() != nil {
				continue
			}
			if err := json.Unmarshal(v.Params, &p); err != nil {
				b.Fatal(err)
			}
			lines = append(lines, fmt.Appendf(nil, `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":%s}}`+"\n", p["update"]))
		}
	}
	if len(lines) < 1000 {
		b.Fatalf("only %d messages", len(lines))
	}
	return lines
}

const rounds = 20 // times the traffic a measurement

// ours feeds the traffic to our client and returns the time from its first byte to the end of the turn.
func ours(b *testing.B, lines [][]byte) time.Duration {
	in, out, err := os.Pipe()
	if err != nil {
		b.Fatal(err)
	}
	defer in.Close()
	defer out.Close()
	requests, toAgent := io.Pipe()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	conn, err := acpclient.Open(ctx, acpclient.Config{Reader: in, Writer: toAgent, Handler: &counter{}})
	if err != nil {
		b.Fatal(err)
	}
	var began time.Time
	go func() {
		d := json.NewDecoder(requests)
		for _, answer := range []string{`{"protocolVersion":1}`, `{"sessionId":"s"}`, `{"stopReason":"end_turn"}`} {
			var m struct{ ID int }
			if d.Decode(&m) != nil {
				return
			}
			if m.ID == 3 {
				began = time.Now()
				batch := bytes.Join(lines, nil)
				for range rounds {
					out.Write(batch)
				}
			}
			fmt.Fprintf(out, `{"jsonrpc":"2.0","id":%d,"result":%s}`+"\n", m.ID, answer)
		}
	}()
	if _, err := conn.Initialize(ctx); err != nil {
		b.Fatal(err)
	}
	if _, err := conn.NewSession(ctx, "/"); err != nil {
		b.Fatal(err)
	}
	if _, err := conn.Prompt(ctx, "s", "x"); err != nil {
		b.Fatal(err)
	}
	return time.Since(began)
}

type counter struct{ n int }

func (c *counter) Update(acpclient.Update) { c.n++ }
func (c *counter) Permission(context.Context, acpclient.PermissionRequest) acpclient.PermissionAnswer {
	return acpclient.PermissionAnswer{}
}

// theirs feeds the same to the SDK's client. That closes the connection when 1024 notifications wait, so the feeder takes a
// credit for each message and the handler gives it back: without them its numbers could not be had at all.
func theirs(b *testing.B, lines [][]byte) time.Duration {
	const batch = 256
	in, out, err := os.Pipe()
	if err != nil {
		b.Fatal(err)
	}
	defer in.Close()
	c := &sdkClient{credit: make(chan struct{}, 3*batch)}
	for range cap(c.credit) {
		c.credit <- struct{}{}
	}
	conn := acp.NewClientSideConnection(c, io.Discard, in)
	began := time.Now()
	for range rounds {
		for from := 0; from < len(lines); from += batch {
			part := lines[from:min(from+batch, len(lines))]
			for range part {
				<-c.credit
			}
			out.Write(bytes.Join(part, nil))
		}
	}
	for range cap(c.credit) {
		select {
		case <-c.credit:
		case <-conn.Done():
			b.Fatal("the SDK closed the connection before the end")
		}
	}
	took := time.Since(began)
	out.Close()
	<-conn.Done()
	return took
}

type sdkClient struct {
	acp.Client // nothing else is called
	credit     chan struct{}
}

func (c *sdkClient) SessionUpdate(context.Context, acp.SessionNotification) error {
	c.credit <- struct{}{}
	return nil
}

// cpu is the processor time that this process has used, feeder included; unlike the wall clock it means something on a
// machine that does other work too.
func cpu(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkAgainstSDK feeds the same recorded traffic to both clients in turn and reports messages per second of each and
// their ratio, by the clock and by processor time: go -C testsupport/sdkagent test -bench . -run xxx
func BenchmarkAgainstSDK(b *testing.B) {
	lines := traffic(b)
	var us, them, usCPU, themCPU time.Duration
	messages := 0
	for b.Loop() {
		start := cpu(b)
		us += ours(b, lines)
		middle := cpu(b)
		them += theirs(b, lines)
		usCPU, themCPU = usCPU+middle-start, themCPU+cpu(b)-middle
		messages += rounds * len(lines)
	}
	b.ReportMetric(float64(messages)/us.Seconds(), "ours-msg/s")
	b.ReportMetric(float64(messages)/them.Seconds(), "sdk-msg/s")
	b.ReportMetric(them.Seconds()/us.Seconds(), "ratio")
	b.ReportMetric(themCPU.Seconds()/usCPU.Seconds(), "cpu-ratio")
}
