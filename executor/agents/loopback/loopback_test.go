package loopback

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"
)

func started(t *testing.T, turns ...Turn) *Server {
	t.Helper()
	s, err := Start(t.Context(), Script{Turns: turns})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func post(t *testing.T, url, body string) (int, string) {
	t.Helper()
	resp, err := http.Post(url, "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(raw)
}

// offer is a tool as a request offers it.
func offer(name string, required []string, props ...string) string {
	p := map[string]any{}
	for _, n := range props {
		p[n] = map[string]any{"type": "string"}
	}
	raw, _ := json.Marshal(map[string]any{"type": "function", "function": map[string]any{"name": name,
		"parameters": map[string]any{"type": "object", "properties": p, "required": required}}})
	return string(raw)
}

const user = `{"role":"user","content":"please GO now"}`

func request(tools string, stream bool, messages ...string) string {
	return fmt.Sprintf(`{"model":"m","stream":%v,"stream_options":{"include_usage":true},"messages":[%s],"tools":[%s]}`, stream, strings.Join(messages, ","), tools)
}

// Each agent names its shell and its parameters differently; the same script drives all of them.
func TestDeedsFindTheAgentsTool(t *testing.T) {
	shell := Turn{Prompt: "GO", Rounds: []Round{{Say: "I do.", Calls: []Call{{Deed: Shell, Command: "touch x"}}}}}
	write := Turn{Prompt: "GO", Rounds: []Round{{Calls: []Call{{Deed: Write, Path: "/p", Text: "/p"}}}}} // path and text alike
	edit := Turn{Prompt: "GO", Rounds: []Round{{Calls: []Call{{Deed: Edit, Path: "/p", Old: "a", Text: "b"}}}}}
	tests := []struct {
		name, tools string
		turn        Turn
		want        string // the call's name and arguments
	}{
		{"copilot", offer("view", nil, "path") + "," + offer("bash", []string{"command", "description"}, "command", "description", "mode"), shell,
			`bash {"command":"touch x","description":"loopback step"}`},
		{"codex", offer("exec_command", []string{"cmd"}, "cmd", "workdir"), shell, `exec_command {"cmd":"touch x"}`},
		{"claude", offer("Bash", []string{"command"}, "command", "description"), shell, `Bash {"command":"touch x"}`},
		{"copilot create", offer("create", []string{"path", "file_text"}, "path", "file_text"), write, `create {"file_text":"/p","path":"/p"}`},
		{"claude edit", offer("Edit", nil, "file_path", "old_string", "new_string"), edit, `Edit {"file_path":"/p","new_string":"b","old_string":"a"}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := started(t, tt.turn)
			status, body := post(t, s.URL()+"/chat/completions", request(tt.tools, false, user))
			var got struct {
				Choices []struct {
					Message struct {
						ToolCalls []struct {
							Function struct{ Name, Arguments string }
						} `json:"tool_calls"`
					}
				}
			}
			if err := json.Unmarshal([]byte(body), &got); err != nil || status != 200 || len(got.Choices) != 1 || len(got.Choices[0].Message.ToolCalls) != 1 {
				t.Fatalf("%d %s %v", status, body, err)
			}
			f := got.Choices[0].Message.ToolCalls[0].Function
			if call := f.Name + " " + f.Arguments; call != tt.want {
				t.Errorf("call %s, want %s", call, tt.want)
			}
		})
	}
}

// A deed without a tool must not pass by doing nothing, and is no HTTP error, which agents retry.
func TestMissingToolIsSaid(t *testing.T) {
	s := started(t, Turn{Prompt: "GO", Rounds: []Round{{Say: "I do.", Calls: []Call{{Deed: Read, Path: "/p"}, {Deed: Shell, Command: "x"}}}}})
	view := offer("view", nil, "path")
	status, body := post(t, s.URL()+"/chat/completions", request(view, false, user))
	if want := `"content":"The loopback model is offered no tool for the deed \"shell\"."`; status != 200 || !strings.Contains(body, want) ||
		strings.Contains(body, "tool_calls") || strings.Contains(body, "I do.") || !strings.Contains(body, `"finish_reason":"stop"`) {
		t.Errorf("%d %s, want %s and no call", status, body, want)
	}
	post(t, s.URL()+"/chat/completions", request(view+","+offer("bash", nil, "command"), false, user))
	if got := s.Requests(); len(got) != 2 || got[0].Missing != Shell || got[0].Turn != 0 || got[1].Missing != Named {
		t.Errorf("requests %+v", got)
	}
}

func TestRoundsFollowTheConversationNotTheCount(t *testing.T) {
	s := started(t, Turn{Prompt: "GO", Rounds: []Round{{Say: "one"}, {Say: "two"}}}, Turn{Prompt: "AGAIN", Rounds: []Round{{Say: "other"}}})
	bash := offer("bash", nil, "command")
	said := `{"role":"assistant","content":"one"}`
	tests := []struct {
		name, body, want string
	}{
		{"first", request(bash, false, user), "one"},
		{"repeated", request(bash, false, user), "one"},
		{"second", request(bash, false, user, said, `{"role":"tool","content":"ok"}`), "two"},
		{"beyond the script", request(bash, false, user, said, said), fixedSentence},
		{"the next prompt", request(bash, false, user, said, said, `{"role":"user","content":[{"type":"text","text":"and AGAIN"}]}`), "other"},
		{"a side request without tools", request("", false, user), "Loopback"},
		{"a prompt the script does not know", request(bash, false, `{"role":"user","content":"?"}`), fixedSentence},
	}
	for _, tt := range tests {
		if status, body := post(t, s.URL()+"/chat/completions", tt.body); status != 200 || !strings.Contains(body, `"content":"`+tt.want+`"`) {
			t.Errorf("%s: %d %s", tt.name, status, body)
		}
	}
	if got := s.Requests(); len(got) != len(tests) || got[2].Turn != 0 || got[2].Round != 1 || got[5].Turn != -1 || got[0].Tools[0] != "bash" || got[0].Prompt != "please GO now" {
		t.Errorf("requests %+v", got)
	}
}

func TestStreamedPiecesJoinToTheAnswer(t *testing.T) {
	const text = "A line that is longer than one piece — with words cut.\n\nWANTED: x — y"
	s := started(t, Turn{Rounds: []Round{{Say: text, Calls: []Call{{Deed: Named, Tool: "bash", Args: map[string]any{"command": "x"}}}}}})
	_, body := post(t, s.URL()+"/chat/completions", request(offer("bash", nil, "command"), true, user))
	var joined, calls, finish string
	pieces, usageSeen, done := 0, false, false
	for lines := bufio.NewScanner(strings.NewReader(body)); lines.Scan(); {
		data, ok := strings.CutPrefix(lines.Text(), "data: ")
		if !ok {
			continue
		}
		if done = data == "[DONE]"; done {
			continue
		}
		var c struct {
			Usage *struct {
				Total int64 `json:"total_tokens"`
			}
			Choices []struct {
				Delta struct {
					Content   string
					ToolCalls []struct{ Function struct{ Arguments string } } `json:"tool_calls"`
				}
				Finish string `json:"finish_reason"`
			}
		}
		if err := json.Unmarshal([]byte(data), &c); err != nil {
			t.Fatal(err)
		}
		usageSeen = usageSeen || c.Usage != nil && c.Usage.Total == 18
		for _, ch := range c.Choices {
			joined += ch.Delta.Content
			pieces++
			for _, call := range ch.Delta.ToolCalls {
				calls += call.Function.Arguments
			}
			finish += ch.Finish
		}
	}
	if joined != text || pieces < 4 || calls != `{"command":"x"}` || finish != "tool_calls" || !usageSeen || !done {
		t.Errorf("joined %q in %d pieces, calls %q, finish %q, usage %v, done %v", joined, pieces, calls, finish, usageSeen, done)
	}
}

func TestBounds(t *testing.T) {
	s := started(t, Turn{Rounds: []Round{{Status: 503}}})
	if status, _ := post(t, s.URL()+"/chat/completions", request(offer("bash", nil), false, user)); status != 503 {
		t.Errorf("scripted status %d", status)
	}
	if status, _ := post(t, s.URL()+"/chat/completions", "{"); status != 400 {
		t.Errorf("malformed: %d", status)
	}
	if status, _ := post(t, s.URL()+"/chat/completions", string(bytes.Repeat([]byte(" "), maxBody+1))); status != 413 {
		t.Errorf("too large: %d", status)
	}
}

// A2-46: calls are bounded, by the starter or else by ourselves, and what is beyond is answered at once and not kept.
func TestRequestsAreBounded(t *testing.T) {
	for _, tt := range []struct{ asked, want int }{{3, 3}, {1, 1}, {0, maxRequests}, {-1, maxRequests}, {maxRequests + 1, maxRequests}} {
		s, err := Start(t.Context(), Script{Requests: tt.asked})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		for i := range tt.want {
			if status, body := post(t, s.URL()+"/chat/completions", request("", false, user)); status != 200 {
				t.Fatalf("%d of %d: %d %s", i+1, tt.want, status, body)
			}
		}
		for _, body := range []string{request("", false, user), "{"} { // not even read
			if status, _ := post(t, s.URL()+"/chat/completions", body); status != 429 {
				t.Errorf("asked for %d: one beyond %d is answered %d", tt.asked, tt.want, status)
			}
		}
		if n := len(s.Requests()); n != tt.want {
			t.Errorf("%d requests kept, want %d", n, tt.want)
		}
	}
}

// Whatever is foreign in a request counts: a prompt is as large as its body. Who asked for what is known of each.
func TestKeptRequestsAreBounded(t *testing.T) {
	s := &Server{}
	big := Request{Prompt: strings.Repeat("p", maxKept/4), Body: make([]byte, maxKept/4), Tools: []string{"t"}, Path: "p", Key: "k", Model: "m", Turn: 1, Missing: Read}
	for range 3 {
		s.record(big)
	}
	if n := s.record(Request{Prompt: "small"}); n != 4 {
		t.Errorf("number %d", n)
	}
	got := s.Requests()
	if got[0].Body == nil || got[0].Prompt == "" || got[3].Prompt != "small" {
		t.Error("what has room was left out")
	}
	for _, r := range got[1:3] {
		if r.size() != 0 || r.Turn != 1 || r.Missing != Read || r.Path+r.Key+r.Model != "pkm" {
			t.Errorf("kept beyond the bound: %d bytes, turn %d, missing %v", r.size(), r.Turn, r.Missing)
		}
	}
}

// Many large requests are read one after another.
func TestRequestsReadAtOnceAreBounded(t *testing.T) {
	s := started(t)
	var open []net.Conn
	for range maxAtOnce + 1 { // each promises a body and sends none
		c, err := net.Dial("tcp", s.Addr.String())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		fmt.Fprintf(c, "POST %s/v1/responses HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n", s.secret)
		open = append(open, c)
	}
	for deadline := time.Now().Add(5 * time.Second); len(s.turns) < maxAtOnce; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%d are read", len(s.turns))
		}
	}
	for _, c := range open {
		c.Close()
	}
	if status, _ := post(t, s.URL()+"/chat/completions", request("", false, user)); status != 200 {
		t.Errorf("after they went away: %d", status)
	}
}

func TestServesOnLoopbackOnlyAndEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	s, err := Start(ctx, Script{})
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(s.Addr.String(), "127.0.0.1:") {
		t.Errorf("listens on %v", s.Addr)
	}
	resp, err := http.Get(s.URL() + "/models")
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(resp.Body)
	resp.Body.Close()
	if err != nil || !strings.Contains(string(body), `"id":"loopback-model"`) {
		t.Errorf("models: %s %v", body, err)
	}
	cancel()
	select {
	case <-s.done:
	case <-time.After(5 * time.Second):
		t.Fatal("serves on after its context ended")
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

// TestRecall: what a turn recalls of the prompt stands in its words and its calls, and what it does not find stays as it is.
func TestRecall(t *testing.T) {
	script := Script{Turns: []Turn{{Recall: regexp.MustCompile(`<\w+>`), Rounds: []Round{{Say: "$2 and $1, not $3",
		Calls: []Call{{Deed: Shell, Command: "echo $1"}}}}}}}
	got, _, _ := script.round(query{prompt: "take <one> and <two>", tools: []tool{{}}})
	if got.Say != "<two> and <one>, not $3" || got.Calls[0].Command != "echo <one>" {
		t.Errorf("%+v", got)
	}
	if script.Turns[0].Rounds[0].Calls[0].Command != "echo $1" {
		t.Error("the script itself was changed")
	}
}
