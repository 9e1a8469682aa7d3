package github

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// The parts of the two queries below. fullDatabaseId is asked for since databaseId is a 32-bit number, which the ids of
// comments have outgrown.
const (
	remarkFields = `fullDatabaseId body author{__typename login} createdAt lastEditedAt editor{__typename login} viewerDidAuthor isMinimized url`
	threadFields = `reviewThreads(last:$threads,before:$cursor){
        totalCount pageInfo{hasPreviousPage startCursor}
        nodes{
          isResolved isOutdated path line
          head:comments(first:1){totalCount nodes{` + remarkFields + ` state diffHunk}}
          tail:comments(last:$replies){nodes{` + remarkFields + ` state}}
        }
      }`
)

// feedbackQuery asks for everything, and for the newest page of the threads.
const feedbackQuery = `query($owner:String!,$name:String!,$number:Int!,$talk:Int!,$threads:Int!,$replies:Int!,$cursor:String){
  repository(owner:$owner,name:$name){
    pullRequest(number:$number){
      commits(last:100){nodes{commit{oid message committedDate author{email}}}}
      comments(last:$talk){totalCount nodes{` + remarkFields + `}}
      reviews(last:$talk){totalCount nodes{` + remarkFields + ` state submittedAt}}
      ` + threadFields + `
    }
  }
}`

// threadsQuery asks for a further page of the threads.
const threadsQuery = `query($owner:String!,$name:String!,$number:Int!,$threads:Int!,$replies:Int!,$cursor:String){
  repository(owner:$owner,name:$name){
    pullRequest(number:$number){
      ` + threadFields + `
    }
  }
}`

// feedbackNode is the pull request of an answer to either query.
type feedbackNode struct {
	Commits struct {
		Nodes []*struct{ Commit commitNode }
	}
	Comments, Reviews remarkNodes
	ReviewThreads     struct {
		TotalCount int
		PageInfo   struct {
			HasPreviousPage bool
			StartCursor     string
		}
		Nodes []*threadNode
	}
}

type remarkNodes struct {
	TotalCount int
	Nodes      []*remarkNode
}

type threadNode struct {
	IsResolved, IsOutdated bool
	Path                   string
	Line                   int
	Head, Tail             remarkNodes
}

type remarkNode struct {
	textNode
	FullDatabaseID bigInt
	IsMinimized    bool
	URL, State     string
	SubmittedAt    *time.Time
	DiffHunk       string
}

// hidden reports whether it is not there to be read: a draft, which only the token's owner sees, or taken out of sight.
func (n *remarkNode) hidden() bool { return n.State == "PENDING" || n.IsMinimized }

// silent reports whether it has nothing to say to us.
func (n *remarkNode) silent() bool { return n.hidden() || strings.TrimSpace(n.Body) == "" }

func (n *remarkNode) remark() (Remark, error) {
	if n.FullDatabaseID <= 0 {
		return Remark{}, errors.New("GitHub names a comment without its id")
	}
	r := Remark{Text: n.text(), ID: int64(n.FullDatabaseID), URL: link(n.URL)}
	r.Created = n.said()
	return r, nil
}

// said is when others could see it first: a review is created when it is begun, maybe days before that.
func (n *remarkNode) said() time.Time {
	if n.SubmittedAt != nil {
		return *n.SubmittedAt
	}
	return n.CreatedAt
}

// oldest is when the first of what a list holds was said, hidden or not; zero when there is none.
func (l *remarkNodes) oldest() (first time.Time) {
	for _, n := range l.Nodes {
		if n == nil || n.said().IsZero() {
			continue
		}
		if at := n.said(); first.IsZero() || at.Before(first) {
			first = at
		}
	}
	return first
}

// thread reads a thread that is not resolved. One whose first comment is hidden is not open: there is nothing to answer to.
// The first comment stays even without words, since replies are made to it.
func (n *threadNode) thread() (t ReviewThread, open bool, err error) {
	if len(n.Head.Nodes) == 0 || n.Head.Nodes[0] == nil || n.Head.Nodes[0].hidden() {
		return t, false, nil
	}
	head := n.Head.Nodes[0]
	first, err := head.remark()
	if err != nil {
		return t, false, err
	}
	t = ReviewThread{Path: n.Path, Line: max(0, n.Line), Outdated: n.IsOutdated, Hunk: head.DiffHunk, Comments: []Remark{first}}
	read := 1
	for _, reply := range n.Tail.Nodes {
		if reply == nil || reply.FullDatabaseID == head.FullDatabaseID {
			continue
		}
		if read++; reply.silent() {
			continue
		}
		r, err := reply.remark()
		if err != nil {
			return t, false, err
		}
		t.Comments = append(t.Comments, r)
	}
	t.Omitted = max(0, n.Head.TotalCount-read)
	return t, true, nil
}

// bigInt is GraphQL's BigInt, which comes as a string.
type bigInt int64

// UnmarshalJSON reads a number with quotes or without; null is 0.
func (n *bigInt) UnmarshalJSON(text []byte) error {
	digits := bytes.Trim(text, `"`)
	if string(digits) == "null" {
		*n = 0
		return nil
	}
	i, err := strconv.ParseInt(string(digits), 10, 64)
	if err != nil {
		return fmt.Errorf("%.30q is no id", digits)
	}
	*n = bigInt(i)
	return nil
}
