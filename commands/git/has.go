package git

import (
	"context"
	"fmt"
	"io/fs"
)

// Has reports whether a commit (or tree) holds something at path, whatever it is.
func (r *Repo) Has(ctx context.Context, commit OID, path string) (bool, error) {
	if !commit.valid() || !fs.ValidPath(path) || path == "." {
		return false, fmt.Errorf("looking for %q at %.12q: %w", path, commit, fs.ErrInvalid)
	}
	out, err := r.ours(ctx, job{}, "ls-tree", "-z", "--name-only", "--full-tree", string(commit), "--", path)
	if err != nil {
		return false, fmt.Errorf("looking for %q at %.12s: %w", path, commit, err)
	}
	return len(out) > 0, nil
}
