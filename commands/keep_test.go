package commands

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/d3mlabs/ai-flow/commands/git"
	"github.com/d3mlabs/ai-flow/executor"
	"github.com/d3mlabs/ai-flow/render"
)

// cancelAt is a context that is cancelled when a gate that ends in waits has come to it.
func cancelAt(t *testing.T) (ctx context.Context, waits string) {
	mark := filepath.Join(t.TempDir(), "mark")
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	go func() {
		for ctx.Err() == nil {
			if _, err := os.Stat(mark); err == nil {
				cancel()
			}
			time.Sleep(5 * time.Millisecond)
		}
	}()
	return ctx, "touch " + mark + "; sleep 300"
}

// Whoever cancels while gates run, or while the agent mends what they found, gets the work that had been taken back by then.
func TestCancelledWorkIsKept(t *testing.T) {
	const waits = "WAIT"
	first := func(s scene) { s.write("b.go", "first\n") }
	tests := []struct {
		name     string
		gates    []executor.Gate
		acts     []func(scene)
		b        string // the file on the branch
		headline string
		patch    string // holds
	}{
		{name: "in the first round", gates: gates("ok", "true", "a", waits), acts: []func(scene){first}, b: "first\n",
			headline: "was cancelled before it was done. What it had made by then is on the branch `ai/try-it`: 1 file, +1 −0. The gates had not come to their end about it."},
		{name: "in the second", gates: gates("a", "grep -q second b.go || exit 1; "+waits), acts: []func(scene){first, func(s scene) { s.write("b.go", "second\n") }}, b: "second\n",
			headline: "is on the branch `ai/try-it`"},
		{name: "with workflow files", gates: gates("a", waits), acts: []func(scene){func(s scene) { first(s); s.write(".github/workflows/new.yml", "on: push\n") }}, b: "first\n",
			headline: "is on the branch `ai/try-it`", patch: "new.yml"},
		{name: "workflow files alone", gates: gates("a", waits), acts: []func(scene){func(s scene) { s.write(".github/workflows/new.yml", "on: push\n") }},
			headline: "came back as a patch. The gates had not come", patch: "new.yml"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			ctx, own := cancelAt(t)
			for i := range tt.gates {
				tt.gates[i].Run = strings.ReplaceAll(tt.gates[i].Run, waits, own)
			}
			s := newStage(t, "")
			s.flow.Policy.Gates, s.flow.Policy.Rounds = tt.gates, 2
			s.rounds(tt.acts...)
			began := time.Now()
			out := s.run(ctx, "/build it")
			if out.Result.Outcome != render.Cancelled || !strings.Contains(out.Result.Headline, tt.headline) || time.Since(began) > time.Minute {
				t.Errorf("%v %q (%v) after %v", out.Result.Outcome, out.Result.Headline, out.Err, time.Since(began))
			}
			if (out.Branch != "") != (tt.b != "") {
				t.Fatalf("branch %q", out.Branch)
			}
			if tt.b != "" && s.git("show", out.Branch+":b.go") != tt.b || tt.b != "" && len(out.Report.Commits) != 1 {
				t.Errorf("%q, %+v", s.git("show", out.Branch+":b.go"), out.Report.Commits)
			}
			s.checkPatch(out, tt.patch)
		})
	}
}

// A run that is cancelled while the agent mends what gates found keeps what stood before that round.
func TestCancelledRoundKeepsTheOneBefore(t *testing.T) {
	s := newStage(t, "")
	s.flow.Policy.Gates, s.flow.Policy.Rounds = gates("a", says), 2
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	s.rounds(func(s scene) { s.write("b.go", "first\n") }, func(sc scene) {
		sc.write("b.go", "half")
		s.agent.err = &executor.Failure{Class: executor.FailedCancelled, Message: "the run was cancelled"}
		cancel()
	})
	out := s.run(ctx, "/build it")
	if out.Result.Outcome != render.Cancelled || out.Branch == "" || s.git("show", out.Branch+":b.go") != "first\n" {
		t.Errorf("%+v on %q", out.Result, out.Branch)
	}
	if len(out.Result.Gates) != 1 || out.Result.NextStep != "" {
		t.Errorf("%+v, next %q", out.Result.Gates, out.Result.NextStep)
	}
}

// harbour is a landing that must not be used.
type harbour struct{ t *testing.T }

func (h harbour) Announce(context.Context, render.Result) error {
	h.t.Error("announced")
	return errors.New("announced")
}
func (h harbour) Push(context.Context, Target, git.OID) error {
	h.t.Error("pushed")
	return errors.New("pushed")
}
func (h harbour) Renew(context.Context, Target) (git.OID, error) { return "", errors.New("renewed") }
func (h harbour) Open(context.Context, Target, string, string) (render.Pull, bool, error) {
	return render.Pull{}, false, errors.New("opened")
}

// In a workflow nothing is pushed that no gate has judged to the end: all of it comes back as patches, soon enough for the thread.
func TestCancelledWorkIsRescued(t *testing.T) {
	ctx, waits := cancelAt(t)
	s := newStage(t, "")
	head, _, _, err := s.flow.Repo.Head(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	s.flow.Targets, s.flow.Landing = []Target{{Name: "acme/app", Repo: s.flow.Repo, Commit: head, Prefix: "ai/7-"}}, harbour{t}
	s.flow.Policy.Gates = gates("a", waits)
	s.agent.act = func(s scene) { s.write("b.go", "package b\n"); s.write(".github/workflows/new.yml", "on: push\n") }
	out := s.run(ctx, "/build it")
	var files []string
	for _, p := range out.Result.Patches {
		files = append(files, p.File)
		if p.Base != string(head) {
			t.Errorf("%s goes on %q, not on %s", p.File, p.Base, head)
		}
	}
	if out.Result.Outcome != render.Cancelled || !slices.Equal(files, []string{"rescued.patch", "workflows.patch"}) || out.Branch != "" {
		t.Errorf("%+v, patches %q", out.Result, files)
	}
	if patch := string(out.Result.Patches[0].Bytes); !strings.Contains(patch, "+package b") || strings.Contains(patch, "new.yml") {
		t.Errorf("rescued %q", patch)
	}
	comment := render.Comment(out.Result)
	for _, want := range []string{"was cancelled before it was done. What it had made by then came back as a patch. The gates had not come to their end about it.", "+package b", "Give the command again"} {
		if !strings.Contains(comment, want) {
			t.Errorf("no %q in\n%s", want, comment)
		}
	}
}
