package git

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/d3mlabs/ai-flow/testsupport/hostuser"
)

// grown is a repository whose first commits are large, before and after its last two.
func grown(t testing.TB) (before, after string) {
	t.Helper()
	before = checkout(t, `git config uploadpack.allowFilter true; for i in 1 2 3 4; do head -c 50000 /dev/urandom >big$i; git add .; git commit -qm $i; done; echo 5 >a`)
	after = before + ".after"
	sh(t, before, fmt.Sprintf("git clone -q . %s; cd %[1]s; echo 6 >>a; git commit -qam 6; echo 7 >>a; git commit -qam 7", after))
	return before, after
}

// cloned is what the script makes at $to of the repository at $from.
func cloned(t testing.TB, from, script string) (borrow string) {
	t.Helper()
	borrow = filepath.Join(t.TempDir(), "borrow")
	sh(t, filepath.Dir(borrow), fmt.Sprintf("chmod 755 .; umask 022; from=file://%s to=%s; %s", from, borrow, script))
	return borrow
}

// sameAs holds a repository against what the server has: each object is sound, the history is the one that was asked for,
// the contents are the same.
func sameAs(t *testing.T, s *server, r *Repo, commit OID, subjects string) {
	t.Helper()
	if got := sh(t, r.gitDir, "git --git-dir=. fsck --strict --no-dangling; git --git-dir=. log --format=%s HEAD; git --git-dir=. archive HEAD | sha256sum"); got != subjects+"\n"+sh(t, s.dir, fmt.Sprintf("git archive %s | sha256sum", commit)) {
		t.Errorf("got %s", got)
	}
}

// whatWasFetched is sameAs, and for what the agent gets as well.
func whatWasFetched(t *testing.T, s *server, r *Repo, commit OID, subjects string) {
	t.Helper()
	sameAs(t, s, r, commit, subjects)
	w := &world{repo: r, room: sameUser(t), commit: commit}
	var err error
	if w.tree, err = r.HandOver(t.Context(), w.room, commit, HandOverOptions{}); err != nil {
		t.Fatal(err)
	}
	if got := w.agent(t, "git fsck --strict; git log --format=%s"); got != subjects {
		t.Errorf("the agent has %q", got)
	}
}

const (
	allSubjects = "7\n6\nbase\n4\n3\n2\n1"
	muchLess    = 20_000 // bytes that the last two commits stay under, and each of the others is over
)

// Objects of a checkout are borrowed when that is safe, and however it looks, what is fetched is the same.
func TestFetchBorrows(t *testing.T) {
	before, after := grown(t)
	for name, c := range map[string]struct {
		clone string
		used  bool
	}{
		"a clone":             {`git clone -q $from $to`, true},
		"a bare one":          {`git clone -q --bare $from $to`, true},
		"packed references":   {`git clone -q $from $to; git -C $to pack-refs --all`, true},
		"packed objects":      {`git clone -q $from $to; git -C $to gc -q`, true},
		"detached":            {`git clone -q $from $to; git -C $to checkout -q --detach; git -C $to branch -qD main`, true},
		"a linked worktree":   {`git clone -q $from x; git -C x worktree add -q $to -b topic`, true},
		"a subdirectory":      {`git clone -q $from x; mkdir x/s; ln -s x/s $to`, true},
		"an odd name":         {`git clone -q $from 'a "q" \ #'; ln -s 'a "q" \ #' $to`, true},
		"one deep":            {`git clone -q --depth 1 $from $to`, true}, // as actions/checkout makes it: the contents are all there
		"two deep":            {`git clone -q --depth 2 $from $to`, true},
		"not there":           {`:`, false},
		"no name":             {`to=; :`, false},
		"empty":               {`mkdir $to`, false},
		"a file":              {`touch $to`, false},
		"no commit":           {`git init -q $to`, false},
		"another project":     {`git init -q $to; cd $to; echo x >x; git add x; git commit -qm x`, false},
		"the other format":    {`git init -q --object-format=sha256 $to; cd $to; echo x >x; git add x; git commit -qm x`, false},
		"partial":             {`git clone -q --filter=blob:none $from $to`, false},
		"partial, unsaid":     {`git clone -q --bare --filter=blob:none $from $to; git -C $to config --unset remote.origin.promisor; rm $to/objects/pack/*.promisor`, false},
		"alternates":          {`git clone -q --shared ${from#file://} $to`, false},
		"writable for others": {`git clone -q $from $to; chmod o+w $to/.git`, false},
		"a writable store":    {`git clone -q $from $to; chmod g+w $to/.git/objects/pack`, false},
		"a writable parent":   {`mkdir p; chmod 777 p; git clone -q $from p/x; ln -s p/x $to`, false},
		"a store elsewhere":   {`git clone -q $from $to; mv $to/.git/objects o; ln -s $PWD/o $to/.git/objects`, false},
		"pipes":               {`git clone -q $from $to; cd $to/.git; for f in shallow commondir packed-refs refs/heads/x; do rm -f $f; mkfifo $f; done`, false},
		"a pipe for shallow":  {`git clone -q $from $to; mkfifo $to/.git/shallow`, false},
		"lost objects":        {`git clone -q $from $to; rm -f $to/.git/objects/pack/*`, false},
		"lost contents":       {`git clone -q $from $to; cd $to; b=$(git rev-parse HEAD:big1); mv .git/objects/pack/*.pack p; rm -f .git/objects/pack/*; git unpack-objects -q <p; rm -f .git/objects/${b:0:2}/${b:2}`, false},
		"broken objects":      {`git clone -q $from $to; cd $to/.git/objects/pack; chmod u+w *; for f in *.pack; do printf 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx' | dd of=$f bs=1 seek=60 conv=notrunc status=none; done`, false},
		"broken references":   {`git clone -q $from $to; echo nonsense >$to/.git/refs/heads/x; echo nonsense >$to/.git/packed-refs`, false},
		"a broken reference":  {`git clone -q $from $to; echo nonsense >$to/.git/refs/heads/x`, true},
		"a broken boundary":   {`git clone -q $from $to; echo nonsense >$to/.git/shallow`, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, after, "")
			remote, commit := s.remote(), s.rev(t, "HEAD")
			if remote.Borrow = cloned(t, before, c.clone); name == "no name" {
				remote.Borrow = ""
			}
			r := s.fetched(t, remote, commit)
			if _, sent := s.seen(); (sent < muchLess) != c.used {
				t.Errorf("%d bytes were sent", sent)
			}
			sameAs(t, s, r, commit, allSubjects)
		})
	}
}

// A checkout that holds all of it is enough: no server is needed, and the history ends where the server would end it.
func TestFetchFromTheBorrowAlone(t *testing.T) {
	before, after := grown(t)
	for name, c := range map[string]struct {
		clone, rev string
		depth      int
		subjects   string
		asked      bool
	}{
		"all of it":         {`git clone -q $from $to`, "HEAD~2", 0, "base\n4\n3\n2\n1", false},
		"an older one":      {`git clone -q $from $to`, "HEAD~4", 0, "3\n2\n1", false},
		"a part":            {`git clone -q $from $to`, "HEAD~2", 2, "base\n4", false},
		"deep enough":       {`git clone -q --depth 3 $from $to`, "HEAD~2", 2, "base\n4", false},
		"not deep enough":   {`git clone -q --depth 2 $from $to`, "HEAD~2", 3, "base\n4\n3", true},
		"contents are lost": {`git clone -q $from $to; cd $to; b=$(git rev-parse HEAD:big1); mv .git/objects/pack/*.pack p; rm -f .git/objects/pack/*; git unpack-objects -q <p; rm -f .git/objects/${b:0:2}/${b:2}`, "HEAD~2", 0, "base\n4\n3\n2\n1", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, borrow := serve(t, after, ""), cloned(t, before, c.clone)
			remote, commit := s.remote(), s.rev(t, c.rev)
			remote.Borrow, remote.Depth = borrow, c.depth
			if !c.asked {
				s.Close()
			}
			r := s.fetched(t, remote, commit)
			if requests, _ := s.seen(); (len(requests) > 0) != c.asked {
				t.Errorf("the server was asked %q", requests)
			}
			whatWasFetched(t, s, r, commit, c.subjects)
			if sh(t, borrow, "git status --porcelain --untracked-files=no 2>/dev/null || true") != "" {
				t.Error("the checkout changed")
			}
		})
	}
}

// Depth is in generations, whatever was borrowed, and the same as the server's.
func TestFetchDepth(t *testing.T) {
	before, after := grown(t)
	s, borrow := serve(t, after, ""), cloned(t, before, `git clone -q $from $to`)
	for depth, subjects := range map[int]string{1: "7", 4: "7\n6\nbase\n4", 7: allSubjects, 0: allSubjects, -1: allSubjects} {
		for _, from := range []string{"", borrow} {
			remote := s.remote()
			remote.Depth, remote.Borrow = depth, from
			sameAs(t, s, s.fetched(t, remote, s.rev(t, "HEAD")), s.rev(t, "HEAD"), subjects)
		}
	}
}

// Nothing that an earlier job left in the borrowed checkout runs, is asked, or leads the token anywhere (F-01, H8-09).
func TestFetchBorrowsNothingButObjects(t *testing.T) {
	other := serve(t, checkout(t, "echo a >a"), "")
	markers := t.TempDir()
	before, after := grown(t)
	s, borrow := serve(t, after, canaryToken), cloned(t, before, `git clone -q $from $to`)
	sh(t, borrow, fmt.Sprintf(plantBorrow, markers, other.URL, s.URL))
	remote := s.remote()
	remote.Borrow = borrow
	for _, rev := range []string{"HEAD", "HEAD~2"} {
		r := s.fetched(t, remote, s.rev(t, rev))
		if _, sent := s.seen(); sent > muchLess {
			t.Errorf("%s: %d bytes were sent; nothing was borrowed", rev, sent)
		}
		whatWasFetched(t, s, r, s.rev(t, rev), map[string]string{"HEAD": allSubjects, "HEAD~2": "base\n4\n3\n2\n1"}[rev])
	}
	if requests, _ := other.seen(); len(requests) > 0 {
		t.Errorf("another server was asked: %q, with %q", requests, other.auth)
	}
	if ran := globbed(t, markers+"/*"); len(ran) > 0 {
		t.Errorf("ran: %q", ran)
	}
	// The traps are real: an ordinary git in the checkout falls into them.
	sh(t, borrow, fmt.Sprintf("git fetch -q %s/o/r.git main >/dev/null 2>&1 || true; git status >/dev/null 2>&1 || true", s.URL))
	if requests, _ := other.seen(); len(requests) == 0 || len(globbed(t, markers+"/*")) == 0 {
		t.Error("no trap works; this test proves nothing")
	}
}

// No git ever opens the borrowed checkout's configuration: it is a pipe here, which tells when somebody does.
func TestFetchNeverReadsTheBorrowedConfiguration(t *testing.T) {
	before, after := grown(t)
	s, borrow := serve(t, after, ""), cloned(t, before, `git clone -q $from $to; rm $to/.git/config; mkfifo $to/.git/config`)
	var readers atomic.Int32
	pipe, done := filepath.Join(borrow, ".git/config"), make(chan error)
	go func() {
		for readers.Load() < 1000 {
			f, err := os.OpenFile(pipe, os.O_WRONLY, 0) // waits for a reader
			if readers.Add(1); err != nil || f.Close() != nil {
				done <- err
			}
		}
		close(done)
	}()
	remote := s.remote()
	remote.Borrow = borrow
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second) // or a reader would wait for ever
	defer cancel()
	for _, rev := range []string{"HEAD", "HEAD~2"} {
		r, err := fetch(ctx, remote, s.rev(t, rev), t.TempDir(), quick())
		if err != nil {
			t.Error(err)
		} else if err := r.Close(); err != nil {
			t.Error(err)
		}
		if _, sent := s.seen(); sent > muchLess {
			t.Errorf("%s: %d bytes were sent; nothing was borrowed", rev, sent)
		}
	}
	if n := readers.Load(); n > 0 {
		t.Errorf("the configuration was read %d times", n)
	}
	readers.Store(1000)
	sh(t, borrow, "cat .git/config") // as this does
	if err := <-done; err != nil || readers.Load() != 1001 {
		t.Errorf("the pipe does not work: %d, %v", readers.Load(), err)
	}
}

// plantBorrow is what could be left in a checkout: markers, another server, the right server.
const plantBorrow = `
mark='sh -c "id >>%[1]s/$0" '
cp .git/config clean
cfg() { git config -f .git/config "$@"; }
cfg core.fsmonitor "$mark fsmonitor"; cfg core.sshCommand "$mark ssh"; cfg core.askPass "$mark askpass"; cfg core.gitProxy "$mark proxy"
cfg core.alternateRefsCommand "$mark alternates"; cfg core.hooksPath "$PWD/.git/hooks"; cfg core.pager "$mark pager"; cfg pager.for-each-ref true
cfg uploadpack.packObjectsHook "$mark packhook"; cfg credential.helper "!$mark credential"; cfg credential.%[3]s.helper "!$mark credential2"
cfg url.%[2]s/.insteadOf %[3]s/; cfg http.proxy %[2]s; cfg http.%[3]s/.proxy %[2]s; cfg http.sslVerify false; cfg http.followRedirects true
cfg remote.origin.url %[2]s/o/r.git; cfg remote.origin.promisor true; cfg remote.origin.partialclonefilter blob:none; cfg remote.origin.vcs evil
cfg extensions.partialClone origin; cfg core.repositoryFormatVersion 1; cfg protocol.ext.allow always; cfg fetch.recurseSubmodules true
cfg include.path "$PWD/more"; printf '[gc]\n auto = 1\n' >more; cfg trace2.eventTarget "%[1]s/trace2"; cfg alias.fetch "!$mark alias"
cfg core.commitGraph true; cfg fetch.writeCommitGraph true; cfg gc.recentObjectsHook "$mark recent"; cfg log.showSignature true; cfg gpg.program "$mark gpg"
for h in pre-auto-gc post-checkout post-merge reference-transaction post-index-change fsmonitor-watchman; do
	printf '#!/bin/sh\nid >>%[1]s/hook-%%s\n' $h >.git/hooks/$h; chmod 755 .git/hooks/$h
done
echo '* filter=evil diff=evil' >.git/info/attributes
echo %[2]s/objects >.git/objects/info/http-alternates
echo '#!/bin/sh' >git; echo 'id >>%[1]s/git' >>git; chmod 755 git; cp git git-remote-http; cp git git-remote-evil
`

// What belongs to another user is not borrowed: that user could put other contents under an object's id.
func TestFetchBorrowsFromNobodyElse(t *testing.T) {
	p := hostuser.Get(t)
	before, after := grown(t)
	s, borrow := serve(t, after, ""), cloned(t, before, `git clone -q $from $to`)
	remote := s.remote()
	remote.Borrow = borrow
	for _, what := range []string{".git/objects/pack/*.pack", ".git", "."} {
		sh(t, borrow, fmt.Sprintf("chown %d %s", p.Agent.UID, what))
		s.fetched(t, remote, s.rev(t, "HEAD"))
		if _, sent := s.seen(); sent < muchLess {
			t.Errorf("%s is another's, and %d bytes were sent", what, sent)
		}
		sh(t, borrow, "chown 0 "+what)
	}
	s.fetched(t, remote, s.rev(t, "HEAD"))
	if _, sent := s.seen(); sent > muchLess {
		t.Errorf("all is ours again, and %d bytes were sent", sent)
	}
}
