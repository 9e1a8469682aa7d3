package github

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
)

// Builds is what a build needs to know of the repository that it is to change. Texts are foreign.
type Builds struct {
	Private, Archived         bool
	DefaultBranch, DefaultOID string // DefaultOID is "" for an empty repository
	Branches                  []Branch
}

// Branch is a branch with what it holds and what hangs on it.
type Branch struct {
	Name    string   // without refs/heads/
	Commits []Commit // the newest first, 1 to 30; the first is the tip
	Pulls   []Pull   // with this branch as their head, the newest first, at most 10
}

// Commit is a commit as far as it tells whose it is.
type Commit struct {
	OID, Message string
	Email        string    // of its author, as the commit says; "" when it says none
	Committed    time.Time // as the commit says; zero for what is no time
}

// maxBranches is how many branches a repository may have whose names hold a build's prefix.
const maxBranches = 100

// buildsQuery asks for a repository, the branches that hold $prefix somewhere in their names (GraphQL has no other filter),
// and what hangs on them.
const buildsQuery = `query($owner:String!,$name:String!,$prefix:String!){
  viewer{login}
  repository(owner:$owner,name:$name){
    isPrivate isArchived
    defaultBranchRef{name target{oid}}
    refs(refPrefix:"refs/heads/",query:$prefix,first:100){
      totalCount
      nodes{
        name
        target{oid ... on Commit{history(first:30){nodes{oid message committedDate author{email}}}}}
        associatedPullRequests(first:10,orderBy:{field:CREATED_AT,direction:DESC}){nodes{
          number url title state isCrossRepository baseRefName headRefName headRefOid viewerDidAuthor createdAt
        }}
      }
    }
  }
}`

// Builds asks, in one call, for the branches whose names begin with prefix. More than 100 are an error: with an end of the
// list missing, what an earlier attempt has pushed would not be found.
func (c *Client) Builds(ctx context.Context, prefix string) (Builds, error) {
	const what = "asking for the branches of builds"
	var said buildsAnswer
	err := c.askGraphQL(ctx, what, buildsQuery, map[string]any{"owner": c.o.Repo.Owner, "name": c.o.Repo.Name, "prefix": prefix}, &said)
	if err != nil {
		return Builds{}, err
	}
	if failed := c.graphqlError(what, said.Errors, nil); failed != nil {
		return Builds{}, failed
	}
	repo := said.Data.Repository
	switch {
	case said.Data.Viewer == nil || said.Data.Viewer.Login == "":
		return Builds{}, &Error{What: what, Err: errNoViewer}
	case repo == nil:
		return Builds{}, &Error{What: what, Kind: Gone, Err: fmt.Errorf("%s is not there, or not for this token", c.o.Repo)}
	case repo.Refs.TotalCount > maxBranches:
		return Builds{}, &Error{What: what, Err: fmt.Errorf("there are more than %d with %.60q in their names", maxBranches, prefix),
			Next: "Delete branches of former builds in " + c.o.Repo.String() + ", then try again."}
	}
	c.isViewer(said.Data.Viewer.Login)
	b, err := repo.builds(prefix)
	if err != nil {
		return Builds{}, &Error{What: what, Err: err}
	}
	return b, nil
}

// buildsAnswer is the answer to buildsQuery. Whatever may be null is a pointer or has a zero value that says the same.
type buildsAnswer struct {
	Data struct {
		Viewer     *struct{ Login string }
		Repository *buildsNode
	}
	Errors []graphqlError
}

type buildsNode struct {
	IsPrivate, IsArchived bool
	DefaultBranchRef      *struct {
		Name   string
		Target *struct{ OID string }
	}
	Refs struct {
		TotalCount int
		Nodes      []*branchNode
	}
}

type branchNode struct {
	Name   string
	Target *struct {
		OID     string
		History struct{ Nodes []*commitNode }
	}
	AssociatedPullRequests struct{ Nodes []*pullNode }
}

func (n *buildsNode) builds(prefix string) (Builds, error) {
	b := Builds{Private: n.IsPrivate, Archived: n.IsArchived}
	if d := n.DefaultBranchRef; d != nil && d.Target != nil {
		if b.DefaultBranch, b.DefaultOID = d.Name, d.Target.OID; !isOID(b.DefaultOID) {
			return Builds{}, fmt.Errorf("%.80q is no commit of the default branch", b.DefaultOID)
		}
	}
	for _, ref := range n.Refs.Nodes {
		if ref == nil || !strings.HasPrefix(ref.Name, prefix) {
			continue
		}
		branch, err := ref.branch()
		if err != nil {
			return Builds{}, fmt.Errorf("the branch %.120q: %w", ref.Name, err)
		}
		b.Branches = append(b.Branches, branch)
	}
	return b, nil
}

// branch refuses what is half told: a build that takes a branch for another, or for a free name, may cost somebody's work.
func (n *branchNode) branch() (Branch, error) {
	switch {
	case !isBranch(n.Name):
		return Branch{}, errors.New("it has no branch's name")
	case n.Target == nil:
		return Branch{}, errors.New("it points to nothing")
	}
	commits, err := commitsOf(n.Target.History.Nodes)
	if err != nil {
		return Branch{}, err
	}
	if len(commits) == 0 || commits[0].OID != n.Target.OID {
		return Branch{}, fmt.Errorf("its commits do not begin with its tip %.80q", n.Target.OID)
	}
	b := Branch{Name: n.Name, Commits: commits}
	for _, p := range n.AssociatedPullRequests.Nodes {
		// Those of forks may have heads of the same name, and are strangers'.
		if p == nil || p.IsCrossRepository || p.HeadRefName != n.Name {
			continue
		}
		pull, err := p.pull()
		if err != nil {
			return Branch{}, err
		}
		b.Pulls = append(b.Pulls, pull)
	}
	return b, nil
}

type commitNode struct {
	OID, Message  string
	CommittedDate claimed
	Author        struct{ Email string }
}

// commitsOf reads commits in the order in which they come.
func commitsOf(nodes []*commitNode) (list []Commit, err error) {
	for _, n := range nodes {
		if n == nil {
			continue
		}
		if !isOID(n.OID) {
			return nil, fmt.Errorf("%.80q is no commit", n.OID)
		}
		list = append(list, Commit{OID: n.OID, Message: n.Message, Email: n.Author.Email, Committed: n.CommittedDate.Time})
	}
	return list, nil
}

// claimed is a time that whoever made a commit chose. What is none is zero: git takes years that no parser does, and one such
// commit would hide the whole answer.
type claimed struct{ time.Time }

// UnmarshalJSON never fails.
func (t *claimed) UnmarshalJSON(text []byte) error {
	if t.Time.UnmarshalJSON(text) != nil {
		t.Time = time.Time{}
	}
	return nil
}
