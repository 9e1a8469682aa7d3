package fakegithub

import (
	"fmt"
	"strings"
	"testing"
)

// builds is the question for the branches of builds, as agreed with commands/github.
const builds = `query($owner:String!,$name:String!,$query:String!,$first:Int!,$after:String){
  viewer{login databaseId}
  repository(owner:$owner,name:$name){
    isPrivate visibility isArchived
    defaultBranchRef{name target{oid}}
    refs(refPrefix:"refs/heads/",query:$query,first:$first,after:$after){
      totalCount pageInfo{hasNextPage endCursor}
      nodes{
        name
        target{oid ... on Commit{history(first:2){totalCount nodes{oid message committedDate author{email}}}}}
        associatedPullRequests(first:10,orderBy:{field:CREATED_AT,direction:DESC}){nodes{
          number url title state isCrossRepository baseRefName headRefName headRefOid viewerDidAuthor
        }}
      }
    }
  }
}`

func (l *lab) builds(by *token, query string, first int, after any) (map[string]any, any) {
	l.t.Helper()
	answer, _ := l.ask(by, builds, map[string]any{"owner": "acme", "name": "rocket", "query": query, "first": first, "after": after})
	return answer, at(answer, "data", "repository", "refs")
}

// Branches are found by a part of their names, with their newest commits and their pull requests, page by page.
func TestBranches(t *testing.T) {
	l := newLab(t)
	l.repo.Branch("ai/1-a", map[string]string{"a": "a"})
	l.repo.Commit("ai/1-a", "bot@example.com", "Second\n\nIts body\n", map[string]string{"a": "b"})
	l.repo.PushTo("ai/1-a", "eve@example.com", map[string]string{"a": "c"})
	l.repo.Branch("x/ai/1-b", nil)
	l.repo.Branch("other", nil)
	one := l.repo.Pull("ann", "One", "", "ai/1-a", nil)
	l.repo.ClosePull(one)
	two := l.repo.Pull("ann", "Two", "", "ai/1-a", nil)
	answer, refs := l.builds(l.bot, "ai/1-", 100, nil)
	if answer["errors"] != nil || at(refs, "totalCount") != 2.0 || at(refs, "nodes", 0, "name") != "ai/1-a" || at(refs, "nodes", 1, "name") != "x/ai/1-b" {
		t.Fatalf("%s", asJSON(answer))
	}
	if at(answer, "data", "viewer", "databaseId") != float64(l.bot.as.id) || at(answer, "data", "repository", "isPrivate") != false {
		t.Errorf("%s", asJSON(answer))
	}
	branch := at(refs, "nodes", 0)
	tip := l.repo.Tip("ai/1-a") // Pull has put a commit on it
	history := at(branch, "target", "history")
	if at(branch, "target", "oid") != tip || at(history, "nodes", 0, "oid") != tip || at(history, "totalCount") != 6.0 || len(at(history, "nodes").([]any)) != 2 {
		t.Errorf("%s", asJSON(branch))
	}
	pulls := at(branch, "associatedPullRequests", "nodes")
	if at(pulls, 0, "number") != float64(two) || at(pulls, 0, "headRefOid") != tip || at(pulls, 1, "number") != float64(one) || at(pulls, 1, "state") != "CLOSED" || at(pulls, 0, "isCrossRepository") != false {
		t.Errorf("%s", asJSON(pulls))
	}
	if _, page := l.builds(l.bot, "AI/1-", 1, nil); at(page, "pageInfo", "hasNextPage") != true || at(page, "nodes", 0, "name") != "ai/1-a" {
		t.Errorf("%s", asJSON(page))
	} else if _, next := l.builds(l.bot, "AI/1-", 1, at(page, "pageInfo", "endCursor")); at(next, "nodes", 0, "name") != "x/ai/1-b" || at(next, "pageInfo", "hasNextPage") != false {
		t.Errorf("%s", asJSON(next))
	}
	if _, none := l.builds(l.bot, "none", 5, nil); at(none, "totalCount") != 0.0 {
		t.Errorf("%s", asJSON(none))
	}
}

// A history tells authors and messages as the commits say.
func TestHistory(t *testing.T) {
	l := newLab(t)
	l.repo.Commit("ai/1-a", "eve@example.com", "Subject\n\nBody: ü\n\nTrailer: x\n", map[string]string{"a": "b"})
	_, refs := l.builds(l.bot, "ai/1-a", 1, nil)
	newest := at(refs, "nodes", 0, "target", "history", "nodes", 0)
	if at(newest, "message") != "Subject\n\nBody: ü\n\nTrailer: x" || at(newest, "author", "email") != "eve@example.com" || at(newest, "committedDate") == nil {
		t.Errorf("%s", asJSON(newest))
	}
}

// The pull requests of a branch stand where they were opened: those of a fork's branch in its parent.
func TestPullsOfForks(t *testing.T) {
	l := newLab(t)
	fork, _ := l.Server.repo("bob/rocket")
	answer, _ := l.ask(l.bot, `{repository(owner:"bob",name:"rocket"){ref(qualifiedName:"fix"){associatedPullRequests(first:5,states:[OPEN]){nodes{number isCrossRepository}}}}}`, nil)
	if at(answer, "data", "repository", "ref", "associatedPullRequests", "nodes", 0, "isCrossRepository") != true {
		t.Errorf("%s", asJSON(answer))
	}
	fork.Branch("more", nil)
	closed, _ := l.ask(l.bot, `{repository(owner:"bob",name:"rocket"){refs(refPrefix:"refs/heads/",first:5,orderBy:{field:ALPHABETICAL,direction:DESC}){nodes{name associatedPullRequests(first:5,states:[CLOSED,MERGED]){totalCount}}}}}`, nil)
	nodes := at(closed, "data", "repository", "refs", "nodes")
	if at(nodes, 0, "name") != "more" || at(nodes, 2, "name") != "fix" || at(nodes, 2, "associatedPullRequests", "totalCount") != 0.0 {
		t.Errorf("%s", asJSON(closed))
	}
	for query, want := range map[string]string{
		`refs(refPrefix:"refs/tags/",first:1){totalCount}`:                                                              "another refPrefix",
		`refs(refPrefix:"refs/heads/",first:1,orderBy:{field:TAG_COMMIT_DATE,direction:ASC}){totalCount}`:               "ordered by TAG_COMMIT_DATE",
		`refs(refPrefix:"refs/heads/"){totalCount}`:                                                                     "You must provide a `first` or `last`",
		`ref(qualifiedName:"main"){associatedPullRequests(first:1,orderBy:{field:COMMENTS,direction:ASC}){totalCount}}`: "ordered by COMMENTS",
		`ref(qualifiedName:"main"){target{... on Commit{history(first:1,path:"a.txt"){totalCount}}}}`:                   "history(path:)",
		`ref(qualifiedName:"main"){target{... on Commit{history(first:101){totalCount}}}}`:                              "exceeds the `first` limit",
		`ref(qualifiedName:"main"){associatedPullRequests(first:1,headRefName:"x"){totalCount}}`:                        "associatedPullRequests(headRefName:)",
	} {
		l.refused(want, `{repository(owner:"acme",name:"rocket"){`+query+`}}`, nil)
	}
}

// A private repository shows its branches to who may read contents, and their pull requests to who may read those.
func TestPrivateBranches(t *testing.T) {
	l := newLab(t)
	l.repo.Branch("ai/1-a", nil)
	l.repo.Private()
	if answer, refs := l.builds(l.bot, "ai/", 5, nil); answer["errors"] != nil || at(refs, "totalCount") != 1.0 || at(answer, "data", "repository", "isPrivate") != true {
		t.Errorf("%s", asJSON(answer))
	}
	for missing, path := range map[string]string{"contents": "[repository defaultBranchRef]", "pull_requests": "[repository refs nodes 0 associatedPullRequests]"} {
		grants := appGrants()
		delete(grants, missing)
		answer, _ := l.builds(&token{kind: "app", as: l.bot.as, repos: l.bot.repos, grants: grants}, "ai/", 5, nil)
		if at(answer, "errors", 0, "type") != "FORBIDDEN" || fmt.Sprint(at(answer, "errors", 0, "path")) != path {
			t.Errorf("without %s: %s", missing, asJSON(answer))
		}
	}
}

// sweep is the question for what is open on a pull request, as agreed with commands/github.
const sweep = `query($owner:String!,$name:String!,$number:Int!,$after:String){
  repository(owner:$owner,name:$name){pullRequest(number:$number){
    commits(last:100){nodes{commit{oid message committedDate author{email}}}}
    comments(last:100){totalCount nodes{fullDatabaseId url body author{__typename login} createdAt lastEditedAt viewerDidAuthor}}
    reviews(last:100){totalCount nodes{fullDatabaseId url body state submittedAt author{__typename login}}}
    reviewThreads(first:2,after:$after){totalCount pageInfo{hasNextPage endCursor} nodes{
      isResolved isOutdated path line
      head:comments(first:1){totalCount nodes{databaseId body diffHunk url}}
      tail:comments(last:2){nodes{databaseId body author{login}}}
    }}
  }}
}`

// Threads come page by page, each with its first comment and its last ones; one whose line is gone says so.
func TestSweep(t *testing.T) {
	l := newLab(t)
	var roots []int64
	for i := range 3 {
		roots = append(roots, l.repo.ReviewComment(l.pull, "ann", fmt.Sprint("root ", i), "b.txt", 0).ID)
	}
	for i := range 3 {
		l.repo.ReviewComment(l.pull, "bob", fmt.Sprint("reply ", i), "b.txt", roots[0])
	}
	l.repo.Resolve(roots[1])
	l.repo.Outdate(roots[2])
	l.repo.Comment(l.pull, "ann", "talk")
	l.repo.Review(l.pull, "ann", "summary")
	variables := map[string]any{"owner": "acme", "name": "rocket", "number": l.pull, "after": nil}
	answer, _ := l.ask(l.bot, sweep, variables)
	pull := at(answer, "data", "repository", "pullRequest")
	threads := at(pull, "reviewThreads")
	first := at(threads, "nodes", 0)
	if answer["errors"] != nil || at(threads, "totalCount") != 3.0 || at(threads, "pageInfo", "hasNextPage") != true || at(threads, "nodes", 1, "isResolved") != true {
		t.Fatalf("%s", asJSON(answer))
	}
	if at(first, "head", "totalCount") != 4.0 || at(first, "head", "nodes", 0, "databaseId") != float64(roots[0]) || at(first, "head", "nodes", 0, "diffHunk") == "" ||
		at(first, "tail", "nodes", 0, "body") != "reply 1" || at(first, "tail", "nodes", 1, "body") != "reply 2" || at(first, "isOutdated") != false || at(first, "line") != 1.0 {
		t.Errorf("%s", asJSON(first))
	}
	reviews := at(pull, "reviews", "nodes").([]any)
	if last := reviews[len(reviews)-1]; at(last, "body") != "summary" || at(last, "state") != "COMMENTED" || at(last, "submittedAt") == nil || !strings.Contains(at(last, "url").(string), "#pullrequestreview-") {
		t.Errorf("%s", asJSON(last))
	}
	if at(pull, "comments", "nodes", 0, "body") != "talk" || len(at(pull, "commits", "nodes").([]any)) != 1 {
		t.Errorf("%s", asJSON(pull))
	}
	variables["after"] = at(threads, "pageInfo", "endCursor")
	answer, _ = l.ask(l.bot, sweep, variables)
	last := at(answer, "data", "repository", "pullRequest", "reviewThreads", "nodes", 0)
	if at(last, "isOutdated") != true || at(last, "line") != nil || at(last, "head", "nodes", 0, "body") != "root 2" {
		t.Errorf("%s", asJSON(answer))
	}
}
