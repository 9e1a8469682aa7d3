package git

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/d3mlabs/ai-flow/isolation"
)

// Every shape of directory that some git, on some file system, takes for a bare repository (experiment 8, H8-06). runs says that a
// plain commit of it has been seen to run code in a clone on this file system, which the test then does.
var bareLayouts = []struct {
	name, script string
	runs         bool
	want         string
}{
	{"files below objects and refs", `mkdir -p b/objects b/refs; touch b/objects/k b/refs/k; head b; evil b/config`, true, "b"},
	{"links for objects and refs", `mkdir -p o b; touch o/k; head b; ln -s ../o b/objects; ln -s ../o b/refs; evil b/config`, true, "b"},
	{"executable files for objects and refs", `mkdir b; head b; echo x >b/objects; cp b/objects b/refs; chmod +x b/objects b/refs; evil b/config`, true, "b"},
	{"commondir", `mkdir -p o/objects o/refs b; touch o/objects/k o/refs/k; head b; echo ../o >b/commondir; evil o/config`, false, "b"}, // runs with a pager
	{"commondir and a configuration of the worktree's", `mkdir -p o/objects o/refs b; touch o/objects/k o/refs/k; head b; echo ../o >b/commondir
		printf '[core]\n\trepositoryformatversion = 1\n\tbare = false\n[extensions]\n\tworktreeConfig = true\n' >o/config; evil b/config.worktree`, true, "b"},
	{"a link for HEAD", `mkdir -p b/objects b/refs; touch b/objects/k b/refs/k; ln -s refs/heads/main b/HEAD; evil b/config`, true, "b"},
	{"deep", `mkdir -p x/b/objects x/b/refs; touch x/b/objects/k x/b/refs/k; head x/b; evil x/b/config`, false, "x/b"},
	{"other cases", `mkdir -p b/OBJECTS b/Refs; touch b/OBJECTS/k b/Refs/k; echo 'ref: refs/heads/main' >b/head; evil b/Config`, false, "b"},
	{"another case of commondir", `mkdir b; head b; echo ../o >b/CommonDir`, false, "b"},
	{"one directory in two cases", `mkdir -p b/objects B/refs; touch b/objects/k B/refs/k; head B; evil b/config`, false, "B"},
	{"on HFS+ and NTFS", `mkdir -p b/objects. b/re` + "\u200c" + `fs; touch b/objects./k b/re` + "\u200c" + `fs/k; echo x >'b/HEAD::$DATA'`, false, "b"},
	{"a case beyond ASCII", `mkdir -p b/object` + "\u017f" + `; touch b/object` + "\u017f" + `/k b/ref` + "\u017f" + `; head b`, false, "b"},
	{"names with a backslash", `touch 'b\HEAD' 'b\objects\k' 'b\refs'`, false, "b"},
}

const bareTools = `head() { echo 'ref: refs/heads/main' >"$1/HEAD"; }
	evil() { printf '[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = .\n\tfsmonitor = echo ran >>"$MARKER"; false\n' >"$1"; }
	`

func TestBareLayouts(t *testing.T) {
	inRooms(t, func(t *testing.T, room *isolation.Room) {
		for _, c := range bareLayouts {
			t.Run(c.name, func(t *testing.T) {
				w := handOver(t, room, checkout(t, "echo a >a"))
				w.agent(t, bareTools+c.script)
				taken := w.take(t, Limits{})
				var all []string
				for _, r := range taken.Refused {
					all = append(all, r.Path)
					if r.Reason != "a directory that git takes for a bare repository" {
						t.Errorf("%q: %s", r.Path, r.Reason)
					}
				}
				if taken.Tree != "" || !strings.Contains(strings.ToLower(" "+strings.Join(all, " ")+" "), " "+strings.ToLower(c.want)+" ") {
					t.Errorf("tree %q, refused %q", taken.Tree, all)
				}
			})
		}
	})
}

// What is refused is no fancy: committed by plain git, it runs code of whoever clones and steps into it.
func TestBareLayoutsRun(t *testing.T) {
	for _, c := range bareLayouts {
		if !c.runs { // only on a file system without regard to case, or much like another
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			dir := checkout(t, bareTools+c.script)
			marker := filepath.Join(t.TempDir(), "ran")
			sh(t, t.TempDir(), "export MARKER="+marker+"; git clone -q "+dir+" clone; cd clone/b; git status >/dev/null 2>&1 || true")
			if _, err := os.Stat(marker); err != nil {
				t.Errorf("nothing ran: %v", err)
			}
		})
	}
}

// Only what the agent touched is held against it, and base entries count as parts of what it made.
func TestBareLayoutsOfTheBase(t *testing.T) {
	const base = `mkdir -p b/objects b/refs half/objects z; echo x >b/HEAD; touch b/objects/k b/refs/k b/config half/objects/k z/HEAD z/commondir
		cp -r b l; rm l/config; ln -s ../z/HEAD l/config; ln -s k l/objects/link`
	for _, c := range []struct{ script, want string }{
		{`echo x >x`, `A 100644 2 +1 -0 x`},
		{`rm -r b`, `D`},
		{`echo x >b/config`, `refused "b"`},
		{`rm b/objects/k; touch b/objects/l`, `refused "b"`},
		{`rm b/config`, `refused "b"`},
		{`echo x >half/HEAD`, `A 100644 2 +1 -0 half/HEAD`},
		{`echo x >half/HEAD; ln -s objects half/refs`, `refused "half"`},
		{`mkdir half/HEAD half/refs; touch half/HEAD/x half/refs/x`, `A 100644`}, // git takes no directory for a HEAD
		{`mkdir -p z/deep/down; echo x >z/deep/down/x`, `refused "z"`},
		{`echo x >HEAD; echo x >commondir`, `refused ""`},
		{`ln -sf ../b/config l/config`, `refused "l"`}, // a link is turned
	} {
		w := handOver(t, sameUser(t), checkout(t, base))
		w.agent(t, c.script)
		if got := show(w.take(t, Limits{})); !strings.HasPrefix(got, c.want) {
			t.Errorf("%s: got %q, want %q", c.script, got, c.want)
		}
	}
}

// Nothing is silently lost: git passes over directories whose path it cannot open, so they are named without its help.
func TestPathsTooLongForGit(t *testing.T) {
	inRooms(t, func(t *testing.T, room *isolation.Room) {
		for name, script := range map[string]string{
			"a file":                  `echo x >f`,
			"a closed directory":      `mkdir c; echo x >c/f; chmod 0 c`,
			"a link":                  `ln -s x f`,
			"beside an ordinary edit": `echo x >f; echo x >"$top/a"`,
		} {
			t.Run(name, func(t *testing.T) {
				w := handOver(t, room, checkout(t, "echo a >a"))
				d := strings.Repeat("d", 250)
				w.agent(t, `top=$PWD; for i in $(seq 20); do mkdir `+d+`; cd -P `+d+` 2>/dev/null || cd `+d+`; done; `+script)
				taken := w.take(t, Limits{})
				if taken.Tree != "" || len(taken.Refused) == 0 || len(taken.Changes) > 0 {
					t.Errorf("tree %q, %d changes, refused %.300q", taken.Tree, len(taken.Changes), taken.Refused)
				}
				for _, r := range taken.Refused { // root looks into what it closed to itself, and names that as well
					if !strings.HasPrefix(r.Path, d+"/"+d) || len(r.Path) <= maxPath || !strings.Contains(r.Reason, "too long") {
						t.Errorf("refused %.300q", r)
					}
				}
			})
		}
	})
}

// At the edge: the longest path that can be opened comes back or is named, and the next is named.
func TestLongestPath(t *testing.T) {
	for length, want := range map[int]string{maxPath: "", maxPath + 1: "long", maxPath + 2: "long"} {
		w := handOver(t, sameUser(t), checkout(t, "echo a >a"))
		d := strings.Repeat("d", 200)
		name := strings.Repeat("f", length-20*201)
		w.agent(t, `for i in $(seq 20); do mkdir `+d+`; cd -P `+d+` 2>/dev/null || cd `+d+`; done; echo x >`+name)
		taken := w.take(t, Limits{})
		got := show(taken)
		if want == "" && !strings.HasPrefix(got, "A 100644 2 +1 -0 "+d) || want != "" && (len(taken.Refused) != 1 || !strings.Contains(got, want) || taken.Tree != "") {
			t.Errorf("%d bytes: %.60q…%q", length, got, got[max(0, len(got)-60):])
		}
	}
}

// A tree made to be slow to judge: many deep paths, each directory of which has a part's name.
func BenchmarkBareProblems(b *testing.B) {
	deep := strings.Repeat("objects/", maxDepth-2)
	paths := []string{deep + "HEAD", "HEAD"}
	for i := range 60_000 {
		paths = append(paths, deep+strconv.Itoa(i))
	}
	for b.Loop() {
		if got := bareProblems(nil, nil, paths, paths); len(got) != 0 {
			b.Fatal(got)
		}
	}
}

func FuzzBareProblems(f *testing.F) {
	f.Add("b/HEAD", "b/objects", "B/refs/k", "b/x")
	f.Add("HEAD", `commondir`, "a", "/")
	f.Add(`b\\head.`, `b//refs`, `b\\objects:x`, `b\\\\`)
	f.Fuzz(func(t *testing.T, one, two, three, four string) {
		paths := []string{one, two, three, four}
		for _, r := range bareProblems(nil, nil, paths, paths) {
			if !slices.ContainsFunc(paths, func(p string) bool { return strings.HasPrefix(p, r.Path) }) {
				t.Errorf("%q is refused", r.Path)
			}
		}
	})
}
