package house

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// TestHouse holds this repository to its rules.
func TestHouse(t *testing.T) {
	tree, err := Load("../..")
	if err != nil {
		t.Fatal(err)
	}
	if n := len(tree.files); n < 30 {
		t.Fatalf("only %d files found; the walk does not see the tree", n)
	}
	for _, f := range Check(tree) {
		t.Error(f)
	}
}

// TestDocumentsNameWhatIsThere keeps the README from naming a test, a story or a folder that is gone.
func TestDocumentsNameWhatIsThere(t *testing.T) {
	tree, err := Load("../..")
	if err != nil {
		t.Fatal(err)
	}
	tests := map[string]bool{}
	var documents []*file
	for _, f := range tree.files {
		if path.Ext(f.path) == ".md" && !strings.HasPrefix(f.path, "testsupport/") {
			documents = append(documents, f)
		}
		for _, name := range testFunc.FindAllStringSubmatch(f.src, -1) {
			tests[name[1]] = true
		}
	}
	named := 0
	for _, d := range documents {
		for _, name := range testName.FindAllStringSubmatch(d.src, -1) {
			named++
			if !tests[name[1]] {
				t.Errorf("%s names %s, which is no test here", d.path, name[1])
			}
		}
		for _, name := range storyName.FindAllString(d.src, -1) {
			named++
			if found, err := filepath.Glob("../../cmd/ai-flow/testdata/*/" + name); err != nil || len(found) == 0 {
				t.Errorf("%s names %s, which is no story here (%v)", d.path, name, err)
			}
		}
	}
	if named < 10 {
		t.Errorf("only %d tests are named in %d documents; does this look at the right ones?", named, len(documents))
	}
}

var (
	testFunc  = regexp.MustCompile(`(?m)^func ((?:Test|Fuzz|Benchmark)\w+)\(`)
	testName  = regexp.MustCompile("`((?:Test|Fuzz|Benchmark)\\w+)`")
	storyName = regexp.MustCompile(`\w+\.txtar\b`)
)

// TestEachRuleCanFail runs the checker over small bad trees. Each archive says in its comment, with lines `want PLACE TEXT`,
// which findings it must give and, so, no others. A rule that no archive breaks fails the test.
func TestEachRuleCanFail(t *testing.T) {
	archives, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	broken := map[string]bool{}
	for _, name := range archives {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			tree, err := Load(unpack(t, a))
			if err != nil {
				t.Fatal(err)
			}
			found := Check(tree)
			for _, f := range found {
				broken[f.Rule] = true
			}
			compare(t, wants(a), found)
		})
	}
	for _, r := range Rules() {
		if !broken[r.Name] {
			t.Errorf("no archive in testdata breaks rule %q; does it check anything?", r.Name)
		}
		if r.Why == "" {
			t.Errorf("rule %q gives no reason", r.Name)
		}
	}
}

// unpack writes the archive into a new folder. A go.mod and a package comment for each package are the archive's affair.
func unpack(t *testing.T, a *txtar.Archive) string {
	root := t.TempDir()
	for _, f := range a.Files {
		p := filepath.Join(root, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		data := strings.ReplaceAll(string(f.Data), "@300@\n", strings.Repeat("// line\n", 300))
		if err := os.WriteFile(p, []byte(data), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func wants(a *txtar.Archive) (lines []string) {
	for line := range strings.Lines(string(a.Comment)) {
		if w, ok := strings.CutPrefix(strings.TrimSpace(line), "want "); ok {
			lines = append(lines, w)
		}
	}
	return lines
}

// compare matches findings and wants one to one: a want is "path:line: words", and the finding's text holds the words.
func compare(t *testing.T, wants []string, found []Finding) {
	left := found
	for _, w := range wants {
		place, words, _ := strings.Cut(w, ": ")
		i := 0
		for i < len(left) && !(strings.HasPrefix(left[i].String(), place+": ") && strings.Contains(left[i].String(), words)) {
			i++
		}
		if i == len(left) {
			t.Errorf("not found: %s\nfound: %v", w, found)
			continue
		}
		left = append(left[:i:i], left[i+1:]...)
	}
	for _, f := range left {
		t.Errorf("found but not wanted: %v", f)
	}
}

// TestLoadRefuses keeps the checker from passing because it looked at the wrong folder.
func TestLoadRefuses(t *testing.T) {
	if _, err := Load(t.TempDir()); err == nil {
		t.Error("a folder without go.mod was accepted")
	}
	root := t.TempDir()
	write := func(name, data string) {
		if err := os.WriteFile(filepath.Join(root, name), []byte(data), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("go.mod", "go 1.26\n")
	if _, err := Load(root); err == nil {
		t.Error("a go.mod without a module was accepted")
	}
	write("go.mod", "module m\n")
	write("bad.go", "package {\n")
	if _, err := Load(root); err == nil {
		t.Error("a file that does not parse was accepted")
	}
}
