package github

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/google/go-github/v66/github"
)

// findInstallation asks once where the App is installed, and whether it may there do what the dispatcher does: better said
// before any work than after it.
func (c *Client) findInstallation(ctx context.Context) *Error {
	if c.own.installation != 0 {
		return nil
	}
	const what = "finding the App's installation"
	var in *github.Installation
	err := c.do(ctx, call{what: what, as: asApp}, func(ctx context.Context) (err error) {
		in, _, err = c.gh.Apps.FindRepositoryInstallation(ctx, c.o.Repo.Owner, c.o.Repo.Name)
		return err
	})
	if err != nil {
		failed := asError(err)
		if failed.Kind == Gone {
			failed.What, failed.Message, failed.Setup = fmt.Sprintf("the App %d is not installed on %s", c.o.AppID, c.o.Repo), "", true
			failed.Next = fmt.Sprintf("Install it: the App's settings page, Install App, %s.", c.o.Repo)
		}
		return failed
	}
	if in.GetID() <= 0 {
		return &Error{What: what, Err: errors.New("GitHub's answer names no installation")}
	}
	if in.SuspendedAt != nil {
		return &Error{What: fmt.Sprintf("the installation of the App %d on %s is suspended", c.o.AppID, c.o.Repo), Kind: Forbidden, Setup: true,
			Next: "Unsuspend it: the settings of " + c.o.Repo.Owner + ", GitHub Apps, Configure."}
	}
	if missing := lacking(dispatcherNeeds, granted(in)); in.Permissions != nil && len(missing) > 0 {
		return &Error{What: fmt.Sprintf("the App %d lacks %s", c.o.AppID, words(missing)), Kind: Forbidden, Setup: true, Next: c.allow(words(missing))}
	}
	c.own.installation = in.GetID()
	return nil
}

// granted is what an installation may do, by the names that GitHub uses.
func granted(in *github.Installation) (m map[string]string) {
	text, err := json.Marshal(in.GetPermissions())
	if err != nil || json.Unmarshal(text, &m) != nil {
		return nil // it is all strings: what cannot be read lacks everything
	}
	return m
}
