package loopback

import (
	"slices"
	"strings"
	"unicode"
)

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

// words in the names of tools of agents that nobody has seen, the surest first. A tool must take the deed's values as well. No word is
// here that would fit a tool of another kind with the same values: "file" is also in delete_file.
func (d Deed) words() []string {
	switch d {
	case Shell:
		return []string{"bash", "shell", "sh", "powershell", "terminal", "exec", "command", "cmd", "run", "process", "launch"}
	case Read:
		return []string{"read", "view", "cat", "open", "show"}
	case Write:
		return []string{"write", "create", "save"}
	case Edit:
		return []string{"replace", "edit", "patch", "modify", "update", "change"}
	}
	return nil
}

// find chooses the tool for a deed, and its arguments: one of a known name, or else the one whose name has the surest
// word, of those that take what the deed has to say.
func (c Call) find(offered []tool) (tool, map[string]any, bool) {
	best, found, args := 0, tool{}, map[string]any(nil)
	for _, t := range offered {
		rank := c.Deed.rank(t)
		if rank == 0 || args != nil && rank >= best {
			continue
		}
		if a := c.arguments(t); a != nil {
			best, found, args = rank, t, a
		}
	}
	if args == nil && c.Deed == Read { // Codex has no other way to read than a command
		return Call{Deed: Shell, Command: "cat '" + strings.ReplaceAll(c.Path, "'", `'\''`) + "'"}.find(offered)
	}
	return found, args, args != nil
}

// notFiles are words of tools that take a path as a deed does, and do something else with it: codex's view_image.
var notFiles = []string{"image", "images", "directory", "dir", "folder", "url", "browser", "notebook"}

// rank is 1 for a tool of a known name, more for one whose name has a word of the deed's, 0 for any other. An editor of
// many commands is known by those: their words come after all names.
func (d Deed) rank(t tool) int {
	if slices.Contains(d.names(), t.name) {
		return 1
	}
	list, said := d.words(), words(t.name)
	if slices.ContainsFunc(said, func(w string) bool { return slices.Contains(notFiles, w) }) {
		return 0
	}
	if i := place(list, said); i >= 0 {
		return 2 + i
	}
	for _, name := range t.schema.Required {
		for _, value := range t.schema.Properties[name].Enum {
			if i := place(list, spoken(value)); i >= 0 {
				return 2 + len(list) + i
			}
		}
	}
	return 0
}

// place is the index of the first of list that begins a word; -1 for none. A word that goes on is taken too, as in
// readfile, but not after two letters: "sh" also begins "show".
func place(list, words []string) int {
	return slices.IndexFunc(list, func(want string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return w == want || len(want) > 2 && strings.HasPrefix(w, want) })
	})
}

// words are those of a name in whatever case: run_in_terminal, runInTerminal, Run-In-Terminal.
func words(name string) []string {
	var b strings.Builder
	small := false
	for _, r := range name {
		if unicode.IsUpper(r) && small {
			b.WriteByte(' ')
		}
		small = unicode.IsLower(r)
		b.WriteRune(unicode.ToLower(r))
	}
	return strings.FieldsFunc(b.String(), func(r rune) bool { return !unicode.IsLetter(r) })
}

func spoken(value any) []string {
	s, _ := value.(string)
	return words(s)
}
