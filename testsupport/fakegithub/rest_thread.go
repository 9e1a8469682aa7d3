package fakegithub

import (
	"net/http"
	"strings"
	"time"
	"unicode/utf8"
)

// maxText bounds a body, in characters.
const maxText = 65536

func getIssue(c *call) answer {
	t := c.thread("issue_number")
	if t == nil {
		return notFound()
	}
	return ok(t.issue())
}

func updateIssue(c *call) answer {
	t := c.thread("issue_number")
	if t == nil {
		return notFound()
	}
	var in map[string]any
	c.read(&in)
	for name := range in {
		if name != "body" && name != "title" && name != "state" {
			c.s.t.Errorf("fake GitHub: changing %q of an issue is not faked", name)
		}
	}
	if body, given := in["body"].(string); given {
		if utf8.RuneCountInString(body) > maxText {
			return invalid("Issue", "body", "custom", "body is too long (maximum is 65536 characters)")
		}
		c.s.edit(t.body, c.who.token.as, body)
	}
	if title, given := in["title"].(string); given && title != t.title {
		t.title, t.body.updated = title, c.s.tick()
	}
	if state, given := in["state"].(string); given && state != t.openness() {
		t.closed, t.body.updated = state == "closed", c.s.tick()
	}
	return ok(t.issue())
}

func getPull(c *call) answer {
	t := c.thread("pull_number")
	if t == nil || t.pull == nil {
		return notFound()
	}
	return ok(t.request())
}

// thread finds the issue or pull request that the call is about, as it stands now.
func (c *call) thread(parameter string) *thread {
	t := c.repo.thread(int(c.number(parameter)))
	if t != nil {
		c.repo.refresh(t)
	}
	return t
}

func listComments(c *call) answer     { return c.list("issue_number", comment) }
func listLineComments(c *call) answer { return c.list("pull_number", onLine) }
func listReviews(c *call) answer      { return c.list("pull_number", ofReview) }

// list gives a page of the texts of one kind, oldest first.
func (c *call) list(parameter string, k kind) answer {
	t := c.thread(parameter)
	if t == nil || k != comment && t.pull == nil {
		return notFound()
	}
	since, err := time.Parse(time.RFC3339, c.r.URL.Query().Get("since"))
	if err != nil {
		since = time.Time{} // not given: another form is a breach
	}
	if q := c.r.URL.Query(); q.Get("sort") != "" && q.Get("sort") != "created" || q.Get("direction") == "desc" {
		c.s.t.Errorf("fake GitHub: order %q is not faked", c.r.URL.RawQuery)
	}
	var found []any
	for _, x := range c.s.comments(t, k) {
		if !x.updated.Before(since) {
			found = append(found, x.shape())
		}
	}
	return c.page(found)
}

func createComment(c *call) answer {
	t := c.thread("issue_number")
	switch {
	case t == nil:
		return notFound()
	case t.locked:
		return fail(http.StatusForbidden, "Unable to create comment because issue is locked.")
	}
	body, refused := c.newBody("IssueComment")
	if refused != nil {
		return *refused
	}
	return c.created(c.s.write(t, comment, c.who.token.as, body))
}

func replyToLineComment(c *call) answer {
	t := c.thread("pull_number")
	to := c.s.text(c.repo, onLine, c.number("comment_id"))
	switch {
	case t == nil || to == nil || to.on != t:
		return notFound()
	case to.replyTo != nil: // replies to replies are not supported, GitHub says
		return notFound()
	case t.locked:
		return fail(http.StatusForbidden, "Unable to create comment because issue is locked.")
	}
	body, refused := c.newBody("PullRequestReviewComment")
	if refused != nil {
		return *refused
	}
	return c.created(c.s.writeOnLine(t, c.who.token.as, body, "", to))
}

func (c *call) created(x *text) answer {
	x.app = c.who.token.app
	shape := x.shape()
	return answer{http.StatusCreated, shape, map[string]string{"Location": shape["url"].(string)}}
}

func getComment(c *call) answer        { return c.get(comment, "comment_id") }
func getLineComment(c *call) answer    { return c.get(onLine, "comment_id") }
func updateComment(c *call) answer     { return c.update(comment, "IssueComment") }
func updateLineComment(c *call) answer { return c.update(onLine, "PullRequestReviewComment") }

func getReview(c *call) answer {
	x := c.s.text(c.repo, ofReview, c.number("review_id"))
	if x == nil || x.on != c.thread("pull_number") {
		return notFound()
	}
	return ok(x.shape())
}

func (c *call) get(k kind, parameter string) answer {
	x := c.s.text(c.repo, k, c.number(parameter))
	if x == nil {
		return notFound()
	}
	return ok(x.shape())
}

// update edits a comment. Whoever wrote it may, and whoever has write permission, which the token's permission is.
func (c *call) update(k kind, resource string) answer {
	x := c.s.text(c.repo, k, c.number("comment_id"))
	if x == nil {
		return notFound()
	}
	body, refused := c.newBody(resource)
	if refused != nil {
		return *refused
	}
	c.s.edit(x, c.who.token.as, body)
	return ok(x.shape())
}

// newBody is the body that the call sends, or the refusal of it.
func (c *call) newBody(resource string) (string, *answer) {
	var in struct{ Body string }
	c.read(&in)
	switch {
	case strings.TrimSpace(in.Body) == "":
		return "", pointer(invalid(resource, "data", "unprocessable", "Body cannot be blank"))
	case utf8.RuneCountInString(in.Body) > maxText:
		return "", pointer(invalid(resource, "data", "unprocessable", "Body is too long (maximum is 65536 characters)"))
	}
	return in.Body, nil
}
