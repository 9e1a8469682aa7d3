package git

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// sketch is a tree as it is written down for a test: path to file.
type sketch map[string]leaf

type leaf struct {
	mode string
	text string // of a submodule: its commit
}

// forest makes a repository with one commit for each of the trees, and returns the commits.
func forest(t testing.TB, trees []sketch) (dir string, commits []OID) {
	t.Helper()
	dir = checkout(t, "git config core.protectNTFS false")
	var stream bytes.Buffer
	for i, tree := range trees {
		fmt.Fprintf(&stream, "commit refs/heads/t%d\ncommitter s <s@example.org> %d +0000\ndata 1\ns\n", i, 1_700_000_000+i)
		for _, path := range slices.Sorted(maps.Keys(tree)) {
			if l := tree[path]; l.mode == modeSubmodule {
				fmt.Fprintf(&stream, "M %s %s %s\n", l.mode, l.text, cQuote(path))
			} else {
				fmt.Fprintf(&stream, "M %s inline %s\ndata %d\n%s\n", l.mode, cQuote(path), len(l.text), l.text)
			}
		}
	}
	file := filepath.Join(t.TempDir(), "stream")
	if err := os.WriteFile(file, stream.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	for id := range strings.FieldsSeq(sh(t, dir, "git fast-import --quiet <"+file+"; for i in $(seq 0 "+strconv.Itoa(len(trees)-1)+"); do echo t$i; done | xargs git rev-parse")) {
		commits = append(commits, OID(id))
	}
	return dir, commits
}

// random makes a tree of up to n files of these paths. What is in the way of what is there already is left out.
func random(r *rand.Rand, n int, paths []string, text func() string) sketch {
	tree := sketch{}
	for range r.IntN(n + 1) {
		path := paths[r.IntN(len(paths))]
		inTheWay := slices.ContainsFunc(slices.Collect(maps.Keys(tree)), func(p string) bool {
			return strings.HasPrefix(p, path+"/") || strings.HasPrefix(path, p+"/")
		})
		if inTheWay {
			continue
		}
		switch k := r.IntN(20); {
		case k == 0:
			tree[path] = leaf{modeSubmodule, strings.Repeat("1f", 20)}
		case k < 4:
			tree[path] = leaf{modeLink, strings.Repeat("../", r.IntN(strings.Count(path, "/")+2)) + paths[r.IntN(len(paths))]}
		case k < 7:
			tree[path] = leaf{modeExecutable, text()}
		default:
			tree[path] = leaf{modeFile, text()}
		}
	}
	return tree
}

// change is a tree some steps away from another one.
func change(r *rand.Rand, from sketch, paths []string, text func() string) sketch {
	to := random(r, 4, paths, text)
	for path, l := range from {
		inTheWay := slices.ContainsFunc(slices.Collect(maps.Keys(to)), func(p string) bool {
			return p == path || strings.HasPrefix(p, path+"/") || strings.HasPrefix(path, p+"/")
		})
		if inTheWay || r.IntN(8) == 0 {
			continue
		}
		if l.mode == modeFile && r.IntN(3) == 0 {
			l.text = edit(r, l.text)
		}
		to[path] = l
	}
	return to
}

// edit changes a few lines, or where the text ends.
func edit(r *rand.Rand, text string) string {
	lines := strings.SplitAfter(text, "\n")
	for range 1 + r.IntN(3) {
		i := r.IntN(len(lines))
		switch r.IntN(4) {
		case 0:
			lines = slices.Insert(lines, i, "new line\n")
		case 1:
			lines[i] = ""
		case 2:
			lines[i] = "changed " + lines[i]
		case 3:
			lines[len(lines)-1] = strings.TrimSuffix(lines[len(lines)-1], "\n")
		}
	}
	return strings.Join(lines, "")
}
