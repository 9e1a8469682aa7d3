package fakegithub

import (
	"fmt"
	"maps"
	"strconv"
	"strings"
)

// written is a text of any kind.
func (x *asking) written(t *text) thing {
	fields := x.comment(t)
	if t.kind >= comment {
		fields["isMinimized"], fields["minimizedReason"] = false, nil
	}
	switch t.kind {
	case ofIssue:
		maps.Copy(fields, x.thread(t.on))
		return thing{"Issue", fields}
	case ofPull:
		maps.Copy(fields, x.thread(t.on))
		maps.Copy(fields, x.pull(t.on))
		return thing{"PullRequest", fields}
	case comment:
		// The schema insists on an Issue for a comment on a pull request too; what GitHub says there is not faked.
		at := lazily(func(*arguments) any { return x.text(t.on.body) })
		if fields["pullRequest"] = nil; t.on.pull != nil {
			fields["pullRequest"] = at
		} else {
			fields["issue"] = at
		}
		return thing{"IssueComment", fields}
	case onLine:
		maps.Copy(fields, x.lineComment(t))
		return thing{"PullRequestReviewComment", fields}
	}
	maps.Copy(fields, x.review(t))
	return thing{"PullRequestReview", fields}
}

// comment is what all texts have.
func (x *asking) comment(t *text) map[string]any {
	at := t.permalink()
	return map[string]any{
		"id": t.node(), "databaseId": t.id, "fullDatabaseId": strconv.FormatInt(t.id, 10),
		"body": t.body, "author": x.actor(t.author()), "authorAssociation": t.repo.association(t.author()),
		"createdAt": t.created, "publishedAt": t.created, "updatedAt": t.updated, "createdViaEmail": false,
		"lastEditedAt": stampOr(t.edited), "editor": x.actor(t.lastEditor()), "includesCreatedEdit": t.edits > 0,
		"viewerDidAuthor": t.by == x.by.as,
		"url":             x.s.URL() + at, "resourcePath": at,
		"repository":     lazily(func(*arguments) any { return x.repository(t.repo) }),
		"reactions":      x.reactions(t),
		"reactionGroups": lazily(func(*arguments) any { return x.reactionGroups(t) }),
	}
}

// permalink is the path of a text on the server.
func (x *text) permalink() string {
	at := strings.TrimPrefix(x.on.html(), x.repo.s.URL())
	switch x.kind {
	case comment:
		return fmt.Sprintf("%s#issuecomment-%d", at, x.id)
	case onLine:
		return fmt.Sprintf("%s#discussion_r%d", at, x.id)
	case ofReview:
		return fmt.Sprintf("%s#pullrequestreview-%d", at, x.id)
	}
	return at
}

// thread is what issues and pull requests have beside their text.
func (x *asking) thread(t *thread) map[string]any {
	return map[string]any{
		"number": t.number, "title": t.title, "state": t.enumState(), "closed": t.closed, "locked": t.locked,
		"comments":  lazily(func(args *arguments) any { return x.texts("IssueComment", x.s.comments(t, comment))(args) }),
		"assignees": x.assignees(t),
	}
}

// enumState is the state in GraphQL's words.
func (t *thread) enumState() string {
	switch {
	case t.pull != nil && t.pull.merged:
		return "MERGED"
	case t.closed:
		return "CLOSED"
	}
	return "OPEN"
}

func (x *asking) texts(typ string, list []*text) lazily {
	return connection(x, typ, list, (*text).node, x.written)
}

func (x *asking) lineComment(t *text) map[string]any {
	var replyTo any
	if t.replyTo != nil && !t.replyTo.deleted {
		replyTo = lazily(func(*arguments) any { return x.text(t.replyTo) })
	}
	return map[string]any{
		"path": t.path, "diffHunk": t.hunk, "line": t.lineNow(), "outdated": t.lineNow() == nil, "originalLine": t.line, "subjectType": "LINE", "state": "SUBMITTED",
		"replyTo":           replyTo,
		"commit":            lazily(func(*arguments) any { return x.commit(t.repo, t.commit) }),
		"pullRequest":       lazily(func(*arguments) any { return x.text(t.on.body) }),
		"pullRequestReview": lazily(func(*arguments) any { return x.text(t.review) }),
	}
}

func (x *asking) review(t *text) map[string]any {
	return map[string]any{
		"state": "COMMENTED", "submittedAt": t.created,
		"commit":      lazily(func(*arguments) any { return x.commit(t.repo, t.commit) }),
		"pullRequest": lazily(func(*arguments) any { return x.text(t.on.body) }),
		"comments": lazily(func(args *arguments) any {
			var own []*text
			for _, c := range x.s.comments(t.on, onLine) {
				if c.review == t {
					own = append(own, c)
				}
			}
			return x.texts("PullRequestReviewComment", own)(args)
		}),
	}
}

// threadPrefix of the global id of a review thread, whose number is that of the comment that began it.
const threadPrefix = "PRRT"

// threadNode finds the comment that began a review thread; nil: there is none that the token could see.
func (x *asking) threadNode(id string) *text {
	if !strings.HasPrefix(id, threadPrefix+"_") {
		return nil
	}
	return x.s.find(func(t *text) bool {
		return t.kind == onLine && t.replyTo == nil && nodeID(threadPrefix, t.id) == id && x.by.sees(t.repo)
	})
}

// Resolve resolves the review thread that the comment id began.
func (r *Repo) Resolve(id int64) {
	r.s.mu.Lock()
	defer r.s.mu.Unlock()
	r.mustText(onLine, id).resolved = true
	r.s.tick()
}

// reviewThread is the thread that root began.
func (x *asking) reviewThread(root *text) thing {
	return thing{"PullRequestReviewThread", map[string]any{
		"id": nodeID(threadPrefix, root.id), "path": root.path, "line": root.lineNow(), "isOutdated": root.outdated, "originalLine": root.line, "subjectType": "LINE",
		"isResolved": root.resolved, "isCollapsed": root.resolved,
		"pullRequest": lazily(func(*arguments) any { return x.text(root.on.body) }),
		"repository":  lazily(func(*arguments) any { return x.repository(root.repo) }),
		"comments": lazily(func(args *arguments) any {
			var own []*text
			for _, c := range x.s.comments(root.on, onLine) {
				if c == root || c.replyTo == root {
					own = append(own, c)
				}
			}
			return x.texts("PullRequestReviewComment", own)(args)
		}),
	}}
}
