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

func dropRefused(taken Taken) []Change {
	if len(taken.Refused) > 0 {
		return nil
	}
	return taken.Changes
}
