// Package git crosses the boundary between the dispatcher's repository and a tree that the agent owns.
package git

import (
	"context"

	"github.com/d3mlabs/ai-flow/isolation"
)

// OID is a full object id in hex.
type OID string

// Repo is a repository of the dispatcher's: its git directory is never writable by the agent.
type Repo struct{}

// Open opens the repository that holds dir. gitBinary is an absolute path; temp a private directory of the dispatcher's.
func Open(ctx context.Context, dir, temp string) (*Repo, error) { panic("unbuilt") }

// Head returns the commit that HEAD points to, and whether the work tree has uncommitted changes.
func (r *Repo) Head(ctx context.Context) (commit OID, branch string, dirty bool, err error) {
	panic("unbuilt")
}

// HandOverOptions of HandOver.
type HandOverOptions struct {
	Depth  int    // commits of history that the agent gets; 0 means 1 … decided by measurement
	Branch string // the name of the branch the agent finds itself on
}

// Tree is a work tree that the agent user made and owns, filled from a commit.
type Tree struct{}

// HandOver makes the tree inside the room.
func (r *Repo) HandOver(ctx context.Context, room *isolation.Room, commit OID, o HandOverOptions) (*Tree, error) {
	panic("unbuilt")
}

// Dir is the tree's path, as the agent sees it. Cost says what the hand-over moved.
func (t *Tree) Dir() string { panic("unbuilt") }
func (t *Tree) Cost() Cost  { panic("unbuilt") }

// Cost of a hand-over.
type Cost struct {
	Files     int
	PackBytes int64
	Millis    int64
}

// Limits of what may come back.
type Limits struct {
	MaxFile  int64 // bytes of one file; 0 means 100 MB (GitHub's limit)
	MaxTotal int64 // bytes of all changed files; 0 means 1 GiB
	MaxFiles int   // changed paths; 0 means 100,000
}

// Change is one path that differs from the base.
type Change struct {
	Path           string // as git has it, may hold any byte but NUL
	Status         byte   // A, M, D, T
	Mode           string
	Size           int64
	Added, Removed int // lines; -1 for binary
}

// Refused is a path that may not come back, and why, in words.
type Refused struct{ Path, Reason string }

// Taken is the agent's tree as checked objects.
type Taken struct {
	Base, Tree OID
	Changes    []Change
	Refused    []Refused
}

// TakeBack reads the tree back as objects, checks them strictly in a quarantine, and returns the tree. The agent must be
// quiet (Room.Sweep) before. A tree with refused paths is not returned (Tree is ""): nothing is silently lost.
func (t *Tree) TakeBack(ctx context.Context, l Limits) (Taken, error) { panic("unbuilt") }

// Patch is a diff between two trees or commits that `git apply` accepts, at most max bytes (cut is reported).
func (r *Repo) Patch(ctx context.Context, from, to OID, max int64) (patch []byte, cut bool, err error) {
	panic("unbuilt")
}

// Person is an author or committer.
type Person struct{ Name, Email string }

// CommitOptions of Branch.
type CommitOptions struct {
	Parent            OID
	Tree              OID
	Message           string
	Author, Committer Person
	Name              string // branch to create, without refs/heads/
}

// Branch writes the commit and creates the branch. It never moves an existing one: ErrExists.
func (r *Repo) Branch(ctx context.Context, o CommitOptions) (OID, error) { panic("unbuilt") }

// Close removes the quarantine and other temporary state of r.
func (r *Repo) Close() error { panic("unbuilt") }
