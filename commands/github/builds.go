package github

import (
	"context"
	"time"
)

// Builds is what a build needs to know of the repository that it is to change. Texts are foreign.
type Builds struct {
	Private, Archived         bool
	DefaultBranch, DefaultOID string // DefaultOID is "" for an empty repository
	Branches                  []Branch
}

// Branch is a branch with what it holds and what hangs on it.
type Branch struct {
	Name    string   // without refs/heads/
	Commits []Commit // the newest first, at most 30; the first is the tip
	Pulls   []Pull   // with this branch as their head, the newest first, at most 10
}

// Commit is a commit as far as it tells whose it is.
type Commit struct {
	OID, Message string
	Email        string    // of its author, as the commit says
	Committed    time.Time // as the commit says
}

// Pull is a pull request.
type Pull struct {
	Number  int
	URL     string
	Title   string
	Base    string // branch
	HeadOID string
	Closed  bool // merged included
	Merged  bool
	Fork    bool
	Ours    bool // opened by ourselves
}

// NewPull is a pull request to be opened within the repository.
type NewPull struct{ Title, Body, Head, Base string }

// Builds asks, in one call, for the branches whose names begin with prefix, at most 100.
func (c *Client) Builds(ctx context.Context, prefix string) (Builds, error) { panic("unbuilt") }

// Protected asks whether a branch is protected. One that does not exist is not: Gone.
func (c *Client) Protected(ctx context.Context, branch string) (bool, error) { panic("unbuilt") }

// PullsOf lists the pull requests whose head is a branch of this repository, in any state, the newest first.
func (c *Client) PullsOf(ctx context.Context, branch string) ([]Pull, error) { panic("unbuilt") }

// OpenPull opens a pull request. It is repeated only when it surely did not happen, else its *Error is Unsure, and PullsOf
// tells. That there is one already is Kind Invalid.
func (c *Client) OpenPull(ctx context.Context, p NewPull) (Pull, error) { panic("unbuilt") }

// Assign assigns a person to an issue or pull request. Twice is once. GitHub ignores whom it cannot assign, which is an
// error here.
func (c *Client) Assign(ctx context.Context, number int, login string) error { panic("unbuilt") }

// PushToken is a fresh token for git to push to the repository: contents: write of this repository and nothing else, minted
// for each call and kept by nobody. Without an App it is the fallback token.
func (c *Client) PushToken(ctx context.Context) (string, error) { panic("unbuilt") }

// In is a client for another repository, by the same App or token. Calls of both are listed together.
func (c *Client) In(repo Repo) (*Client, error) { panic("unbuilt") }
