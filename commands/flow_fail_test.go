package commands

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/d3mlabs/ai-flow/commands/git"
	"github.com/d3mlabs/ai-flow/executor"
	"github.com/d3mlabs/ai-flow/isolation"
	"github.com/d3mlabs/ai-flow/render"
)

func TestLaunchFailures(t *testing.T) {
	silent := &executor.Failure{Class: executor.FailedSilence, Phase: "turn", Message: "the agent sent nothing for 10m0s and was ended", Tail: "SECRET STDERR"}
	tests := []struct {
		name      string
		comment   string
		enter     error
		err       error
		class     string
		outcome   render.Outcome
		says, fix string
	}{
		{name: "no room", comment: "/ask a", enter: &executor.Failure{Class: executor.FailedSetup, Phase: "start", Message: "no such user", Fix: "sudo useradd x"},
			class: "setup", outcome: render.Failed, says: "stopped: no such user.", fix: "sudo useradd x"},
		{name: "silent ask", comment: "/ask a", err: silent, class: "silence", outcome: render.Failed, says: "sent nothing for 10m0s"},
		{name: "silent edit", comment: "/edit a", err: silent, class: "silence", outcome: render.Failed, says: "ended. The document is unchanged."},
		{name: "silent build", comment: "/build a", err: silent, class: "silence", outcome: render.Failed, says: "sent nothing"},
		{name: "cancelled by the executor", comment: "/build a", err: &executor.Failure{Class: executor.FailedCancelled}, class: "cancelled", outcome: render.Cancelled, says: "was cancelled"},
		{name: "an error of another sort", comment: "/ask a", err: errors.New("boom"), class: "launch", outcome: render.Failed, says: "could not be run"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newStage(t, "text\n")
			s.agent.enter, s.agent.err = tt.enter, tt.err
			s.agent.say = []string{"half an ans"}
			s.agent.act = func(s scene) { s.write("b.go", "package b\n"); s.revise("text", "changed") }
			out := s.run(t.Context(), tt.comment)
			if out.Result.Outcome != tt.outcome || out.Report.Failure.Class != tt.class || !strings.Contains(out.Result.Headline, tt.says) || out.Result.NextStep == "" && tt.fix != "" {
				t.Errorf("%+v, %+v", out.Result, out.Report.Failure)
			}
			if !strings.Contains(out.Result.NextStep, tt.fix) {
				t.Errorf("next step %q, want %q", out.Result.NextStep, tt.fix)
			}
			if tt.enter == nil && out.Result.Segments[0].Text != "half an ans" {
				t.Errorf("what it had said is lost: %+v", out.Result.Segments)
			}
			if out.Branch != "" || s.body() != "text\n" {
				t.Errorf("branch %q, document %q", out.Branch, s.body())
			}
			data, err := out.Report.JSON()
			if err != nil || strings.Contains(string(data)+render.Comment(out.Result), "SECRET STDERR") {
				t.Errorf("the tail of stderr is shown: %s, %v", data, err)
			}
		})
	}
}

func TestCancelled(t *testing.T) {
	s := newStage(t, "text\n")
	ctx, cancel := context.WithCancel(t.Context())
	s.agent.act = func(sc scene) { sc.revise("text", "changed"); cancel() }
	out := s.run(ctx, "/edit a")
	if out.Result.Outcome != render.Cancelled || s.body() != "text\n" {
		t.Errorf("%v, %q", out.Result.Outcome, s.body())
	}
	if out = s.run(ctx, "/ask a"); out.Result.Outcome != render.Cancelled || len(s.agent.tasks) != 1 {
		t.Errorf("before it began: %v, %d launches", out.Result.Outcome, len(s.agent.tasks))
	}
}

// A launch that could not say that everything is dead is looked after before anything is read: what our own sweep ends is
// a note, and the work is taken.
func TestSurvivorsThatASecondSweepEnds(t *testing.T) {
	for _, comment := range []string{"/ask a", "/edit a", "/build a"} {
		s := newStage(t, "text\n")
		s.agent.say = []string{"done"}
		s.agent.loud = true
		s.agent.report.Survivors = []isolation.Process{{PID: 4711, Command: "sleep\n"}}
		s.agent.act = func(sc scene) { sc.write("b.go", "package b\n"); sc.revise("text", "changed") }
		out := s.run(t.Context(), comment)
		if out.Result.Outcome != render.Done || !strings.Contains(strings.Join(out.Result.Notes, "\n"), `4711 ("sleep\n")`) {
			t.Errorf("%s: %v %q, notes %q", comment, out.Result.Outcome, out.Result.Headline, out.Result.Notes)
		}
	}
}

// watchfulPlace looks, at the moment of the write, whether the agent's process is dead.
type watchfulPlace struct {
	movingPlace
	dead  <-chan error
	alive bool
}

func (p *watchfulPlace) Replace(ctx context.Context, was, now string) error {
	select {
	case <-p.dead:
	case <-time.After(time.Second): // it is ended by now, but the news of it may be on the way
		p.alive = true
	}
	return p.movingPlace.Replace(ctx, was, now)
}

// A process that a launch left behind is dead before anything of the agent's is read, and so before anything is written.
func TestNothingIsReadWhileTheAgentLives(t *testing.T) {
	s := newStage(t, "")
	dead := make(chan error, 1)
	place := &watchfulPlace{movingPlace: movingPlace{body: "text\n"}, dead: dead}
	s.flow.Place = place
	s.agent.loud = true
	s.agent.act = func(sc scene) {
		sc.revise("text", "changed")
		inv, err := s.agent.rooms[0].Command(sc.tree, isolation.Environment{}, "/bin/sleep", "60")
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(inv.Argv[0], inv.Argv[1:]...)
		cmd.Env, cmd.Dir = inv.Env, inv.Dir
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		go func() { dead <- cmd.Wait() }()
	}
	out := s.run(t.Context(), "/edit x")
	if out.Result.Outcome != render.Done || place.alive || place.body != "changed\n" {
		t.Errorf("%v %q, alive at the write: %v, body %q", out.Result.Outcome, out.Result.Headline, place.alive, place.body)
	}
}

// Where the sweep itself fails, nobody knows who still writes, and nothing is taken.
func TestNothingIsTakenUnlessQuiet(t *testing.T) {
	for _, comment := range []string{"/edit a", "/build a"} {
		s := newStage(t, "text\n")
		s.agent.loud = true
		s.agent.say = []string{"done"}
		ctx, cancel := context.WithCancel(t.Context())
		s.agent.act = func(sc scene) { sc.write("b.go", "package b\n"); sc.revise("text", "changed"); cancel() }
		out := s.run(ctx, comment)
		if out.Result.Outcome != render.Cancelled || out.Branch != "" || s.body() != "text\n" {
			t.Errorf("%s: %v %q, branch %q, document %q", comment, out.Result.Outcome, out.Result.Headline, out.Branch, s.body())
		}
	}
}

// movingPlace is a document that somebody changes again and again.
type movingPlace struct {
	body   string
	moves  int // how often Replace finds it moved
	writes int
	fail   error // of Replace
}

func (p *movingPlace) Document(context.Context) (Document, error) {
	return Document{Name: "the description", Body: p.body}, nil
}

func (p *movingPlace) Discussion(context.Context) ([]Said, error) { return nil, nil }

func (p *movingPlace) Announce(context.Context, render.Result, string, string) error { return nil }

func (p *movingPlace) Replace(_ context.Context, was, now string) error {
	switch {
	case p.fail != nil:
		return p.fail
	case p.moves > 0:
		p.moves--
		p.body += fmt.Sprintf("more %d\n", p.moves)
		return ErrMoved
	case p.body != was:
		return ErrMoved
	}
	p.body, p.writes = now, p.writes+1
	return nil
}

// F-60: the moment between reading and writing is closed by reading again, a bounded number of times.
func TestDocumentThatKeepsMoving(t *testing.T) {
	s := newStage(t, "")
	place := &movingPlace{body: "one\n\ntwo\n\nthree\n", moves: tries - 1}
	s.flow.Place = place
	s.agent.act = func(s scene) { s.revise("one", "ONE") }
	out := s.run(t.Context(), "/edit x")
	if out.Result.Outcome != render.Done || place.body != "ONE\n\ntwo\n\nthree\nmore 2\nmore 1\nmore 0\n" || place.writes != 1 {
		t.Errorf("%v %q, body %q after %d writes", out.Result.Outcome, out.Result.Headline, place.body, place.writes)
	}
	place = &movingPlace{body: "one\n\ntwo\n\nthree\n", moves: tries}
	s.flow.Place = place
	out = s.run(t.Context(), "/edit x")
	if out.Result.Outcome != render.Failed || out.Report.Failure.Class != "moved" || place.writes != 0 || out.Result.Diffs == nil {
		t.Errorf("for ever: %+v, %d writes", out.Report.Failure, place.writes)
	}
	place = &movingPlace{body: "one\n\ntwo\n", fail: errors.New("disk full: /secret/path")}
	s.flow.Place = place
	out = s.run(t.Context(), "/edit x")
	if out.Result.Outcome != render.Failed || out.Result.Diffs == nil || strings.Contains(render.Comment(out.Result), "secret") || !strings.Contains(out.Err.Error(), "secret") {
		t.Errorf("not written: %+v, %v", out.Result, out.Err)
	}
}

func TestRefusals(t *testing.T) {
	s := newStage(t, "")
	if out := s.run(t.Context(), "/edit x"); out.Result.Outcome != render.Refused || !strings.Contains(out.Result.NextStep, "--body") || len(s.agent.rooms) != 0 {
		t.Errorf("an edit of nothing: %+v", out.Result)
	}
	if out := s.run(t.Context(), "no command"); out.Result.Outcome != render.Nothing || len(s.agent.rooms) != 0 {
		t.Errorf("no command: %+v", out.Result)
	}
	c, err := Parse("/build x", "")
	if err != nil {
		t.Fatal(err)
	}
	out := s.flow.Run(t.Context(), Request{Comment: c, Surface: ReviewThread, Trusted: true})
	if checkOutcome(t, out); out.Result.Outcome != render.Refused || out.Report.Surface != "review_thread" {
		t.Errorf("a build in a review thread: %+v", out.Result)
	}
	c, err = Parse("/build x\n/ask y", "")
	var refusal *Refusal
	if !errors.As(err, &refusal) {
		t.Fatal(err)
	}
	out = Refuse(Request{Comment: c}, refusal)
	if checkOutcome(t, out); out.Result.Outcome != render.Refused || !strings.Contains(out.Result.Headline, "only command") || out.Report.Command != "build" {
		t.Errorf("%+v", out.Result)
	}
}

func TestUnreadableDocument(t *testing.T) {
	s := newStage(t, "text\n")
	if err := os.WriteFile(s.document, []byte("a\xff"), 0o600); err != nil {
		t.Fatal(err)
	}
	if out := s.run(t.Context(), "/ask x"); out.Result.Outcome != render.Failed || out.Report.Failure.Class != "document" || len(s.agent.rooms) != 0 {
		t.Errorf("%+v", out.Result)
	}
}

func TestEmptyRepository(t *testing.T) {
	s := newStage(t, "")
	s.checkout = t.TempDir()
	s.git("init", "-q")
	repo, err := git.Open(t.Context(), s.checkout, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer repo.Close()
	s.flow.Repo = repo
	out := s.run(t.Context(), "/ask x")
	if out.Result.Outcome != render.Failed || out.Report.Failure.Class != "git" || !strings.Contains(out.Result.NextStep, "first commit") {
		t.Errorf("%+v", out.Result)
	}
}

func TestDirtyCheckoutIsSaid(t *testing.T) {
	s := newStage(t, "")
	s.agent.say = []string{"a"}
	if err := os.WriteFile(filepath.Join(s.checkout, "new"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	out := s.run(t.Context(), "/ask x")
	if !strings.Contains(strings.Join(out.Result.Notes, ""), "not committed") {
		t.Errorf("notes %q", out.Result.Notes)
	}
}

// PR surfaces are answered on the pull request's head, not on what happens to be checked out (F-63).
func TestAskOnAnotherCommit(t *testing.T) {
	s := newStage(t, "")
	first := strings.TrimSpace(s.git("rev-parse", "HEAD"))
	scene{t: t, tree: s.checkout}.write("later", "x")
	s.git("add", "-A")
	s.git("commit", "-q", "-m", "second")
	s.agent.say = []string{"a"}
	saw := true
	s.agent.act = func(s scene) {
		_, err := os.Stat(filepath.Join(s.tree, "later"))
		saw = !errors.Is(err, os.ErrNotExist)
	}
	c, err := Parse("/ask x", "")
	if err != nil {
		t.Fatal(err)
	}
	out := s.flow.Run(t.Context(), Request{Comment: c, Surface: PullRequest, Commit: git.OID(first)})
	if checkOutcome(t, out); saw || out.Result.Outcome != render.Done {
		t.Errorf("saw the later file: %v; %+v", saw, out.Result)
	}
	if p := s.agent.tasks[0].Policy; p.Trusted {
		t.Error("trusted without anybody having said so")
	}
}

var _ Agent = (*executor.Agent)(nil)

func TestModelAndWarningsReachTheResult(t *testing.T) {
	s := newStage(t, "")
	s.agent.say = []string{"a"}
	p, err := ParsePolicy([]byte("models: { ask: m-ask, default: m }\nnope: 1"), "the file")
	if err != nil {
		t.Fatal(err)
	}
	s.flow.Policy = p
	out := s.run(t.Context(), "/ask x")
	if s.agent.tasks[0].Model != "m-ask" || out.Report.Model.Asked != "m-ask" || out.Report.PolicySource != "the file" {
		t.Errorf("model %q, report %+v", s.agent.tasks[0].Model, out.Report)
	}
	if !strings.Contains(strings.Join(out.Result.Notes, ""), `"nope"`) {
		t.Errorf("notes %q", out.Result.Notes)
	}
}

// F-81: a model that the provider switched is named.
func TestAnotherModelIsSaid(t *testing.T) {
	for effective, said := range map[string]bool{"": false, "gpt-5": false, "GPT-5-2026": false, "mini": true} {
		s := newStage(t, "")
		s.agent.say, s.flow.Model = []string{"a"}, "gpt-5"
		s.agent.report.ModelEffective = effective
		out := s.run(t.Context(), "/ask x")
		if got := strings.Contains(strings.Join(out.Result.Notes, ""), `"mini"`); got != said {
			t.Errorf("effective %q: notes %q", effective, out.Result.Notes)
		}
	}
}
