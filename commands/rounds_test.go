package commands

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/d3mlabs/ai-flow/commands/git"
	"github.com/d3mlabs/ai-flow/render"
)

// A round in which the agent changes another repository than the one that the gates judge is none in which it changed nothing.
func TestRoundInAnotherRepository(t *testing.T) {
	for name, test := range map[string]struct {
		second string // what round 2 makes of the other repository
		passes int
		notes  string
	}{
		"changed":   {"x\n", 3, ""},
		"unchanged": {"", 2, "changed nothing in round 2"},
	} {
		t.Run(name, func(t *testing.T) {
			s, other := newStage(t, ""), newStage(t, "")
			for _, st := range []*stage{s, other} {
				commit := git.OID(strings.TrimSpace(st.git("rev-parse", "HEAD")))
				s.flow.Targets = append(s.flow.Targets, Target{Name: "acme/" + []string{"app", "tap"}[len(s.flow.Targets)], Repo: st.flow.Repo, Commit: commit, Prefix: "ai/7-"})
			}
			s.flow.Policy.Gates, s.flow.Policy.Rounds = gates("a", says), 3
			s.rounds(func(s scene) { s.write("b.go", "package B\n") }, func(s scene) {
				if test.second != "" {
					s.besides("c.go", test.second)
				}
			}, func(s scene) { s.write("b.go", "package b\n") })
			out := s.run(t.Context(), "/build it")
			if passed := out.Result.Outcome == render.Done; passed != (test.passes == 3) || len(s.agent.tasks) != test.passes {
				t.Errorf("%v %q after %d passes", out.Result.Outcome, out.Result.Headline, len(s.agent.tasks))
			}
			if notes := strings.Join(out.Result.Notes, "\n"); !strings.Contains(notes, test.notes) || test.notes == "" && strings.Contains(notes, "changed nothing") {
				t.Errorf("notes %q", notes)
			}
		})
	}
}

// besides writes into the other tree of the room.
func (s scene) besides(name, text string) {
	s.t.Helper()
	trees, err := filepath.Glob(filepath.Join(filepath.Dir(s.tree), "tree*"))
	if err != nil || len(trees) != 2 {
		s.t.Fatalf("the trees are %q, %v", trees, err)
	}
	for _, tree := range trees {
		if tree != s.tree {
			if err := os.WriteFile(filepath.Join(tree, name), []byte(text), 0o644); err != nil {
				s.t.Fatal(err)
			}
		}
	}
}
