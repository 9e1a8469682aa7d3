package git

import (
	"cmp"
	"context"
	"errors"
	"fmt"
)

// Add fetches a further commit with its history into a repository of Fetch's; see Fetch. Head stays as it is. The server is
// not asked for what is there already.
func (r *Repo) Add(ctx context.Context, remote Remote, commit OID) error {
	return r.add(ctx, remote, commit, usual())
}

func (r *Repo) add(ctx context.Context, remote Remote, commit OID, p pace) (err error) {
	if err := remote.check(); err != nil {
		return fmt.Errorf("fetching from a server: %w", err)
	}
	defer func() {
		if err != nil {
			err = fmt.Errorf("fetching %.12q from %q as well: %w", commit, remote.URL, err)
		}
	}()
	if !r.fetched {
		return errors.New("the repository was not fetched for this run, but is a checkout's")
	}
	if !commit.valid() {
		return errors.New("that is not an object id")
	}
	if sha256 := r.format == "sha256"; sha256 != (len(commit) == 64) {
		return fmt.Errorf("an id of %d digits in a repository of %s", len(commit), r.format)
	}
	remote.Depth = cmp.Or(max(remote.Depth, 0), DefaultDepth)
	ctx, cancel := context.WithTimeoutCause(ctx, transferTime, fmt.Errorf("it took longer than %v", transferTime))
	defer cancel()
	if r.complete(ctx, commit) {
		return r.mustBeCommit(ctx, commit)
	}
	head, err := line(r.ours(ctx, job{}, "rev-parse", "--verify", "HEAD^{commit}"))
	if err != nil {
		return err
	}
	if err := r.download(ctx, remote, commit, []OID{OID(head)}, p); err != nil {
		return err
	}
	if err := r.mustBeCommit(ctx, commit); err != nil {
		return err
	}
	return r.reread()
}

// complete reports whether a commit is here with all of its history that the boundary lets through.
func (r *Repo) complete(ctx context.Context, commit OID) bool {
	if _, err := r.ours(ctx, job{}, "cat-file", "-e", string(commit)+"^{commit}"); err != nil {
		return false
	}
	_, err := r.ours(ctx, job{time: transferTime}, "rev-list", "--objects", "--quiet", string(commit), "--")
	return err == nil
}
