package git

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// Whatever Patch writes, Applies takes on the tree that it starts from, and what git makes of it there is the other tree.
// On that one it is refused, and so is the patch with its end trimmed (F-21).
func TestAppliesWhatPatchWrites(t *testing.T) {
	cases := []struct{ name, from, to string }{
		{"a change", "printf '1\n2\n3\n4\n5\n6\n7\n8\n' >f", "sed -i s/4/four/ f"},
		{"an empty last context line (F-21)", "printf 'a\nb\n\n' >f", "printf 'x\nb\n\n' >f"},
		{"blank lines alone", "printf '\n\n\n\n' >f", "printf '\n\nx\n\n\n' >f"},
		{"no end of line", "printf 'a\nb' >f", "printf 'a\nc' >f; printf x >new"},
		{"an end of line more, and less", "printf 'a' >f; printf 'a\n' >g", "printf 'a\n' >f; printf 'a' >g"},
		{"CRLF", "printf 'a\r\nb\r\nc\r\n' >f", "printf 'a\r\nB\r\nc\r\n' >f"},
		{"mixed ends", "printf 'a\r\nb\nc\r\n' >f", "printf 'a\nb\r\nc\r\n\r' >f"},
		{"white space that some settings mend (F-22)", "printf 'a\n' >f", "printf 'a \t \n \tb\n\n\n' >f"},
		{"attributes that convert", "printf '* text eol=crlf\n*.t whitespace=tab-in-indent,cr-at-eol ident filter=x\n' >.gitattributes; printf 'a\r\n$Id$\n' >f.t", "printf 'b\r\n$Id$\n' >f.t"},
		{"binary", "head -c 3000 /bin/ls >b; printf 'a\\0b' >c", "head -c 3500 /bin/ls | tail -c 3000 >b; rm c; printf 'z\\0' >d"},
		{"modes", "echo 1 >f; echo 2 >g; chmod +x g", "chmod +x f; chmod -x g; echo more >>g"},
		{"links", "ln -s a l; echo f >f; ln -s gone m", "ln -sf b l; rm f; ln -s x f; rm m; echo file >m"},
		{"a directory for a file and back", "echo f >f; mkdir d; echo x >d/x; ln -s d l", "rm f l; mkdir f l; echo x >f/x; echo y >l/y; rm -r d; echo d >d"},
		{"moves", "seq 100 >f; seq 100 200 >g", "mkdir d; mv f d/f; cp g h; mv g i; echo x >>i"},
		{"odd names", "echo 1 >$'new\\nline'; echo 1 >' lead'", `echo 2 >$'new\nline'; echo 2 >' lead'; touch -- -rf 'a "q"' $'t\tb' $'\xff\xfe' 'trail ' 'b/../x' 2>/dev/null || :; mkdir 'a b' -- '-d'; echo 1 >'a b/c d'; echo 2 >./-d/-e; echo 3 >'*'; echo 4 >'a\b'`},
		{"what looks like a patch", "echo x >f", `printf -- '--- a/f\n+++ b/f\n@@ -1 +1 @@\n-x\n+y\ndiff --git a/g b/g\nGIT binary patch\n\\ No newline at end of file\n' >f`},
		{"a submodule", "git init -q s; git -C s commit -q --allow-empty -m 1; git add s 2>/dev/null", "git -C s commit -q --allow-empty -m 2; echo x >f"},
		{"everything goes", "echo 1 >f; mkdir d; : >d/empty; ln -s f l", "git rm -qr ."},
		{"workflows", "mkdir -p .github/workflows; echo 'on: push' >.github/workflows/w.yml", "echo 'PATCH' >>.github/workflows/w.yml; echo new >.github/workflows/n.yml"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := checkout(t, c.from)
			sh(t, dir, "git tag from;"+c.to+"; git add -A; git commit -qm to")
			p := patched{repo: open(t, dir), from: OID(sh(t, dir, "git rev-parse from")), to: OID(sh(t, dir, "git rev-parse HEAD"))}
			p.check(t)
			p.checkTrimmed(t)
		})
	}
}

// patched is a patch to be judged.
type patched struct {
	repo     *Repo
	from, to OID
}

func (p *patched) make(t testing.TB) []byte {
	t.Helper()
	patch, cut, err := p.repo.Patch(t.Context(), p.from, p.to, 1<<20)
	if err != nil || cut {
		t.Fatal(cut, err)
	}
	return patch
}

func (p *patched) check(t testing.TB) {
	t.Helper()
	patch := p.make(t)
	if err := p.repo.Applies(t.Context(), p.from, patch); err != nil {
		t.Errorf("refused: %v\n%s", err, patch)
	}
	if got, want := p.apply(t, patch), p.tree(t, p.to); got != want {
		t.Errorf("applied, it makes %q in the place of %q\n%s", got, want, patch)
	}
}

// apply is the tree that git makes of a patch.
func (p *patched) apply(t testing.TB, patch []byte) string {
	t.Helper()
	env, done, err := p.repo.scratch(t.Context(), p.from)
	if err != nil {
		t.Fatal(err)
	}
	defer done()
	if _, err := p.repo.ours(t.Context(), job{env: env, stdin: bytes.NewReader(patch)}, append(applyFlags[:], "-")...); err != nil {
		return err.Error()
	}
	tree, err := line(p.repo.ours(t.Context(), job{env: env}, "write-tree"))
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

func (p *patched) tree(t testing.TB, commit OID) string {
	t.Helper()
	tree, err := line(p.repo.ours(t.Context(), job{}, "rev-parse", string(commit)+"^{tree}"))
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

// checkTrimmed: the patch is refused on the tree that it makes, and when its end was trimmed and that was a line.
func (p *patched) checkTrimmed(t testing.TB) {
	t.Helper()
	patch := p.make(t)
	if err := p.repo.Applies(t.Context(), p.to, patch); err == nil {
		t.Errorf("taken on the tree that it makes\n%s", patch)
	}
	trimmed := bytes.TrimSpace(patch)
	if p.repo.Applies(t.Context(), p.from, trimmed) != nil {
		return
	}
	if got, want := p.apply(t, trimmed), p.tree(t, p.to); got != want || bytes.HasSuffix(patch, []byte("\n \n")) {
		t.Errorf("taken without its last %d bytes, it makes %s in the place of %s\n%s", len(patch)-len(trimmed), got, want, patch)
	}
}

func TestAppliesRefuses(t *testing.T) {
	dir := checkout(t, "printf '1\n2\n3\n4\n' >f; mkdir d; echo x >d/x; ln -s d l")
	repo, tree := open(t, dir), OID(sh(t, dir, "git rev-parse HEAD^{tree}"))
	patch := func(path, body string) string {
		return fmt.Sprintf("diff --git a/%[1]s b/%[1]s\nnew file mode 100644\n--- /dev/null\n+++ b/%[1]s\n@@ -0,0 +1 @@\n+%[2]s\n", path, body)
	}
	for name, text := range map[string]string{
		"nothing": "", "no patch": "hello\n", "cut in a hunk": "diff --git a/f b/f\n--- a/f\n+++ b/f\n@@ -1,4 +1,4 @@\n 1\n-2\n+x\n 3\n", "other contents": "diff --git a/f b/f\n--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n 1\n-9\n+x\n",
		"white space that differs": "diff --git a/f b/f\n--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n 1 \n-2\n+x\n", "no prefix": "diff --git f f\n--- f\n+++ f\n@@ -1,4 +1,4 @@\n 1\n-2\n+x\n 3\n 4\n",
		"a file that is there": patch("f", "x"), ".git": patch(".git/config", "x"), "out of the tree": patch("../x", "x"), "absolute": patch("/etc/x", "x"), "through a link": patch("l/y", "x"),
		"an object in the place of contents": "diff --git a/b b/b\nnew file mode 100644\nindex 0000000000000000000000000000000000000000..1111111111111111111111111111111111111111\nBinary files /dev/null and b/b differ\n",
	} {
		if err := repo.Applies(t.Context(), tree, []byte(text)); err == nil {
			t.Errorf("%s: taken\n%s", name, text)
		}
	}
	if err := repo.Applies(t.Context(), tree, []byte(patch("fine", "x"))); err != nil {
		t.Error(err)
	}
	for _, bad := range []OID{"", "HEAD", "-h", OID(strings.Repeat("0", 40))} {
		if err := repo.Applies(t.Context(), bad, []byte(patch("fine", "x"))); err == nil {
			t.Errorf("%q is a tree", bad)
		}
	}
	if left := sh(t, repo.private, "ls"); left != "objects.git" {
		t.Errorf("left behind: %s", left)
	}
}

// F-22: what the user, the system or the checkout configured, and the environment says, changes neither the patch nor the answer.
func TestAppliesWhateverIsConfigured(t *testing.T) {
	dir := checkout(t, `printf 'a\n' >f; echo x >g`)
	sh(t, dir, `git tag from; printf 'a \t\n  \tb\n\n\n' >f; echo y >g; git commit -qam to
		for s in apply.whitespace=error-all apply.ignoreWhitespace=change core.whitespace=tab-in-indent,trailing-space,blank-at-eof diff.noprefix=true diff.mnemonicPrefix=true diff.external=/bin/false \
			diff.renames=copies core.autocrlf=true core.eol=crlf core.safecrlf=true diff.context=0 diff.interHunkContext=9 diff.orderFile=/nonexistent color.ui=always core.quotePath=true diff.algorithm=patience; do git config ${s%%=*} ${s#*=}; done
		echo '* -diff' >.git/info/attributes`)
	for name, value := range map[string]string{"GIT_EXTERNAL_DIFF": "/bin/false", "GIT_DIFF_OPTS": "-u0", "GIT_INDEX_FILE": "/nonexistent/index", "GIT_CONFIG_PARAMETERS": "'apply.whitespace=error-all'"} {
		t.Setenv(name, value)
	}
	p := patched{open(t, dir), OID(sh(t, dir, "git rev-parse from")), OID(sh(t, dir, "git rev-parse HEAD"))}
	p.check(t)
	p.checkTrimmed(t)
}

func TestAppliesOfRandomTrees(t *testing.T) {
	paths := []string{"a", "b", "a/b", "a/b/c", "d/e", "d/e/f", "d", "A", "x y", " s", "t\tb", "q\"u", "n\nl", "\xff", "-r", "a.b/c", "a-b", "é", `b\c`}
	r := rand.New(rand.NewPCG(3, 4))
	text := func() string {
		var b strings.Builder
		for range r.IntN(12) {
			b.WriteString([]string{"line\n", "\n", "  \n", "\r\n", "x\r\n", "+\n", "-\n", " \n", "@@ -1 +1 @@\n", "\\ No newline at end of file\n", "diff --git a/a b/a\n", "é\n", "\x00\x01", "\t\n", "end"}[r.IntN(15)])
		}
		return b.String()
	}
	var trees []sketch
	const pairs = 30
	for range pairs {
		from := random(r, 10, paths, text)
		trees = append(trees, from, change(r, from, paths, text))
	}
	dir, commits := forest(t, trees)
	repo := open(t, dir)
	for i := range pairs {
		p := patched{repo, commits[2*i], commits[2*i+1]}
		if len(p.make(t)) == 0 {
			continue
		}
		if p.check(t); t.Failed() {
			t.Fatalf("pair %d: %q, %q", i, trees[2*i], trees[2*i+1])
		}
	}
}

// FuzzApplies: of two texts, whatever they are, the patch applies and makes the second of the first.
func FuzzApplies(f *testing.F) {
	for _, s := range [][2]string{{"a\nb\n\n", "x\nb\n\n"}, {"", "x"}, {"a\r\n", "a\n"}, {"\x00", "\x00\n"}, {"\n\n\n", "\n"}, {"a", "a\n"}, {"--- a/f\n", "+++ b/f\n"}} {
		f.Add(s[0], s[1])
	}
	f.Fuzz(func(t *testing.T, one, other string) {
		if one == other || len(one)+len(other) > 10_000 {
			return
		}
		dir, commits := forest(t, []sketch{{"f": {modeFile, one}}, {"f": {modeFile, other}}})
		p := patched{open(t, dir), commits[0], commits[1]}
		p.check(t)
		p.checkTrimmed(t)
	})
}
