package commands

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/d3mlabs/ai-flow/commands/git"
	"github.com/d3mlabs/ai-flow/denials"
	"github.com/d3mlabs/ai-flow/executor"
	"github.com/d3mlabs/ai-flow/executor/permission"
	"github.com/d3mlabs/ai-flow/executor/process"
	"github.com/d3mlabs/ai-flow/isolation"
	"github.com/d3mlabs/ai-flow/render"
	"github.com/d3mlabs/ai-flow/testsupport"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// fakeAgent is an agent as values: what it does to its room, and what it reports. Its rooms are real, without isolation.
type fakeAgent struct {
	t      *testing.T
	temp   string
	enter  error // of EnterRoom
	act    func(s scene)
	say    []string // the answer to each segment, "" for none
	text   string   // in the place of say
	report executor.Report
	err    error // of Launch
	loud   bool  // not swept when Launch returns
	tasks  []executor.Task
	rooms  []*isolation.Room
}

// scene is what a fake agent may touch: its tree, and its copy of the document.
type scene struct {
	t        *testing.T
	tree     string
	document string
}

func (s scene) write(name, text string) {
	s.t.Helper()
	p := filepath.Join(s.tree, name)
	if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
		s.t.Fatal(err)
	}
}

func (s scene) revise(old, new string) {
	s.t.Helper()
	data, err := os.ReadFile(s.document)
	if err != nil {
		s.t.Fatal(err)
	}
	if !strings.Contains(string(data), old) {
		s.t.Fatalf("the copy %q does not hold %q", data, old)
	}
	if err := os.WriteFile(s.document, []byte(strings.Replace(string(data), old, new, 1)), 0o600); err != nil {
		s.t.Fatal(err)
	}
}

func (a *fakeAgent) EnterRoom(ctx context.Context) (*isolation.Room, error) {
	if a.enter != nil {
		return nil, a.enter
	}
	id, err := isolation.Unisolated(false)
	if err != nil {
		return nil, err
	}
	room, err := isolation.Open(ctx, process.Runner{}, id, isolation.OpenOptions{TempDir: a.temp})
	if err == nil {
		a.rooms = append(a.rooms, room)
	}
	return room, err
}

var demanded = regexp.MustCompile(`(?m)^<<<AI-FLOW:SEGMENT \d+ [0-9A-Za-z]+>>>$`)

func (a *fakeAgent) Launch(_ context.Context, t executor.Task) (executor.Report, error) {
	a.tasks = append(a.tasks, t)
	if a.act != nil {
		a.act(scene{a.t, t.Dir, t.Room.Path(documentFile)})
	}
	report := a.report
	report.Swept = !a.loud
	report.Text = a.text
	for i, line := range demanded.FindAllString(t.Prompt, -1) {
		if i < len(a.say) && a.say[i] != "" {
			report.Text += line + "\n" + a.say[i] + "\n"
		}
	}
	return report, a.err
}

// RunGate runs it for real, in the room that is real too.
func (a *fakeAgent) RunGate(ctx context.Context, room *isolation.Room, dir string, g executor.Gate) executor.GateReport {
	real := executor.Agent{Identity: room.Identity(), Environ: os.Environ(), Log: &sayings{}}
	return real.RunGate(ctx, room, dir, g)
}

// stage is a checkout with a fake agent.
type stage struct {
	t        *testing.T
	flow     *Flow
	agent    *fakeAgent
	checkout string
	document string // path
}

func newStage(t *testing.T, document string) *stage {
	t.Helper()
	testsupport.Tools(t, "git")
	s := &stage{t: t, checkout: t.TempDir(), agent: &fakeAgent{t: t, temp: t.TempDir()}}
	s.git("init", "--quiet", "--initial-branch=main")
	for name, text := range map[string]string{"README.md": "hello\n", "a.go": "package a\n", ".github/workflows/ci.yml": "on: push\n"} {
		scene{t: t, tree: s.checkout}.write(name, text)
	}
	s.git("add", "-A")
	s.git("commit", "--quiet", "-m", "first")
	repo, err := git.Open(t.Context(), s.checkout, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := repo.Close(); err != nil {
			t.Error(err)
		}
	})
	s.flow = &Flow{Agent: s.agent, Repo: repo, Place: File{}, Policy: DefaultPolicy(), AgentName: "fake", AgentStatus: "test"}
	if document != "" {
		s.document = filepath.Join(t.TempDir(), "plan.md")
		if err := os.WriteFile(s.document, []byte(document), 0o644); err != nil {
			t.Fatal(err)
		}
		s.flow.Place = File{Path: s.document}
	}
	return s
}

func (s *stage) git(args ...string) string {
	s.t.Helper()
	cmd := exec.Command("git", append([]string{"-C", s.checkout}, args...)...)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=t", "GIT_AUTHOR_EMAIL=t@t",
		"GIT_COMMITTER_NAME=t", "GIT_COMMITTER_EMAIL=t@t")
	out, err := cmd.CombinedOutput()
	if err != nil {
		s.t.Fatalf("git %q: %v\n%s", args, err, out)
	}
	return string(out)
}

// run carries out a comment and holds what holds for each outcome.
func (s *stage) run(ctx context.Context, comment string) Outcome {
	s.t.Helper()
	c, err := Parse(comment, "")
	if err != nil {
		s.t.Fatal(err)
	}
	out := s.flow.Run(ctx, Request{Comment: c, Trusted: true, Requester: Person{"octocat", 583231}})
	checkOutcome(s.t, out)
	for _, room := range s.agent.rooms {
		if _, err := os.Stat(room.Path()); !errors.Is(err, os.ErrNotExist) {
			s.t.Errorf("the room %s is still there: %v", room.Path(), err)
		}
	}
	return out
}

func (s *stage) body() string {
	s.t.Helper()
	data, err := os.ReadFile(s.document)
	if err != nil {
		s.t.Fatal(err)
	}
	return string(data)
}

// checkOutcome validates the report against its schema, and that no two parts of an outcome contradict each other.
func checkOutcome(t *testing.T, out Outcome) {
	t.Helper()
	data, err := out.Report.JSON()
	if err != nil {
		t.Fatal(err)
	}
	validateReport(t, data)
	bad := out.Result.Outcome == render.Failed || out.Result.Outcome == render.Cancelled
	if bad != (out.Err != nil) || bad != (out.Report.Failure != nil) {
		t.Errorf("outcome %v with error %v and failure %+v", out.Result.Outcome, out.Err, out.Report.Failure)
	}
	if out.Report.Outcome != out.Result.Outcome.String() || out.Result.Outcome == 0 {
		t.Errorf("outcome %v, reported as %q", out.Result.Outcome, out.Report.Outcome)
	}
	if out.Result.Outcome == render.Done && len(out.Result.Wants) > 0 {
		t.Error("a run with wants looks plainly successful")
	}
	if comment := render.Comment(out.Result); strings.TrimSpace(comment) == "" {
		t.Error("nothing to read")
	}
}

var reportSchema = sync.OnceValues(func() (*jsonschema.Schema, error) {
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	return compiler.Compile("report.schema.json")
})

func validateReport(t *testing.T, data []byte) {
	t.Helper()
	schema, err := reportSchema()
	if err != nil {
		t.Fatal(err)
	}
	var value any
	if err := json.Unmarshal(data, &value); err != nil {
		t.Fatal(err)
	}
	if err := schema.Validate(value); err != nil {
		t.Errorf("report.json is not what its schema says: %v\n%s", err, data)
	}
}

func TestAsk(t *testing.T) {
	s := newStage(t, "# Plan\n\nThe flag.\n")
	s.agent.say = []string{"It is a flag.", "Since yesterday."}
	s.agent.act = func(s scene) { s.write("README.md", "changed"); s.revise("flag", "hole") } // F-55
	s.agent.report = executor.Report{AgentVersion: "1.2", Usage: executor.Usage{Input: 10, Output: 2, CachedRead: 3}, StopReason: "end_turn",
		Subagents: []executor.Subagent{{Name: "lab-sub", Model: "m", Call: "c", Status: "completed", Took: time.Second, Tokens: 7}}, ProviderFiles: []string{"../plan.md"},
		Steps: []executor.Step{{Kind: "read", Title: "Read", Subagent: "lab-sub"}, {Kind: "read"}, {Title: "x"}}, Phases: []executor.Phase{{Name: "turn", Took: time.Second}}}
	out := s.run(t.Context(), "> The flag.\n\n/ask what is it?\n\n/ask since when?")
	if out.Result.Outcome != render.Done || out.Result.Headline != "" || out.Result.Diffs != nil {
		t.Errorf("%+v", out.Result)
	}
	for i, want := range []string{"It is a flag.", "Since yesterday."} {
		if got := out.Result.Segments[i]; got.Text != want || !got.OK || got.Command != "/ask" {
			t.Errorf("segment %d: %+v", i, got)
		}
	}
	if s.body() != "# Plan\n\nThe flag.\n" || s.git("status", "--porcelain") != "" {
		t.Errorf("an /ask wrote: %q, %q", s.body(), s.git("status", "--porcelain"))
	}
	task := s.agent.tasks[0]
	if p := task.Policy; p.Pass != permission.ReadOnly || p.Workspace != task.Dir || task.Label != "/ask" {
		t.Errorf("task %+v", task)
	}
	if !strings.Contains(task.Prompt, "found in the document at line 3") {
		t.Errorf("the quote is not placed:\n%s", task.Prompt)
	}
	r := out.Report
	if r.Tools["read"] != 2 || r.Tools["other"] != 1 || r.Usage.Input != 10 || r.Agent.Version != "1.2" || r.Phases[0].Millis != 1000 || r.Command != "ask" {
		t.Errorf("report %+v", r)
	}
	if r.Usage.CachedRead != 3 || r.Usage.Cost != nil || len(r.Subagents) != 1 || r.Subagents[0].Millis != 1000 || r.Subagents[0].Tokens != 7 || len(r.ProviderFiles) != 1 {
		t.Errorf("usage %+v, subagents %+v, files %v", r.Usage, r.Subagents, r.ProviderFiles)
	}
	if s := out.Result.Run.Steps; s[0].Subagent != "lab-sub" || s[1].Subagent != "" {
		t.Errorf("steps %+v", s)
	}
}

func TestAskWithoutAnswer(t *testing.T) {
	s := newStage(t, "")
	out := s.run(t.Context(), "/ask a\n/ask b")
	if out.Result.Outcome != render.Failed || out.Report.Failure.Class != "answer" {
		t.Errorf("no answer at all: %+v", out.Report)
	}
	s.agent.say = []string{"", "B"}
	out = s.run(t.Context(), "/ask a\n/ask b")
	if got := out.Result.Segments; out.Result.Outcome != render.Done || got[0].OK || got[0].Note == "" || !got[1].OK {
		t.Errorf("one answer of two: %+v", out.Result)
	}
}

func TestWantsRestrict(t *testing.T) {
	s := newStage(t, "")
	s.agent.say = []string{"A"}
	s.agent.report.MoreSteps = 7
	s.agent.report.Wants = []denials.Want{{Subject: "/etc/x", Channel: denials.Declared, Kind: denials.Access, Count: 1}}
	s.agent.report.MoreWants = 3
	s.agent.report.Refusals = []executor.Refusal{{Kind: "execute", Command: "ls", Why: "read-only"}}
	out := s.run(t.Context(), "/ask a")
	if out.Result.Outcome != render.Restricted || out.Report.WantCount != 4 || out.Report.Wants[0].Channel != "declared" || len(out.Report.Refused) != 1 ||
		out.Report.Wants[0].Triage != "bring" || out.Result.Wants[0].Triage.Verdict != render.Bring || out.Report.MoreSteps != 7 || out.Result.Run.MoreSteps != 7 {
		t.Errorf("%+v", out.Report)
	}
}

func TestEdit(t *testing.T) {
	const before = "# Plan\n\nThe flag is new.\n\nLast words.\n"
	tests := []struct {
		name     string
		before   string
		comment  string
		act      func(s scene, path string)
		say      []string
		outcome  render.Outcome
		after    string // of the document
		headline string
		notes    []string // in the segments, in order
		diffs    bool
	}{
		{name: "changed", comment: "/edit say old", act: func(s scene, _ string) { s.revise("new", "old") }, say: []string{"Said old."},
			outcome: render.Done, after: strings.Replace(before, "new", "old", 1), headline: "changed the document.", diffs: true},
		{name: "changed without a word", comment: "/edit say old", act: func(s scene, _ string) { s.revise("new", "old") },
			outcome: render.Done, after: strings.Replace(before, "new", "old", 1), headline: "changed the document.", notes: []string{"The agent said nothing about it."}, diffs: true},
		{name: "CRLF and no last line break stay", before: "a\r\nb\r\nc", comment: "/edit x", act: func(s scene, _ string) { s.revise("b", "B") },
			outcome: render.Done, after: "a\r\nB\r\nc", headline: "changed the document.", diffs: true},
		{name: "unchanged", comment: "/edit say new", say: []string{"It does already."}, outcome: render.Nothing, after: before, headline: "changed nothing.", notes: []string{"changed nothing"}},
		{name: "unchanged, with an answer", comment: "/edit say new\n/ask why?", say: []string{"", "Because."}, outcome: render.Done, after: before, headline: "changed nothing.", notes: []string{"changed nothing", ""}},
		{name: "only white space at the end", comment: "/edit x", act: func(s scene, _ string) { s.revise("words.\n", "words.  \n\n\n") }, outcome: render.Nothing, after: before, headline: "changed nothing."},
		{name: "contradicting", comment: "/edit a\n/edit b", say: []string{"CONFLICT: they differ", "CONFLICT: they differ"}, outcome: render.Nothing, after: before, headline: "changed nothing.",
			notes: []string{"changed nothing. The agent says that this edit contradicts another one.", "changed nothing. The agent says that"}},
		{name: "S6 a mark of ours", comment: "/edit x", act: func(s scene, _ string) { s.revise("new", "new <!-- ai-flow:end -->") }, outcome: render.Refused, after: before, headline: "a mark of ai-flow"},
		{name: "S7 tag letters", comment: "/edit x", act: func(s scene, _ string) { s.revise("new", "new\U000e006c\U000e0065") }, outcome: render.Refused, after: before, headline: "invisible characters"},
		{name: "S7 another mark in the place of one", before: "a <!-- ai-flow:begin 3 -->\n", comment: "/edit x", act: func(s scene, _ string) { s.revise("begin 3", "begin 99") }, outcome: render.Refused,
			after: "a <!-- ai-flow:begin 3 -->\n", headline: "a mark of ai-flow"},
		{name: "S7 one invisible character for another", before: "a\u200b b\n", comment: "/edit x", act: func(s scene, _ string) { s.revise("\u200b", "\u202e") }, outcome: render.Refused,
			after: "a\u200b b\n", headline: "invisible characters"},
		{name: "S7 a text in variation selectors", comment: "/edit x", act: func(s scene, _ string) { s.revise("new", "new\U000e0148\U000e0159\ufe01\ufe02") }, outcome: render.Refused, after: before, headline: "invisible characters"},
		{name: "Persian is written with joiners", comment: "/edit x", act: func(s scene, _ string) { s.revise("new", "می\u200cخواهم") }, outcome: render.Done,
			after: strings.Replace(before, "new", "می\u200cخواهم", 1), headline: "changed the document.", diffs: true},
		{name: "S7 turned text", comment: "/edit x", act: func(s scene, _ string) { s.revise("new", "\u202enew") }, outcome: render.Refused, after: before, headline: "invisible characters"},
		{name: "an emoji of several", comment: "/edit x", act: func(s scene, _ string) { s.revise("new", "new 👩‍💻 ❤️") }, outcome: render.Done,
			after: strings.Replace(before, "new", "new 👩‍💻 ❤️", 1), headline: "changed the document.", diffs: true},
		{name: "F-55 emptied", comment: "/edit x", act: func(s scene, _ string) { s.truncate() }, outcome: render.Failed, after: before, headline: "it is empty"},
		{name: "gone", comment: "/edit x", act: func(s scene, _ string) { s.replace(os.Remove) }, outcome: render.Failed, after: before, headline: "it is gone"},
		{name: "F-03 a link to a secret", comment: "/edit x", act: func(s scene, path string) {
			s.replace(os.Remove, func(p string) error { return os.Symlink(path, p) })
		}, outcome: render.Failed, after: before, headline: "cannot be read"},
		{name: "F-03 a directory", comment: "/edit x", act: func(s scene, _ string) {
			s.replace(os.Remove, func(p string) error { return os.Mkdir(p, 0o700) })
		}, outcome: render.Failed, after: before, headline: "cannot be read"},
		{name: "F-03 too large", comment: "/edit x", act: func(s scene, _ string) {
			s.replace(func(p string) error { return os.Truncate(p, 1<<30) })
		}, outcome: render.Failed, after: before, headline: "cannot be read"},
		{name: "not text", comment: "/edit x", act: func(s scene, _ string) {
			s.replace(func(p string) error { return os.WriteFile(p, []byte("a\x00"), 0o600) })
		}, outcome: render.Failed, after: before, headline: "UTF-8"},
		{name: "F-58 moved elsewhere", comment: "/edit x", act: func(s scene, path string) {
			s.revise("new", "old")
			s.put(path, strings.Replace(before, "Last words.", "Very last words.", 1))
		}, outcome: render.Done, after: "# Plan\n\nThe flag is old.\n\nVery last words.\n", headline: "both changes are in it", diffs: true},
		{name: "moved at the same place", comment: "/edit x", act: func(s scene, path string) {
			s.revise("new", "old")
			s.put(path, strings.Replace(before, "new", "odd", 1))
		}, outcome: render.Failed, after: strings.Replace(before, "new", "odd", 1), headline: "changed nothing: someone changed the same lines of the document meanwhile.", notes: []string{"changed nothing."}, diffs: true},
		{name: "moved to the same", comment: "/edit x", act: func(s scene, path string) {
			s.revise("new", "old")
			s.put(path, strings.Replace(before, "new", "old", 1))
		}, outcome: render.Done, after: strings.Replace(before, "new", "old", 1), headline: "in the same way meanwhile"},
		{name: "an ambiguous quote is named", before: "a\n\nb\n\na\n", comment: "> a\n\n/edit x", act: func(s scene, _ string) { s.revise("b", "B") }, say: []string{"ok"},
			outcome: render.Done, after: "a\n\nB\n\na\n", headline: "changed the document.", notes: []string{"ambiguous, found in the document at 2 places: line 1, line 5"}, diffs: true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if tt.before == "" {
				tt.before = before
			}
			s := newStage(t, tt.before)
			s.agent.say = tt.say
			if tt.act != nil {
				s.agent.act = func(sc scene) { tt.act(sc, s.document) }
			}
			out := s.run(t.Context(), tt.comment)
			if out.Result.Outcome != tt.outcome || !strings.Contains(out.Result.Headline, tt.headline) {
				t.Errorf("%v %q (%v), want %v %q", out.Result.Outcome, out.Result.Headline, out.Err, tt.outcome, tt.headline)
			}
			if got := s.body(); got != tt.after {
				t.Errorf("the document is %q, want %q", got, tt.after)
			}
			if (out.Result.Diffs != nil) != tt.diffs {
				t.Errorf("diffs %+v", out.Result.Diffs)
			}
			for i, note := range tt.notes {
				if got := out.Result.Segments[i].Note + " " + out.Result.Segments[i].Remark; !strings.Contains(got, note) || note == "" && got != " " {
					t.Errorf("segment %d is noted %q, want %q", i, got, note)
				}
			}
			if p := s.agent.tasks[0].Policy; p.Pass != permission.FullAccess || !p.Trusted || !p.FullAccessAllowed {
				t.Errorf("policy %+v", p)
			}
			if status := s.git("status", "--porcelain"); status != "" {
				t.Errorf("the checkout changed: %q", status)
			}
		})
	}
}

func (s scene) put(path, text string) {
	s.t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		s.t.Fatal(err)
	}
}

func (s scene) truncate() { s.put(s.document, " \n") }

func (s scene) replace(steps ...func(path string) error) {
	s.t.Helper()
	for _, step := range steps {
		if err := step(s.document); err != nil {
			s.t.Fatal(err)
		}
	}
}
