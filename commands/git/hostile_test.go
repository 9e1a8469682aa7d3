package git

import (
	"bufio"
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// The agent's side of the pipe could be anything: what is not exactly what was asked for is an error or a refusal, never a
// tree, and nothing is read past what was announced.
func TestHostileStream(t *testing.T) {
	r := open(t, checkout(t, "echo a >a"))
	const (
		x    = "587be6b4c3f93f93c489c0111bba5596147a26cb" // of "x\n"
		a    = "78981922613b2afb6025042ff6bd878ac1994e85" // of "a\n"
		head = "100644 " + x + " 0\tf\x00\x00"
		good = head + "2\n\n2\nx\n\n"
	)
	for _, c := range []struct{ name, stream, want string }{
		{"good", good, ""},
		{"nothing", "", "unexpected EOF"},
		{"cut in the entries", head[:20], "unexpected EOF"},
		{"cut in the sizes", head + "2", "unexpected EOF"},
		{"cut in the contents", head + "2\n\n2\nx", "unexpected EOF"},
		{"cut before the end", head + "2\n\n2\nx\n", "unexpected EOF"},
		{"more at the end", good + "more", "more than was asked for"},
		{"another path", "100644 " + x + " 0\tg\x00\x00", "without having been asked for"},
		{"a path twice", "100644 " + x + " 0\tf\x00100644 " + x + " 0\tf\x00\x00", "more than the 1 paths"},
		{"no path", "\x00", "a name, or a link of a name, that git refuses"},
		{"a gitlink", "160000 " + x + " 0\tf\x00\x00", "a git repository inside the tree"},
		{"a tree", "040000 " + x + " 0\tf\x00\x00", `has mode "040000"`},
		{"setuid", "104755 " + x + " 0\tf\x00\x00", `has mode "104755"`},
		{"a conflict stage", "100644 " + x + " 1\tf\x00\x00", "an index entry reads"},
		{"no id", "100644 HEAD 0\tf\x00\x00", "an index entry reads"},
		{"an endless record", strings.Repeat("9", 1<<20), "a record is longer than"},
		{"an endless size", head + strings.Repeat("9", 1<<20), "a record is longer than"},
		{"a negative size", head + "-2\n\n", "a size reads"},
		{"a huge size", head + "9223372036854775807\n\n", "larger than 1000 bytes"},
		{"too big", head + "1001\n\n", "larger than 1000 bytes"},
		{"missing", head + x + " missing\n\n", "a size reads"},
		{"a link of many bytes", "120000 " + x + " 0\tf\x00\x00" + "4097\n\n", "a link without a proper target"},
		{"too much together", head + "901\n\n", "are larger than 900 bytes"},
		{"a link of the base, grown", "120000 " + a + " 0\tl\x00\x00" + "5000000000\n\n", "a link without a proper target"},
		{"another size later", head + "2\n\n3\nxx\n\n", "has 3 bytes in the place of 2"},
		{"other contents", head + "2\n\n2\na\n\n", "should have been object " + x + ` are object "` + a},
		{"contents in the place of the end", head + "2\n\n2\nxyz", "does not end where it said"},
		{"more sizes", head + "2\n2\n\n", "sizes end in"},
		{"a link out", "120000 587be6b4c3f93f93c489c0111bba5596147a26cb 0\tf\x00\x002\n\n2\n..\n", "a link out of the tree"},
	} {
		t.Run(c.name, func(t *testing.T) {
			col := collection{base: map[string]entry{"l": {modeLink, a}}, limits: Limits{MaxFile: 1000, MaxTotal: 900, MaxFiles: 10}}
			in, path := strings.NewReader(c.stream), "f"
			if strings.Contains(c.stream, "\tl\x00") {
				path = "l"
			}
			err := r.receive(t.Context(), bufio.NewReader(in), []string{path}, &col)
			got := fmt.Sprint(err, col.refused)
			if c.want == "" && err != nil || !strings.Contains(got, c.want) {
				t.Errorf("got %s, want %q", got, c.want)
			}
			if err != nil && in.Len() < len(c.stream)-64<<10-4097 {
				t.Errorf("%d of %d bytes were read", len(c.stream)-in.Len(), len(c.stream))
			}
		})
	}
}

func TestHostileSurvey(t *testing.T) {
	for out, want := range map[string]string{
		"\x00\x00\x00\x00\x00\x00\x00":                            "",
		"":                                                        "has 0 parts",
		"\x00\x00\x00\x00\x00\x00":                                "has 6 parts",
		"\x00\x00\x00\x00\x00\x00\x00x\x00":                       "has 7 parts",
		"\x00\x00\x00\x00\x00\x00\x00\x00":                        "has 8 parts",
		"\x00\x00\x00\x00\x00\x00\x00half":                        "breaks off",
		"\x00\x00\x00\x00\x00\x00:1 2 3 4 M\x00\x00":              "has no path",
		"\x00\x00\x00\x00\x00\x00nonsense\x00p\x00\x00":           "a difference reads",
		"\x00\x00\x00\x00\x00\x00:100644 100644 a b\x00p\x00\x00": "a difference reads",
	} {
		_, err := readSurvey([]byte(out))
		if got := fmt.Sprint(err); (want == "") != (err == nil) || !strings.Contains(got, want) && want != "" {
			t.Errorf("%q: %s", out, got)
		}
	}
}

// Whatever a survey says, what is fetched has passed the rules, and each changed path is fetched, removed or refused.
func FuzzSurvey(f *testing.F) {
	f.Add([]byte("./p\x00\x00./big\x00\x00./u/\x00\x00./d/.git\x00\x00./long\x00\x00n\x00sub/\x00.GIT/x\x00sm/x\x00\x00:100644 000000 a b D\x00a\x00:100644 120000 a b T\x00d/f\x00\x00"))
	f.Add([]byte("\x00\x00\x00\x00\x00bare/HEAD\x00bare/objects/k\x00bare/refs/k\x00\x00\x00"))
	f.Add([]byte("\x00\x00\x00\x00\x00HEAD\x00objects/objects/refs/k\x00/\x00//\x00\x00\x00"))
	base := map[string]entry{"a": {modeFile, "1"}, "d/f": {modeExecutable, "2"}, "sm": {modeSubmodule, "3"}, "l": {modeLink, "4"}}
	f.Fuzz(func(t *testing.T, out []byte) {
		s, err := readSurvey(out)
		if err != nil {
			return
		}
		p := decide(base, s, Limits{}.withDefaults())
		decided := map[string]bool{}
		for _, path := range p.fetch {
			decided[path] = true
			if _, known := base[path]; !known && pathProblem(path, false) != "" {
				t.Errorf("%q is fetched", path)
			}
			if s.big[path] || s.unreadable[path] || submoduleAbove(base, path) != "" {
				t.Errorf("%q is fetched", path)
			}
		}
		for _, path := range p.remove {
			decided[path] = true
		}
		for _, list := range [][]Refused{p.refused, p.skipped} {
			for _, r := range list {
				decided[r.Path] = true
			}
		}
		for _, path := range s.others {
			if !decided[path] && !decided[strings.TrimSuffix(path, "/")] {
				t.Errorf("%q is lost", path)
			}
		}
		for _, d := range s.diffs {
			if !decided[d.path] {
				t.Errorf("%q is lost", d.path)
			}
		}
	})
}

// Whatever comes through the pipe, the entries and sizes that are accepted are within the bounds.
func FuzzCollection(f *testing.F) {
	f.Add([]byte("100644 587be6b4c3f93f93c489c0111bba5596147a26cb 0\tf\x00\x002\n\n2\nx\n\n"))
	f.Add([]byte("120000 587be6b4c3f93f93c489c0111bba5596147a26cb 0\tf\x00100644 587be6b4c3f93f93c489c0111bba5596147a26cb 0\tg\x00\x002\n\n2\n..\n"))
	f.Fuzz(func(t *testing.T, stream []byte) {
		c := collection{base: map[string]entry{}, limits: Limits{MaxFile: 100, MaxTotal: 150, MaxFiles: 10}}
		in := bufio.NewReader(bytes.NewReader(stream))
		if c.readEntries(in, []string{"f", "g"}) != nil || c.readSizes(in) != nil {
			return
		}
		var out bytes.Buffer
		err := c.copyBlobs(&out, in)
		if out.Len() > 150+100*len(c.ids) {
			t.Errorf("%d bytes were passed on", out.Len())
		}
		if err == nil && !bytes.HasSuffix(out.Bytes(), []byte("\ndone\n")) {
			t.Errorf("the stream ends in %q", out.Bytes())
		}
	})
}
