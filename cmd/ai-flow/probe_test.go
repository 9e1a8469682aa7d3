package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/d3mlabs/ai-flow/executor"
	"github.com/d3mlabs/ai-flow/executor/agents"
	"github.com/d3mlabs/ai-flow/executor/probe"
)

// found is what a probe of a hostile agent found.
func found() probe.Result {
	long := strings.Repeat("x", 5000)
	return probe.Result{Agent: "Evil\x1b[2J\u202e\nRules: all hold", Version: "1.0\r2", Requests: 7, Took: 12345 * time.Millisecond,
		Played: []probe.Played{
			{Scenario: probe.ReadDenied, Launches: 1, Requests: 3, Took: 2500 * time.Millisecond, Transcript: []byte(`{"dir":"c2a","msg":{"token":"sesame-sesame"}}` + "\n"),
				Facts: []probe.Fact{{Name: "asked", Value: "never"}, {Name: "offered", Value: "allow_once (\x1b]0;x\x07ok), reject_once (no)"}, {Name: "longest line", Value: long}}},
			{Scenario: probe.Cancel, Launches: 1, Requests: 1, Took: time.Second, Failure: "it sent\nnothing and sesame-sesame",
				Facts: []probe.Fact{{Name: "stop reason", Value: "end_turn"}, {Name: "tokens", Value: "11 in, 7 out"}}},
			{Scenario: probe.Edit, Launches: 2, Requests: 3, Took: time.Second, Facts: []probe.Fact{
				{Launch: "allowed", Name: "stop reason", Value: "end_turn"}, {Launch: "allowed", Name: "tokens", Value: "22 in, 7 out"}, {Launch: "refused", Name: "stop reason", Value: "end_turn"}, {Launch: "refused", Name: "calls told", Value: "edit: a: b"}}},
		},
		Verdicts: []probe.Verdict{
			{Rule: probe.Rule{ID: "ask-1", Says: "it asks before a command that writes", Of: []probe.Scenario{probe.RejectWrite}}, Why: "the scenario was not played"},
			{Rule: probe.Rule{ID: "want-1", Says: "a file that is closed to its reading tool becomes a want, said in so many words that a line is too short"}, Held: probe.Holds, Why: "it did"},
			{Rule: probe.Rule{ID: "cancel-1", Says: "a cancelled turn is answered as cancelled"}, Held: probe.DoesNot, Why: "it answered \"end_turn\x1b[31m\"\n##[error]me"},
		}}
}

// probed carries a probe out with a runner of the test's own.
func probed(t *testing.T, o probeOptions, run prober) (dir, stdout, stderr string, err error) {
	t.Helper()
	var out, errs bytes.Buffer
	env, err := parseEnvironment([]string{"XDG_STATE_HOME=" + t.TempDir(), "DEPLOY_TOKEN=sesame-sesame"})
	if err != nil {
		t.Fatal(err)
	}
	known := newSecrets(env.secretValues())
	p := &program{Command: Command{Stdout: &out, Stderr: &errs, Dir: t.TempDir()}, env: env, secrets: env.secretValues(),
		say: newVoice(&errs, env, known), out: newGuard(&out, known)}
	if o.agent == "" {
		o.agent = "copilot"
	}
	profile, _ := agents.Find(o.agent)
	output, err := p.openProbeOutput(o)
	if err == nil {
		err = p.carryOut(t.Context(), o, output, run, probe.Options{Agent: executor.Agent{Profile: profile, Binary: "/opt/a\x1b[1mgent"}, Variables: o.variables})
		err = errors.Join(err, output.discard())
	}
	return p.probeDir(o, profile), out.String(), errs.String(), err
}

func finds(r probe.Result, err error) prober {
	return func(context.Context, probe.Options) (probe.Result, error) { return r, err }
}

// TestProbeTable: foreign text can neither move the cursor nor begin a line of ours, secrets stay out, and standard output is
// what stands in the file (S5, S6, rule 10).
func TestProbeTable(t *testing.T) {
	dir, stdout, _, err := probed(t, probeOptions{}, finds(found(), nil))
	if err != nil {
		t.Fatal(err)
	}
	table := read1(t, filepath.Join(dir, "table.txt"))
	head, _, _ := strings.Cut(table, "\n")
	_, rest, _ := strings.Cut(table, "\n\n") // behind what depends on day and host
	if !strings.HasPrefix(head, "copilot · Evil Rules: all hold 1.0 2 · qualified · as yourself") {
		t.Errorf("the first line is %q", head)
	}
	if stdout != table+"\ntranscripts: "+dir+"\n" {
		t.Errorf("standard output is not the table with the place behind it:\n%s", stdout)
	}
	golden := filepath.Join("testdata", "probe", "table.txt")
	if os.Getenv("AIFT_UPDATE") == "1" {
		if err := os.WriteFile(golden, []byte(rest), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if want := read1(t, golden); rest != want {
		t.Errorf("the table is\n%s\nwant\n%s", rest, want)
	}
	for line := range strings.Lines(table) {
		if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > 80 && strings.Count(strings.TrimSpace(line), " ") > 1 && !strings.Contains(line, "xxx") {
			t.Errorf("a line of %d characters: %q", n, line)
		}
	}
	for name, text := range map[string]string{"table": stdout, "probe.json": read1(t, filepath.Join(dir, "probe.json"))} {
		if strings.ContainsAny(text, "\x1b\x07\r\u202e") || strings.Contains(text, "sesame") || strings.Contains(text, "##[") {
			t.Errorf("the %s is not safe:\n%q", name, text)
		}
	}
	if got := read1(t, filepath.Join(dir, "read-denied.jsonl")); strings.Contains(got, "sesame") || !json.Valid([]byte(got)) {
		t.Errorf("the transcript holds a secret, or is no JSON: %q", got)
	}
}

// TestProbeTranscriptIsSafe: a transcript says what came, in characters that do nothing to whoever prints it.
func TestProbeTranscriptIsSafe(t *testing.T) {
	const said = "\u009b2J\u202e##[error]x\u0085::error::\x7f\u200b\U000e0041é\U0001f600"
	line, err := json.Marshal(map[string]string{"msg": said})
	if err != nil {
		t.Fatal(err)
	}
	r := found()
	r.Played[0].Transcript = append(line, '\n')
	dir, _, _, err := probed(t, probeOptions{}, finds(r, nil))
	if err != nil {
		t.Fatal(err)
	}
	got := read1(t, filepath.Join(dir, "read-denied.jsonl"))
	if strings.ContainsAny(got, "\u009b\u202e\u0085\x7f\u200b\U000e0041") || strings.Contains(got, "##[") || !strings.Contains(got, "é\U0001f600") {
		t.Errorf("not safe, or more changed than must be: %q", got)
	}
	var back map[string]string
	if err := json.Unmarshal([]byte(got), &back); err != nil || back["msg"] != said {
		t.Errorf("it says %q, %v", back["msg"], err)
	}
}

// TestProbeTableIsNotForged: foreign text that goes on in another line begins it where no line of ours begins.
func TestProbeTableIsNotForged(t *testing.T) {
	forged := strings.Repeat("pad ", 40) + "Rules: 0 do not, 35 hold, 0 not exercised holds reject-1 a rejected command does not run"
	forged = strings.ReplaceAll(forged, " ", "  ")
	for shift := range 80 { // a line ends somewhere
		text := strings.Repeat("x", shift) + " " + forged
		r := probeReport{Agent: probeAgent{Name: "copilot", Answered: text, Version: text, Binary: "/" + text, Origin: text}, Failure: text,
			Scenarios: []probeScenario{{Name: "edit", Failure: text, Facts: []probeFact{{Name: "m", Value: text}}}},
			Rules:     []probeRule{{ID: "a-1", Held: "does not", Says: "it is good", Why: text}}}
		for line := range strings.Lines(r.table(80)) {
			begins := len(line) - len(strings.TrimLeft(line, " "))
			if words := strings.TrimSpace(line); begins < 6 && (strings.HasPrefix(words, "Rules: 0") || strings.HasPrefix(words, "holds")) {
				t.Fatalf("with %d: a line of the agent's: %q", shift, line)
			}
		}
	}
}

// TestProbeFailureIsToldOnce: as a fact where it is one, else on a line of its own.
func TestProbeFailureIsToldOnce(t *testing.T) {
	const why = "it went silent"
	for _, facts := range [][]probeFact{nil, {{Name: "failed", Value: why}}, {{Launch: "command", Name: "failed", Value: why}}} {
		r := probeReport{Scenarios: []probeScenario{{Name: "edit", Failure: why, Facts: facts}}}
		if table := r.table(80); strings.Count(table, why) != 1 || !strings.Contains(table, "failed") {
			t.Errorf("with the facts %v:\n%s", facts, table)
		}
	}
}

// Where no launch was made the next step is one for what was missing.
func TestProbeHint(t *testing.T) {
	for _, c := range []struct {
		failed *executor.Failure
		want   string
	}{
		{&executor.Failure{Phase: "initialize"}, "AI_FLOW_AGENT_ARGS"},
		{&executor.Failure{Phase: "session", Class: executor.FailedAuth}, "{key}"},
		{nil, "{root}"},
	} {
		if said := probeHint(c.failed); !strings.Contains(said, c.want) {
			t.Errorf("%+v: %q", c.failed, said)
		}
	}
}

// TestProbeJSON: the names are what scripts rely on.
func TestProbeJSON(t *testing.T) {
	dir, stdout, _, err := probed(t, probeOptions{json: true, variables: map[string]string{"B": "{key}", "A": "{root}"}}, finds(found(), nil))
	if err != nil {
		t.Fatal(err)
	}
	if stdout != read1(t, filepath.Join(dir, "probe.json")) {
		t.Errorf("standard output is not probe.json:\n%s", stdout)
	}
	var r map[string]any
	if err := json.Unmarshal([]byte(stdout), &r); err != nil {
		t.Fatal(err)
	}
	got := slices.Sorted(maps.Keys(r))
	want := []string{"agent", "ai_flow", "isolated", "limits", "model_requests", "platform", "rules", "scenarios", "took_ms", "user", "variables", "version", "when"}
	if !slices.Equal(got, want) {
		t.Errorf("keys %q, want %q", got, want)
	}
	for _, part := range []string{`"held": "does not"`, `"held": "not exercised"`, `"held": "holds"`, `"transcript": "read-denied.jsonl"`, `"answered_name": "Evil Rules: all hold"`,
		`"took_ms": 2500`, `"model_requests": 7`, `"A",`} {
		if !strings.Contains(stdout, part) {
			t.Errorf("no %s in\n%s", part, stdout)
		}
	}
	if strings.Contains(stdout, strings.Repeat("x", maxProbeText+1)) {
		t.Error("foreign text is not bounded")
	}
}

// TestProbeFiles: nobody else reads them, a scenario that was not played leaves no transcript of an earlier probe, and what
// a person has in a directory stays.
func TestProbeFiles(t *testing.T) {
	out := filepath.Join(t.TempDir(), "new", "dir")
	o := probeOptions{out: out}
	if _, _, _, err := probed(t, o, finds(found(), nil)); err != nil {
		t.Fatal(err)
	}
	names := func() (all []string) {
		entries, err := os.ReadDir(out)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			info, err := e.Info()
			if err != nil {
				t.Fatal(err)
			}
			if info.Mode() != 0o600 && e.Name() != "mine.txt" {
				t.Errorf("%s has mode %v", e.Name(), info.Mode())
			}
			all = append(all, e.Name())
		}
		return all
	}
	if got := names(); !slices.Equal(got, []string{"probe.json", "read-denied.jsonl", "run.log", "table.txt"}) {
		t.Errorf("files %q", got)
	}
	if info, err := os.Stat(out); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("the directory: %v, %v", info.Mode(), err)
	}
	if err := os.WriteFile(filepath.Join(out, "mine.txt"), []byte("mine"), 0o644); err != nil {
		t.Fatal(err)
	}
	r := found()
	r.Played = r.Played[1:]
	if _, _, _, err := probed(t, o, finds(r, nil)); err != nil {
		t.Fatal(err)
	}
	if got := names(); !slices.Equal(got, []string{"mine.txt", "probe.json", "run.log", "table.txt"}) {
		t.Errorf("files after the second probe: %q", got)
	}
	never := func(context.Context, probe.Options) (probe.Result, error) {
		t.Error("the probe was carried out")
		return probe.Result{}, nil
	}
	for _, document := range []string{`{"version":1}`, `{"version":1,"platform":"x","rules":[],"scenarios":null,"limits":""}`, `[]`, ``} {
		if err := os.WriteFile(filepath.Join(out, "probe.json"), []byte(document), 0o600); err != nil {
			t.Fatal(err)
		}
		_, _, _, err := probed(t, o, never)
		if !isUsage(err) || read1(t, filepath.Join(out, "probe.json")) != document {
			t.Errorf("with another's probe.json %s: %v", document, err)
		}
	}
}

// TestProbeEnds: which exit status each end has, and what is left of it.
func TestProbeEnds(t *testing.T) {
	setup := &executor.Failure{Class: executor.FailedSetup, Message: "no user", Fix: "make it"}
	for _, tt := range []struct {
		name   string
		err    error
		status int
	}{
		{"carried out", nil, ExitDone},
		{"no launch", &executor.Failure{Class: executor.FailedStart, Message: "it did not start"}, ExitFailed},
		{"a usage error of below", &usageError{"x", "y"}, ExitFailed},
		{"the host", setup, ExitUsage},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir, stdout, stderr, err := probed(t, probeOptions{}, finds(probe.Result{}, tt.err))
			if got := exitStatus(t.Context(), err); got != tt.status {
				t.Errorf("status %d, want %d: %v", got, tt.status, err)
			}
			if tt.err == nil {
				return
			}
			if stdout != "" || !strings.Contains(stderr, "log: "+filepath.Join(dir, "run.log")) {
				t.Errorf("standard output %q, standard error %q", stdout, stderr)
			}
			if !strings.Contains(read1(t, filepath.Join(dir, "table.txt")), "Nothing to judge: "+tt.err.Error()) {
				t.Error("the table does not say that there is nothing to judge")
			}
		})
	}
}

// TestProbeThatCannotBeWritten: what was found is printed all the same, and the failure comes behind it.
func TestProbeThatCannotBeWritten(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	_, stdout, _, err := probed(t, probeOptions{out: out}, func(context.Context, probe.Options) (probe.Result, error) {
		return found(), os.MkdirAll(filepath.Join(out, "table.txt", "x"), 0o700)
	})
	if !strings.Contains(stdout, "Rules: ") || exitStatus(t.Context(), err) != ExitFailed || !strings.Contains(err.Error(), "writing what the probe found") {
		t.Errorf("%v, with standard output\n%s", err, stdout)
	}
}

// TestProbeOfAFullDisk: a document never stands beside the transcripts of another probe.
func TestProbeOfAFullDisk(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out")
	if _, _, _, err := probed(t, probeOptions{out: out}, finds(found(), nil)); err != nil {
		t.Fatal(err)
	}
	before := read1(t, filepath.Join(out, "read-denied.jsonl"))
	r := found()
	r.Played[0].Transcript = []byte(`{"new":true}` + "\n")
	// A draft's name that is taken by a directory with something in it cannot be written, as on a disk that has just become full.
	blocked := func(name string) prober {
		return func(context.Context, probe.Options) (probe.Result, error) {
			return r, os.MkdirAll(filepath.Join(out, fmt.Sprintf(".%s.%d", name, os.Getpid()), "x"), 0o700)
		}
	}
	_, _, _, err := probed(t, probeOptions{out: out}, blocked("read-denied.jsonl"))
	if got, missing := os.ReadFile(filepath.Join(out, "read-denied.jsonl")); err == nil || !os.IsNotExist(missing) {
		t.Errorf("%v; beside the new document stands %q", err, got)
	}
	if err := os.WriteFile(filepath.Join(out, "read-denied.jsonl"), []byte(before), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Join(out, fmt.Sprintf(".read-denied.jsonl.%d", os.Getpid()))); err != nil {
		t.Fatal(err)
	}
	if _, _, _, err := probed(t, probeOptions{out: out}, blocked("probe.json")); err == nil || read1(t, filepath.Join(out, "read-denied.jsonl")) != before {
		t.Errorf("%v; beside the old document stands a new transcript", err)
	}
}

// TestProbeCancelled: what an earlier probe found is kept.
func TestProbeCancelled(t *testing.T) {
	out := t.TempDir()
	if _, _, _, err := probed(t, probeOptions{out: out}, finds(found(), nil)); err != nil {
		t.Fatal(err)
	}
	before := read1(t, filepath.Join(out, "table.txt"))
	var errs bytes.Buffer
	ctx, cancel := context.WithCancel(t.Context())
	env, _ := parseEnvironment(nil)
	p := &program{env: env, say: newVoice(&errs, env, newSecrets(nil)), out: newGuard(&errs, newSecrets(nil))}
	output, err := p.openProbeOutput(probeOptions{agent: "copilot", out: out})
	if err != nil {
		t.Fatal(err)
	}
	err = p.carryOut(ctx, probeOptions{}, output, func(ctx context.Context, _ probe.Options) (probe.Result, error) {
		cancel()
		return found(), ctx.Err()
	}, probe.Options{})
	if got := exitStatus(ctx, err); got != ExitCancelled {
		t.Errorf("status %d of %v", got, err)
	}
	if err := output.discard(); err != nil {
		t.Fatal(err)
	}
	if read1(t, filepath.Join(out, "table.txt")) != before {
		t.Error("a cancelled probe took the place of an earlier one")
	}
}

// TestProbeKeepsKeys: a key that somebody gave by --env is printed nowhere, and what is none is no secret.
func TestProbeKeepsKeys(t *testing.T) {
	p := &program{out: newGuard(&bytes.Buffer{}, newSecrets(nil))}
	p.hideVariables(map[string]string{"API_KEY": "real-key-of-somebody", "OTHER_KEY": "{key}", "KEY_TOKEN_URL": "https://example.org/", "MODEL": "one-model"})
	if !slices.Equal(p.secrets, []string{"real-key-of-somebody"}) {
		t.Errorf("secrets %q", p.secrets)
	}
	for _, bad := range []string{"=x", "1A=real", "A B=real", "real", ""} {
		if _, err := readVariables([]string{bad}); !isUsage(err) || strings.Contains(err.Error(), "real") {
			t.Errorf("--env %q: %v", bad, err)
		}
	}
	got, err := readVariables([]string{`CONFIG={"a":1,"b":"x=y"}`, "EMPTY="})
	if err != nil || !maps.Equal(got, map[string]string{"CONFIG": `{"a":1,"b":"x=y"}`, "EMPTY": ""}) {
		t.Errorf("variables %q, %v", got, err)
	}
}

func read1(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
