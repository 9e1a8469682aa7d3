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
	return ToolCall{
		ID:       f.id.short(maxShort),
		Title:    f.title.short(maxShort),
		Kind:     f.kind.short(maxShort),
		Status:   f.status.short(maxShort),
		Command:  command(f.input),
		Dir:      directory(f.input, f.meta),
		Paths:    f.paths(),
		Subagent: subagent(f.meta, outer),
	}
}

// command is a string, or an argument list, which is joined so that it reads as one.
func command(input value) string {
	for _, key := range []string{"command", "cmd", "commands"} {
		v := input.get(key)
		if v.is('"') {
			return v.short(maxLong)
		}
		if v.is('[') {
			return joinWords(v)
		}
	}
	return ""
}

// joinWords quotes the words of a list that a shell would take apart; the only word of a list is a whole command.
func joinWords(list value) string {
	var words []string
	size := 0
	for e := list.elements(); e.next() && size < maxLong; {
		words = append(words, e.val.short(maxLong))
		size += len(words[len(words)-1]) + 1
	}
	if len(words) > 1 {
		for i, w := range words {
			if w == "" || strings.ContainsAny(w, " \t\n'\"\\$`|&;<>()*?#~") {
				words[i] = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
			}
		}
	}
	return cut(strings.Join(words, " "), maxLong)
}

func directory(input, meta value) string {
	for _, v := range []value{input.get("cwd"), input.get("workdir"), meta.at("terminal_info", "cwd")} {
		if dir := v.short(maxShort); dir != "" {
			return dir
		}
	}
	return ""
}

// paths are the places that a call names: its locations, the files of its diffs, and the path of its input.
func (f fields) paths() []string {
	var found []string
	add := func(p value) {
		if s := p.short(maxShort); p.is('"') && s != "" && len(found) < maxList && !slices.Contains(found, s) {
			found = append(found, s)
		}
	}
	for e := f.locations.elements(); e.next() && len(found) < maxList; {
		add(e.val.get("path"))
	}
	for e := f.content.elements(); e.next() && len(found) < maxList; {
		if string(e.val.get("type")) == `"diff"` {
			add(e.val.get("path"))
		}
	}
	for m := f.input.members(); m.next(); {
		switch string(m.key) {
		case "path", "file_path", "filePath", "fileName", "filename", "absolute_path", "notebook_path":
			add(m.val)
		}
	}
	return found
}
