package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/d3mlabs/ai-flow/executor/process"
)

// Head returns the commit that HEAD points to, the branch it is on ("" when detached), and whether the work tree has
// changes that the commit does not hold, untracked files included. ErrNoCommit says that there is nothing to hand over.
//
// Filters of the checkout's configuration do not run for this, so a large file that git cannot vouch for by its
// time stamp may count as changed: dirty is a notice, not a verdict.
func (r *Repo) Head(ctx context.Context) (commit OID, branch string, dirty bool, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("reading HEAD of %q: %w", r.at.gitDir, err)
		}
	}()
	ref, err := line(r.theirs(ctx, job{fine: 1}, "symbolic-ref", "--quiet", "HEAD"))
	if err != nil {
		return "", "", false, err
	}
	branch = strings.TrimPrefix(ref, "refs/heads/")
	id, err := line(r.theirs(ctx, job{fine: 1}, "rev-parse", "--quiet", "--verify", "HEAD^{commit}"))
	if err != nil {
		return "", "", false, err
	}
	if id == "" && ref == "" {
		return "", "", false, errors.New("HEAD names a commit that is not there")
	}
	if id == "" {
		return "", branch, false, ErrNoCommit
	}
	dirty, err = r.dirty(ctx)
	return OID(id), branch, dirty, err
}

func (r *Repo) dirty(ctx context.Context) (bool, error) {
	if r.at.top == "" {
		return false, nil
	}
	off, err := r.filtersOff(ctx)
	if err != nil {
		return false, err
	}
	out, err := r.theirs(ctx, job{env: off}, "status", "--porcelain", "-z", "--ignore-submodules=all", "--untracked-files=normal", "--no-renames")
	if errors.Is(err, process.ErrTooMuchOutput) {
		return true, nil
	}
	return len(out) > 0, err
}

// filtersOff is an environment that empties each content filter in the checkout's configuration. It goes through the
// environment since a name may hold any byte, also the "=" at which -c would cut it.
func (r *Repo) filtersOff(ctx context.Context) ([]string, error) {
	out, err := r.theirs(ctx, job{fine: 1}, "config", "-z", "--name-only", "--get-regexp", `^filter\..*\.(clean|smudge|process|required)$`)
	if err != nil {
		return nil, err
	}
	var env []string
	n := 0
	for key := range bytes.SplitSeq(out, []byte{0}) {
		if len(key) == 0 {
			continue
		}
		value := ""
		if bytes.HasSuffix(key, []byte(".required")) {
			value = "false"
		}
		env = append(env, fmt.Sprintf("GIT_CONFIG_KEY_%d=%s", n, key), fmt.Sprintf("GIT_CONFIG_VALUE_%d=%s", n, value))
		n++
	}
	return append(env, "GIT_CONFIG_COUNT="+strconv.Itoa(n)), nil
}
