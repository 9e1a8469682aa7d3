package git

import (
	"testing"

	"github.com/d3mlabs/ai-flow/isolation"
)

// Whatever was done to the tree since, a rewind brings back what was kept, the agent's own work in it included, and leaves
// what is ignored.
func TestRewind(t *testing.T) {
	cases := map[string]string{
		"nothing":                        ":",
		"made":                           "mkdir -p new/deep; echo x >new/deep/a; echo y >-rf; ln -s /etc/passwd out",
		"changed":                        "echo other >a; echo other >made; chmod +x a; : >d/b",
		"removed":                        "rm -r a d made",
		"a file for a directory":         "rm -r d; echo x >d",
		"a directory for a file":         "rm a; mkdir a; echo x >a/x",
		"a link for a file":              "rm a; ln -s d a",
		"attributes and ignore":          "printf '* text eol=crlf\n' >.gitattributes; echo '*' >.gitignore; echo x >z",
		"committed, hooks, a filter":     "git config filter.x.clean 'touch RAN; cat'; echo '* filter=x' >.git/info/attributes; echo x >a; git add -A; git -c user.name=x -c user.email=x commit -qm x",
		"closed":                         "chmod 0 d; echo x >a",
		"configuration of what was kept": "printf '#!/bin/sh\\ntouch RAN\\n' >../fsmonitor; chmod +x ../fsmonitor; git config -f ../kept/git/config core.fsmonitor \"$PWD/../fsmonitor\"; git config -f ../kept/git/config core.worktree /; mkdir -p ../kept/git/info; echo '* filter=x' >../kept/git/info/attributes; echo x >a",
		"formatted":                      "for f in a d/b; do sed s/./X/ $f >$f.new; mv $f.new $f; done",
	}
	inRooms(t, func(t *testing.T, room *isolation.Room) {
		w := handOver(t, room, checkout(t, "printf 'a\\r\\n' >a; mkdir d; echo b >d/b; echo c >$'new\\nline'; echo ignored >.gitignore"))
		w.agent(t, "echo agent >made; echo more >>d/b; chmod +x d/b; rm $'new\\nline'; echo cache >ignored")
		before := w.take(t, Limits{})
		if before.Tree == before.Base {
			t.Fatalf("%+v", before)
		}
		if err := w.tree.Keep(t.Context()); err != nil {
			t.Fatal(err)
		}
		for name, script := range cases {
			w.agent(t, script+"; echo built >ignored")
			if err := w.tree.Rewind(t.Context()); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			if after := w.take(t, Limits{}); after.Tree != before.Tree || len(after.Refused) > 0 {
				t.Errorf("%s: %+v became %+v\n%s", name, before, after, w.listing(t, after.Tree))
			}
			w.agent(t, `test "$(cat ignored)" = built`)
		}
		w.agent(t, "rm -rf .git; echo x >a")
		if err := w.tree.Rewind(t.Context()); err == nil && w.take(t, Limits{}).Tree != before.Tree {
			t.Error("what cannot be brought back is not said")
		}
	})
}
