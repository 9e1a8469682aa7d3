package github

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"
)

// Feedback is what people left on a pull request. Texts are foreign. What a person has hidden, drafts, and what has no words
// are left out.
type Feedback struct {
	Threads  []ReviewThread // unresolved, in GitHub's order, which is the oldest first; at most the last 200
	More     int            // unresolved threads before those
	Unread   int            // threads before all of these that were not read, resolved or not
	Comments []Remark       // of the conversation, and summaries of reviews, oldest first; the newest 100 of each, or 5 of very long ones
	Older    int            // comments and reviews before those
	// ReadSince is since when whatever was said in the conversation and in summaries of reviews has been read, also what is
	// left out here: the two lists are cut each for itself, so that the oldest of Comments does not tell. Zero when neither
	// was cut; a time that does not come when one was, and nothing tells.
	ReadSince time.Time
	Commits   []Commit // of the head, the newest first; at most 100
}

// ReviewThread is a thread on lines of the pull request that nobody has resolved.
type ReviewThread struct {
	Path     string
	Line     int      // 0 when it is about no line any more
	Outdated bool     // the lines have changed since
	Hunk     string   // the lines that the first comment hangs on
	Comments []Remark // oldest first: the first one, and of the others the last 50, or the last one where they are very long
	Omitted  int      // comments between the first and those
}

// Remark is something that was said.
type Remark struct {
	Text
	ID  int64  // of the comment; of a review its own
	URL string // plain, or ""
}

// The bounds of the answer to Feedback.
const (
	maxPages   = 10
	maxThreads = 200
)

// portion is how much one call asks for.
type portion struct{ talk, threads, replies int }

// Of the usual portion as many of the longest texts come as do not fit into an answer, and anybody may write them: the small
// one fits whatever is in it, so that nobody's comments can keep a build from the others (as of pages, see smallPage).
var (
	usualPortion = portion{talk: 100, threads: 100, replies: 50}
	smallPortion = portion{talk: 5, threads: 5, replies: 1}
)

// Feedback asks for what is open on a pull request, page by page from the newest thread on: at most ten calls. From the oldest
// on was rejected: what a stranger or former rounds have left would hide what somebody said just now.
func (c *Client) Feedback(ctx context.Context, number int) (Feedback, error) {
	var f Feedback
	size, cursor := usualPortion, ""
	for page, first := 0, true; page < maxPages; page++ {
		p, err := c.feedbackPage(ctx, number, size, cursor, first)
		if errors.Is(err, errTooLarge) && size == usualPortion {
			size = smallPortion
			continue
		}
		if err == nil {
			err = f.add(p, first)
		}
		if err != nil {
			return Feedback{}, asFailed(err)
		}
		at := p.ReviewThreads.PageInfo
		if !at.HasPreviousPage {
			f.Unread = 0
			break
		}
		if at.StartCursor == "" || at.StartCursor == cursor {
			return Feedback{}, asFailed(errors.New("before a page of threads GitHub names the same one"))
		}
		cursor, first = at.StartCursor, false
	}
	slices.Reverse(f.Threads)
	return f, nil
}

const readingFeedback = "reading what was said about the pull request"

// asFailed makes an *Error of what is wrong with an answer.
func asFailed(err error) error {
	var e *Error
	if errors.As(err, &e) {
		return err
	}
	return &Error{What: readingFeedback, Err: err}
}

// feedbackPage makes one call: the first for everything, others for threads alone.
func (c *Client) feedbackPage(ctx context.Context, number int, size portion, cursor string, first bool) (*feedbackNode, error) {
	if number < 1 || number > math.MaxInt32 {
		return nil, &Error{What: readingFeedback, Kind: Invalid, Err: fmt.Errorf("the number %d is no pull request's", number)}
	}
	query, variables := threadsQuery, map[string]any{
		"owner": c.o.Repo.Owner, "name": c.o.Repo.Name, "number": number, "threads": size.threads, "replies": size.replies, "cursor": nil,
	}
	if cursor != "" {
		variables["cursor"] = cursor
	}
	if first {
		query, variables["talk"] = feedbackQuery, size.talk
	}
	var said struct {
		Data struct {
			Repository *struct{ PullRequest *feedbackNode }
		}
		Errors []graphqlError
	}
	if err := c.askGraphQL(ctx, readingFeedback, query, variables, &said); err != nil {
		return nil, err
	}
	if failed := c.graphqlError(readingFeedback, said.Errors, nil); failed != nil {
		return nil, failed
	}
	switch {
	case said.Data.Repository == nil:
		return nil, &Error{What: readingFeedback, Err: errors.New("GitHub's answer holds no repository")}
	case said.Data.Repository.PullRequest == nil:
		return nil, &Error{What: readingFeedback, Kind: Gone, Err: errNoSubject}
	}
	return said.Data.Repository.PullRequest, nil
}

// add takes a page in: its threads behind those that are there, the newest first.
func (f *Feedback) add(p *feedbackNode, first bool) error {
	if first {
		f.Unread = p.ReviewThreads.TotalCount
		if err := f.addTalk(p); err != nil {
			return err
		}
	}
	for _, n := range slices.Backward(p.ReviewThreads.Nodes) {
		if n == nil || n.IsResolved {
			continue
		}
		t, open, err := n.thread()
		switch {
		case err != nil:
			return err
		case !open:
		case len(f.Threads) == maxThreads:
			f.More++
		default:
			f.Threads = append(f.Threads, t)
		}
	}
	f.Unread = max(0, f.Unread-len(p.ReviewThreads.Nodes))
	return nil
}

// cut counts what a list lacks. One that lacks something and does not say since when is one of which nothing counts as read.
func (f *Feedback) cut(list remarkNodes) {
	lacks := list.TotalCount - len(list.Nodes)
	if lacks <= 0 {
		return
	}
	oldest := list.oldest()
	if oldest.IsZero() {
		oldest = time.Date(9999, time.December, 31, 0, 0, 0, 0, time.UTC)
	}
	f.Older, f.ReadSince = f.Older+lacks, later(f.ReadSince, oldest)
}

// addTalk takes in what only the first page has.
func (f *Feedback) addTalk(p *feedbackNode) (err error) {
	for _, list := range []remarkNodes{p.Comments, p.Reviews} {
		f.cut(list)
		for _, n := range list.Nodes {
			if n == nil || n.silent() {
				continue
			}
			r, err := n.remark()
			if err != nil {
				return err
			}
			f.Comments = append(f.Comments, r)
		}
	}
	slices.SortStableFunc(f.Comments, func(a, b Remark) int { return a.Created.Compare(b.Created) })
	var commits []*commitNode
	for _, n := range p.Commits.Nodes {
		if n != nil {
			commits = append(commits, &n.Commit)
		}
	}
	slices.Reverse(commits)
	f.Commits, err = commitsOf(commits)
	return err
}
