package github

import "context"

// Feedback is what people left on a pull request. Texts are foreign.
type Feedback struct {
	Threads  []ReviewThread // unresolved, in GitHub's order; at most 200
	More     int            // unresolved threads beyond those
	Comments []Remark       // of the conversation, and summaries of reviews, oldest first; the newest 100 of each
	Commits  []Commit       // of the head, the newest first; at most 100
}

// ReviewThread is a thread on lines of the pull request that nobody has resolved.
type ReviewThread struct {
	Path     string
	Line     int      // 0 when it is about no line any more
	Outdated bool     // the lines have changed since
	Hunk     string   // the lines that the first comment hangs on
	Comments []Remark // oldest first: the first one, and of the others the last 50
	Omitted  int      // comments between the first and those
}

// Remark is something that was said.
type Remark struct {
	Text
	ID  int64  // of the comment; of a review its own
	URL string // plain, or ""
}

// Feedback asks for what is open on a pull request, page by page: at most five calls.
func (c *Client) Feedback(ctx context.Context, number int) (Feedback, error) { panic("unbuilt") }
