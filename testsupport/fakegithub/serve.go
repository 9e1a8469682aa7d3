package fakegithub

import (
	"encoding/json"
	"net/http"
)

type description struct{}

func describe() (*description, error) { return &description{}, nil }

// ServeHTTP answers everything.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {}

// problem is an error as GitHub words it.
func problem(message string) any {
	return map[string]any{"message": message, "documentation_url": "https://docs.github.com/rest", "status": ""}
}

func say(w http.ResponseWriter, status int, body any) int {
	data, err := json.Marshal(body)
	if err != nil {
		panic(err)
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(data)
	return status
}

// App registers an App and returns its id, its key in PEM and its bot's login ("ai-flow[bot]").
func (s *Server) App(slug string) (id int64, key []byte, login string) { panic("unbuilt") }

// StaticToken makes a token of github-actions[bot] with permission to write ("fallback").
func (s *Server) StaticToken() string { panic("unbuilt") }

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
