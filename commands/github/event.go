package github

import (
	"errors"
	"time"
)

// Surface is where a comment stands.
type Surface uint8

// The surfaces.
const (
	OnIssue  Surface = iota + 1 // a comment on an issue
	OnPull                      // a comment in the conversation of a pull request
	OnLine                      // a comment on a line of a pull request
	OnReview                    // the summary of a review
)

// Event is a comment that somebody made, as its payload says. Texts are foreign.
type Event struct {
	Surface Surface
	Repo    Repo
	Private bool
	Number  int    // of the issue or pull request
	Title   string // of it, when the comment was made
	Comment Comment
	Sender  Account
	HeadOID string // of the pull request when the comment was made; "" when the payload does not say (conversation)
}

// Comment is the comment, or the review, that holds the command.
type Comment struct {
	ID          int64
	NodeID      string
	Body        string
	Author      Account
	Association string // OWNER, MEMBER, …; "NONE" when absent. Never enough for anything (F-29)
	Created     time.Time
	URL         string
	App         string // slug of the App that wrote it, "" for none
	Path, Hunk  string // of a comment on a line: foreign
	ReplyTo     int64  // of a comment on a line: the comment that began the thread; 0 when it is this one
}

// Account is who wrote something. The zero Account is a deleted one.
type Account struct {
	Login string
	ID    int64
	Bot   bool // anything but a user: a bot, an organisation, a mannequin
}

// ErrNotForUs says that an event is none of the three that hold commands.
var ErrNotForUs = errors.New("the event holds no command: ai-flow reads issue_comment created, pull_request_review_comment created and pull_request_review submitted")

// MaxPayload bounds an event's payload, in bytes.
const MaxPayload = 32 << 20

// ReadEvent reads a payload of the event called name (GITHUB_EVENT_NAME). What is absent or null and not needed is zero;
// a payload without repository, number or comment id is refused. ErrNotForUs for another event or action.
func ReadEvent(name string, payload []byte) (Event, error) { panic("unbuilt") }
