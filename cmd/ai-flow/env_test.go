package main

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

func TestParseEnvironment(t *testing.T) {
	tests := []struct {
		name    string
		environ []string
		check   func(environment) bool
	}{
		{"empty", nil, func(e environment) bool {
			return e.state == "" && e.temp == "/tmp" && e.isolation == wishNothing && !e.appKey && e.agentArgs == nil
		}},
		{"the last of a name stands, as in a shell", []string{"AI_FLOW_MODEL=a", "AI_FLOW_MODEL=b"}, func(e environment) bool { return e.model == "b" }},
		{"a key in the environment", []string{"AI_FLOW_APP_PRIVATE_KEY=x"}, func(e environment) bool { return e.appKey }},
		{"a key in a file", []string{"AI_FLOW_APP_PRIVATE_KEY_FILE=/x"}, func(e environment) bool { return e.appKey }},
		{"an id is no key", []string{"AI_FLOW_APP_ID=1"}, func(e environment) bool { return !e.appKey }},
		{"state in the home", []string{"HOME=/h"}, func(e environment) bool { return e.state == "/h/.local/state/ai-flow" }},
		{"state by XDG", []string{"HOME=/h", "XDG_STATE_HOME=/s"}, func(e environment) bool { return e.state == "/s/ai-flow" }},
		{"a relative XDG directory is ignored, as its specification says", []string{"HOME=/h", "XDG_STATE_HOME=s"}, func(e environment) bool { return e.state == "/h/.local/state/ai-flow" }},
		{"isolation off", []string{"AI_FLOW_ISOLATION=none"}, func(e environment) bool { return e.isolation == wishNone }},
		{"isolation on", []string{"AI_FLOW_ISOLATION=user"}, func(e environment) bool { return e.isolation == wishUser }},
		{"names to pass on", []string{"AI_FLOW_AGENT_ENV=A, B\tC"}, func(e environment) bool { return reflect.DeepEqual(e.allow, []string{"A", "B", "C"}) }},
		{"arguments", []string{"AI_FLOW_AGENT_ARGS=--acp 'a b'"}, func(e environment) bool { return reflect.DeepEqual(e.agentArgs, []string{"--acp", "a b"}) }},
		{"no colour", []string{"NO_COLOR=1"}, func(e environment) bool { return e.noColour }},
		{"an empty NO_COLOR means nothing, as its convention says", []string{"NO_COLOR="}, func(e environment) bool { return !e.noColour }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e, err := parseEnvironment(tt.environ)
			if err != nil || !tt.check(e) {
				t.Errorf("parseEnvironment(%q) = %+v, %v", tt.environ, e, err)
			}
		})
	}
}

func TestParseEnvironmentRefuses(t *testing.T) {
	for _, bad := range []string{"AI_FLOW_ISOLATION=off", "AI_FLOW_AGENT_ARGS='open", `AI_FLOW_AGENT_ARGS=x\`} {
		if _, err := parseEnvironment([]string{bad}); err == nil || hint(err) == "" || !isUsage(err) {
			t.Errorf("%s: error %v, hint %q; want a usage error with a hint", bad, err, hint(err))
		}
	}
}

func TestSplitWords(t *testing.T) {
	tests := []struct {
		in   string
		want []string
	}{
		{"", nil},
		{" \t", nil},
		{"a b", []string{"a", "b"}},
		{`a\ b`, []string{"a b"}},
		{`"a b"c`, []string{"a bc"}},
		{`''`, []string{""}},
		{`'\'`, []string{`\`}},
		{`"\"\\\x"`, []string{`"\\x`}},
		{`$HOME *`, []string{"$HOME", "*"}},
	}
	for _, tt := range tests {
		got, err := splitWords(tt.in)
		if err != nil || !reflect.DeepEqual(got, tt.want) {
			t.Errorf("splitWords(%q) = %q, %v; want %q", tt.in, got, err, tt.want)
		}
	}
}

// FuzzSplitWords holds that quoting and splitting are inverse, and that nothing makes the splitter panic.
func FuzzSplitWords(f *testing.F) {
	for _, seed := range []string{"", "a b", `it's`, `"`, `\`, "a\nb", "ü"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		_, _ = splitWords(s)
		words, err := splitWords("x '" + strings.ReplaceAll(s, "'", `'\''`) + "'")
		if err != nil || len(words) != 2 || words[1] != s {
			t.Errorf("splitWords of %q quoted = %q, %v", s, words, err)
		}
	})
}

func TestFindBinary(t *testing.T) {
	dir, other := t.TempDir(), t.TempDir()
	write := func(name string, mode os.FileMode) {
		if err := os.WriteFile(name, nil, mode); err != nil {
			t.Fatal(err)
		}
	}
	write(filepath.Join(dir, "tool"), 0o644)
	write(filepath.Join(other, "tool"), 0o755)
	if err := os.Mkdir(filepath.Join(dir, "folder"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Chdir(other) // a relative entry of PATH would find tool here
	e := environment{path: strings.Join([]string{"", ".", dir, other}, ":")}
	if got, want := e.findBinary("tool"), filepath.Join(other, "tool"); got != want {
		t.Errorf("findBinary = %q, want %q: the first is not executable, the relative ones are the checkout's", got, want)
	}
	if got := e.findBinary("folder"); got != "" {
		t.Errorf("findBinary found a folder: %q", got)
	}
}
