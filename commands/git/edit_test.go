package git

import (
	"fmt"
	"strings"
	"testing"

	"github.com/d3mlabs/ai-flow/isolation"
)

const editBase = `echo a >a; printf 'one\ntwo\n' >lines; mkdir d; echo f >d/f; printf '#!/bin/sh\n' >run.sh; chmod +x run.sh; ln -s a link; echo '*.log' >.gitignore; echo t >tracked.log; git add -f tracked.log`

// What the agent does to its tree, and the changes that come back, one a line: status, mode, size, lines, path.
func TestEditsComeBack(t *testing.T) {
	cases := []struct{ name, script, want string }{
		{"edit, add, delete", `echo x >>lines; echo new >d/new; rm a`, `D 100644 0 +0 -1 a, A 100644 4 +1 -0 d/new, M 100644 10 +1 -0 lines`},
		{"committed (F-36)", `echo x >>lines; git add -A; git commit -qm mine`, `M 100644 10 +1 -0 lines`},
		{"committed and reverted in the tree", `echo x >>lines; git commit -qam mine; printf 'one\ntwo\n' >lines`, ``},
		{"another branch (F-36)", `git checkout -qb other; echo n >n; git add n; git commit -qm n`, `A 100644 2 +1 -0 n`},
		{"an orphan branch with everything removed from the index", `git checkout -q --orphan o; git rm -rq --cached .; echo n >n`, `A 100644 2 +1 -0 n`},
		{"staged, then changed back", `echo x >a; git add a; echo a >a`, ``},
		{".git deleted", `echo n >n; rm -rf .git`, `A 100644 2 +1 -0 n`},
		{".git is a file", `echo n >n; rm -rf .git; echo 'gitdir: /etc' >.git`, `A 100644 2 +1 -0 n`},
		{".git is a link", `echo n >n; rm -rf .git; ln -s / .git`, `A 100644 2 +1 -0 n`},
		{".git is a pipe", `echo n >n; rm -rf .git; mkfifo .git`, `A 100644 2 +1 -0 n`},
		{".git is broken", `echo n >n; echo garbage >.git/HEAD; rm -rf .git/objects; echo x >.git/index`, `A 100644 2 +1 -0 n`},
		{"index flags", `git update-index --assume-unchanged a; git update-index --skip-worktree lines; echo x >a; echo x >lines`, `M 100644 2 +1 -1 a, M 100644 2 +1 -2 lines`},
		{"its own exclude file", `echo n >>.git/info/exclude; echo n >n`, `A 100644 2 +1 -0 n`},
		{"same size, old time", `touch -r a /tmp/ref.$$; echo b >a; touch -r /tmp/ref.$$ a; rm /tmp/ref.$$`, `M 100644 2 +1 -1 a`},
		{"modes (H8-07)", `chmod a-x run.sh; chmod a+x a; chmod 4755 d/f; echo '#!/bin/sh' >new.sh; chmod 0755 new.sh`,
			`M 100755 2 +0 -0 a, M 100755 2 +0 -0 d/f, A 100755 10 +1 -0 new.sh, M 100644 10 +0 -0 run.sh`},
		{"closed to itself (H4-10, H8-10)", `umask 077; echo n >n; chmod 0 n; mkdir -p e/f; echo n >e/f/n; chmod 0 e/f e; chmod 0 d; chmod 0 a`,
			`A 100644 2 +1 -0 e/f/n, A 100644 2 +1 -0 n`},
		{"links", `ln -s d dirlink; ln -sf lines link; ln -s ../a d/up; ln -s ./d/../a odd || true; rm odd`,
			`A 120000 4 +1 -0 d/up, A 120000 1 +1 -0 dirlink, M 120000 5 +1 -1 link`},
		{"file becomes link, link becomes file", `rm a; ln -s lines a; rm link; echo l >link`, `T 120000 5 +1 -1 a, T 100644 2 +1 -1 link`},
		{"file becomes directory and back", `rm a; mkdir a; echo x >a/x; rm -r d; echo d >d`, `D 100644 0 +0 -1 a, A 100644 2 +1 -0 a/x, A 100644 2 +1 -0 d, D 100644 0 +0 -1 d/f`},
		{"directory becomes a link to another", `mkdir e; echo f >e/f; rm -r d; ln -s e d`, `A 120000 1 +1 -0 d, D 100644 0 +0 -1 d/f, A 100644 2 +1 -0 e/f`},
		{"ignored files stay", `echo x >x.log; mkdir b; echo y >b/y.log; echo tt >tracked.log`, `M 100644 3 +1 -1 tracked.log`},
		{"its own ignore rules count, and show", `echo '/out/' >>.gitignore; mkdir out; echo x >out/x`, `M 100644 12 +1 -0 .gitignore`},
		{"binary", `printf 'a\0b' >bin`, `A 100644 3 +-1 --1 bin`},
		{"empty file, empty directory", `: >empty; mkdir none`, `A 100644 0 +0 -0 empty`},
		{"two names, one content", `echo same >s1; echo same >s2`, `A 100644 5 +1 -0 s1, A 100644 5 +1 -0 s2`},
		{"everything gone", `git rm -rq . ; rm -rf .git`, `D 100644 0 +0 -1 .gitignore, D 100644 0 +0 -1 a, D 100644 0 +0 -1 d/f, D 100644 0 +0 -2 lines, D 120000 0 +0 -1 link, D 100755 0 +0 -1 run.sh, D 100644 0 +0 -1 tracked.log`},
		{"odd names (H8-05)", `touch -- -rf $'new\nline.txt' café.txt 'a "q".txt' $'tab\t.txt' ' lead' $'bad\xff.bin' ':(glob)*' $'\\134'`,
			"A 100644 0 +0 -0  lead, A 100644 0 +0 -0 -rf, A 100644 0 +0 -0 :(glob)*, A 100644 0 +0 -0 \\134, A 100644 0 +0 -0 a \"q\".txt, A 100644 0 +0 -0 bad\xff.bin, A 100644 0 +0 -0 café.txt, A 100644 0 +0 -0 new\nline.txt, A 100644 0 +0 -0 tab\t.txt"},
		{"contents that look like commands", `printf 'x\nblob\nmark :1\ndata 5\nevil\ndone\n' >c; printf 'done\n' >e; printf '\n\n' >f`, `A 100644 32 +6 -0 c, A 100644 5 +1 -0 e, A 100644 2 +2 -0 f`},
	}
	inRooms(t, func(t *testing.T, room *isolation.Room) {
		for _, c := range cases {
			t.Run(c.name, func(t *testing.T) {
				w := handOver(t, room, checkout(t, editBase))
				w.agent(t, c.script)
				taken := w.take(t, Limits{})
				if got := show(taken); got != c.want {
					t.Fatalf("got  %q\nwant %q\n%+v", got, c.want, taken)
				}
				w.mustEqualTree(t, taken)
				if again := w.take(t, Limits{}); again.Tree != taken.Tree {
					t.Errorf("taken twice: %s, then %s", taken.Tree, again.Tree)
				}
			})
		}
	})
}

func show(taken Taken) string {
	var lines []string
	for _, c := range taken.Changes {
		lines = append(lines, fmt.Sprintf("%c %s %d +%d -%d %s", c.Status, c.Mode, c.Size, c.Added, c.Removed, c.Path))
	}
	for _, r := range taken.Refused {
		lines = append(lines, fmt.Sprintf("refused %q: %s", r.Path, r.Reason))
	}
	for _, r := range taken.Skipped {
		lines = append(lines, fmt.Sprintf("skipped %q: %s", r.Path, r.Reason))
	}
	return strings.Join(lines, ", ")
}

// mustEqualTree holds the tree against an independent judge: what `git add -A` of an ordinary git makes of the agent's tree
// in a fresh clone of the base.
func (w *world) mustEqualTree(t *testing.T, taken Taken) {
	t.Helper()
	dir := t.TempDir()
	want := sh(t, dir, fmt.Sprintf(`git init -q; git --git-dir=%q bundle create -q b HEAD >/dev/null; git fetch -q b; git read-tree %s
		export GIT_WORK_TREE=%q; git add -A; git write-tree`, w.dir+"/.git", w.commit, w.tree.Dir()))
	if want != string(taken.Tree) {
		t.Errorf("tree is %s:\n%s\ngit add -A makes %s:\n%s", taken.Tree, w.listing(t, taken.Tree), want, sh(t, dir, "git ls-tree -r "+want))
	}
}
