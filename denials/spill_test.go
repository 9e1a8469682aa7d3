package denials

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func spilled(c *Collector) (paths []string) {
	for _, s := range c.Spills() {
		paths = append(paths, s.CallID+" "+s.Path)
	}
	return paths
}

// agents.md point 16: where agents say that the whole output is. Each in one piece, cut at every place, resent with every
// update, and in the middle of a long line.
func TestSpills(t *testing.T) {
	for text, want := range map[string]string{
		"Output too large to read at once (4.8 MB). Saved to: /tmp/1-copilot-tool-output-2-aa.txt\nPreview (first 500 chars):\n": "/tmp/1-copilot-tool-output-2-aa.txt",
		"<persisted-output>\nOutput too large (4.8MB). Full output saved to: /home/a/.claude/x/y.txt\n\nPreview":                 "/home/a/.claude/x/y.txt",
		"...output truncated...\n\nFull output saved to: /home/a/.local/share/opencode/tool-output/t_1\n":                        "/home/a/.local/share/opencode/tool-output/t_1",
		"FULL OUTPUT SAVED TO /a/b.":              "/a/b",
		"it was saved to `/a/b c`":                "/a/b",
		`{"out":"Saved to: \"/a/b\""}`:            "",
		`{"out":"Saved to: /a/b\nPreview"}`:       "/a/b",
		"(saved to: /a/../b//c)":                  "/b/c",
		"saved to: relative/path, saved to:/x/y":  "/x/y",
		"unsaved to /x/y":                         "",
		"saved tomorrow /x":                       "",
		"saved to: /":                             "",
		"saved to: /" + strings.Repeat("a", 1024): "",
		"saved to: /" + strings.Repeat("a", 1023): "/" + strings.Repeat("a", 1023),
		"saved to:\n/next/line":                   "",
		strings.Repeat("x", maxLine-30) + " saved to: /crosses/the/border/of/a/piece/of/the/line and on":               "/crosses/the/border/of/a/piece/of/the/line",
		strings.Repeat("x", maxLine-30) + " saved to: /ends/at/the/en":                                                 "/ends/at/the/en",
		strings.Repeat("x", 2*maxLine-30) + " saved to: /second/piece/of/the/line/too\nand " + strings.Repeat("y", 99): "/second/piece/of/the/line/too",
		strings.Repeat("x", maxLine-len(savedTo)-1) + " " + savedTo + ": /right/at/the/cut and":                        "/right/at/the/cut",
		strings.Repeat("x", maxLine-len(savedTo)-3) + " " + savedTo + ": /just/before/the/cut":                         "/just/before/the/cut",
		strings.Repeat("x", maxLine-len(savedTo)-2) + " " + savedTo + ":" + strings.Repeat(" ", 99) + "/x":             "",
	} {
		var wanted []string
		if want != "" {
			wanted = []string{"1 " + want}
		}
		check := func(how string, c *Collector) {
			t.Helper()
			if got := spilled(c); !slices.Equal(got, wanted) {
				t.Errorf("%.60q, %s: got %.200q, want %.200q", text, how, got, wanted)
			}
		}
		for _, done := range []bool{true, false} {
			c := NewCollector(Options{})
			c.Observe(Call{ID: "1", Pieces: []Piece{{Text: text}}, Done: done})
			check(fmt.Sprintf("whole, done %v", done), c)
			c.Wants() // changes nothing
			check("again", c)
		}
		step := 1 + len(text)/200
		for cut := 0; cut <= len(text); cut += step {
			deltas, snapshots := NewCollector(Options{}), NewCollector(Options{})
			deltas.Observe(Call{ID: "1", Pieces: []Piece{{Text: text[:cut], Append: true}}})
			deltas.Wants()
			deltas.Observe(Call{ID: "1", Pieces: []Piece{{Text: text[cut:], Append: true}}, Done: true})
			check(fmt.Sprintf("cut at %d", cut), deltas)
			snapshots.Observe(Call{ID: "1", Pieces: []Piece{{Text: text[:cut]}}})
			snapshots.Observe(Call{ID: "1", Pieces: []Piece{{Text: text}}})
			snapshots.Observe(Call{ID: "1", Pieces: []Piece{{Text: text}}, Done: true})
			check(fmt.Sprintf("resent, from %d", cut), snapshots)
		}
	}
}

// A path takes one slot however often it is named; a call has eight, all have thirty-two; a call whose end is not known gives
// what it would give now.
func TestSpillsAreBounded(t *testing.T) {
	c := NewCollector(Options{})
	for call := range 10 {
		var text strings.Builder
		for i := range 20 {
			fmt.Fprintf(&text, "saved to: /call%d/%d\n", call, i/2)
		}
		for range 3 {
			c.Observe(Call{ID: fmt.Sprint(call), Pieces: []Piece{{Text: text.String()}}})
		}
	}
	got := c.Spills()
	if len(got) != 32 || got[0] != (Spill{"0", "/call0/0"}) || got[8] != (Spill{"1", "/call1/0"}) || got[31] != (Spill{"3", "/call3/7"}) {
		t.Errorf("%d: %v", len(got), got)
	}
	c.Stderr("saved to: /stderr\n")
	long := NewCollector(Options{})
	long.Stderr("saved to: /stderr\n")
	long.Observe(Call{ID: strings.Repeat("i", 999), Pieces: []Piece{{Text: "saved to: /x"}}})
	if s := long.Spills(); len(s) != 1 || len(s[0].CallID) != maxID {
		t.Errorf("%v", s)
	}
}
