package house

import (
	"go/ast"
	"go/format"
	"go/token"
	"path"
	"reflect"
	"slices"
	"strings"
)

// maxLines of a file of the product.
const maxLines = 300

var vagueNames = []string{"util", "utils", "common", "helper", "helpers", "types", "shared", "misc", "base", "lib"}

func checkNames(t *Tree) (found []Finding) {
	for dir, files := range t.packages() {
		name := files[0].ast.Name.Name
		if slices.Contains(vagueNames, name) || slices.Contains(vagueNames, path.Base(dir)) {
			found = append(found, t.at(files[0], files[0].ast.Package, "package %s in %s says nothing; put it next to its one caller", name, dir))
		}
	}
	return found
}

func checkPackageComments(t *Tree) (found []Finding) {
	for dir, files := range t.packages() {
		var with []*file
		for _, f := range files {
			if f.ast.Doc != nil {
				with = append(with, f)
			}
		}
		switch {
		case len(with) == 0:
			found = append(found, Finding{Path: dir, Text: "package has no comment"})
		case len(with) > 1:
			found = append(found, t.at(with[1], with[1].ast.Package, "package has a second comment; the first is in %s", with[0].path))
		}
	}
	return found
}

func checkLength(t *Tree) (found []Finding) {
	for f := range t.product {
		if n := strings.Count(f.src, "\n"); n >= maxLines {
			found = append(found, Finding{Path: f.path, Line: n, Text: "file has 300 lines or more; split it by concern"})
		}
	}
	return found
}

func checkFormat(t *Tree) (found []Finding) {
	for _, f := range t.files {
		if f.ast == nil {
			continue
		}
		if nice, err := format.Source([]byte(f.src)); err != nil || string(nice) != f.src {
			found = append(found, Finding{Path: f.path, Line: 1, Text: "not formatted; run gofmt -w"})
		}
	}
	return found
}

// wellKnown methods say by their name and signature all that there is to say.
var wellKnown = []string{"Error", "Unwrap", "String", "Is", "As"}

func checkDocumented(t *Tree) (found []Finding) {
	for f := range t.product {
		if f.ast.Name.Name == "main" {
			continue
		}
		var before ast.Decl
		for _, d := range f.ast.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if name := undocumentedFunc(d); name != "" && !t.shares(before, d) {
					found = append(found, t.at(f, d.Pos(), "exported %s has no comment", name))
				}
			case *ast.GenDecl:
				for _, name := range undocumentedSpecs(d) {
					if !t.shares(before, d) {
						found = append(found, t.at(f, name.Pos(), "exported %s has no comment", name.Name))
					}
				}
			}
			before = d
		}
	}
	return found
}

// shares reports whether d stands right below a declaration of its kind, without a blank line: then one comment is for both.
func (t *Tree) shares(before, d ast.Decl) bool {
	return before != nil && reflect.TypeOf(before) == reflect.TypeOf(d) &&
		t.fset.Position(before.End()).Line+1 == t.fset.Position(d.Pos()).Line
}

func undocumentedFunc(d *ast.FuncDecl) string {
	if d.Doc != nil || !d.Name.IsExported() {
		return ""
	}
	if d.Recv != nil && (slices.Contains(wellKnown, d.Name.Name) || !ast.IsExported(receiver(d.Recv.List[0].Type))) {
		return ""
	}
	return d.Name.Name
}

func receiver(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return receiver(e.X)
	case *ast.IndexExpr:
		return receiver(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}

// undocumentedSpecs lists exported types, constants and variables that neither their group nor they themselves explain.
func undocumentedSpecs(d *ast.GenDecl) (names []*ast.Ident) {
	if d.Tok == token.IMPORT || d.Doc != nil {
		return nil
	}
	for _, s := range d.Specs {
		switch s := s.(type) {
		case *ast.TypeSpec:
			if s.Doc == nil && s.Comment == nil && s.Name.IsExported() {
				names = append(names, s.Name)
			}
		case *ast.ValueSpec:
			for _, n := range s.Names {
				if s.Doc == nil && s.Comment == nil && n.IsExported() {
					names = append(names, n)
				}
			}
		}
	}
	return names
}
