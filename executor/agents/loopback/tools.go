package loopback

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// tool is one tool that a request offers.
type tool struct {
	name   string
	kind   toolKind
	schema schema
}

// toolKind is how a tool takes its arguments. Only OpenAI's responses know other kinds than functions.
type toolKind uint8

const (
	function   toolKind = iota // JSON by a schema
	custom                     // bare text, here the member "input"
	localShell                 // a list of words, here the member "command"
)

// schema is what is read of a tool's JSON schema.
type schema struct {
	Properties map[string]property
	Required   []string
}

type property struct {
	Type any // a word or a list of words; Gemini writes them in capitals
}

// UnmarshalJSON lets a property be true or false, as JSON schema has it.
func (p *property) UnmarshalJSON(raw []byte) error {
	var object struct{ Type any }
	if json.Unmarshal(raw, &object) == nil {
		p.Type = object.Type
	}
	return nil
}

// put sets a parameter where the schema has it under the name. Codex's shell takes its command as a list of words.
func (s schema) put(args map[string]any, name, value string) {
	p, ok := s.Properties[name]
	switch {
	case !ok:
	case p.Type == "array":
		args[name] = []string{"bash", "-c", value}
	default:
		args[name] = value
	}
}

// names of tools for each deed, as the agents of agents.md offer them: copilot, claude, codex, gemini, opencode, qwen.
func (d Deed) names() []string {
	switch d {
	case Shell:
		return []string{"bash", "Bash", "shell", "exec_command", "shell_command", "run_shell_command", "local_shell"}
	case Read:
		return []string{"view", "Read", "read", "read_file"}
	case Write:
		return []string{"create", "Write", "write", "write_file", "apply_patch"}
	case Edit:
		return []string{"edit", "Edit", "replace", "str_replace", "apply_patch"}
	}
	return nil
}

// parameter is a value of a deed, with the names under which schemas ask for it.
type parameter struct {
	value string
	names []string
}

func (c Call) parameters() []parameter {
	path := parameter{c.Path, []string{"path", "file_path", "filePath", "absolute_path"}}
	switch c.Deed {
	case Shell:
		return []parameter{{c.Command, []string{"command", "cmd"}}}
	case Read:
		return []parameter{path}
	case Write:
		return []parameter{path, {c.Text, []string{"file_text", "content"}}, {c.patch(), []string{"input", "patchText"}}}
	case Edit:
		return []parameter{path, {c.Old, []string{"old_str", "old_string", "oldString"}}, {c.Text, []string{"new_str", "new_string", "newString"}},
			{c.patch(), []string{"input", "patchText"}}}
	}
	return nil
}

// patch is a Write or an Edit in the format of Codex's apply_patch.
func (c Call) patch() string {
	lines := func(sign, text string) string {
		return sign + strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\n"+sign) + "\n"
	}
	body := "*** Add File: " + c.Path + "\n" + lines("+", c.Text)
	if c.Deed == Edit {
		body = "*** Update File: " + c.Path + "\n@@\n" + lines("-", c.Old) + lines("+", c.Text)
	}
	return "*** Begin Patch\n" + body + "*** End Patch\n"
}

// resolve turns a call into the one that the agent expects, without an id. A deed for which no tool is offered is an
// error, so that a script never passes by doing nothing.
func (c Call) resolve(offered []tool) (namedCall, error) {
	known := func(t tool) bool { return t.name == c.Tool }
	if c.Deed != Named {
		known = func(t tool) bool { return slices.Contains(c.Deed.names(), t.name) }
	}
	t := tool{name: c.Tool} // the script may name what is not offered: agents must survive that
	if i := slices.IndexFunc(offered, known); i >= 0 {
		t = offered[i]
	} else if c.Deed != Named {
		return namedCall{}, fmt.Errorf("none of %q is offered", c.Deed.names())
	}
	args := map[string]any{}
	for _, p := range c.parameters() {
		for _, n := range p.names {
			t.schema.put(args, n, p.value)
		}
	}
	if c.Deed != Named {
		for _, n := range t.schema.Required {
			if n == "description" || n == "instruction" {
				args[n] = "loopback step"
			}
		}
	}
	maps.Copy(args, c.Args)
	return t.call(args)
}

func (t tool) call(args map[string]any) (namedCall, error) {
	n := namedCall{name: t.name, kind: t.kind}
	if t.kind == custom {
		n.args, _ = args["input"].(string)
		return n, nil
	}
	raw, err := json.Marshal(args)
	if err != nil {
		return n, fmt.Errorf("encoding the arguments of %s: %w", t.name, err)
	}
	n.args = string(raw)
	return n, nil
}
