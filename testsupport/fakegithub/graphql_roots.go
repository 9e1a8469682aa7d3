package fakegithub

import (
	"fmt"
	"slices"
	"strings"
)

// queries is the root of queries.
func (x *asking) queries() thing {
	return thing{"Query", map[string]any{
		"viewer": thing{"User", x.account(x.by.as, x.by.as.login)},
		"repository": lazily(func(args *arguments) any {
			name := args.text("owner") + "/" + args.text("name")
			r, moved := x.s.repo(name)
			if follow, _ := args.get("followRenames").(bool); r == nil || !x.by.sees(r) || moved && !follow {
				return unresolved(fmt.Sprintf("Could not resolve to a Repository with the name '%s'.", name))
			}
			return x.repository(r)
		}),
		"node": lazily(func(args *arguments) any { return x.node(args.text("id")) }),
		"nodes": lazily(func(args *arguments) any {
			ids, _ := args.get("ids").([]any)
			if len(ids) > maxNodes {
				return &queryError{Type: "ARGUMENT_LIMIT", Message: fmt.Sprintf("You may not provide more than %d node ids; you provided %d.", maxNodes, len(ids))}
			}
			return x.nodes(ids)
		}),
	}}
}

// nodes answers with null and an error for each id that names nothing, as GitHub does.
func (x *asking) nodes(ids []any) any {
	found := make([]any, len(ids))
	for i, id := range ids {
		found[i] = x.node(fmt.Sprint(id))
		if e, ok := found[i].(*queryError); ok {
			e.Path = []any{"nodes", i}
			x.errors = append(x.errors, e)
			found[i] = nil
		}
	}
	return found
}

// node finds an object by its global id, or says as GitHub does that there is none for this token.
func (x *asking) node(id string) any {
	if t := x.s.node(id); t != nil {
		return x.text(t)
	}
	if root := x.threadNode(id); root != nil {
		return x.allowed(root.repo, "pull_requests", func() any { return x.reviewThread(root) })
	}
	for _, r := range x.s.repos {
		if r.node() == id && x.by.sees(r) {
			return x.repository(r)
		}
	}
	for _, a := range x.s.accounts {
		if a.node() == id && !a.gone {
			return x.actor(a)
		}
	}
	return noNode(id)
}

// text is a text that the token may read.
func (x *asking) text(t *text) any {
	if !x.by.sees(t.repo) {
		return noNode(t.node())
	}
	return x.allowed(t.repo, t.permission(), func() any { return x.written(t) })
}

// permission is the one that covers a text: an issue's conversation or a pull request's.
func (x *text) permission() string {
	if x.on.pull != nil {
		return "pull_requests"
	}
	return "issues"
}

// allowed gives a value of a repository to who may read it. What is public everybody may read.
func (x *asking) allowed(r *Repo, permission string, value func() any) any {
	if r.private && !(x.by.reaches(r) && x.by.may(permission, "read")) {
		return notAccessible()
	}
	return value()
}

// mutations is the root of mutations.
func (x *asking) mutations() thing {
	return thing{"Mutation", map[string]any{
		"addReaction": lazily(func(args *arguments) any {
			in := args.get("input").(map[string]any)
			id, content := in["subjectId"].(string), in["content"].(string)
			t := x.s.node(id)
			switch {
			case t == nil || !x.by.sees(t.repo):
				return noNode(id)
			case !x.mayReact(t):
				return notAccessible()
			case t.repo.archived:
				return &queryError{Type: "FORBIDDEN", Message: "Repository was archived so is read-only."}
			}
			r, _ := x.s.react(t, x.by.as, restContent(content))
			return thing{"AddReactionPayload", map[string]any{
				"clientMutationId": in["clientMutationId"],
				"reaction":         x.reaction(t, r),
				"subject":          lazily(func(*arguments) any { return x.text(t) }),
				"reactionGroups":   lazily(func(*arguments) any { return x.reactionGroups(t) }),
			}}
		}),
	}}
}

// mayReact reports whether the token may put a reaction on a text. In the conversation of a pull request, and on its body,
// the permission for issues serves as well: to GitHub a pull request is an issue too.
func (x *asking) mayReact(t *text) bool {
	asIssue := t.kind != onLine && t.kind != ofReview
	return x.by.reaches(t.repo) && (x.by.may(t.permission(), "write") || asIssue && x.by.may("issues", "write"))
}

// contents are the names of reactions in REST and in GraphQL, in GitHub's order.
func contents() [][2]string {
	return [][2]string{
		{"+1", "THUMBS_UP"}, {"-1", "THUMBS_DOWN"}, {"laugh", "LAUGH"}, {"hooray", "HOORAY"},
		{"confused", "CONFUSED"}, {"heart", "HEART"}, {"rocket", "ROCKET"}, {"eyes", "EYES"},
	}
}

func restContent(graphQL string) string {
	i := slices.IndexFunc(contents(), func(c [2]string) bool { return c[1] == graphQL })
	return contents()[i][0]
}

func (x *asking) reaction(t *text, r reaction) thing {
	i := slices.IndexFunc(contents(), func(c [2]string) bool { return c[0] == r.content })
	var user any // a bot is no User, so GitHub names none
	if a := present(r.by); a != nil && a.kind == "User" {
		user = x.actor(a)
	}
	return thing{"Reaction", map[string]any{
		"id": nodeID("REA", r.id), "databaseId": r.id, "content": contents()[i][1], "createdAt": r.created, "user": user,
		"reactable": lazily(func(*arguments) any { return x.text(t) }),
	}}
}

func (x *asking) reactionGroups(t *text) any {
	groups := []any{}
	for _, c := range contents() {
		mine := func(r reaction) bool { return r.content == c[0] && r.by == x.by.as }
		groups = append(groups, thing{"ReactionGroup", map[string]any{
			"content": c[1], "viewerHasReacted": slices.ContainsFunc(t.reactions, mine),
			"subject": lazily(func(*arguments) any { return x.text(t) }),
		}})
	}
	return groups
}

func (x *asking) reactions(t *text) lazily {
	return func(args *arguments) any {
		list := t.reactions
		if only := args.text("content"); only != "" {
			list = slices.DeleteFunc(slices.Clone(list), func(r reaction) bool { return r.content != restContent(only) })
		}
		return connection(x, "Reaction", list, func(r reaction) string { return nodeID("REA", r.id) }, func(r reaction) thing { return x.reaction(t, r) })(args)
	}
}

// actor is an account, nil for one that was deleted. GraphQL names a bot without the "[bot]" that its login has in REST and
// in viewer.
func (x *asking) actor(a *account) any {
	if present(a) == nil {
		return nil
	}
	return thing{a.kind, x.account(a, strings.TrimSuffix(a.login, "[bot]"))}
}

func (x *asking) account(a *account, login string) map[string]any {
	at := "/" + login
	if slug, bot := strings.CutSuffix(a.login, "[bot]"); bot {
		at = "/apps/" + slug
	}
	return map[string]any{
		"id": a.node(), "databaseId": a.id, "login": login, "url": x.s.URL() + at, "resourcePath": at,
		"avatarUrl": x.s.URL() + fmt.Sprintf("/avatars/u/%d", a.id),
	}
}
