package acpclient

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/d3mlabs/ai-flow/testsupport"
	"github.com/d3mlabs/ai-flow/testsupport/wire"
)

// recordedUpdates is each session update of all transcripts, as lines for the session "s".
func recordedUpdates(t testing.TB) (lines [][]byte) {
	names, err := wire.Names()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		messages, err := wire.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range messages {
			var v struct {
				Method string `json:"method"`
				Params struct {
					Update json.RawMessage `json:"update"`
				} `json:"params"`
			}
			if m.Elided == 0 && json.Unmarshal(m.Raw, &v) == nil && v.Method == "session/update" {
				lines = append(lines, fmt.Appendf(nil, `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":%s}}`+"\n", v.Params.Update))
			}
		}
	}
	return lines
}

// BenchmarkDecode is parsing and decoding alone, over the recorded updates.
func BenchmarkDecode(b *testing.B) {
	lines := recordedUpdates(b)
	b.SetBytes(int64(len(bytes.Join(lines, nil))))
	b.ReportAllocs()
	for b.Loop() {
		for _, line := range lines {
			m := parse(line)
			decodeUpdate("s", m.params.get("update"), nil)
		}
	}
	b.ReportMetric(float64(b.N*len(lines))/b.Elapsed().Seconds(), "msg/s")
}

// BenchmarkCheck is the scanner alone, and encoding/json's on the same input.
func BenchmarkCheck(b *testing.B) {
	all := bytes.Join(recordedUpdates(b), []byte{','})
	all = append(append([]byte{'['}, all...), ']')
	for name, check := range map[string]func() bool{
		"ours":          func() bool { return checkValue(all, 0, 0) == len(all) },
		"encoding-json": func() bool { return json.Valid(all) },
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(all)))
			for b.Loop() {
				if !check() {
					b.Fatal("refused")
				}
			}
		})
	}
}

type deaf struct{ updates int }

func (d *deaf) Update(Update) { d.updates++ }
func (d *deaf) Permission(context.Context, PermissionRequest) PermissionAnswer {
	return PermissionAnswer{}
}

// feed gives a connection total bytes of updates, calling watch now and then, and returns how many arrived.
func feed(t testing.TB, lines [][]byte, total int, watch func()) int {
	in, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	requests, toAgent := io.Pipe()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	d := &deaf{}
	conn, err := Open(ctx, Config{Reader: in, Writer: toAgent, Handler: d})
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		defer out.Close()
		calls := json.NewDecoder(requests)
		for _, answer := range []string{`{"protocolVersion":1}`, `{"sessionId":"s"}`, `{"stopReason":"end_turn"}`} {
			var m struct{ ID int }
			if calls.Decode(&m) != nil {
				return
			}
			batch := bytes.Join(lines, nil)
			for sent := 0; m.ID == 3 && sent < total; sent += len(batch) {
				out.Write(batch)
				watch()
			}
			fmt.Fprintf(out, `{"jsonrpc":"2.0","id":%d,"result":%s}`+"\n", m.ID, answer)
		}
	}()
	if _, err := conn.Initialize(ctx); err != nil {
		t.Fatal(err)
	}
	if _, err := conn.NewSession(ctx, "/"); err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Prompt(ctx, "s", "x"); err != nil {
		t.Fatal(err)
	}
	<-conn.Done()
	return d.updates
}

// rss is the resident memory of this process in bytes.
func rss(t testing.TB) int64 {
	status, err := os.ReadFile("/proc/self/statm")
	testsupport.Need(t, err == nil, "/proc, so Linux", "docker run --rm -v \"$PWD:/src\" -w /src golang:1.26 go test ./acpclient -bench .")
	pages, err := strconv.ParseInt(strings.Fields(string(status))[1], 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return pages * int64(os.Getpagesize())
}

// withLongLine adds one output of 1 MiB to the traffic.
func withLongLine(lines [][]byte) [][]byte {
	text := strings.Repeat("a line of output, as long as they are\\n", 1<<20/39)
	return append(lines, []byte(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"c","content":[{"type":"content","content":{"type":"text","text":"`+text+`"}}],"rawOutput":{"content":"`+text+`"}}}}`+"\n"))
}

// TestMemoryStaysFlat is the small form of BenchmarkGigabyteSession: 64 MB of updates leave no more than 64 MiB above idle.
func TestMemoryStaysFlat(t *testing.T) {
	if grown := grows(t, 64_000_000); grown > 64<<20 {
		t.Errorf("the process grew by %d MiB", grown>>20)
	}
}

// BenchmarkGigabyteSession reports how much the process grows over a session of 1 GB, lines of 1 MiB among it:
// go test ./acpclient -run xxx -bench GigabyteSession -benchtime 1x
func BenchmarkGigabyteSession(b *testing.B) {
	b.SetBytes(1e9)
	var most int64
	for b.Loop() {
		most = max(most, grows(b, 1e9))
	}
	b.ReportMetric(float64(most)/(1<<20), "MiB-above-idle")
}

func grows(t testing.TB, total int) int64 {
	lines := withLongLine(recordedUpdates(t))
	runtime.GC()
	idle := rss(t)
	peak := idle
	if n := feed(t, lines, total, func() { peak = max(peak, rss(t)) }); n < 1000 {
		t.Fatalf("only %d updates arrived", n)
	}
	return peak - idle
}
