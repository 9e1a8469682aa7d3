package github

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
)

// minLeft is how long a token of the dispatcher's must still be good before a call: longer than any call or fetch takes
// (H7-02). GitHub's are good for an hour.
const minLeft = 10 * time.Minute

// ownToken is the dispatcher's token, and what tokens come from: the App's installation and the repository.
type ownToken struct {
	installation int64
	repo         int64 // the repository's id; 0 until it is known
	token        string
	ends         time.Time
}

// GitToken is a token for git over HTTPS of the repository, fresh for at least ten minutes.
func (c *Client) GitToken(ctx context.Context) (string, error) {
	token, failed := c.ownToken(ctx)
	if failed != nil {
		return "", failed
	}
	return token, nil
}

// AgentToken mints a token for the agent: this repository only, read-only; what comes back is verified to be that, else it
// is an error and the token is revoked. Without an App ErrNoAgentToken. Scope says in words what it may do.
func (c *Client) AgentToken(ctx context.Context) (token, scope string, err error) {
	if !c.App() {
		return "", "", ErrNoAgentToken
	}
	g, failed := c.mintOnce(ctx, "minting the agent's token", agentNeeds)
	if failed != nil {
		return "", "", failed
	}
	return g.Token, fmt.Sprintf("%s of %s only", words(agentNeeds), c.o.Repo), nil
}

// PushToken is a fresh token for git to push to the repository: contents: write of this repository and nothing else, minted
// for each call and kept by nobody. Without an App it is the fallback token, whose permissions nobody knows before it is used.
// An App that may not write contents is an *Error with Setup: ask before there is something to push.
func (c *Client) PushToken(ctx context.Context) (string, error) {
	if !c.App() {
		return c.o.Token, nil
	}
	g, failed := c.mintOnce(ctx, "minting the token to push", pushNeeds)
	if failed != nil {
		return "", failed
	}
	return g.Token, nil
}

// ownToken is a token that is good for the next call.
func (c *Client) ownToken(ctx context.Context) (string, *Error) {
	if !c.App() {
		return c.o.Token, nil
	}
	const what = "minting the dispatcher's token"
	if failed := c.take(ctx, what); failed != nil {
		return "", failed
	}
	defer c.leave()
	if c.own.token != "" && c.own.ends.Sub(c.o.Now()) >= minLeft {
		return c.own.token, nil
	}
	g, failed := c.mint(ctx, what, dispatcherNeeds)
	if failed != nil {
		return "", failed
	}
	c.own.token, c.own.ends = g.Token, g.ExpiresAt
	return g.Token, nil
}

// drop forgets a token that GitHub refused, unless another goroutine has minted the next one already.
func (c *Client) drop(ctx context.Context, token string) {
	if c.take(ctx, "") == nil {
		defer c.leave()
		if c.own.token == token {
			c.own.token = ""
		}
	}
}

// take waits for the turn to mint: a mutex was rejected, whose wait would not end with the context.
func (c *Client) take(ctx context.Context, what string) *Error {
	select {
	case c.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return cancelled(what, context.Cause(ctx))
	}
}

func (c *Client) leave() { <-c.turn }

// grant is a token as GitHub describes it. The library's own type was rejected: it drops permissions that it does not know.
type grant struct {
	Token        string            `json:"token"`
	ExpiresAt    time.Time         `json:"expires_at"`
	Permissions  map[string]string `json:"permissions"`
	Repositories []struct {
		ID       int64  `json:"id"`
		FullName string `json:"full_name"`
	} `json:"repositories"`
}

// mintOnce mints a token that is not kept.
func (c *Client) mintOnce(ctx context.Context, what string, needs []permission) (*grant, *Error) {
	if failed := c.take(ctx, what); failed != nil {
		return nil, failed
	}
	defer c.leave()
	return c.mint(ctx, what, needs)
}

// mint makes a token for our repository and these permissions, with the turn held. A second token does no harm, so this is
// repeated like a question. The repository is named by its id once that is known: calls to an old name are redirected, but no
// token is made for one.
func (c *Client) mint(ctx context.Context, what string, needs []permission) (*grant, *Error) {
	if failed := c.findInstallation(ctx); failed != nil {
		return nil, failed
	}
	ask := struct {
		Repositories  []string          `json:"repositories,omitempty"`
		RepositoryIDs []int64           `json:"repository_ids,omitempty"`
		Permissions   map[string]string `json:"permissions"`
	}{Permissions: asMap(needs)}
	if c.own.repo > 0 {
		ask.RepositoryIDs = []int64{c.own.repo}
	} else {
		ask.Repositories = []string{c.o.Repo.Name}
	}
	g := &grant{}
	err := c.do(ctx, call{what: what, as: asApp}, func(ctx context.Context) error {
		path := fmt.Sprintf("app/installations/%d/access_tokens", c.own.installation)
		return c.sendJSON(ctx, "POST", path, ask, g)
	})
	if err != nil {
		failed := asError(err)
		if failed.Next == "" && (failed.Kind == Invalid || failed.Kind == Forbidden || failed.Kind == Gone) {
			failed.Setup, failed.Next = true, fmt.Sprintf("See that the App is installed on %s with at least: %s.", c.o.Repo, words(needs))
		}
		return nil, failed
	}
	if !tokenShaped(g.Token) {
		return nil, &Error{What: what, Err: errors.New("GitHub's answer holds no token")}
	}
	c.keepSecret(g.Token)
	if failed := c.verify(ctx, what, needs, g); failed != nil {
		return nil, failed
	}
	c.own.repo = g.Repositories[0].ID
	return g, nil
}

// isOurs reports whether a token is for our repository alone.
func (c *Client) isOurs(g *grant) bool {
	switch {
	case len(g.Repositories) != 1:
		return false
	case c.own.repo > 0:
		return g.Repositories[0].ID == c.own.repo
	}
	return strings.EqualFold(g.Repositories[0].FullName, c.o.Repo.String())
}

// verify holds what came back against what was asked for. A token that can do more is not used for less: it is revoked.
func (c *Client) verify(ctx context.Context, what string, needs []permission, g *grant) *Error {
	var wrong, next string
	switch missing := lacking(needs, g.Permissions); {
	case !c.isOurs(g):
		wrong = "the token is not for " + c.o.Repo.String() + " alone"
	case beyond(needs, g.Permissions):
		wrong = "the token may do more than was asked for (" + words(needs) + ")"
	case len(missing) > 0:
		wrong, next = "the token lacks "+words(missing), c.allow(words(missing))
	case g.ExpiresAt.IsZero():
		wrong = "the token does not say when it ends"
	default:
		return nil
	}
	e := &Error{What: what, Kind: Forbidden, Err: errors.New(wrong), Setup: next != "", Next: next}
	if err := c.revoke(ctx, g.Token); err != nil {
		e.Err = fmt.Errorf("%w; it could not be revoked and ends by itself within the hour", e.Err)
	}
	return e
}

// revoke ends a token. That it is dead already is as good (H7-03).
func (c *Client) revoke(ctx context.Context, token string) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), c.o.Deadline)
	defer cancel()
	err := c.do(ctx, call{what: "revoking a token", as: asGiven, token: token}, func(ctx context.Context) error {
		_, err := c.gh.Apps.RevokeInstallationToken(ctx)
		return err
	})
	var e *Error
	if errors.As(err, &e) && e.Kind == Unauthorized {
		return nil
	}
	return err
}

// sendJSON makes a call that the library has no method for, or one that hides what we have to see.
func (c *Client) sendJSON(ctx context.Context, method, path string, in, out any) error {
	req, err := c.gh.NewRequest(method, path, in)
	if err != nil {
		return err
	}
	_, err = c.gh.Do(ctx, req, out)
	return err
}

// asError is what do returns, by its type.
func asError(err error) *Error {
	var e *Error
	if !errors.As(err, &e) {
		e = &Error{Err: err}
	}
	return e
}
