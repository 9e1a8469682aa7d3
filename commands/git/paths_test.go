package git

import (
	"path"
	"strings"
	"testing"
)

func TestLikeDotGit(t *testing.T) {
	for name, want := range map[string]bool{
		".git": true, ".GIT": true, ".gIt": true, "git~1": true, "GIT~1": true, ".git.": true, ".git ": true, ".git . .": true, ".git:x": true,
		".git::$INDEX_ALLOCATION": true, "git~1:x": true, `a\.git`: true, `.git\config`: true, `a\git~1`: true, ".g\u200cit": true, "\ufeff.git": true, ".git\u206f": true, ".GI\u202eT": true,
		".gitignore": false, ".github": false, "git": false, "git~2": false, ".git2": false, "a.git": false, ".gitkeep": false, "": false, "...": false, "git~10": false,
	} {
		if got := likeDotGit(name); got != want {
			t.Errorf("%q: %v", name, got)
		}
	}
}

func TestPathProblem(t *testing.T) {
	for p, fine := range map[string]bool{
		"a": true, "a/b": true, "-rf": true, "new\nline": true, "bad\xff": true, "…": true, ".gitignore": true, "d/.gitattributes": true, "CON": true, ".github/workflows/x.yml": true,
		"": false, "/a": false, "a//b": false, "a/": false, "./a": false, "a/../b": false, "..": false, "a/.git/b": false, ".Git": false, "GITMOD~1": false, "gi7eba~1": false, ".GitModules": false, ".gitattributes.": false, ".mailmap ": false,
		strings.Repeat("a", maxPath): true, strings.Repeat("a", maxPath+1): false,
		strings.Repeat("a/", maxDepth-1) + "a": true, strings.Repeat("a/", maxDepth) + "a": false,
	} {
		if got := pathProblem(p, false); (got == "") != fine {
			t.Errorf("%.80q: %q", p, got)
		}
	}
}

func TestLinkProblem(t *testing.T) {
	for _, c := range []struct {
		path, target string
		fine         bool
	}{
		{"l", "a", true}, {"l", "d/a", true}, {"l", ".", true}, {"l", "./a", true}, {"l", "d/", true}, {"l", "d//a", true}, {"l", "nowhere", true}, {"l", "..a", true}, {"l", ".github", true},
		{"d/l", "..", true}, {"d/l", "../a", true}, {"d/l", "./../a", true}, {"d/e/l", "../../a", true},
		{"l", "", false}, {"l", "/", false}, {"l", "/etc/passwd", false}, {"l", "//x", false}, {"l", "..", false}, {"l", "../x", false}, {"d/l", "../..", false}, {"d/l", "../../x", false}, {"l", "./..", false},
		{"d/l", "a/..", false}, {"l", "d/../a", false}, {"l", "d/../../x", false}, {"l", ".git", false}, {"d/l", "../.git/config", false}, {"l", ".GIT/x", false}, {"l", "git~1", false},
		{"l", strings.Repeat("a", maxLink), true}, {"l", strings.Repeat("a", maxLink+1), false},
	} {
		if got := linkProblem(c.path, c.target); (got == "") != c.fine {
			t.Errorf("%q -> %.60q: %q", c.path, c.target, got)
		}
	}
}

// An accepted link stays inside however it is resolved, and an accepted path is what path.Clean leaves alone.
func FuzzNames(f *testing.F) {
	for _, s := range []string{"a", "../a", "d/../x", "/etc", "./..", ".git", "a\x00b", "..\u200c/a", "a/./b", "...", `..\x`} {
		f.Add(s, "d/e/"+s)
	}
	f.Fuzz(func(t *testing.T, target, name string) {
		if pathProblem(name, true) == "" {
			if path.Clean(name) != name || path.IsAbs(name) || strings.HasPrefix(name, "..") && (name == ".." || name[2] == '/') {
				t.Errorf("path %q was accepted", name)
			}
			if linkProblem(name, target) == "" {
				if to := path.Join(path.Dir(name), target); path.IsAbs(target) || to == ".." || strings.HasPrefix(to, "../") {
					t.Errorf("link %q -> %q leads to %q", name, target, to)
				}
			}
		}
	})
}
