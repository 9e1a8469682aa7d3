// Package github is the few calls of GitHub that ai-flow makes, in ai-flow's own words.
//
// ReadEvent turns an event's payload into an Event. A Client makes calls for one repository with tokens that it mints for
// their purpose: the dispatcher's for that repository and the permissions that are used, the agent's read-only, and git's for
// one push, with nothing but contents: write. In gives the client of another repository, with tokens of its own. Everything
// that a stranger wrote comes back as a plain value; no type of the client library leaves this package.
//
// Its one invariant: a call either happened, did not happen, or is reported as unsure. What may be repeated is repeated
// with patience (Retry-After, secondary limits, jitter); what may not, a new comment or pull request, is reported as unsure,
// and whoever wrote it looks for it before writing again.
//
// It refuses to send a token to another host or for another repository than the one that it was made for, to follow a redirect
// to another host, to hand out a token that can write for the agent, to read more than its bounds of any answer, and to
// decide anything: who may do what is the business of package dispatch.
package github

import (
	"context"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/google/go-github/v66/github"
)

// Repo names a repository.
type Repo struct{ Owner, Name string }

// String is owner/name.
func (r Repo) String() string { return r.Owner + "/" + r.Name }

// Options of New. Addresses come from the runner's environment, so that GitHub Enterprise Server works (H7-05); "" means
// those of github.com.
type Options struct {
	API, GraphQL, Server string
	Repo                 Repo
	RepoID               int64 // of the repository, which keeps it under another name; 0: it is known by its name alone
	AppID                int64
	PrivateKey           []byte // PEM; nil: no App
	Token                string // fallback when there is no App
	Transport            http.RoundTripper
	// Mask is called with every token and signature, and with what git sends of it, before it is used. nil: nobody is told.
	Mask func(secret string)
	// Deadline of one call, tries not counted together; 0 means 20 s.
	Deadline time.Duration
	// Wait sleeps between tries and ends early with the context; nil: a timer. Now tells the time; nil: the clock.
	Wait func(ctx context.Context, d time.Duration) error
	Now  func() time.Time
}

// Client makes calls for one repository. It may be used from several goroutines.
type Client struct {
	o    Options
	at   endpoints
	app  http.RoundTripper // signs as the App; nil without one
	gh   *github.Client    // over our own sending, see sender
	most int64             // bytes of an answer: maxAnswer, less in tests
	all  int64             // bytes of a list of comments: maxList, less in tests
	turn chan struct{}     // one goroutine mints, the others wait for it or for the end of their context
	own  ownToken          // used by whoever has the turn
	*record
}

// record is what clients of several repositories have in common.
type record struct {
	mu      sync.Mutex
	calls   []Call
	secrets []string // what no text of ours may hold
	login   string   // our own; "" until it is known
}

// App reports whether the client acts as an App. Without one it has the fallback token, and agents get none.
func (c *Client) App() bool { return c.app != nil }

// Call is one request that was sent, retries included.
type Call struct {
	Method, Path string // Path without query and host
	What         string // what it is for, in our words: "asking who may write"
	Status       int    // 0 when no answer came
	Took         time.Duration
}

// Calls lists what was sent so far, in order: for the run's log, and for the count that is promised.
func (c *Client) Calls() []Call {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.calls)
}

func (c *Client) note(call Call) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.calls = append(c.calls, call)
}
