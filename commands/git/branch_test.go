package git

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/d3mlabs/ai-flow/testsupport"
)

var bot = Person{"ai-flow[bot]", "1+ai-flow[bot]@users.noreply.github.com"}

// edited is a checkout with a tree taken back, ready for a branch.
func edited(t *testing.T, base, script string) (*world, Taken) {
	t.Helper()
	w := handOver(t, sameUser(t), checkout(t, base))
	w.agent(t, script)
	taken := w.take(t, Limits{})
	if taken.Tree == "" {
		t.Fatalf("%s", show(taken))
	}
	return w, taken
}

func (w *world) commitOptions(taken Taken, name string) CommitOptions {
	return CommitOptions{Parent: w.commit, Tree: taken.Tree, Message: "subject\n\nbody ü\n", Author: Person{"Ärne", "a@example.org"}, Committer: bot, Name: name, When: time.Unix(1700000000, 0)}
}

// The commit is exactly what was asked for: its persons, its date, no signature, whatever the configuration says (F-41).
func TestBranch(t *testing.T) {
	w, taken := edited(t, "echo a >a; mkdir d; echo b >d/b", "echo n >d/n; head -c 100000 /dev/urandom >big")
	sh(t, w.dir, "git config user.name wrong; git config commit.gpgSign true; git config i18n.commitEncoding latin1; git config core.logAllRefUpdates false")
	id, err := w.repo.Branch(t.Context(), w.commitOptions(taken, "ai/7-x"))
	if err != nil {
		t.Fatal(err)
	}
	want := "tree " + string(taken.Tree) + "\nparent " + string(w.commit) + "\nauthor Ärne <a@example.org> 1700000000 +0000\ncommitter " + bot.Name + " <" + bot.Email + "> 1700000000 +0000\n\nsubject\n\nbody ü"
	if got := sh(t, w.dir, "git cat-file commit refs/heads/ai/7-x"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := sh(t, w.dir, "git symbolic-ref HEAD; git status --porcelain; git fsck --strict 2>&1 | grep -v dangling || true"); got != "refs/heads/main" {
		t.Errorf("the checkout: %s", got)
	}
	// Another repository that never saw the quarantine reads it.
	if err := w.repo.Close(); err != nil {
		t.Fatal(err)
	}
	if got := sh(t, t.TempDir(), "git clone -q -b ai/7-x file://"+w.dir+" c; git -C c rev-parse HEAD"); got != string(id) {
		t.Errorf("a clone has %s", got)
	}
}

func TestBranchNeverMoves(t *testing.T) {
	w, taken := edited(t, "echo a >a", "echo n >n")
	sh(t, w.dir, "git branch there; git branch packed; git pack-refs --all; git branch below/it; git tag tagged")
	for name, want := range map[string]string{
		"there": "exists already", "packed": "exists already", "main": "exists already",
		"there/x": "cannot", "below": "cannot",
		"": "no name", "-d": "no name", "HEAD": "no name", "a..b": "no name", "a b": "no name", "a\nb": "no name", "x.lock": "no name", "refs/heads/x": "no name", "a@{1}": "no name", "/": "no name", "a*": "no name", strings.Repeat("a", 201): "no name",
	} {
		before := sh(t, w.dir, "git for-each-ref")
		_, err := w.repo.Branch(t.Context(), w.commitOptions(taken, name))
		if err == nil || !strings.Contains(err.Error(), want) || errors.Is(err, ErrExists) != (want == "exists already") {
			t.Errorf("%q: %v, want %q", name, err, want)
		}
		if after := sh(t, w.dir, "git for-each-ref"); after != before {
			t.Errorf("%q: refs changed:\n%s", name, after)
		}
	}
	if _, err := w.repo.Branch(t.Context(), w.commitOptions(taken, "tagged")); err != nil { // F-44: a tag is no branch
		t.Error(err)
	}
}

func TestBranchRefuses(t *testing.T) {
	w, taken := edited(t, "echo a >a", "echo n >n")
	for name, change := range map[string]func(*CommitOptions){
		"no message":     func(o *CommitOptions) { o.Message = " \n" },
		"NUL":            func(o *CommitOptions) { o.Message = "a\x00b" },
		"no author":      func(o *CommitOptions) { o.Author = Person{} },
		"forged header":  func(o *CommitOptions) { o.Author.Name = "x\ncommitter y <z> 1 +0000" },
		"forged address": func(o *CommitOptions) { o.Committer.Email = "a> <b" },
		"parent":         func(o *CommitOptions) { o.Parent = "HEAD" },
		"unknown tree":   func(o *CommitOptions) { o.Tree = OID(strings.Repeat("2", 40)) },
		"refused tree":   func(o *CommitOptions) { o.Tree = "" },
	} {
		o := w.commitOptions(taken, "x")
		change(&o)
		if id, err := w.repo.Branch(t.Context(), o); err == nil {
			t.Errorf("%s: %s", name, id)
		}
	}
}

// As root in a checkout of somebody else, all that is new belongs to its owner, and nothing else changed hands.
func TestBranchBelongsToTheOwner(t *testing.T) {
	testsupport.Need(t, os.Geteuid() == 0, "root, to give files away", "sudo env PATH=\"$PATH\" go test ./commands/git")
	dir := checkout(t, "echo a >a")
	sh(t, dir, "chown -hR 12345:12345 . ; rm -rf .git/logs")
	w := handOver(t, sameUser(t), dir)
	w.agent(t, "echo n >n")
	if _, err := w.repo.Branch(t.Context(), w.commitOptions(w.take(t, Limits{}), "ai/7/x")); err != nil {
		t.Fatal(err)
	}
	if got := sh(t, dir, "find . ! -user 12345"); got != "" {
		t.Errorf("not the owner's: %s", got)
	}
}

// What cannot be given to the owner is no branch: an error says so, and there is nothing of that name afterwards.
func TestBranchThatCannotBeGivenIsNone(t *testing.T) {
	testsupport.Need(t, os.Geteuid() == 0, "root, to give files away", "sudo env PATH=\"$PATH\" go test ./commands/git")
	for name, spoil := range map[string]string{
		"the log leads elsewhere":  "mkdir ../elsewhere; mv .git/logs ../elsewhere/; ln -s ../../elsewhere/logs .git/logs",
		"the packs lead elsewhere": "mv .git/objects/pack ../packs; ln -s ../../../packs .git/objects/pack",
	} {
		dir := checkout(t, "echo a >a")
		sh(t, dir, spoil+"; chown -hR 12345:12345 . ../elsewhere ../packs 2>/dev/null || true")
		w := handOver(t, sameUser(t), dir)
		w.agent(t, "echo n >n")
		id, err := w.repo.Branch(t.Context(), w.commitOptions(w.take(t, Limits{}), "ai/7"))
		if id != "" || err == nil || !strings.Contains(err.Error(), "to the owner of the checkout") {
			t.Errorf("%s: %q, %v", name, id, err)
		}
		if got := sh(t, dir, "git -c safe.directory='*' for-each-ref refs/heads"); strings.Contains(got, "ai/7") {
			t.Errorf("%s: the branch is there: %s", name, got)
		}
	}
}

// A patch is git's own bytes, applies, and makes exactly the tree (F-22); the configuration has no say in it.
func TestPatchApplies(t *testing.T) {
	w, taken := edited(t, editBase+`; printf 'no newline' >nl; printf 'a\r\nb\r\n' >crlf; head -c 3000 /dev/urandom >bin; mkdir empty; printf 'caf\xe9\n' >latin1`,
		`echo x >>lines; printf 'still none' >nl; printf 'a\r\nc\r\n' >crlf; head -c 3000 /dev/urandom >bin; head -c 20 /dev/urandom >new.bin; rm tracked.log; chmod +x a; ln -sf lines link
			printf 'diff --git a/x b/x\n--- a/x\n+++ b/x\nPATCH\n' >trap; touch -- -rf $'new\nline' 'a "q"' $'bad\xff' café; : >nothing; printf 'caf\xe8\n' >latin1; rm run.sh; ln -s a run.sh`)
	sh(t, w.dir, "git config diff.noprefix true; git config color.ui always; git config diff.external false; git config diff.renames copies; git config core.quotePath false; git config diff.mnemonicPrefix true; git config diff.context 0")
	patch, cut, err := w.repo.Patch(t.Context(), taken.Base, taken.Tree, 1<<20)
	if err != nil || cut {
		t.Fatal(cut, err)
	}
	dir := t.TempDir()
	apply := func(patch []byte) string {
		if err := os.WriteFile(dir+"/patch", patch, 0o600); err != nil {
			t.Fatal(err)
		}
		return sh(t, dir, "rm -rf c; git clone -q "+w.dir+" c; cd c; git apply --check --index ../patch; git apply --index ../patch; git write-tree")
	}
	if got := apply(patch); got != string(taken.Tree) {
		t.Errorf("applied it makes %s, want %s", got, taken.Tree)
	}
	// By commits it is the same, and cut anywhere it is whole files that still apply.
	whole := 0
	for n := int64(1); n < int64(len(patch)); n += int64(len(patch)/7 + 1) {
		part, cut, err := w.repo.Patch(t.Context(), w.commit, taken.Tree, n)
		if err != nil || !cut || int64(len(part)) > n || !bytes.HasPrefix(patch, part) {
			t.Fatalf("at most %d: %d bytes, cut %v, %v", n, len(part), cut, err)
		}
		if len(part) > 0 {
			apply(part)
			whole++
		}
	}
	if whole < 3 {
		t.Errorf("only %d cut patches were tried", whole)
	}
	if part, cut, err := w.repo.Patch(t.Context(), w.commit, taken.Tree, int64(len(patch))); err != nil || cut || !bytes.Equal(part, patch) {
		t.Errorf("at exactly its size: cut %v, %v", cut, err)
	}
}

func TestReadBlob(t *testing.T) {
	w := handOver(t, sameUser(t), checkout(t, `mkdir -p .github d; echo 'agent: x' >.github/ai-flow.yml; ln -s .github/ai-flow.yml link; ln -s /etc out; ln -s .github ghlink; echo odd >'*'; : >empty; printf 'a\r\n' >crlf; echo '* text' >.gitattributes
		git init -q ../sub; git -C ../sub commit -q --allow-empty -m s; git submodule --quiet add ../sub sm`))
	sh(t, w.dir, "echo 'agent: evil' >.github/ai-flow.yml; ln -sf /etc/passwd empty")
	for _, c := range []struct {
		path string
		max  int64
		want string
	}{
		{".github/ai-flow.yml", 9, "agent: x\n"}, {"*", 10, "odd\n"}, {"empty", 0, ""}, {"crlf", 10, "a\n"},
		{".github/ai-flow.yml", 8, "at most 8 are read"}, {"link", 99, "not a regular file"}, {"out", 99, "not a regular file"}, {"out/passwd", 99, "does not exist"},
		{"ghlink/ai-flow.yml", 99, "does not exist"}, {".github", 99, "not a regular file"}, {"sm", 99, "not a regular file"}, {"none", 99, "does not exist"}, {"?", 99, "does not exist"},
		{"", 99, "invalid"}, {".", 99, "invalid"}, {"../x", 99, "invalid"}, {"/etc/passwd", 99, "invalid"}, {"d/../empty", 99, "invalid"}, {".github/", 99, "invalid"}, {"-r", 99, "does not exist"}, {":(glob)**", 99, "does not exist"},
	} {
		got, err := w.repo.ReadBlob(t.Context(), w.commit, c.path, c.max)
		if err == nil && string(got) != c.want || err != nil && (c.want == "" || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%q: %q, %v, want %q", c.path, got, err, c.want)
		}
		if err != nil && strings.Contains(c.want, "does not exist") && !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%q: %v is not fs.ErrNotExist", c.path, err)
		}
	}
	if _, err := w.repo.ReadBlob(t.Context(), "HEAD", "empty", 9); !errors.Is(err, fs.ErrInvalid) {
		t.Errorf("by name: %v", err)
	}
}
