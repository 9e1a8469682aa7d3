package git

import (
	"context"
)

// PushOptions of Push.
type PushOptions struct {
	Branch string // without refs/heads/
	Old    OID    // what the branch is at; "" means that there is none yet
	New    OID    // the commit that it is to be at; when Old is there, a descendant of it
}

// PushKind is the closed set of ways in which a push comes to nothing.
type PushKind uint8

// The kinds.
const (
	PushFailed   PushKind = iota // git or the server failed in some other way
	PushMoved                    // the branch is not, or no longer, at Old (with Old "": there is one)
	PushRejected                 // the server does not take it: a protected branch, a rule, a hook, a permission; Reason says its words
	PushLost                     // the server cannot be reached
)

// PushError is a push that did not happen, or of which nobody can say whether it did.
type PushError struct {
	Kind   PushKind
	Tip    OID    // of PushMoved: where the branch is, "" when it is gone
	Reason string // the server's own words, bounded, on one line and without secrets: foreign
	Unsure bool   // it may have happened all the same, and could not be looked up
	Err    error
}

// Error says what happened, quoting Reason.
func (e *PushError) Error() string { panic("unbuilt") }

// Unwrap is the error underneath.
func (e *PushError) Unwrap() error { return e.Err }

// Push moves one branch on the server from Old to New, and nothing else: the URL, the full name of the ref and the expected
// old value are all explicit (F-34, F-44), nothing is forced, no hook of ours runs. It refuses by itself what is no
// fast-forward. A push whose answer was lost is looked up: it happened when the branch is at New. An error is a *PushError.
func (r *Repo) Push(ctx context.Context, remote Remote, o PushOptions) error { panic("unbuilt") }

// Tip asks the server where a branch is; "" when there is none.
func (r *Repo) Tip(ctx context.Context, remote Remote, branch string) (OID, error) { panic("unbuilt") }

// Add fetches a further commit with its history into a repository of Fetch's; see Fetch.
func (r *Repo) Add(ctx context.Context, remote Remote, commit OID) error { panic("unbuilt") }

// Commit writes a commit object into the private repository and returns it. It is unsigned, by exactly the given persons
// whatever the environment or configuration says (F-41). Name is not looked at.
func (r *Repo) Commit(ctx context.Context, o CommitOptions) (OID, error) { panic("unbuilt") }

// Merge brings two changes of base together, as trees: three ways, without a work tree, by git's own merge. clean is false,
// and tree "", when they touch the same lines; conflicts are then the paths, at most 20. Hooks, drivers and filters that the
// trees name do not run.
func (r *Repo) Merge(ctx context.Context, base, ours, theirs OID) (tree OID, conflicts []string, err error) {
	panic("unbuilt")
}
