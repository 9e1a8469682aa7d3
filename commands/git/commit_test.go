package git

import (
	"errors"
	"strings"
	"testing"
	"time"
)

// A commit of a repository without a checkout is exactly what was asked for (F-41), and moves nothing.
func TestCommit(t *testing.T) {
	g := grounds(t, "")
	tree := OID(sh(t, g.dir, "git rev-parse main^{tree}"))
	o := CommitOptions{Parent: g.base, Tree: tree, Message: "subject\n\nbody ü\n\nTrailer: x\n", Author: Person{"Ärne", "a@example.org"}, Committer: bot, When: time.Unix(1700000000, 0), Name: "--not looked at"}
	id, err := g.repo.Commit(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	want := "tree " + string(tree) + "\nparent " + string(g.base) + "\nauthor Ärne <a@example.org> 1700000000 +0000\ncommitter " + bot.Name + " <" + bot.Email + "> 1700000000 +0000\n\n" + o.Message
	if got, err := g.repo.ours(t.Context(), job{}, "cat-file", "commit", string(id)); string(got) != want || err != nil {
		t.Errorf("got\n%s\n%v", got, err)
	}
	if again, err := g.repo.Commit(t.Context(), o); again != id || err != nil {
		t.Errorf("the same options give %s, %v", again, err)
	}
	if head, _, _, err := g.repo.Head(t.Context()); head != g.base || err != nil {
		t.Errorf("HEAD is at %s, %v", head, err)
	}
	for name, change := range map[string]func(*CommitOptions){
		"no parent":     func(o *CommitOptions) { o.Parent = "" },
		"no message":    func(o *CommitOptions) { o.Message = " \n" },
		"NUL":           func(o *CommitOptions) { o.Message = "a\x00b" },
		"no author":     func(o *CommitOptions) { o.Author = Person{} },
		"forged header": func(o *CommitOptions) { o.Author.Name = "x\ncommitter y <z> 1 +0000" },
		"unknown tree":  func(o *CommitOptions) { o.Tree = OID(strings.Repeat("2", 40)) },
		"a commit":      func(o *CommitOptions) { o.Tree = g.base },
		"a tree":        func(o *CommitOptions) { o.Parent = tree },
	} {
		bad := o
		change(&bad)
		if id, err := g.repo.Commit(t.Context(), bad); err == nil || id != "" {
			t.Errorf("%s: %s", name, id)
		}
	}
}

// Where a branch is, and nothing that only looks like it (F-44).
func TestTip(t *testing.T) {
	g := grounds(t, `git branch tags/v1 HEAD~1; git update-ref refs/x/refs/heads/gone HEAD; git tag gone; git branch main2 HEAD~1`)
	older := g.rev(t, "main~2")
	for branch, want := range map[string]OID{"main": g.base, "gone": "", "tags/v1": g.rev(t, "refs/heads/tags/v1"), "v1": "", "mai": "", "main2": older, "heads/main": "", "ain": ""} {
		if branch == "main2" {
			want = g.rev(t, "refs/heads/main2")
		}
		if got, err := g.repo.tip(t.Context(), g.remote(), branch, quick()); got != want || err != nil {
			t.Errorf("%q: %q, %v, want %q", branch, got, err, want)
		}
	}
	for _, branch := range []string{"", "--upload-pack=id", "refs/heads/main", "*", "HEAD", "a b"} {
		if got, err := g.repo.tip(t.Context(), g.remote(), branch, quick()); got != "" || err == nil || !strings.Contains(err.Error(), "no name") {
			t.Errorf("%q: %q, %v", branch, got, err)
		}
	}
	wrong := g.remote()
	wrong.Token += "x"
	if _, err := g.repo.tip(t.Context(), wrong, "main", quick()); !errors.Is(err, ErrNoAccess) || strings.Contains(err.Error(), canaryToken) {
		t.Errorf("a wrong token: %v", err)
	}
	if got := g.changed(t); got != "" {
		t.Errorf("changed: %q", got)
	}
}

// A further commit comes with its history, what was there stays, and both can be worked with.
func TestAdd(t *testing.T) {
	for name, c := range map[string]struct {
		depth  int
		theirs string
		want   string // subjects of the added commit's history
	}{
		"moved on":                {0, "echo 4 >a; git commit -qam 4; echo 5 >a", "theirs\n4\nbase\n2\n1"},
		"moved on, from one deep": {1, "echo 4 >a; git commit -qam 4; echo 5 >a", "theirs"},
		"moved on, a little":      {2, "echo 5 >a", "theirs\nbase"},
		"overwritten":             {0, "git reset -q --hard HEAD~1; echo 5 >a", "theirs\n2\n1"},
		"another history":         {0, "git checkout -q --orphan o; echo 5 >a", "theirs"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := grounds(t, "")
			remote := g.remote()
			remote.Depth = c.depth
			g.repo = g.fetched(t, remote, g.base)
			theirs := g.person(t, "main", c.theirs)
			ours := g.commit(t, g.base, "n", "1\n")
			for range 2 { // the second time there is nothing to do
				g.seen()
				if err := g.repo.add(t.Context(), remote, theirs, quick()); err != nil {
					t.Fatal(err)
				}
			}
			if requests, _ := g.seen(); len(requests) > 0 {
				t.Errorf("asked again: %q", requests)
			}
			if got := sh(t, g.repo.gitDir, "git --git-dir=. log --format=%s "+string(theirs)+"; git --git-dir=. fsck --strict --no-dangling"); got != c.want {
				t.Errorf("the history: %q", got)
			}
			if head, _, _, err := g.repo.Head(t.Context()); head != g.base || err != nil {
				t.Errorf("HEAD is at %s, %v", head, err)
			}
			w := &world{repo: g.repo, room: sameUser(t), commit: theirs}
			var err error
			for _, commit := range []OID{theirs, ours} {
				if w.tree, err = g.repo.HandOver(t.Context(), w.room, commit, HandOverOptions{}); err != nil {
					t.Fatal(err)
				}
				w.agent(t, "git fsck --strict")
			}
			// Brought together, it goes on top of theirs.
			tree, conflicts, err := g.repo.Merge(t.Context(), g.base, ours, theirs)
			if err != nil || tree == "" || len(conflicts) > 0 {
				t.Fatalf("%q, %q, %v", tree, conflicts, err)
			}
			commit, err := g.repo.Commit(t.Context(), CommitOptions{Parent: theirs, Tree: tree, Message: "merged", Author: bot, Committer: bot})
			if err != nil {
				t.Fatal(err)
			}
			g.changed(t)
			if e := g.push(t, PushOptions{"main", theirs, commit}); e != nil {
				t.Fatal(e)
			}
			if got := g.changed(t); got != "refs/heads/main "+string(theirs[:7])+" "+string(commit[:7]) {
				t.Errorf("changed: %q", got)
			}
			if got := sh(t, g.dir, "git cat-file -p main:a; git cat-file -p main:n; git fsck 2>&1 | grep -v dangling || true"); got != "5\n1" {
				t.Errorf("the server has %q", got)
			}
		})
	}
}

func TestAddFails(t *testing.T) {
	g := grounds(t, "")
	w := open(t, checkout(t, "echo a >a"))
	for name, c := range map[string]struct {
		repo   *Repo
		commit OID
		want   string
	}{
		"gone":         {g.repo, OID(strings.Repeat("1", 40)), ErrCommitGone.Error()},
		"a name":       {g.repo, "main", "not an object id"},
		"an option":    {g.repo, OID("-" + strings.Repeat("1", 39)), "not an object id"},
		"a checkout":   {w, g.base, "not fetched"},
		"other hash":   {g.repo, OID(strings.Repeat("1", 64)), "64 digits"},
		"not a commit": {g.repo, OID(sh(t, g.dir, "git rev-parse main^{tree}")), "git "},
	} {
		if err := c.repo.add(t.Context(), g.remote(), c.commit, quick()); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if got := sh(t, g.repo.gitDir, "git --git-dir=. fsck --strict --no-dangling; git --git-dir=. log --format=%s HEAD"); got != "base\n2\n1" {
		t.Errorf("afterwards: %q", got)
	}
}
