package git

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// A lender is a git directory whose objects are borrowed. git never runs on it: its configuration could be a leftover of
// anybody's who ran here before. What is read of it are objects, its shallow boundary and the ids of its branches.

// mostLent bounds the files of a lender that are looked at, and mostTips the branches of it that the server is told of.
const (
	mostLent = 200_000
	mostTips = 32
)

// lean makes the private repository, over the borrowed objects if they are of use: whole says that they are all that is
// wanted, tips are what else may be told to the server.
func (r *Repo) lean(ctx context.Context, remote Remote, commit OID) (tips []OID, whole bool, err error) {
	if err := r.makePrivate(ctx); err != nil || remote.Borrow == "" {
		return nil, false, err
	}
	common, err := lender(remote.Borrow)
	if err == nil {
		tips, whole, err = r.leanOn(ctx, common, commit, remote.Depth)
	}
	if err != nil || !whole && len(tips) == 0 {
		return nil, false, r.makePrivate(ctx) // nothing to gain
	}
	return tips, whole, nil
}

func (r *Repo) leanOn(ctx context.Context, common string, commit OID, depth int) (tips []OID, whole bool, err error) {
	if err := r.borrow(common); err != nil {
		return nil, false, err
	}
	if whole, err = r.holds(ctx, commit, depth); err != nil || whole {
		return nil, whole, err
	}
	if err := r.borrow(common); err != nil { // holds has cut
		return nil, false, err
	}
	tips, err = r.tips(ctx, common)
	return tips, false, err
}

// holds reports whether the history of a commit is all there, and then cuts off what is deeper, as the server would.
func (r *Repo) holds(ctx context.Context, commit OID, depth int) (bool, error) {
	if _, err := r.ours(ctx, job{}, "cat-file", "-e", string(commit)+"^{commit}"); err != nil {
		return false, ctx.Err()
	}
	h, err := r.history(ctx, commit, depth)
	if err != nil {
		return false, ctx.Err()
	}
	for _, id := range h.boundary {
		if r.shallow[id] { // there is more than is known here, or it is the last generation anyhow: then little is lost
			return false, nil
		}
	}
	if err := r.cut(h.boundary); err != nil {
		return false, err
	}
	_, err = r.ours(ctx, job{time: transferTime}, "rev-list", "--objects", "--quiet", string(commit), "--")
	return err == nil, ctx.Err()
}

// tips are the lender's branches, as a git with our configuration sees them: a directory of our own in which the refs are
// the lender's.
func (r *Repo) tips(ctx context.Context, common string) ([]OID, error) {
	view := filepath.Join(r.private, "lender.git")
	defer os.RemoveAll(view)
	if err := r.initBare(ctx, view); err != nil {
		return nil, err
	}
	if err := os.RemoveAll(filepath.Join(view, "refs")); err != nil {
		return nil, err
	}
	for _, name := range []string{"refs", "packed-refs"} {
		if err := os.Symlink(filepath.Join(common, name), filepath.Join(view, name)); err != nil {
			return nil, err
		}
	}
	out, err := r.run(ctx, job{env: []string{"GIT_OBJECT_DIRECTORY=" + filepath.Join(r.gitDir, "objects")}}, "--git-dir="+view, "for-each-ref",
		"--sort=-committerdate", "--count="+strconv.Itoa(mostTips), "--format=%(objectname)", "refs/heads", "refs/remotes")
	if err != nil {
		return nil, err
	}
	var tips []OID
	for l := range strings.Lines(string(out)) {
		if id := OID(strings.TrimSpace(l)); id.valid() {
			tips = append(tips, id)
		}
	}
	return tips, nil
}

// lender finds the git directory of a checkout and refuses it unless nobody but us (or root) can have written what is in
// its object store: git does not hold an object's contents against its id when it reads one. Refused as well are a store
// that borrows by itself, from where its owner once said, and a partial clone's, which lacks what it seems to have.
func lender(dir string) (common string, err error) {
	l, err := locate(dir)
	if err != nil {
		return "", err
	}
	if common, err = commonDir(l.gitDir); err == nil {
		common, err = filepath.EvalSymlinks(common)
	}
	if err == nil {
		err = onlyOursAbove(common)
	}
	n := 0
	for _, name := range []string{"objects", "refs", "packed-refs", "shallow"} {
		if err == nil {
			err = filepath.WalkDir(filepath.Join(common, name), func(path string, d fs.DirEntry, err error) error {
				if n++; n > mostLent || strings.HasSuffix(path, "objects/info/alternates") || strings.HasSuffix(path, ".promisor") {
					return errUnlendable
				}
				return onlyOurs(d, err)
			})
		}
		if name != "objects" && errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
	}
	return common, err
}

var errUnlendable = errors.New("these objects are not borrowed")

// onlyOurs accepts a directory or file that nobody else can have changed.
func onlyOurs(d fs.DirEntry, err error) error {
	if err != nil {
		return err
	}
	info, err := d.Info()
	if err != nil {
		return err
	}
	if !ownedByUs(info) || info.Mode().Perm()&0o022 != 0 || !info.Mode().IsRegular() && !info.IsDir() {
		return errUnlendable
	}
	return nil
}

// onlyOursAbove accepts a directory that nobody else can put another one in the place of.
func onlyOursAbove(dir string) error {
	for ; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		info, err := os.Lstat(dir)
		if err != nil {
			return err
		}
		if !ownedByUs(info) || info.Mode().Perm()&0o022 != 0 && info.Mode()&fs.ModeSticky == 0 {
			return errUnlendable
		}
	}
	return nil
}

func ownedByUs(info fs.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && (st.Uid == 0 || st.Uid == uint32(os.Geteuid()))
}

// commonDir is the git directory that a linked worktree's belongs to, as git finds it.
func commonDir(gitDir string) (string, error) {
	name := filepath.Join(gitDir, "commondir")
	info, err := os.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return gitDir, nil
	}
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxGitFile { // a pipe would keep us waiting
		return "", errors.Join(err, errUnlendable)
	}
	text, err := os.ReadFile(name)
	target := strings.TrimRight(string(text), "\r\n")
	if err != nil || filepath.IsAbs(target) {
		return target, err
	}
	return filepath.Join(gitDir, target), nil
}
