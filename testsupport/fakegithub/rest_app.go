package fakegithub

import (
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

func getApp(c *call) answer { return ok(c.who.app.shape(c.s)) }

func getInstallation(c *call) answer {
	a := c.who.app
	id := c.s.installation(a, c.repo)
	if id == 0 {
		return notFound()
	}
	number := strconv.FormatInt(id, 10)
	return ok(object{
		"id": id, "account": c.s.user(c.repo.owner), "app_id": a.id, "app_slug": a.slug, "permissions": a.grants, "events": []string{},
		"access_tokens_url": c.s.API() + "/app/installations/" + number + "/access_tokens",
		"repositories_url":  c.s.API() + "/installation/repositories", "html_url": c.s.URL() + "/settings/installations/" + number,
		"repository_selection": "all", "single_file_name": nil, "suspended_at": nil, "suspended_by": nil,
		"target_id": c.repo.owner.id, "target_type": c.repo.owner.kind, "created_at": stamp(start()), "updated_at": stamp(start()),
	})
}

// createToken makes an access token: restricted as asked for, and never more than the App has.
func createToken(c *call) answer {
	var in struct {
		Repositories  []string
		RepositoryIDs []int64 `json:"repository_ids"`
		Permissions   map[string]string
	}
	c.read(&in)
	on := c.s.installedOn(c.who.app, c.number("installation_id"))
	if on == nil {
		return notFound()
	}
	t := &token{app: c.who.app, as: c.who.app.bot, grants: maps.Clone(c.who.app.grants)}
	if in.Permissions != nil {
		for permission, level := range in.Permissions {
			if !t.may(permission, level) {
				return fail(http.StatusUnprocessableEntity, "The permissions requested are not granted to this installation.")
			}
		}
		t.grants = in.Permissions
		t.grants["metadata"] = "read" // comes with all others
	}
	all := c.s.reached(c.who.app, on)
	t.repos = all
	if len(in.Repositories)+len(in.RepositoryIDs) > 0 {
		t.repos = slices.DeleteFunc(slices.Clone(all), func(r *Repo) bool {
			named := slices.ContainsFunc(in.Repositories, func(name string) bool { return strings.EqualFold(name, r.name) })
			return !named && !slices.Contains(in.RepositoryIDs, r.id)
		})
		if len(t.repos) < len(in.Repositories)+len(in.RepositoryIDs) {
			return fail(http.StatusUnprocessableEntity, "There is at least one repository that does not exist or is not accessible to the parent installation.")
		}
	}
	c.s.issue(t)
	return answer{status: http.StatusCreated, body: t.shape(c.s, len(in.Repositories)+len(in.RepositoryIDs) > 0)}
}

// shape is a new token. The repositories stand in it only when it is restricted to some.
func (t *token) shape(s *Server, selected bool) object {
	o := object{"token": t.value, "expires_at": stamp(t.expires), "permissions": t.grants, "repository_selection": "all"}
	if selected {
		var repos []any
		for _, r := range t.repos {
			repos = append(repos, r.shape())
		}
		o["repository_selection"], o["repositories"] = "selected", repos
	}
	return o
}

func revokeToken(c *call) answer {
	c.who.token.revoked = true
	return answer{status: http.StatusNoContent}
}

func listInstallationRepos(c *call) answer {
	var repos []any
	for _, r := range c.who.token.repos {
		repos = append(repos, r.shape())
	}
	a := c.page(repos)
	a.body = object{"total_count": len(repos), "repositories": a.body, "repository_selection": "selected"}
	return a
}

func getRateLimit(c *call) answer {
	left := object{"limit": rateLimit, "remaining": rateLimit - 1, "used": 1, "reset": c.s.reset()}
	return ok(object{"rate": left, "resources": object{"core": left, "search": left}})
}
