package github

import (
	"context"
	"errors"
	"fmt"
)

// Barrier is what keeps a run from pushing to a branch. The zero value is none of them: nobody has asked.
type Barrier uint8

// What stands in the way of a push, as it is by now.
const (
	Free        Barrier = iota + 1 // nothing that GitHub tells of; the branch may not exist
	IsDefault                      // it is the default branch, on which people decide
	IsProtected                    // a rule guards it
	IsArchived                     // the whole repository takes no pushes
)

// Pushable asks right before a push whether anything has come in the way of it since it was planned (S8): in two calls, or in
// one where that is enough. A branch that does not exist, or is called otherwise by now, is Free: a push would make it. What
// GitHub does not clearly say is an error. What is no branch's name is an error without a call.
func (c *Client) Pushable(ctx context.Context, branch string) (Barrier, error) {
	const what = "asking whether a branch may be pushed to"
	if !isBranch(branch) {
		return 0, noBranch(what, branch)
	}
	var said struct {
		DefaultBranch string `json:"default_branch"`
		Archived      *bool
	}
	err := c.do(ctx, call{what: what}, func(ctx context.Context) error {
		err := c.sendJSON(ctx, "GET", "repos/"+c.o.Repo.String(), nil, &said)
		if err == nil && (said.Archived == nil || !isBranch(said.DefaultBranch)) {
			err = fmt.Errorf("it does not say which branch of %s is the default one, or whether it is archived", c.o.Repo)
		}
		return err
	})
	switch {
	case err != nil:
		return 0, err
	case *said.Archived:
		return IsArchived, nil
	case said.DefaultBranch == branch:
		return IsDefault, nil
	}
	protected, err := c.Protected(ctx, branch)
	var failed *Error
	switch {
	case errors.As(err, &failed) && failed.Kind == Gone: // and the repository was there a moment ago
		return Free, nil
	case err != nil:
		return 0, err
	case protected:
		return IsProtected, nil
	}
	return Free, nil
}
