package fakegithub

import (
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// maxBody bounds what the fake reads of a request, in bytes: more than any call needs.
const maxBody = 8 << 20

// ServeHTTP answers everything that comes to the server: REST, GraphQL, git.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case strings.HasPrefix(r.URL.Path, "/api/v3/"):
		s.api(w, r, s.rest)
	case r.URL.Path == "/api/graphql":
		s.api(w, r, s.query)
	case isGit(r.URL.Path):
		s.serveGit(w, r)
	default:
		s.t.Errorf("fake GitHub: %s %s is not an address of GitHub's", r.Method, r.URL.Path)
		send(w, notFound())
	}
}

// handler answers an API request, with s.mu held; what it learns it writes to seen.
type handler func(r *http.Request, body []byte, seen *Request) answer

// api lets a request through what is the same for all: counting, faults, the watcher.
func (s *Server) api(w http.ResponseWriter, r *http.Request, handle handler) {
	// All of it first: only then does the server notice that a client went away.
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	k, alive := s.arrive(r)
	if !alive || err != nil {
		drop(w)
		return
	}
	a, fault := s.handle(k, r, body, handle)
	status := 0
	if fault == NoFault {
		status = send(w, a)
	} else {
		status = strike(fault, w, r)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests[k-1].Status = status
}

// arrive counts a request and lets the watcher see it, without the lock so that it can act.
func (s *Server) arrive(r *http.Request) (k int, alive bool) {
	s.mu.Lock()
	if s.faults.dead {
		s.mu.Unlock()
		return 0, false
	}
	s.requests = append(s.requests, Request{Method: r.Method, Path: r.URL.Path})
	k = len(s.requests)
	s.watched++
	watch, n := s.watch, s.watched
	s.mu.Unlock()
	if watch != nil {
		watch(n, r)
	}
	return k, true
}

// handle answers request k, unless a fault comes first.
func (s *Server) handle(k int, r *http.Request, body []byte, handle handler) (answer, Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	fault := s.faults.next(s.faults.at, k)
	if fault.before() {
		return answer{}, fault
	}
	seen := &s.requests[k-1]
	if r.UserAgent() == "" {
		return fail(http.StatusForbidden, "Request forbidden by administrative rules. Please make sure your request has a User-Agent header (https://docs.github.com/en/rest/overview/resources-in-the-rest-api#user-agent-required). Check https://developer.github.com for other possible causes."), fault
	}
	a := handle(r, body, seen)
	s.frame(&a)
	return a, fault
}

// query answers GraphQL.
func (s *Server) query(r *http.Request, body []byte, seen *Request) answer {
	who, refused := s.authenticate(r)
	seen.Token = who.kind()
	switch {
	case refused != nil:
		return *refused
	case who.token == nil:
		return fail(http.StatusUnauthorized, "This endpoint requires you to be authenticated.")
	}
	operation, status, data := s.graphql(who.token, body)
	seen.Operation = operation
	return answer{status: status, body: data}
}

// The rate limit, which nobody reaches; requests for each hour.
const rateLimit = 5000

func (s *Server) reset() int64 { return s.clock().Truncate(time.Hour).Add(time.Hour).Unix() }

// frame adds the headers that stand on every answer.
func (s *Server) frame(a *answer) {
	header := map[string]string{
		"Date": s.clock().UTC().Format(http.TimeFormat), "X-GitHub-Request-Id": fmt.Sprintf("FAKE:%04d", len(s.requests)),
		"X-RateLimit-Limit": strconv.Itoa(rateLimit), "X-RateLimit-Remaining": strconv.Itoa(rateLimit - 1),
		"X-RateLimit-Used": "1", "X-RateLimit-Reset": strconv.FormatInt(s.reset(), 10), "X-RateLimit-Resource": "core",
	}
	maps.Copy(header, a.header)
	a.header = header
}

// Request is one API request that came in (git over HTTP is not one, see Push). What a dead dispatcher still sends is not counted.
type Request struct {
	Method, Path, Operation string // Operation is the OpenAPI operationId, or "graphql:" and the fields asked for; "" when a fault came first
	Status                  int    // what was sent; 0 when the connection broke or hung
	Token                   string // kind: "jwt", "app", "agent", "static", ""
}

// Requests lists the API requests so far.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// OnRequest is called before each API request is handled, with its number from 1 since this call: for tests that act in
// between (a person edits, a process is killed). It may call all methods of the server. nil ends it.
func (s *Server) OnRequest(f func(k int, r *http.Request)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.watch, s.watched = f, 0
}
