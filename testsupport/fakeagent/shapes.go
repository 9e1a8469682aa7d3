package fakeagent

import "fmt"

// Shape is where a call's output stands on the wire, after agents.md: points 9 to 14 of its last section.
type Shape string

// The shapes, each named after an agent that uses it. InContent is copilot's: a snapshot while it runs, the exit code in
// the text, status completed whatever it is.
const (
	InContent    Shape = ""
	RawString    Shape = "raw-string"    // claude: rawOutput is a string, content the same in a fence
	RawMessage   Shape = "raw-message"   // copilot's view: failed, no content, rawOutput.message
	RawStderr    Shape = "raw-stderr"    // rawOutput.stdout empty, rawOutput.stderr, rawOutput.exitCode
	RawNested    Shape = "raw-nested"    // opencode: rawOutput.output and rawOutput.metadata.exit
	RawFormatted Shape = "raw-formatted" // codex-zed: rawOutput.aggregated_output, formatted_output, exit_code
	Deltas       Shape = "deltas"        // codex: _meta.terminal_output_delta, a byte at a time, _meta.terminal_exit
	Snapshots    Shape = "snapshots"     // the whole output so far, again and again
	Nowhere      Shape = "nowhere"       // gemini: completed without any output
)

// Shapes lists all of them, for tests that go through every one.
func Shapes() []Shape {
	return []Shape{InContent, RawString, RawMessage, RawStderr, RawNested, RawFormatted, Deltas, Snapshots, Nowhere}
}

// output is the updates that carry a call's output and close it.
func (c Call) output() []map[string]any {
	var updates []map[string]any
	last := map[string]any{"status": "completed"}
	exit := 0
	if c.Exit != nil {
		exit = *c.Exit
	}
	switch c.Shape {
	case RawString:
		last["rawOutput"], last["content"] = c.Text, content("```console\n"+c.Text+"\n```")
	case RawMessage:
		last["status"], last["rawOutput"] = "failed", map[string]any{"message": c.Text, "code": "failure"}
	case RawStderr:
		last["rawOutput"] = map[string]any{"stdout": "", "stderr": c.Text, "exitCode": exit}
	case RawNested:
		last["rawOutput"] = map[string]any{"output": c.Text, "metadata": map[string]any{"output": c.Text, "exit": exit, "truncated": false}}
		last["content"] = content(c.Text)
	case RawFormatted:
		last["rawOutput"] = map[string]any{"stdout": c.Text, "stderr": "", "aggregated_output": c.Text, "formatted_output": c.Text, "exit_code": exit}
	case Deltas:
		for _, r := range c.Text {
			updates = append(updates, map[string]any{"_meta": map[string]any{"terminal_output_delta": map[string]any{"data": string(r), "terminal_id": c.ID}}})
		}
		last["_meta"] = map[string]any{"terminal_exit": map[string]any{"exit_code": exit, "signal": nil, "terminal_id": c.ID}}
	case Snapshots:
		for i := range c.Text {
			updates = append(updates, map[string]any{"content": content(c.Text[:i])})
		}
		last["content"] = content(c.Text)
	case Nowhere:
		last["content"] = []any{}
	default:
		text := c.Text
		if c.Exit != nil {
			text += fmt.Sprintf("\n<shellId: 0 completed with exit code %d>", exit)
		}
		updates = append(updates, map[string]any{"content": content(c.Text)})
		last["content"], last["rawOutput"] = content(text), map[string]any{"content": text, "detailedContent": text}
	}
	if c.Failed {
		last["status"] = "failed"
	}
	if !c.Open {
		updates = append(updates, last)
	}
	for _, u := range updates {
		u["sessionUpdate"], u["toolCallId"] = "tool_call_update", c.ID
	}
	return updates
}

func content(text string) []any {
	return []any{map[string]any{"type": "content", "content": map[string]any{"type": "text", "text": text}}}
}
