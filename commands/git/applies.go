package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
)

// Applies asks git whether it would take a patch on top of a tree, as `git apply --check` does there; nil means yes. There
// is no work tree, and nobody's settings on white space or prefixes have a say (F-22). git takes no empty patch, and none
// over 1 GiB; it ends after 15 minutes.
func (r *Repo) Applies(ctx context.Context, tree OID, patch []byte) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("trying a patch on %.12q: %w", tree, err)
		}
	}()
	if !tree.valid() {
		return errors.New("that is not an object id")
	}
	env, done, err := r.scratch(ctx, tree)
	if err != nil {
		return err
	}
	defer done()
	var said []byte
	_, err = r.ours(ctx, job{env: env, stdin: bytes.NewReader(patch), time: transferTime, stderr: &said}, append(applyFlags[:], "--check", "-")...)
	if err == nil && len(said) > 0 {
		// Of several files it leaves a binary one whose end is missing out, says so, and succeeds.
		text, _ := excerpt(said)
		err = fmt.Errorf("git apply takes it, but not all: %q", text)
	}
	return err
}

var applyFlags = [...]string{"apply", "--cached", "--whitespace=nowarn", "--no-ignore-whitespace", "-p1"}
