package git

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/d3mlabs/ai-flow/isolation"
)

// plant is everything that has ever made a git of somebody else's run something (F-01, H8-01..03, H8-09, experiments 1-8):
// each would leave a marker that names its owner's user id.
const plant = `
mark='sh -c "id -u >>%[1]s/$0-\$(id -u); cat" '
git config user.name x; git config user.email x
cfg() { # file, label
	git config -f "$1" core.fsmonitor "$mark$2-fsmonitor"
	git config -f "$1" core.sshCommand "$mark$2-ssh"
	git config -f "$1" core.pager "$mark$2-pager"
	git config -f "$1" core.editor "$mark$2-editor"
	git config -f "$1" core.hooksPath "%[1]s/hooks"
	git config -f "$1" core.attributesFile "%[1]s/attributes"
	git config -f "$1" core.alternateRefsCommand "$mark$2-alternates"
	git config -f "$1" diff.external "$mark$2-external"
	git config -f "$1" diff.evil.textconv "$mark$2-textconv"
	git config -f "$1" diff.evil.command "$mark$2-command"
	git config -f "$1" filter.evil.clean "$mark$2-clean"
	git config -f "$1" filter.evil.smudge "$mark$2-smudge"
	git config -f "$1" filter.evil.process "$mark$2-process"
	git config -f "$1" filter.evil.required true
	git config -f "$1" merge.evil.driver "$mark$2-merge"
	git config -f "$1" gpg.program "$mark$2-gpg"
	git config -f "$1" commit.gpgSign true
	git config -f "$1" credential.helper "!$mark$2-credential"
	git config -f "$1" remote.origin.url "ext::$mark$2-ext"
	git config -f "$1" remote.origin.pushurl "ext::$mark$2-ext"
	git config -f "$1" remote.origin.promisor true
	git config -f "$1" extensions.partialClone origin
	git config -f "$1" url.ext::x.insteadOf https://
	git config -f "$1" protocol.ext.allow always
	git config -f "$1" alias.ls-files "!$mark$2-alias"
	git config -f "$1" uploadpack.packObjectsHook "$mark$2-packhook"
	git config -f "$1" gc.auto 1
	git config -f "$1" trace2.eventTarget "%[1]s/$2-trace2"
}
mkdir -p %[1]s/hooks; chmod 777 %[1]s/hooks
for h in pre-commit prepare-commit-msg commit-msg post-commit post-checkout post-index-change reference-transaction pre-push post-merge update pre-receive post-receive fsmonitor-watchman pre-auto-gc sendemail-validate; do
	printf '#!/bin/sh\nid -u >>%[1]s/hook-%%s-$(id -u)\n' $h >%[1]s/hooks/$h; chmod 755 %[1]s/hooks/$h
	mkdir -p .git/hooks; cp %[1]s/hooks/$h .git/hooks/
done
echo '* filter=evil diff=evil merge=evil ident text=auto' | tee .gitattributes sub.gitattributes %[1]s/attributes >.git/info/attributes
echo changed >>a
# Repositories inside, also in the place of the submodule, with filters of their own (experiment 6).
rm -rf sm; git init -q nested; for r in nested sm; do
	git init -q $r; (cd $r; git config user.name x; git config user.email x; echo 1 >f; echo '* filter=evil' >.gitattributes; git add .; git commit -qm 1; echo 2 >f)
	cfg $r/.git/config $r
done
git init -q --bare bare; touch bare/objects/k bare/refs/k; cfg bare/config bare
# The agent's home and environment files.
mkdir -p ~/bin ~/.config/git 2>/dev/null; cfg ~/.gitconfig home; cp ~/.gitconfig ~/.config/git/config; cp .gitattributes ~/.config/git/attributes; echo '*' >~/.config/git/ignore
for b in git sh find chmod mktemp env cut sort rm id printf; do printf '#!/bin/sh\nid -u >>%[1]s/bin-%%s-$(/usr/bin/id -u)\n' $b >~/bin/$b; cp ~/bin/$b ./$b; chmod 755 ~/bin/$b ./$b; done
for f in .profile .bashrc .bash_profile .shrc .zshenv .pam_environment; do echo "/usr/bin/id -u >>%[1]s/rc$f" >>~/$f; done
cfg .git/config top
`

// Nothing of the agent's runs as the dispatcher, in a take-back that refuses, one that succeeds, and all that follows.
func TestNothingOfTheAgentsRunsAsTheDispatcher(t *testing.T) {
	inRooms(t, attack)
}

func attack(t *testing.T, room *isolation.Room) {
	markers, err := os.MkdirTemp("/tmp", "aift-markers") // where both users can enter
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(markers); err != nil {
			t.Error(err)
		}
	})
	if err := os.Chmod(markers, 0o1777); err != nil {
		t.Fatal(err)
	}
	w := handOver(t, room, checkout(t, editBase+`; git init -q ../sub; git -C ../sub commit -q --allow-empty -m s; git submodule --quiet add ../sub sm`))
	home := w.agent(t, `printf %s "$HOME"`) // a room's own, which goes with it
	if !room.Identity().Isolated() {
		home = w.agent(t, `mktemp -d /tmp/aift-home.XXXXXX`) // never our own
		t.Cleanup(func() { w.agentIn(t, "/", "rm -rf -- "+home) })
	}
	w.agent(t, "export GIT_CONFIG_GLOBAL=/dev/null HOME="+home+"\n"+fmt.Sprintf(plant, markers))

	refused := w.take(t, Limits{})
	for _, want := range []string{`"nested": a git repository`, `"bare": a directory that git takes`} {
		if !strings.Contains(show(refused), want) {
			t.Errorf("%s is not refused: %s", want, show(refused))
		}
	}
	w.agent(t, "rm -rf nested bare")
	taken := w.take(t, Limits{})
	if taken.Tree == "" || !strings.Contains(show(taken), "M 100644 10 +1 -0 a") || !strings.Contains(show(taken), "A 100755") {
		t.Fatalf("%s", show(taken))
	}
	if _, _, err := w.repo.Patch(t.Context(), taken.Base, taken.Tree, 1<<20); err != nil {
		t.Error(err)
	}
	if _, err := w.repo.Branch(t.Context(), CommitOptions{Parent: w.commit, Tree: taken.Tree, Message: "m", Author: bot, Committer: bot, Name: "ai/1"}); err != nil {
		t.Error(err)
	}
	if _, err := w.repo.ReadBlob(t.Context(), w.commit, "a", 100); err != nil {
		t.Error(err)
	}
	if _, _, _, err := w.repo.Head(t.Context()); err != nil {
		t.Error(err)
	}
	for _, name := range w.markers(t, markers) {
		t.Errorf("%s ran", name)
	}
	// The traps are real: an ordinary git falls into them.
	w.agent(t, "git status >/dev/null 2>&1 || git add a >/dev/null 2>&1 || true")
	if len(w.markers(t, markers)) == 0 {
		t.Error("no trap works; this test proves nothing")
	}
}

// markers lists what ran, also as the agent: our scripts must not run the agent's programs even as the agent, since a
// process that they start would outlive the sweep.
func (w *world) markers(t *testing.T, dir string) (names []string) {
	t.Helper()
	all, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range all {
		if name := filepath.Base(path); name != "hooks" && name != "attributes" {
			names = append(names, name)
		}
	}
	return names
}

// A .git that points into the dispatcher's own directories changes nothing there (F-01, worktree case).
func TestGitFilePointingAtTheDispatcher(t *testing.T) {
	inRooms(t, func(t *testing.T, room *isolation.Room) {
		w := handOver(t, room, checkout(t, "echo a >a"))
		before := sh(t, w.dir, "find .git -type f | sort | xargs cat | sha256sum")
		w.agent(t, fmt.Sprintf("rm -rf .git; echo 'gitdir: %s/.git' >.git; echo b >b", w.dir))
		if got := show(w.take(t, Limits{})); got != "A 100644 2 +1 -0 b" {
			t.Errorf("got %q", got)
		}
		if after := sh(t, w.dir, "find .git -type f | sort | xargs cat | sha256sum"); after != before {
			t.Error("the checkout's git directory changed")
		}
	})
}

// The user's own checkout may have hooks, filters and a monitor: none is needed to read it or to add a branch.
func TestNothingOfTheCheckoutsRuns(t *testing.T) {
	marker := filepath.Join(t.TempDir(), "ran")
	dir := checkout(t, `echo a >a; echo '* filter=mine' >.gitattributes`)
	sh(t, dir, fmt.Sprintf(`for h in post-index-change reference-transaction post-commit post-checkout; do printf '#!/bin/sh\necho %%s >>%[1]s\n' $h >.git/hooks/$h; chmod +x .git/hooks/$h; done
		git config core.fsmonitor 'echo monitor >>%[1]s; false'; git config filter.mine.clean 'echo clean >>%[1]s; cat'; git config filter.mine.required true
		git config filter.mine.process 'echo process >>%[1]s; false'; git config 'filter.od=d.clean' 'echo odd >>%[1]s; cat'; git config commit.gpgSign true; git config gpg.program 'echo gpg >>%[1]s; false'
		git config diff.external 'echo external >>%[1]s'; touch -d 2001-01-01 a; echo b >>a`, marker))
	w := handOver(t, sameUser(t), dir)
	if _, _, dirty, err := w.repo.Head(t.Context()); err != nil || !dirty {
		t.Errorf("dirty %v, %v", dirty, err)
	}
	w.agent(t, "echo n >n")
	taken := w.take(t, Limits{})
	if _, err := w.repo.Branch(t.Context(), CommitOptions{Parent: w.commit, Tree: taken.Tree, Message: "m", Author: bot, Committer: bot, Name: "ai/1"}); err != nil {
		t.Error(err)
	}
	if out, err := os.ReadFile(marker); err == nil {
		t.Errorf("ran: %q", bytes.TrimSpace(out))
	}
}
