package fakegithub

import (
	"slices"
	"strings"
)

// refs are the branches whose names contain query, whatever the case, in the order of the alphabet.
func (x *asking) refs(r *Repo) lazily {
	return func(args *arguments) any {
		if args.text("refPrefix") != "refs/heads/" {
			return x.notFaked("Repository.refs of another refPrefix than refs/heads/")
		}
		field, down := order(args)
		if field != "" && field != "ALPHABETICAL" {
			return x.notFaked("Repository.refs ordered by " + field)
		}
		query := strings.ToLower(args.text("query"))
		var names []string
		for _, ref := range r.refs("refs/heads") {
			if name := strings.TrimPrefix(ref, "refs/heads/"); strings.Contains(strings.ToLower(name), query) {
				names = append(names, name)
			}
		}
		if down {
			slices.Reverse(names)
		}
		list := connection(x, "Ref", names, func(name string) string { return "REF_" + name }, func(name string) thing { return x.ref(r, name).(thing) })(args)
		return x.allowed(r, "contents", func() any { return list })
	}
}

// order reads orderBy; field "": none is given.
func order(args *arguments) (field string, down bool) {
	by, _ := args.get("orderBy").(map[string]any)
	field, _ = by["field"].(string)
	return field, by["direction"] == "DESC"
}

// history is a commit and all before it, the newest first.
func (x *asking) history(r *Repo, oid string) lazily {
	return func(args *arguments) any {
		return connection(x, "CommitHistory", r.history(oid), func(c *commit) string { return c.oid }, func(c *commit) thing { return x.commit(r, c.oid) })(args)
	}
}

// pullsFrom are the pull requests whose head is the branch, in this and in other repositories, the oldest first.
func (x *asking) pullsFrom(r *Repo, branch string) lazily {
	return func(args *arguments) any {
		field, down := order(args)
		states, _ := args.get("states").([]any)
		var found []*text
		for _, t := range x.s.pullsOf(r, branch) {
			if t.body.repo.refresh(t); x.by.sees(t.body.repo) && (states == nil || slices.Contains(states, any(t.enumState()))) {
				found = append(found, t.body)
			}
		}
		switch field {
		case "UPDATED_AT":
			slices.SortStableFunc(found, func(a, b *text) int { return a.updated.Compare(b.updated) })
		case "COMMENTS":
			return x.notFaked("Ref.associatedPullRequests ordered by COMMENTS")
		}
		if down {
			slices.Reverse(found)
		}
		list := x.texts("PullRequest", found)(args)
		return x.allowed(r, "pull_requests", func() any { return list })
	}
}

// assignees of an issue or pull request.
func (x *asking) assignees(t *thread) lazily {
	return func(args *arguments) any {
		people := slices.DeleteFunc(slices.Clone(t.assignees), func(a *account) bool { return a.gone })
		return connection(x, "User", people, (*account).node, func(a *account) thing { return x.actor(a).(thing) })(args)
	}
}
