package fakegithub

import "fmt"

// html is the page where the thread stands.
func (t *thread) html() string {
	word := "issues"
	if t.pull != nil {
		word = "pull"
	}
	return fmt.Sprintf("%s/%s/%d", t.body.repo.html(), word, t.number)
}

func (t *thread) issueAPI() string { return fmt.Sprintf("%s/issues/%d", t.body.repo.api(), t.number) }
func (t *thread) pullAPI() string  { return fmt.Sprintf("%s/pulls/%d", t.body.repo.api(), t.number) }

func (t *thread) openness() string {
	if t.closed {
		return "closed"
	}
	return "open"
}

// common is what an issue and a pull request have in common.
func (t *thread) common() object {
	s := t.body.repo.s
	var closed any
	if t.closed {
		closed = stamp(t.body.updated)
	}
	o := object{
		"id": t.body.id, "node_id": t.body.node(), "number": t.number, "title": t.title, "body": t.body.body,
		"user": s.user(t.body.author()), "author_association": t.body.repo.association(t.body.author()),
		"state": t.openness(), "locked": t.locked, "active_lock_reason": nil,
		"assignee": nil, "assignees": []any{}, "labels": []any{}, "milestone": nil,
		"comments": len(s.comments(t, comment)), "html_url": t.html(), "comments_url": t.issueAPI() + "/comments",
		"created_at": stamp(t.body.created), "updated_at": stamp(t.body.updated), "closed_at": closed,
	}
	for _, a := range t.assignees {
		if present(a) != nil {
			o["assignees"] = append(o["assignees"].([]any), s.user(a))
		}
	}
	if all := o["assignees"].([]any); len(all) > 0 {
		o["assignee"] = all[0]
	}
	return o
}

// issue is an issue, or a pull request seen as one.
func (t *thread) issue() object {
	s, api := t.body.repo.s, t.issueAPI()
	o := t.common()
	o["user"] = s.userOr(t.body.author())
	o["url"], o["repository_url"] = api, t.body.repo.api()
	o["events_url"], o["timeline_url"], o["labels_url"] = api+"/events", api+"/timeline", api+"/labels{/name}"
	o["reactions"], o["performed_via_github_app"] = t.body.reactionCount(api), s.appOr(t.body.app)
	if t.pull != nil {
		o["draft"] = false
		o["pull_request"] = object{"url": t.pullAPI(), "html_url": t.html(), "diff_url": t.html() + ".diff", "patch_url": t.html() + ".patch"}
	}
	return o
}

// request is a pull request. additions and the like are counted by nobody here and are 0.
func (t *thread) request() object {
	s, p, r := t.body.repo.s, t.pull, t.body.repo
	api, html := t.pullAPI(), t.html()
	link := func(to string) object { return object{"href": to} }
	o := t.common()
	var merged, mergedBy any
	if p.merged {
		merged, mergedBy = stamp(t.body.updated), s.user(r.owner)
	}
	for name, value := range (object{
		"url": api, "diff_url": html + ".diff", "patch_url": html + ".patch", "issue_url": t.issueAPI(),
		"commits_url": api + "/commits", "review_comments_url": api + "/comments", "statuses_url": r.api() + "/statuses/" + p.headOID,
		"review_comment_url": r.api() + "/pulls/comments{/number}", "draft": false, "auto_merge": nil,
		"merged": p.merged, "merged_at": merged, "merged_by": mergedBy, "merge_commit_sha": nil, "mergeable": nil, "mergeable_state": "unknown",
		"additions": 0, "deletions": 0, "changed_files": 0, "commits": 1, "review_comments": len(s.comments(t, onLine)),
		"maintainer_can_modify": false, "requested_reviewers": []any{}, "requested_teams": []any{}, "rebaseable": nil,
		"head": p.end(s, p.head, p.headOwner, p.headBranch, p.headOID),
		"base": p.end(s, r, r.owner.login, p.baseBranch, p.baseOID),
		"_links": object{
			"self": link(api), "html": link(html), "issue": link(t.issueAPI()), "comments": link(t.issueAPI() + "/comments"),
			"review_comments": link(api + "/comments"), "review_comment": link(r.api() + "/pulls/comments{/number}"),
			"commits": link(api + "/commits"), "statuses": link(r.api() + "/statuses/" + p.headOID),
		},
	}) {
		o[name] = value
	}
	return o
}

// end is the head or the base of a pull request. A repository that was deleted is null.
func (p *pull) end(s *Server, r *Repo, owner, branch, oid string) object {
	var repo any
	if r != nil {
		repo = r.shape()
	}
	return object{"label": owner + ":" + branch, "ref": branch, "sha": oid, "user": s.user(s.account(owner)), "repo": repo}
}

// shape is a comment or a review as REST shows it.
func (x *text) shape() object {
	switch x.kind {
	case onLine:
		return x.lineShape()
	case ofReview:
		return x.reviewShape()
	}
	api := fmt.Sprintf("%s/issues/comments/%d", x.repo.api(), x.id)
	return object{
		"id": x.id, "node_id": x.node(), "url": api, "html_url": fmt.Sprintf("%s#issuecomment-%d", x.on.html(), x.id),
		"issue_url": x.on.issueAPI(), "body": x.body, "user": x.repo.s.userOr(x.author()),
		"author_association": x.repo.association(x.author()), "created_at": stamp(x.created), "updated_at": stamp(x.updated),
		"performed_via_github_app": x.repo.s.appOr(x.app), "reactions": x.reactionCount(api),
	}
}

func (x *text) lineShape() object {
	api := fmt.Sprintf("%s/pulls/comments/%d", x.repo.api(), x.id)
	html := fmt.Sprintf("%s#discussion_r%d", x.on.html(), x.id)
	link := func(to string) object { return object{"href": to} }
	o := object{
		"id": x.id, "node_id": x.node(), "url": api, "html_url": html, "pull_request_url": x.on.pullAPI(),
		"pull_request_review_id": x.review.id, "path": x.path, "diff_hunk": x.hunk, "commit_id": x.commit, "original_commit_id": x.commit,
		"line": x.lineNow(), "original_line": x.line, "position": x.lineNow(), "original_position": x.line, "start_line": nil,
		"original_start_line": nil, "side": "RIGHT", "start_side": nil, "subject_type": "line",
		"body": x.body, "user": x.repo.s.user(x.author()), "author_association": x.repo.association(x.author()),
		"created_at": stamp(x.created), "updated_at": stamp(x.updated), "reactions": x.reactionCount(api),
		"_links": object{"self": link(api), "html": link(html), "pull_request": link(x.on.pullAPI())},
	}
	if x.replyTo != nil {
		o["in_reply_to_id"] = x.replyTo.id
	}
	return o
}

func (x *text) reviewShape() object {
	html := fmt.Sprintf("%s#pullrequestreview-%d", x.on.html(), x.id)
	return object{
		"id": x.id, "node_id": x.node(), "html_url": html, "pull_request_url": x.on.pullAPI(), "body": x.body, "state": "COMMENTED",
		"user": x.repo.s.userOr(x.author()), "author_association": x.repo.association(x.author()),
		"commit_id": x.commit, "submitted_at": stamp(x.created),
		"_links": object{"html": object{"href": html}, "pull_request": object{"href": x.on.pullAPI()}},
	}
}
