package git

import (
	"context"
	"fmt"
	"strings"
	"time"
)

// Person is an author or committer.
type Person struct{ Name, Email string }

// CommitOptions of Branch and Commit.
type CommitOptions struct {
	Parent            OID
	Tree              OID
	Message           string
	Author, Committer Person
	When              time.Time // of the commit; zero means now
	Name              string    // of Branch: the branch to create, without refs/heads/
}

// Commit writes a commit object into the private repository and returns it. It is unsigned, by exactly the given persons
// whatever the environment or configuration says (F-41). Name is not looked at.
func (r *Repo) Commit(ctx context.Context, o CommitOptions) (OID, error) {
	id, err := r.commit(ctx, o)
	if err != nil {
		return "", fmt.Errorf("making a commit on top of %.12q: %w", o.Parent, err)
	}
	return id, nil
}

// commit writes a commit that has one parent.
func (r *Repo) commit(ctx context.Context, o CommitOptions) (OID, error) {
	if !o.Parent.valid() || !o.Tree.valid() || strings.TrimSpace(o.Message) == "" || strings.Contains(o.Message, "\x00") {
		return "", fmt.Errorf("parent %q, tree %q and a message are needed", o.Parent, o.Tree)
	}
	return r.commitTree(ctx, o)
}

// commitTree writes a commit; with Parent "" one without a parent.
func (r *Repo) commitTree(ctx context.Context, o CommitOptions) (OID, error) {
	who, err := identity(o)
	if err != nil {
		return "", err
	}
	args := []string{"commit-tree", string(o.Tree)}
	if o.Parent != "" {
		args = append(args, "-p", string(o.Parent))
	}
	id, err := line(r.ours(ctx, job{env: who, stdin: strings.NewReader(o.Message)}, args...))
	return OID(id), err
}

// identity is the whole of who makes a commit and when.
func identity(o CommitOptions) ([]string, error) {
	for _, p := range []Person{o.Author, o.Committer} {
		if strings.TrimSpace(p.Name) == "" || p.Email == "" || strings.ContainsAny(p.Name+p.Email, "<>\n\r\x00") {
			return nil, fmt.Errorf("%q <%q> cannot make a commit", p.Name, p.Email)
		}
	}
	if o.When.IsZero() {
		o.When = time.Now()
	}
	when := fmt.Sprintf("@%d +0000", o.When.Unix())
	return []string{
		"GIT_AUTHOR_NAME=" + o.Author.Name, "GIT_AUTHOR_EMAIL=" + o.Author.Email, "GIT_AUTHOR_DATE=" + when,
		"GIT_COMMITTER_NAME=" + o.Committer.Name, "GIT_COMMITTER_EMAIL=" + o.Committer.Email, "GIT_COMMITTER_DATE=" + when,
	}, nil
}

// mustBeCommit refuses an id that is not a commit's own, as that of a tag is not, or of which the commit is not there.
func (r *Repo) mustBeCommit(ctx context.Context, id OID) error {
	got, err := line(r.ours(ctx, job{}, "rev-parse", "--verify", "--end-of-options", string(id)+"^{commit}"))
	if err != nil {
		return err
	}
	if got != string(id) {
		return fmt.Errorf("that is not a commit, but something that leads to %q", got)
	}
	return nil
}
