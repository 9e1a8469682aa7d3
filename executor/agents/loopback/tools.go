package loopback

import (
	"fmt"
	"slices"
)

// tool is one tool that a request offers.
type tool struct {
	name     string
	props    []string // parameters that its schema names
	required []string
}

// names of tools for each deed, as the agents of agents.md offer them: copilot, claude, codex, gemini, opencode, qwen.
func (d Deed) names() []string {
	switch d {
	case Shell:
		return []string{"bash", "Bash", "shell", "exec_command", "shell_command", "run_shell_command"}
	case Read:
		return []string{"view", "Read", "read", "read_file"}
	case Write:
		return []string{"create", "Write", "write", "write_file"}
	case Edit:
		return []string{"edit", "Edit", "replace", "str_replace"}
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
		return []parameter{path, {c.Text, []string{"file_text", "content"}}}
	case Edit:
		return []parameter{path, {c.Old, []string{"old_str", "old_string", "oldString"}}, {c.Text, []string{"new_str", "new_string", "newString"}}}
	}
	return nil
}

// resolve turns a call into the name and the arguments that the agent expects. A deed for which no tool is offered is
// an error, so that a script never passes by doing nothing.
func (c Call) resolve(offered []tool) (name string, args map[string]any, err error) {
	args = map[string]any{}
	if c.Deed == Named {
		for k, v := range c.Args {
			args[k] = v
		}
		return c.Tool, args, nil
	}
	i := slices.IndexFunc(offered, func(t tool) bool { return slices.Contains(c.Deed.names(), t.name) })
	if i < 0 {
		return "", nil, fmt.Errorf("none of %q is offered", c.Deed.names())
	}
	t := offered[i]
	for _, p := range c.parameters() {
		for _, n := range p.names {
			if slices.Contains(t.props, n) {
				args[n] = p.value
			}
		}
	}
	if slices.Contains(t.required, "description") {
		args["description"] = "loopback step"
	}
	for k, v := range c.Args {
		args[k] = v
	}
	return t.name, args, nil
}
