package fakegithub

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/getkin/kin-openapi/openapi3filter"
)

// operation is how the fake answers one operation of the description.
type operation struct {
	// needs is "permission:level" of a token; "jwt" for the App itself; "token" for any token; "" for anybody.
	needs  string
	handle func(*call) answer
}

// operations lists what is faked, by operationId. What is not here fails the test that asks for it.
func operations() map[string]operation {
	return map[string]operation{
		"apps/get-authenticated":                     {"jwt", getApp},
		"apps/get-repo-installation":                 {"jwt", getInstallation},
		"apps/create-installation-access-token":      {"jwt", createToken},
		"apps/revoke-installation-access-token":      {"token", revokeToken},
		"apps/list-repos-accessible-to-installation": {"token", listInstallationRepos},
		"rate-limit/get":                             {"", getRateLimit},
		"users/get-by-username":                      {"", getUser},
		"repos/get":                                  {"", getRepo},
		"repos/get-collaborator-permission-level":    {"metadata:read", getPermission},
		"repos/get-content":                          {"contents:read", getContent},
		"repos/get-branch":                           {"contents:read", getBranch},
		"repos/get-commit":                           {"contents:read", getCommit},
		"git/get-ref":                                {"contents:read", getRef},
		"git/get-commit":                             {"contents:read", getGitCommit},
		"issues/get":                                 {"issues:read", getIssue},
		"issues/update":                              {"issues:write", updateIssue},
		"issues/list-comments":                       {"issues:read", listComments},
		"issues/create-comment":                      {"issues:write", createComment},
		"issues/get-comment":                         {"issues:read", getComment},
		"issues/update-comment":                      {"issues:write", updateComment},
		"issues/add-assignees":                       {"issues:write", addAssignees},
		"pulls/list":                                 {"pull_requests:read", listPulls},
		"pulls/create":                               {"pull_requests:write", createPull},
		"pulls/get":                                  {"pull_requests:read", getPull},
		"pulls/list-review-comments":                 {"pull_requests:read", listLineComments},
		"pulls/get-review-comment":                   {"pull_requests:read", getLineComment},
		"pulls/update-review-comment":                {"pull_requests:write", updateLineComment},
		"pulls/create-reply-for-review-comment":      {"pull_requests:write", replyToLineComment},
		"pulls/list-reviews":                         {"pull_requests:read", listReviews},
		"pulls/get-review":                           {"pull_requests:read", getReview},
	}
}

// call is one request to an operation.
type call struct {
	s    *Server
	r    *http.Request
	path map[string]string // parameters of the path
	body []byte
	who  caller
	repo *Repo // nil: the operation is not about one
}

// rest answers a REST request: it judges it and its answer by the description.
func (s *Server) rest(r *http.Request, body []byte, seen *Request) answer {
	url, err := s.byName(strings.TrimPrefix(r.URL.Path, "/api/v3"))
	if err != nil {
		return notFound()
	}
	route, params := s.spec.match(r.Method, url)
	if route == nil {
		s.t.Errorf("fake GitHub: %s %s is no operation of GitHub's (or not in the cut description)", r.Method, url)
		return notFound()
	}
	seen.Operation = route.Operation.OperationID
	if content := route.Operation.RequestBody; content != nil && !content.Value.Required && string(bytes.TrimSpace(body)) == "null" {
		body = nil // what ghinstallation sends when it asks for nothing special
	}
	in := &openapi3filter.RequestValidationInput{Request: r.Clone(r.Context()), Route: route, PathParams: params, QueryParams: r.URL.Query()}
	if err := request(in, body); err != nil {
		s.t.Errorf("fake GitHub: %s: the request is not as GitHub describes it: %v", seen.Operation, err)
		return fail(http.StatusBadRequest, "Problems parsing JSON")
	}
	op, faked := s.ops[seen.Operation]
	if !faked {
		s.t.Errorf("fake GitHub: %s is not faked", seen.Operation)
		return notFound()
	}
	a := op.answer(&call{s: s, r: r, path: params, body: body}, seen)
	if err := s.judgeAnswer(in, a); err != nil {
		s.t.Errorf("fake GitHub: %s: the answer is not as GitHub describes it: %v", seen.Operation, err)
	}
	return a
}

func (s *Server) judgeAnswer(in *openapi3filter.RequestValidationInput, a answer) error {
	var body []byte
	header := http.Header{"Content-Type": {"application/json"}}
	for name, value := range a.header {
		header.Set(name, value)
	}
	if a.body != nil {
		body = bytes.TrimSpace(encode(a.body))
	}
	return response(in, a.status, header, body)
}

// byName turns /repositories/ID/…, where redirects and pages point to, into /repos/OWNER/NAME/….
func (s *Server) byName(url string) (string, error) {
	rest, numbered := strings.CutPrefix(url, "/repositories/")
	if !numbered {
		return url, nil
	}
	number, rest, _ := strings.Cut(rest, "/")
	for _, r := range s.repos {
		if strconv.FormatInt(r.id, 10) == number {
			return strings.TrimSuffix("/repos/"+r.fullName()+"/"+rest, "/"), nil
		}
	}
	return "", fmt.Errorf("no repository %q", number)
}

// answer checks who asks before it lets the handler work.
func (o operation) answer(c *call, seen *Request) answer {
	who, refused := c.s.authenticate(c.r)
	c.who, seen.Token = who, who.kind()
	if refused != nil {
		return *refused
	}
	if refused := o.refuse(c); refused != nil {
		return *refused
	}
	return o.handle(c)
}

// refuse says why the caller does not get this operation; nil: it does.
func (o operation) refuse(c *call) *answer {
	if name := c.path["repo"]; name != "" {
		repo, moved := c.s.repo(c.path["owner"] + "/" + name)
		switch {
		case repo == nil || o.needs != "jwt" && !c.who.token.sees(repo):
			return pointer(notFound())
		case moved:
			return pointer(c.moved(repo))
		}
		c.repo = repo
	}
	permission, level, _ := strings.Cut(o.needs, ":")
	switch {
	case o.needs == "":
		return nil
	case o.needs == "jwt" && c.who.app == nil:
		return pointer(fail(http.StatusUnauthorized, undecodable))
	case o.needs == "jwt":
		return nil
	case c.who.app != nil:
		return badCredentials()
	case c.who.token == nil:
		return pointer(fail(http.StatusUnauthorized, "Requires authentication"))
	case o.needs == "token":
		return nil
	case !c.may(permission, level):
		return pointer(forbidden())
	case level == "write" && c.repo.archived:
		return pointer(fail(http.StatusForbidden, "Repository was archived so is read-only."))
	}
	return nil
}

func pointer(a answer) *answer { return &a }

// moved is the answer to a call by a name that the repository had before. GitHub answers other methods than GET with it as
// well (H7-06).
func (c *call) moved(r *Repo) answer {
	_, rest, _ := strings.Cut(c.r.URL.Path, "/repos/"+c.path["owner"]+"/"+c.path["repo"])
	to := fmt.Sprintf("%s/repositories/%d%s", c.s.API(), r.id, rest)
	if q := c.r.URL.RawQuery; q != "" {
		to += "?" + q
	}
	a := fail(http.StatusMovedPermanently, "Moved Permanently")
	a.body.(object)["url"], a.header = to, map[string]string{"Location": to}
	return a
}

// may reports whether the token grants the permission here. Conversations of pull requests are open to the permission for
// pull requests as well.
func (c *call) may(permission, level string) bool {
	t := c.who.token
	if !t.reaches(c.repo) { // what is public can be read, but not who has which role
		return !c.repo.private && level == "read" && permission != "metadata"
	}
	return t.may(permission, level) || permission == "issues" && c.onPull() && t.may("pull_requests", level)
}

func (c *call) onPull() bool {
	if t := c.repo.thread(int(c.number("issue_number"))); t != nil {
		return t.pull != nil
	}
	x := c.s.text(c.repo, comment, c.number("comment_id"))
	return x != nil && x.on.pull != nil
}

// number reads a parameter of the path, which the description says is a number; 0 when the operation has none.
func (c *call) number(name string) int64 {
	n, err := strconv.ParseInt(c.path[name], 10, 64)
	if err != nil {
		return 0
	}
	return n
}

// read decodes the body, which fits the description.
func (c *call) read(into any) {
	if len(c.body) == 0 {
		return
	}
	if err := json.Unmarshal(c.body, into); err != nil {
		c.s.t.Errorf("fake GitHub: reading the body of %s: %v", c.r.URL.Path, err)
	}
}
