package fakegithub

import "strings"

// role is what a person is in a repository, custom ones as "custom:<base>:<name>".
func (r *Repo) role(a *account) string {
	switch role, said := r.roles[a]; {
	case a == r.owner:
		return "admin"
	case said:
		return role
	case a.role == "":
		return "none"
	default:
		return a.role
	}
}

// baseRole is the role that a custom role extends.
func baseRole(role string) string {
	if rest, custom := strings.CutPrefix(role, "custom:"); custom {
		base, _, _ := strings.Cut(rest, ":")
		return base
	}
	return role
}

// roleName is the role as GitHub shows it in role_name.
func roleName(role string) string { return role[strings.LastIndexByte(role, ':')+1:] }

// permission is the role in the four words of the permission API: maintain counts as write and triage as read. Everybody
// can read what is public.
func (r *Repo) permission(a *account) string {
	switch role := baseRole(r.role(a)); role {
	case "admin":
		return "admin"
	case "write", "maintain":
		return "write"
	case "triage", "read":
		return "read"
	}
	if r.private {
		return "none"
	}
	return "read"
}

// mayWrite reports whether a has write permission.
func (r *Repo) mayWrite(a *account) bool {
	p := r.permission(a)
	return p == "admin" || p == "write"
}

// association is a's author_association.
func (r *Repo) association(a *account) string {
	switch {
	case a == nil:
		return "NONE"
	case a == r.owner:
		return "OWNER"
	case baseRole(r.role(a)) != "none":
		return "COLLABORATOR"
	}
	return "NONE"
}

// app is a GitHub App.
type app struct {
	id     int64
	slug   string
	name   string
	owner  *account
	bot    *account
	key    publicKey
	grants map[string]string // permission -> "read" or "write"
	// installations by the account that they are on.
	installations map[*account]int64
}

// grants that an App has until Grant takes some away: what the documentation of ai-flow asks for.
func appGrants() map[string]string {
	return map[string]string{"contents": "write", "issues": "write", "pull_requests": "write", "metadata": "read"}
}

// installation is the App's installation on the owner of a repository; 0: it is not installed there.
func (w *world) installation(a *app, r *Repo) int64 {
	if r.uninstalled[a] {
		return 0
	}
	if a.installations[r.owner] == 0 {
		a.installations[r.owner] = w.id()
	}
	return a.installations[r.owner]
}
