package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/d3mlabs/ai-flow/executor/process"
)

// Patch is a diff between two trees or commits that `git apply` accepts, at most max bytes, exactly as git wrote it. When
// there is more, cut is true and the patch holds the files that fit in whole, so that it still applies.
func (r *Repo) Patch(ctx context.Context, from, to OID, max int64) (patch []byte, cut bool, err error) {
	if max <= 0 || !from.valid() || !to.valid() {
		return nil, false, fmt.Errorf("making a patch of at most %d bytes from %q to %q: bad arguments", max, from, to)
	}
	args := append(append([]string{"diff-tree"}, diffFlags[:]...), "-p", "--binary", "--src-prefix=a/", "--dst-prefix=b/", string(from), string(to), "--")
	patch, err = r.ours(ctx, job{max: max, time: transferTime}, args...)
	if errors.Is(err, process.ErrTooMuchOutput) {
		return wholeFiles(patch), true, nil
	}
	if err != nil {
		return nil, false, fmt.Errorf("making a patch from %s to %s: %w", from, to, err)
	}
	return patch, false, nil
}

// wholeFiles cuts before the last file, which may be half there. Lines of contents begin with a sign, and binary lines
// hold no blank, so a line that begins so is a header.
func wholeFiles(patch []byte) []byte {
	i := bytes.LastIndex(patch, []byte("\ndiff --git "))
	return patch[:i+1]
}
