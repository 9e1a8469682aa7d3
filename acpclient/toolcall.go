package acpclient

import (
	"slices"
	"strings"
)

// fields are the members of an update and of a tool call that we read, found in one pass; the two share an object.
type fields struct {
	update, message, mode, options, used, cost                             value // of an update alone
	id, title, name, kind, status, content, locations, input, output, meta value
}

func readFields(v value) (f fields) {
	for m := v.members(); m.next(); {
		switch string(m.key) {
		case "sessionUpdate":
			f.update = m.val
		case "messageId":
			f.message = m.val
		case "currentModeId":
			f.mode = m.val
		case "configOptions":
			f.options = m.val
		case "used":
			f.used = m.val
		case "cost":
			f.cost = m.val
		case "toolCallId":
			f.id = m.val
		case "title":
			f.title = m.val
		case "name":
			f.name = m.val
		case "kind":
			f.kind = m.val
		case "status":
			f.status = m.val
		case "content":
			f.content = m.val
		case "locations":
			f.locations = m.val
		case "rawInput":
			f.input = m.val
		case "rawOutput":
			f.output = m.val
		case "_meta":
			f.meta = m.val
		}
	}
	return f
}

// call decodes what an update or a permission request says of a call, without its outputs; outer is the _meta beside it.
func (f fields) call(outer value) ToolCall {
	command, whole := command(f.input)
	paths, all := f.paths()
	return ToolCall{
		ID:       f.id.short(maxShort),
		Title:    f.title.short(maxShort),
		Kind:     f.kind.short(maxShort),
		Status:   f.status.short(maxShort),
		Command:  command,
		Dir:      directory(f.input, f.meta),
		Paths:    paths,
		Cut:      !whole || !all,
		Subagent: subagent(f.meta, outer),
	}
}

// command is a string, or a list of words, which is joined so that it reads as one; whole is false when something of it is left
// out.
func command(input value) (text string, whole bool) {
	for _, key := range []string{"command", "cmd", "commands"} {
		switch v := input.get(key); {
		case v.is('"'):
			return v.within(maxLong)
		case v.is('['):
			return joinWords(v, key == "commands")
		case v.said():
			return "", false
		}
	}
	return "", true
}

// joinWords quotes the words of a list that a shell would take apart; the only word of a list is a whole command. A list of
// commands is a line for each.
func joinWords(list value, commands bool) (text string, whole bool) {
	var words []string
	size := 0
	whole = true
	for e := list.elements(); e.next() && whole; {
		word, all := e.val.within(maxLong)
		size += len(word) + 1
		whole = all && !e.val.is('{') && !e.val.is('[') && size <= maxLong
		words = append(words, word)
	}
	between := " "
	if commands {
		between = "\n"
	}
	for i, w := range words {
		if len(words) > 1 && !commands && (w == "" || strings.ContainsAny(w, " \t\n'\"\\$`|&;<>()*?#~")) {
			words[i] = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
	}
	text = strings.Join(words, between)
	return cut(text, maxLong), whole && len(text) <= maxLong
}

func directory(input, meta value) string {
	for _, v := range []value{input.get("cwd"), input.get("workdir"), meta.at("terminal_info", "cwd")} {
		if dir := v.short(maxShort); dir != "" {
			return dir
		}
	}
	return ""
}

// The bounds of the paths of one call: as many as a change of a whole project has.
const (
	maxPaths     = 1024
	maxPathBytes = 256 << 10
)

// paths are the places that a call names: its locations, the files of its diffs, and the paths of its input; all is false
// when one is left out.
func (f fields) paths() (found []string, all bool) {
	size := 0
	all = true
	add := func(v value) {
		if v.is('{') {
			v = v.get("path")
		}
		s, whole := v.within(maxShort)
		if !v.is('"') || s == "" || slices.Contains(found, s) {
			return
		}
		if all = all && whole && len(found) < maxPaths && size+len(s) <= maxPathBytes; all {
			found, size = append(found, s), size+len(s)
		}
	}
	for e := f.locations.elements(); e.next() && all; {
		add(e.val)
	}
	for e := f.content.elements(); e.next() && all; {
		if string(e.val.get("type")) == `"diff"` {
			add(e.val)
		}
	}
	for m := f.input.members(); m.next(); {
		switch string(m.key) {
		case "path", "file_path", "filePath", "fileName", "filename", "absolute_path", "notebook_path", "target_file", "old_path", "new_path",
			"destination", "paths", "files":
			for e := m.val.elements(); e.next() && all; {
				add(e.val)
			}
		}
	}
	return found, all
}
