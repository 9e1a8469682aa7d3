package git

import (
	"strings"
	"testing"

	"github.com/d3mlabs/ai-flow/isolation"
)

// What may not come back is named, all of it at once, and then no tree comes back at all (F-43, H8-06, H8-08, H8-10, H8-11).
func TestRefusedByName(t *testing.T) {
	const hfs = "\u200c" // a code point that HFS+ ignores
	cases := []struct{ name, script, want string }{
		{"a repository", `git init -q sub; echo x >sub/x`, `"sub": a git repository inside`},
		{"a repository with a commit", `git init -q sub; git -C sub -c user.name=x -c user.email=x commit -q --allow-empty -m x`, `"sub": a git repository inside`},
		{"a repository deep inside", `mkdir -p x/y; git init -q x/y/z; echo x >x/y/z/f`, `"x/y/z": a git repository inside`},
		{"a repository in the place of a file", `rm a; git init -q a; git -C a -c user.name=x -c user.email=x commit -q --allow-empty -m x`, `"a": a git repository in`},
		{"a gitlink in its own index", `git init -q sub; git -C sub -c user.name=x -c user.email=x commit -q --allow-empty -m x; git add sub 2>/dev/null`, `"sub": a git repository inside`},
		{".GIT (H8-08)", `mkdir .GIT; echo x >.GIT/config; echo fine >fine`, `".GIT/config": a name that some systems`},
		{".git on NTFS", `mkdir git~1 '.git ' .git. '.git::$INDEX_ALLOCATION'; for d in git~1 '.git ' .git. .git::*; do echo x >"$d/config"; done; touch 'd\.git\config'`,
			`".git /config": a name that, ".git./config": a name that, ".git::$INDEX_ALLOCATION/config": a name that, "d\\.git\\config": a name that, "git~1/config": a name that`},
		{".git on HFS+", `mkdir .g` + hfs + `it; echo x >.g` + hfs + `it/config`, `".g\u200cit/config": a name that`},
		{"a disguised .gitmodules", `echo x >gitmod~1; echo x >.GITmodules`, `".GITmodules": a link or a disguise, "gitmod~1": a link or a disguise`},
		{".gitmodules as a link", `ln -s a .gitmodules`, `".gitmodules": a name, or a link of a name, that git refuses`},
		{".gitattributes as a link", `ln -s a .gitattributes`, `".gitattributes": a link or a disguise`},
		{".gitignore becomes a link", `ln -sf a .gitignore`, `".gitignore": a link or a disguise`},
		{"a .gitmodules that runs code", `printf '[submodule "x"]\n\tpath = x\n\turl = -u./evil\n' >.gitmodules`, `".gitmodules": a .gitmodules that git rejects`},
		{"links out", `ln -s /etc/passwd l1; ln -s ../x l2; ln -s d/../../x l3; ln -s d/../a l4; mkdir e; ln -s ../../x e/l5`,
			`"e/l5": a link out, "l1": a link with an absolute, "l2": a link out, "l3": a link that descends and, "l4": a link that descends and`},
		{"links into .git", `ln -s .git/config l1; ln -s d/.GIT l2; ln -s .git l3`, `"l1": a link into .git, "l2": a link into .git, "l3": a link into .git`},
		{"a tracked link turned outwards", `ln -sf /etc/shadow link`, `"link": a link with an absolute`},
		{"pipes and sockets in the place of files", `rm a run.sh; mkfifo a; mkfifo run.sh`, `"a": a pipe, socket or device in the place of a file, "run.sh": a pipe`},
		{"a pipe that git would read", `rm .gitignore; mkfifo .gitignore`, `".gitignore": a pipe, socket or device in the place of a file that git reads`},
		{"a pipe as attributes, deep", `mkdir -p e/e; mkfifo e/e/.gitattributes`, `"e/e/.gitattributes": a pipe`},
		{"too big (H8-11)", `truncate -s 200M big; truncate -s 104857601 one-over; truncate -s 100K fits`, `"big": larger than 104857600 bytes, "one-over": larger than`},
		{"a bare repository", `git init -q --bare evil; touch evil/objects/k evil/refs/k; printf '[core]\n\tfsmonitor = touch /tmp/x\n' >>evil/config`,
			`"evil": a directory that git takes for a bare repository`},
		{"the last piece of a bare repository", `mkdir half/refs; touch half/refs/k`, `"half": a directory that git takes`},
		{"a submodule replaced by a file", `rmdir sm; echo x >sm`, `"sm": inside the submodule "sm"`},
		{"a submodule filled with files", `echo x >sm/x`, `"sm/x": inside the submodule "sm"`},
		{"deep paths", `p=$(printf 'd/%.0s' $(seq 150)); mkdir -p $p; touch ${p}f`, `"d/d/d/`},
	}
	inRooms(t, func(t *testing.T, room *isolation.Room) {
		for _, c := range cases {
			t.Run(c.name, func(t *testing.T) {
				w := handOver(t, room, checkout(t, editBase+`; git init -q ../sub; git -C ../sub commit -q --allow-empty -m s; git submodule --quiet add ../sub sm; git rm -q --cached .gitmodules; rm .gitmodules
					mkdir -p half/objects; echo ref >half/HEAD; echo k >half/objects/k`))
				w.agent(t, "echo fine >>lines; "+c.script)
				taken := w.take(t, Limits{})
				if taken.Tree != "" || len(taken.Changes) > 0 {
					t.Errorf("a tree came back: %+v", taken)
				}
				var got []string
				for _, r := range taken.Refused {
					got = append(got, show(Taken{Refused: []Refused{r}}))
				}
				want := strings.Split(c.want, ", \"")
				if len(got) != len(want) {
					t.Fatalf("got  %q\nwant %q", got, want)
				}
				for i := range want {
					if w := "refused \"" + strings.TrimPrefix(want[i], `"`); !strings.HasPrefix(got[i], w) {
						t.Errorf("got %q, want %q…", got[i], w)
					}
				}
			})
		}
	})
}

// What stays behind by its nature is named, and the rest comes back.
func TestSkippedByName(t *testing.T) {
	cases := []struct{ name, script, want string }{
		{"a pipe and a socket", `mkfifo p; python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind("s")'; echo n >n`,
			`A 100644 2 +1 -0 n, skipped "p": a pipe, socket or device, skipped "s": a pipe, socket or device`},
		{"a repository around tracked files", `git init -q d; echo n >d/n; echo g >>d/f`,
			`M 100644 4 +1 -0 d/f, A 100644 2 +1 -0 d/n, skipped "d/.git": the data of a repository inside the tree; its files come as plain files`},
		{"a filled submodule", `git init -q sm; git -C sm -c user.name=x -c user.email=x commit -q --allow-empty -m other; echo x >sm/x; echo n >n`,
			`A 100644 2 +1 -0 n, skipped "sm": a submodule; it stays at the base's commit`},
		{"a removed submodule directory", `rmdir sm; echo n >n`, `A 100644 2 +1 -0 n`},
		{"repositories and big files that are ignored", `echo '/m/' >.gitignore; mkdir m; git init -q m/r; truncate -s 200M m/big; mkdir m/closed; chmod 0 m/closed`, `M 100644 4 +1 -1 .gitignore`},
	}
	inRooms(t, func(t *testing.T, room *isolation.Room) {
		for _, c := range cases {
			t.Run(c.name, func(t *testing.T) {
				w := handOver(t, room, checkout(t, editBase+`; git init -q ../sub; git -C ../sub commit -q --allow-empty -m s; git submodule --quiet add ../sub sm`))
				w.agent(t, c.script)
				taken := w.take(t, Limits{})
				if got := show(taken); got != c.want {
					t.Errorf("got  %q\nwant %q", got, c.want)
				}
				if !strings.Contains(w.listing(t, taken.Tree), "160000 sm") {
					t.Errorf("the submodule is gone:\n%s", w.listing(t, taken.Tree))
				}
			})
		}
	})
}

// Limits hold at their edge, each with its reason.
func TestLimits(t *testing.T) {
	const script = `head -c 100 /dev/zero >a; head -c 100 /dev/urandom >b; rm gone`
	for _, c := range []struct {
		l    Limits
		want string
	}{
		{Limits{MaxFile: 100, MaxTotal: 200, MaxFiles: 3}, ""},
		{Limits{MaxFile: 99}, `"a": larger than 99 bytes, refused "b": larger than 99 bytes`},
		{Limits{MaxTotal: 199}, `"": all changed files together are larger than 199 bytes`},
		{Limits{MaxFiles: 2}, `"": 3 paths changed; at most 2 may`},
	} {
		w := handOver(t, sameUser(t), checkout(t, "echo x >gone; for i in 1 2 3 4 5; do ln -s gone link$i; done"))
		w.agent(t, script)
		taken := w.take(t, c.l)
		got := strings.TrimPrefix(show(Taken{Refused: taken.Refused}), "refused ")
		if got != c.want || (taken.Tree == "") != (c.want != "") {
			t.Errorf("%+v: got %q, tree %q, want %q", c.l, got, taken.Tree, c.want)
		}
	}
}

// What the base's own .gitmodules is like is not held against the agent; what the agent makes of it is.
func TestModulesOfTheBase(t *testing.T) {
	const bad = `printf '[submodule "x"]\n\tpath = x\n\turl = -u./evil\n' >`
	w := handOver(t, sameUser(t), checkout(t, bad+`.gitmodules; echo a >a`))
	for _, c := range []struct{ script, want string }{
		{"echo b >a", "M 100644 2 +1 -1 a"},
		{"mkdir d; echo >d/.gitmodules", "M 100644 2 +1 -1 a, A 100644 1 +1 -0 d/.gitmodules"},
		{"for i in $(seq 60); do mkdir d$i; cp .gitmodules d$i; echo \\# $i >>d$i/.gitmodules; done", "refused"},
		{"rm -r d*; rm .gitmodules", "D 100644 0 +0 -3 .gitmodules, M 100644 2 +1 -1 a"},
	} {
		w.agent(t, c.script)
		taken := w.take(t, Limits{})
		if got := show(taken); got != c.want && (c.want != "refused" || len(taken.Refused) < 60 || taken.Tree != "") {
			t.Errorf("%s: got %q", c.script, got)
		}
	}
}

// A listing that does not end is cut off where it is read.
func TestListingIsBounded(t *testing.T) {
	w := handOver(t, sameUser(t), checkout(t, "echo x >x"))
	w.tree.most = 1000
	w.agent(t, `for i in $(seq 50); do : >a-rather-long-name-$i; done`)
	taken := w.take(t, Limits{})
	if got := show(taken); got != `refused "": too many changed paths to list; at most 100000 may change` || taken.Tree != "" {
		t.Errorf("got %q", got)
	}
	w.tree.most = maxSurvey
	if taken := w.take(t, Limits{}); len(taken.Changes) != 50 {
		t.Errorf("%d changes", len(taken.Changes))
	}
}

// The agent removed its tree or put a link in its place (F-04): said, and nothing is read elsewhere.
func TestTreeGone(t *testing.T) {
	inRooms(t, func(t *testing.T, room *isolation.Room) {
		for _, script := range []string{`rm -rf "$PWD"`, `mv "$PWD" "$PWD.moved"; ln -s "$PWD.moved" "$PWD"`, `mv "$PWD" "$PWD.moved"; ln -s /etc "$PWD"`, `rm -rf "$PWD"; mkfifo "$PWD"`} {
			w := handOver(t, room, checkout(t, "echo x >x"))
			w.agent(t, script)
			taken, err := w.tree.TakeBack(t.Context(), Limits{})
			if err == nil || !strings.Contains(err.Error(), "removed or replaced its tree") || taken.Tree != "" {
				t.Errorf("%s: %+v, %v", script, taken, err)
			}
		}
	})
}
