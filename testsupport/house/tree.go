package house

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Tree is a source tree, parsed.
type Tree struct {
	module string // module path of the go.mod at the root
	top    []string
	files  []*file
	fset   *token.FileSet
}

// file is one file that some rule reads. Data below testdata is never one: it may be bad on purpose.
type file struct {
	path string // slash-separated, relative
	src  string
	ast  *ast.File // nil unless Go
	test bool      // _test.go, or anything below testsupport: exempt from what binds the product
}

func (f *file) dir() string { return path.Dir(f.path) }

var moduleLine = regexp.MustCompile(`(?m)^module\s+(\S+)`)

// Load reads and parses the tree at root. What the .gitignore at its root names is left out, like git's own directory;
// of that file only plain names and globs are understood, which is all that it may hold.
func Load(root string) (*Tree, error) {
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		return nil, fmt.Errorf("loading source tree %q: %w", root, err)
	}
	m := moduleLine.FindSubmatch(mod)
	if m == nil {
		return nil, fmt.Errorf("loading source tree %q: go.mod names no module", root)
	}
	t := &Tree{module: string(m[1]), fset: token.NewFileSet()}
	ignored := ignoredNames(root)
	err = filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, p)
		if err != nil || rel == "." {
			return err
		}
		return t.visit(p, filepath.ToSlash(rel), d, ignored)
	})
	if err != nil {
		return nil, fmt.Errorf("loading source tree %q: %w", root, err)
	}
	return t, nil
}

func (t *Tree) visit(p, rel string, d fs.DirEntry, ignored []string) error {
	skip := rel == ".git" || d.Name() == "testdata" || d.Name() == "node_modules" ||
		slices.ContainsFunc(ignored, func(glob string) bool { return ignores(glob, rel, d.IsDir()) })
	if !strings.Contains(rel, "/") && !skip {
		t.top = append(t.top, rel)
	}
	switch {
	case skip && d.IsDir():
		return fs.SkipDir
	case skip, !d.Type().IsRegular(), !readable(rel):
		return nil
	}
	src, err := os.ReadFile(p)
	if err != nil {
		return err
	}
	f := &file{path: rel, src: string(src)}
	f.test = strings.HasSuffix(rel, "_test.go") || strings.HasPrefix(rel, "testsupport/")
	if strings.HasSuffix(rel, ".go") {
		if f.ast, err = parser.ParseFile(t.fset, rel, src, parser.ParseComments); err != nil {
			return err
		}
	}
	t.files = append(t.files, f)
	return nil
}

// readable says which files the rules look into: what people write, not recorded data.
func readable(rel string) bool {
	switch path.Ext(rel) {
	case ".go", ".md", ".yml", ".yaml", ".sh":
		return true
	}
	return strings.HasPrefix(rel, ".ci/") || rel == "go.mod"
}

func ignoredNames(root string) []string {
	data, err := os.ReadFile(filepath.Join(root, ".gitignore"))
	if err != nil {
		return nil // a tree without one ignores nothing
	}
	return strings.Fields(string(data))
}

func ignores(glob, rel string, dir bool) bool {
	if strings.HasSuffix(glob, "/") && !dir {
		return false
	}
	name := path.Base(rel)
	if strings.HasPrefix(glob, "/") {
		name = "/" + rel
	}
	ok, err := path.Match(strings.TrimSuffix(glob, "/"), name)
	return err == nil && ok
}

// product yields the Go files that are part of the product.
func (t *Tree) product(yield func(*file) bool) {
	for _, f := range t.files {
		if f.ast != nil && !f.test && !yield(f) {
			return
		}
	}
}

// packages groups the Go files that are not _test.go files by folder, those of testsupport too.
func (t *Tree) packages() map[string][]*file {
	m := map[string][]*file{}
	for _, f := range t.files {
		if f.ast != nil && !strings.HasSuffix(f.path, "_test.go") {
			m[f.dir()] = append(m[f.dir()], f)
		}
	}
	return m
}

// at makes a finding at a place in a Go file.
func (t *Tree) at(f *file, p token.Pos, format string, args ...any) Finding {
	return Finding{Path: f.path, Line: t.fset.Position(p).Line, Text: fmt.Sprintf(format, args...)}
}
