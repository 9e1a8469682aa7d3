package github

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// do names the calls that these tests use: a question, a change and a new comment.
var (
	read = func(ctx context.Context, c *Client) error { _, err := c.Comment(ctx, Ref{ID: 5}); return err }
	edit = func(ctx context.Context, c *Client) error {
		_, err := c.EditComment(ctx, Ref{ID: 5}, "hello", "new")
		return err
	}
	post = func(ctx context.Context, c *Client) error { _, err := c.Post(ctx, 2, 0, "new"); return err }
)

var sendings = map[string]struct {
	route, body string
	do          func(context.Context, *Client) error
	once        bool
	stands      string // what a look answers before it is sent late; "" for what is sent without one
}{
	"read": {"GET " + commentRoute, commentJSON, read, false, ""},
	"edit": {"PATCH " + commentRoute, commentJSON, edit, true, commentJSON},
	"post": {"POST " + postRoute, commentJSON, post, true, ""},
	"set":  {"PATCH /api/v3/repos/acme/site/issues/2", `{"number":2,"body":"x"}`, setBody, true, `{"number":2,"body":"old"}`},
	"eyes": {"POST /api/graphql", `{"data":{"addReaction":{"reaction":{"content":"EYES"}}}}`, func(ctx context.Context, c *Client) error { return c.Eyes(ctx, "N") }, false, ""},
	"builds": {"POST /api/graphql", `{"data":{"viewer":{"login":"me"},"repository":{}}}`,
		func(ctx context.Context, c *Client) error { _, err := c.Builds(ctx, "ai/2-"); return err }, false, ""},
	"protected": {"GET /api/v3/repos/acme/site/branches/ai%2F2-x", `{"name":"ai/2-x","protected":false}`,
		func(ctx context.Context, c *Client) error { _, err := c.Protected(ctx, "ai/2-x"); return err }, false, ""},
	"pulls of": {"GET " + pullsRoute, `[]`, func(ctx context.Context, c *Client) error {
		c.isViewer("me")
		_, err := c.PullsOf(ctx, "ai/2-x")
		return err
	}, false, ""},
	"open": {"POST " + pullsRoute, pulled, openPull, true, ""},
	"assign": {"POST /api/v3/repos/acme/site/issues/2/assignees", `{"number":2,"assignees":[{"login":"Ann"}]}`,
		func(ctx context.Context, c *Client) error { return c.Assign(ctx, 2, "ann") }, false, ""},
}

const pullsRoute = "/api/v3/repos/acme/site/pulls"

func openPull(ctx context.Context, c *Client) error {
	_, err := c.OpenPull(ctx, NewPull{Title: "Retry", Body: "Why.", Head: "ai/2-x", Base: "main"})
	return err
}

// stands is what the look before a late writing finds. It returns how many looks there are: none without a body.
func (s *scripted) stands(route, body string) (looks int) {
	if body == "" {
		return 0
	}
	s.on(strings.Replace(route, "PATCH", "GET", 1), says(200, body))
	return 1
}

func setBody(ctx context.Context, c *Client) error {
	_, err := c.SetBody(ctx, 2, "old", "x")
	return err
}

// S9, H7-04: what may have happened is repeated only when twice is once; else it is reported as unsure, after one request.
func TestUnknownOutcome(t *testing.T) {
	for fault, h := range map[string]handler{
		"500": says(500, `{"message":"Server Error"}`), "502": says(502, "<html>"), "503": says(503, ""), "408": says(408, ""),
		"dropped": drops,
		"cut": func(w http.ResponseWriter, _ *http.Request, _ string) {
			w.Header().Set("Content-Length", "100")
			w.Write([]byte(`{"id"`))
		},
	} {
		for name, sending := range sendings {
			t.Run(fault+" "+name, func(t *testing.T) {
				s := newScripted(t)
				s.on(sending.route, h, h, says(200, sending.body))
				err := sending.do(t.Context(), s.client(static))
				if !sending.once {
					if err != nil || len(s.got) != 3 || len(s.waits) != 2 || s.waits[0] > 500*time.Millisecond || s.waits[1] > 2*time.Second {
						t.Fatalf("%v after %d requests and waits of %v", err, len(s.got), s.waits)
					}
					return
				}
				if e := failure(t, err); !e.Unsure || e.Kind != Unreachable || len(s.got) != 1 || !strings.Contains(err.Error(), "may have happened") {
					t.Errorf("%v after %d requests", err, len(s.got))
				}
			})
		}
	}
}

// After four tries it ends.
func TestTriesEnd(t *testing.T) {
	s := newScripted(t)
	s.on("GET "+commentRoute, says(502, "<html><body>Unicorn!"))
	err := read(t.Context(), s.client(static))
	e := failure(t, err)
	if e.Kind != Unreachable || e.Status != 502 || e.Unsure || e.Message != "" || len(s.got) != 4 || s.waits[2] > 8*time.Second {
		t.Errorf("%v after %d requests and %v", err, len(s.got), s.waits)
	}
}

// A success that cannot be read is a success: unsure when it must not be repeated, and never tried again.
func TestUnreadableAnswers(t *testing.T) {
	for name, body := range map[string]string{
		"empty": "", "no JSON": "<html>", "wrong type": `{"id":"5","number":"2","errors":7}`, "a list": `[]`, "null": `null`, "another": `{"id":6,"number":3}`,
		"huge number": `{"id":1` + strings.Repeat("0", 5000) + `,"number":1` + strings.Repeat("0", 5000) + `,"errors":1` + strings.Repeat("0", 5000) + `}`,
	} {
		for call, sending := range sendings {
			if call == "eyes" && (name == "null" || name == "another" || name == "empty") || call == "post" && name == "another" ||
				call == "pulls of" && name == "a list" {
				continue // what does not matter there
			}
			s := newScripted(t)
			s.on(sending.route, says(200, body))
			err := sending.do(t.Context(), s.client(static))
			if e := failure(t, err); e.Unsure != sending.once || e.Kind != Other || len(s.got) != 1 || len(err.Error()) > 400 {
				t.Errorf("%s, %s: %.500v (%+.500v) after %d requests", name, call, err, e, len(s.got))
			}
		}
	}
}

// A connection that never stood carried nothing: also a new comment is tried again.
func TestConnectionRefused(t *testing.T) {
	for name, sending := range sendings {
		s := newScripted(t)
		s.on(sending.route, says(200, sending.body))
		looks := s.stands(sending.route, sending.stands)
		refusals := 2
		err := sending.do(t.Context(), s.client(static, func(o *Options) {
			dialer := &net.Dialer{}
			o.Transport = &http.Transport{DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
				if refusals--; refusals >= 0 {
					addr = "127.0.0.1:1"
				}
				return dialer.DialContext(ctx, network, addr)
			}}
		}))
		if err != nil || len(s.got) != 1+looks || len(s.waits) != 2 {
			t.Errorf("%s: %v after %d requests and waits of %v", name, err, len(s.got), s.waits)
		}
	}
	s := newScripted(t)
	s.srv.Close()
	err := post(t.Context(), s.client(static))
	if e := failure(t, err); e.Kind != Unreachable || e.Unsure || e.Status != 0 || !strings.Contains(e.Next, "reached") {
		t.Errorf("nobody there: %v", err)
	}
}

// A server that cannot prove who it is gets no request, and so no token.
func TestUntrustedServer(t *testing.T) {
	stranger := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("a request came through") }))
	defer stranger.Close()
	stranger.Config.ErrorLog = log.New(io.Discard, "", 0)
	plain := newScripted(t)
	for _, api := range []string{stranger.URL, "https" + strings.TrimPrefix(plain.srv.URL, "http")} {
		s := newScripted(t)
		err := post(t.Context(), s.client(static, func(o *Options) { o.API, o.Server = api, api }))
		if e := failure(t, err); e.Unsure || e.Kind != Unreachable {
			t.Errorf("%+v", e)
		}
	}
}

// A failure of GitHub's own may say when to come back; nobody waits for longer than our patience.
func TestFailureWithRetryAfter(t *testing.T) {
	for after, wait := range map[int]time.Duration{7: 7 * time.Second, 300: 300 * time.Second, 301: 0} {
		s := newScripted(t)
		s.on("GET "+commentRoute, says(503, "", fmt.Sprintf("Retry-After: %d", after)), says(200, commentJSON))
		err := read(t.Context(), s.client(static))
		if wait == 0 {
			if e := failure(t, err); e.Kind != Unreachable || len(s.got) != 1 {
				t.Errorf("%+v after %d requests", e, len(s.got))
			}
			continue
		}
		if err != nil || len(s.waits) != 1 || s.waits[0] < wait || s.waits[0] > wait+time.Second {
			t.Errorf("%v after waits of %v", err, s.waits)
		}
	}
}

// An unknown transport's errors are not taken for "never sent".
func TestUnknownTransport(t *testing.T) {
	s, n := newScripted(t), 0
	err := post(t.Context(), s.client(static, func(o *Options) {
		o.Transport = tripper(func(*http.Request) (*http.Response, error) { n++; return nil, errors.New("it broke") })
	}))
	if e := failure(t, err); !e.Unsure || n != 1 {
		t.Errorf("%v after %d", err, n)
	}
}

type tripper func(*http.Request) (*http.Response, error)

func (f tripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

const secondary = `{"message":"You have exceeded a secondary rate limit. Please wait a few minutes before you try again."}`

// Limits are waited for as GitHub asks, and nothing that met one has happened.
func TestLimits(t *testing.T) {
	reset := func(after time.Duration) string { return fmt.Sprintf("X-RateLimit-Reset: %d", noon.Add(after).Unix()) }
	const none, again = "X-RateLimit-Remaining: 0", "Retry-After: "
	for name, test := range map[string]struct {
		h    handler
		wait time.Duration // 0: not waited for
	}{
		"H7-08 without headers":   {says(403, secondary), time.Minute},
		"429 without headers":     {says(429, ""), time.Minute},
		"abuse":                   {says(403, `{"message":"You have triggered an abuse detection mechanism."}`), time.Minute},
		"Retry-After":             {says(403, secondary, again+"17"), 17 * time.Second},
		"Retry-After alone":       {says(403, `{}`, again+"17"), 17 * time.Second},
		"Retry-After 0":           {says(429, "", again+"0"), time.Second},
		"Retry-After date":        {says(429, "", again+noon.Add(33*time.Second).Format(http.TimeFormat)), 33 * time.Second},
		"Retry-After over it":     {says(429, "", again+"301"), 0},
		"Retry-After absurd":      {says(429, "", again+"18446744073709551615"), 0},
		"Retry-After nonsense":    {says(429, "", again+"soon"), time.Minute},
		"primary":                 {says(403, `{"message":"API rate limit exceeded for installation ID 7."}`, none, reset(40*time.Second)), 41 * time.Second},
		"primary without words":   {says(403, `{}`, none, reset(40*time.Second)), 41 * time.Second},
		"primary over it":         {says(403, `{"message":"API rate limit exceeded"}`, none, reset(50*time.Minute)), 0},
		"primary, reset in past":  {says(429, "", none, reset(-time.Hour)), time.Second},
		"primary, reset nonsense": {says(429, "", none, "X-RateLimit-Reset: 99999999999999999"), 0},
	} {
		for call, sending := range sendings {
			t.Run(name+" "+call, func(t *testing.T) {
				s := newScripted(t)
				s.skew = 3 * time.Hour // moments that GitHub names are of its own clock
				s.on(sending.route, test.h, says(200, sending.body))
				s.stands(sending.route, sending.stands)
				err := sending.do(t.Context(), s.client(static))
				if test.wait == 0 {
					if e := failure(t, err); e.Kind != Limited || e.Unsure || len(s.got) != 1 || !strings.Contains(e.Next, "again after") {
						t.Errorf("%v after %v", err, s.waits)
					}
					return
				}
				if err != nil || len(s.waits) != 1 || s.waits[0] < test.wait || s.waits[0] > test.wait+time.Second {
					t.Errorf("%v after waits of %v", err, s.waits)
				}
			})
		}
	}
}

// H7-08: few tries, then a clear end that is no missing permission (H6-05).
func TestLimitStays(t *testing.T) {
	s := newScripted(t)
	s.on("POST "+postRoute, says(403, secondary))
	err := post(t.Context(), s.client(static))
	var waited time.Duration
	for _, w := range s.waits {
		waited += w
	}
	if e := failure(t, err); e.Kind != Limited || e.Unsure || len(s.got) != 3 || waited > maxPatience || !strings.Contains(err.Error(), "secondary rate limit") {
		t.Errorf("%v after %d requests and %v", err, len(s.got), s.waits)
	}
	s = newScripted(t)
	s.on("POST "+postRoute, says(403, secondary, "Retry-After: 1"))
	if err := post(t.Context(), s.client(static)); failure(t, err).Kind != Limited || len(s.got) != 1+maxLimits {
		t.Errorf("%v after %d requests", err, len(s.got))
	}
}

// The library keeps limits in mind and would refuse later calls by itself, by its own clock.
func TestLimitsAreForgotten(t *testing.T) {
	s := newScripted(t)
	s.on("GET "+commentRoute, says(200, commentJSON, "X-RateLimit-Remaining: 0", fmt.Sprintf("X-RateLimit-Reset: %d", time.Now().Add(time.Hour).Unix())))
	c := s.client(static)
	for range 2 {
		if err := read(t.Context(), c); err != nil {
			t.Fatal(err)
		}
	}
}

// GraphQL's limits and failures come with status 200.
func TestGraphQLFailures(t *testing.T) {
	for name, body := range map[string]string{
		"limit":     `{"errors":[{"type":"RATE_LIMITED","message":"API rate limit exceeded"}]}`,
		"secondary": `{"errors":[{"message":"You have exceeded a secondary rate limit"}]}`,
		"broken":    `{"data":null,"errors":[{"message":"Something went wrong while executing your query. This may be the result of a timeout"}]}`,
	} {
		s := newScripted(t)
		s.on("POST /api/graphql", says(200, body), says(200, sendings["eyes"].body))
		if err := s.client(static).Eyes(t.Context(), "N"); err != nil || len(s.waits) != 1 || (s.waits[0] >= time.Minute) != (name != "broken") {
			t.Errorf("%s: %v after %v", name, err, s.waits)
		}
	}
	for kind, want := range map[string]Kind{"NOT_FOUND": Gone, "FORBIDDEN": Forbidden, "": Other, "NEW": Other} {
		s := newScripted(t)
		s.on("POST /api/graphql", says(200, fmt.Sprintf(`{"errors":[{"type":%q,"path":["addReaction",0]}]}`, kind)))
		if err := s.client(static).Eyes(t.Context(), "N"); failure(t, err).Kind != want || len(s.got) != 1 {
			t.Errorf("%q: %v", kind, err)
		}
	}
}

// Refusals have a kind, GitHub's words, and the step that helps.
func TestRefusals(t *testing.T) {
	long := strings.Repeat("é", 5000)
	for _, test := range []struct {
		h       handler
		kind    Kind
		message string
		next    string
	}{
		{says(403, `{"message":"Resource not accessible by integration"}`, "X-Accepted-GitHub-Permissions: issues=write; pull_requests=write"), Forbidden, "Resource not accessible by integration", "the permission issues: write or pull_requests: write"},
		{says(403, `{"message":"Resource not accessible by integration"}`, "X-Accepted-GitHub-Permissions: <!-- x -->"), Forbidden, "Resource not accessible by integration", "write permission for issues"},
		{says(403, `{"message":"GitHub Actions is not permitted to create or approve pull requests."}`), Forbidden, "GitHub Actions is not permitted to create or approve pull requests.", "Actions, General"},
		{says(403, `{"message":"Repository was archived so is read-only."}`), Forbidden, "Repository was archived so is read-only.", ""},
		{says(404, `{"message":"Not Found"}`), Gone, "Not Found", ""},
		{says(410, `{"message":"Issues are disabled for this repo"}`), Gone, "Issues are disabled for this repo", ""},
		{says(422, `{"message":"Validation Failed","errors":[{"resource":"IssueComment","code":"unprocessable","field":"data","message":"Body is too long"}]}`), Invalid, "Validation Failed: data unprocessable Body is too long", ""},
		{says(422, `{"message":"Validation Failed","errors":["plain"]}`), Invalid, "Validation Failed", ""},
		{says(418, `short and stout`), Other, "", ""},
		{says(304, ``), Other, "", ""},
		{says(422, `{"message":"`+long+`"}`), Invalid, strings.Repeat("é", 98) + "…", ""},
		{says(422, `{"message":"`+strings.Repeat("x", 1<<20)+`"}`), Invalid, "", ""},
	} {
		for _, call := range []string{"read", "edit", "post", "protected", "pulls of", "open", "assign"} {
			s := newScripted(t)
			s.on(sendings[call].route, test.h)
			err := sendings[call].do(t.Context(), s.client(static))
			e := failure(t, err)
			if e.Kind != test.kind || e.Unsure || e.Message != test.message || (e.Next == "") != (test.next == "") || !strings.Contains(e.Next, test.next) || len(s.got) != 1 {
				t.Errorf("%s: %+v", call, e)
			}
		}
	}
}

// A context that ends ends everything at once: a wait, a try, and it is unsure whether a comment that was under way is there.
func TestCancelled(t *testing.T) {
	t.Run("while waiting", func(t *testing.T) {
		s := newScripted(t)
		s.on("POST "+postRoute, says(403, secondary))
		c := s.client(static, func(o *Options) { o.Wait = nil })
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		began := time.Now()
		err := post(ctx, c)
		if e := failure(t, err); e.Kind != Cancelled || e.Unsure || time.Since(began) > 5*time.Second || !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
	})
	t.Run("under way", func(t *testing.T) {
		s := newScripted(t)
		ctx, cancel := context.WithCancelCause(t.Context())
		s.on("POST "+postRoute, func(_ http.ResponseWriter, r *http.Request, _ string) {
			cancel(errors.New("the job was cancelled"))
			<-r.Context().Done()
		})
		err := post(ctx, s.client(static))
		if e := failure(t, err); e.Kind != Cancelled || !e.Unsure || !strings.Contains(err.Error(), "the job was cancelled") {
			t.Errorf("%+v", e)
		}
	})
	t.Run("before", func(t *testing.T) {
		s := newScripted(t)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		for _, c := range []*Client{s.client(static), s.client()} {
			if e := failure(t, post(ctx, c)); e.Kind != Cancelled || e.Unsure || len(s.got) != 0 {
				t.Errorf("%+v after %d requests", e, len(s.got))
			}
		}
	})
	t.Run("waiting for somebody else's token", func(t *testing.T) {
		s := newScripted(t)
		c := s.client()
		c.turn <- struct{}{}
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		defer cancel()
		if e := failure(t, read(ctx, c)); e.Kind != Cancelled {
			t.Errorf("%+v", e)
		}
	})
}

func TestCalls(t *testing.T) {
	s := newScripted(t)
	s.on("GET /api/v3/repos/acme/site/collaborators/ann/permission", says(502, ""), says(200, `{"permission":"write"}`))
	c := s.client()
	if _, err := c.Permission(t.Context(), "ann"); err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, call := range c.Calls() {
		lines = append(lines, fmt.Sprintf("%s %s %d %s", call.Method, call.Path, call.Status, call.What))
	}
	want := `GET /api/v3/repos/acme/site/installation 200 finding the App's installation
POST /api/v3/app/installations/7/access_tokens 201 minting the dispatcher's token
GET /api/v3/repos/acme/site/collaborators/ann/permission 502 asking who may write
GET /api/v3/repos/acme/site/collaborators/ann/permission 200 asking who may write`
	if got := strings.Join(lines, "\n"); got != want {
		t.Errorf("calls:\n%s", got)
	}
}
