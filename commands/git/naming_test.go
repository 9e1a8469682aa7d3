package git

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/d3mlabs/ai-flow/executor/agents"
)

// What is read for names has bounds; within them the answer is always the same.
func TestOverlayReadsWithinBounds(t *testing.T) {
	big := func(n int) string { return strings.Repeat(" ", n-len("sh tools/a.sh")) + "sh tools/a.sh" }
	words := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "w%d\n", i)
		}
		return b.String() + "tools/a.sh\n"
	}
	many := sketch{}
	for i := range maxNaming + 1 {
		many[fmt.Sprintf(".claude/hooks/%04d.sh", i)] = leaf{modeFile, "true\n"}
	}
	last := fmt.Sprintf(".claude/hooks/%04d.sh", maxNaming)
	for _, c := range []struct {
		name  string
		base  sketch
		named bool
	}{
		{"a file that just does", sketch{".claude/s.sh": {modeFile, big(maxNamingFile)}}, true},
		{"a file too big", sketch{".claude/s.sh": {modeFile, big(maxNamingFile + 1)}}, false},
		{"not a text", sketch{".claude/s.sh": {modeFile, "\x00 sh tools/a.sh"}}, false},
		{"words that just do", sketch{".claude/s.sh": {modeFile, words(maxWords - 1)}}, true},
		{"too many words", sketch{".claude/s.sh": {modeFile, words(maxWords)}}, false},
		{"too many files", with(many, last, "sh tools/a.sh"), false},
		{"files that just do", with(without(many, last), ".claude/hooks/0999.sh", "sh tools/a.sh"), true},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.base["tools/a.sh"] = leaf{modeFile, "base\n"}
			dir, commits := forest(t, []sketch{c.base, with(c.base, "tools/a.sh", "x\n")})
			o := overlay{repo: open(t, dir), base: commits[0], head: commits[1], match: agents.Configures}
			for range 2 {
				if o.make(t); slices.Contains(o.paths, "tools/a.sh") != c.named {
					t.Errorf("got %q", o.paths)
				}
			}
		})
	}
}

func with(tree sketch, path, text string) sketch {
	other := without(tree, path)
	other[path] = leaf{modeFile, text}
	return other
}

func without(tree sketch, path string) sketch {
	other := sketch{}
	for p, l := range tree {
		if p != path {
			other[p] = l
		}
	}
	return other
}

func TestWays(t *testing.T) {
	for word, want := range map[string]string{
		"tools/a.sh": "tools/a.sh", "./tools/a.sh": "./tools/a.sh", "$CLAUDE_PROJECT_DIR/tools/a.sh": "tools/a.sh", "${workspaceFolder}/a": "a", "%CD%/a": "a",
		"/tools/a.sh": "tools/a.sh", "@docs/r.md": "docs/r.md", "a.sh.": "a.sh", `tools\a.bat`: `tools\a.bat tools/a.bat`, "$HOME": "$HOME", "": "", "..": "", "../a": "../a",
	} {
		if got := strings.Join(ways(word), " "); got != want {
			t.Errorf("%q: got %q, want %q", word, got, want)
		}
	}
}

func TestGlob(t *testing.T) {
	for _, c := range []struct{ glob, yes, no string }{
		{"docs/*.md", "docs/a.md docs/a.md/below", "docs/a.mdx docs/s/a.md a.md xdocs/a.md"},
		{"Docs/**/*.MD", "docs/a.md docs/s/t/a.md", "a.md docsa.md"},
		{"**/rules/*", "rules/a s/rules/a", "xrules/a"},
		{"r/**", "r/a r/a/b", "r ra"},
		{"a?.{md,txt}", "ab.md ab.txt", "a.md abc.md ab.rs"},
		{"a[bc].md", "ab.md ac.md", "ad.md"},
		{"a,b*.md", "a,b.md a,bc.md", "a.md"},
		{"a.b+c*", "a.b+cd", "axb+c"},
	} {
		g := glob(c.glob)
		for at := range strings.FieldsSeq(c.yes) {
			if !g.MatchString(at) {
				t.Errorf("%s does not match %s", c.glob, at)
			}
		}
		for at := range strings.FieldsSeq(c.no) {
			if g.MatchString(at) {
				t.Errorf("%s matches %s", c.glob, at)
			}
		}
	}
	for _, broken := range []string{"a[", "a{b", "a}", "a[z-a]"} {
		if g := glob(broken); g != nil {
			t.Errorf("%q is %s", broken, g)
		}
	}
}

// What is in quotes ends within a few steps for each byte, wherever quotes are and are not closed.
func TestLexIsLinear(t *testing.T) {
	for _, piece := range []string{`\"`, `"`, `'`, "`", `"\"`, `"\" `, "\"\\\n", `\"'`, "\\\"'`", "'\"`\\\"", `"a" `, `"a"b'c'd\"`, "\\\"\n", `\`, "x"} {
		for _, before := range []string{"", `"`, `'`, "`", "\n", `"\`, `a "b" '`} {
			says := before + strings.Repeat(piece, 8<<10)
			steps := 0
			lexBy(says, func(rest string) (int, bool) {
				n, closed := quoted(rest)
				steps += n
				return n, closed
			})
			if steps > 4*len(says) {
				t.Errorf("%d steps for %d bytes of %q behind %q", steps, len(says), piece, before)
			}
		}
	}
}

// FuzzQuoted: what is in quotes ends where the expression says that it was written by, and where quotes are not tried again
// none of them would be closed.
func FuzzQuoted(f *testing.F) {
	expression := regexp.MustCompile("^(?:\"(?:[^\"\\\\\n]|\\\\.)*\"|'[^'\n]*'|`[^`\n]*`)")
	for _, says := range []string{`"a\"b" c`, `"a\`, "\"a\\\n\"", `'a\'b'`, "`a\n`", `\"\"\"`, `"\é"`, "\"\\\xff\"", `'"'"'`, `"\" ' \" ' "`} {
		f.Add(says)
	}
	f.Fuzz(func(t *testing.T, says string) {
		all := lexBy(says, func(rest string) (int, bool) {
			n, closed := quoted(rest)
			if !closed {
				n = 0 // so that the next quote is tried
			}
			if m := expression.FindString(rest); closed != (m != "") || closed && n != len(m) {
				t.Errorf("%q: %d, %t, and not %q", rest, n, closed, m)
			}
			return n, closed
		})
		if got := lex(says); !slices.Equal(got, all) {
			t.Errorf("%q: %+v, and not %+v", says, got, all)
		}
	})
}

// A run that is cancelled does not wait for words, and half of what is named is not taken for all.
func TestNamingLooksAtTheContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	n := &naming{reserve: &reserve{}, named: map[string]manner{}}
	n.look(ctx, text{".claude/s.sh", "sh tools/a.sh\n", asProgram})
	n.lookUpAll(ctx, text{".claude/s.sh", "sh tools/a.sh\n", asProgram})
	n.head = []string{"tools/a.sh"}
	if err := n.followWords(ctx); !errors.Is(err, context.Canceled) || n.words != 0 || n.tree != nil {
		t.Errorf("%d words were looked up, %v", n.words, err)
	}
}

// FuzzLex: every word without breaks in a text is a token of its own, whatever is around it.
func FuzzLex(f *testing.F) {
	f.Add(`{"a":["b/c", `, `"]}`)
	f.Add("a: 'b", "\nc = `")
	f.Add(`"\"`, `\"`)
	f.Fuzz(func(t *testing.T, before, after string) {
		const word = "tools/start.sh"
		says := before + " " + word + " " + after
		if strings.ContainsRune(says, '\\') {
			return // what a quoted backslash makes of a word is its language's
		}
		if !slices.ContainsFunc(lex(says), func(tok token) bool { return tok.text == word }) {
			t.Errorf("%q: the word is lost", says)
		}
		glob(before)
	})
}
