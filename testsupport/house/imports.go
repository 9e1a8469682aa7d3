package house

import (
	"strconv"
	"strings"
)

// homes says for each folder of the product what of the product it may import. An entry ending in "/..." covers all
// below it. A folder that is not listed is a finding: a new package has a place in the house before it has code.
var homes = []struct {
	dir     string
	imports []string
}{
	{"cmd/ai-flow", []string{"..."}},
	// isolation for the type Room alone, which passes from the executor to commands/git; isolation/doctor for what it found, and
	// the ids that a policy may name; executor/agents for the table of what configures agents.
	{"commands", []string{"executor", "executor/agents", "executor/permission", "commands/github", "commands/git", "isolation", "isolation/doctor", "denials", "render"}},
	{"commands/github", nil},
	{"commands/thread", []string{"commands/github", "render"}},
	{"commands/dispatch", []string{"commands", "commands/github", "commands/git", "commands/thread", "executor", "render"}},
	{"commands/git", []string{"executor/process", "isolation"}},
	{"executor", []string{"executor/permission", "executor/agents", "executor/agents/pinned", "executor/process", "isolation", "acpclient", "denials"}},
	{"executor/permission", []string{"executor/agents"}},
	{"executor/probe", []string{"executor", "executor/agents", "executor/agents/loopback", "executor/permission", "isolation", "acpclient", "denials"}},
	{"executor/agents", nil},
	{"executor/agents/demo", []string{"acpclient/agentside", "executor/process"}},
	{"executor/agents/loopback", nil},
	{"executor/agents/pinned", nil},
	{"executor/process", nil},
	{"isolation", nil},
	{"isolation/doctor", []string{"isolation"}},
	{"acpclient", nil},
	{"acpclient/agentside", []string{"acpclient"}},
	{"denials", nil},
	{"render", []string{"denials"}},
}

// libraries says where each foreign library lives. What is not listed is not imported by the product at all.
var libraries = map[string][]string{
	"github.com/urfave/cli":                   {"cmd/ai-flow"},
	"github.com/yuin/goldmark":                {"commands", "render"},
	"go.yaml.in/yaml":                         {"commands"},
	"github.com/aymanbagabas/go-udiff":        {"commands", "render"},
	"github.com/creack/pty":                   {"executor/process"},
	"github.com/google/go-github":             {"commands/github"},
	"github.com/bradleyfalzon/ghinstallation": {"commands/github"},
	"github.com/golang-jwt/jwt":               {"commands/github"},
}

func checkArrows(t *Tree) (found []Finding) {
	for f := range t.product {
		allowed, known := homeOf(f.dir())
		if !known {
			found = append(found, t.at(f, f.ast.Package, "folder %q has no place in the house; give it one in testsupport/house/imports.go", f.dir()))
			continue
		}
		for _, im := range f.ast.Imports {
			if to, ours := t.ours(importPath(im.Path.Value)); ours && !covered(to, allowed) && !strings.HasPrefix(to, "testsupport") {
				found = append(found, t.at(f, im.Pos(), "%s may not import %s", f.dir(), to))
			}
		}
	}
	return found
}

func checkLibraries(t *Tree) (found []Finding) {
	for f := range t.product {
		for _, im := range f.ast.Imports {
			p := importPath(im.Path.Value)
			if _, ours := t.ours(p); ours || !strings.Contains(strings.Split(p, "/")[0], ".") {
				continue
			}
			if !covered(f.dir(), libraryHomes(p)) {
				found = append(found, t.at(f, im.Pos(), "%s is not a home of library %s", f.dir(), p))
			}
		}
	}
	return found
}

func checkTestsupport(t *Tree) (found []Finding) {
	for f := range t.product {
		for _, im := range f.ast.Imports {
			if to, ours := t.ours(importPath(im.Path.Value)); ours && strings.HasPrefix(to, "testsupport") {
				found = append(found, t.at(f, im.Pos(), "%s is for tests only", to))
			}
		}
	}
	return found
}

// ours cuts the module path off an import path.
func (t *Tree) ours(importPath string) (dir string, ok bool) {
	if importPath == t.module {
		return ".", true
	}
	return strings.CutPrefix(importPath, t.module+"/")
}

func homeOf(dir string) (imports []string, known bool) {
	for _, h := range homes {
		if h.dir == dir {
			return h.imports, true
		}
	}
	return nil, false
}

// libraryHomes finds the homes of the library that an import path belongs to, whatever its major version or folder.
func libraryHomes(importPath string) []string {
	for lib, dirs := range libraries {
		if importPath == lib || strings.HasPrefix(importPath, lib+"/") {
			return dirs
		}
	}
	return nil
}

func covered(dir string, by []string) bool {
	for _, b := range by {
		prefix, tree := strings.CutSuffix(b, "...")
		if dir == b || tree && strings.HasPrefix(dir, prefix) {
			return true
		}
	}
	return false
}

// importPath unquotes; the parser has already refused what does not unquote.
func importPath(literal string) string {
	p, err := strconv.Unquote(literal)
	if err != nil {
		return literal
	}
	return p
}
