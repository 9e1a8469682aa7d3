package loopback

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// Requests as the agents write them: tools, the conversation so far.
const (
	claudeTools = `"tools":[{"name":"Bash","input_schema":{"type":"object","properties":{"command":{"type":"string"},"timeout":true},"required":["command"]}},
		{"name":"Edit","input_schema":{"properties":{"file_path":{},"old_string":{},"new_string":{}}}}]`
	codexTools = `"tools":[{"type":"function","name":"exec_command","parameters":{"properties":{"cmd":{"type":"string"}},"required":["cmd"]}},
		{"type":"custom","name":"apply_patch","format":{"type":"grammar"}},{"type":"web_search"}]`
	geminiTools = `"tools":[{"functionDeclarations":[{"name":"run_shell_command","parametersJsonSchema":{"properties":{"command":{"type":"string"}}}},
		{"name":"replace","parameters":{"type":"OBJECT","properties":{"file_path":{"type":"STRING"},"instruction":{},"old_string":{},"new_string":{}},"required":["instruction"]}}]}]`

	claudeURL = "/v1/messages?beta=true"
	codexURL  = "/v1/responses"
	geminiURL = "/v1beta/models/gemini-x:generateContent"
	streamURL = "/v1beta/models/gemini-x:streamGenerateContent?alt=sse"
)

func claudeBody(stream bool, messages ...string) string {
	return fmt.Sprintf(`{"model":"m","stream":%v,"messages":[%s],%s}`, stream, strings.Join(messages, ","), claudeTools)
}

func codexBody(stream bool, items ...string) string {
	return fmt.Sprintf(`{"model":"m","stream":%v,"input":[%s],%s}`, stream, strings.Join(items, ","), codexTools)
}

func geminiBody(contents ...string) string {
	return fmt.Sprintf(`{"contents":[%s],%s}`, strings.Join(contents, ","), geminiTools)
}

const (
	claudeUser = `{"role":"user","content":[{"type":"text","text":"<system-reminder>AGAIN</system-reminder>"},{"type":"text","text":"please GO now"}]}`
	codexUser  = `{"type":"message","role":"user","content":[{"type":"input_text","text":"please GO now"}]}`
	geminiUser = `{"role":"user","parts":[{"text":"please GO now"}]}`
)

// shape is an answer, or the data of an event, so that its parts can be named.
func shape(t *testing.T, body string) map[string]any {
	t.Helper()
	var m map[string]any
	if err := json.Unmarshal([]byte(body), &m); err != nil {
		t.Fatalf("%v in %s", err, body)
	}
	return m
}

func at(v any, path ...any) any {
	for _, p := range path {
		switch p := p.(type) {
		case string:
			m, _ := v.(map[string]any)
			v = m[p]
		case int:
			l, _ := v.([]any)
			if p >= len(l) {
				return nil
			}
			v = l[p]
		}
	}
	return v
}

// One script drives each dialect: a shell command and an edit in one answer, in each agent's own names.
func TestEachDialectCallsTheAgentsTools(t *testing.T) {
	turn := Turn{Prompt: "GO", Rounds: []Round{{Say: "I do.", Calls: []Call{
		{Deed: Shell, Command: "touch x"}, {Deed: Edit, Path: "/p", Old: "a\nb", Text: "c\n"}}}}}
	tests := []struct {
		name, url, body string
		list            []any // the way to the parts of the answer
		want            [3]string
		finish          []any
		finished        string
	}{
		{"messages", claudeURL, claudeBody(false, claudeUser), []any{"content"}, [3]string{
			`{"text":"I do.","type":"text"}`,
			`{"id":"call_1_0","input":{"command":"touch x"},"name":"Bash","type":"tool_use"}`,
			`{"id":"call_1_1","input":{"file_path":"/p","new_string":"c\n","old_string":"a\nb"},"name":"Edit","type":"tool_use"}`},
			[]any{"stop_reason"}, "tool_use"},
		{"responses", codexURL, codexBody(false, codexUser), []any{"output"}, [3]string{
			`{"content":[{"annotations":[],"text":"I do.","type":"output_text"}],"id":"msg_loopback_1","role":"assistant","status":"completed","type":"message"}`,
			`{"arguments":"{\"cmd\":\"touch x\"}","call_id":"call_1_0","id":"item_call_1_0","name":"exec_command","status":"completed","type":"function_call"}`,
			`{"call_id":"call_1_1","id":"item_call_1_1","input":"*** Begin Patch\n*** Update File: /p\n@@\n-a\n-b\n+c\n*** End Patch\n","name":"apply_patch","status":"completed","type":"custom_tool_call"}`},
			[]any{"status"}, "completed"},
		{"gemini", geminiURL, geminiBody(geminiUser), []any{"candidates", 0, "content", "parts"}, [3]string{
			`{"text":"I do."}`,
			`{"functionCall":{"args":{"command":"touch x"},"id":"call_1_0","name":"run_shell_command"}}`,
			`{"functionCall":{"args":{"file_path":"/p","instruction":"loopback step","new_string":"c\n","old_string":"a\nb"},"id":"call_1_1","name":"replace"}}`},
			[]any{"candidates", 0, "finishReason"}, "STOP"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := started(t, turn)
			status, body := post(t, s.Root()+tt.url, tt.body)
			answer := shape(t, body)
			if got := at(answer, tt.finish...); status != 200 || got != tt.finished {
				t.Errorf("status %d, finish %v, want %s", status, got, tt.finished)
			}
			for i, want := range tt.want {
				if got := string(encoded(at(answer, append(tt.list, i)...))); got != want {
					t.Errorf("part %d is\n%s, want\n%s", i, got, want)
				}
			}
			if got := s.Requests()[0]; got.Turn != 0 || got.Round != 0 || got.Prompt != "please GO now" || len(got.Tools) < 2 {
				t.Errorf("request %+v", got)
			}
		})
	}
}

// The older tools of Codex take a list of words, and one of them has a kind of its own.
func TestShellsThatTakeWords(t *testing.T) {
	s := started(t, Turn{Rounds: []Round{{Calls: []Call{{Deed: Shell, Command: "touch x"}}}}})
	for tools, want := range map[string]string{
		`{"type":"function","name":"shell","parameters":{"properties":{"command":{"type":"array"}}}}`: `"arguments":"{\"command\":[\"bash\",\"-c\",\"touch x\"]}"`,
		`{"type":"local_shell"}`: `"action":{"command":["bash","-c","touch x"],"env":{},"type":"exec"}`,
	} {
		if status, body := post(t, s.URL()+"/responses", `{"input":"x","tools":[`+tools+`]}`); status != 200 || !strings.Contains(body, want) {
			t.Errorf("%d %s, want %s", status, body, want)
		}
	}
}

func TestRoundsOfEachDialectFollowTheConversation(t *testing.T) {
	const (
		called   = `{"role":"assistant","content":[{"type":"text","text":"one"},{"type":"tool_use","id":"call_1_0","name":"Bash","input":{}}]}`
		result   = `{"role":"user","content":[{"type":"tool_result","tool_use_id":"call_1_0","content":"AGAIN"},{"type":"text","text":"<system-reminder>AGAIN</system-reminder>"}]}`
		again    = `{"role":"user","content":"AGAIN"}`
		cutShort = `{"role":"user","content":[{"type":"tool_result","tool_use_id":"call_1_0","content":"cut"},{"type":"text","text":"AGAIN"}]}`

		said    = `{"type":"message","role":"assistant","content":[{"type":"output_text","text":"one"}]}`
		call0   = `{"type":"function_call","call_id":"call_1_0","name":"exec_command","arguments":"{}"}`
		out0    = `{"type":"function_call_output","call_id":"call_1_0","output":"AGAIN"}`
		call1   = `{"type":"custom_tool_call","call_id":"call_1_1","name":"apply_patch","input":""}`
		out1    = `{"type":"custom_tool_call_output","call_id":"call_1_1","output":"ok"}`
		later   = `{"type":"function_call","call_id":"call_7_0","name":"exec_command","arguments":"{}"}`
		foreign = `{"type":"local_shell_call","call_id":"x"}`
		codexBy = `{"role":"user","content":"AGAIN"}`

		model    = `{"role":"model","parts":[{"text":"one"},{"functionCall":{"name":"x"}}]}`
		response = `{"role":"user","parts":[{"functionResponse":{"name":"x","response":{}}},{"text":"AGAIN"}]}`
		onceMore = `{"role":"user","parts":[{"text":"AGAIN"}]}`
	)
	tests := []struct{ name, url, body, want string }{
		{"messages first", claudeURL, claudeBody(false, claudeUser), "one"},
		{"messages, a result is no prompt", claudeURL, claudeBody(false, claudeUser, called, result), "two"},
		{"messages, an answer in two", claudeURL, claudeBody(false, claudeUser, called, called, result), "two"},
		{"messages beyond", claudeURL, claudeBody(false, claudeUser, called, result, called, result), fixedSentence},
		{"messages next", claudeURL, claudeBody(false, claudeUser, called, result, again), "other"},
		{"messages next after a cut call", claudeURL, claudeBody(false, claudeUser, called, cutShort), "other"},
		{"messages aside", claudeURL, `{"messages":[` + claudeUser + `]}`, "Loopback"},

		{"responses first", codexURL, codexBody(false, codexUser), "one"},
		{"responses, words and calls are one answer", codexURL, codexBody(false, codexUser, said, call0, call1, out0, out1), "two"},
		{"responses, results between calls", codexURL, codexBody(false, codexUser, call0, out0, call1, out1), "two"},
		{"responses, foreign ids", codexURL, codexBody(false, codexUser, foreign, out0), "two"},
		{"responses beyond", codexURL, codexBody(false, codexUser, call0, out0, later, out0), fixedSentence},
		{"responses beyond, no results", codexURL, codexBody(false, codexUser, call0, later), fixedSentence},
		{"responses next", codexURL, codexBody(false, codexUser, call0, out0, codexBy), "other"},
		{"responses aside", codexURL, `{"input":"please GO now"}`, "Loopback"},

		{"gemini first", geminiURL, geminiBody(geminiUser), "one"},
		{"gemini, a response is no prompt", geminiURL, geminiBody(geminiUser, model, response), "two"},
		{"gemini beyond", geminiURL, geminiBody(geminiUser, model, response, model, response), fixedSentence},
		{"gemini next", geminiURL, geminiBody(geminiUser, model, response, onceMore), "other"},
		{"gemini aside", geminiURL, `{"contents":[` + geminiUser + `]}`, "Loopback"},
	}
	s := started(t, Turn{Prompt: "GO", Rounds: []Round{{Say: "one"}, {Say: "two"}}}, Turn{Prompt: "AGAIN", Rounds: []Round{{Say: "other"}}})
	for _, tt := range tests {
		if status, body := post(t, s.Root()+tt.url, tt.body); status != 200 || !strings.Contains(body, `"text":"`+tt.want+`"`) {
			t.Errorf("%s: %d %s", tt.name, status, body)
		}
	}
}

// A response may be gone on from by its id, without what was said before; the request names it, so nothing is counted.
func TestPreviousResponse(t *testing.T) {
	s := started(t, Turn{Prompt: "GO", Rounds: []Round{{Say: "one"}, {Say: "two"}, {Say: "three"}}})
	next := func(id string) (int, string) {
		return post(t, s.URL()+"/responses", `{"previous_response_id":"`+id+`","input":[{"type":"function_call_output","call_id":"c","output":""}],`+codexTools+`}`)
	}
	post(t, s.URL()+"/responses", codexBody(false, codexUser))
	for _, tt := range []struct{ id, want string }{{"resp_loopback_1", "two"}, {"resp_loopback_1", "two"}, {"resp_loopback_2", "three"}} {
		if status, body := next(tt.id); status != 200 || !strings.Contains(body, `"text":"`+tt.want+`"`) {
			t.Errorf("after %s: %d %s", tt.id, status, body)
		}
	}
	for _, id := range []string{"resp_loopback_99", "resp_loopback_0", "resp_loopback_-1", "resp_loopback_1e9", "x"} {
		if status, body := next(id); status != 404 {
			t.Errorf("after %s: %d %s", id, status, body)
		}
	}
}

type event struct {
	name string
	data map[string]any
}

func events(t *testing.T, body string) (out []event) {
	t.Helper()
	name := ""
	for lines := bufio.NewScanner(strings.NewReader(body)); lines.Scan(); {
		if n, ok := strings.CutPrefix(lines.Text(), "event: "); ok {
			name = n
		}
		if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
			out = append(out, event{name, shape(t, data)})
		}
	}
	return out
}

// Clients join pieces, and some take the whole at the end: both must say the same.
func TestStreamsOfEachDialectJoinToTheAnswer(t *testing.T) {
	const text = "A line that is longer than one piece — with words cut.\n\nWANTED: x — y"
	turn := Turn{Rounds: []Round{{Say: text, Calls: []Call{{Deed: Shell, Command: "echo a command longer than one piece"}, {Deed: Edit, Path: "/p", Old: "a", Text: "b"}}}}}
	tests := []struct {
		name, url, body string
		names           string // of the events, without repetition
		join            func(e event) (text, args string)
		args            string
		last            string // what stands in the last event
	}{
		{"messages", claudeURL, claudeBody(true, claudeUser),
			"message_start ping content_block_start content_block_delta content_block_stop content_block_start content_block_delta content_block_stop content_block_start content_block_delta content_block_stop message_delta message_stop",
			func(e event) (string, string) {
				text, _ := at(e.data, "delta", "text").(string)
				args, _ := at(e.data, "delta", "partial_json").(string)
				return text, args
			},
			`{"command":"echo a command longer than one piece"}{"file_path":"/p","new_string":"b","old_string":"a"}`, `"message_stop"`},
		{"responses", codexURL, codexBody(true, codexUser),
			"response.created response.output_item.added response.content_part.added response.output_text.delta response.output_text.done response.content_part.done response.output_item.done " +
				"response.output_item.added response.function_call_arguments.delta response.function_call_arguments.done response.output_item.done " +
				"response.output_item.added response.custom_tool_call_input.delta response.custom_tool_call_input.done response.output_item.done response.completed",
			func(e event) (string, string) {
				delta, _ := e.data["delta"].(string)
				if e.name == "response.output_text.delta" {
					return delta, ""
				}
				return "", delta
			},
			`{"cmd":"echo a command longer than one piece"}` + "*** Begin Patch\n*** Update File: /p\n@@\n-a\n+b\n*** End Patch\n", `"total_tokens":18`},
		{"gemini", streamURL, geminiBody(geminiUser), "",
			func(e event) (text, args string) {
				parts, _ := at(e.data, "candidates", 0, "content", "parts").([]any)
				for _, p := range parts {
					if s, ok := at(p, "text").(string); ok {
						text += s
					}
					if a := at(p, "functionCall", "args"); a != nil {
						args += string(encoded(a))
					}
				}
				return text, args
			},
			`{"command":"echo a command longer than one piece"}{"file_path":"/p","instruction":"loopback step","new_string":"b","old_string":"a"}`, `"totalTokenCount":18`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := started(t, turn)
			_, body := post(t, s.Root()+tt.url, tt.body)
			got := events(t, body)
			var names []string
			var joined, args string
			for i, e := range got {
				if len(names) == 0 || names[len(names)-1] != e.name {
					names = append(names, e.name)
				}
				if e.name != "" && e.data["type"] != e.name {
					t.Errorf("event %q of type %v", e.name, e.data["type"])
				}
				if n, ok := e.data["sequence_number"]; ok && n != float64(i) {
					t.Errorf("event %d has the number %v", i, n)
				}
				words, a := tt.join(e)
				joined, args = joined+words, args+a
			}
			if n := strings.Join(names, " "); n != tt.names {
				t.Errorf("events\n%s, want\n%s", n, tt.names)
			}
			if joined != text || args != tt.args {
				t.Errorf("text %q, arguments %q", joined, args)
			}
			if last := string(encoded(got[len(got)-1].data)); !strings.Contains(last, tt.last) {
				t.Errorf("the last event is %s", last)
			}
			if tt.name == "responses" {
				whole := at(got[len(got)-1].data, "response", "output")
				for i := range 3 {
					if done := got[nth(got, "response.output_item.done", i)].data["item"]; string(encoded(done)) != string(encoded(at(whole, i))) {
						t.Errorf("item %d done differs from the whole", i)
					}
				}
			}
		})
	}
}

// nth is the index of the n-th event of the name, from 0.
func nth(events []event, name string, n int) int {
	for i, e := range events {
		if e.name != name {
			continue
		}
		if n--; n < 0 {
			return i
		}
	}
	return 0
}

func TestCountsAndKeysAndRefusals(t *testing.T) {
	s := started(t, Turn{Rounds: []Round{{Calls: []Call{{Deed: Write, Path: "/p"}}}}})
	send := func(url, header, body string) (int, string) {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.Root()+url, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set(header, "Bearer secret")
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		var b strings.Builder
		if _, err := bufio.NewReader(resp.Body).WriteTo(&b); err != nil {
			t.Fatal(err)
		}
		return resp.StatusCode, b.String()
	}
	tests := []struct {
		url, header, body string
		status            int
		want              string
	}{
		{"/v1/messages/count_tokens", "X-Api-Key", claudeBody(true, claudeUser), 200, `{"input_tokens":11}`},
		{"/v1beta/models/g:countTokens", "X-Goog-Api-Key", `{"contents":[` + geminiUser + `]}`, 200, `"totalTokens":11`},
		{claudeURL, "Authorization", claudeBody(false, claudeUser), 200, `no tool for the deed \"write\"`},
		{codexURL, "Authorization", codexBody(false, codexUser), 200, `*** Add File: /p`},
		{geminiURL, "X-Goog-Api-Key", geminiBody(geminiUser), 200, `no tool for the deed \"write\"`},
		{claudeURL, "X-Api-Key", "{", 400, "messages request"},
		{codexURL, "X-Api-Key", "{", 400, "responses request"},
		{codexURL, "X-Api-Key", `{"input":5}`, 400, "input"},
		{geminiURL, "X-Api-Key", "{", 400, "generateContent"},
		{"/v1beta/models/g:embedContent", "X-Api-Key", "{}", 400, "embedContent"},
		{"/v1beta/models/g:streamGenerateContent", "X-Api-Key", "{}", 400, "alt=sse"},
	}
	kept := 0
	for _, tt := range tests {
		status, body := send(tt.url, tt.header, tt.body)
		if status != tt.status || !strings.Contains(body, tt.want) {
			t.Errorf("%s: %d %s", tt.url, status, body)
		}
		if all := s.Requests(); len(all) > kept {
			kept = len(all)
			if want := map[bool]string{true: "secret", false: "Bearer secret"}[tt.header == "Authorization"]; all[kept-1].Key != want {
				t.Errorf("%s: key %q, want %q", tt.url, all[kept-1].Key, want)
			}
		}
	}
	if kept != 5 {
		t.Errorf("%d requests kept, want the 5 that could be read", kept)
	}
}

// FuzzDecode: whatever an agent sends, each dialect reads it or refuses it.
func FuzzDecode(f *testing.F) {
	for _, seed := range []string{claudeBody(true, claudeUser), codexBody(true, codexUser), geminiBody(geminiUser), "{", `{"input":[{"type":"_call"}]}`,
		`{"tools":[{"type":"custom"}],"input":[{"type":"x_call","call_id":"_"}],"previous_response_id":"resp_loopback_9223372036854775808"}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "/v1beta/models/g:generateContent", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.SetPathValue("call", "g:generateContent")
		script := Script{Turns: []Turn{{Rounds: []Round{{Say: "x", Calls: []Call{{Deed: Shell, Command: "c"}, {Deed: Named, Tool: "t"}}}}}}}
		for _, d := range []dialect{chat{}, responses{}, messages{}, messages{countOnly: true}, gemini{}} {
			q, err := d.decode(r, body)
			if err != nil {
				continue
			}
			if q.answers < 0 {
				t.Errorf("%T counts %d answers", d, q.answers)
			}
			round, _, _ := script.round(q)
			rep, _, err := answerOf(q, round)
			if err != nil {
				continue
			}
			if !json.Valid(encoded(d.encode(rep.numbered(1)))) {
				t.Errorf("%T answers no JSON", d)
			}
			d.stream(rep, q, func(_ string, data []byte) {
				if string(data) != "[DONE]" && !json.Valid(data) {
					t.Errorf("%T streams %q", d, data)
				}
			})
		}
	})
}
