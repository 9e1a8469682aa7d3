package commands

import (
	"context"

	"github.com/d3mlabs/ai-flow/commands/git"
	"github.com/d3mlabs/ai-flow/render"
)

// Target is a repository that a build may change.
type Target struct {
	Name   string    // owner/name
	Repo   *git.Repo // holds Commit
	Commit git.OID   // what the agent is given, and what the commit goes on top of
	// Branch is what gets the commit: one that stands at Commit and is not to be overwritten. "" means a new one, whose name we
	// make; Names are then those that are not free.
	Branch string
	Names  []string
	Pull   *render.Pull // the open one of Branch; nil when one is to be opened
}

// Landing is where builds go in a workflow. A build is announced before it is pushed, so that whoever comes after a kill
// knows what was to be told.
type Landing interface {
	// Announce writes the result ahead of the pushes. ErrTakenBack.
	Announce(ctx context.Context, result render.Result) error
	// Push moves the branch of a target, from Commit, or from nothing when Pull and Branch were empty. A *git.PushError.
	Push(ctx context.Context, t Target, commit git.OID) error
	// Renew fetches where the branch is by now. "" when it is gone.
	Renew(ctx context.Context, t Target) (git.OID, error)
	// Open opens the pull request of a branch that was pushed, or finds it.
	Open(ctx context.Context, t Target, title, body string) (render.Pull, error)
}

// Feedback is something open on a pull request that a build takes up.
type Feedback struct {
	Thread int64  // the comment that began the review thread, which gets a disposition; 0 for a comment in the conversation
	URL    string // ours
	Path   string // of a thread: foreign
	Label  string // what it is, in our words: it stands outside of the fence
	Text   string // foreign, by people who may write
}
