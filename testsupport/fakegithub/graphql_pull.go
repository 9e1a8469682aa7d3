package fakegithub

import "strings"

// pull is what a pull request has beside an issue. It is brought up to date first: a test may have pushed with git.
func (x *asking) pull(t *thread) map[string]any {
	r, p := t.body.repo, t.pull
	r.refresh(t)
	var headRepository any // null when it was deleted, and when the token cannot see it
	if p.head != nil && x.by.sees(p.head) {
		headRepository = lazily(func(*arguments) any { return x.repository(p.head) })
	}
	return map[string]any{
		"updatedAt": t.body.updated, // refresh may have moved it
		"merged":    p.merged, "isDraft": false, "isCrossRepository": p.head != r,
		"headRefName": p.headBranch, "headRefOid": p.headOID, "headRepository": headRepository,
		"headRepositoryOwner": x.actor(x.s.account(p.headOwner)),
		"baseRefName":         p.baseBranch, "baseRefOid": p.baseOID,
		"baseRepository": lazily(func(*arguments) any { return x.repository(r) }),
		"commits":        lazily(func(args *arguments) any { return x.pullCommits(t)(args) }),
		"timelineItems":  x.forcedPushes(t),
		"reviews":        lazily(func(args *arguments) any { return x.texts("PullRequestReview", x.s.comments(t, ofReview))(args) }),
		"reviewThreads": lazily(func(args *arguments) any {
			var roots []*text
			for _, c := range x.s.comments(t, onLine) {
				if c.replyTo == nil {
					roots = append(roots, c)
				}
			}
			return connection(x, "PullRequestReviewThread", roots, (*text).node, x.reviewThread)(args)
		}),
	}
}

// pullCommits are the commits of the head that the base has not, oldest first.
func (x *asking) pullCommits(t *thread) lazily {
	r := t.body.repo
	args := []string{"rev-list", "--reverse", "--topo-order", t.pull.headOID, "^" + t.pull.baseOID}
	if base := r.ref("refs/heads/" + t.pull.baseBranch); base != "" && !t.pull.merged {
		args = append(args, "^"+base)
	}
	out, err := r.git("", args...)
	if err != nil {
		x.s.t.Errorf("fake GitHub: the commits of %s#%d: %v", r.fullName(), t.number, err)
	}
	return connection(x, "PullRequestCommit", strings.Fields(string(out)), func(oid string) string { return oid }, func(oid string) thing {
		return thing{"PullRequestCommit", map[string]any{
			"id": "PRC_" + oid, "commit": x.commit(r, oid), "pullRequest": lazily(func(*arguments) any { return x.text(t.body) }),
		}}
	})
}

// forcedPushes is the timeline of a pull request, of which the fake keeps the last forced push alone.
func (x *asking) forcedPushes(t *thread) lazily {
	return func(args *arguments) any {
		types, _ := args.get("itemTypes").([]any)
		if len(types) != 1 || types[0] != "HEAD_REF_FORCE_PUSHED_EVENT" {
			return x.notFaked("PullRequest.timelineItems of other itemTypes than HEAD_REF_FORCE_PUSHED_EVENT")
		}
		var pushes []*thread
		if !t.pull.forced.IsZero() {
			pushes = []*thread{t}
		}
		id := func(t *thread) string { return "HRFPE_" + t.pull.headOID }
		return connection(x, "PullRequestTimelineItems", pushes, id, func(t *thread) thing {
			return thing{"HeadRefForcePushedEvent", map[string]any{
				"id": id(t), "createdAt": t.pull.forced, "pullRequest": lazily(func(*arguments) any { return x.text(t.body) }),
			}}
		})(args)
	}
}
