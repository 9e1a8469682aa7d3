package github

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/google/go-github/v66/github"
)

// Level is what somebody may do in a repository. The zero Level is nothing.
type Level uint8

// The levels. A custom role counts as the base role it extends.
const (
	None Level = iota
	Read
	Write
	Admin
)

// Permission is what a person may do, and who GitHub says that the login belongs to.
type Permission struct {
	Level Level
	Role  string // GitHub's name of the role, custom ones included: foreign
	ID    int64  // of the account; 0 when not said
}

// Permission asks what login may do in the repository. An error is no permission, and so is a login that GitHub does not
// know (Level None, no error). What cannot be a login is an error without a call.
func (c *Client) Permission(ctx context.Context, login string) (Permission, error) {
	const what = "asking who may write"
	// Checked and escaped: the library joins paths as they come, and a login reaches us from payloads (F-29).
	if name, _ := strings.CutSuffix(login, "[bot]"); !isName(name, "-_") {
		return Permission{}, &Error{What: what, Kind: Invalid, Err: fmt.Errorf("%.60q is no login", login)}
	}
	var said *github.RepositoryPermissionLevel
	err := c.do(ctx, call{what: what}, func(ctx context.Context) (err error) {
		said, _, err = c.gh.Repositories.GetPermissionLevel(ctx, c.o.Repo.Owner, c.o.Repo.Name, url.PathEscape(login))
		return err
	})
	var e *Error
	// Of this call alone: that the App is not installed is a 404 too, and says nothing about a person.
	if errors.As(err, &e) && e.What == what && e.Status == http.StatusNotFound {
		return Permission{}, nil
	}
	if err != nil {
		return Permission{}, err
	}
	level, ok := levelOf(said.GetPermission())
	if !ok {
		return Permission{}, &Error{What: what, Err: fmt.Errorf("GitHub answered with the permission %.60q, which is none", said.GetPermission())}
	}
	return Permission{Level: level, Role: said.GetRoleName(), ID: said.GetUser().GetID()}, nil
}

// levelOf reads the permission field, which folds maintain into write and triage into read, and a custom role into its base.
func levelOf(permission string) (l Level, ok bool) {
	switch permission {
	case "admin":
		return Admin, true
	case "write", "maintain":
		return Write, true
	case "read", "triage":
		return Read, true
	case "none":
		return None, true
	}
	return None, false
}
