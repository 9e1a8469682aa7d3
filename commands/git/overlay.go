package git

import "context"

// Overlay makes a commit on top of commit, by a fixed author and date, whose tree is commit's but for the paths that match:
// those are as in the commit from, and absent where from has none. paths are those that differ, sorted; when there are none
// the commit itself is returned. The same arguments give the same commit.
func (r *Repo) Overlay(ctx context.Context, commit, from OID, match func(path string) bool) (overlaid OID, paths []string, err error) {
	panic("unbuilt")
}

// Applies asks git whether it would take a patch on top of a tree, as `git apply --check` does there; nil means yes.
func (r *Repo) Applies(ctx context.Context, tree OID, patch []byte) error { panic("unbuilt") }
