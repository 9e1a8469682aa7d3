package github

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/google/go-github/v66/github"
)

// In is a client for another repository, by the same App. It has tokens of its own: none goes to a repository that it was
// not made for, and the App may be installed there by somebody else. Calls of both are listed together. In of the client's
// own repository is the client. The fallback token is for its own repository alone: without an App, In of another one is an
// error that says so.
func (c *Client) In(repo Repo) (*Client, error) {
	switch {
	case !repo.named():
		return nil, &Error{What: "calling another repository", Kind: Invalid, Err: fmt.Errorf("%.120q is none", repo.String())}
	case strings.EqualFold(repo.String(), c.o.Repo.String()):
		return c, nil
	case !c.App():
		return nil, unfit(fmt.Sprintf("`GH_TOKEN` is for %s alone, and nothing else is there for %s", c.o.Repo, repo),
			fmt.Sprintf("Set AI_FLOW_APP_ID and AI_FLOW_APP_PRIVATE_KEY of an App that is installed on %s.", repo))
	}
	other := &Client{o: c.o, at: c.at, app: c.app, most: c.most, all: c.all, record: c.record}
	other.o.Repo, other.o.RepoID = repo, 0
	other.begin()
	return other, nil
}

// named reports whether a repository's name may stand in a path of the API.
func (r Repo) named() bool {
	return isName(r.Owner, "-_") && isName(r.Name, "-_.") && r.Name != "." && r.Name != ".."
}

// begin gives a client what no two share: its tokens, and the library with a sending that uses them.
func (c *Client) begin() {
	c.turn, c.own = make(chan struct{}, 1), ownToken{repo: c.o.RepoID}
	// Redirects and failures end in the sender; what reaches the library is an answer that it can read.
	c.gh = github.NewClient(&http.Client{Transport: sender{c}, CheckRedirect: func(*http.Request, []*http.Request) error {
		return http.ErrUseLastResponse
	}})
	c.gh.BaseURL, c.gh.UserAgent = c.at.api, "ai-flow"
}
