package git

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"time"
)

// Fetch makes a private repository that holds commit with its history from a server, and nothing else of it. The commit is
// asked for by its id, so that what is worked on is what was decided on, whatever moved meanwhile (F-02, F-63, H3-05). temp
// is as for Open. The Repo has no checkout: Head answers with the commit, and Branch refuses.
//
// When the borrowed checkout holds all of it already, the server is not asked at all. A borrow that cannot be used is no
// error: more is fetched then.
//
// A server that cannot be reached is tried three times, after one second and three (F-53). All of it ends after 15 minutes,
// a server that says nothing after one each time, and a cancelled ctx ends it at once with its cause.
func Fetch(ctx context.Context, remote Remote, commit OID, temp string) (*Repo, error) {
	return fetch(ctx, remote, commit, temp, usual())
}

func fetch(ctx context.Context, remote Remote, commit OID, temp string, p pace) (_ *Repo, err error) {
	if err := remote.check(); err != nil {
		return nil, fmt.Errorf("fetching from a server: %w", err)
	}
	defer func() {
		if err != nil {
			err = fmt.Errorf("fetching %.12q from %q: %w", commit, remote.URL, err)
		}
	}()
	if !commit.valid() {
		return nil, errors.New("that is not an object id")
	}
	remote.Depth = cmp.Or(max(remote.Depth, 0), DefaultDepth)
	ctx, cancel := context.WithTimeoutCause(ctx, transferTime, fmt.Errorf("it took longer than %v", transferTime))
	defer cancel()
	r, err := begin(ctx, temp)
	if err != nil {
		return nil, err
	}
	if r.format = "sha1"; len(commit) == 64 {
		r.format = "sha256"
	}
	if err := r.fill(ctx, remote, commit, p); err != nil {
		return nil, errors.Join(err, os.RemoveAll(r.private))
	}
	return r, nil
}

// fill gets the commit into the private repository.
func (r *Repo) fill(ctx context.Context, remote Remote, commit OID, p pace) error {
	tips, whole, err := r.lean(ctx, remote, commit)
	if err != nil {
		return err
	}
	if !whole {
		err = r.download(ctx, remote, commit, tips, p)
	}
	// An error that is git's own and has no name: perhaps what was borrowed is not all there.
	if failed, unnamed := err.(*Error); unnamed && failed.Err == nil && len(tips) > 0 {
		if err = r.makePrivate(ctx); err == nil {
			err = r.download(ctx, remote, commit, nil, p)
		}
	}
	if err != nil {
		return err
	}
	return r.settle(ctx, commit)
}

// settle makes sure that the commit is there, and makes the private repository its own checkout: a bare one, detached at
// the commit.
func (r *Repo) settle(ctx context.Context, commit OID) error {
	if err := r.mustBeCommit(ctx, commit); err != nil {
		return err
	}
	if _, err := r.ours(ctx, job{}, "update-ref", "--no-deref", "HEAD", string(commit)); err != nil {
		return err
	}
	r.fetched, r.at = true, location{gitDir: r.gitDir, common: r.gitDir}
	return r.reread()
}

// reread takes note of the boundary that git has made.
func (r *Repo) reread() error {
	boundary, err := readBoundary(r.gitDir)
	if err != nil {
		return err
	}
	return r.cut(boundary)
}

// download fetches, and again when the server was not to be reached: a fetch changes nothing there.
func (r *Repo) download(ctx context.Context, remote Remote, commit OID, tips []OID, p pace) error {
	return r.persist(ctx, remote, p, func(remote Remote) error {
		return r.downloadOnce(ctx, remote, commit, tips, p.silence)
	})
}

func (r *Repo) downloadOnce(ctx context.Context, remote Remote, commit OID, tips []OID, silence time.Duration) error {
	// No remote is configured: there are only the URL and the id.
	args := []string{"fetch", fmt.Sprintf("--depth=%d", remote.Depth), "--no-tags", "--no-write-fetch-head",
		"--no-recurse-submodules", "--no-auto-maintenance"}
	for _, tip := range tips {
		args = append(args, "--negotiation-tip="+string(tip))
	}
	j := job{env: remote.environment(silence), time: transferTime, secrets: remote.secrets(), maxFile: remote.maxBytes()}
	_, err := r.ours(ctx, j, append(args, "--", remote.URL, string(commit))...)
	return remote.explain(err)
}
