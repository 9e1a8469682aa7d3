package runnerlog

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

const stopCommands = "stop-commands"

// known are the registered commands (ActionCommandManager.Initialize). internal-set-repo-path is one only while a plug-in
// runs; to the cautious always.
var known = [...]string{stopCommands, "set-env", "set-output", "save-state", "add-mask", "add-path", "add-matcher", "remove-matcher",
	"debug", "warning", "error", "notice", "group", "endgroup", "echo"}

func (r *Runner) registered(name string) bool {
	name = asciiFold(name)
	return slices.Contains(known[:], name) || r.options.Cautious && name == "internal-set-repo-path" || r.stopped && name == asciiFold(r.token)
}

// asciiFold is how names compare: StringComparer.OrdinalIgnoreCase folds no letter of another alphabet into one of these.
func asciiFold(name string) string {
	return strings.Map(func(c rune) rune {
		if c >= 'A' && c <= 'Z' {
			return c + 'a' - 'A'
		}
		return c
	}, name)
}

// process does what a command says (ActionCommandManager.TryProcessCommand) and reports whether its line is done with.
func (r *Runner) process(c Command) bool {
	switch {
	case r.stopped && r.token != "" && asciiFold(c.Name) == asciiFold(r.token):
		r.output(c.Line)
		r.Obeyed = append(r.Obeyed, c)
		r.stopped, r.token = false, ""
	case r.stopped:
		r.Deaf = append(r.Deaf, c)
		return false
	case c.Is(stopCommands):
		r.Obeyed = append(r.Obeyed, c)
		r.stop(c)
	default:
		r.Obeyed = append(r.Obeyed, c)
		if r.echo && !omitsEcho(c) {
			r.output(c.Line)
		}
		if err := r.run(c); err != nil {
			r.Faults = append(r.Faults, err.Error())
		}
	}
	return true
}

// stop begins a stop (ActionCommandManager.ValidateStopToken). What it refuses is an exception that nobody catches.
func (r *Runner) stop(c Command) {
	token := c.Data
	if (token == "" || r.registered(token) || asciiFold(token) == "pause-logging") && !r.options.UnsecureTokens {
		r.Crashed = true
		r.Faults = append(r.Faults, fmt.Sprintf("stop-commands: %q is no token", token))
		return
	}
	r.stopped, r.token = true, token
	if len([]rune(token)) > 6 {
		r.masks.add(token)
	}
	r.output(c.Line)
}

// omitsEcho is IActionCommandExtension.OmitEcho.
func omitsEcho(c Command) bool {
	return slices.Contains([]string{"add-mask", "debug", "warning", "error", "notice"}, asciiFold(c.Name))
}

// run is long because it is the list of what the runner can be told.
func (r *Runner) run(c Command) error {
	switch asciiFold(c.Name) {
	case "set-output":
		return set(r.Outputs, c)
	case "save-state":
		return set(r.State, c)
	case "set-env":
		switch {
		case !r.options.UnsecureCommands:
			return fmt.Errorf("set-env: is disabled")
		case asciiFold(c.Properties["name"]) == "node_options":
			return fmt.Errorf("set-env: %s is blocked", c.Properties["name"])
		}
		return set(r.Env, c)
	case "add-path":
		if !r.options.UnsecureCommands || c.Data == "" {
			return fmt.Errorf("add-path: is disabled, or has no path")
		}
		r.Path = append(slices.DeleteFunc(r.Path, func(p string) bool { return p == c.Data }), c.Data)
	case "add-mask":
		r.mask(c.Data)
	case "add-matcher":
		if c.Data != "" {
			r.Matchers = append(r.Matchers, c.Data)
		}
	case "remove-matcher":
		r.Matchers = slices.DeleteFunc(r.Matchers, func(m string) bool { return m == c.Data })
	case "debug":
		if r.options.Debug {
			r.output("##[debug]" + c.Data)
		}
	case "warning", "error", "notice":
		r.annotate(c)
	case "group":
		r.open = 1
		r.output("##[group]" + c.Data)
	case "endgroup":
		r.open = 0
		r.output("##[endgroup]")
	case "echo":
		return r.setEcho(c)
	}
	return nil
}

func set(values map[string]string, c Command) error {
	name := c.Properties["name"]
	if name == "" {
		return fmt.Errorf("%s: no name", asciiFold(c.Name))
	}
	values[name] = c.Data
	return nil
}

// mask masks a value and each line of it (AddMaskCommandExtension).
func (r *Runner) mask(data string) {
	if strings.TrimSpace(data) == "" {
		return // a warning in the log
	}
	if r.echo {
		r.output("::add-mask::***")
	}
	r.masks.add(data)
	for _, line := range strings.FieldsFunc(data, func(c rune) bool { return c == '\r' || c == '\n' }) {
		r.masks.add(strings.TrimSpace(line))
	}
}

func (r *Runner) setEcho(c Command) error {
	switch strings.ToUpper(strings.TrimSpace(c.Data)) {
	case "ON":
		r.echo = true
	case "OFF":
		r.echo = false
	default:
		return fmt.Errorf("echo: %q is neither on nor off", c.Data)
	}
	return nil
}

// annotate keeps an annotation, its places made sensible (IssueCommandExtension.ValidateLinesAndColumns).
func (r *Runner) annotate(c Command) {
	p := c.Properties
	number := func(key string) (int, bool) { n, err := strconv.Atoi(p[key]); return n, err == nil }
	line, hasLine := number("line")
	endLine, hasEndLine := number("endline")
	column, hasColumn := number("col")
	endColumn, hasEndColumn := number("endcolumn")
	if hasEndLine && !hasLine {
		p["line"], line, hasLine = p["endline"], endLine, true
	}
	if hasEndColumn && !hasColumn {
		p["col"], column = p["endcolumn"], endColumn
		hasColumn = true
	}
	if (hasColumn || hasEndColumn) && (!hasLine || hasEndLine && line != endLine) || hasColumn && hasEndColumn && endColumn < column {
		delete(p, "col")
		delete(p, "endcolumn")
	}
	if hasLine && hasEndLine && endLine < line {
		delete(p, "line")
		delete(p, "endline")
	}
	r.Annotations = append(r.Annotations, c)
	r.output("##[" + asciiFold(c.Name) + "]" + c.Data)
}
