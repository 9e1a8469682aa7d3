package acpclient

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
)

// decode is a session/update body as the Handler gets it.
func decode(t testing.TB, body string) []Update {
	t.Helper()
	if checkValue([]byte(body), 0, 0) != len(body) {
		t.Fatalf("the test's own JSON is malformed: %s", body)
	}
	return decodeUpdate("s", value(body), nil)
}

// call decodes the members of a tool_call_update.
func decodeCall(t testing.TB, members string) ToolCall {
	t.Helper()
	all := decode(t, `{"sessionUpdate":"tool_call_update","toolCallId":"c",`+members+`}`)
	if len(all) != 1 || all[0].Kind != Call || all[0].Call.ID != "c" {
		t.Fatalf("%s gives %+v", members, all)
	}
	return all[0].Call
}

func outs(pairs ...string) (list []Output) {
	for i := 0; i < len(pairs); i += 2 {
		o := Output{Part: pairs[i], Text: pairs[i+1]}
		o.Part, o.Append = strings.CutPrefix(o.Part, "+")
		list = append(list, o)
	}
	return list
}

const denied = "cat: /p: Permission denied"

// agents.md points 10 to 12, 26 and 34, H5-09, H5-10, H5-11.
func TestOutputs(t *testing.T) {
	for _, c := range []struct {
		name, members string
		want          []Output
	}{
		{"content", `"content":[{"type":"content","content":{"type":"text","text":"cat: /p: Permission denied"}}]`, outs("content", denied)},
		{"two blocks are one text", `"content":[{"type":"content","content":{"type":"text","text":"a"}},{"type":"content","content":{"type":"text","text":"b"}}]`, outs("content", "a\nb")},
		{"fence", "\"content\":[{\"type\":\"content\",\"content\":{\"type\":\"text\",\"text\":\"```console\\ncat: /p: Permission denied\\n```\"}}]", outs("content", denied)},
		{"fence and rawOutput, claude", "\"status\":\"failed\",\"rawOutput\":\"Exit code 1\\ncat: /p: Permission denied\",\"content\":[{\"type\":\"content\",\"content\":{\"type\":\"text\",\"text\":\"```\\nExit code 1\\ncat: /p: Permission denied\\n```\"}}]", outs("content", "Exit code 1\n"+denied)},
		{"no fence around all", "\"content\":[{\"type\":\"content\",\"content\":{\"type\":\"text\",\"text\":\"```\\na\\n``` b\"}}]", outs("content", "```\na\n``` b")},
		{"rawOutput string", `"rawOutput":"cat: /p: Permission denied"`, outs("rawOutput", denied)},
		{"rawOutput.message", `"rawOutput":{"message":"cat: /p: Permission denied","code":"failure"}`, outs("rawOutput.message", denied)},
		{"rawOutput.error", `"rawOutput":{"error":"PermissionDenied: FileSystem.open (/p)"}`, outs("rawOutput.error", "PermissionDenied: FileSystem.open (/p)")},
		{"stderr only", `"rawOutput":{"stdout":"","stderr":"cat: /p: Permission denied","exitCode":1}`, outs("rawOutput.stderr", denied)},
		{"codex-zed", `"rawOutput":{"call_id":"x","command":["cat","/p"],"cwd":"/w","stdout":"cat: /p: Permission denied\n","stderr":"","aggregated_output":"cat: /p: Permission denied\n","formatted_output":"cat: /p: Permission denied\n"}`, outs("rawOutput.stdout", denied+"\n")},
		{"qwen", `"rawOutput":{"type":"shell_result","text":"Output: cat: /p: Permission denied\nExit Code: 1","output":"cat: /p: Permission denied","directory":"/w","exitCode":1}`, outs("rawOutput.text", "Output: "+denied+"\nExit Code: 1")},
		{"opencode", `"content":[{"type":"content","content":{"type":"text","text":"x y"}}],"rawOutput":{"output":"x y","metadata":{"output":"x y","exit":3,"truncated":false}}`, outs("content", "x y")},
		{"the same twice", `"content":[{"type":"content","content":{"type":"text","text":"cat: /p: Permission denied"}}],"rawOutput":{"stderr":"cat: /p: Permission denied\n"}`, outs("rawOutput.stderr", denied+"\n")},
		{"part of another", `"content":[{"type":"content","content":{"type":"text","text":"$ cat /p\ncat: /p: Permission denied"}}],"rawOutput":{"stderr":"cat: /p: Permission denied\n"}`, outs("content", "$ cat /p\n"+denied)},
		{"two different", `"content":[{"type":"content","content":{"type":"text","text":"one"}}],"rawOutput":{"stdout":"two"}`, outs("content", "one", "rawOutput.stdout", "two")},
		{"list of blocks", `"rawOutput":[{"type":"text","text":"one"},{"type":"text","text":"two"}]`, outs("rawOutput.text", "one\ntwo")},
		{"shape not seen yet", `"rawOutput":{"results":[{"body":{"lines":["a","b"]}}]}`, outs("rawOutput.results.body.lines", "a\nb")},
		{"delta", `"_meta":{"terminal_output_delta":{"data":": Permission d","terminal_id":"c"}}`, outs("+_meta.terminal_output_delta", ": Permission d")},
		{"delta of white space", `"_meta":{"terminal_output_delta":{"data":"\n","terminal_id":"c"}}`, outs("+_meta.terminal_output_delta", "\n")},
		{"terminal_output", `"_meta":{"terminal_output":{"data":"x","terminal_id":"c"}}`, outs("+_meta.terminal_output", "x")},
		{"delta and status", `"status":"failed","_meta":{"terminal_output_delta":{"data":"x"},"terminal_exit":{"exit_code":1}}`, outs("+_meta.terminal_output_delta", "x")},
		{"delta is never a repetition", `"content":[{"type":"content","content":{"type":"text","text":"x and y"}}],"_meta":{"terminal_output_delta":{"data":"x"}}`, outs("content", "x and y", "+_meta.terminal_output_delta", "x")},
		{"toolResponse", `"_meta":{"claudeCode":{"toolName":"Bash","toolResponse":{"stdout":"out","stderr":"cat: /p: Permission denied","interrupted":false}}}`, outs("content", "out\n"+denied)},
		{"toolResponse with a file", `"_meta":{"claudeCode":{"toolResponse":{"type":"create","filePath":"/p","content":"Permission denied","file":{"content":"Permission denied"},"oldString":"Permission denied"}}}`, nil},
		{"vendor error", `"_meta":{"codex":{"failure":{"error":{"message":"cat: /p: Permission denied"}}}}`, outs("_meta.codex.failure.error.message", denied)},
		{"diff is no output", `"content":[{"type":"diff","path":"/p","oldText":"Permission denied","newText":"Permission denied"}],"rawOutput":{"content":"ok","detailedContent":"\ndiff --git a/p b/p\n+Permission denied"}`, outs("rawOutput.content", "ok")},
		{"terminal block", `"content":[{"type":"terminal","terminalId":"t"}]`, nil},
		{"terminal block with text", `"content":[{"type":"terminal","terminalId":"t","output":"cat: /p: Permission denied"}]`, outs("content.output", denied)},
		{"unknown block, H5-11", `"kind":"deploy","status":null,"content":[{"type":"hologram"},{"type":"content","content":{"type":"text","text":"x"}}],"rawOutput":null`, outs("content", "x")},
		{"block without its wrapper", `"content":[{"type":"text","text":"x"}]`, outs("content.text", "x")},
		{"embedded resource", `"content":[{"type":"content","content":{"type":"resource","resource":{"uri":"file:///p","text":"x"}}}]`, outs("content", "x")},
		{"content as a string", `"content":"x"`, outs("content", "x")},
		{"nothing", `"content":[],"rawOutput":{},"_meta":{}`, nil},
		{"blank", `"rawOutput":"\n \n"`, nil},
		{"numbers and null", `"content":null,"rawOutput":{"n":1,"b":true,"s":null},"_meta":null`, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := decodeCall(t, c.members).Outputs
			if len(got)+len(c.want) > 0 && !reflect.DeepEqual(got, c.want) {
				t.Errorf("got  %+v\nwant %+v", got, c.want)
			}
		})
	}
}

// Point 10 and H5-09.
func TestExitCodes(t *testing.T) {
	for _, c := range []struct {
		members string
		want    string
	}{
		{`"rawOutput":{"exit_code":1}`, "1"},
		{`"status":"completed","rawOutput":{"exitCode":1}`, "1"},
		{`"rawOutput":{"exitCode":0}`, "0"},
		{`"rawOutput":{"exitCode":null}`, "nil"},
		{`"rawOutput":{"exitCode":"1"}`, "nil"},
		{`"rawOutput":{"exitCode":1.5}`, "nil"},
		{`"rawOutput":{"exitCode":99999999999}`, "nil"},
		{`"rawOutput":{"exitCode":-1}`, "-1"},
		{`"rawOutput":{"metadata":{"exit":3}}`, "3"},
		{`"rawOutput":{"contents":[{"type":"shell_exit","shellId":"0","exitCode":2}]}`, "2"},
		{`"rawOutput":{"contents":[{"type":"text"},{"exitCode":null}]}`, "nil"},
		{`"_meta":{"terminal_exit":{"exit_code":4,"signal":null}}`, "4"},
		{`"_meta":{"terminal_exit":{"exit_code":null,"signal":"SIGTERM"}}`, "nil"},
		{`"content":[{"type":"content","content":{"type":"text","text":"x\n<shellId: 0 completed with exit code 7>"}}]`, "7"},
		{`"content":[{"type":"content","content":{"type":"text","text":"<shellId: 0 completed with exit code 7>\nx"}}]`, "nil"},
		{`"content":[{"type":"content","content":{"type":"text","text":"<shellId: 0 completed with exit code many>"}}]`, "nil"},
		{`"status":"failed","rawOutput":"Exit code 5\nx"`, "5"},
		{`"status":"failed","rawOutput":"Exit code 5"`, "5"},
		{`"status":"completed","rawOutput":"Exit code 5\nx"`, "nil"}, // a command's own words
		{`"status":"failed","rawOutput":"x\nExit code 5\n"`, "nil"},
		{`"status":"completed"`, "nil"}, // unknown, not 0
	} {
		got := "nil"
		if exit := decodeCall(t, c.members).Exit; exit != nil {
			got = fmt.Sprint(*exit)
		}
		if got != c.want {
			t.Errorf("%s gives %s, want %s", c.members, got, c.want)
		}
	}
}

func TestCallFields(t *testing.T) {
	c := decodeCall(t, `"title":"lab","kind":"deploy","status":"paused","locations":[{"path":"/a","line":1},{"path":"/a"},{"path":null},{}],
		"content":[{"type":"diff","path":"/b","oldText":null,"newText":"x"}],"rawInput":{"command":["bash","-lc","cat '/x y'"],"cwd":"/w","file_path":"/c","filePath":7},
		"_meta":{"claudeCode":{"parentToolUseId":"parent"}}`)
	c.Outputs = nil
	want := ToolCall{ID: "c", Title: "lab", Kind: "deploy", Status: "paused", Command: `bash -lc 'cat '\''/x y'\'''`, Dir: "/w",
		Paths: []string{"/a", "/b", "/c"}, Subagent: "parent"}
	if !reflect.DeepEqual(c, want) {
		t.Errorf("got  %+v\nwant %+v", c, want)
	}
	for input, command := range map[string]string{
		`{"command":"ls -l"}`: "ls -l", `{"cmd":"ls"}`: "ls", `{"commands":["ls a && b"]}`: "ls a && b", `{"command":["ls","-l"]}`: "ls -l",
		`{"command":[]}`: "", `{"command":null,"cmd":"x"}`: "x", `{}`: "", `null`: "", `[]`: "", `"ls"`: "", `{"command":{"a":1}}`: "",
	} {
		if got := decodeCall(t, `"rawInput":`+input).Command; got != command {
			t.Errorf("%s is the command %q, want %q", input, got, command)
		}
	}
}

func TestUpdates(t *testing.T) {
	for _, c := range []struct {
		body string
		want []Update
	}{
		{`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"x"},"messageId":"m"}`, []Update{{Kind: Message, Text: "x", MessageID: "m"}}},
		{`{"sessionUpdate":"agent_message_chunk","content":[{"type":"text","text":"x"},{"type":"text","text":"y"}]}`, []Update{{Kind: Message, Text: "xy"}}},
		{`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":""},"_meta":{"usage":{}}}`, nil},
		{`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":""},"_meta":{"usage":{"inputTokens":11,"outputTokens":7,"totalTokens":18,"cachedReadTokens":2},"durationMs":9,"parentToolCallId":"c"}}`,
			[]Update{{Kind: Spent, Subagent: "c", Usage: Usage{Input: 11, Output: 7, CachedRead: 2, Total: 18}}}}, // qwen
		{`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"x"},"_meta":{"usage":{"inputTokens":1}}}`,
			[]Update{{Kind: Message, Text: "x"}, {Kind: Spent, Usage: Usage{Input: 1}}}},
		{`{"sessionUpdate":"usage_update","used":18,"size":200,"cost":{"amount":0.5,"currency":"USD"}}`, []Update{{Kind: UsageChange, Usage: Usage{Total: 18}, Cost: Cost{0.5, "USD"}}}},
		{`{"sessionUpdate":"agent_message_chunk","content":{"type":"image","data":"x","mimeType":"image/png"}}`, nil},
		{`{"sessionUpdate":"agent_message_chunk","content":null}`, nil},
		{`{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"x"},"_meta":{"github.com/copilot":{"agentId":"a"}}}`, []Update{{Kind: Message, Text: "x", Subagent: "a"}}},
		{`{"sessionUpdate":"agent_thought_chunk","content":{"type":"text","text":"x"}}`, []Update{{Kind: Thought, Text: "x"}}},
		{`{"sessionUpdate":"user_message_chunk","content":{"type":"text","text":"x"}}`, nil},
		{`{"sessionUpdate":"current_mode_update","currentModeId":"yolo"}`, []Update{{Kind: ModeChange, Value: "yolo"}}},
		{`{"sessionUpdate":"current_mode_update"}`, nil},
		{`{"sessionUpdate":"config_option_update","configOptions":[{"id":"x","category":"mode","currentValue":"ask","options":[]},{"id":"model","name":"Model","currentValue":"m2"}]}`,
			[]Update{{Kind: ModeChange, Value: "ask"}, {Kind: ModelChange, Value: "m2"}}},
		{`{"sessionUpdate":"usage_update","used":18,"size":200}`, []Update{{Kind: UsageChange, Usage: Usage{Total: 18}}}},
		{`{"sessionUpdate":"usage_update","used":-18}`, []Update{{Kind: UsageChange}}},
		{`{"sessionUpdate":"usage_update","used":null,"size":null}`, nil}, // H5-11
		{`{"sessionUpdate":"tool_call","toolCallId":""}`, nil},
		{`{"sessionUpdate":"tool_call","toolCallId":7}`, []Update{{Kind: Call, Call: ToolCall{ID: "7"}}}},
		{`{"sessionUpdate":"teleport"}`, nil},
		{`{"sessionUpdate":3}`, nil},
		{`{}`, nil}, {`[]`, nil}, {`null`, nil}, {`"x"`, nil},
	} {
		for i := range c.want {
			c.want[i].Session = "s"
		}
		got := decode(t, c.body)
		if len(got)+len(c.want) > 0 && !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s\ngives %+v\nwant  %+v", c.body, got, c.want)
		}
	}
}

// Whatever an agent packs into an update, the number of its streams and the length of its short texts are bounded, and no
// text is lost by that.
func TestBoundsOfAnUpdate(t *testing.T) {
	var raw, many strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&raw, `"k%d":"text-%d.",`, i, i)
		fmt.Fprintf(&many, `{"path":"/p%d"},`, i)
	}
	long := strings.Repeat("é", 100_000)
	c := decodeCall(t, `"title":"`+long+`","kind":"`+long+`","status":"`+strings.Repeat(`é`, 100_000)+`","rawInput":{"command":"`+long+`","cwd":"`+long+`"},
		"locations":[`+strings.TrimSuffix(many.String(), ",")+`],"rawOutput":{`+raw.String()+`"last":"cat: /p: Permission denied"}`)
	if len(c.Title) > maxShort || len(c.Kind) > maxShort || len(c.Status) > maxShort || len(c.Command) > maxLong || len(c.Dir) > maxShort {
		t.Error("a text is longer than its bound")
	}
	if strings.Contains(c.Title, "�") || len(c.Title) < maxShort-4 || strings.Contains(c.Status, "�") || len(c.Status) < maxShort-4 {
		t.Errorf("a text was cut badly: %q", c.Title[len(c.Title)-10:])
	}
	if len(c.Paths) != maxPaths || !c.Cut || len(c.Outputs) > maxParts+1 {
		t.Errorf("%d paths, %d outputs", len(c.Paths), len(c.Outputs))
	}
	all := fmt.Sprint(c.Outputs)
	for i := range 5000 {
		if !strings.Contains(all, fmt.Sprintf("text-%d.", i)) {
			t.Fatalf("text %d is lost", i)
		}
	}
	if !strings.Contains(all, denied) {
		t.Error("a denial hid behind a crowd")
	}
}

// A1-20 to A1-23: one sign of a question, a plan, a trust prompt or an interaction is a mark; a plain tool request has none.
func TestMarks(t *testing.T) {
	options := `,"options":[{"optionId":"y","name":"Yes","kind":"allow_once"}]`
	call := func(members string) string {
		return `{"sessionId":"s","toolCall":{"toolCallId":"c"` + members + `}` + options + `}`
	}
	for _, c := range []struct{ params, want string }{
		{call(`,"title":"touch x","kind":"execute","rawInput":{"command":"touch x"}`), ""},
		{call(`,"title":"Access paths outside trusted directories","kind":"read","rawInput":{"path":"/x"}`), ""},
		{call(`,"title":"Run the user input tests and ask questions later","kind":"execute"`), ""},
		{call(`,"_meta":{"claudeCode":{"toolName":"Bash"},"interactive":false}`), ""},
		{call(`,"name":"AskUserQuestion"`), "question"},
		{call(`,"title":"ask_user"`), "question"},
		{call(`,"_meta":{"claudeCode":{"toolName":"AskUserQuestion"}}`), "question"},
		{call(`,"rawInput":{"questions":[{"question":"Which?"}]}`), "question"},
		{call(`,"rawInput":{"question":"Which?"}`), "question"},
		{call(`,"rawInput":{"tool":"request_user_input"}`), "question"},
		{call(`,"_meta":{"x":{"y":[{"askUserQuestion":{}}]}}`), "question"},
		{`{"sessionId":"s","toolCall":{"toolCallId":"c"},"_meta":{"question":true}` + options + `}`, "question"},
		{call(`,"kind":"switch_mode"`), "plan"},
		{call(`,"title":"exit_plan_mode"`), "plan"},
		{call(`,"name":"ExitPlanMode","title":"Ready to code?","kind":"switch_mode","rawInput":{"plan":"1. x"}`), "plan"},
		{call(`,"rawInput":{"plan":"1. x"}`), "plan"},
		{`{"sessionId":"s","toolCall":{"toolCallId":"c"},"options":[{"optionId":"approve-plan","name":"Go","kind":"allow_once"}]}`, "plan"},
		{call(`,"title":"Do you trust the files in this folder?"`), "trust"},
		{call(`,"title":"Trust this workspace and its settings?"`), "trust"},
		{call(`,"_meta":{"folderTrust":{"path":"/x"}}`), "trust"},
		{`{"sessionId":"s","toolCall":{"toolCallId":"c"},"options":[{"optionId":"trust_folder","name":"Yes","kind":"allow_once"}]}`, "trust"},
		{call(`,"_meta":{"interactive":true}`), "interactive"},
		{call(`,"_meta":{"vendor":{"isInteractive":1}}`), "interactive"},
		{call(`,"interactive":true`), "interactive"},
		{`{"sessionId":"s","toolCall":{"toolCallId":"c"},"interactive":true` + options + `}`, "interactive"},
		{`{"sessionId":"s","toolCall":null` + options + `}`, "malformed"},
		{`{"sessionId":"s","toolCall":{"toolCallId":"c"}}`, "malformed"},
		{`{"sessionId":"s","toolCall":[]` + options + `}`, "malformed"},
		{call(`,"rawInput":{"command":{"x":1}}`), "malformed"},
		{call(`,"rawInput":{"command":["git",["push"]]}`), "malformed"},
		{call(`,"rawInput":{"command":"` + strings.Repeat("é", maxLong/2) + `"}`), ""},
		{call(`,"rawInput":{"command":"` + strings.Repeat("é", maxLong/2) + `x"}`), "malformed"},
		{call(`,"rawInput":{"paths":["a","` + strings.Repeat("x", maxShort+1) + `"]}`), "malformed"},
		{`{"sessionId":"s","toolCall":{"toolCallId":"c"},"options":[` + strings.Repeat(`{"optionId":"a","kind":"allow_always"},`, maxList) + `{"optionId":"b","kind":"allow_once"}]}`, "malformed"},
		{call(`,"kind":"switch_mode","_meta":{"interactive":true,"question":"x"}`), "plan,interactive,question"},
	} {
		if checkValue([]byte(c.params), 0, 0) != len(c.params) {
			t.Fatalf("malformed: %s", c.params)
		}
		q := decodePermission(value(c.params))
		if got := strings.Join(q.Marks, ","); got != c.want || q.Interactive != (c.want != "") {
			t.Errorf("%s is marked %q, want %q", c.params, got, c.want)
		}
		if q.Raw != nil && !json.Valid(q.Raw) {
			t.Errorf("raw %s", q.Raw)
		}
	}
}

// H5-05: options of unknown kinds stay, in order; what cannot be answered with does not. A big request keeps no raw copy,
// and none keeps outputs.
func TestPermissionRequest(t *testing.T) {
	q := decodePermission(value(`{"sessionId":"s","toolCall":{"toolCallId":"c","content":[{"type":"content","content":{"type":"text","text":"x"}}]},"options":[
		{"optionId":"p","name":"P","kind":"allow_persistent"},{"optionId":"` + strings.Repeat("x", 5000) + `","kind":"allow_once"},{"kind":"allow_once"},null,7,{"optionId":"r","name":null,"kind":"reject_once"}]}`))
	want := []PermissionOption{{ID: "p", Name: "P", Kind: "allow_persistent"}, {ID: "r", Kind: "reject_once"}}
	if !reflect.DeepEqual(q.Options, want) || q.Call.Outputs != nil {
		t.Errorf("%+v", q)
	}
	q = decodePermission(value(`{"sessionId":"s","toolCall":{"toolCallId":"c","rawInput":{"command":"x","junk":"` + strings.Repeat("x", maxRaw) + `"}},"options":[]}`))
	if q.Raw != nil || q.Call.Command != "x" {
		t.Errorf("raw of %d bytes, command %q", len(q.Raw), q.Call.Command)
	}
}
