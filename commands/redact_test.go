package commands

import (
	"encoding/base64"
	"fmt"
	"html"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/d3mlabs/ai-flow/commands/git"
	"github.com/d3mlabs/ai-flow/denials"
	"github.com/d3mlabs/ai-flow/executor"
	"github.com/d3mlabs/ai-flow/isolation"
	"github.com/d3mlabs/ai-flow/render"
)

const canary = "ghs_Can4ryCan4ryCan4ryCan4ryCan4ry01"

// anyPath is a refusal that does not name its path, which holds the secret itself.
const anyPath = "*"

func (s *stage) knows(secret string) {
	s.flow.Secrets = new(render.Secrets)
	s.flow.Secrets.Add(secret)
}

// F-43, S5: a known secret is committed in no form, and is never printed while saying so.
func TestBuildRefusesSecrets(t *testing.T) {
	encoded := base64.StdEncoding.EncodeToString([]byte("x" + canary))
	tests := []struct {
		name    string
		act     func(s scene)
		refused string // path, "" when it is committed
	}{
		{"in a file", func(s scene) { s.write("b.go", "package b\n// "+canary+"\n") }, "b.go"},
		{"encoded, deep in a large file", func(s scene) { s.write("big", strings.Repeat("0123456789abcde\n", 40_000)+encoded) }, "big"},
		{"in character references", func(s scene) { s.write("b.md", "# B\n\n"+references(canary)+"\n") }, "b.md"},
		{"across the edge of a window", func(s scene) { s.write("big", strings.Repeat("x", 128<<10-10)+canary+strings.Repeat("y", 1000)) }, "big"},
		{"half of it", func(s scene) { s.write("b", canary[:len(canary)/2]) }, "b"},
		{"in a workflow file", func(s scene) { s.write(".github/workflows/ci.yml", "on: "+canary+"\n") }, ".github/workflows/ci.yml"},
		{"in the target of a link", func(s scene) {
			if err := os.Symlink(canary, s.tree+"/link"); err != nil {
				s.t.Fatal(err)
			}
		}, "link"},
		{"in a name", func(s scene) { s.write(canary+".txt", "x\n") }, anyPath},
		{"none", func(s scene) { s.write("b.go", "package b\n// ghs_Can4\n") }, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newStage(t, "")
			s.knows(canary)
			s.agent.act = tt.act
			out := s.run(t.Context(), "/build x")
			s.checkNoSecret(out)
			if tt.refused == "" {
				if out.Result.Outcome != render.Done || out.Commit == "" {
					t.Errorf("%+v", out.Result)
				}
				return
			}
			if out.Result.Outcome != render.Refused || out.Commit != "" || len(out.Result.Patches) > 0 || len(out.Report.RefusedPaths) != 1 {
				t.Fatalf("%+v", out.Report)
			}
			if got := out.Report.RefusedPaths[0]; tt.refused != anyPath && got.Path != tt.refused || !strings.Contains(got.Reason, "holds a known secret") {
				t.Errorf("refused %+v", got)
			}
		})
	}
}

// checkNoSecret looks for the canary and its parts in all that leaves.
func (s *stage) checkNoSecret(out Outcome) {
	s.t.Helper()
	data, err := out.Report.JSON()
	if err != nil {
		s.t.Fatal(err)
	}
	for name, text := range map[string]string{"comment": render.Comment(out.Result), "summary": render.Summary(out.Result),
		"text": render.Text(out.Result, 80, false), "report.json": string(data), "branches": s.git("for-each-ref"), "commits": s.git("log", "--all", "--patch")} {
		text = strings.ToLower(strings.ReplaceAll(render.Terminal(html.UnescapeString(html.UnescapeString(text))), "\\", ""))
		for i := range len(canary) - 12 {
			if part := strings.ToLower(canary[i : i+12]); strings.Contains(text, part) {
				s.t.Errorf("%s holds %q:\n%s", name, part, text)
				break
			}
		}
	}
}

// A private key in a changed file is refused whether anybody knows it or not.
func TestBuildRefusesPrivateKeys(t *testing.T) {
	s := newStage(t, "")
	s.agent.act = func(s scene) {
		s.write("key.pem", "-----BEGIN "+"PRIVATE KEY-----\n"+strings.Repeat("MIIEvQIBADANBgkqhkiG9w0BAQEFAASC", 2)+"\n-----END "+"PRIVATE KEY-----\n")
	}
	out := s.run(t.Context(), "/build x")
	if out.Result.Outcome != render.Refused || len(out.Report.RefusedPaths) != 1 || !strings.Contains(out.Report.RefusedPaths[0].Reason, "private key") {
		t.Errorf("%+v", out.Report)
	}
}

// The branch and the commit are named after a stranger's title, in which a secret would be hidden by becoming a slug.
func TestNamesHoldNoSecret(t *testing.T) {
	s := newStage(t, "")
	s.knows(canary)
	s.agent.act = func(s scene) { s.write("b.go", "package b\n") }
	out := s.run(t.Context(), "/build use "+canary[:12]+"\u200b"+canary[12:]+" now")
	if out.Branch != "ai/try-use-masked-now" {
		t.Errorf("branch %q", out.Branch)
	}
	s.checkNoSecret(out)
	out = s.run(t.Context(), "/build use "+references(canary)+" then")
	if !strings.HasPrefix(out.Branch, "ai/try-use-masked-") || !strings.HasSuffix(out.Branch, "-then") {
		t.Errorf("branch %q", out.Branch)
	}
	s.checkNoSecret(out)
}

// references writes every byte as a reference to a character, by turns in the ways that there are.
func references(text string) string {
	var b strings.Builder
	for i := range len(text) {
		b.WriteString(fmt.Sprintf([]string{"&#%d;", "&amp;#x%x;", "&shy;%c", "%c&#8203;"}[i%4], text[i]))
	}
	return b.String()
}

// S5: an edit does not write a known secret, nor what its page would show as one; one that stood in the document before is not its doing.
func TestEditRefusesSecrets(t *testing.T) {
	const before = "# Plan\n\nThe flag is new.\n\nToken: " + canary + "\n"
	for text, outcome := range map[string]render.Outcome{"old": render.Done, canary: render.Refused, canary[9:]: render.Refused, references(canary): render.Refused} {
		s := newStage(t, before)
		s.knows(canary)
		s.agent.act = func(s scene) { s.revise("new", text) }
		s.agent.say = []string{"I wrote **" + canary + "**."}
		out := s.run(t.Context(), "/edit x")
		s.checkNoSecret(out)
		if out.Result.Outcome != outcome || (s.body() == before) != (outcome == render.Refused) {
			t.Errorf("%q: %v, %q, document %q", text, out.Result.Outcome, out.Result.Headline, s.body())
		}
	}
}

// S5: wherever a secret stands in what a run found out, whole, invisibly broken, or where a bound would cut it, it is told nowhere.
func TestRedactsEverything(t *testing.T) {
	s := newStage(t, "")
	for name, text := range map[string]string{"plain": canary, "references": references(canary), "broken": canary[:9] + "\u200b" + canary[9:20] + "\x1b[0m" + canary[20:], "cut": strings.Repeat("x", maxItemString-20) + canary,
		"long": strings.Repeat("x", maxReportString-20) + canary, "marked": "**" + canary + "**_" + canary + "_"} {
		t.Run(name, func(t *testing.T) {
			s.t = t
			secrets := new(render.Secrets)
			secrets.Add(canary)
			r := &run{Flow: &Flow{Policy: DefaultPolicy(), Secrets: secrets}, command: Build, status: render.Failed,
				Request: Request{Comment: Comment{Segments: []Segment{{Command: Build}}}}}
			fill := func(string) string { return text }
			exit := 1
			r.report = executor.Report{Wants: make([]denials.Want, 2), Steps: []executor.Step{{Exit: &exit}}, Receipts: make([]executor.Receipt, 1),
				Refusals: make([]executor.Refusal, 1), Phases: make([]executor.Phase, 1), Survivors: make([]isolation.Process, 1)}
			r.segments, r.notes, r.diffs = make([]render.Segment, 1), make([]string, 1), &render.Diffs{Before: "x"}
			r.changes, r.refused, r.left = make([]git.Change, 1), make([]git.Refused, 1), make([]git.Refused, 1)
			r.failure = &failure{class: "git", message: text}
			for _, value := range []any{&r.report, &r.segments, &r.headline, &r.next, &r.notes, &r.diffs, &r.changes, &r.refused, &r.left, &r.tail} {
				eachString(reflect.ValueOf(value).Elem(), fill)
			}
			r.room = new(isolation.Room)
			s.checkNoSecret(r.outcome())
		})
	}
}

// An outcome may be asked for ahead of the end: the run goes on with what it found out, and says nothing twice.
func TestOutcomeChangesNothing(t *testing.T) {
	secrets := new(render.Secrets)
	secrets.Add(canary)
	r := &run{Flow: &Flow{Policy: DefaultPolicy(), Secrets: secrets}, command: Edit, status: render.Done, model: "gpt-5",
		segments: []render.Segment{{Text: canary}}, notes: make([]string, 0, 8), diffs: &render.Diffs{After: canary}, failure: &failure{class: "git", message: canary}}
	r.report = executor.Report{Wants: []denials.Want{{Subject: canary, Channel: denials.Observed, Kind: denials.Access}}, ModelEffective: "mini"}
	first, second := r.outcome(), r.outcome()
	if r.segments[0].Text != canary || r.diffs.After != canary || r.failure.message != canary || r.report.Wants[0].Subject != canary || r.status != render.Done || len(r.notes) != 0 {
		t.Errorf("the run is another one now: %+v", r)
	}
	if !reflect.DeepEqual(first.Result.Notes, second.Result.Notes) || len(first.Result.Notes) != 1 || first.Result.Segments[0].Text == canary {
		t.Errorf("notes %q, then %q", first.Result.Notes, second.Result.Notes)
	}
}

// eachString knows every kind of value that an outcome is made of: nothing is passed over in silence.
func TestEachStringKnowsAll(t *testing.T) {
	seen := map[reflect.Type]bool{}
	var walk func(path string, of reflect.Type)
	walk = func(path string, of reflect.Type) {
		if seen[of] {
			return
		}
		seen[of] = true
		switch of.Kind() {
		case reflect.Pointer, reflect.Slice:
			walk(path, of.Elem())
		case reflect.Struct:
			for i := range of.NumField() {
				f := of.Field(i)
				if !f.IsExported() {
					t.Errorf("%s.%s cannot be set", path, f.Name)
				}
				walk(path+"."+f.Name, f.Type)
			}
		case reflect.Map, reflect.Interface, reflect.Array, reflect.Chan, reflect.Func, reflect.UnsafePointer:
			t.Errorf("%s is a %s", path, of.Kind())
		}
	}
	for _, value := range []any{executor.Report{}, render.Segment{}, render.Diffs{}, git.Change{}, git.Refused{}} {
		walk(reflect.TypeOf(value).String(), reflect.TypeOf(value))
	}
}

// agents.Profile.Ambient: what the agent may run of the tree without asking is said.
func TestAmbient(t *testing.T) {
	s := newStage(t, "")
	s.flow.Ambient = []string{".github/hooks", ".github/workflows", "a.go"}
	s.agent.say = []string{"A"}
	out := s.run(t.Context(), "/ask x")
	if got := out.Report.AmbientPaths; !reflect.DeepEqual(got, []string{".github/workflows", "a.go"}) || !reflect.DeepEqual(out.Result.Ambient, got) {
		t.Errorf("%q", got)
	}
	if comment := render.Comment(out.Result); !strings.Contains(comment, "This tree holds `a.go`, which the agent may run without asking") {
		t.Errorf("not said: %s", comment)
	}
}
