package github

import (
	"context"
	"errors"
	"slices"
)

// factsQuery asks for everything that the gate decides on. __typename of actors tells a bot, whose login GraphQL gives
// without the [bot] that REST puts behind it: a person may have that very name.
const factsQuery = `query($owner:String!,$name:String!,$number:Int!,$node:ID!){
  viewer{login databaseId}
  repository(owner:$owner,name:$name){
    visibility defaultBranchRef{name target{oid}}
    policy:object(expression:"HEAD:.github/ai-flow.yml"){... on Blob{text byteSize isBinary isTruncated}}
    subject:issueOrPullRequest(number:$number){
      __typename
      ... on Issue{title body author{__typename login} createdAt lastEditedAt editor{__typename login} viewerDidAuthor locked closed}
      ... on PullRequest{title body author{__typename login} createdAt lastEditedAt editor{__typename login} viewerDidAuthor locked closed merged
        headRefName headRefOid headRepository{name owner{login}} isCrossRepository baseRefName baseRefOid
        commits(last:1){nodes{commit{oid committedDate checkSuites(first:1){nodes{createdAt}}}}}
        timelineItems(last:1,itemTypes:[HEAD_REF_FORCE_PUSHED_EVENT]){nodes{... on HeadRefForcePushedEvent{createdAt}}}
      }
    }
  }
  command:node(id:$node){
    __typename
    ... on IssueComment{body author{__typename login} createdAt lastEditedAt editor{__typename login} viewerDidAuthor}
    ... on PullRequestReviewComment{body author{__typename login} createdAt lastEditedAt editor{__typename login} viewerDidAuthor
      replyTo{body author{__typename login} createdAt lastEditedAt editor{__typename login} viewerDidAuthor}}
    ... on PullRequestReview{body author{__typename login} createdAt lastEditedAt editor{__typename login} viewerDidAuthor}
  }
}`

const eyesMutation = `mutation($id:ID!){addReaction(input:{subjectId:$id,content:EYES}){reaction{content}}}`

// Look asks for all facts about an event's place in one call.
func (c *Client) Look(ctx context.Context, e Event) (Facts, error) {
	const what = "asking what the command is about"
	if e.Comment.NodeID == "" || e.Number < 1 {
		return Facts{}, &Error{What: what, Kind: Invalid, Err: errors.New("the event names no comment")}
	}
	var said factsAnswer
	err := c.askGraphQL(ctx, what, factsQuery, map[string]any{
		"owner": c.o.Repo.Owner, "name": c.o.Repo.Name, "number": e.Number, "node": e.Comment.NodeID,
	}, &said)
	if err != nil {
		return Facts{}, err
	}
	if failed := c.graphqlError(what, said.Errors, mayBeMissing); failed != nil {
		return Facts{}, failed
	}
	facts, err := said.facts(e.Surface)
	if err != nil {
		kind := Other
		if errors.Is(err, errNoSubject) {
			kind = Gone
		}
		return Facts{}, &Error{What: what, Kind: kind, Err: err}
	}
	c.isViewer(facts.Viewer)
	return facts, nil
}

// Eyes puts 👀 on whatever nodeID names. Twice is once, so it is repeated like a question.
func (c *Client) Eyes(ctx context.Context, nodeID string) error {
	const what = "acknowledging the command"
	var said struct{ Errors []graphqlError }
	if err := c.askGraphQL(ctx, what, eyesMutation, map[string]any{"id": nodeID}, &said); err != nil {
		return err
	}
	if failed := c.graphqlError(what, said.Errors, nil); failed != nil {
		return failed
	}
	return nil
}

func (c *Client) askGraphQL(ctx context.Context, what, query string, variables map[string]any, out any) error {
	ask := struct {
		Query     string         `json:"query"`
		Variables map[string]any `json:"variables"`
	}{query, variables}
	return c.do(ctx, call{what: what, graphql: true}, func(ctx context.Context) error {
		return c.sendJSON(ctx, "POST", c.at.graphql.String(), ask, out)
	})
}

// graphqlError is one entry of the errors beside, or in the place of, the data. All of it is optional: other servers leave
// type away.
type graphqlError struct {
	Type    string `json:"type"`
	Message string `json:"message"`
	Path    []any  `json:"path"`
}

// mayBeMissing are the parts of the facts that may be absent. A command that was deleted is itself a fact. The checks of a
// commit need a permission on private repositories that is not worth asking every adopter for: without them less is known
// about the head's age.
func mayBeMissing(e graphqlError) bool {
	switch e.Type {
	case "NOT_FOUND":
		return len(e.Path) == 1 && e.Path[0] == "command"
	case "FORBIDDEN":
		return slices.Contains(e.Path, any("checkSuites"))
	}
	return false
}

// graphqlError is the first error that is none of the harmless.
func (c *Client) graphqlError(what string, list []graphqlError, harmless func(graphqlError) bool) *Error {
	for _, e := range list {
		if harmless != nil && harmless(e) {
			continue
		}
		failed := &Error{What: what, Message: c.excerpt(e.Message)}
		switch e.Type {
		case "NOT_FOUND":
			failed.Kind = Gone
		case "FORBIDDEN", "INSUFFICIENT_SCOPES":
			failed.Kind, failed.Setup, failed.Next = Forbidden, true, c.allow("write permission for issues and pull requests, and read for contents")
		}
		if failed.Message == "" {
			failed.Err = errors.New("GraphQL answered with an error that has no words")
		}
		return failed
	}
	return nil
}
