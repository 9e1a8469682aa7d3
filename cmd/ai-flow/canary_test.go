package main

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/d3mlabs/ai-flow/testsupport/canary"
	"github.com/d3mlabs/ai-flow/testsupport/fakeagent"
	"github.com/rogpeppe/go-internal/testscript"
)

// TestCanaryStories: every secret of a run is a canary, the agent echoes what it has in every form at every place that it can
// reach, and nothing of it arrives anywhere outside (S5).
func TestCanaryStories(t *testing.T) { newStage(t).play(t, "testdata/canary") }

// passingForms are those that package render is known not to find; its TestForms lists them, with the reasons.
var passingForms = []canary.Form{canary.Packed, canary.Base64Twice}

// carried are the variables with the secrets that an agent of these stories has.
var carried = []string{"GH_TOKEN", "OPENAI_API_KEY", "LUCKY_WORD"}

// sing makes an agent that echoes its secrets: sing everywhere|aside|files FILE. everywhere is in what it answers too, aside
// everywhere but there, files is in the names and contents of files too.
func sing(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: sing everywhere|aside|files FILE")
	}
	loot := ts.Getenv("WORK") + "/loot"
	turn := fakeagent.Turn{{Call: &fakeagent.Call{Command: "env >" + loot + "/env; cat /proc/[0-9]*/environ >" + loot + "/environs 2>/dev/null; echo x >clean.txt", Run: true}}}
	turn = append(turn, asides()...)
	switch args[0] {
	case "everywhere":
		turn = append(turn, answers()...)
	case "files":
		turn = append(turn, files()...)
	}
	turn = append(turn, fakeagent.Step{Say: "\n\nI looked at it, and made a file."})
	token := canary.Place(canary.Plain, "GH_TOKEN")
	script := fakeagent.Script{Name: "agent " + token, Version: canary.Place(canary.Reversed, "GH_TOKEN"), Modes: []string{"ask", "mode-" + token},
		Models: []string{"model-" + token, canary.Place(canary.Base64, "GH_TOKEN")}, Turns: []fakeagent.Turn{turn}}
	data, err := json.Marshal(script)
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), data, 0o644))
}

// echoes are all secrets in all forms.
func echoes() (all []string) {
	for _, form := range canary.Forms() {
		for _, name := range carried {
			if !slices.Contains(passingForms, form) {
				all = append(all, canary.Place(form, name))
			}
		}
	}
	return all
}

// asides are the places beside the answer.
func asides() (steps []fakeagent.Step) {
	every := strings.Join(echoes(), " , ")
	for i, echo := range echoes() {
		if i%len(carried) != 0 {
			continue // the token is enough where each costs a call
		}
		steps = append(steps,
			fakeagent.Step{Call: &fakeagent.Call{Title: "Read " + echo, Command: "cat " + echo, Paths: []string{"/x/" + echo}, Text: "cat: /x/" + echo + ": Permission denied", Exit: new(1)}},
			fakeagent.Step{Call: &fakeagent.Call{Title: echo, Kind: "fetch", Paths: []string{echo}, Ask: true}})
	}
	for i, update := range []map[string]any{
		{"sessionUpdate": "plan", "entries": []any{map[string]any{"content": every, "priority": "high", "status": "pending"}}},
		{"sessionUpdate": "usage_update", "used": 1, "size": 2, "cost": map[string]any{"amount": 1.5, "currency": canary.Place(canary.Plain, "GH_TOKEN")}},
		{"sessionUpdate": "session_info_update", "title": every},
		{"sessionUpdate": "available_commands_update", "availableCommands": []any{map[string]any{"name": every, "description": every}}},
		{"sessionUpdate": "tool_call", "toolCallId": "mcp", "kind": "other", "status": "pending", "title": "mcp__" + canary.Place(canary.Plain, "GH_TOKEN") + "__get",
			"rawInput": map[string]any{"subagent_type": canary.Place(canary.Hex, "GH_TOKEN"), "description": every, "prompt": every, "command": every}},
		{"sessionUpdate": "tool_call_update", "toolCallId": "mcp", "status": "failed", "rawOutput": map[string]any{"message": every, "output": every},
			"content": []any{map[string]any{"type": "content", "content": map[string]any{"type": "text", "text": every}}}},
		{"sessionUpdate": "unheard_of", "text": every},
	} {
		steps = append(steps, fakeagent.Step{Update: update}, fakeagent.Step{Stderr: fmt.Sprint("line ", i, ": ", every, "\n")})
	}
	return append(steps, fakeagent.Step{Think: every}, fakeagent.Step{Raw: "noise " + every}, fakeagent.Step{Mode: "mode-" + canary.Place(canary.Plain, "GH_TOKEN")})
}

// answers are in what is said.
func answers() (steps []fakeagent.Step) {
	for _, name := range carried {
		steps = append(steps, fakeagent.Step{Say: "\n\nLetter by letter: "}, fakeagent.Step{Bytewise: canary.Place(canary.Plain, name)}, fakeagent.Step{Bytewise: canary.Place(canary.Base64At1, name)})
	}
	for _, echo := range echoes() {
		steps = append(steps, fakeagent.Step{Say: "\n\n**It** is `" + echo + "`, and " + echo + ".\n"}, fakeagent.Step{Say: "WANTED: /x/" + echo + " — for " + echo + "\n"})
	}
	return steps
}

// files are in names and contents of files, one of them of a workflow. What no shell and no name can hold is left out.
func files() (steps []fakeagent.Step) {
	for i, echo := range echoes() {
		if strings.Contains(echo, "utf16") || strings.Contains(echo, "base64") && !strings.Contains(echo, "base64url") {
			continue
		}
		steps = append(steps, fakeagent.Step{Call: &fakeagent.Call{Run: true, Command: fmt.Sprintf(
			"mkdir -p .github/workflows names; cat >content%d.txt <<'E'\n%s\nE\ncp content%d.txt .github/workflows/w%d.yml; cp content%d.txt names/'%s'", i, echo, i, i, i, echo)}})
	}
	return steps
}

var maskLine = regexp.MustCompile(`(?m)^::add-mask::(.*)$`)

// silent fails the story when any secret is to be found outside, in any form: silent. The masks that the runner is told are the
// one exception. It knows the secrets by what the story set, by the agent's own loot, and by the masks.
func silent(ts *testscript.TestScript, neg bool, args []string) {
	set := &canary.Set{}
	for _, name := range append(carried, "AI_FLOW_APP_PRIVATE_KEY", "SOME_TOKEN") {
		set.Add(name, ts.Getenv(name))
	}
	own := ""
	for line := range strings.Lines(ts.ReadFile("loot/env")) {
		if name, value, _ := strings.Cut(strings.TrimSpace(line), "="); slices.Contains(carried, name) {
			own += name + " "
			set.Add(name+" of the agent", value)
		}
	}
	if strings.Count(own, " ") != len(carried) {
		ts.Fatalf("the agent had only %s", own)
	}
	outside := outsides(ts)
	for name, text := range outside {
		for _, m := range maskLine.FindAllStringSubmatch(text, -1) {
			set.Add("a masked value", m[1])
		}
		outside[name] = maskLine.ReplaceAllString(text, "")
	}
	if n := len(set.Names()); n < 5 {
		ts.Fatalf("only %q are known", set.Names())
	}
	for name, text := range outside {
		for _, h := range set.Find([]byte(text)) {
			tb(ts).Errorf("%s holds %v: %.60q", name, h, text[max(0, min(h.At-20, len(text))):])
		}
	}
	// What the agent could read holds nothing but its own.
	theirs := &canary.Set{}
	theirs.Add("the App's key", ts.Getenv("AI_FLOW_APP_PRIVATE_KEY"))
	theirs.Add("SOME_TOKEN", ts.Getenv("SOME_TOKEN"))
	for _, name := range []string{"loot/env", "loot/environs"} {
		if hits := theirs.Find([]byte(ts.ReadFile(name))); len(hits) > 0 {
			ts.Fatalf("the agent could read %v", hits)
		}
	}
}

// outsides is all that leaves a run, by where it does.
func outsides(ts *testscript.TestScript) map[string]string {
	h, all := theHub(ts), map[string]string{}
	for _, dir := range []string{ts.Getenv(printedTo), ts.Getenv("RUNNER_TEMP") + "/ai-flow"} {
		ts.Check(filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			data, err := os.ReadFile(path)
			all[path] = path + "\n" + string(data)
			return err
		}))
	}
	if len(all) < 5 {
		ts.Fatalf("only %d files are outside", len(all))
	}
	all["GitHub"] = h.repo.Snapshot()
	for i, p := range h.repo.Thread(h.issue) {
		all[fmt.Sprint("text ", i, " of the thread")] = p.Body
	}
	for _, p := range h.repo.Pulls() {
		all[fmt.Sprint("pull request ", p.Number)] = p.Title + "\n" + p.Head + "\n" + p.Body
	}
	cmd := exec.Command("git", "--git-dir="+h.repo.GitDir(), "cat-file", "--batch-all-objects", "--batch")
	objects, err := cmd.Output()
	ts.Check(err)
	all["the objects of git"] = string(objects)
	all["branches"] = fmt.Sprint(h.repo.Refs())
	return all
}
