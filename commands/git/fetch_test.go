package git

import (
	"strings"
	"testing"

	"github.com/d3mlabs/ai-flow/testsupport/hostuser"
)

const canaryToken = "ghs_CANARYcanary0123456789CANARYcanary01"

// What is fetched is the commit that was asked for, with its history and nothing else, and all that is done with a
// checkout's commit can be done with it (F-02, F-63, H3-05).
func TestFetch(t *testing.T) {
	for name, c := range map[string]struct{ init, token string }{
		"public":  {"git init -q", ""},
		"private": {"git init -q", canaryToken},
		"sha256":  {"rm -rf .git; git init -q --object-format=sha256", canaryToken},
	} {
		t.Run(name, func(t *testing.T) {
			s := serve(t, checkout(t, c.init+`; for i in 1 2 3; do echo $i >a; git add a; git commit -qm $i; done
				git checkout -qb secret; echo s >s; git add s; git commit -qm s; git checkout -q -; git tag v1; echo 4 >a`), c.token)
			commit := s.rev(t, "HEAD")
			sh(t, s.dir, "echo moved >a; git commit -qam moved") // after the decision
			r := s.fetched(t, s.remote(), commit)
			head, branch, dirty, err := r.Head(t.Context())
			if head != commit || branch != "" || dirty || err != nil {
				t.Errorf("Head: %q, %q, %v, %v", head, branch, dirty, err)
			}
			if b, err := r.ReadBlob(t.Context(), commit, "a", 10); string(b) != "4\n" || err != nil {
				t.Errorf("%q, %v", b, err)
			}
			if has, err := r.Has(t.Context(), commit, "s"); has || err != nil {
				t.Errorf("%v, %v", has, err)
			}
			if _, err := r.ours(t.Context(), job{}, "cat-file", "-e", string(s.rev(t, "secret"))); err == nil {
				t.Error("another branch came along")
			}
			out, err := r.ours(t.Context(), job{}, "for-each-ref")
			if len(out) > 0 || err != nil {
				t.Errorf("refs: %s, %v", out, err)
			}
			w := &world{repo: r, room: sameUser(t), commit: commit}
			if w.tree, err = r.HandOver(t.Context(), w.room, commit, HandOverOptions{Branch: "ai/1"}); err != nil {
				t.Fatal(err)
			}
			if got := w.agent(t, "git fsck; git log --format=%s; git symbolic-ref HEAD"); got != "base\n3\n2\n1\nrefs/heads/ai/1" {
				t.Errorf("the agent has %q", got)
			}
			if _, err := r.Branch(t.Context(), CommitOptions{Parent: commit, Tree: w.tree.root, Message: "m", Author: bot, Committer: bot, Name: "b"}); err == nil || !strings.Contains(err.Error(), "no checkout") {
				t.Errorf("Branch: %v", err)
			}
		})
	}
}

// The whole way from a server to an agent who is somebody else and back, by root and by an ordinary user.
func TestFetchAcrossUsers(t *testing.T) {
	hostuser.EachDispatcher(t, func(t *testing.T, p hostuser.Pair) {
		room := anotherUser(t, p)
		s := serve(t, checkout(t, editBase), canaryToken)
		commit := s.rev(t, "HEAD")
		w := &world{dir: s.dir, repo: s.fetched(t, s.remote(), commit), room: room, commit: commit}
		var err error
		if w.tree, err = w.repo.HandOver(t.Context(), room, commit, HandOverOptions{}); err != nil {
			t.Fatal(err)
		}
		if w.repo.Exposed(t.Context(), room) {
			t.Error("the agent can enter the private repository")
		}
		w.agent(t, "echo n >n; echo y >>a")
		taken := w.take(t, Limits{})
		if got := show(taken); got != "M 100644 4 +1 -0 a, A 100644 2 +1 -0 n" {
			t.Fatalf("got %q", got)
		}
		if patch, _, err := w.repo.Patch(t.Context(), taken.Base, taken.Tree, 1<<20); err != nil || !strings.Contains(string(patch), "+y\n") {
			t.Errorf("%s, %v", patch, err)
		}
	})
}
