package git

import (
	"strings"
	"testing"

	"github.com/d3mlabs/ai-flow/isolation"
)

func workflowPath(path string) bool { return strings.HasPrefix(path, ".github/workflows/") }

// H7-09, H7-11, reference.md 6.5: changes of held paths stay out of the tree, whatever else happened, and nothing of them is lost.
func TestHoldBack(t *testing.T) {
	const base = `mkdir -p .github/workflows src; echo on: push >.github/workflows/ci.yml; echo a >src/a`
	cases := []struct{ name, script, want, held string }{
		{"nothing held", `echo b >src/b`, `A 100644 2 +1 -0 src/b`, ``},
		{"changed", `echo x >>.github/workflows/ci.yml; echo b >src/b`, `A 100644 2 +1 -0 src/b`, `M .github/workflows/ci.yml`},
		{"added", `echo x >.github/workflows/new.yml`, ``, `A .github/workflows/new.yml`},
		{"deleted", `rm .github/workflows/ci.yml; echo b >src/b`, `A 100644 2 +1 -0 src/b`, `D .github/workflows/ci.yml`},
		{"moved out", `mv .github/workflows/ci.yml ci.yml`, `A 100644 9 +1 -0 ci.yml`, `D .github/workflows/ci.yml`},
		{"moved in", `git mv src/a .github/workflows/a.yml`, `D 100644 0 +0 -1 src/a`, `A .github/workflows/a.yml`},
		{"a file in the place of the directory", `rm -r .github; echo x >.github`,
			`refused ".github/workflows/ci.yml": cannot be held back: something else took the place of a directory above it`, ``},
	}
	inRooms(t, func(t *testing.T, room *isolation.Room) {
		for _, c := range cases {
			t.Run(c.name, func(t *testing.T) {
				w := handOver(t, room, checkout(t, base))
				w.agent(t, c.script)
				taken := w.take(t, Limits{Hold: workflowPath})
				taken.Changes = dropRefused(taken)
				if got := show(taken); got != c.want {
					t.Errorf("got  %q\nwant %q", got, c.want)
				}
				if len(taken.Refused) > 0 {
					return
				}
				held, err := w.repo.changes(t.Context(), taken.Tree, taken.Whole, nil)
				if err != nil {
					t.Fatal(err)
				}
				var lines []string
				for _, h := range held {
					lines = append(lines, string(h.Status)+" "+h.Path)
				}
				if got := strings.Join(lines, ", "); got != c.held {
					t.Errorf("held back %q, want %q", got, c.held)
				}
			})
		}
	})
}

// A link or file where the way to the held paths is: the wall would hold paths that lead elsewhere.
func TestDirectoriesOnly(t *testing.T) {
	const base = `mkdir -p .github/workflows src; echo on: push >.github/workflows/ci.yml; echo a >src/a`
	inRooms(t, func(t *testing.T, room *isolation.Room) {
		for _, c := range []struct{ base, script, want string }{
			{base, `mv .github/workflows ci; ln -s ../ci .github/workflows`, `refused ".github/workflows": only a directory may have this name`},
			{base, `mv .github ci; ln -s ci .github`, `refused ".github": only a directory may have this name`},
			{base, `rm -r .github; echo x >.github`, `refused ".github": only a directory may have this name`},
			{base, `ln -s src .GitHub; ln -s ../src .github/Workflows`, `refused ".GitHub": only a directory may have this name, refused ".github/Workflows": only a directory may have this name`},
			{base, `ln -s ../src .github/workflow` + "ſ", `refused ".github/workflow` + "ſ" + `": only a directory may have this name`},
			{`echo a >a`, `ln -s a .github`, `refused ".github": only a directory may have this name`},
			{`echo a >a`, `mkdir .github; ln -s ../a .github/workflows`, `refused ".github/workflows": only a directory may have this name`},
			{`echo a >a`, `mkdir d; ln -s a d/.github; ln -s a workflows`, `A 120000 1 +1 -0 d/.github, A 120000 1 +1 -0 workflows`},
			{`mkdir d e; ln -s d .github; echo e >e/e`, `echo x >e/e`, `M 100644 2 +1 -1 e/e`}, // the base's own
			{`mkdir d e; ln -s d .github; echo e >e/e`, `ln -sfn e .github`, `refused ".github": only a directory may have this name`},
			{`ln -s d .github`, `rm .github`, `D 120000 0 +0 -1 .github`},
			{base, `mkdir .github/actions; echo x >.github/actions/a`, `A 100644 2 +1 -0 .github/actions/a`},
		} {
			w := handOver(t, room, checkout(t, c.base))
			w.agent(t, c.script)
			taken := w.take(t, Limits{Hold: workflowPath, Directories: []string{".github", ".github/workflows"}})
			if got := show(taken); got != c.want || (taken.Tree == "") != strings.HasPrefix(c.want, "refused") {
				t.Errorf("%s: got %q, tree %q, want %q", c.script, got, taken.Tree, c.want)
			}
		}
	})
}

func dropRefused(taken Taken) []Change {
	if len(taken.Refused) > 0 {
		return nil
	}
	return taken.Changes
}
