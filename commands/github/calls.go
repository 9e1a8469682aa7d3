package github

import (
	"context"
	"time"
)

// Level is what somebody may do in a repository. The zero Level is nothing.
type Level uint8

// The levels. A custom role counts as the base role it extends.
const (
	None Level = iota
	Read
	Write
	Admin
)

// Permission is what a person may do, and who GitHub says that the login belongs to.
type Permission struct {
	Level Level
	Role  string // GitHub's name of the role, custom ones included: foreign
	ID    int64  // of the account; 0 when not said
}

// Permission asks what login may do in the repository. An error is no permission, and so is a login that GitHub does not
// know (Level None, no error).
func (c *Client) Permission(ctx context.Context, login string) (Permission, error) { panic("unbuilt") }

// Facts is what one question tells about the place of a command. Texts are foreign.
type Facts struct {
	Viewer        string // our own login: who the token acts as
	DefaultBranch string
	DefaultOID    string // "" for an empty repository
	Policy        []byte // .github/ai-flow.yml of the default branch; nil: there is none
	PolicyCut     bool   // it is larger than GitHub gives, or not text
	Comment       *Text  // the command as it stands now; nil: deleted
	Parent        *Text  // of a reply in a review thread: what it replies to
	Document      Text   // body of the issue or pull request
	Title         string
	Locked        bool
	Closed        bool // merged included
	Head          *Head
}

// Text is a body with its history, as far as it tells who is behind it.
type Text struct {
	Body            string
	Author          string    // login; "" for a deleted account
	Created, Edited time.Time // Edited is zero when it never was
	Editor          string    // login of who edited it last; "" when not known
	Ours            bool      // written by ourselves
}

// Head is the head of a pull request.
type Head struct {
	Repo       Repo // zero when it was deleted
	Branch     string
	OID        string
	BaseBranch string
	Merged     bool
	Fork       bool
	// Since is the latest moment of GitHub's own clock at which the head is known to have been put there: a forced push, or
	// the first check of the commit. Zero when nothing tells.
	Since time.Time
	// Committed is what the commit itself claims, which its author can forge.
	Committed time.Time
}

// Look asks for all facts about an event's place in one call.
func (c *Client) Look(ctx context.Context, e Event) (Facts, error) { panic("unbuilt") }

// Ref points to a comment: of a conversation, or of a line of a pull request.
type Ref struct {
	Line bool
	ID   int64
}

// Posted is a comment as it stands.
type Posted struct {
	Ref
	Body, Author, URL string
	Created           time.Time
}

// Comment reads a comment. Gone when it was deleted.
func (c *Client) Comment(ctx context.Context, r Ref) (Posted, error) { panic("unbuilt") }

// EditComment replaces a comment's body. It is repeated only when it surely did not happen.
func (c *Client) EditComment(ctx context.Context, r Ref, body string) (Posted, error) {
	panic("unbuilt")
}

// Post adds a comment: to the conversation of number, or (thread not 0) to the review thread that the comment thread
// began. It is never repeated when its outcome is not known.
func (c *Client) Post(ctx context.Context, number int, thread int64, body string) (Posted, error) {
	panic("unbuilt")
}

// Comments lists the comments of a conversation, or (line) all comments on lines of the pull request, that were written or
// changed at or after since, oldest first: every page, at most 5,000.
func (c *Client) Comments(ctx context.Context, number int, line bool, since time.Time) ([]Posted, error) {
	panic("unbuilt")
}

// Body reads the body of an issue or pull request. SetBody replaces it and returns what stands there afterwards; it is
// repeated only when it surely did not happen.
func (c *Client) Body(ctx context.Context, number int) (string, error) { panic("unbuilt") }

// SetBody replaces the body of an issue or pull request, see Body.
func (c *Client) SetBody(ctx context.Context, number int, body string) (string, error) {
	panic("unbuilt")
}

// Eyes puts 👀 on whatever nodeID names. Twice is once.
func (c *Client) Eyes(ctx context.Context, nodeID string) error { panic("unbuilt") }

// GitToken is a token for git over HTTPS of the repository, fresh for at least ten minutes.
func (c *Client) GitToken(ctx context.Context) (string, error) { panic("unbuilt") }

// AgentToken mints a token for the agent: this repository only, read-only; what comes back is verified to be that, else it
// is an error and the token is revoked. Without an App ErrNoAgentToken. Scope says in words what it may do.
func (c *Client) AgentToken(ctx context.Context) (token, scope string, err error) { panic("unbuilt") }
