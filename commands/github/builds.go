package github

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Builds is what a build needs to know of the repository that it is to change. Texts are foreign.
type Builds struct {
	Visibility                Visibility
	Archived                  bool
	DefaultBranch, DefaultOID string // DefaultOID is "" for an empty repository
	Blocked                   string // a branch called as the folder of the prefix, beside which git makes no branch in it; "": there is none
	Branches                  []Branch
}

// Branch is a branch with what it holds and what hangs on it.
type Branch struct {
	Name    string   // without refs/heads/
	Commits []Commit // the newest first, 1 to 50, or to 10 where texts are very long; the first is the tip
	Pulls   []Pull   // with this branch as their head, the newest first, at most 20 open ones and 10 others
}

// Commit is a commit as far as it tells whose it is.
type Commit struct {
	OID, Message string
	Email        string    // of its author, as the commit says; "" when it says none
	Committed    time.Time // as the commit says; zero for what is no time
}

// maxBranches is how many branches a repository may have whose names hold a build's prefix.
const maxBranches = 100

// maxBuildCalls bounds the calls for the branches of builds: the first of each share, and as many as the middle one takes.
const maxBuildCalls = 20

// share is how much of the branches one call asks for.
type share struct{ branches, open, ended, commits int }

// shares are asked for one after the other, until one fits into an answer. All branches do unless the texts on them are very
// long. What pull requests say of themselves fits into the last, whatever it is; messages of commits are said by who may write.
// Fifty commits are asked for so that ours is found below what people have pushed on top of it.
var shares = []share{{maxBranches, 20, 10, 50}, {10, 20, 10, 50}, {1, 16, 4, 10}}

// Builds asks for the branches whose names begin with prefix: in one call, or in at most twenty where texts are very long, of
// which then fewer pull requests may come. More than 100 branches are an error: with an end of the list missing, what an
// earlier attempt has pushed would not be found.
func (c *Client) Builds(ctx context.Context, prefix string) (Builds, error) {
	var b Builds
	cursor, size := "", 0
	for range maxBuildCalls {
		n, err := c.buildsPage(ctx, prefix, shares[size], cursor)
		if errors.Is(err, errTooLarge) && size+1 < len(shares) {
			size++
			continue
		}
		if err != nil {
			return Builds{}, err
		}
		if err := n.addTo(&b, prefix); err != nil {
			return Builds{}, &Error{What: askingBuilds, Err: err}
		}
		at := n.Refs.PageInfo
		if !at.HasNextPage {
			return b, nil
		}
		if at.EndCursor == "" || at.EndCursor == cursor {
			return Builds{}, &Error{What: askingBuilds, Err: errors.New("after a page of branches GitHub names the same one")}
		}
		cursor = at.EndCursor
	}
	return Builds{}, c.tooManyBranches(prefix, "so many, with texts so long,")
}

const askingBuilds = "asking for the branches of builds"

func (c *Client) tooManyBranches(prefix, many string) *Error {
	return &Error{What: askingBuilds, Err: fmt.Errorf("there are %s with %.60q in their names", many, prefix),
		Next: "Delete branches of former builds in " + c.o.Repo.String() + ", then try again."}
}

// buildsPage makes one call.
func (c *Client) buildsPage(ctx context.Context, prefix string, size share, cursor string) (*buildsNode, error) {
	above, _ := folderOf(prefix)
	variables := map[string]any{
		"owner": c.o.Repo.Owner, "name": c.o.Repo.Name, "prefix": prefix, "above": "refs/heads/" + above,
		"branches": size.branches, "open": size.open, "ended": size.ended, "commits": size.commits, "cursor": nil,
	}
	if cursor != "" {
		variables["cursor"] = cursor
	}
	var said buildsAnswer
	if err := c.askGraphQL(ctx, askingBuilds, buildsQuery, variables, &said); err != nil {
		return nil, err
	}
	if failed := c.graphqlError(askingBuilds, said.Errors, nil); failed != nil {
		return nil, failed
	}
	repo := said.Data.Repository
	switch {
	case said.Data.Viewer == nil || said.Data.Viewer.Login == "":
		return nil, &Error{What: askingBuilds, Err: errNoViewer}
	case repo == nil:
		return nil, &Error{What: askingBuilds, Kind: Gone, Err: fmt.Errorf("%s is not there, or not for this token", c.o.Repo)}
	case repo.Refs.TotalCount > maxBranches:
		return nil, c.tooManyBranches(prefix, fmt.Sprintf("more than %d", maxBranches))
	}
	c.isViewer(said.Data.Viewer.Login)
	return repo, nil
}
