package house

import (
	"go/ast"
	"path"
	"regexp"
	"slices"
	"strings"
)

// topLevel is all that may stand at the top of the tree.
var topLevel = []string{
	"go.mod", "go.sum", "README.md", "LICENSE", ".gitignore", ".gitattributes", ".ci", ".github",
	"cmd", "commands", "executor", "isolation", "acpclient", "denials", "render", "testsupport",
}

func checkTopLevel(t *Tree) (found []Finding) {
	for _, name := range t.top {
		if !slices.Contains(topLevel, name) {
			found = append(found, Finding{Path: name, Text: "has no place at the top level"})
		}
	}
	return found
}

// skipHome is the one file that may skip a test.
const skipHome = "testsupport/need.go"

func checkSkips(t *Tree) (found []Finding) {
	for _, f := range t.files {
		if f.ast == nil || !f.test || f.path == skipHome {
			continue
		}
		ast.Inspect(f.ast, func(n ast.Node) bool {
			s, ok := n.(*ast.SelectorExpr)
			if ok && slices.Contains([]string{"Skip", "Skipf", "SkipNow"}, s.Sel.Name) && onTest(s) {
				found = append(found, t.at(f, s.Pos(), "skip through testsupport.Need, which names the command that enables the test"))
			}
			return true
		})
	}
	return found
}

// onTest keeps methods of other things that happen to be called Skip out: those of testing have the receivers that all Go
// code gives them.
func onTest(s *ast.SelectorExpr) bool {
	id, ok := s.X.(*ast.Ident)
	return ok && slices.Contains([]string{"t", "b", "f", "tb"}, id.Name)
}

var upward = regexp.MustCompile(`(?:^|[\s"'(=` + "`" + `])((?:\.\./)+[\w.-][\w./-]*)`)

// checkForeignPaths finds relative paths in documents, scripts and comments that lead out of the tree. String literals
// in Go are left alone: attacks on path handling are full of them.
func checkForeignPaths(t *Tree) (found []Finding) {
	for _, f := range t.files {
		if f.ast == nil {
			for i, line := range strings.Split(f.src, "\n") {
				if p := leadsOut(f.dir(), line); p != "" {
					found = append(found, Finding{Path: f.path, Line: i + 1, Text: p + " leads out of the tree"})
				}
			}
			continue
		}
		for _, group := range f.ast.Comments {
			for _, c := range group.List {
				if p := leadsOut(f.dir(), c.Text); p != "" {
					found = append(found, t.at(f, c.Pos(), "%s leads out of the tree", p))
				}
			}
		}
	}
	return found
}

func leadsOut(dir, text string) string {
	for _, m := range upward.FindAllStringSubmatch(text, -1) {
		if strings.HasPrefix(path.Join(dir, m[1]), "..") {
			return m[1]
		}
	}
	return ""
}
