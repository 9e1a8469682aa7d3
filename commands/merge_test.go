package commands

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/d3mlabs/ai-flow/testsupport"
)

func TestMerge3(t *testing.T) {
	tests := []struct {
		name, base, ours, theirs, want string
		clean                          bool
	}{
		{"nothing", "a\n", "a\n", "a\n", "a\n", true},
		{"only ours", "a\nb\n", "x\nb\n", "a\nb\n", "x\nb\n", true},
		{"only theirs", "a\nb\n", "a\nb\n", "a\ny\n", "a\ny\n", true},
		{"both the same", "a\nb\n", "a\ny\n", "a\ny\n", "a\ny\n", true},
		{"apart", "a\nb\nc\n", "x\nb\nc\n", "a\nb\nz\n", "x\nb\nz\n", true},
		{"insertions apart", "a\nb\nc\n", "0\na\nb\nc\n", "a\nb\nc\nd\n", "0\na\nb\nc\nd\n", true},
		{"a deletion and an insertion apart", "a\nb\nc\nd\n", "b\nc\nd\n", "a\nb\nc\nd\ne\n", "b\nc\nd\ne\n", true},
		{"the same line", "a\nb\nc\n", "a\nx\nc\n", "a\ny\nc\n", "", false},
		{"neighbouring lines", "a\nb\n", "x\nb\n", "a\ny\n", "", false},
		{"both append", "a\n", "a\nx\n", "a\ny\n", "", false},
		{"both append the same", "a\n", "a\nx\n", "a\nx\n", "a\nx\n", true},
		{"deleted here, changed there", "a\nb\nc\n", "a\nc\n", "a\ny\nc\n", "", false},
		{"one covers two of the other", "a\nb\nc\nd\ne\n", "X\n", "a\ny\nc\nz\ne\n", "", false},
		{"the same change and another", "a\nb\nc\nd\n", "x\nb\nc\nd\n", "x\nb\nc\nz\n", "x\nb\nc\nz\n", true},
		{"all deleted, nothing there", "a\nb\n", "\n", "a\nb\n", "\n", true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, clean := merge3(tt.base, tt.ours, tt.theirs)
			if got != tt.want || clean != tt.clean {
				t.Errorf("%q %v, want %q %v", got, clean, tt.want, tt.clean)
			}
			if got, clean := merge3(tt.base, tt.theirs, tt.ours); got != tt.want || clean != tt.clean {
				t.Errorf("the other way round: %q %v, want %q %v", got, clean, tt.want, tt.clean)
			}
		})
	}
}

// Edits of distinct lines with an untouched line between them always merge, to exactly both.
func TestMerge3KeepsBothOfDisjointEdits(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		n := 3 + random.IntN(30)
		base, ours, theirs, want := make([]string, n), make([]string, n), make([]string, n), make([]string, n)
		free := 0
		for i := range n {
			line := fmt.Sprintf("line %d\n", i)
			base[i], ours[i], theirs[i], want[i] = line, line, line, line
			if i < free {
				continue
			}
			changed := []string{"", fmt.Sprintf("new %d\n", i), line + fmt.Sprintf("more %d\nand %d\n", i, i)}[random.IntN(3)]
			switch random.IntN(4) {
			case 0:
				ours[i], want[i], free = changed, changed, i+2
			case 1:
				theirs[i], want[i], free = changed, changed, i+2
			}
		}
		join := func(s []string) string { return strings.Join(s, "") }
		got, clean := merge3(join(base), join(ours), join(theirs))
		if !clean || got != join(want) {
			t.Fatalf("base %q\nours %q\ntheirs %q\ngot %q %v", join(base), join(ours), join(theirs), got, clean)
		}
	}
}

// git is the judge of what a conflict is: where git merge-file sees one, so must we, and where both merge, alike.
// (The other way round we may be stricter.)
func TestMerge3AgainstGit(t *testing.T) {
	bin, err := exec.LookPath("git")
	testsupport.Need(t, err == nil, "git", "sudo apt-get install -y git")
	random := rand.New(rand.NewPCG(3, 4))
	dir := t.TempDir()
	write := func(name, text string) string {
		p := filepath.Join(dir, name)
		if err := os.WriteFile(p, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return p
	}
	merged, refused := 0, 0
	for range 300 {
		base := randomText(random, 12)
		ours, theirs := mutate(random, base), mutate(random, base)
		got, clean := merge3(base, ours, theirs)
		cmd := exec.Command(bin, "merge-file", "-p", "-q", write("ours", ours), write("base", base), write("theirs", theirs))
		out, err := cmd.Output()
		if gitClean := err == nil; clean && !gitClean {
			t.Fatalf("git sees a conflict:\nbase %q\nours %q\ntheirs %q\nours merged %q", base, ours, theirs, got)
		} else if clean && got != string(out) {
			t.Fatalf("git merges to %q, we to %q\nbase %q\nours %q\ntheirs %q", out, got, base, ours, theirs)
		}
		if clean {
			merged++
		} else {
			refused++
		}
	}
	if merged < 20 || refused < 20 {
		t.Errorf("%d merged, %d refused: the samples say little", merged, refused)
	}
}

// randomText has lines that differ, so that every diff algorithm finds the same changes.
func randomText(random *rand.Rand, lines int) string {
	var b strings.Builder
	for i := range lines {
		fmt.Fprintf(&b, "line %d %d\n", i, random.IntN(1000))
	}
	return b.String()
}

func mutate(random *rand.Rand, text string) string {
	lines := strings.SplitAfter(strings.TrimSuffix(text, "\n"), "\n")
	lines[len(lines)-1] += "\n"
	for range 1 + random.IntN(2) {
		i := random.IntN(len(lines))
		switch random.IntN(3) {
		case 0:
			lines[i] = fmt.Sprintf("changed %d\n", random.IntN(1000))
		case 1:
			lines[i] += fmt.Sprintf("added %d\n", random.IntN(1000))
		case 2:
			lines[i] = ""
		}
	}
	if out := strings.Join(lines, ""); out != "" {
		return out
	}
	return "\n"
}

func BenchmarkMerge3(b *testing.B) {
	base := strings.Repeat("a\nb\n", 16_000)
	ours, theirs := strings.Repeat("b\na\n", 16_000), strings.Repeat("b\nc\n", 16_000)
	for b.Loop() {
		merge3(base, ours, theirs)
	}
}

func FuzzMerge3(f *testing.F) {
	f.Add("a\nb\nc\n", "x\nb\nc\n", "a\nb\nz\n")
	f.Add("a\n", "", "a\na\n")
	f.Add("", "a", "b")
	f.Fuzz(func(t *testing.T, base, ours, theirs string) {
		base, ours, theirs = normalise(base), normalise(ours), normalise(theirs)
		got, clean := merge3(base, ours, theirs)
		back, cleanBack := merge3(base, theirs, ours)
		if got != back || clean != cleanBack {
			t.Errorf("not symmetrical: %q %v, %q %v", got, clean, back, cleanBack)
		}
		if got, clean := merge3(base, ours, base); !clean || got != ours {
			t.Errorf("against an untouched text: %q %v, want %q", got, clean, ours)
		}
		if got, clean := merge3(base, ours, ours); !clean || got != ours {
			t.Errorf("the same on both sides: %q %v, want %q", got, clean, ours)
		}
	})
}
