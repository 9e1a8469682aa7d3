package sdkagent_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"sync/atomic"
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

// theirs feeds the same to the SDK's client. It closes the connection when 1024 notifications wait, so the feeder stays
// 512 behind; without a tool for that its numbers cannot be had at all.
func theirs(b *testing.B, lines [][]byte) time.Duration {
	in, out, err := os.Pipe()
	if err != nil {
		b.Fatal(err)
	}
	defer in.Close()
	c := &sdkClient{}
	conn := acp.NewClientSideConnection(c, io.Discard, in)
	began := time.Now()
	sent := int64(0)
	for range rounds {
		for from := 0; from < len(lines); from += 256 {
			part := lines[from:min(from+256, len(lines))]
			out.Write(bytes.Join(part, nil))
			sent += int64(len(part))
			for sent-c.n.Load() > 512 {
				time.Sleep(20 * time.Microsecond)
			}
		}
	}
	for c.n.Load() < sent {
		select {
		case <-conn.Done():
			b.Fatalf("the SDK closed the connection after %d of %d messages", c.n.Load(), sent)
		case <-time.After(100 * time.Microsecond):
		}
	}
	took := time.Since(began)
	out.Close()
	<-conn.Done()
	return took
}

type sdkClient struct {
	acp.Client // nothing else is called
	n          atomic.Int64
}

func (c *sdkClient) SessionUpdate(context.Context, acp.SessionNotification) error {
	c.n.Add(1)
	return nil
}

// BenchmarkAgainstSDK feeds the same recorded traffic to both clients in turn and reports messages per second of each and
// their ratio: go -C testsupport/sdkagent test -bench . -run xxx
func BenchmarkAgainstSDK(b *testing.B) {
	lines := traffic(b)
	var us, them time.Duration
	messages := 0
	for b.Loop() {
		us += ours(b, lines)
		them += theirs(b, lines)
		messages += rounds * len(lines)
	}
	b.ReportMetric(float64(messages)/us.Seconds(), "ours-msg/s")
	b.ReportMetric(float64(messages)/them.Seconds(), "sdk-msg/s")
	b.ReportMetric(them.Seconds()/us.Seconds(), "ratio")
}
