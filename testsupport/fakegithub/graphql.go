package fakegithub

import "net/http"

// graphql answers a query, with s.mu held: operation is what Request.Operation says ("graphql:" and the fields asked for),
// answer is marshalled as JSON. by is never nil; revoked and expired tokens do not get here.
func (s *Server) graphql(by *token, body []byte) (operation string, status int, answer any) {
	return "graphql:", http.StatusOK, map[string]any{"errors": []any{map[string]any{"message": "not built"}}}
}
