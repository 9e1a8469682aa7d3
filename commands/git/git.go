// Package git crosses the boundary between the dispatcher's repository and a tree that the agent owns.
//
// Its one invariant: nothing that the agent wrote is executed, followed as a link or read as configuration by the
// dispatcher's user. What comes back is bytes, framed by lengths that are checked before they are read; the dispatcher's
// own git turns them into objects, in a repository of its own, and builds the tree from the base by itself.
//
// # Going over
//
// [Repo.HandOver] streams a pack (a commit and the last [DefaultDepth] generations of its history, as a shallow repository)
// from the dispatcher's git through a pipe into git run as the agent user, which then checks the tree out. The agent owns
// all of it: no shared group, no ownership exception (F-11, F-12). A shared object store (alternates, worktrees) would be
// cheaper and was rejected: the agent would read every branch, and a worktree's .git file is a pointer that it can turn (F-01).
//
// The cost follows the tree and a few dozen generations, never the whole history: deltas are reused and none are looked
// for, and the dispatcher writes less than a kilobyte, whatever the size. Measured with BenchmarkCost on two cores:
//
//	repository                      store    through the pipe   hand-over   take-back of 10 changes
//	50,000 files, 300 commits       97 MB    95 MB              5.1 s       1.6 s
//	2,000 files, 3,000 commits      312 MB   11 MB              2.3 s       0.3 s
//
// Most of the hand-over is making files (the first pack is through the pipe in 1.5 s); most of the take-back is reading each
// tracked file once, since time stamps are the agent's to set.
//
// Contents are raw in both directions: attributes that convert (text, eol, filter, ident, working-tree-encoding) are
// switched off in the agent's repository. So the agent edits exactly what the repository stores: LFS files are
// pointers, eol=crlf files have LF, $Id$ is unexpanded; what it leaves alone comes back unchanged, byte for byte.
// Submodules are empty directories.
//
// # Coming back
//
// [Tree.TakeBack] looks at the work tree only: the agent may have committed, switched branches or deleted .git (F-36).
// A script run as the agent user, with a git directory made for that moment, lists what differs; the rules of this
// package decide on names, links, kinds and sizes; only then do the contents cross, each with its length in front, and
// the dispatcher computes every object id itself. A pack made on the agent's side, even under index-pack --strict, was
// rejected: it is a compressed, delta-encoded format that a hostile peer can inflate a thousandfold, and it can carry trees.
//
// Ignored files stay behind, by the .gitignore files as the agent left them (what `git add -A` would do); tracked files
// come back although they are ignored. A .gitignore that the agent changed is itself a visible change. What may not
// come back is refused by name and then no tree is returned at all: nothing is lost in silence.
//
// # From a server
//
// [Fetch] makes a Repo without a checkout, for one run (F-61): one commit by its id, over HTTP, into a private repository.
// A checkout of the runner's may lend objects, and only objects: git never runs on it, so what an earlier job left in its
// configuration says nothing. A mirror kept between runs was rejected: it would be state that a run can spoil for the next.
// Measured with BenchmarkFetch over a local server on two cores, which were busy; none is without a checkout to borrow
// from, shallow with one of a single commit that is five behind, five with one that has all but those five:
//
//	repository                    none             shallow          five             all there
//	50,000 files, 300 commits     95 MB   7.8 s    0.1 MB  0.7 s    15 kB   0.6 s    0 MB    0.4 s
//	2,000 files, 3,000 commits    11 MB   0.6 s    5 MB    0.7 s    0.5 MB  0.4 s    0 MB    0.1 s
//
// # To a server
//
// [Repo.Push] makes one branch, or moves it on. Two locks keep it from overwriting what it does not know: here it is proven
// that the new commit has the old one in its history, and the server is told what the branch must be at. What became of a
// push is never guessed: without a clear answer the server is asked where the branch is. [Repo.Merge] brings two changes
// together as trees, so that a branch that has moved meanwhile can be built on.
//
// # What it refuses
//
// Repositories inside the tree, what has the shape of a bare one, and anything spelled like .git; paths too long to open;
// new, moved or filled submodules; links that are absolute, leave the tree or point into .git; pipes, sockets and devices
// in the place of files; what cannot be read; what is over [Limits], or what their Check and Directories object to;
// private keys that the file did not hold before; a .gitmodules that git's own checks reject. It never fetches but commits by
// their ids into a repository of its own, never runs a hook, never moves a branch of a checkout, and never pushes but one
// branch at a time, from where it was said to be.
//
// It needs git 2.31 or newer, and [Repo.Merge] 2.38, in one of the usual system directories; PATH is not asked, since
// whoever could plant a git there would run as the dispatcher.
package git

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// DefaultDepth is how many generations of history the agent gets when nothing is said: enough for `git log` and `git blame`
// to be of use. On a repository of 50,000 files it adds 1 % to the pack, and on one that adds a 100 kB asset with every
// commit 5 MB of 300; 200 generations would be 20 MB there.
const DefaultDepth = 50

// Every wait has an end: questions are short, transfers are bounded by the size of the tree.
const (
	questionTime = time.Minute
	transferTime = 15 * time.Minute
)

// Sentinel errors that a caller decides on.
var (
	// ErrExists is a branch that is already there.
	ErrExists = errors.New("the branch exists already")
	// ErrNoCommit is a repository without a commit on its current branch.
	ErrNoCommit = errors.New("the current branch has no commit yet; make a first commit")
	// ErrNotRepository is a directory outside of any repository.
	ErrNotRepository = errors.New("not inside a git repository; run this in a checkout, or `git init` and commit first")
)

// OID is a full object id in hex.
type OID string

func (o OID) valid() bool {
	return (len(o) == 40 || len(o) == 64) && strings.Trim(string(o), "0123456789abcdef") == ""
}

// Repo is a repository of the dispatcher's: its git directory is never writable by the agent.
//
// Objects are read through, and made in, a private repository that borrows the checkout's objects. So the checkout's
// configuration and attributes have no say in what is read, and nothing reaches its object store before [Repo.Branch].
// A Repo and its trees are for one goroutine at a time.
type Repo struct {
	bin     string // absolute path of git
	version version
	at      location
	private string // our directory, 0700
	gitDir  string // the bare repository in it
	format  string // sha1 or sha256
	partial bool   // a partial clone: blobs of old commits may be missing
	fetched bool   // by Fetch: there is no checkout, and at is the private repository itself
	shallow map[OID]bool
	indexes int
}

// Open opens the repository that holds dir (a checkout, one of its subdirectories, a linked worktree, or a bare
// repository). temp is a private directory of the dispatcher's; what is made in it is gone after Close.
func Open(ctx context.Context, dir, temp string) (_ *Repo, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("opening the repository at %q: %w", dir, err)
		}
	}()
	at, err := locate(dir)
	if err != nil {
		return nil, err
	}
	r, err := begin(ctx, temp)
	if err != nil {
		return nil, err
	}
	r.at = at
	if err := r.prepare(ctx); err != nil {
		return nil, errors.Join(err, os.RemoveAll(r.private))
	}
	return r, nil
}

// begin finds git and makes the private directory.
func begin(ctx context.Context, temp string) (_ *Repo, err error) {
	r := &Repo{}
	if r.bin, err = findGit(systemDirs); err != nil {
		return nil, err
	}
	if r.private, err = os.MkdirTemp(temp, "git-"); err != nil {
		return nil, err
	}
	if r.private, err = filepath.Abs(r.private); err == nil {
		err = r.checkVersion(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(r.private))
	}
	r.gitDir = filepath.Join(r.private, "objects.git")
	return r, nil
}

// Close removes the quarantine and other temporary state of r.
func (r *Repo) Close() error { return os.RemoveAll(r.private) }

func (r *Repo) prepare(ctx context.Context) error {
	out, err := r.theirs(ctx, job{}, "rev-parse", "--path-format=absolute", "--show-object-format", "--git-common-dir")
	if err != nil {
		return err
	}
	format, common, ok := strings.Cut(strings.TrimSuffix(string(out), "\n"), "\n")
	if !ok {
		return fmt.Errorf("git rev-parse answered %q", out)
	}
	r.format, r.at.common = format, common
	// Exit status 1 is git's way to say that there is none.
	promisor, err := r.theirs(ctx, job{fine: 1}, "config", "--get-regexp", `^(extensions\.partialclone|remote\..*\.promisor)$`)
	if err != nil {
		return err
	}
	r.partial = len(promisor) > 0
	if err := r.makePrivate(ctx); err != nil {
		return err
	}
	return r.borrow(common)
}

// makePrivate makes the private repository, empty, also where one was before.
func (r *Repo) makePrivate(ctx context.Context) error {
	if err := os.RemoveAll(r.gitDir); err != nil {
		return err
	}
	r.shallow = nil
	return r.initBare(ctx, r.gitDir)
}

func (r *Repo) initBare(ctx context.Context, dir string) error {
	args := []string{"init", "--quiet", "--bare", "--template="}
	if r.format != "sha1" {
		args = append(args, "--object-format="+r.format)
	}
	_, err := r.run(ctx, job{}, append(args, dir)...)
	return err
}

// borrow lets the private repository see the objects of a git directory and its shallow boundary: none of its refs,
// configuration, hooks, attributes or replacements.
func (r *Repo) borrow(common string) error {
	alternates := filepath.Join(r.gitDir, "objects", "info", "alternates")
	if err := os.MkdirAll(filepath.Dir(alternates), 0o700); err != nil {
		return err
	}
	line := cQuote(filepath.Join(common, "objects")) + "\n"
	if err := os.WriteFile(alternates, []byte(line), 0o600); err != nil {
		return err
	}
	boundary, err := readBoundary(common)
	if err != nil {
		return err
	}
	return r.cut(boundary)
}

// readBoundary reads which commits of a git directory have parents that it does not hold.
func readBoundary(gitDir string) ([]OID, error) {
	text, err := os.ReadFile(filepath.Join(gitDir, "shallow"))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	var boundary []OID
	for line := range strings.FieldsSeq(string(text)) {
		boundary = append(boundary, OID(line))
	}
	return boundary, nil
}

// cut makes boundary the shallow boundary of the private repository.
func (r *Repo) cut(boundary []OID) error {
	var text strings.Builder
	r.shallow = map[OID]bool{}
	for _, id := range boundary {
		r.shallow[id] = true
		fmt.Fprintf(&text, "%s\n", id)
	}
	// An empty file would be a boundary too: of a repository that is shallow.
	name := filepath.Join(r.gitDir, "shallow")
	if len(boundary) > 0 {
		return os.WriteFile(name, []byte(text.String()), 0o600)
	}
	if err := os.Remove(name); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}
