package acpclient

import (
	"encoding/json"
	"slices"
	"strings"
)

const maxRaw = 256 << 10 // of a toolCall kept as sent: 64 may be open

// decodePermission reads a request. It never fails: a request that cannot be read reaches the policy with a mark.
func decodePermission(params value) PermissionRequest {
	call := params.get("toolCall")
	f := readFields(call)
	options, all := decodePermissionOptions(params.get("options"))
	req := PermissionRequest{
		Session: params.get("sessionId").short(maxShort),
		Call:    f.call(params.get("_meta")),
		Options: options,
		Marks:   marks(params, call, f),
	}
	if (req.Call.Cut || !all) && !slices.Contains(req.Marks, "malformed") {
		req.Marks = append(req.Marks, "malformed")
	}
	req.Interactive = len(req.Marks) > 0
	if len(call) <= maxRaw {
		req.Raw = append(json.RawMessage(nil), call...)
	}
	return req
}

// decodePermissionOptions keeps options of unknown kinds, in their order: choosing is the policy's. An id that would have
// to be cut is no id to answer with, so its option is left out; all is false when there are more than can be looked at.
func decodePermissionOptions(v value) (options []PermissionOption, all bool) {
	for e := v.elements(); e.next(); {
		if len(options) >= maxList {
			return options, false
		}
		id, ok := e.val.get("optionId").text()
		if !ok || id == "" || len(id) > maxShort {
			continue
		}
		options = append(options, PermissionOption{
			ID:   id,
			Name: e.val.get("name").short(maxShort),
			Kind: e.val.get("kind").short(maxShort),
		})
	}
	return options, true
}

// marks names what makes a request more than a plain tool request (A1-20 to A1-23). It fails closed: one sign is enough,
// and a tool that happens to have an input of such a name is asked about for nothing.
func marks(params, call value, f fields) []string {
	var m markSet
	if !call.is('{') || f.id.short(maxShort) == "" || !params.get("options").is('[') {
		m.set("malformed")
	}
	if string(f.kind) == `"switch_mode"` {
		m.set("plan")
	}
	for _, name := range toolNames(params, f) {
		m.name(name)
	}
	m.title(f.title)
	for v := f.input.members(); v.next(); {
		m.input(letters(v.key), v.val)
	}
	for _, meta := range []value{params.get("_meta"), f.meta, f.input.get("_meta")} {
		m.meta(meta)
	}
	for _, v := range []value{params, call} {
		for e := v.members(); e.next(); {
			m.flag(letters(e.key), e.val)
		}
	}
	for e := params.get("options").elements(); e.next(); {
		m.option(e.val)
	}
	return m
}

// toolNames are the places where agents name the tool that asks.
func toolNames(params value, f fields) []value {
	return []value{
		f.name, f.kind,
		f.input.get("tool"), f.input.get("toolName"), f.input.get("tool_name"), f.input.get("name"), f.input.get("type"),
		f.meta.at("claudeCode", "toolName"), f.meta.get("toolName"), f.meta.get("tool_name"), f.meta.get("name"),
		params.get("toolName"), params.get("type"),
	}
}

type markSet []string

func (m *markSet) set(mark string) {
	if !slices.Contains(*m, mark) {
		*m = append(*m, mark)
	}
}

// name knows the tools that ask a person by their names, however these are spelled.
func (m *markSet) name(v value) {
	switch n := letters([]byte(v.short(128))); {
	case n == "":
	case slices.Contains([]string{"question", "questions", "elicit", "elicitation"}, n),
		strings.Contains(n, "askuser"), strings.Contains(n, "askquestion"), strings.Contains(n, "askfollowup"),
		strings.Contains(n, "userinput"), strings.Contains(n, "requestinput"), strings.Contains(n, "askhuman"):
		m.set("question")
	case strings.Contains(n, "exitplan"), strings.Contains(n, "planexit"), strings.Contains(n, "enterplan"), strings.Contains(n, "planenter"),
		strings.Contains(n, "approveplan"), strings.Contains(n, "planapproval"), strings.Contains(n, "presentplan"),
		strings.Contains(n, "submitplan"), strings.Contains(n, "switchmode"), strings.Contains(n, "planmode"):
		m.set("plan")
	case strings.Contains(n, "foldertrust"), strings.Contains(n, "trustfolder"), strings.Contains(n, "workspacetrust"),
		strings.Contains(n, "trustworkspace"), strings.Contains(n, "directorytrust"), strings.Contains(n, "trustdirectory"),
		strings.Contains(n, "trustthe"), strings.Contains(n, "trustthis"), strings.Contains(n, "doyoutrust"):
		m.set("trust")
	}
}

// title reads a title as a name when it is one word. Otherwise it is prose, often the model's account of a command
// ("Run the user input tests"), and only the trust prompts are known by it.
func (m *markSet) title(v value) {
	if text := v.short(256); !strings.Contains(text, " ") {
		m.name(v)
	} else if n := letters([]byte(text)); slices.ContainsFunc(trustPrompts, func(words string) bool { return strings.Contains(n, words) }) {
		m.set("trust")
	}
}

var trustPrompts = []string{"doyoutrust", "trustthefiles", "trusttheauthors", "trustthisfolder", "trustthisdirectory", "trustthisworkspace", "trustthisproject",
	"trustthisrepo", "trustthefolder", "trusttheworkspace", "trustfolder", "trustworkspace", "trustdirectory"}

func (m *markSet) input(key string, v value) {
	m.flag(key, v)
	switch {
	case !v.said():
	case key == "plan" || key == "planfilepath" || key == "allowedprompts":
		m.set("plan")
	}
}

// flag reads a member by its key, wherever it stands.
func (m *markSet) flag(key string, v value) {
	switch {
	case !v.said() || v.is('f'):
	case strings.Contains(key, "question"), strings.Contains(key, "userinput"), strings.Contains(key, "elicitation"):
		m.set("question")
	case strings.Contains(key, "exitplan"), strings.Contains(key, "planapproval"):
		m.set("plan")
	case strings.Contains(key, "foldertrust"), strings.Contains(key, "trustfolder"), key == "trust", strings.Contains(key, "workspacetrust"):
		m.set("trust")
	case strings.Contains(key, "interactive"):
		m.set("interactive")
	}
}

// meta reads the flags at any depth of vendor data.
func (m *markSet) meta(v value) {
	if v.is('[') {
		for e := v.elements(); e.next(); {
			m.meta(e.val)
		}
		return
	}
	for e := v.members(); e.next(); {
		m.flag(letters(e.key), e.val)
		if e.val.is('{') || e.val.is('[') {
			m.meta(e.val)
		}
	}
}

func (m *markSet) option(v value) {
	id := letters([]byte(v.get("optionId").short(128)))
	if strings.Contains(id, "trust") {
		m.set("trust")
	}
	if strings.Contains(id, "plan") {
		m.set("plan")
	}
}

// letters brings a name to lower-case letters, so that ask_user, askUser and Ask-User are one.
func letters(name []byte) string {
	out := make([]byte, 0, min(len(name), 128))
	for _, c := range name[:min(len(name), 128)] {
		if lower := c | 0x20; 'a' <= lower && lower <= 'z' {
			out = append(out, lower)
		}
	}
	return string(out)
}
