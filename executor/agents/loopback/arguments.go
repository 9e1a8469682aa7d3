package loopback

import (
	"maps"
	"slices"
	"strings"
)

// parameter is a value of a deed, with the names under which schemas ask for it, written small and without punctuation:
// file_path, filePath and filepath are one.
type parameter struct {
	value string
	names []string
}

var (
	commandNames = []string{"command", "cmd", "commandline", "shellcommand", "script"}
	pathNames    = []string{"path", "filepath", "absolutepath", "file", "filename", "targetfile", "relativepath", "relativeworkspacepath", "pathname", "paths", "files"}
	textNames    = []string{"filetext", "content", "contents", "filecontent", "filecontents", "text", "newcontent", "body", "data"}
	oldNames     = []string{"oldstr", "oldstring", "oldtext", "oldcontent", "old", "search", "find", "original", "oldstr1"}
	newNames     = []string{"newstr", "newstring", "newtext", "newcontent", "new", "replace", "replacement", "newstr1"}
	patchNames   = []string{"input", "patchtext", "patch"}
)

// ways are the sets of values by which a deed can be said, the first that a tool takes in full is used.
func (c Call) ways() [][]parameter {
	path, patch := parameter{c.Path, pathNames}, []parameter{{c.patch(), patchNames}}
	switch c.Deed {
	case Shell:
		return [][]parameter{{{c.Command, commandNames}}}
	case Read:
		return [][]parameter{{path}}
	case Write:
		return [][]parameter{{path, {c.Text, textNames}}, patch}
	case Edit:
		return [][]parameter{{path, {c.Old, oldNames}, {c.Text, newNames}}, patch}
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

// arguments are those with which a tool does the deed; nil when it does not take all that the deed has to say.
func (c Call) arguments(t tool) map[string]any {
	for _, way := range c.ways() {
		args := map[string]any{}
		if !slices.ContainsFunc(way, func(p parameter) bool { return !t.schema.put(args, p, c.Deed) }) {
			t.schema.complete(args, c.Deed)
			return args
		}
	}
	return nil
}

// put sets a parameter under the first of its names that the schema has; it reports whether it has one.
func (s schema) put(args map[string]any, p parameter, d Deed) bool {
	for _, want := range p.names {
		for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
			if bare(name) != want || args[name] != nil {
				continue
			}
			if value := s.Properties[name].of(p.value, d); value != nil {
				args[name] = value
				return true
			}
		}
	}
	return false
}

func bare(name string) string {
	return strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(name))
}

// of is a text as a property wants it; nil when it wants no text. Codex's shell takes its command as a list of words.
func (p property) of(text string, d Deed) any {
	switch {
	case p.is("array") && !p.is("string") && d == Shell:
		return []string{"bash", "-c", text}
	case p.is("array") && !p.is("string"):
		return []string{text}
	case p.Type != nil && !p.is("string") || p.Enum != nil:
		return nil
	}
	return text
}

// complete sets what else the schema requires to something harmless: agents refuse a call that lacks it.
func (s schema) complete(args map[string]any, d Deed) {
	for _, name := range s.Required {
		if p, ok := s.Properties[name]; ok && args[name] == nil {
			args[name] = p.filler(name, d)
		}
	}
}

func (p property) filler(name string, d Deed) any {
	if len(p.Enum) > 0 {
		return p.choice(d)
	}
	switch {
	case p.is("boolean"):
		return false
	case p.is("integer"), p.is("number"):
		if strings.Contains(bare(name), "time") {
			return 60_000 // of milliseconds a minute: 1 would end the command
		}
		return 1
	case p.is("array"):
		return []any{}
	case p.is("object"):
		return map[string]any{}
	}
	return "loopback step"
}

// choice is the value of an enumeration that has the surest word of the deed; the first when none has one.
func (p property) choice(d Deed) any {
	best, chosen := len(d.words()), p.Enum[0]
	for _, value := range p.Enum {
		if i := place(d.words(), spoken(value)); i >= 0 && i < best {
			best, chosen = i, value
		}
	}
	return chosen
}
