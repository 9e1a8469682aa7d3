package github

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/go-github/v66/github"
)

// Ref points to a comment: of a conversation, or of a line of a pull request.
type Ref struct {
	Line bool
	ID   int64
}

// Posted is a comment as it stands. Body and Author are foreign.
type Posted struct {
	Ref
	Body, Author, URL string
	Created           time.Time
}

// Comment reads a comment. Gone when it was deleted.
func (c *Client) Comment(ctx context.Context, r Ref) (Posted, error) {
	return c.comment(ctx, call{what: "reading a comment"}, r, func(ctx context.Context) (remarkable, error) {
		if r.Line {
			p, _, err := c.gh.PullRequests.GetComment(ctx, c.o.Repo.Owner, c.o.Repo.Name, r.ID)
			return p, err
		}
		p, _, err := c.gh.Issues.GetComment(ctx, c.o.Repo.Owner, c.o.Repo.Name, r.ID)
		return p, err
	})
}

// EditComment replaces a comment's body, which was was when body was made of it. It is repeated only when it surely did not
// happen, else its *Error is Unsure: a second edit would take away what a person wrote after the first. Before it is sent
// late, again or after a wait, the comment is read: unless it is still was, the *Error is Moved and nothing was written.
func (c *Client) EditComment(ctx context.Context, r Ref, was, body string) (Posted, error) {
	swap := replacing[Posted]{what: "editing a comment", was: was, body: body, text: func(p Posted) string { return p.Body }}
	swap.read = func(ctx context.Context) (Posted, error) { return c.Comment(ctx, r) }
	return swap.do(ctx, func(ctx context.Context, cl call) (Posted, error) {
		return c.comment(ctx, cl, r, func(ctx context.Context) (remarkable, error) {
			if r.Line {
				p, _, err := c.gh.PullRequests.EditComment(ctx, c.o.Repo.Owner, c.o.Repo.Name, r.ID, &github.PullRequestComment{Body: &body})
				return p, err
			}
			p, _, err := c.gh.Issues.EditComment(ctx, c.o.Repo.Owner, c.o.Repo.Name, r.ID, &github.IssueComment{Body: &body})
			return p, err
		})
	})
}

// Post adds a comment: to the conversation of number, or (thread not 0) to the review thread that the comment thread
// began. It is repeated only when it surely did not happen, else its *Error is Unsure, and its mark has to be looked for
// before it is posted again (H7-04).
func (c *Client) Post(ctx context.Context, number int, thread int64, body string) (Posted, error) {
	r := Ref{Line: thread != 0}
	return c.comment(ctx, call{what: "posting a comment", once: true}, r, func(ctx context.Context) (remarkable, error) {
		if !r.Line {
			p, _, err := c.gh.Issues.CreateComment(ctx, c.o.Repo.Owner, c.o.Repo.Name, number, &github.IssueComment{Body: &body})
			return p, err
		}
		// The library's CreateCommentInReplyTo makes a call of an older form, which GitHub describes no more.
		p := &github.PullRequestComment{}
		err := c.sendJSON(ctx, "POST", fmt.Sprintf("repos/%s/pulls/%d/comments/%d/replies", c.o.Repo, number, thread),
			&github.PullRequestComment{Body: &body}, p)
		return p, err
	})
}

// remarkable is what the library's two kinds of comments have in common.
type remarkable interface {
	GetID() int64
	GetBody() string
	GetUser() *github.User
	GetHTMLURL() string
	GetCreatedAt() github.Timestamp
}

// comment makes a call that answers with a comment: of r, when r has an id.
func (c *Client) comment(ctx context.Context, cl call, r Ref, f func(context.Context) (remarkable, error)) (p Posted, err error) {
	err = c.do(ctx, cl, func(ctx context.Context) error {
		got, err := f(ctx)
		if err != nil {
			return err
		}
		p, err = posted(got, r.Line)
		if err == nil && r.ID != 0 && p.ID != r.ID {
			return fmt.Errorf("it is the comment %d, not %d", p.ID, r.ID)
		}
		return err
	})
	if err != nil {
		return Posted{}, err
	}
	return p, nil
}

func posted(r remarkable, line bool) (Posted, error) {
	if r.GetID() <= 0 {
		return Posted{}, errors.New("it holds no comment")
	}
	author := actor{r.GetUser().GetType(), r.GetUser().GetLogin()}
	return Posted{
		Ref: Ref{Line: line, ID: r.GetID()}, Body: r.GetBody(), Author: author.login(),
		URL: link(r.GetHTMLURL()), Created: r.GetCreatedAt().Time,
	}, nil
}

// Body reads the body of an issue or pull request, from the call for issues: it serves both.
func (c *Client) Body(ctx context.Context, number int) (string, error) {
	return c.body(ctx, call{what: "reading the description"}, number, func(ctx context.Context) (*github.Issue, error) {
		i, _, err := c.gh.Issues.Get(ctx, c.o.Repo.Owner, c.o.Repo.Name, number)
		return i, err
	})
}

// SetBody replaces the body of an issue or pull request, which was was when body was made of it, and returns what stands
// there afterwards. It is repeated, and looked at before it is sent late, as EditComment is: an *Error may be Unsure, and
// Body tells, or Moved.
func (c *Client) SetBody(ctx context.Context, number int, was, body string) (string, error) {
	swap := replacing[string]{what: "editing the description", was: was, body: body, text: func(s string) string { return s }}
	swap.read = func(ctx context.Context) (string, error) { return c.Body(ctx, number) }
	return swap.do(ctx, func(ctx context.Context, cl call) (string, error) {
		return c.body(ctx, cl, number, func(ctx context.Context) (*github.Issue, error) {
			i, _, err := c.gh.Issues.Edit(ctx, c.o.Repo.Owner, c.o.Repo.Name, number, &github.IssueRequest{Body: &body})
			return i, err
		})
	})
}

func (c *Client) body(ctx context.Context, cl call, number int, f func(context.Context) (*github.Issue, error)) (body string, err error) {
	err = c.do(ctx, cl, func(ctx context.Context) error {
		i, err := f(ctx)
		if err == nil && i.GetNumber() != number {
			err = fmt.Errorf("it is number %d, not %d", i.GetNumber(), number)
		}
		body = i.GetBody()
		return err
	})
	if err != nil {
		return "", err
	}
	return body, nil
}
