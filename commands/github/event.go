package github

import (
	"errors"
	"fmt"
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

// Event is a comment that somebody made, as its payload says. Texts are foreign and of any length up to the payload's.
type Event struct {
	Surface Surface
	Repo    Repo
	RepoID  int64  // its id, which stays when it is renamed; 0 when the payload does not say
	Number  int    // of the issue or pull request; at least 1, and no more than GraphQL's Int can ask for
	Title   string // of it, when the comment was made
	Comment Comment
	Sender  Account
	HeadOID string // of the pull request when the comment was made; "" when the payload does not say (conversation)
}

// Comment is the comment, or the review, that holds the command.
type Comment struct {
	ID          int64 // at least 1
	NodeID      string
	Body        string // "" for a review without a summary
	Author      Account
	Association string    // OWNER, MEMBER, …; "NONE" when absent or unheard of. Never enough for anything (F-29)
	Created     time.Time // zero when the payload does not say
	URL         string    // http or https, with a host, ready for a link; "" for anything else
	App         string    // slug of the App that it was written through, "" for none; "?" for one without a slug
	Path, Hunk  string    // of a comment on a line: foreign
	ReplyTo     int64     // of a comment on a line: the comment that began the thread; 0 when it is this one
}

// Account is who wrote something. The zero Account is a deleted one: no account, or the "ghost" that GitHub puts in its
// place.
type Account struct {
	Login string // letters, digits, - and _; a bot's ends with [bot]
	ID    int64
	Bot   bool // anything but a user: a bot, an organisation, a mannequin, or what does not say
}

// ErrNotForUs says that an event is none of the three that hold commands.
var ErrNotForUs = errors.New("it reads issue_comment created, pull_request_review_comment created and pull_request_review submitted")

// MaxPayload bounds an event's payload, in bytes. GitHub's own bound is 25 MB.
const MaxPayload = 32 << 20

// ReadEvent reads a payload of the event called name (GITHUB_EVENT_NAME). ErrNotForUs for another event or action: a
// comment that is edited, deleted or dismissed never commands (H1-06). An edit to a command is not run even when it mends
// the command, since whoever may edit a comment is not only its author, and since our own results are edits; a new comment
// is the way to try again.
//
// What is absent or null and not needed is zero, whatever the schema says. What is not ours to read is ignored. Refused, by
// an error that quotes at most 60 characters, is a payload that is no JSON object, is larger than MaxPayload, is without
// repository, number, id or node id of the comment, or holds a value of the wrong type or shape where we read: names go
// into paths and a commit's id into git. Bytes that are no UTF-8 become U+FFFD. Of a key that stands twice the last one
// counts, as encoding/json has it: strangers write values of a payload, never its keys.
func ReadEvent(name string, payload []byte) (Event, error) {
	want := wanted(name)
	if want == "" {
		return Event{}, fmt.Errorf("ai-flow does not answer %s events; %w", word(name), ErrNotForUs)
	}
	if len(payload) > MaxPayload {
		return Event{}, fmt.Errorf("reading the payload of %s: it is larger than %d bytes", name, MaxPayload)
	}
	p, err := decode(payload)
	if p.Action != "" && p.Action != want {
		return Event{}, fmt.Errorf("ai-flow does not answer %s %s; %w", name, word(p.Action), ErrNotForUs)
	}
	if err == nil && p.Action == "" {
		err = errors.New("it names no action")
	}
	if err != nil {
		return Event{}, fmt.Errorf("reading the payload of %s: %w", name, err)
	}
	e, err := p.event(name)
	if err != nil {
		return Event{}, fmt.Errorf("reading the payload of %s: %w", name, err)
	}
	return e, nil
}

// word is a name in a sentence, quoted unless it is a plain one.
func word(name string) string {
	if len(name) <= 60 && isName(name, "_") {
		return name
	}
	return fmt.Sprintf("%.60q", name)
}

// wanted is the one action of an event that holds commands, "" when the event is not for us.
func wanted(name string) string {
	switch name {
	case "issue_comment", "pull_request_review_comment":
		return "created"
	case "pull_request_review":
		return "submitted"
	}
	return ""
}
