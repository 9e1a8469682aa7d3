package fakegithub

// Webhooks show things nearly as REST does; what differs is here.

// payload is the payload for x. There is no installation in it: runners get none.
func (s *Server) payload(x *text, action string) object {
	all := object{"action": action, "repository": x.repo.shape(), "sender": s.user(present(x.by))}
	if o := x.repo.owner; o.kind == "Organization" {
		all["organization"] = s.organization(o)
	}
	switch x.kind {
	case onLine:
		all["comment"], all["pull_request"] = x.lineShape(), simple(x.on)
	case ofReview:
		all["review"], all["pull_request"] = s.submitted(x), simple(x.on)
	default:
		all["comment"], all["issue"] = s.commented(x), x.on.inEvent()
	}
	for _, part := range []string{"comment", "review"} {
		if o, is := all[part].(object); is {
			o["user"] = s.userOr(x.author())
		}
	}
	each(all, asWebhook)
	return all
}

// asWebhook takes away what REST alone shows of accounts, and adds what webhooks alone show of repositories.
func asWebhook(o object) {
	delete(o, "user_view_type")
	if _, is := o["default_branch"]; is {
		o["is_template"], o["web_commit_signoff_required"], o["allow_forking"] = false, false, true
		o["custom_properties"] = object{}
	}
}

func (s *Server) organization(a *account) object {
	api := s.API() + "/orgs/" + a.login
	return linked(object{
		"login": a.login, "id": a.id, "node_id": a.node(), "url": api, "avatar_url": s.URL() + "/avatars/u/" + a.node(), "description": nil,
	}, api, map[string]string{
		"repos": "/repos", "events": "/events", "hooks": "/hooks", "issues": "/issues", "members": "/members{/member}",
		"public_members": "/public_members{/member}",
	})
}

// commented is a comment in a conversation. What an App's bot writes is written with the App, also when a test says only
// who wrote it.
func (s *Server) commented(x *text) object {
	o := x.shape()
	if x.app == nil {
		o["performed_via_github_app"] = s.appOr(s.appCalled(func(a *app) bool { return a.bot == x.by }))
	}
	return o
}

// submitted is a review: its state in small letters, and null for no summary.
func (s *Server) submitted(x *text) object {
	o := x.reviewShape()
	o["state"] = "commented"
	o["body"] = orNull(x.body)
	return o
}

func orNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}

// inEvent is an issue, or a pull request seen as one.
func (t *thread) inEvent() object {
	o := t.issue()
	o["body"], o["state_reason"] = orNull(t.body.body), nil
	if pull, is := o["pull_request"].(object); is {
		pull["merged_at"] = t.request()["merged_at"]
	}
	return o
}

// simple is a pull request without what GitHub has to count and to try out.
func simple(t *thread) object {
	o := t.request()
	for _, counted := range []string{
		"merged", "merged_by", "mergeable", "mergeable_state", "additions", "deletions", "changed_files", "commits", "comments",
		"review_comments", "maintainer_can_modify", "rebaseable",
	} {
		delete(o, counted)
	}
	o["body"], o["user"] = orNull(t.body.body), t.body.repo.s.userOr(t.body.author())
	return o
}
