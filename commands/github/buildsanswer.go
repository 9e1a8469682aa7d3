package github

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// buildsQuery asks for a repository, the branches that hold $prefix somewhere in their names (GraphQL has no other filter),
// and what hangs on them. The open pull requests are asked for apart: were forks' among the others, those that strangers open
// and close would hide the one that a build goes on with.
const buildsQuery = `query($owner:String!,$name:String!,$prefix:String!,$above:String!,$branches:Int!,$open:Int!,$ended:Int!,$commits:Int!,$cursor:String){
  viewer{login}
  repository(owner:$owner,name:$name){
    visibility isArchived
    defaultBranchRef{name target{oid}}
    above:ref(qualifiedName:$above){name}
    refs(refPrefix:"refs/heads/",query:$prefix,first:$branches,after:$cursor){
      totalCount pageInfo{hasNextPage endCursor}
      nodes{
        name
        target{oid ... on Commit{history(first:$commits){nodes{oid message committedDate author{email}}}}}
        open:associatedPullRequests(states:[OPEN],first:$open,orderBy:{field:CREATED_AT,direction:DESC}){nodes{` + pullFields + `}}
        ended:associatedPullRequests(states:[CLOSED,MERGED],first:$ended,orderBy:{field:CREATED_AT,direction:DESC}){nodes{` + pullFields + `}}
      }
    }
  }
}`

const pullFields = `number url title body state isCrossRepository baseRefName headRefName headRefOid viewerDidAuthor createdAt`

// buildsAnswer is the answer to buildsQuery. Whatever may be null is a pointer or has a zero value that says the same.
type buildsAnswer struct {
	Data struct {
		Viewer     *struct{ Login string }
		Repository *buildsNode
	}
	Errors []graphqlError
}

type buildsNode struct {
	Visibility       Visibility
	IsArchived       bool
	DefaultBranchRef *struct {
		Name   string
		Target *struct{ OID string }
	}
	Above *struct{ Name string }
	Refs  struct {
		TotalCount int
		PageInfo   struct {
			HasNextPage bool
			EndCursor   string
		}
		Nodes []*branchNode
	}
}

type branchNode struct {
	Name   string
	Target *struct {
		OID     string
		History struct{ Nodes []*commitNode }
	}
	Open, Ended struct{ Nodes []*pullNode }
}

// addTo takes a page in. What it says of the repository is the same on each, or newer.
func (n *buildsNode) addTo(b *Builds, prefix string) error {
	b.Visibility, b.Archived, b.DefaultBranch, b.DefaultOID, b.Blocked = n.Visibility, n.IsArchived, "", "", ""
	if d := n.DefaultBranchRef; d != nil && d.Target != nil {
		if !isOID(d.Target.OID) {
			return fmt.Errorf("%.80q is no commit of the default branch", d.Target.OID)
		}
		b.DefaultBranch, b.DefaultOID = d.Name, d.Target.OID
	}
	if above, nested := folderOf(prefix); nested && n.Above != nil {
		if n.Above.Name != above {
			return fmt.Errorf("asked for the branch %q GitHub tells of %.120q", above, n.Above.Name)
		}
		b.Blocked = above
	}
	for _, ref := range n.Refs.Nodes {
		if ref == nil || !strings.HasPrefix(ref.Name, prefix) {
			continue
		}
		branch, err := ref.branch()
		if err != nil {
			return fmt.Errorf("the branch %.120q: %w", ref.Name, err)
		}
		b.Branches = append(b.Branches, branch)
	}
	return nil
}

// folderOf is the name that no branch may have beside those that begin with prefix: git keeps branches as files in folders.
func folderOf(prefix string) (above string, nested bool) {
	above, _, nested = strings.Cut(prefix, "/")
	return above, nested
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
	pulls, err := n.pulls()
	if err != nil {
		return Branch{}, err
	}
	return Branch{Name: n.Name, Commits: commits, Pulls: pulls}, nil
}

// pulls puts both lists into one, the newest first.
func (n *branchNode) pulls() (pulls []Pull, err error) {
	for _, p := range slices.Concat(n.Open.Nodes, n.Ended.Nodes) {
		// Those of forks may have heads of the same name, and are strangers'.
		if p == nil || p.IsCrossRepository || p.HeadRefName != n.Name {
			continue
		}
		pull, err := p.pull()
		if err != nil {
			return nil, err
		}
		pulls = append(pulls, pull)
	}
	slices.SortStableFunc(pulls, func(a, b Pull) int { return cmp.Compare(b.Number, a.Number) })
	// One that is closed just now may stand in both.
	return slices.CompactFunc(pulls, func(a, b Pull) bool { return a.Number == b.Number }), nil
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
