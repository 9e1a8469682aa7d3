package fakegithub

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"strings"
)

func getUser(c *call) answer {
	a := c.s.account(c.path["username"])
	if a == nil {
		return notFound()
	}
	o := c.s.user(a)
	for _, name := range []string{"name", "company", "blog", "location", "email", "hireable", "bio"} {
		o[name] = nil
	}
	for _, name := range []string{"public_repos", "public_gists", "followers", "following"} {
		o[name] = 0
	}
	o["created_at"], o["updated_at"] = stamp(start()), stamp(start())
	return ok(o)
}

func getRepo(c *call) answer {
	o := c.repo.shape()
	o["network_count"], o["subscribers_count"] = 0, 0
	return ok(o)
}

// getPermission tells what somebody may do, by the name that the account has now.
func getPermission(c *call) answer {
	login := c.path["username"]
	for name, status := range c.s.lookups {
		if strings.EqualFold(name, login) && status != 0 {
			return fail(status, http.StatusText(status))
		}
	}
	a := c.s.account(login)
	if a == nil {
		return fail(http.StatusNotFound, login+" is not a user")
	}
	permission, role := c.repo.permission(a), c.repo.role(a)
	if baseRole(role) == "none" {
		role = permission
	}
	o := c.s.user(a)
	o["role_name"] = roleName(role)
	o["permissions"] = object{
		"pull": permission != "none", "triage": permission != "none" && baseRole(role) != "read", "push": c.repo.mayWrite(a),
		"maintain": baseRole(role) == "maintain" || permission == "admin", "admin": permission == "admin",
	}
	return ok(object{"permission": permission, "role_name": roleName(role), "user": o})
}

func getBranch(c *call) answer {
	branch := c.path["branch"]
	oid := c.repo.ref("refs/heads/" + branch)
	if oid == "" {
		return fail(http.StatusNotFound, "Branch not found")
	}
	self := c.repo.api() + "/branches/" + branch
	protected := c.repo.protected[branch]
	return ok(object{
		"name": branch, "commit": c.repo.commit(oid).shape(c.repo), "protected": protected, "protection": object{"enabled": protected}, "protection_url": self + "/protection",
		"_links": object{"self": self, "html": c.repo.html() + "/tree/" + branch},
	})
}

func getCommit(c *call) answer {
	found := c.repo.commit(c.path["ref"])
	if found == nil {
		return fail(http.StatusUnprocessableEntity, "No commit found for SHA: "+c.path["ref"])
	}
	return ok(found.shape(c.repo))
}

func getGitCommit(c *call) answer {
	found := c.repo.commit(c.path["commit_sha"])
	if found == nil || found.oid != c.path["commit_sha"] {
		return notFound()
	}
	return ok(found.gitShape(c.repo))
}

func getRef(c *call) answer {
	oid := c.repo.ref("refs/" + c.path["ref"])
	if oid == "" {
		return notFound()
	}
	kind, _ := c.repo.object(oid)
	api := c.repo.api() + "/git/"
	return ok(object{
		"ref": "refs/" + c.path["ref"], "node_id": nodeID("REF", c.repo.id), "url": api + "refs/" + c.path["ref"],
		"object": object{"type": kind, "sha": oid, "url": api + kind + "s/" + oid},
	})
}

// shape is a commit as the calls about repositories show it: with the accounts of its authors, which nobody here has.
func (k *commit) shape(r *Repo) object {
	inner := k.gitShape(r)
	for _, name := range []string{"sha", "node_id", "html_url", "parents"} {
		delete(inner, name)
	}
	inner["comment_count"] = 0
	return object{
		"sha": k.oid, "node_id": "C_" + k.oid, "url": r.api() + "/commits/" + k.oid, "html_url": r.html() + "/commit/" + k.oid,
		"comments_url": r.api() + "/commits/" + k.oid + "/comments", "author": object{}, "committer": object{},
		"commit": inner, "parents": k.parentShapes(r, "/commits/"),
	}
}

// gitShape is a commit as the calls about git show it.
func (k *commit) gitShape(r *Repo) object {
	return object{
		"sha": k.oid, "node_id": "C_" + k.oid, "url": r.api() + "/git/commits/" + k.oid, "html_url": r.html() + "/commit/" + k.oid,
		"author": k.author.shape(), "committer": k.committer.shape(), "message": k.message,
		"tree": object{"sha": k.tree, "url": r.api() + "/git/trees/" + k.tree}, "parents": k.parentShapes(r, "/git/commits/"),
		"verification": object{"verified": false, "reason": "unsigned", "signature": nil, "payload": nil, "verified_at": nil},
	}
}

func (k *commit) parentShapes(r *Repo, address string) []any {
	parents := []any{}
	for _, oid := range k.parents {
		parents = append(parents, object{"sha": oid, "url": r.api() + address + oid, "html_url": r.html() + "/commit/" + oid})
	}
	return parents
}

func (g signature) shape() object {
	return object{"name": g.name, "email": g.email, "date": stamp(g.at)}
}

// maxContent is the largest file whose content stands in the answer, in bytes.
const maxContent = 1 << 20

func getContent(c *call) answer {
	ref := c.r.URL.Query().Get("ref")
	if ref == "" {
		ref = c.repo.defaultBranch
	}
	found := c.repo.commit(ref)
	if found == nil {
		return fail(http.StatusNotFound, "No commit found for the ref "+ref)
	}
	entries, isDir := c.repo.tree(found.oid, c.path["path"])
	switch {
	case isDir:
		list := []any{}
		for _, e := range entries {
			list = append(list, e.shape(c.repo, ref))
		}
		return ok(list)
	case len(entries) == 0:
		return notFound()
	}
	return ok(entries[0].content(c.repo, ref))
}

// content is a file with what is in it, or a link with its target.
func (e entry) content(r *Repo, ref string) object {
	o := e.shape(r, ref)
	_, data := r.object(e.oid)
	switch {
	case e.kind == "symlink":
		o["target"] = string(data)
	case e.kind == "submodule":
		o["submodule_git_url"] = nil
	case len(data) > maxContent:
		o["content"], o["encoding"] = "", "none"
	default:
		o["content"], o["encoding"] = lines(base64.StdEncoding.EncodeToString(data)), "base64"
	}
	return o
}

// lines breaks base64 as GitHub does.
func lines(s string) string {
	var b strings.Builder
	for len(s) > 60 {
		b.WriteString(s[:60] + "\n")
		s = s[60:]
	}
	return b.String() + s + "\n"
}

func (e entry) shape(r *Repo, ref string) object {
	self := fmt.Sprintf("%s/contents/%s?ref=%s", r.api(), e.path, ref)
	html := r.html() + "/blob/" + ref + "/" + e.path
	git := r.api() + "/git/blobs/" + e.oid
	return object{
		"type": e.kind, "name": e.path[strings.LastIndexByte(e.path, '/')+1:], "path": e.path, "sha": e.oid, "size": e.size,
		"url": self, "html_url": html, "git_url": git, "download_url": nil,
		"_links": object{"self": self, "html": html, "git": git},
	}
}
