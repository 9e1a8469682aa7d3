package acpclient_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/d3mlabs/ai-flow/acpclient"
)

func text(v any, path ...string) string {
	for _, key := range path {
		m, _ := v.(map[string]any)
		v = m[key]
	}
	s, _ := v.(string)
	return s
}

// compare holds what the Handler got against the transcript.
func compare(t *testing.T, all []recorded, sessions map[string]bool, rec *recorder) {
	var wantText strings.Builder
	var wantCalls, gotCalls []string
	wantExit, gotExit := map[string][]int{}, map[string][]int{}
	wantDenied, gotDenied := map[string]bool{}, map[string]bool{}
	for _, m := range all {
		if m.Method != "session/update" || !sessions[m.Params.SessionID] {
			continue
		}
		u := m.Params.Update
		id := text(u, "toolCallId")
		switch u["sessionUpdate"] {
		case "agent_message_chunk":
			wantText.WriteString(text(u, "content", "text"))
		case "tool_call", "tool_call_update":
			wantCalls = append(wantCalls, strings.Join([]string{id, text(u, "title"), text(u, "kind"), text(u, "status")}, "|"))
			if code := recordedExit(u); code != nil {
				wantExit[id] = append(wantExit[id], *code)
			}
			if deniedIn(u) {
				wantDenied[id] = true
			}
		}
	}
	streams := map[string]string{}
	for _, u := range rec.updates {
		if u.Kind != acpclient.Call {
			continue
		}
		c := u.Call
		gotCalls = append(gotCalls, strings.Join([]string{c.ID, c.Title, c.Kind, c.Status}, "|"))
		if c.Exit != nil {
			gotExit[c.ID] = append(gotExit[c.ID], *c.Exit)
		}
		for _, o := range c.Outputs {
			key := c.ID + " " + o.Part
			if !o.Append {
				streams[key] = ""
			}
			streams[key] += o.Text
			if strings.Contains(strings.ToLower(streams[key]), "permission denied") {
				gotDenied[c.ID] = true
			}
		}
	}
	for _, q := range rec.asked {
		if q.Interactive {
			t.Errorf("a plain tool request is marked %q: %s", q.Marks, q.Raw)
		}
	}
	if got := rec.text(); got != wantText.String() {
		t.Errorf("text %q, recorded %q", got, wantText.String())
	}
	if !slices.Equal(gotCalls, wantCalls) {
		t.Errorf("calls\n%q, recorded\n%q", gotCalls, wantCalls)
	}
	if fmt.Sprint(gotExit) != fmt.Sprint(wantExit) {
		t.Errorf("exit codes %v, recorded %v", gotExit, wantExit)
	}
	if fmt.Sprint(gotDenied) != fmt.Sprint(wantDenied) {
		t.Errorf("denials visible in %v, recorded in %v", gotDenied, wantDenied)
	}
}

// recordedExit reads point 10's places from decoded JSON.
func recordedExit(u map[string]any) *int {
	at := func(path ...string) any {
		var v any = u
		for _, key := range path {
			m, _ := v.(map[string]any)
			v = m[key]
		}
		return v
	}
	number := func(v any) *int {
		if f, ok := v.(float64); ok {
			n := int(f)
			return &n
		}
		return nil
	}
	if n := number(at("rawOutput", "exit_code")); n != nil {
		return n
	}
	if contents, _ := at("rawOutput", "contents").([]any); len(contents) > 0 {
		m, _ := contents[len(contents)-1].(map[string]any)
		return number(m["exitCode"])
	}
	if n := number(at("_meta", "terminal_exit", "exit_code")); n != nil {
		return n
	}
	var n int
	if s, ok := at("rawOutput").(string); ok && u["status"] == "failed" {
		if _, err := fmt.Sscanf(s, "Exit code %d\n", &n); err == nil {
			return &n
		}
	}
	if s := text(u, "rawOutput", "content"); strings.Contains(s, "completed with exit code") {
		if _, err := fmt.Sscanf(s[strings.LastIndex(s, "completed with exit code"):], "completed with exit code %d>", &n); err == nil {
			return &n
		}
	}
	return nil
}

// deniedIn says whether the words stand in any string of an update's content, rawOutput or _meta (point 12).
func deniedIn(u map[string]any) bool {
	found := false
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case string:
			found = found || strings.Contains(strings.ToLower(v), "permission denied")
		case []any:
			for _, e := range v {
				walk(e)
			}
		case map[string]any:
			for _, e := range v {
				walk(e)
			}
		}
	}
	walk(u["content"])
	walk(u["rawOutput"])
	walk(u["_meta"])
	return found
}

// TestDenialsReachTheHandler names the transcripts in which a denial must be seen, so that the comparison above cannot
// agree on nothing.
func TestDenialsReachTheHandler(t *testing.T) {
	for _, name := range []string{
		"claude/A", "claude/B", "claude/B2", "claude/E2", "claude/K", "claude/L",
		"codex/A", "codex/B", "codex/B2", "codex/B2-fast", "codex/E2", "codex/M",
		"copilot-1.0.88/A", "copilot-1.0.88/B", "copilot-1.0.88/E2", "copilot-1.0.88/K", "copilot-1.0.88/L",
		"copilot-1.0.102/A", "copilot-1.0.102/B", "copilot-1.0.102/E2", "copilot-1.0.102/I2",
	} {
		denied := false
		for _, m := range load(t, name) {
			denied = denied || m.Method == "session/update" && deniedIn(m.Params.Update)
		}
		if !denied {
			t.Errorf("%s holds no denial", name)
		}
	}
}
