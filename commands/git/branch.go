package git

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Branch writes the commit and creates the branch. It never moves an existing one: ErrExists. The commit is unsigned, by
// exactly the given persons whatever the environment or configuration says (F-41); no hook runs. An error means that there
// is no new branch, and no commit is returned: one that could not be given to the owner of the checkout is taken back.
func (r *Repo) Branch(ctx context.Context, o CommitOptions) (_ OID, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("creating the branch %q: %w", o.Name, err)
		}
	}()
	if r.fetched {
		return "", errNoCheckout
	}
	if err := r.checkBranchName(ctx, o.Name); err != nil {
		return "", err
	}
	if err := r.mustBeFree(ctx, o.Name); err != nil {
		return "", err
	}
	id, err := r.commit(ctx, o)
	if err != nil {
		return "", err
	}
	pack, err := r.migrate(ctx, id, o.Parent)
	if err != nil {
		return "", err
	}
	if err := r.giveToOwner(packFiles(pack)); err != nil {
		return "", err
	}
	none := strings.Repeat("0", len(id))
	who, err := identity(o) // of the reflog's line
	if err != nil {
		return "", err
	}
	_, err = r.theirs(ctx, job{env: who}, "update-ref", "--create-reflog", "-m", "ai-flow: created", "refs/heads/"+o.Name, string(id), none)
	if err != nil {
		// Somebody may have been faster.
		return "", errors.Join(r.mustBeFree(ctx, o.Name), err)
	}
	if err := r.giveToOwner(refFiles(o.Name)); err != nil {
		return "", errors.Join(err, r.takeBranchBack(ctx, o.Name, string(id)))
	}
	return id, nil
}

// takeBranchBack removes the branch that was just made, if it is still as it was made; also when ctx has ended.
func (r *Repo) takeBranchBack(ctx context.Context, name, id string) error {
	_, err := r.theirs(context.WithoutCancel(ctx), job{}, "update-ref", "-d", "refs/heads/"+name, id)
	if err != nil {
		return fmt.Errorf("the branch is there all the same, and must be removed by hand: %w", err)
	}
	return nil
}

func (r *Repo) checkBranchName(ctx context.Context, name string) error {
	bad := name == "" || name == "HEAD" || strings.HasPrefix(name, "-") || strings.HasPrefix(name, "refs/") || len(name) > 200
	if !bad {
		_, err := r.ours(ctx, job{}, "check-ref-format", "refs/heads/"+name)
		var failed *Error
		if errors.As(err, &failed) && failed.Err == nil {
			bad = true
		} else if err != nil {
			return err
		}
	}
	if bad {
		return fmt.Errorf("%.200q is no name for a branch", name)
	}
	return nil
}

func (r *Repo) mustBeFree(ctx context.Context, name string) error {
	// The name has been checked, so it holds no pattern.
	out, err := r.theirs(ctx, job{max: 16 << 20}, "for-each-ref", "--format=%(refname)", "refs/heads/"+name)
	if err != nil {
		return err
	}
	for ref := range strings.Lines(string(out)) {
		if ref == "refs/heads/"+name+"\n" {
			return ErrExists
		}
	}
	return nil
}

// migrate moves the objects of a commit that its parent does not have from the quarantine into the checkout's store, as
// one pack: loose objects made by root in a user's checkout would leave directories there that the user cannot write.
func (r *Repo) migrate(ctx context.Context, commit, parent OID) (pack string, err error) {
	revs := fmt.Sprintf("%s\n^%s\n", commit, parent)
	err = stream(func(w io.Writer) error {
		_, err := r.ours(ctx, job{stdin: strings.NewReader(revs), stdout: w, time: transferTime},
			"pack-objects", "--revs", "--stdout", "--quiet", "--delta-base-offset")
		return err
	}, func(objects io.Reader) error {
		out, err := r.theirs(ctx, job{stdin: objects, time: transferTime}, "index-pack", "--stdin")
		pack = strings.TrimPrefix(strings.TrimSpace(string(out)), "pack\t")
		return err
	})
	return pack, err
}
