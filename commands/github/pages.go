package github

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/go-github/v66/github"
)

// The bounds of a list of comments: how many there may be, and bytes of all that they say. Anybody may write comments.
const (
	maxComments = 5000
	maxList     = 64 << 20
)

// The sizes of a page. A hundred of the longest comments do not fit into an answer of ours, twenty do whatever is in them
// (65,536 characters, each at most 6 bytes of JSON): else a stranger with a few dozen long comments could keep us from
// finding our own.
const (
	usualPage = 100
	smallPage = 20
)

// Comments lists the comments of a conversation, or (line) all comments on lines of the pull request, that were written or
// changed at or after since, oldest first: every page, at most 5,000 comments and 64 MiB of text; more is an error, since a
// list with an end missing proves nothing.
func (c *Client) Comments(ctx context.Context, number int, line bool, since time.Time) ([]Posted, error) {
	const what = "listing the comments"
	var all []Posted
	left := c.all
	for page, size := 1, usualPage; page != 0; {
		var got []Posted
		next := 0
		err := c.do(ctx, call{what: what}, func(ctx context.Context) (err error) {
			got, next, err = c.page(ctx, number, line, since, github.ListOptions{Page: page, PerPage: size})
			return err
		})
		if errors.Is(err, errTooLarge) && size == usualPage {
			page, size = (page-1)*usualPage/smallPage+1, smallPage
			continue
		}
		if err != nil {
			return nil, err
		}
		all = append(all, got...)
		if left -= weight(got); left < 0 {
			return nil, &Error{What: what, Err: fmt.Errorf("they hold more than %d bytes", c.all)}
		}
		if len(all) > maxComments || next > maxComments/size {
			return nil, &Error{What: what, Err: fmt.Errorf("there are more than %d", maxComments)}
		}
		// The host of a next page is not asked for: only its number is used, and it has to grow.
		if next != 0 && next <= page {
			return nil, &Error{What: what, Err: fmt.Errorf("after page %d GitHub names page %d", page, next)}
		}
		page = next
	}
	return all, nil
}

// weight is how many bytes comments hold.
func weight(comments []Posted) (n int64) {
	for _, p := range comments {
		n += int64(len(p.Body) + len(p.Author) + len(p.URL))
	}
	return n
}

// page reads one page; next is 0 at the last.
func (c *Client) page(ctx context.Context, number int, line bool, since time.Time, at github.ListOptions) (got []Posted, next int, err error) {
	var list []remarkable
	var resp *github.Response
	since = since.UTC()
	if line {
		var comments []*github.PullRequestComment
		o := &github.PullRequestListCommentsOptions{Sort: "created", Direction: "asc", Since: since, ListOptions: at}
		comments, resp, err = c.gh.PullRequests.ListComments(ctx, c.o.Repo.Owner, c.o.Repo.Name, number, o)
		list = remarks(comments)
	} else {
		var comments []*github.IssueComment
		o := &github.IssueListCommentsOptions{ListOptions: at}
		if !since.IsZero() {
			o.Since = &since
		}
		comments, resp, err = c.gh.Issues.ListComments(ctx, c.o.Repo.Owner, c.o.Repo.Name, number, o)
		list = remarks(comments)
	}
	if err != nil {
		return nil, 0, err
	}
	for _, r := range list {
		p, err := posted(r, line)
		if err != nil {
			return nil, 0, err
		}
		got = append(got, p)
	}
	return got, resp.NextPage, nil
}

func remarks[T remarkable](comments []T) (list []remarkable) {
	for _, r := range comments {
		list = append(list, r)
	}
	return list
}
