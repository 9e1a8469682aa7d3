package fakegithub

import (
	"cmp"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// maxTitle bounds a title, in characters.
const maxTitle = 256

// createPull opens a pull request, or says in GitHub's words why not.
func createPull(c *call) answer {
	var in struct {
		Title, Body, Head, Base string
		HeadRepo                string `json:"head_repo"`
		Issue                   int
		Draft                   bool
	}
	c.read(&in)
	if in.HeadRepo != "" || in.Issue != 0 || in.Draft {
		c.s.t.Errorf("fake GitHub: opening a pull request with head_repo, issue or draft is not faked")
	}
	refused := invalidText(in.Title, in.Body)
	p, noPull := c.newPull(in.Head, in.Base)
	switch {
	case c.who.token.kind == "static" && c.repo.noActions:
		return fail(http.StatusForbidden, "GitHub Actions is not permitted to create or approve pull requests.")
	case refused != nil:
		return *refused
	case noPull != nil:
		return *noPull
	}
	t := c.repo.open(ofPull, c.who.token.as, in.Title, in.Body)
	t.body.app, t.pull = c.who.token.app, p
	c.repo.refresh(t)
	return answer{http.StatusCreated, t.request(), map[string]string{"Location": t.pullAPI()}}
}

func invalidText(title, body string) *answer {
	switch {
	case strings.TrimSpace(title) == "":
		return pointer(unprocessable("PullRequest", "title", "missing_field", ""))
	case utf8.RuneCountInString(title) > maxTitle:
		return pointer(unprocessable("PullRequest", "title", "custom", "title is too long (maximum is 256 characters)"))
	case utf8.RuneCountInString(body) > maxText:
		return pointer(unprocessable("PullRequest", "body", "custom", "body is too long (maximum is 65536 characters)"))
	}
	return nil
}

// unprocessable is a refusal that names no field or has no words, as those of pull requests.
func unprocessable(resource, field, code, message string) answer {
	a := invalid(resource, field, code, message)
	problem := a.body.(object)["errors"].([]any)[0].(object)
	for _, name := range []string{"field", "message"} {
		if problem[name] == "" {
			delete(problem, name)
		}
	}
	return a
}

// newPull is a pull request from head ("branch" or "owner:branch") to base.
func (c *call) newPull(head, base string) (*pull, *answer) {
	from, branch := c.repo, head
	if owner, name, qualified := strings.Cut(head, ":"); qualified {
		from, branch = c.network(owner), name
	}
	if from == nil || from.ref("refs/heads/"+branch) == "" {
		return nil, pointer(unprocessable("PullRequest", "head", "invalid", ""))
	}
	tip, onto := from.ref("refs/heads/"+branch), c.repo.ref("refs/heads/"+base)
	if onto == "" {
		return nil, pointer(unprocessable("PullRequest", "base", "invalid", ""))
	}
	custom := func(words string) (*pull, *answer) {
		return nil, pointer(unprocessable("PullRequest", "", "custom", words))
	}
	for _, t := range c.repo.s.pullsOf(from, branch) {
		if t.body.repo == c.repo && !t.closed && t.pull.baseBranch == base {
			return custom("A pull request already exists for " + from.owner.login + ":" + branch + ".")
		}
	}
	if c.repo.contains(onto, tip) {
		return custom("No commits between " + base + " and " + head)
	}
	if _, err := c.repo.git("", "merge-base", onto, tip); err != nil {
		return custom("The " + branch + " branch has no history in common with " + base)
	}
	return &pull{head: from, headOwner: from.owner.login, headBranch: branch, baseBranch: base, baseOID: onto}, nil
}

// network finds the repository of an owner among this one and its forks.
func (c *call) network(owner string) *Repo {
	for _, r := range c.s.repos {
		if strings.EqualFold(r.owner.login, owner) && (r == c.repo || r.fork == c.repo) {
			return r
		}
	}
	return nil
}

// listPulls lists pull requests, the newest first unless it is asked otherwise.
func listPulls(c *call) answer {
	q := c.r.URL.Query()
	owner, branch, qualified := strings.Cut(q.Get("head"), ":")
	if q.Get("head") != "" && !qualified {
		c.s.t.Errorf("fake GitHub: head=%q names no owner, and GitHub ignores it", q.Get("head"))
	}
	state := cmp.Or(q.Get("state"), "open")
	var found []*thread
	for _, t := range c.repo.threads {
		switch {
		case t.pull == nil, state != "all" && state != t.openness(), q.Get("base") != "" && q.Get("base") != t.pull.baseBranch:
			continue
		case qualified && (!strings.EqualFold(owner, t.pull.headOwner) || branch != t.pull.headBranch):
			continue
		}
		c.repo.refresh(t)
		found = append(found, t)
	}
	c.order(found, q.Get("sort"), q.Get("direction"))
	var shapes []any
	for _, t := range found {
		shapes = append(shapes, simple(t))
	}
	return c.page(shapes)
}

// order sorts threads as a list is asked for.
func (c *call) order(list []*thread, by, direction string) {
	at := func(t *thread) time.Time { return t.body.created }
	switch by {
	case "", "created":
		direction = cmp.Or(direction, "desc")
	case "updated":
		at = func(t *thread) time.Time { return t.body.updated }
	default:
		c.s.t.Errorf("fake GitHub: order by %q is not faked", by)
	}
	slices.SortStableFunc(list, func(a, b *thread) int {
		if direction == "desc" {
			a, b = b, a
		}
		return at(a).Compare(at(b))
	})
}

// maxAssignees of a thread.
const maxAssignees = 10

// addAssignees assigns people, and passes over in silence those who cannot be assigned.
func addAssignees(c *call) answer {
	t := c.thread("issue_number")
	if t == nil {
		return notFound()
	}
	var in struct{ Assignees []json.RawMessage }
	c.read(&in)
	for _, raw := range in.Assignees {
		var login string
		if json.Unmarshal(raw, &login) != nil {
			c.s.t.Errorf("fake GitHub: assigning %s is not faked", raw)
			continue
		}
		a := c.s.account(login)
		if a != nil && c.assignable(t, a) && !slices.Contains(t.assignees, a) && len(t.assignees) < maxAssignees {
			t.assignees, t.body.updated = append(t.assignees, a), c.s.tick()
		}
	}
	return answer{status: http.StatusCreated, body: t.issue()}
}

// assignable are people who may write, and those who wrote on the thread.
func (c *call) assignable(t *thread, a *account) bool {
	wrote := slices.ContainsFunc(c.s.texts, func(x *text) bool { return x.on == t && x.by == a && !x.deleted })
	return a.kind == "User" && (c.repo.mayWrite(a) || wrote)
}
