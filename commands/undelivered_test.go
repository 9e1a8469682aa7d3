package commands

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/d3mlabs/ai-flow/commands/git"
	"github.com/d3mlabs/ai-flow/render"
)

// undelivered is a delivery of one work that was not pushed.
func undelivered(t *testing.T) (*delivery, *work) {
	s := newStage(t, "")
	base := strings.TrimSpace(s.git("rev-parse", "HEAD"))
	for _, name := range []string{"b.go", "c.go"} {
		scene{t: t, tree: s.checkout}.write(name, strings.Repeat("// x\n", 1000))
	}
	s.git("add", "-A")
	tree := strings.TrimSpace(s.git("write-tree"))
	w := &work{Target: Target{Repo: s.flow.Repo, Commit: git.OID(base)}, taken: git.Taken{Base: git.OID(base), Tree: git.OID(tree)}}
	return &delivery{run: &run{Flow: s.flow, works: []*work{w}}, parts: []*work{w}}, w
}

// What was rescued has one bound for all, since all of it is in memory.
func TestRescuedPatchesHaveOneBound(t *testing.T) {
	for name, test := range map[string]struct {
		left  int
		kind  render.PatchKind
		saved bool
		holds int // files
		note  string
	}{
		"room":              {maxRescued, render.PatchRescued, true, 2, ""},
		"of another kind":   {0, render.PatchWorkflows, true, 2, ""},
		"room for one file": {8000, render.PatchRescued, true, 1, "is cut, since all of them may hold 256 MiB"},
		"room for none":     {100, render.PatchRescued, false, 0, "not even be made a patch"},
		"no room":           {0, render.PatchRescued, false, 0, "no room for a further patch"},
	} {
		t.Run(name, func(t *testing.T) {
			d, w := undelivered(t)
			before := patch{}
			before.Kind, before.Bytes = test.kind, make([]byte, maxRescued-test.left)
			d.patches = []patch{before}
			if saved := d.rescue(t.Context(), w); saved != test.saved || len(d.patches) != 1 != test.saved {
				t.Fatalf("rescued: %t, %d patches, notes %q", saved, len(d.patches), d.notes)
			}
			last := d.patches[len(d.patches)-1]
			if test.saved && strings.Count(string(last.Bytes), "diff --git") != test.holds {
				t.Errorf("%d bytes of a patch", len(last.Bytes))
			}
			if notes := strings.Join(d.notes, "\n"); test.note == "" && notes != "" || !strings.Contains(notes, test.note) {
				t.Errorf("notes %q", notes)
			}
		})
	}
}

// A cancelled run rescues for a while, once for all works.
func TestRescueOutlastsTheRun(t *testing.T) {
	d, w := undelivered(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	w.err = ctx.Err()
	if d.conclude(ctx); !w.rescued || len(d.patches) != 1 {
		t.Errorf("notes %q", d.notes)
	}
	if rescueFor > 4*time.Second {
		t.Errorf("it may take %v", rescueFor)
	}
}

func TestOutlasting(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	longer, done := outlasting(ctx, time.Hour)
	if cancel(); longer.Err() != nil {
		t.Error("it ended with the other")
	}
	if done(); longer.Err() == nil {
		t.Error("it outlasts its own end")
	}
	ended, done := outlasting(ctx, time.Millisecond)
	defer done()
	select {
	case <-ended.Done():
	case <-time.After(time.Minute):
		t.Error("it has no end")
	}
}
