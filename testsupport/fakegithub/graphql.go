package fakegithub

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"

	"github.com/d3mlabs/ai-flow/testsupport/ghschema"
)

// graphql answers a query, with s.mu held: operation is what Request.Operation says ("graphql:" and the fields asked for),
// answer is marshalled as JSON. by is never nil; revoked and expired tokens do not get here.
func (s *Server) graphql(by *token, body []byte) (operation string, status int, answer any) {
	var in struct {
		Query         string         `json:"query"`
		OperationName string         `json:"operationName"`
		Variables     map[string]any `json:"variables"`
	}
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber() // a float64 would round an id
	if err := d.Decode(&in); err != nil {
		s.t.Errorf("fake GitHub: a GraphQL request that is no JSON: %v", err)
		return "graphql:", http.StatusBadRequest, map[string]any{"message": "Problems parsing JSON", "documentation_url": "https://docs.github.com/graphql"}
	}
	q, err := ghschema.Parse(in.Query, in.OperationName, in.Variables)
	if err != nil {
		return "graphql:", http.StatusOK, map[string]any{"errors": []*queryError{s.breach(err)}}
	}
	a := &asking{s: s, by: by, q: q}
	answers := map[string]any{"data": a.answer()}
	if len(a.errors) > 0 {
		answers["errors"] = a.errors
	}
	return "graphql:" + asked(q.Operation.SelectionSet), http.StatusOK, answers
}

// breach fails the test for a query that GitHub would not take, and says so to the client too.
func (s *Server) breach(err error) *queryError {
	s.t.Errorf("fake GitHub: a GraphQL query that GitHub refuses: %v", err)
	return &queryError{Message: err.Error()}
}

// asked names the fields at the root.
func asked(set ast.SelectionSet) string {
	var names []string
	for _, sel := range set {
		if f, ok := sel.(*ast.Field); ok {
			names = append(names, f.Name)
		}
	}
	return strings.Join(names, ",")
}

// queryError is an error of a GraphQL answer, as GitHub writes it.
type queryError struct {
	Type       string         `json:"type,omitempty"`
	Path       []any          `json:"path,omitempty"`
	Extensions map[string]any `json:"extensions,omitempty"`
	Locations  []location     `json:"locations,omitempty"`
	Message    string         `json:"message"`
}

type location struct {
	Line   int `json:"line"`
	Column int `json:"column"`
}

func unresolved(message string) *queryError { return &queryError{Type: "NOT_FOUND", Message: message} }

func noNode(id string) *queryError {
	return unresolved("Could not resolve to a node with the global id of '" + id + "'")
}

// notAccessible is what GitHub says to a token without the permission.
func notAccessible() *queryError {
	return &queryError{Type: "FORBIDDEN", Message: "Resource not accessible by integration", Extensions: map[string]any{"saml_failure": false}}
}
