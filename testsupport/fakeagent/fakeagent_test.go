package fakeagent

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/d3mlabs/ai-flow/testsupport"
)

func TestMain(m *testing.M) {
	Main()
	os.Exit(m.Run())
}

// peer is a client that knows lines only.
type peer struct {
	t   *testing.T
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

func start(t *testing.T, s Script) *peer {
	t.Helper()
	cmd := exec.Command(os.Args[0], Args(s)...)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "CANARY=seen"}
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	return &peer{t, cmd, in, bufio.NewReader(out)}
}

func (p *peer) send(line string) {
	p.t.Helper()
	if _, err := io.WriteString(p.in, line+"\n"); err != nil {
		p.t.Fatal(err)
	}
}

// until reads lines up to the first that contains each of the words, and returns all.
func (p *peer) until(words ...string) string {
	p.t.Helper()
	var all strings.Builder
	for {
		line, err := p.out.ReadString('\n')
		all.WriteString(line)
		if err != nil {
			p.t.Fatalf("waiting for %q: %v after %.2000q", words, err, all.String())
		}
		found := true
		for _, w := range words {
			found = found && strings.Contains(line, w)
		}
		if found {
			return all.String()
		}
	}
}

func (p *peer) open() {
	p.t.Helper()
	p.send(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}`)
	p.until(`"id":1`, `"protocolVersion":1`)
	p.send(`{"jsonrpc":"2.0","id":2,"method":"session/new","params":{"cwd":"/","mcpServers":[]}}`)
	p.until(`"id":2`, `"sessionId"`)
}

const promptLine = `{"jsonrpc":"2.0","id":3,"method":"session/prompt","params":{"sessionId":"fake-session","prompt":[{"type":"text","text":"hi"}]}}`

func TestTurnWithPermission(t *testing.T) {
	testsupport.Tools(t, "ls")
	for _, answer := range []string{"allow_once", "reject_once"} {
		t.Run(answer, func(t *testing.T) {
			p := start(t, Script{Turns: []Turn{{
				{Say: "one"},
				{Call: &Call{Command: "echo out; ls /nonexistent", Run: true, Ask: true, EndOnNo: "end_turn"}},
				{Say: "two"},
			}}})
			p.open()
			p.send(promptLine)
			p.until(`"id":0`, `session/request_permission`, `"kind":"allow_once"`)
			p.send(`{"jsonrpc":"2.0","id":0,"result":{"outcome":{"outcome":"selected","optionId":"` + answer + `"}}}`)
			got := p.until(`"id":3`, `"stopReason":"end_turn"`)
			ran := strings.Contains(got, "No such file") && strings.Contains(got, "completed with exit code 2")
			if want := answer == "allow_once"; ran != want || strings.Contains(got, `"two"`) != want {
				t.Errorf("ran %v, want %v: %s", ran, want, got)
			}
		})
	}
}

func TestRudeness(t *testing.T) {
	zero, killed := 0, -9
	tests := []struct {
		name   string
		script Script
		want   []string // in the line that is waited for after the prompt
	}{
		{"noise and a JSON log first (H5-06)", Script{Initialize: Reply{Before: []Step{{Raw: "INFO migrating"}, {Raw: `{"level":"info","id":3}`}}}}, []string{`"id":3`, "end_turn"}},
		{"ids as strings (H5-13)", Script{IDs: Strings, Turns: []Turn{{{Request: "fs/write_text_file"}}}}, []string{`"id":"req-0"`, "fs/write_text_file"}},
		{"tail after the answer in one write (H5-08)", Script{Turns: []Turn{{{Burst: []Step{{Say: "hel"}, {End: "end_turn"}, {Say: "lo"}}}}}}, []string{`"text":"lo"`}},
		{"late work (H5-02)", Script{Turns: []Turn{{{End: "end_turn"}, {Sleep: 10 * time.Millisecond}, {Call: &Call{Kind: "edit", Paths: []string{"late.txt"}}}}}}, []string{`"kind":"edit"`, "late.txt"}},
		{"mode switched by itself (A1-8)", Script{Modes: []string{"ask", "yolo"}, Turns: []Turn{{{Mode: "yolo"}}}}, []string{"current_mode_update", "yolo"}},
		{"flood", Script{Turns: []Turn{{{Flood: 100_000}}}}, []string{`"id":3`, "end_turn"}},
		{"exit 0 in mid-edit (H5-15)", Script{Turns: []Turn{{{Call: &Call{Kind: "edit", Open: true}}, {Die: &zero}}}}, []string{"tool_call_update"}},
		{"killed", Script{Turns: []Turn{{{Say: "x"}, {Die: &killed}}}}, []string{`"text":"x"`}},
		{"error answer", Script{Turns: []Turn{{{EndError: &Error{Code: -32000, Message: "Authentication required"}}}}}, []string{`"id":3`, "-32000"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := start(t, tt.script)
			p.open()
			p.send(promptLine)
			if tt.name == "exit 0 in mid-edit (H5-15)" {
				rest, err := io.ReadAll(p.out)
				if err != nil || strings.Contains(string(rest), `"id":3`) {
					t.Errorf("answered before it died: %q %v", rest, err)
				}
				return
			}
			p.until(tt.want...)
		})
	}
}

func TestFloodCountsRight(t *testing.T) {
	p := start(t, Script{Turns: []Turn{{{Flood: 1000}}}})
	p.open()
	p.send(promptLine)
	if got := strings.Count(p.until(`"id":3`), "agent_message_chunk"); got != 1000 {
		t.Errorf("%d updates, want 1000", got)
	}
}

func TestCancel(t *testing.T) {
	for reason, want := range map[string]string{"": `"cancelled"`, "end_turn": `"end_turn"`} { // H5-03
		p := start(t, Script{OnCancel: reason, Turns: []Turn{{{Say: "x"}, {Sleep: time.Minute}}}})
		p.open()
		p.send(promptLine)
		p.until(`"text":"x"`)
		p.send(`{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"fake-session"}}`)
		p.until(`"id":3`, want)
	}
}

func TestSelfTellsTheEnvironment(t *testing.T) {
	p := start(t, Script{Turns: []Turn{{{Self: true}}}})
	p.open()
	p.send(promptLine)
	var m struct {
		Params struct {
			Update struct{ Content struct{ Text string } }
		}
	}
	if err := json.Unmarshal([]byte(p.until("agent_message_chunk")), &m); err != nil {
		t.Fatal(err)
	}
	var self Self
	if err := json.Unmarshal([]byte(m.Params.Update.Content.Text), &self); err != nil {
		t.Fatal(err)
	}
	if self.UID != os.Getuid() || !strings.Contains(strings.Join(self.Env, " "), "CANARY=seen") || self.Session != "/" {
		t.Errorf("self = %+v", self)
	}
}

// The grandchild must really be as hard to end as the tests of S3 think.
func TestEscapeOutlivesTheAgentAndTERM(t *testing.T) {
	late := filepath.Join(t.TempDir(), "late.txt")
	p := start(t, Script{Exit: 7, Turns: []Turn{{{Escape: &Escape{Life: time.Second, Touch: late}}}}})
	p.open()
	p.send(promptLine)
	p.until(`"id":3`)
	p.in.Close()
	state, err := p.cmd.Process.Wait()
	if err != nil || state.ExitCode() != 7 {
		t.Fatalf("exit %v, %v; want 7", state, err)
	}
	_ = syscall.Kill(-p.cmd.Process.Pid, syscall.SIGTERM) // its old group; there may be none any more
	begun := time.Now()
	if _, err := io.ReadAll(p.out); err != nil && !errors.Is(err, os.ErrClosed) { // it holds the pipe
		t.Fatal(err)
	}
	if _, err := os.Stat(late); err != nil || time.Since(begun) < 300*time.Millisecond {
		t.Errorf("pipe closed after %v, late file: %v", time.Since(begun), err)
	}
}

func TestLifetimeEndsWhatNobodyEnds(t *testing.T) {
	p := start(t, Script{Lifetime: 500 * time.Millisecond, IgnoreEOF: true, IgnoreTERM: true, Start: []Step{{Say: "ready"}}})
	p.until("ready") // it ignores TERM from now on
	p.in.Close()
	_ = p.cmd.Process.Signal(syscall.SIGTERM)
	if err := p.cmd.Wait(); err == nil || p.cmd.ProcessState.ExitCode() != 99 {
		t.Errorf("exit %v, want 99", p.cmd.ProcessState)
	}
}

func TestEveryShapeCarriesTheText(t *testing.T) {
	const text = "cat: /etc/shadow: Permission denied"
	for _, shape := range Shapes() {
		var joined strings.Builder
		for _, u := range (Call{ID: "c", Text: text, Shape: shape}).output() {
			if meta, ok := u["_meta"].(map[string]any); ok && meta["terminal_output_delta"] != nil {
				joined.WriteString(meta["terminal_output_delta"].(map[string]any)["data"].(string))
				continue
			}
			joined.Write(line(u))
		}
		if got := strings.Contains(joined.String(), text); got == (shape == Nowhere) {
			t.Errorf("shape %q: text there = %v", shape, got)
		}
	}
}

// Answers come below the lines of the run, and not below those that foreign text holds.
func TestAnswers(t *testing.T) {
	p := start(t, Script{Turns: []Turn{{{Answers: []string{"one", "two", "three"}}}}})
	p.open()
	text := `<<<AI-FLOW:THREAD 1 guess>>>\nsaid\n<<<AI-FLOW:THREAD 1 N0NCE>>>\n<<<AI-FLOW:SEGMENT 1 N0NCE>>>\n`
	p.send(strings.Replace(promptLine, `"hi"`, `"`+text+`"`, 1))
	got := p.until(`"id":3`)
	for _, want := range []string{`"\u003c\u003c\u003cAI-FLOW:THREAD 1 N0NCE\u003e\u003e\u003e\none\n\n"`, `SEGMENT 1 N0NCE\u003e\u003e\u003e\ntwo\n\n"`, `"three\n\n"`} {
		if !strings.Contains(got, want) {
			t.Errorf("%s is not in %s", want, got)
		}
	}
}
