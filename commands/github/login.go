package github

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/go-github/v66/github"
)

// Login is the App's own login, such as "ai-flow[bot]", and needs no token: it is known also when Look fails, which is the
// usual way to it (Facts.Viewer). GitHub is asked once. Without an App it is an *Error, since a token does not tell whose it
// is.
func (c *Client) Login(ctx context.Context) (string, error) {
	const what = "asking who the App is"
	if !c.App() {
		return "", &Error{What: what, Err: errors.New("there is no App")}
	}
	if failed := c.take(ctx, what); failed != nil {
		return "", failed
	}
	defer c.leave()
	if c.own.login != "" {
		return c.own.login, nil
	}
	var app *github.App
	err := c.do(ctx, call{what: what, as: asApp}, func(ctx context.Context) (err error) {
		app, _, err = c.gh.Apps.Get(ctx, "")
		return err
	})
	switch {
	case err != nil:
		return "", err
	case !isName(app.GetSlug(), "-_"):
		return "", &Error{What: what, Err: fmt.Errorf("GitHub's answer names it %.60q", app.GetSlug())}
	}
	c.own.login = app.GetSlug() + "[bot]"
	return c.own.login, nil
}
