package git

import (
	"context"
	"fmt"
	"strings"
	"time"
)

// Tip asks the server where a branch is; "" when there is none. A server that cannot be reached is tried as by Fetch.
func (r *Repo) Tip(ctx context.Context, remote Remote, branch string) (OID, error) {
	return r.tip(ctx, remote, branch, usual())
}

func (r *Repo) tip(ctx context.Context, remote Remote, branch string, p pace) (tip OID, err error) {
	if err := remote.check(); err != nil {
		return "", fmt.Errorf("asking a server for a branch: %w", err)
	}
	if err = r.checkBranchName(ctx, branch); err == nil {
		err = r.persist(ctx, remote, p, func(remote Remote) (err error) {
			tip, err = r.tipOnce(ctx, remote, branch, p.silence)
			return err
		})
	}
	if err != nil {
		return "", fmt.Errorf("asking %q for the branch %q: %w", remote.URL, branch, err)
	}
	return tip, nil
}

func (r *Repo) tipOnce(ctx context.Context, remote Remote, branch string, silence time.Duration) (OID, error) {
	ref := "refs/heads/" + branch
	out, err := r.ours(ctx, job{env: remote.environment(silence), secrets: remote.secrets()}, "ls-remote", "--refs", "--quiet", "--", remote.URL, ref)
	if err != nil {
		return "", remote.explain(err)
	}
	// git takes the name for the end of one, so that refs/x/refs/heads/main is listed too.
	for l := range strings.Lines(string(out)) {
		id, name, _ := strings.Cut(strings.TrimSuffix(l, "\n"), "\t")
		if name == ref && OID(id).valid() {
			return OID(id), nil
		}
	}
	return "", nil
}
