package denials

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	corpus "github.com/d3mlabs/ai-flow/testsupport/denials"
)

// FuzzPieces: however output is cut into deltas or told in snapshots, the wants are those of the whole; nothing panics and
// the bounds hold.
func FuzzPieces(f *testing.F) {
	for _, name := range []string{"corpus", "shapes", "negatives"} {
		cases, err := corpus.Read(name)
		if err != nil {
			f.Fatal(err)
		}
		for i, c := range cases {
			f.Add(c.Output, c.Command, uint64(i), int8(i%3-1))
		}
	}
	long := strings.Repeat("x", maxLine-20)
	f.Add(long+"cat: /etc/x: Permission denied\r"+long+long+long+"\nopen /y: permission denied", "", uint64(1), int8(1))
	f.Add("a.go:"+long+long[:150]+"3:\tcat: /etc/x: Permission denied\n", "", uint64(67), int8(15)) // a trigger across the cut of a long line
	f.Add("usage\nmust be run as root\n", "x --help", uint64(106), int8(0))
	f.Add(strings.Repeat("permission denied: '/a' ", 600), "cat x", uint64(2), int8(0))
	f.Add("EACCES "+long[:maxLine-30]+" saved to: /a/b/c"+long+" saved to\n/d saved to: /e", "", uint64(3), int8(0))
	f.Fuzz(func(t *testing.T, output, command string, seed uint64, exit int8) {
		var code *int
		if exit >= 0 {
			code = ptr(int(exit))
		}
		run := func(feed func(*Collector)) string {
			c := NewCollector(Options{Workspace: "/srv/repo", Home: "/home/agent"})
			c.Observe(Call{ID: "1", Kind: Execute, Command: command})
			feed(c)
			c.Observe(Call{ID: "1", Exit: code, Done: true})
			wants, _ := c.Wants()
			for _, w := range wants {
				checkBounds(t, w)
			}
			return fmt.Sprintf("%+v %+v", wants, c.Spills())
		}
		whole := run(func(c *Collector) { c.Observe(Call{ID: "1", Pieces: text(output)}) })
		r := rand.New(rand.NewPCG(seed, 1))
		cuts := func(yield func(from, to int)) {
			for from := 0; from < len(output); {
				to := min(len(output), from+1+r.IntN(1+r.IntN(100)))
				yield(from, to)
				from = to
			}
		}
		deltas := run(func(c *Collector) {
			cuts(func(from, to int) {
				c.Observe(Call{ID: "1", Pieces: []Piece{{Text: output[from:to], Append: true}}})
			})
		})
		if deltas != whole {
			t.Errorf("deltas give %s, the whole %s", deltas, whole)
		}
		snapshots := run(func(c *Collector) {
			cuts(func(_, to int) { c.Observe(Call{ID: "1", Pieces: text(output[:to])}) })
		})
		if snapshots != whole {
			t.Errorf("snapshots give %s, the whole %s", snapshots, whole)
		}
	})
}

// FuzzCall: any order of anything.
func FuzzCall(f *testing.F) {
	f.Add("cat: /x: Permission denied", "cat /x | head", "p", uint8(3), uint8(200))
	f.Fuzz(func(t *testing.T, a, b, part string, kind, bits uint8) {
		c := NewCollector(Options{Workspace: a, Home: b, OnWant: func(w Want) { checkBounds(t, w) }})
		for i := range 4 {
			c.Observe(Call{ID: part, Kind: ToolKind(kind % 3), Command: b, Dir: a, Failed: bits&1 != 0, Done: bits&(2<<i) != 0, Pieces: []Piece{
				{Part: part, Text: a, Append: bits&8 != 0}, {Part: part, Text: a + b, Append: bits&16 != 0}, {Part: b, Text: b},
			}})
		}
		c.Stderr(a)
		c.Refuse(b, a)
		_, wants := Strip(a + "\nWANTED: " + b)
		c.Declare(wants)
		got, _ := c.Wants()
		for _, w := range got {
			checkBounds(t, w)
		}
	})
}
