package testsupport

import (
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"io/fs"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// startsACommand is what an enabling command may begin with: a program that a newcomer has, never a sentence.
var startsACommand = regexp.MustCompile(`^(sudo (apt-get install -y \S|env PATH="\$PATH" go test )|su -c 'apt-get install -y [a-z ]+'|go test |npm install |docker run )`)

// TestEnablingTextsCanBePasted holds each text that a skipped test prints to be one command line that a shell understands:
// a command that does not work when it is pasted is worse than none.
func TestEnablingTextsCanBePasted(t *testing.T) {
	Tools(t, "sh")
	found := 0
	for at, text := range enablingTexts(t, "..") {
		found++
		if fault := faultOf(t, text); fault != "" {
			t.Errorf("%s: %q %s", at, text, fault)
		}
	}
	if found < 15 {
		t.Errorf("%d texts found; does this look at the right ones?", found)
	}
	for _, bad := range []string{"Linux", "run the tests on Linux", `sudo env PATH="$PATH" go test ./... (as root)`, "apt-get install git",
		"sudo go test ./isolation", `sudo env PATH="$PATH go test ./x`, "go test ./x\nrm x", ""} {
		if faultOf(t, bad) == "" {
			t.Errorf("%q passes for a command", bad)
		}
	}
}

func faultOf(t *testing.T, text string) string {
	t.Helper()
	switch {
	case strings.ContainsAny(text, "\n\r"):
		return "has more than one line"
	case !startsACommand.MatchString(text):
		return "does not begin with a command that everybody has"
	}
	if out, err := exec.Command("sh", "-nc", text).CombinedOutput(); err != nil {
		return "is no command: " + string(out)
	}
	return ""
}

// enablingTexts returns the last argument of each call of Need below root, by its place.
func enablingTexts(t *testing.T, root string) map[string]string {
	t.Helper()
	texts, files := map[string]string{}, token.NewFileSet()
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".go" {
			return err
		}
		f, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return nil // a tree that does not compile is others' affair, and so are the bad ones in testdata
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok && isNeed(call) {
				texts[files.Position(call.Pos()).String()] = valueOf(call.Args[3])
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return texts
}

func isNeed(call *ast.CallExpr) bool {
	switch f := call.Fun.(type) {
	case *ast.Ident:
		return f.Name == "Need" && len(call.Args) == 4
	case *ast.SelectorExpr:
		return f.Sel.Name == "Need" && len(call.Args) == 4
	}
	return false
}

// valueOf is a text of literals; what is known only at run time is a word in it.
func valueOf(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.BasicLit:
		if text, err := strconv.Unquote(e.Value); err == nil {
			return text
		}
	case *ast.BinaryExpr:
		x, y := constant.MakeString(valueOf(e.X)), constant.MakeString(valueOf(e.Y))
		return constant.StringVal(constant.BinaryOp(x, e.Op, y))
	}
	return "word"
}
