package house

import (
	"go/ast"
	"go/token"
	"regexp"
	"slices"
	"strings"
)

func checkState(t *Tree) (found []Finding) {
	for _, files := range t.packages() {
		vars := packageVars(files)
		for _, f := range files {
			if f.test {
				continue
			}
			for _, d := range f.ast.Decls {
				fn, ok := d.(*ast.FuncDecl)
				if !ok {
					continue
				}
				if fn.Recv == nil && fn.Name.Name == "init" {
					found = append(found, t.at(f, fn.Pos(), "init runs before anybody asked; build the value in cmd"))
				}
				for _, id := range assigned(fn, vars) {
					found = append(found, t.at(f, id.Pos(), "package variable %s changes; make it a field of a value", id.Name))
				}
			}
		}
	}
	return found
}

func packageVars(files []*file) (names []string) {
	for _, f := range files {
		for _, d := range f.ast.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok || g.Tok != token.VAR {
				continue
			}
			for _, s := range g.Specs {
				for _, n := range s.(*ast.ValueSpec).Names {
					names = append(names, n.Name)
				}
			}
		}
	}
	return names
}

// assigned lists the places where fn assigns to one of the package's variables, or to an element of one. A name that the
// function declares itself is not one: within a file the parser resolves it to a declaration inside the function.
func assigned(fn *ast.FuncDecl, vars []string) (ids []*ast.Ident) {
	note := func(e ast.Expr) {
		id := root(e)
		if id == nil || !slices.Contains(vars, id.Name) {
			return
		}
		if id.Obj != nil && fn.Pos() <= id.Obj.Pos() && id.Obj.Pos() < fn.End() {
			return
		}
		ids = append(ids, id)
	}
	ast.Inspect(fn, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			if n.Tok != token.DEFINE {
				for _, l := range n.Lhs {
					note(l)
				}
			}
		case *ast.IncDecStmt:
			note(n.X)
		}
		return true
	})
	return ids
}

func root(e ast.Expr) *ast.Ident {
	switch e := e.(type) {
	case *ast.Ident:
		return e
	case *ast.IndexExpr:
		return root(e.X)
	case *ast.SelectorExpr:
		return root(e.X)
	case *ast.StarExpr:
		return root(e.X)
	case *ast.ParenExpr:
		return root(e.X)
	}
	return nil
}

func checkBackground(t *Tree) (found []Finding) {
	rootless := map[string][]string{"context": {"Background", "TODO"}}
	for f := range t.product {
		if !strings.HasPrefix(f.path, "cmd/") {
			found = append(found, t.selectors(f, rootless, "take the caller's context (context.WithoutCancel for what must outlive it)")...)
		}
	}
	return found
}

// The words are put together here so that this file does not find itself.
var unfinishedWords = regexp.MustCompile(`\b(` + "TO" + `DO|` + "FIX" + `ME|` + "XX" + `X)\b`)

func checkFinished(t *Tree) (found []Finding) {
	for _, f := range t.files {
		if f.ast == nil {
			continue
		}
		for _, group := range f.ast.Comments {
			for _, c := range group.List {
				if unfinishedWords.MatchString(c.Text) {
					found = append(found, t.at(f, c.Pos(), "unfinished: %.60q", c.Text))
				}
			}
		}
	}
	for f := range t.product {
		ast.Inspect(f.ast, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok && isStub(call) {
				found = append(found, t.at(f, call.Pos(), "a stub"))
			}
			return true
		})
	}
	return found
}

// isStub finds panic("unbuilt") and its kin.
func isStub(call *ast.CallExpr) bool {
	fn, ok := call.Fun.(*ast.Ident)
	if !ok || fn.Name != "panic" || len(call.Args) != 1 {
		return false
	}
	lit, ok := call.Args[0].(*ast.BasicLit)
	return ok && slices.Contains([]string{`"unbuilt"`, `"not implemented"`, `"unimplemented"`, `"todo"`}, strings.ToLower(lit.Value))
}
