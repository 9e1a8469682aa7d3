package commands

import (
	"context"
	"fmt"
	"strings"

	"github.com/d3mlabs/ai-flow/commands/git"
	"github.com/d3mlabs/ai-flow/render"
)

// Target is a repository that a build may change.
type Target struct {
	Name   string    // owner/name
	Repo   *git.Repo // holds Commit
	Commit git.OID   // what the agent is given, and what the commit goes on top of
	// Branch is what gets the commit. Tip is where it is on the server; "" when there is none of that name yet. Both "" mean a
	// new branch, whose name we make of Prefix and a title; Names are then those that are not free.
	Branch string
	Tip    git.OID
	Prefix string // "ai/7-"
	Names  []string
	Pull   *render.Pull // the open one of Branch; nil when one is to be opened
	Closes string       // owner/name#n of the issue that the pull request closes when it is merged, or is part of; "" for none
}

// Landing is where builds go in a workflow. A build is announced before it is pushed, so that whoever comes after a kill
// knows what was to be told.
type Landing interface {
	// Announce writes the result ahead of the pushes. ErrTakenBack.
	Announce(ctx context.Context, result render.Result) error
	// Push moves Branch of a target from Tip to a commit. A *git.PushError, or what kept it from being tried.
	Push(ctx context.Context, t Target, commit git.OID) error
	// Renew fetches where the branch is by now into the target's Repo. "" when it is gone.
	Renew(ctx context.Context, t Target) (git.OID, error)
	// Open opens the pull request of a branch that was pushed, or finds one; opened says which.
	Open(ctx context.Context, t Target, title, body string) (p render.Pull, opened bool, err error)
}

// HintError is an error of a Landing's that a person has to do something about.
type HintError struct {
	Next string // what, in a sentence of ours
	Err  error
}

func (e *HintError) Error() string { return e.Err.Error() }

// Unwrap returns Err.
func (e *HintError) Unwrap() error { return e.Err }

// BarrierError is a branch that is not to be pushed to. Why is ours and goes on from its name.
type BarrierError struct{ Why string }

func (e *BarrierError) Error() string { return "the branch " + e.Why }

// Disposition is what the agent says of a review thread that a build took up.
type Disposition struct {
	Thread int64 // the comment that began it
	render.Disposition
}

// Feedback is something open on a pull request that a build takes up.
type Feedback struct {
	Thread int64  // the comment that began the review thread, which gets a disposition; 0 for a comment in the conversation
	URL    string // ours
	Path   string // of a thread: foreign
	Label  string // what it is, in our words: it stands outside of the fence
	Text   string // foreign, by people who may write
}

// BranchPrefixFor is what the names of all branches of builds of an issue begin with in another repository than its own,
// where the number alone would be that of another issue. The full stop keeps it apart from those of the other's own issues.
func BranchPrefixFor(repo string, number int) string {
	for strings.Contains(repo, "..") { // which no branch may hold
		repo = strings.ReplaceAll(repo, "..", ".")
	}
	return fmt.Sprintf("ai/%s.%d-", strings.ToLower(repo), number)
}

// CommitURL is where a person reads a commit of the repository called name, "" where the address of a comment in the
// repository own does not tell on which server that is.
func CommitURL(commentURL, own, name, commit string) string {
	server, _, ok := strings.Cut(commentURL, "/"+own+"/")
	if !ok || name == "" {
		return ""
	}
	return server + "/" + name + "/commit/" + commit
}

// Unfolded is a comment without its folded parts: mostly they hold logs and diffs, and nobody means what they do not show.
func Unfolded(text string) string { return withoutDetails(text) }
