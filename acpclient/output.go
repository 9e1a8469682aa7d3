package acpclient

import (
	"slices"
	"strings"
)

// maxParts bounds how many streams one update can open; the text of further ones is joined in one called "rest", so that
// a denial cannot be hidden behind a crowd of names.
const maxParts = 32

// outputs finds the text that a call produced, in each shape seen: content blocks (plain or fenced), rawOutput as a string
// or any object, and the vendors' _meta. Diffs are left out: that a file's text speaks of a denial is none.
func (f fields) outputs() []Output {
	var p pieces
	for e := f.content.elements(); e.next(); {
		switch string(e.val.get("type")) {
		case `"diff"`:
		case `"content"`:
			p.add("content", unfence(blockText(e.val.get("content"))), false)
		default:
			p.walk(e.val, "content", 0)
		}
	}
	p.walk(f.output, "rawOutput", 0)
	p.vendor(f.meta)
	return p.outputs()
}

// blockText is the text of a content block, or of several.
func blockText(v value) string {
	if s, ok := v.text(); ok {
		return s
	}
	var first string
	var all []string
	for e := v.elements(); e.next(); {
		s, ok := e.val.get("text").text()
		if !ok {
			s, ok = e.val.at("resource", "text").text()
		}
		if !ok {
			continue
		}
		if all == nil && first == "" {
			first = s
			continue
		}
		if all == nil {
			all = append(all, first)
		}
		all = append(all, s)
	}
	if all == nil {
		return first
	}
	return strings.Join(all, "")
}

// unfence takes a code fence off that surrounds the whole text.
func unfence(s string) string {
	t := strings.TrimSpace(s)
	ticks := len(t) - len(strings.TrimLeft(t, "`"))
	if ticks < 3 {
		return s
	}
	fence := t[:ticks]
	_, body, ok := strings.Cut(t, "\n")
	if !ok {
		return s
	}
	body, ok = strings.CutSuffix(body, fence)
	if !ok || strings.HasSuffix(body, "`") {
		return s
	}
	return strings.TrimSuffix(body, "\n")
}

// pieces collects text by part. Several texts of one part are joined as lines, deltas as they are.
type pieces struct{ list []*piece }

type piece struct {
	part  string
	text  string
	more  *strings.Builder // once there is a second text
	delta bool
}

func (p *pieces) add(part, text string, delta bool) {
	if text == "" {
		return
	}
	at := p.find(part, delta)
	if at == nil && len(p.list) >= maxParts {
		part = "rest"
		at = p.find(part, delta)
	}
	if at == nil {
		p.list = append(p.list, &piece{part: part, text: text, delta: delta})
		return
	}
	at.join(text)
}

func (p *pieces) find(part string, delta bool) *piece {
	for _, q := range p.list {
		if q.part == part && q.delta == delta {
			return q
		}
	}
	return nil
}

func (q *piece) join(text string) {
	if q.more == nil {
		q.more = new(strings.Builder)
		q.more.WriteString(q.text)
	}
	if !q.delta && !strings.HasSuffix(q.text, "\n") {
		q.more.WriteByte('\n')
	}
	q.more.WriteString(text)
	q.text = text // its end decides whether the next one needs a newline
}

// walk adds each string below v, except under keys that hold no output.
func (p *pieces) walk(v value, part string, depth int) {
	if s, ok := v.text(); ok {
		p.add(part, s, false)
		return
	}
	if v.is('[') {
		for e := v.elements(); e.next(); {
			p.walk(e.val, part, depth)
		}
		return
	}
	for m := v.members(); m.next(); {
		switch {
		case silent(string(m.key)):
		case string(m.key) == "detailedContent" && isDiff(m.val):
		case m.val.is('"') || m.val.is('{') || m.val.is('['):
			p.walk(m.val, below(part, m.key, depth), depth+1)
		}
	}
}

// below names the stream of a member; deep ones share the name of what they are in.
func below(part string, key []byte, depth int) string {
	const maxKey, maxNames = 64, 4
	if depth >= maxNames {
		return part
	}
	return part + "." + strings.ToValidUTF8(string(key[:min(len(key), maxKey)]), "�")
}

// silent names the members that say what was done, with what and where, not what came of it: they repeat commands, paths
// and file texts, in which the words of a denial mean nothing.
func silent(key string) bool {
	switch key {
	case "type", "id", "code", "status", "signal", "shellId", "call_id", "callId", "toolCallId", "terminalId", "terminal_id",
		"process_id", "pid", "agentId", "threadId", "turnId", "turn_id", "reviewId", "targetItemId", "decisionSource", "source",
		"name", "title", "mimeType", "uri", "url", "cwd", "path", "paths", "file", "files", "filePath", "file_path", "fileName",
		"filename", "directory", "locations", "outputFile", "outputFiles", "outputFilePath", "persistedOutputPath",
		"command", "commands", "cmd", "parsed_cmd", "argv", "args", "arguments", "input", "rawInput", "prompt", "description", "action",
		"diff", "patch", "structuredPatch", "oldText", "newText", "old_text", "new_text", "oldString", "newString", "old_string",
		"new_string", "old_str", "new_str", "originalFile", "file_text", "_meta":
		return true
	}
	return false
}

func isDiff(v value) bool {
	return strings.HasPrefix(strings.TrimSpace(v.short(64)), "diff --git ")
}

// vendor adds what _meta carries. There only members with a name for output are read: _meta also holds whole files and
// the agent's own accounts.
func (p *pieces) vendor(meta value) {
	for m := meta.members(); m.next(); {
		switch string(m.key) {
		case "terminal_output_delta", "terminal_output":
			s, _ := m.val.get("data").text()
			p.add("_meta."+string(m.key), s, true)
		case "claudeCode":
			p.claude(m.val.get("toolResponse"))
			p.named(m.val, "_meta.claudeCode", 1)
		default:
			p.named(m.val, below("_meta", m.key, 0), 1)
		}
	}
}

// claude adds the streams of a tool response under the name "content", since the content of the next update repeats
// them: under a name of their own, each denial in them would be met twice.
func (p *pieces) claude(response value) {
	part := "content"
	if p.find(part, false) != nil {
		part = "_meta.claudeCode.toolResponse"
	}
	for _, key := range []string{"stdout", "stderr"} {
		s, _ := response.get(key).text()
		p.add(part, s, false)
	}
}

func (p *pieces) named(v value, part string, depth int) {
	if v.is('[') {
		for e := v.elements(); e.next(); {
			p.named(e.val, part, depth)
		}
		return
	}
	for m := v.members(); m.next(); {
		switch string(m.key) {
		case "toolResponse":
			// read by claude
		case "stdout", "stderr", "output", "error", "message", "aggregated_output", "formatted_output":
			p.walk(m.val, below(part, m.key, depth), depth+1)
		default:
			p.named(m.val, below(part, m.key, depth), depth+1)
		}
	}
}

// outputs gives each text once: one that another repeats, alone or with more around it, is left out, so that nobody counts
// its denials twice. A delta is never left out.
func (p *pieces) outputs() []Output {
	if len(p.list) == 0 {
		return nil
	}
	all := make([]Output, 0, len(p.list))
	for _, q := range p.list {
		o := Output{Part: q.part, Text: q.text, Append: q.delta}
		if q.more != nil {
			o.Text = q.more.String()
		}
		if q.delta || strings.TrimSpace(o.Text) != "" {
			all = append(all, o)
		}
	}
	if len(all) < 2 {
		return all
	}
	return distinct(all)
}

func distinct(all []Output) []Output {
	const compared = 4 // the longest, so that many parts cost no more than a few passes over the text
	order := make([]int, len(all))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return len(all[b].Text) - len(all[a].Text) })
	var long []string
	repeated := make([]bool, len(all))
	for _, i := range order {
		text := strings.TrimSpace(all[i].Text)
		repeated[i] = !all[i].Append && slices.ContainsFunc(long, func(l string) bool { return repeats(l, text) })
		if !repeated[i] && len(long) < compared {
			long = append(long, text)
		}
	}
	kept := all[:0]
	for i, o := range all {
		if !repeated[i] {
			kept = append(kept, o)
		}
	}
	return kept
}

// repeats says whether all of text stands in long. Of a big text only start and end are tried: to search for one costs an
// agent that has studied the search too little, and us too much.
func repeats(long, text string) bool {
	if len(text) > maxLong {
		return strings.HasPrefix(long, text) || strings.HasSuffix(long, text)
	}
	return strings.Contains(long, text)
}
