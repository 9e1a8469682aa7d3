// Package fakegithub is a GitHub that tests can hold in their hand: a stateful HTTP server with the REST and GraphQL calls
// that ai-flow makes and git over smart HTTP.
//
// It is held to the official descriptions: every request and every response of REST is validated against GitHub's OpenAPI
// description, every GraphQL query against its schema, so that a field or a call which GitHub does not have fails the test.
// It enforces what GitHub enforces: permissions of tokens, their age, the length of bodies, pages, protected branches, the wall
// around workflows. Pushes that GitHub would take but ai-flow must never make (over other commits, to the default branch, to
// what is no branch) land as well, and fail the test unless Repo.AllowAnyPush was called. People act through the methods of
// Repo, which nothing binds.
//
// Runs are deterministic: ids are counted, and the clock of texts and commits starts at a fixed moment and moves by a
// second with each change. Only the age of JWTs follows the machine's clock, as clients make them by it.
//
// The descriptions are GitHub's own (MIT), cut to the paths that are used; see NOTICE.
package fakegithub

import (
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"
)

// Server is the fake. It may be used from several goroutines.
type Server struct {
	t    testing.TB
	http *httptest.Server
	spec *description
	ops  map[string]operation
	dirs string // of the bare repositories

	mu sync.Mutex // guards all below
	world
	skew     time.Duration
	life     time.Duration // of access tokens
	pageSize int           // largest page; 0: GitHub's
	lookups  map[string]int
	requests []Request
	faults   faults
	watch    func(k int, r *http.Request)
	watched  int

	pushes      []Push
	pushWatch   func(k int, p Push)
	pushWatched int
}

// New starts a server on 127.0.0.1. Breaches of the official descriptions fail t; Close is registered with t.
func New(t testing.TB) *Server {
	t.Helper()
	spec, err := describe()
	if err != nil {
		t.Fatal(err)
	}
	s := &Server{t: t, spec: spec, ops: operations(), dirs: t.TempDir(), lookups: map[string]int{}, life: time.Hour}
	s.now = start()
	s.lastID = 1000
	s.http = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

// Close ends all connections, also those that hang, and stops the server. It may be called twice.
func (s *Server) Close() {
	s.http.CloseClientConnections()
	s.http.Close()
}

// URL is the server's root: GITHUB_SERVER_URL. API is GITHUB_API_URL, GraphQL GITHUB_GRAPHQL_URL, as on GitHub Enterprise
// Server.
func (s *Server) URL() string     { return s.http.URL }
func (s *Server) API() string     { return s.http.URL + "/api/v3" }
func (s *Server) GraphQL() string { return s.http.URL + "/api/graphql" }
