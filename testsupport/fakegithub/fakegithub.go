// Package fakegithub is a GitHub that tests can hold in their hand: a stateful HTTP server with the REST and GraphQL calls
// that ai-flow makes and git over smart HTTP.
//
// It is held to the official descriptions: every request and every response of REST is validated against GitHub's OpenAPI
// description, every GraphQL query against its schema, so that a field or a call which GitHub does not have fails the test.
// It enforces what GitHub enforces: permissions of tokens, their age, the length of bodies, pages.
//
// The descriptions are GitHub's own (MIT), cut to the paths that are used; see NOTICE.
package fakegithub

import (
	"net/http"
	"testing"
	"time"
)

// Server is the fake. Its fields may be read and changed between requests while holding Lock; the methods do that.
type Server struct {
	// unexported state
	t testing.TB
}

// New starts a server on 127.0.0.1. Breaches of the official descriptions fail t; Close is registered with t.
func New(t testing.TB) *Server { panic("unbuilt") }

// URL is the server's root: GITHUB_SERVER_URL. API is GITHUB_API_URL (URL + "/api/v3"), GraphQL GITHUB_GRAPHQL_URL.
func (s *Server) URL() string     { panic("unbuilt") }
func (s *Server) API() string     { panic("unbuilt") }
func (s *Server) GraphQL() string { panic("unbuilt") }

// Fault is what happens to one request.
type Fault uint8

// The faults.
const (
	NoFault        Fault = iota
	Fail500Before        // 500, nothing was written
	Fail502After         // written, then 502
	DropBefore           // the connection breaks before anything happens
	DropAfter            // it happens, then the connection breaks
	SecondaryLimit       // 403 with the secondary limit's words and no header
	Hang                 // no answer until the client gives up; nothing was written
	KillBefore           // from this request on the dispatcher is dead: this and every further request of it is dropped, nothing written
	KillAfter            // it happens, then the dispatcher is dead
)

// Request is one API request that came in (git over HTTP is not one).
type Request struct {
	Method, Path, Operation string // Operation is the OpenAPI operationId, or "graphql:" and the fields asked for
	Status                  int
	Token                   string // kind: "jwt", "app", "agent", "static", ""
}

// Requests lists the API requests so far.
func (s *Server) Requests() []Request { panic("unbuilt") }

// FaultAt lets fault happen to the k-th API request from now (from 1). Revive lets a killed dispatcher's successor through.
func (s *Server) FaultAt(k int, f Fault) { panic("unbuilt") }
func (s *Server) Revive()                { panic("unbuilt") }

// OnRequest is called before each API request is handled, with its number from 1 since the last call of OnRequest: for
// tests that act in between (a person edits, a process is killed).
func (s *Server) OnRequest(f func(k int, r *http.Request)) { panic("unbuilt") }

// App registers an App and returns its id, its key in PEM and its bot's login ("ai-flow[bot]").
func (s *Server) App(slug string) (id int64, key []byte, login string) { panic("unbuilt") }

// StaticToken makes a token of github-actions[bot] with permission to write ("fallback").
func (s *Server) StaticToken() string { panic("unbuilt") }

// User makes a person; role in the repositories is "admin", "maintain", "write", "triage", "read", "none" or
// "custom:<base>:<name>".
func (s *Server) User(login string, role string) (id int64) { panic("unbuilt") }

// Repo makes owner/name from the bare repository that dir holds, a directory of files for its first commit on main.
func (s *Server) Repo(fullName string, files map[string]string) *Repo { panic("unbuilt") }

// Repo is a repository of the fake.
type Repo struct{ s *Server }

// GitDir is the path of its bare repository, which may be changed with git.
func (r *Repo) GitDir() string { panic("unbuilt") }

// Issue opens an issue; Pull opens a pull request from a branch with files on top of main ("owner/name:branch" for a fork,
// whose owner the fake makes). Both return the number.
func (r *Repo) Issue(author, title, body string) int { panic("unbuilt") }
func (r *Repo) Pull(author, title, body, head string, files map[string]string) int {
	panic("unbuilt")
}

// Comment, ReviewComment (replyTo 0 begins a thread) and Review add text by a person and return the event: its name and a payload as GitHub
// would send it (validated against the webhook schema).
func (r *Repo) Comment(number int, author, body string) Event { panic("unbuilt") }
func (r *Repo) ReviewComment(number int, author, body, path string, replyTo int64) Event {
	panic("unbuilt")
}
func (r *Repo) Review(number int, author, body string) Event { panic("unbuilt") }

// Event is an event as a runner gets it.
type Event struct {
	Name    string
	Payload []byte
	ID      int64 // of the comment or review
}

// Body and SetBody read and edit, as a person, the body of an issue or pull request; CommentBody and EditComment a comment.
func (r *Repo) Body(number int) string                                { panic("unbuilt") }
func (r *Repo) SetBody(number int, editor, body string)               { panic("unbuilt") }
func (r *Repo) CommentBody(id int64) string                           { panic("unbuilt") }
func (r *Repo) EditComment(id int64, editor, body string)             { panic("unbuilt") }
func (r *Repo) DeleteComment(id int64)                                { panic("unbuilt") }
func (r *Repo) State(number int, closed, merged, locked bool)         { panic("unbuilt") }
func (r *Repo) Push(number int, files map[string]string) (oid string) { panic("unbuilt") }

// Thread lists the bodies of all comments of a number, in order, for comparisons: author, body. Reactions are in it too.
func (r *Repo) Thread(number int) []Posted { panic("unbuilt") }

// Posted is a comment as the fake keeps it.
type Posted struct {
	ID        int64
	Kind      string // "issue", "line", "review"
	Author    string
	Body      string
	ReplyTo   int64
	Reactions []string // "login:eyes"
	Edits     int
}

// Snapshot is everything that people see of a repository (bodies, comments, reactions, branches), as text that two runs can
// be compared by. Ids that the server gave are replaced by their order, times are left out.
func (r *Repo) Snapshot() string { panic("unbuilt") }

// Advance moves the server's clock, which times of comments, edits and tokens come from.
func (s *Server) Advance(d time.Duration) { panic("unbuilt") }
