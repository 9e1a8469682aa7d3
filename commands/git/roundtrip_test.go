package git

import (
	"testing"

	"github.com/d3mlabs/ai-flow/isolation"
)

// A tree that the agent left alone comes back as exactly the base, whatever the repository's attributes ask for, and also
// when every time stamp in it has changed.
func TestUntouchedTreeIsTheBase(t *testing.T) {
	cases := map[string]string{
		"plain":                  `echo a >a; mkdir d; echo b >d/b`,
		"empty":                  `:`,
		"text=auto, CRLF inside": `printf 'a\r\nb\r\n' >crlf.txt; printf 'a\n' >lf.txt; git add -A; echo '* text=auto' >.gitattributes`,
		"text, CRLF inside":      `printf 'a\r\n' >x.txt; git add -A; echo '*.txt text' >.gitattributes`,
		"eol=crlf":               `echo '*.bat text eol=crlf' >.gitattributes; printf 'a\nb\n' >x.bat`,
		"autocrlf":               `git config core.autocrlf true; printf 'a\r\n' >x`,
		"lfs pointers":           `echo '*.png filter=lfs diff=lfs merge=lfs -text' >.gitattributes; printf 'version https://git-lfs.github.com/spec/v1\noid sha256:%064d\nsize 3\n' 1 >x.png`,
		"a real clean filter": `git config filter.up.clean 'tr a-z A-Z'; git config filter.up.smudge 'tr A-Z a-z'; git config filter.up.required true
			echo '*.up filter=up' >.gitattributes; echo hello >x.up`,
		"ident":                    `echo '* ident' >.gitattributes; echo '$Id$ $Id: deadbeef $' >x`,
		"export-subst":             `echo '* export-subst' >.gitattributes; echo '$Format:%H$' >x`,
		"working-tree-encoding":    `echo '*.ps1 text working-tree-encoding=UTF-16LE-BOM eol=crlf' >.gitattributes; printf '\xff\xfea\0\r\0\n\0' >x.ps1`,
		"a macro":                  `printf '[attr]odd text eol=crlf ident filter=lfs\n* odd\n' >.gitattributes; printf 'a\n' >x`,
		"modes and links":          `echo a >run; chmod +x run; ln -s run link; ln -s /etc/passwd out; ln -s ../.. up; ln -s .git/config in; ln -s nowhere broken`,
		"names":                    `touch -- -rf $'new\nline.txt' café.txt 'a "q".txt' $'tab\t.txt' ' lead' 'trail ' $'bad\xff.bin' 'a\b' '*?[x]' ':(top)x' '~' '#x' '!x'`,
		"colliding case":           `echo a >Readme; echo b >README; mkdir D d; echo c >D/x; echo d >d/x`,
		"ignored but tracked":      `echo '*.log' >.gitignore; echo x >a.log; git add -f a.log; mkdir build; echo build/ >>.gitignore; echo y >build/y; git add -f build/y`,
		"a submodule":              `git init -q ../sub; git -C ../sub commit -q --allow-empty -m s; git submodule --quiet add ../sub sub`,
		"a bare repository inside": `git init -q --bare fixture; touch fixture/objects/keep fixture/refs/keep`,
		"old mode 100664": `echo a >a; git add a; git commit -qm a
			tree=$(git cat-file tree HEAD: | sed 's/100644/100664/' | git hash-object --literally -t tree -w --stdin); git reset -q --soft $(git commit-tree $tree -m odd)`,
		"sha256": `rm -rf .git; git init -q --object-format=sha256; echo a >a; ln -s a l`,
	}
	inRooms(t, func(t *testing.T, room *isolation.Room) {
		for name, script := range cases {
			t.Run(name, func(t *testing.T) {
				w := handOver(t, room, checkout(t, script))
				for _, then := range []string{`find . -path ./.git -prune -o -exec touch -h -d '2001-02-03' {} +`, "rm -rf .git"} {
					w.agent(t, then)
					got := w.take(t, Limits{})
					if got.Tree != got.Base || got.Base != w.tree.root || len(got.Changes) > 0 || len(got.Refused) > 0 || len(got.Skipped) > 0 {
						t.Errorf("after %q: %+v\nwas:\n%s\nis:\n%s", then, got, w.listing(t, w.tree.root), w.listing(t, got.Tree))
					}
				}
			})
		}
	})
}

// What the agent finds: raw contents, a clean status, a branch, some history to look at, no remote, an identity.
func TestAgentFindsAWorkingRepository(t *testing.T) {
	inRooms(t, func(t *testing.T, room *isolation.Room) {
		dir := checkout(t, `git config user.name secret-of-the-user; git remote add origin https://token@example.org/x
			for i in $(seq 70); do echo $i >n; git add n; git commit -qm "commit $i"; done
			echo '* text=auto' >.gitattributes; printf 'a\r\n' >crlf; echo '*.png filter=lfs' >>.gitattributes; echo x >a.png`)
		w := handOver(t, room, dir)
		for _, c := range []struct{ script, want string }{
			{"git status --porcelain", ""},
			{"git symbolic-ref HEAD", "refs/heads/main"},
			{"git log --oneline | wc -l", "50"},
			{"git blame -s n | cut -d' ' -f1 | wc -l", "1"},
			{"git rev-parse HEAD", string(w.commit)},
			{"git remote", ""},
			{"git fsck 2>&1", ""},
			{"grep -c secret .git/config || true", "0"},
			{"stat -c %U . .git a.png | sort -u", w.agent(t, "id -un")},
			{"git commit -q --allow-empty -m x && echo done", "done"},
		} {
			if got := w.agent(t, c.script); got != c.want {
				t.Errorf("%s: got %q, want %q", c.script, got, c.want)
			}
		}
		if c := w.tree.Cost(); c.Files != 4 || c.Commits != DefaultDepth || c.PackBytes < 100 || c.Millis <= 0 {
			t.Errorf("cost: %+v", c)
		}
	})
}

// Depths, merges and a checkout that is shallow itself: the agent's repository is whole as far as it goes.
func TestHistoryIsBounded(t *testing.T) {
	dir := checkout(t, `for i in 1 2 3; do git commit -q --allow-empty -m $i; done
		git checkout -qb side; git commit -q --allow-empty -m side; git checkout -q main; git commit -q --allow-empty -m m; git merge -q --no-ff -m merge side`)
	shallow := t.TempDir() + "/shallow"
	sh(t, dir, "git clone -q --depth 3 file://"+dir+" "+shallow)
	all := map[string][]string{dir: {1: "1", 2: "2", 3: "4", 4: "5", 5: "6", 6: "7", 7: "7"}, shallow: {1: "1", 2: "2", 3: "4", 4: "4"}}
	for from, want := range all {
		r := open(t, from)
		head, _, _, err := r.Head(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for depth := 1; depth < len(want); depth++ {
			w := &world{repo: r, room: sameUser(t)}
			if w.tree, err = r.HandOver(t.Context(), w.room, head, HandOverOptions{Depth: depth}); err != nil {
				t.Fatal(err)
			}
			n := w.agent(t, "git fsck 2>&1; git rev-list HEAD | wc -l")
			if n != want[depth] {
				t.Errorf("%s at depth %d: %q commits, want %s", from, depth, n, want[depth])
			}
		}
	}
}
