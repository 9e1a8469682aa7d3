// Package thread keeps what ai-flow says on a thread of GitHub: one status line while it works, one result at the end,
// whatever happens in between.
//
// What is said stands where it was asked for: in the comment that holds the command, as block quotes below each command, or,
// for a lone question, in a reply, or, for a review summary, which cannot be edited, in one comment of our own. Every piece
// stands between hidden marks that hold the id of the command's comment. By them a re-run, a second try after a lost answer
// and the finaliser find our own text, and nobody else's, and replace it.
//
// In review threads that a build took up it leaves one reply each, between marks that stand for no result (Answer).
//
// Its one invariant: taking our text out of a body leaves exactly the bytes that people wrote around it (Strip), also when
// they edited the comment while we worked; and below our text in a comment of ours. What they type into our quote stays
// beside a status line, which is one line that can be told; a result goes as a whole, with a line that somebody put into it,
// and that line is found in the history of edits alone. A result that was told without an error stands in one place, without
// a status line; other comments of ours that an earlier failure left behind only point there.
//
// What is written before an act that cannot be taken back (the edit of a description, the push of a build) is written ahead:
// the result together with a status line that holds the digests of what the act changes, before and after. So whoever comes
// next can tell whether the act happened, and finishes or repeats it. A run that cannot find out says so in a result that
// keeps the digests (Unsure), and nobody repeats that act on a guess. What only the act makes known, as the pull request that
// it opens, has a hidden place in that result (render.FillPulls), which is filled when it is made final.
//
// It refuses to touch a comment of ours-looking text that somebody else wrote, to put a result where a reader would not see
// it (in a fence that a person left open), to close what a person left open, to make words (package render does), to post a
// second time before it has looked, and to fail an act that has happened because it cannot be told: then the next place is
// tried, and the last one is the caller's own page (F-47, F-56).
package thread

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"time"

	"github.com/d3mlabs/ai-flow/commands/github"
)

// API is what a thread needs of GitHub. *github.Client is one.
type API interface {
	Comment(ctx context.Context, r github.Ref) (github.Posted, error)
	EditComment(ctx context.Context, r github.Ref, was, body string) (github.Posted, error)
	Post(ctx context.Context, number int, thread int64, body string) (github.Posted, error)
	Comments(ctx context.Context, number int, line bool, since time.Time) ([]github.Posted, error)
}

// Thread is the place of one command. What it knows of the thread it reads there; it is used by one goroutine.
type Thread struct {
	API    API
	Event  github.Event
	Viewer string // our own login; what somebody else wrote is not ours whatever marks it holds
	// Read finds the commands in a comment's body that holds nothing of ours, and foot, where what is about all of them
	// goes: places where a reader would see it.
	Read func(body string) (found []Anchor, foot int)
	// Redact takes what must not leave out of a text that is about to be placed; nil for nothing. It sees what rendering made
	// of the values, and may make a text longer.
	Redact func(string) string
	// Lone says that the command is one question alone, whose answer is a reply.
	Lone bool
	// Now is the body of the command's comment as it has just been read; nil when it was not. Look and the first Wait use it
	// in the place of a call.
	Now *string
	// Asked are the commands as they were authorised: those of the event's body.
	Asked []Anchor

	seen  Standing // what the caller has looked at, or announced: a result ahead or unsure of its act that it may decide about
	alone bool     // no comment of ours about the command stands beside its place, as was seen; else the next result looks
	known *reading
}

// Anchor is a command in a body: where what belongs to it ends (a result goes there), and what it says.
type Anchor struct {
	End  int    // byte offset in the body, before a line break
	Text string // command and instruction as they stand there, up to End: to find it again in an edited comment
}

// Stage is what stands on the thread for a command, an edit or a build alike.
type Stage uint8

// The stages. Of what stands in several places the later counts: what may have happened is not hidden by what did not.
const (
	Silent  Stage = iota // nothing of ours
	Waiting              // a status line
	Failed               // a result that says that it did not work, or was refused; a re-run tries again
	Told                 // a result
	Ahead                // a result written ahead of its act
	Unsure               // a result that leaves open whether its act happened
	Acted                // a result of an act that is not repeated
)

// Act is what a run knows about the act that its result tells of.
type Act uint8

// What can be known. ActUnsure is as little to be done again by a re-run as ActDone, unless the document, or what else the
// act changes, shows that it did not happen.
const (
	ActNone   Act = iota // nothing was done that a re-run must not do again
	ActDone              // it happened
	ActUnsure            // it may have happened, or the half of it did: a branch was pushed, and its pull request could not be opened
)

// Standing is what stands on the thread, and where.
type Standing struct {
	Stage         Stage
	Before, After string // of Ahead, and of Unsure as far as they are known: digests of the document, or what else the act changes
	Gone          bool   // the command's comment was deleted
	Left          bool   // beside the result stands a status line, of a run that goes on or was killed, or another result; Settle takes it away
	URL           string // of the comment that holds it
}

// ErrGone says that the comment with the command was deleted: then nobody is told anything new, unless an act has happened.
var ErrGone = errors.New("the comment with the command was deleted")

// ErrStands says that the result of an act stands on the thread, which nothing but a result of that act replaces. One that
// was written ahead of its act, or leaves open whether it happened, is such a result for whoever has not looked at it; and
// the answer to a lone question is one for a failure.
var ErrStands = errors.New("a result stands there that this one does not replace")

// Digest is the digest of a document, or what else the act changes (for a build any text that names the old and the new
// commits), as Ahead and Standing have it: of any bytes, with line ends made one.
func Digest(text string) string {
	sum := sha256.Sum256([]byte(oneLineEnd(text)))
	return hex.EncodeToString(sum[:16])
}
