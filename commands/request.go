package commands

import (
	"github.com/d3mlabs/ai-flow/commands/git"
	"github.com/d3mlabs/ai-flow/render"
)

// Request is one comment, parsed and authorised.
type Request struct {
	Comment   Comment
	Surface   Surface
	Number    int     // of the issue or pull request; 0 when there is none
	Title     string  // of the issue or pull request: foreign
	Requester Person  // who gave the command
	Commit    git.OID // what the agent looks at: the head of a pull request; "" for the checkout's HEAD
	// Trusted says that everything which the agent is given comes from people with write permission. Without it no pass
	// is upgraded to full access.
	Trusted bool
	Context []Foreign // further text for the agent, already filtered
	// Feedback is what is open on the pull request that a build goes on with, already filtered.
	Feedback []Feedback
	Unread   bool // there is more on it than was looked at
	// Base is the commit that what configures agents is taken from, in the place of Commit, which strangers wrote; "" takes
	// nothing. Restored are the paths that were; a Flow fills them in.
	Base     git.OID
	Restored []string
	Notes    []string // ours, for readers: what is to be said whatever comes of it
	RunURL   string   // "" outside a workflow

	// What only the report tells: where the command was given, and as which attempt of the run it is carried out.
	RepoName   string // owner/name; "" outside a workflow
	CommentID  int64
	CommentURL string
	Attempt    int // from 1; 0 outside a workflow
}

// Surface is where a command was given.
type Surface uint8

// The surfaces.
const (
	Local        Surface = iota // a terminal
	Issue                       // a comment on an issue
	PullRequest                 // a comment in the conversation of a pull request
	ReviewThread                // a comment on a line of a pull request
	Review                      // the summary of a review
)

// onPull reports whether what was said there was said about a pull request.
func (s Surface) onPull() bool { return s == PullRequest || s == ReviewThread || s == Review }

// kind is the surface as render has it; a terminal is none.
func (s Surface) kind() render.ThreadKind {
	switch s {
	case Issue:
		return render.OnIssue
	case PullRequest:
		return render.OnPullRequest
	case ReviewThread:
		return render.OnLine
	case Review:
		return render.OnReview
	}
	return 0
}

// String names the surface as report.json does.
func (s Surface) String() string {
	switch s {
	case Local:
		return "local"
	case Issue:
		return "issue"
	case PullRequest:
		return "pull_request"
	case ReviewThread:
		return "review_thread"
	case Review:
		return "review"
	}
	return "unknown"
}

// Person is a person on GitHub. Zero means not known.
type Person struct {
	Login string
	ID    int64
}
