package commands

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/d3mlabs/ai-flow/executor"
	"github.com/d3mlabs/ai-flow/executor/agents"
	"github.com/d3mlabs/ai-flow/executor/permission"
	"github.com/d3mlabs/ai-flow/render"
)

const fullPolicy = `
agent: copilot
models: { default: gpt-5, build: claude-opus }
permissions:
  full_access: false
  full_access_via: mode
  deny_all: true
  deny:  [ { kind: execute, match: "git push*" } ]
  ask:   [ { kind: fetch } ]
  allow: [ { kind: execute, match: "go test *" }, { match: "docs/**" } ]
gates:   [ { name: test, run: "go test ./...", timeout: 90s }, { run: make } ]
rounds: 5
limits:  { start: 30s, initialize: 60s, session: 61s, turn: 60m, silence: 10m, output: 64MiB }
triage:
  org:       { file: Brewfile, repo: acme/homebrew-tap }
  project:   { file: deps.rb }
  by_design: [ "/opt/shared/**" ]
doctor: { accept: [ sudo, groups ] }
learn: { on_build: true }
knowledge_repo: acme/knowledge
`

func TestParsePolicy(t *testing.T) {
	got, err := ParsePolicy([]byte(fullPolicy), "acme/app:.github/ai-flow.yml")
	if err != nil {
		t.Fatal(err)
	}
	want := Policy{
		Source: "acme/app:.github/ai-flow.yml", Agent: "copilot", Models: Models{Default: "gpt-5", Build: "claude-opus"},
		Permissions: Permissions{DenyAll: true, Via: agents.ByMode, Deny: []permission.Rule{{Kind: "execute", Match: "git push*"}}, Ask: []permission.Rule{{Kind: "fetch"}},
			Allow: []permission.Rule{{Kind: "execute", Match: "go test *"}, {Match: "docs/**"}}},
		Limits: executor.Limits{Start: 30 * time.Second, Initialize: time.Minute, Session: 61 * time.Second, Turn: time.Hour, Silence: 10 * time.Minute, Output: 64 << 20},
		Triage: Triage{Places: render.Places{OrgFile: "Brewfile", OrgRepo: "acme/homebrew-tap", ProjectFile: "deps.rb"}, ByDesign: []string{"/opt/shared/**"}},
		Gates:  []executor.Gate{{Name: "test", Run: "go test ./...", Timeout: 90 * time.Second}, {Name: "make", Run: "make", Timeout: 10 * time.Minute}},
		Rounds: 5, Accept: []string{"sudo", "groups"},
	}
	// Nobody may believe that something counts which does not.
	for i, says := range []string{`line 19: the key "learn" does nothing`, `line 20: the key "knowledge_repo" does nothing`} {
		if i >= len(got.Warnings) || !strings.Contains(got.Warnings[i], says) {
			t.Errorf("warnings %q, want %q", got.Warnings, says)
		}
	}
	got.Warnings = nil
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

// F-67: an empty file is no error, and neither is one that sets nothing.
func TestEmptyPolicyIsTheDefault(t *testing.T) {
	for _, text := range []string{"", "\n", "# nothing\n", "---\n", "~", "null", "models:\n", "agent:\nlimits: {}\npermissions: { deny: }\n"} {
		p, err := ParsePolicy([]byte(text), "x")
		want := DefaultPolicy()
		want.Source = "x"
		if err != nil || !reflect.DeepEqual(p, want) {
			t.Errorf("%q: %+v, %v", text, p, err)
		}
	}
	if p := DefaultPolicy(); !p.Permissions.FullAccess || p.Permissions.DenyAll {
		t.Errorf("the default is %+v", p)
	}
}

func TestUnknownKeysWarn(t *testing.T) {
	p, err := ParsePolicy([]byte("agnet: x\npermissions:\n  full_acess: false\n"), "f")
	if err != nil || len(p.Warnings) != 2 || !p.Permissions.FullAccess {
		t.Fatalf("%+v, %v", p, err)
	}
	for i, want := range []string{`f line 1: the key "agnet"`, `f line 3: the key "permissions.full_acess"`} {
		if !strings.HasPrefix(p.Warnings[i], want) {
			t.Errorf("warning %q, want %q", p.Warnings[i], want)
		}
	}
}

// A check that nobody knows accepts nothing, and whoever wrote it is told.
func TestUnknownChecksWarn(t *testing.T) {
	p, err := ParsePolicy([]byte("doctor:\n  accept:\n  - sudo\n  - sodu\n"), "f")
	if err != nil || len(p.Accept) != 1 || p.Accept[0] != "sudo" || len(p.Warnings) != 1 || !strings.HasPrefix(p.Warnings[0], `f line 4: the key "doctor.accept[1]" does nothing: no check is called "sodu"`) {
		t.Errorf("%+v, %v", p, err)
	}
}

func manyGates(n int) string {
	var gates []string
	for i := range n {
		gates = append(gates, fmt.Sprintf("{ run: make %d }", i))
	}
	return strings.Join(gates, ", ")
}

func TestGatesOfAPolicy(t *testing.T) {
	p, err := ParsePolicy([]byte("rounds: 0\ngates: ["+manyGates(20)+"]"), "f")
	if err != nil || len(p.Gates) != 20 || p.Rounds != 0 || len(p.Warnings) > 0 {
		t.Errorf("%+v, %v", p, err)
	}
	long := "echo <b> \u202e" + strings.Repeat("x", 100)
	p, err = ParsePolicy([]byte(fmt.Sprintf("gates: [ { run: %q }, { run: \"a\\nb\", name: x, tiemout: 1s } ]", long)), "f")
	if err != nil || len(p.Gates) != 2 || p.Rounds != 3 || len(p.Warnings) != 1 || p.Gates[0].Run != long || p.Gates[1].Run != "a\nb" {
		t.Fatalf("%+v, %v", p, err)
	}
	if name := p.Gates[0].Name; utf8.RuneCountInString(name) != 60 || strings.ContainsAny(name, "\u202e") || !strings.HasPrefix(name, "echo <b> xx") {
		t.Errorf("named %q", name)
	}
}

func TestPolicyRefuses(t *testing.T) {
	bomb := "a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a]\nc: [*b,*b,*b,*b,*b,*b,*b,*b,*b]\n"
	tests := []struct{ name, text, says string }{
		{"a list", "- a", "line 1: the file must be a mapping"},
		{"a word", "hello", "line 1: the file must be a mapping"},
		{"a number for a string", "\nagent: 5", "line 2: agent must be a string"},
		{"yes (F-67)", "permissions:\n  full_access: yes", `line 2: permissions.full_access must be true or false, not "yes"`},
		{"a way that is none", "\npermissions:\n  full_access_via: autopilot", `line 3: permissions.full_access_via must be callback or mode, not "autopilot"`},
		{"a way in capitals", "permissions: { full_access_via: Mode }", "must be callback or mode"},
		{"a way that is a number", "permissions: { full_access_via: 2 }", "must be callback or mode"},
		{"a list of ways", "permissions: { full_access_via: [ mode ] }", "must be callback or mode, not a list"},
		{"a quoted boolean", `permissions: { deny_all: "true" }`, "must be true or false"},
		{"a mapping for a list", "gates: { a: b }", "line 1: gates must be a list, not a mapping"},
		{"a rule that is a word", "permissions: { deny: [ execute ] }", "permissions.deny[0] must be a mapping"},
		{"a rule that says nothing", "permissions: { deny: [ {} ] }", "needs a kind or a match"},
		{"a kind that is misspelt", "permissions: { deny: [ { kind: excute } ] }", `"excute"`},
		{"a duration without a unit", "limits: { turn: 60 }", "limits.turn must be a duration"},
		{"a negative duration", "limits: { turn: -1s }", "limits.turn must be a duration"},
		{"no time at all", "limits: { turn: 0s }", "limits.turn must be a duration"},
		{"for ever", "limits: { turn: 1000h }", "limits.turn must be a duration"},
		{"a size without a unit", "limits: { output: 5 }", "limits.output must be a size"},
		{"a size too large", "limits: { output: 2000GiB }", "limits.output must be a size"},
		{"a size that overflows", "limits: { output: 999999999GiB }", "limits.output must be a size"},
		{"too many rounds", "rounds: 11", "line 1: rounds must be a number from 0 to 10"},
		{"fewer rounds than none", "rounds: -1", "from 0 to 10"},
		{"rounds in words", "\nrounds: many", `line 2: rounds must be a number from 0 to 10, not "many"`},
		{"a fraction", "rounds: 1.5", "from 0 to 10"},
		{"a gate that is a word", "gates: [ make ]", "line 1: gates[0] must be a mapping"},
		{"a gate that is a number", "gates:\n- run: 5", "line 2: gates[0].run must be a string"},
		{"a gate for a day", "gates:\n- run: make\n  timeout: 7h", "line 3: gates[0].timeout must be a duration of at most 6h0m0s"},
		{"a gate for no time", "gates: [ { run: make, timeout: 0s } ]", "gates[0].timeout must be a duration"},
		{"a long name", "gates: [ { run: make, name: " + strings.Repeat("é", 61) + " } ]", "gates[0].name must be one line of at most 60 characters that show"},
		{"a name that hides", `gates: [ { run: make, name: "a\u202eb" } ]`, "characters that show"},
		{"a name of two lines", `gates: [ { run: make, name: "a\nb" } ]`, "one line"},
		{"two gates of one name", "gates: [ { run: make }, { run: test, name: make } ]", `gates[1] has the name "make", which another gate has`},
		{"many gates", "gates: [" + manyGates(21) + "]", "line 1: gates has 21 items, more than 20"},
		{"a gate that runs nothing", "gates: [ { name: a } ]", "gates[0] needs a run"},
		{"a check that is no word", "doctor:\n  accept: [ 5 ]", "line 2: doctor.accept[0] must be a string"},
		{"checks that are no list", "doctor: { accept: sudo }", "doctor.accept must be a list"},
		{"not a repository", "triage: { org: { repo: 'a b' } }", "triage.org.repo must be owner/name"},
		{"an agent with a path", "agent: ../x", "agent must be the name"},
		{"twice", "agent: a\nagent: b", `"agent" is said twice`},
		{"an alias", "agent: &a x\nknowledge_repo: *a", "anchors"},
		{"a bomb", bomb, "anchors"},
		{"a merge key", "x: &x { a: b }\nmodels: { <<: *x }", "anchors"},
		{"two documents", "agent: a\n---\nagent: b", "more than one"},
		{"broken", "a: [", "not YAML"},
		{"a control character", "agent: \"a\\u0007\"", "printable"},
		{"too long", "agent: " + strings.Repeat("x", maxPolicy), "bytes"},
		{"too many rules", "permissions: { deny: [" + strings.Repeat("{kind: read},", maxItems+1) + "] }", "more than 200"},
		{"too deep", strings.Repeat("[", 20000), "not YAML"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p, err := ParsePolicy([]byte(tt.text), "f.yml")
			if err == nil || !strings.Contains(err.Error(), tt.says) || !strings.HasPrefix(err.Error(), "reading f.yml: ") {
				t.Errorf("%+v, %v; want an error with %q", p, err, tt.says)
			}
		})
	}
}

func TestModelPrecedence(t *testing.T) {
	p := Policy{Models: Models{Default: "d", Build: "b", Edit: " "}}
	tests := []struct {
		command        Command
		override, want string
	}{
		{Build, "env", "env"}, {Build, "", "b"}, {Build, "  ", "b"}, {Ask, "", "d"}, {Edit, "", "d"},
	}
	for _, tt := range tests {
		if got := p.Model(tt.command, tt.override); got != tt.want {
			t.Errorf("%v with %q runs on %q, want %q", tt.command, tt.override, got, tt.want)
		}
	}
	if got := DefaultPolicy().Model(Ask, ""); got != "" {
		t.Errorf("without any: %q, want the agent's own", got)
	}
}

func FuzzParsePolicy(f *testing.F) {
	f.Add(fullPolicy)
	f.Add("a: &a [*a]")
	f.Add("? [a]\n: b\n")
	f.Add("limits: { turn: 1h, output: 1B }")
	f.Fuzz(func(t *testing.T, text string) {
		p, err := ParsePolicy([]byte(text), "f")
		if err != nil {
			return
		}
		if p.Limits.Turn < 0 || p.Limits.Output < 0 {
			t.Errorf("%q makes %+v", text, p)
		}
		for _, r := range append(append(p.Permissions.Deny, p.Permissions.Ask...), p.Permissions.Allow...) {
			if r == (permission.Rule{}) {
				t.Errorf("%q makes a rule that matches everything", text)
			}
		}
	})
}
