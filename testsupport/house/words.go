package house

import (
	"go/ast"
	"go/token"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// starters start processes without os/exec.
var starters = map[string][]string{
	"os":      {"StartProcess"},
	"syscall": {"ForkExec", "Exec", "StartProcess"},
}

// edges are what only cmd may touch: reading the environment (also by way of $HOME and $TMPDIR), speaking to the
// terminal, ending the process.
var edges = map[string][]string{
	"os": {"Getenv", "LookupEnv", "Environ", "ExpandEnv", "Setenv", "Unsetenv", "Clearenv", "Args",
		"Stdin", "Stdout", "Stderr", "Exit", "UserHomeDir", "UserCacheDir", "UserConfigDir", "TempDir"},
	"syscall": {"Getenv", "Environ", "Setenv", "Unsetenv", "Clearenv", "Exit"},
	"fmt":     {"Print", "Printf", "Println"},
	"log":     {"Print", "Printf", "Println", "Fatal", "Fatalf", "Fatalln", "Default"},
}

func checkProcesses(t *Tree) (found []Finding) {
	for f := range t.product {
		if f.dir() == "executor/process" {
			continue
		}
		for _, im := range f.ast.Imports {
			if importPath(im.Path.Value) == "os/exec" {
				found = append(found, t.at(f, im.Pos(), "os/exec is for executor/process only"))
			}
		}
		found = append(found, t.selectors(f, starters, "starting a process is for executor/process only")...)
	}
	return found
}

func checkEdges(t *Tree) (found []Finding) {
	for f := range t.product {
		if strings.HasPrefix(f.path, "cmd/") {
			continue
		}
		found = append(found, t.selectors(f, edges, "only cmd touches the environment, the terminal and the end of the process")...)
		found = append(found, t.defaultTemps(f)...)
	}
	return found
}

// defaultTemps finds os.MkdirTemp("", …) and os.CreateTemp("", …), which read TMPDIR.
func (t *Tree) defaultTemps(f *file) (found []Finding) {
	osName := localName(f.ast, "os")
	ast.Inspect(f.ast, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || len(call.Args) == 0 {
			return true
		}
		first, isLit := call.Args[0].(*ast.BasicLit)
		if name := selected(call.Fun, osName); (name == "MkdirTemp" || name == "CreateTemp") && isLit && first.Value == `""` {
			found = append(found, t.at(f, call.Pos(), `os.%s("", …) reads TMPDIR; take the directory from the caller`, name))
		}
		return true
	})
	return found
}

// sudoCommand matches a literal that is a command line, or the start of one; words about it in a message or in a denial
// pattern ("sudo: a password is required") are not.
var sudoCommand = regexp.MustCompile(`(^|[\s/;&|(])sudo($|\s+-|\s+\S+$)`)

func checkSudo(t *Tree) []Finding {
	// The other two read the word in a stranger's command line, output or want; they never run it.
	homes := []string{"isolation", "executor/permission", "denials"}
	return t.literals(homes, "only isolation says how another user is reached", sudoCommand.MatchString)
}

func checkWire(t *Tree) []Finding {
	return t.literals([]string{"acpclient"}, "only acpclient knows JSON-RPC", func(s string) bool { return strings.Contains(s, "jsonrpc") })
}

// literals finds string literals (struct tags too) that bad says may stand only in and below its homes.
func (t *Tree) literals(homes []string, text string, bad func(string) bool) (found []Finding) {
	for f := range t.product {
		if slices.ContainsFunc(homes, func(h string) bool { return strings.HasPrefix(f.dir()+"/", h+"/") }) {
			continue
		}
		ast.Inspect(f.ast, func(n ast.Node) bool {
			lit, ok := n.(*ast.BasicLit)
			if !ok || lit.Kind != token.STRING {
				return true
			}
			if s, err := strconv.Unquote(lit.Value); err == nil && bad(s) {
				found = append(found, t.at(f, lit.Pos(), "%s: %.60q", text, s))
			}
			return true
		})
	}
	return found
}

// selectors finds uses of the named members of packages, whatever name the import has; a dot import of one is a finding too.
func (t *Tree) selectors(f *file, members map[string][]string, text string) (found []Finding) {
	for pkg, names := range members {
		local := localName(f.ast, pkg)
		if local == "." {
			found = append(found, t.at(f, f.ast.Package, "%s: dot import of %s", text, pkg))
		}
		ast.Inspect(f.ast, func(n ast.Node) bool {
			e, ok := n.(ast.Expr)
			if ok && slices.Contains(names, selected(e, local)) {
				found = append(found, t.at(f, n.Pos(), "%s: %s.%s", text, pkg, selected(e, local)))
			}
			return true
		})
	}
	return found
}

// localName is the name that a file uses for an imported package, "" when it does not import it.
func localName(f *ast.File, pkg string) string {
	for _, im := range f.Imports {
		if importPath(im.Path.Value) != pkg {
			continue
		}
		if im.Name != nil {
			return im.Name.Name
		}
		return pkg
	}
	return ""
}

// selected returns N for the expression pkg.N, else "".
func selected(e ast.Expr, pkg string) string {
	s, ok := e.(*ast.SelectorExpr)
	if !ok || pkg == "" {
		return ""
	}
	if x, ok := s.X.(*ast.Ident); !ok || x.Name != pkg {
		return ""
	}
	return s.Sel.Name
}
