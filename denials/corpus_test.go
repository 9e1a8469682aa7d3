package denials_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/d3mlabs/ai-flow/denials"
	corpus "github.com/d3mlabs/ai-flow/testsupport/denials"
)

var update = flag.Bool("update", false, "rewrite the wants of harvest.jsonl with what is found; then read the difference")

func toolKind(name string) denials.ToolKind {
	switch name {
	case "reader":
		return denials.Reader
	case "other":
		return denials.Other
	}
	return denials.Execute
}

// observe gives a case to a collector as one snapshot of one call.
func observe(c corpus.Case, workspace string) []denials.Want {
	d := denials.NewCollector(denials.Options{Workspace: workspace, Home: "/nonexistent"})
	d.Observe(denials.Call{ID: "1", Kind: toolKind(c.Kind), Command: c.Command, Pieces: []denials.Piece{{Text: c.Output}}, Exit: c.Exit, Failed: c.Failed, Done: true})
	wants, _ := d.Wants()
	return wants
}

func show(wants []denials.Want) []corpus.Want {
	out := []corpus.Want{}
	for _, w := range wants {
		out = append(out, corpus.Want{Subject: w.Subject, Kind: w.Kind.String()})
	}
	return out
}

func check(t *testing.T, c corpus.Case, got []corpus.Want) {
	t.Helper()
	ok := len(got) == len(c.Wants)
	for i := 0; ok && i < len(got); i++ {
		w := c.Wants[i]
		ok = (w.Subject == "*" || w.Subject == got[i].Subject) && (w.Kind == "" || w.Kind == got[i].Kind)
	}
	if !ok {
		t.Errorf("%s %s: got %q, want %q, from\n%s", c.ID, c.Tool, got, c.Wants, c.Output)
	}
}

// Every line of the corpora, with the exit code known and, for the one that was handed over, also unknown and "failed".
func TestCorpus(t *testing.T) {
	for _, name := range []string{"corpus", "shapes", "negatives"} {
		cases, err := corpus.Read(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range cases {
			check(t, c, show(observe(c, "")))
			if name != "corpus" {
				continue
			}
			c.Failed = true
			if c.ID != "DH-33" { // a passing test that is said to have failed is another case
				check(t, c, show(observe(c, "")))
			}
		}
	}
}

// What the tools of a Debian 12 print to uid 65534.
func TestHarvest(t *testing.T) {
	cases, err := corpus.Read("harvest")
	if err != nil {
		t.Fatal(err)
	}
	if len(cases) < 150 {
		t.Errorf("only %d real outputs", len(cases))
	}
	for i, c := range cases {
		got := show(observe(c, corpus.Workspace))
		if *update {
			cases[i].Wants = got
			continue
		}
		check(t, c, got)
	}
	if *update {
		var b bytes.Buffer
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(false)
		for _, c := range cases {
			if err := e.Encode(c); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.WriteFile("../testsupport/denials/harvest.jsonl", b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// A call's text may come in deltas cut anywhere, also inside a rune (agents.md point 11), as snapshots that grow, or at once,
// and in two parts that say the same: the wants are the same and are counted once.
func TestPieces(t *testing.T) {
	for _, name := range []string{"corpus", "shapes", "negatives"} {
		cases, err := corpus.Read(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range cases {
			whole := observe(c, "")
			for _, size := range []int{1, 2, 7} {
				same(t, c, whole, deltas(c, size))
			}
			same(t, c, whole, snapshots(c, 5))
			same(t, c, whole, twice(c))
		}
	}
}

func same(t *testing.T, c corpus.Case, a, b []denials.Want) {
	t.Helper()
	x, _ := json.Marshal(a)
	y, _ := json.Marshal(b)
	if !bytes.Equal(x, y) {
		t.Errorf("%s %s: %s in one piece, %s in many", c.ID, c.Tool, x, y)
	}
}

func pieces(c corpus.Case, ps [][]denials.Piece) []denials.Want {
	d := denials.NewCollector(denials.Options{Home: "/nonexistent"})
	for _, p := range ps {
		d.Observe(denials.Call{ID: "1", Kind: toolKind(c.Kind), Command: c.Command, Pieces: p})
		d.Wants() // looking changes nothing
	}
	d.Observe(denials.Call{ID: "1", Exit: c.Exit, Failed: c.Failed, Done: true})
	wants, _ := d.Wants()
	return wants
}

func deltas(c corpus.Case, size int) []denials.Want {
	var ps [][]denials.Piece
	for rest := c.Output; rest != ""; {
		n := min(size, len(rest))
		ps = append(ps, []denials.Piece{{Part: "delta", Text: rest[:n], Append: true}})
		rest = rest[n:]
	}
	return pieces(c, ps)
}

func snapshots(c corpus.Case, step int) []denials.Want {
	var ps [][]denials.Piece
	for n := 0; n < len(c.Output); n += step {
		ps = append(ps, []denials.Piece{{Part: "content", Text: c.Output[:n]}})
	}
	return pieces(c, append(ps, []denials.Piece{{Part: "content", Text: c.Output}}))
}

func twice(c corpus.Case) []denials.Want {
	return pieces(c, [][]denials.Piece{{{Part: "content", Text: c.Output}, {Part: "rawOutput", Text: c.Output}}, {{Part: "content", Text: c.Output}}})
}

func TestCorpusIsLong(t *testing.T) {
	negatives, err := corpus.Read("negatives")
	if err != nil || len(negatives) < 60 {
		t.Errorf("%d negatives, %v", len(negatives), err)
	}
	for _, c := range negatives {
		if len(c.Wants) != 0 || strings.TrimSpace(c.Tool) == "" {
			t.Errorf("%q is no negative", c.Tool)
		}
	}
}
