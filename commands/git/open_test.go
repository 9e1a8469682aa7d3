package git

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/d3mlabs/ai-flow/isolation"
	"github.com/d3mlabs/ai-flow/testsupport"
)

// Each kind of repository that a person may stand in: what Head says, and that it can be handed over and taken back.
func TestKindsOfRepository(t *testing.T) {
	for _, c := range []struct{ name, script, at, branch string }{
		{"checkout", `:`, "c", "main"},
		{"subdirectory", `mkdir -p c/x/y`, "c/x/y", "main"},
		{"inside .git", `:`, "c/.git", "main"},
		{"deep inside .git", `:`, "c/.git/refs/heads", "main"},
		{"linked worktree", `git -C c worktree add -q ../w -b topic`, "w", "topic"},
		{"subdirectory of a linked worktree", `git -C c worktree add -q ../w -b topic; mkdir w/x`, "w/x", "topic"},
		{"bare", `git clone -q --bare c b`, "b", "main"},
		{"shallow", `git clone -q --depth 1 file://$PWD/c b`, "b", "main"},
		{"worktree of a shallow checkout", `git clone -q --depth 1 file://$PWD/c b; git -C b worktree add -q ../w -b topic`, "w", "topic"},
		{"alternates", `git clone -q --shared c b`, "b", "main"},
		{"alternates of alternates", `git clone -q --shared c b; git clone -q --shared b d; git clone -q --shared d e`, "e", "main"},
		{"relative alternates", `git clone -q --shared c b; echo ../../../c/.git/objects >b/.git/objects/info/alternates`, "b", "main"},
		{"partial clone", `git -C c config uploadpack.allowFilter true; git clone -q --filter=blob:none file://$PWD/c b`, "b", "main"},
		{"detached", `git -C c checkout -q --detach`, "c", ""},
		{"packed refs and objects", `git -C c gc -q`, "c", "main"},
		{"separate git directory", `git init -q --separate-git-dir="$PWD/elsewhere" c`, "c", "main"},
		{"odd branch", `git -C c checkout -qb 'ümlaut/#1'`, "c", "ümlaut/#1"},
		{"odd directory", `mv c 'a "q" # \ b'; `, `a "q" # \ b`, "main"},
		{"through a link", `ln -s c l`, "l", "main"},
		{"a replaced commit", `cd c; git replace HEAD~1 $(git commit-tree -m other HEAD^{tree}); cd ..`, "c", "main"},
		{"sha256", `rm -rf c; git init -q --object-format=sha256 c; cd c; git commit -q --allow-empty -m 1; echo a >a; git add a; git commit -qm 2; cd ..`, "c", "main"},
	} {
		t.Run(c.name, func(t *testing.T) {
			root := filepath.Dir(checkout(t, "git commit -q --allow-empty -m 1; echo a >a"))
			sh(t, root, "mv checkout c; "+c.script)
			dir := filepath.Join(root, c.at)
			r := open(t, dir)
			commit, branch, dirty, err := r.Head(t.Context())
			if err != nil || branch != c.branch || dirty {
				t.Fatalf("branch %q, dirty %v, %v", branch, dirty, err)
			}
			if want := sh(t, dir, "git rev-parse HEAD"); string(commit) != want {
				t.Errorf("HEAD is %s, want %s", commit, want)
			}
			w := &world{repo: r, room: sameUser(t), commit: commit}
			if w.tree, err = r.HandOver(t.Context(), w.room, commit, HandOverOptions{}); err != nil {
				t.Fatal(err)
			}
			w.agent(t, "git fsck; git log >/dev/null; echo n >n")
			taken := w.take(t, Limits{})
			if show(taken) != "A 100644 2 +1 -0 n" {
				t.Fatalf("%s", show(taken))
			}
			id, err := r.Branch(t.Context(), CommitOptions{Parent: commit, Tree: taken.Tree, Message: "m", Author: bot, Committer: bot, Name: "ai/1"})
			if err != nil {
				t.Fatal(err)
			}
			if got := sh(t, dir, "git fsck --no-dangling 2>&1 | grep -v ^notice || true; git rev-parse ai/1 ai/1^; git show ai/1:n"); got != string(id)+"\n"+string(commit)+"\nn" {
				t.Errorf("the branch: %s", got)
			}
		})
	}
}

func TestDirty(t *testing.T) {
	for script, want := range map[string]bool{
		":": false, "touch -d 2001-01-01 a": false, "echo x >ignored.log": false, "mkdir empty": false, "chmod 600 a": false,
		"echo x >>a": true, "echo new >new": true, "rm a": true, "git rm -q --cached a": true, "chmod +x a": true, "echo x >s; git add s; rm s": true,
		"git commit -q --allow-empty -m x": false, "git stash": false,
		"for i in $(seq 3000); do : >$i-$(printf 'x%.0s' $(seq 200)); done": true,
	} {
		dir := checkout(t, "echo a >a; echo '*.log' >.gitignore")
		sh(t, dir, script)
		if _, _, dirty, err := open(t, dir).Head(t.Context()); err != nil || dirty != want {
			t.Errorf("%s: dirty %v, %v", script, dirty, err)
		}
	}
}

// What cannot work says so, and what to do about it.
func TestOpenRefuses(t *testing.T) {
	for _, c := range []struct {
		name, script, want string
		is                 error
	}{
		{"nothing there", `rm -rf checkout; mkdir checkout`, "not inside a git repository", ErrNotRepository},
		{"no such directory", `rm -rf checkout`, "no such file", os.ErrNotExist},
		{"no commit", `rm -rf checkout; git init -q checkout`, "make a first commit", ErrNoCommit},
		{"unborn branch", `git -C checkout checkout -q --orphan new`, "make a first commit", ErrNoCommit},
		{"a bad .git file", `rm -rf checkout/.git; echo nonsense >checkout/.git`, "does not say where", nil},
		{"a dangling .git file", `rm -rf checkout/.git; echo gitdir: /nowhere >checkout/.git`, "not there", nil},
		{"a pipe", `rm -rf checkout/.git; mkfifo checkout/.git`, "neither a directory nor a file", nil},
		{"an empty .git", `rm -rf checkout/.git; mkdir checkout/.git`, "not inside a git repository", ErrNotRepository},
		{"broken configuration", `echo '[' >checkout/.git/config`, "bad config", nil},
		{"a broken HEAD", `echo 1111111111111111111111111111111111111111 >checkout/.git/HEAD`, "names a commit that is not there", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := checkout(t, "echo a >a")
			sh(t, filepath.Dir(dir), c.script)
			temp := t.TempDir()
			r, err := Open(t.Context(), dir, temp)
			if err == nil {
				_, _, _, err = r.Head(t.Context())
				defer r.Close()
			} else if left, _ := os.ReadDir(temp); len(left) > 0 {
				t.Errorf("left %v behind", left)
			}
			if err == nil || !strings.Contains(err.Error(), c.want) || c.is != nil && !errors.Is(err, c.is) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}

// A repository above that belongs to a third user is a trap (/tmp/.git); one opened by its own name is a choice.
func TestOpenChecksTheOwner(t *testing.T) {
	testsupport.Need(t, os.Geteuid() == 0, "root, to give files away", "sudo env PATH=\"$PATH\" go test ./commands/git")
	dir := checkout(t, "echo a >a; mkdir sub; echo b >sub/b")
	sh(t, dir, "chown -R 12345 .git")
	if _, err := Open(t.Context(), filepath.Join(dir, "sub"), t.TempDir()); err == nil || !strings.Contains(err.Error(), "belongs to user 12345") {
		t.Errorf("a stranger's .git above: %v", err)
	}
	sh(t, dir, "chown -R 12345 .")
	r := open(t, filepath.Join(dir, "sub")) // H4-08: a checkout made by another user works
	if _, _, dirty, err := r.Head(t.Context()); err != nil || dirty {
		t.Errorf("dirty %v, %v", dirty, err)
	}
}

func TestNothingIsLeftBehind(t *testing.T) {
	dir, temp := checkout(t, "echo a >a"), t.TempDir()
	r, err := Open(t.Context(), dir, temp)
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(r.private); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("%v, %v", info, err)
	}
	room := sameUser(t)
	head, _, _, err := r.Head(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	tree, err := r.HandOver(t.Context(), room, head, HandOverOptions{})
	if err != nil {
		t.Fatal(err)
	}
	w := &world{repo: r, room: room, tree: tree}
	w.agent(t, "echo n >n")
	before := w.agentIn(t, room.Path(), "find . | sort")
	w.take(t, Limits{})
	if after := w.agentIn(t, room.Path(), "find . | sort"); after != before {
		t.Errorf("the room was\n%s\nand is\n%s", before, after)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
		t.Errorf("left %v, %v", left, err)
	}
}

// A second hand-over into the same room gets a tree of its own.
func TestSecondTree(t *testing.T) {
	inRooms(t, func(t *testing.T, room *isolation.Room) {
		w := handOver(t, room, checkout(t, "echo a >a"))
		w.agent(t, "echo x >a")
		second, err := w.repo.HandOver(t.Context(), room, w.commit, HandOverOptions{Branch: "ai/2"})
		if err != nil || second.Dir() == w.tree.Dir() {
			t.Fatalf("%v, %v", second, err)
		}
		w.tree = second
		if got := w.agent(t, "cat a; git symbolic-ref --short HEAD"); got != "a\nai/2" {
			t.Errorf("got %q", got)
		}
	})
}

func TestHandOverRefuses(t *testing.T) {
	w := handOver(t, sameUser(t), checkout(t, "echo a >a"))
	for _, c := range []struct {
		commit OID
		o      HandOverOptions
		want   string
	}{
		{"HEAD", HandOverOptions{}, "not an object id"},
		{"--all", HandOverOptions{}, "not an object id"},
		{OID(strings.Repeat("1", 40)), HandOverOptions{}, "git rev-parse"},
		{w.commit, HandOverOptions{Branch: "-x"}, "no name for a branch"},
		{w.commit, HandOverOptions{Branch: "a..b"}, "no name for a branch"},
	} {
		if _, err := w.repo.HandOver(t.Context(), w.room, c.commit, c.o); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v", c, err)
		}
	}
	sh(t, w.dir, "rm -f $(find .git/objects -type f | head -1)")
	if _, err := w.repo.HandOver(t.Context(), w.room, w.commit, HandOverOptions{}); err == nil || !strings.Contains(err.Error(), "git ") {
		t.Errorf("a missing object: %v", err)
	}
}
