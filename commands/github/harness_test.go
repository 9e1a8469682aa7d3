package github

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v4"
)

// noon is when these tests happen, by GitHub's clock.
var noon = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

var testKey = sync.OnceValue(func() *rsa.PrivateKey {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		panic(err)
	}
	return key
})

func testPEM() []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(testKey())})
}

// seen is a request as it came in.
type seen struct {
	line, auth, body string // line is method, path and query
	header           http.Header
}

type handler = func(w http.ResponseWriter, r *http.Request, body string)

// scripted is a server that answers each route with the next of its handlers, the last one for ever. It mints tokens as
// GitHub does, by a clock of its own.
type scripted struct {
	t     *testing.T
	srv   *httptest.Server
	now   func() time.Time // GitHub's clock
	grant func(asked map[string]any) any

	mu     sync.Mutex
	routes map[string][]handler
	got    []seen
	minted int
	waits  []time.Duration
	masked []string
	skew   time.Duration // of our clock
	passed time.Duration
}

func newScripted(t *testing.T) *scripted {
	s := &scripted{t: t, routes: map[string][]handler{}}
	s.now = func() time.Time { s.mu.Lock(); defer s.mu.Unlock(); return noon.Add(s.passed) }
	s.srv = httptest.NewServer(s)
	t.Cleanup(s.srv.Close)
	s.on("GET /api/v3/repos/acme/site/installation", s.installation(`{"contents":"write","issues":"write","metadata":"read","pull_requests":"write"}`))
	s.on("POST /api/v3/app/installations/7/access_tokens", s.mint)
	return s
}

// on sets the handlers of a route: "GET /path".
func (s *scripted) on(route string, h ...handler) { s.routes[route] = h }

func (s *scripted) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	line := r.Method + " " + r.URL.EscapedPath()
	s.mu.Lock()
	s.got = append(s.got, seen{line + strings.TrimSuffix("?"+r.URL.RawQuery, "?"), r.Header.Get("Authorization"), string(body), r.Header.Clone()})
	list := s.routes[line]
	if len(list) > 1 {
		s.routes[line] = list[1:]
	}
	s.mu.Unlock()
	w.Header().Set("Date", s.now().UTC().Format(http.TimeFormat))
	if len(list) == 0 {
		http.Error(w, `{"message":"Not Found"}`, http.StatusNotFound)
		return
	}
	list[0](w, r, string(body))
}

// says answers with a status and a body; headers are "Name: value".
func says(status int, body string, headers ...string) handler {
	return func(w http.ResponseWriter, _ *http.Request, _ string) {
		for _, h := range headers {
			name, value, _ := strings.Cut(h, ": ")
			w.Header().Set(name, value)
		}
		w.WriteHeader(status)
		io.WriteString(w, body)
	}
}

// drops breaks the connection.
func drops(http.ResponseWriter, *http.Request, string) { panic(http.ErrAbortHandler) }

// signed checks the App's signature as GitHub does (H7-01).
func (s *scripted) signed(w http.ResponseWriter, r *http.Request) bool {
	claims := jwt.RegisteredClaims{}
	p := jwt.NewParser(jwt.WithoutClaimsValidation(), jwt.WithValidMethods([]string{"RS256"}))
	_, err := p.ParseWithClaims(strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "), &claims, func(*jwt.Token) (any, error) { return &testKey().PublicKey, nil })
	refuse := func(message string) bool {
		says(401, fmt.Sprintf(`{"message":%q}`, message))(w, r, "")
		return false
	}
	switch now := s.now(); {
	case err != nil:
		return refuse("A JSON web token could not be decoded")
	case claims.Issuer != "42":
		return refuse("Integration must generate a public key")
	case claims.IssuedAt.After(now):
		return refuse("'Issued at' claim ('iat') must be an Integer representing the time that the assertion was issued")
	case claims.ExpiresAt.After(now.Add(600 * time.Second)):
		return refuse("'Expiration time' claim ('exp') is too far in the future")
	case !claims.ExpiresAt.After(now):
		return refuse("'Expiration time' claim ('exp') must be a numeric value representing the future time at which the assertion expires")
	}
	return true
}

func (s *scripted) installation(permissions string) handler {
	return func(w http.ResponseWriter, r *http.Request, _ string) {
		if s.signed(w, r) {
			fmt.Fprintf(w, `{"id":7,"permissions":%s}`, permissions)
		}
	}
}

func (s *scripted) mint(w http.ResponseWriter, r *http.Request, body string) {
	if !s.signed(w, r) {
		return
	}
	var asked map[string]any
	if err := json.Unmarshal([]byte(body), &asked); err != nil {
		s.t.Errorf("minting with %q: %v", body, err)
	}
	s.mu.Lock()
	s.minted++
	n := s.minted
	s.mu.Unlock()
	answer := any(map[string]any{
		"token": fmt.Sprintf("ghs_minted%04dxxxxxxxxxxxxxxxx", n), "expires_at": s.now().Add(time.Hour).Format(time.RFC3339),
		"permissions": asked["permissions"], "repository_selection": "selected", "repositories": []any{map[string]any{"full_name": "Acme/Site"}},
	})
	if s.grant != nil {
		answer = s.grant(answer.(map[string]any))
	}
	w.WriteHeader(201)
	json.NewEncoder(w).Encode(answer)
}

// options are those of an App on this server.
func (s *scripted) options() Options {
	return Options{
		API: s.srv.URL + "/api/v3", Server: s.srv.URL, Repo: Repo{"acme", "site"}, AppID: 42, PrivateKey: testPEM(),
		Deadline: 10 * time.Second,
		Now:      func() time.Time { return s.now().Add(s.skew) },
		Mask: func(secret string) {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.masked = append(s.masked, secret)
		},
		// Waits take no time but that of GitHub's clock.
		Wait: func(ctx context.Context, d time.Duration) error {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.waits, s.passed = append(s.waits, d), s.passed+d
			return ctx.Err()
		},
	}
}

func (s *scripted) client(change ...func(*Options)) *Client {
	s.t.Helper()
	o := s.options()
	for _, f := range change {
		f(&o)
	}
	c, err := New(o)
	if err != nil {
		s.t.Fatal(err)
	}
	return c
}

// static is an option: the fallback token, which needs no calls of its own.
func static(o *Options) { o.AppID, o.PrivateKey, o.Token = 0, nil, "ghp_fallback00000000000000000" }

// lines are the requests that came in for routes that hold part.
func (s *scripted) lines(part string) (lines []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.got {
		if strings.Contains(r.line, part) {
			lines = append(lines, r.line)
		}
	}
	return lines
}

func (s *scripted) last(part string) seen {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range slices.Backward(s.got) {
		if strings.Contains(r.line, part) {
			return r
		}
	}
	s.t.Fatalf("no request for %s", part)
	return seen{}
}

// failure is the *Error that err has to be.
func failure(t *testing.T, err error) *Error {
	t.Helper()
	var e *Error
	if !errors.As(err, &e) {
		t.Fatalf("the error is %#v, no *Error", err)
	}
	return e
}

const (
	commentRoute = "/api/v3/repos/acme/site/issues/comments/5"
	postRoute    = "/api/v3/repos/acme/site/issues/2/comments"
	commentJSON  = `{"id":5,"body":"hello","user":{"login":"ann","type":"User"},"html_url":"https://github.com/acme/site/issues/2#issuecomment-5","created_at":"2026-11-30T11:00:00Z"}`
)
