package denials

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// checkBounds holds for every want, whatever was put in (F-77).
func checkBounds(t *testing.T, w Want) {
	t.Helper()
	if w.Subject == "" || len(w.Subject) > maxSubject || len(w.Why) > maxWhy || len(w.Source) > maxSource || w.Count < 1 || w.Channel == 0 || w.Kind == 0 {
		t.Errorf("out of bounds: %+v", w)
	}
	for _, s := range []string{w.Subject, w.Why, w.Source} {
		if !utf8.ValidString(s) || strings.ContainsFunc(s, func(r rune) bool { return unicode.IsControl(r) || invisible(r) }) || s != strings.TrimSpace(s) {
			t.Errorf("not printable: %q", s)
		}
	}
}

// A hostile stream: wants, calls, parts, lines and spellings without end. What is kept stays small (F-77).
func TestBoundsUnderAttack(t *testing.T) {
	told := 0
	c := NewCollector(Options{Workspace: "/srv/repo", OnWant: func(Want) { told++ }})
	before := heap()
	long := strings.Repeat("x", 200_000)
	for i := range 3000 {
		id := fmt.Sprint("call", i, long)
		c.Observe(Call{ID: id, Kind: Execute, Command: long, Dir: long, Pieces: []Piece{
			{Part: "p" + long, Text: fmt.Sprintf("cat: /etc/%d/%s: Permission denied\n", i, long[:3000]), Append: true},
			{Part: fmt.Sprint(i), Text: "cat: /etc/" + long, Append: true},
		}})
		for part := range 20 {
			c.Observe(Call{ID: id, Pieces: []Piece{{Part: fmt.Sprint(part), Text: "    a.go:1: open /x" + fmt.Sprint(part) + ": permission denied\nunfinished", Append: true}}})
		}
		c.Refuse(fmt.Sprintf("/etc/hosts (%d)", i), long)
		c.Declare([]Want{{Subject: fmt.Sprint("thing ", i), Why: long, Source: long}})
		c.Stderr(fmt.Sprintf("cat: /root/%d: Permission denied\n", i))
	}
	grown := heap() - before
	if grown > 16<<20 {
		t.Errorf("keeps %d MiB", grown>>20)
	}
	wants, more := c.Wants()
	if len(wants) != maxWants || told != maxWants || more < 3000 {
		t.Errorf("%d wants, %d told, %d more", len(wants), told, more)
	}
	for _, w := range wants {
		checkBounds(t, w)
	}
	if len(c.calls) != maxCalls || len(c.store.index) > 8*maxWants {
		t.Errorf("%d calls, %d spellings", len(c.calls), len(c.store.index))
	}
	for _, k := range c.calls {
		if len(k.parts) > maxParts || len(k.held) > maxHeld || len(k.seen) > maxSeen || len(k.command) > maxCommand {
			t.Errorf("a call keeps %d parts, %d findings, %d subjects", len(k.parts), len(k.held), len(k.seen))
		}
		for _, s := range k.parts {
			if cap(s.pending) > 2*maxLine || cap(s.prev) > 4*maxPrev || cap(s.ended) > 4*maxOverlap {
				t.Errorf("a part keeps %d, %d, %d bytes", cap(s.pending), cap(s.prev), cap(s.ended))
			}
		}
	}
	runtime.KeepAlive(c)
}

// Beyond the cap distinct subjects are told apart for a while, and then only not counted.
func TestMoreStopsCounting(t *testing.T) {
	c := NewCollector(Options{})
	for i := range maxWants + 70_000 {
		c.Refuse(fmt.Sprint("subject ", i), "")
		c.Refuse(fmt.Sprint("subject ", i), "")
	}
	if wants, more := c.Wants(); len(wants) != maxWants || more != maxBeyond {
		t.Errorf("%d wants, %d more", len(wants), more)
	}
}

// One call cannot fill a want's place a thousand times over with its lines, nor with one subject.
func TestCountsOnceForACall(t *testing.T) {
	c := NewCollector(Options{})
	for range 2 {
		c.Observe(Call{ID: "1", Kind: Execute, Pieces: []Piece{{Text: strings.Repeat("cat: /etc/shadow: Permission denied\n", 500), Append: true}}, Done: true})
	}
	expect(t, c, "observed /etc/shadow 1")
}

func heap() int {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}
