package fakegithub

import (
	"fmt"
	"net/url"
	"strings"
	"time"
)

// What GitHub shows of things, with all that its description requires.

func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// stampOr is null for the zero time.
func stampOr(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return stamp(t)
}

// fields whose value is an address: the name without _url, and what follows the thing's own address.
var (
	userAddresses = map[string]string{
		"followers": "/followers", "following": "/following{/other_user}", "gists": "/gists{/gist_id}",
		"starred": "/starred{/owner}{/repo}", "subscriptions": "/subscriptions", "organizations": "/orgs",
		"repos": "/repos", "events": "/events{/privacy}", "received_events": "/received_events",
	}
	repoAddresses = map[string]string{
		"archive": "/{archive_format}{/ref}", "assignees": "/assignees{/user}", "blobs": "/git/blobs{/sha}",
		"branches": "/branches{/branch}", "collaborators": "/collaborators{/collaborator}", "comments": "/comments{/number}",
		"commits": "/commits{/sha}", "compare": "/compare/{base}...{head}", "contents": "/contents/{+path}",
		"contributors": "/contributors", "deployments": "/deployments", "downloads": "/downloads", "events": "/events",
		"forks": "/forks", "git_commits": "/git/commits{/sha}", "git_refs": "/git/refs{/sha}", "git_tags": "/git/tags{/sha}",
		"hooks": "/hooks", "issue_comment": "/issues/comments{/number}", "issue_events": "/issues/events{/number}",
		"issues": "/issues{/number}", "keys": "/keys{/key_id}", "labels": "/labels{/name}", "languages": "/languages",
		"merges": "/merges", "milestones": "/milestones{/number}", "notifications": "/notifications{?since,all,participating}",
		"pulls": "/pulls{/number}", "releases": "/releases{/id}", "stargazers": "/stargazers", "statuses": "/statuses/{sha}",
		"subscribers": "/subscribers", "subscription": "/subscription", "tags": "/tags", "teams": "/teams", "trees": "/git/trees{/sha}",
	}
)

func linked(o object, base string, of map[string]string) object {
	for name, rest := range of {
		o[name+"_url"] = base + rest
	}
	return o
}

// user is an account; nil is the ghost that stands for all deleted ones.
func (s *Server) user(a *account) object {
	if a == nil {
		a = &account{id: 10137, login: "ghost", kind: "User"}
	}
	api := s.API() + "/users/" + url.PathEscape(a.login)
	html := s.URL() + "/" + url.PathEscape(a.login)
	if slug, isBot := strings.CutSuffix(a.login, "[bot]"); isBot {
		html = s.URL() + "/apps/" + slug
	}
	return linked(object{
		"login": a.login, "id": a.id, "node_id": a.node(), "type": a.kind, "site_admin": false, "user_view_type": "public",
		"avatar_url": s.URL() + "/avatars/u/" + fmt.Sprint(a.id), "gravatar_id": "", "url": api, "html_url": html,
	}, api, userAddresses)
}

// userOr is null for a deleted account.
func (s *Server) userOr(a *account) any {
	if a == nil {
		return nil
	}
	return s.user(a)
}

func (r *Repo) api() string  { return r.s.API() + "/repos/" + r.fullName() }
func (r *Repo) html() string { return r.s.URL() + "/" + r.fullName() }

// shape is the repository as it stands in other things.
func (r *Repo) shape() object {
	open := 0
	for _, t := range r.threads {
		if !t.closed {
			open++
		}
	}
	return linked(object{
		"id": r.id, "node_id": r.node(), "name": r.name, "full_name": r.fullName(), "private": r.private,
		"owner": r.s.user(r.owner), "html_url": r.html(), "url": r.api(), "description": nil, "fork": r.fork != nil,
		"clone_url": r.html() + ".git", "svn_url": r.html(), "mirror_url": nil, "homepage": nil, "language": nil, "license": nil,
		"git_url": "git://" + strings.TrimPrefix(r.html(), "http://") + ".git", "ssh_url": "git@127.0.0.1:" + r.fullName() + ".git",
		"default_branch": r.defaultBranch, "visibility": r.visibility(),
		"archived": r.archived, "disabled": false, "size": 1, "topics": []any{},
		"forks": 0, "forks_count": 0, "stargazers_count": 0, "watchers": 0, "watchers_count": 0,
		"open_issues": open, "open_issues_count": open,
		"has_downloads": true, "has_issues": true, "has_pages": false, "has_projects": true, "has_wiki": true, "has_discussions": false,
		"created_at": stamp(start()), "updated_at": stamp(start()), "pushed_at": stamp(start()),
	}, r.api(), repoAddresses)
}

// shape is the App as it stands in comments.
func (a *app) shape(s *Server) object {
	return object{
		"id": a.id, "slug": a.slug, "node_id": nodeID("A", a.id), "name": a.name, "description": "", "owner": s.user(a.owner),
		"external_url": s.URL(), "html_url": s.URL() + "/apps/" + a.slug, "permissions": a.grants,
		"events": []string{}, "created_at": stamp(start()), "updated_at": stamp(start()),
	}
}

func (s *Server) appOr(a *app) any {
	if a == nil {
		return nil
	}
	return a.shape(s)
}

// reactionWords are the reactions in the words of REST.
var reactionWords = []string{"+1", "-1", "laugh", "hooray", "confused", "heart", "rocket", "eyes"}

func (x *text) reactionCount(address string) object {
	counts := object{"url": address + "/reactions", "total_count": len(x.reactions)}
	for _, word := range reactionWords {
		n := 0
		for _, r := range x.reactions {
			if r.content == word {
				n++
			}
		}
		counts[word] = n
	}
	return counts
}
