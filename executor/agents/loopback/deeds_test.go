package loopback

import (
	"encoding/json"
	"testing"
)

// offered is a list of tools from their names and JSON schemas.
func offered(t *testing.T, schemas ...string) (tools []tool) {
	t.Helper()
	for i := 0; i < len(schemas); i += 2 {
		one := tool{name: schemas[i]}
		if err := json.Unmarshal([]byte(schemas[i+1]), &one.schema); err != nil {
			t.Fatal(err)
		}
		tools = append(tools, one)
	}
	return tools
}

const (
	takesCommand = `{"properties":{"command":{"type":"string"}}}`
	takesPath    = `{"properties":{"path":{"type":"string"}}}`
	takesText    = `{"properties":{"path":{"type":"string"},"content":{"type":"string"}}}`
	editor       = `{"properties":{"command":{"type":"string","enum":["view","create","str_replace","insert","undo_edit"]},"path":{"type":"string"},
		"file_text":{"type":"string"},"old_str":{"type":"string"},"new_str":{"type":"string"},"insert_line":{"type":"integer"}},"required":["command","path"]}`
)

var (
	shellCall = Call{Deed: Shell, Command: "touch x"}
	readCall  = Call{Deed: Read, Path: "/p"}
	writeCall = Call{Deed: Write, Path: "/p", Text: "t"}
	editCall  = Call{Deed: Edit, Path: "/p", Old: "a", Text: "b"}
)

// A1, issue 5: agents that nobody has seen must work too. The names are those of agents of which there is no profile, and
// a few that nobody has.
func TestDeedsOfAgentsThatNobodyHasSeen(t *testing.T) {
	tests := []struct {
		name  string
		call  Call
		tools []string
		want  string // the call; "" for none
	}{
		{"a snake's name", shellCall, []string{"execute_command", takesCommand}, `execute_command {"command":"touch x"}`},
		{"a camel's name", shellCall, []string{"runInTerminal", takesCommand}, `runInTerminal {"command":"touch x"}`},
		{"a name in one word", shellCall, []string{"RUNCOMMAND", takesCommand}, `RUNCOMMAND {"command":"touch x"}`},
		{"a name with a server before it", shellCall, []string{"mcp__box__exec", `{"properties":{"cmd":{}}}`}, `mcp__box__exec {"cmd":"touch x"}`},
		{"a script", shellCall, []string{"PowerShell", `{"properties":{"Script":{"type":["string","null"]}}}`}, `PowerShell {"Script":"touch x"}`},
		{"a list of words", shellCall, []string{"launch-process", `{"properties":{"command":{"type":"ARRAY"}}}`}, `launch-process {"command":["bash","-c","touch x"]}`},
		{"what it requires", shellCall, []string{"run_terminal_cmd", `{"properties":{"command":{"type":"string"},"is_background":{"type":"boolean"},"timeout_ms":{"type":"integer"},
			"risk":{"enum":["low","high"]},"explanation":{"type":"string"},"env":{"type":"object"},"tags":{"type":"array"},"retries":{"type":"number"}},
			"required":["command","is_background","timeout_ms","risk","explanation","env","tags","retries","unlisted"]}`},
			`run_terminal_cmd {"command":"touch x","env":{},"explanation":"loopback step","is_background":false,"retries":1,"risk":"low","tags":[],"timeout_ms":60000}`},
		{"the surest word", shellCall, []string{"slash_command", takesCommand, "run_tests", takesCommand, "my_bash", takesCommand}, `my_bash {"command":"touch x"}`},
		{"a known name before all", shellCall, []string{"better_bash", takesCommand, "shell", takesCommand}, `shell {"command":"touch x"}`},
		{"the first of two alike", shellCall, []string{"exec_here", takesCommand, "exec_there", takesCommand}, `exec_here {"command":"touch x"}`},
		{"not a word that begins like a short one", shellCall, []string{"show_history", takesCommand}, ``},
		{"not what only reads a shell", shellCall, []string{"read_bash", `{"properties":{"shellId":{}}}`, "kill_shell", `{"properties":{"shell_id":{}}}`}, ``},
		{"not an editor's command", shellCall, []string{"edit_command", editor}, ``},
		{"not a flag", shellCall, []string{"terminal", `{"properties":{"command":{"type":"boolean"}}}`}, ``},
		{"not another's parameters", shellCall, []string{"bash", `{"properties":{"question":{}}}`}, ``},
		{"a schema of no shape", shellCall, []string{"bash", `[1]`, "exec", `{"properties":7,"required":{}}`, "run", takesCommand}, `run {"command":"touch x"}`},

		{"read", readCall, []string{"ReadFile", takesPath}, `ReadFile {"path":"/p"}`},
		{"cat", readCall, []string{"cat", `{"properties":{"targetFile":{}}}`}, `cat {"targetFile":"/p"}`},
		{"several files", readCall, []string{"read_many_files", `{"properties":{"paths":{"type":"array"}}}`}, `read_many_files {"paths":["/p"]}`},
		{"not a word within a word", readCall, []string{"thread", takesPath, "locate", takesPath, "preview_and_delete", takesPath}, ``},
		{"not an image", readCall, []string{"view_image", takesPath, "open_folder", takesPath}, ``},
		{"by a command, where nothing reads", Call{Deed: Read, Path: "/it's here"}, []string{"view_image", takesPath, "exec_command", takesCommand}, `exec_command {"command":"cat '/it'\\''s here'"}`},
		{"not what deletes", readCall, []string{"delete_file", takesPath, "file_remove", takesPath}, ``},

		{"write", writeCall, []string{"save-file", `{"properties":{"file_path":{},"file_content":{}}}`}, `save-file {"file_content":"t","file_path":"/p"}`},
		{"not a folder", writeCall, []string{"create_directory", takesPath, "todo_write", `{"properties":{"todos":{}}}`}, ``},
		{"not one that reads", writeCall, []string{"append_file", takesText}, ``},
		{"edit", editCall, []string{"StrReplaceFile", `{"properties":{"file":{},"oldText":{},"newText":{}}}`}, `StrReplaceFile {"file":"/p","newText":"b","oldText":"a"}`},
		{"search and replace", editCall, []string{"search_replace", `{"properties":{"path":{},"search":{},"replace":{}}}`}, `search_replace {"path":"/p","replace":"b","search":"a"}`},
		{"not a list of edits", editCall, []string{"multi_edit", `{"properties":{"file_path":{},"edits":{"type":"array"}}}`}, ``},

		{"an editor reads", readCall, []string{"str_replace_based_edit_tool", editor}, `str_replace_based_edit_tool {"command":"view","path":"/p"}`},
		{"an editor writes", writeCall, []string{"str_replace_based_edit_tool", editor}, `str_replace_based_edit_tool {"command":"create","file_text":"t","path":"/p"}`},
		{"an editor edits", editCall, []string{"text_box", editor}, `text_box {"command":"str_replace","new_str":"b","old_str":"a","path":"/p"}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			call, found, err := tt.call.resolve(offered(t, tt.tools...))
			if err != nil {
				t.Fatal(err)
			}
			got := ""
			if found {
				got = call.name + " " + call.args
			}
			if got != tt.want {
				t.Errorf("calls %s, want %s", got, tt.want)
			}
		})
	}
}

// What a tool does not take is left out, so that one set of members does for each agent; a Named call is the script's word.
func TestMembersThatAToolDoesNotTake(t *testing.T) {
	members := map[string]any{"mode": "async", "run_in_background": true, "yield_time_ms": 250, "command": "replaced"}
	tests := []struct{ name, schema, want string }{
		{"none of them", `{"properties":{"cmd":{}}}`, `{"cmd":"touch x"}`},
		{"one, and one that replaces", `{"properties":{"command":{},"yield_time_ms":{"type":"number"}}}`, `{"command":"replaced","yield_time_ms":250}`},
		{"a value that is admitted", `{"properties":{"cmd":{},"mode":{"enum":["sync","async"]}}}`, `{"cmd":"touch x","mode":"async"}`},
		{"a value that is not", `{"properties":{"cmd":{},"mode":{"enum":["fast",1]}},"required":["mode"]}`, `{"cmd":"touch x","mode":"fast"}`},
	}
	for _, tt := range tests {
		call, found, err := Call{Deed: Shell, Command: "touch x", Args: members}.resolve(offered(t, "bash", tt.schema))
		if err != nil || !found || call.args != tt.want {
			t.Errorf("%s: %s %v %v, want %s", tt.name, call.args, found, err, tt.want)
		}
	}
	call, found, err := Call{Tool: "bash", Args: map[string]any{"odd": 1}}.resolve(offered(t, "bash", takesCommand))
	if err != nil || !found || call.args != `{"odd":1}` {
		t.Errorf("named: %+v %v %v", call, found, err)
	}
	if call, found, err := (Call{Tool: "none"}).resolve(nil); err != nil || !found || call.name != "none" || call.args != "{}" {
		t.Errorf("named, and not offered: %+v %v %v", call, found, err)
	}
	if len(members) != 4 {
		t.Errorf("the script's own members were changed: %v", members)
	}
}

// FuzzFind: whatever an agent offers, a tool that is found takes the deed, and the choice does not vary.
func FuzzFind(f *testing.F) {
	for _, s := range []string{takesCommand, takesPath, takesText, editor, `{"properties":{"command":true,"c_ommand":{"type":["array"]}},"required":[1,"x"]}`} {
		f.Add("exec", []byte(s))
		f.Add("apply_patch", []byte(s))
	}
	f.Fuzz(func(t *testing.T, name string, raw []byte) {
		var s schema
		if json.Unmarshal(raw, &s) != nil {
			return
		}
		tools := []tool{{name: name, schema: s}, {name: "my" + name, schema: s}}
		for _, c := range []Call{shellCall, readCall, writeCall, editCall} {
			first, found, err := c.resolve(tools)
			if err != nil {
				t.Fatal(err)
			}
			if found && (!json.Valid([]byte(first.args)) || len(s.Properties) == 0) {
				t.Errorf("%s: %+v", c.Deed, first)
			}
			if again, _, _ := c.resolve(tools); again != first {
				t.Errorf("%s: %+v, then %+v", c.Deed, first, again)
			}
		}
	})
}
