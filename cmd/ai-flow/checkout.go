package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/d3mlabs/ai-flow/commands"
	"github.com/d3mlabs/ai-flow/commands/git"
)

// workTree is the repository around the working directory.
type workTree struct {
	repo   *git.Repo
	branch string // its name, or a commit for a detached HEAD
	policy commands.Policy
	notes  []string // what a person may have meant to count, and does not
}

// openCheckout opens the repository around the working directory, and its policy as it is committed there.
func (p *program) openCheckout(ctx context.Context, private string) (*workTree, error) {
	if p.Dir == "" {
		return nil, &usageError{"the working directory is gone", "cd into a checkout"}
	}
	repo, err := git.Open(ctx, p.Dir, private)
	if errors.Is(err, git.ErrNotRepository) {
		return nil, &usageError{"there is no git repository at or above " + quoted(p.Dir),
			"cd into a checkout, or make one here: git init && git add --all && git commit --message=Begin"}
	}
	if err != nil {
		return nil, err
	}
	c := &workTree{repo: repo}
	if err := c.read(ctx); err != nil {
		return nil, errors.Join(err, repo.Close())
	}
	return c, nil
}

// read reads what counts of a checkout.
func (c *workTree) read(ctx context.Context) error {
	commit, branch, _, err := c.repo.Head(ctx)
	if errors.Is(err, git.ErrNoCommit) {
		return &usageError{"the repository has no commit yet, and an agent works on what is committed",
			"git add --all && git commit --message=Begin"}
	}
	if err != nil {
		return err
	}
	if c.branch = branch; branch == "" {
		c.branch = fmt.Sprintf("%.12s", commit)
	}
	data, err := c.repo.ReadBlob(ctx, commit, commands.PolicyPath, maxPolicyFile)
	if errors.Is(err, fs.ErrNotExist) {
		c.lookAround(nil, false)
		c.policy = commands.DefaultPolicy()
		return nil
	}
	if err != nil {
		return err
	}
	c.lookAround(data, true)
	if c.policy, err = commands.ParsePolicy(data, commands.PolicyPath+" at HEAD"); err != nil {
		return &usageError{err.Error(), "mend the file and commit it: the committed one counts"}
	}
	return nil
}

// maxPolicyFile is in bytes; the parser has a bound of its own, with a sentence about it.
const maxPolicyFile = 1 << 20

// lookAround notes a policy file of the work tree that is not the committed one: whoever tries a policy out would take its
// silence for agreement. Line ends are git's to choose.
func (c *workTree) lookAround(committed []byte, there bool) {
	lies, err := readBounded(filepath.Join(c.repo.Dir(), commands.PolicyPath), maxPolicyFile)
	unix := func(b []byte) []byte { return bytes.ReplaceAll(b, []byte("\r\n"), []byte("\n")) }
	switch {
	case errors.Is(err, fs.ErrNotExist), err != nil && !there:
	case !there:
		c.notes = append(c.notes, "`"+commands.PolicyPath+"` is not committed, so it did not count: the defaults did.")
	case err != nil || !bytes.Equal(unix(lies), unix(committed)):
		c.notes = append(c.notes, "`"+commands.PolicyPath+"` was changed and not committed: the one at HEAD counted.")
	}
}
