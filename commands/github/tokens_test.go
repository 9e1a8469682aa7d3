package github

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// H7-01: GitHub accepts our signature although our clock is wrong by less than a minute, and a clock that is further off
// is named, whatever the words of the refusal.
func TestClock(t *testing.T) {
	for skew, next := range map[time.Duration]string{
		0: "", 45 * time.Second: "", -45 * time.Second: "", -8 * time.Minute: "",
		90 * time.Second:  "clock is 1m30s ahead of GitHub's",
		-11 * time.Minute: "clock is 11m0s behind GitHub's",
	} {
		t.Run(skew.String(), func(t *testing.T) {
			s := newScripted(t)
			s.skew = skew
			token, err := s.client().GitToken(t.Context())
			if next == "" {
				if err != nil || token == "" {
					t.Fatalf("%q, %v", token, err)
				}
				return
			}
			e := failure(t, err)
			if e.Kind != Unauthorized || !e.Setup || !strings.Contains(e.Next, next) {
				t.Errorf("%v: %+v", err, e)
			}
		})
	}
}

// Without a Date the words tell of the clock, and a wrong key is not taken for one.
func TestClockByWords(t *testing.T) {
	for message, next := range map[string]string{
		`'Issued at' claim ('iat') must be an Integer`: "clock differs",
		`A JSON web token could not be decoded`:        "private key is not one of the App 42's",
	} {
		s := newScripted(t)
		s.on("GET /api/v3/repos/acme/site/installation", func(w http.ResponseWriter, r *http.Request, _ string) {
			w.Header()["Date"] = nil
			says(401, fmt.Sprintf(`{"message":%q}`, message))(w, r, "")
		})
		_, err := s.client().GitToken(t.Context())
		if e := failure(t, err); e.Kind != Unauthorized || !strings.Contains(e.Next, next) {
			t.Errorf("%s: %v", message, err)
		}
		if n := len(s.got); n != 1 {
			t.Errorf("%s: a signature that was refused was sent %d times", message, n)
		}
	}
}

// F-18: a token is asked for the one repository and the permissions that are used, and given to Mask, with what git sends
// of it, before it goes anywhere (F-19).
func TestDispatcherToken(t *testing.T) {
	s := newScripted(t)
	s.on("GET "+commentRoute, func(w http.ResponseWriter, r *http.Request, _ string) {
		s.mu.Lock()
		masked := slices.Clone(s.masked)
		s.mu.Unlock()
		token := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
		for _, secret := range []string{token, base64.StdEncoding.EncodeToString([]byte("x-access-token:" + token))} {
			if !slices.Contains(masked, secret) {
				t.Errorf("%q was used before it was masked", secret)
			}
		}
		says(200, commentJSON)(w, r, "")
	})
	c := s.client()
	for range 3 {
		if _, err := c.Comment(t.Context(), Ref{ID: 5}); err != nil {
			t.Fatal(err)
		}
	}
	want := `{"repositories":["site"],"permissions":{"contents":"read","issues":"write","metadata":"read","pull_requests":"write"}}`
	if got := strings.TrimSpace(s.last("access_tokens").body); got != want {
		t.Errorf("asked for %s", got)
	}
	if n := len(s.got); n != 5 {
		t.Errorf("%d requests for three reads", n)
	}
	if token, err := c.GitToken(t.Context()); err != nil || "Bearer "+token != s.last(commentRoute).auth {
		t.Errorf("git gets %q, %v", token, err)
	}
}

// H7-02: a token with less than ten minutes left is replaced before the next call, and one that GitHub refuses once after it.
func TestTokenAges(t *testing.T) {
	s := newScripted(t)
	s.on("GET "+commentRoute, says(200, commentJSON), says(200, commentJSON), says(200, commentJSON), says(401, `{"message":"Bad credentials"}`), says(200, commentJSON))
	c := s.client()
	for i, step := range []struct {
		passes time.Duration
		minted int
	}{{0, 1}, {49 * time.Minute, 1}, {2 * time.Minute, 2}, {0, 3}} {
		s.mu.Lock()
		s.passed += step.passes
		s.mu.Unlock()
		if _, err := c.Comment(t.Context(), Ref{ID: 5}); err != nil {
			t.Fatal(err)
		}
		if s.minted != step.minted {
			t.Errorf("step %d: %d tokens minted, want %d", i, s.minted, step.minted)
		}
	}
	if n := len(s.lines("/installation")); n != 1+3 {
		t.Errorf("the installation was asked for %d times", n-3)
	}
	s.on("GET "+commentRoute, says(401, `{"message":"Bad credentials"}`))
	_, err := c.Comment(t.Context(), Ref{ID: 5})
	if e := failure(t, err); e.Kind != Unauthorized || s.minted != 4 {
		t.Errorf("after a second refusal: %v, %d minted", err, s.minted)
	}
}

// A write that met an old token is repeated with a new one: it did not happen.
func TestTokenAgesOnWrite(t *testing.T) {
	s := newScripted(t)
	s.on("POST "+postRoute, says(401, `{"message":"Bad credentials"}`), says(201, commentJSON))
	if _, err := s.client().Post(t.Context(), 2, 0, "text"); err != nil || s.minted != 2 {
		t.Fatalf("%v, %d minted", err, s.minted)
	}
	if a := s.last(postRoute); a.auth == "Bearer ghs_minted0001xxxxxxxxxxxxxxxx" || a.body != `{"body":"text"}`+"\n" {
		t.Errorf("repeated as %+v", a)
	}
}

// Goroutines share one token.
func TestTokenIsShared(t *testing.T) {
	s := newScripted(t)
	s.on("GET "+commentRoute, says(200, commentJSON))
	c := s.client()
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if _, err := c.Comment(t.Context(), Ref{ID: 5}); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if s.minted != 1 {
		t.Errorf("%d tokens minted", s.minted)
	}
}

// What GitHub grants is verified: the dispatcher's token and the agent's, which can never write (S1).
func TestGrantIsVerified(t *testing.T) {
	set := func(name string, v any) func(map[string]any) any {
		return func(g map[string]any) any { g[name] = v; return g }
	}
	with := func(name, level string) func(map[string]any) any {
		return func(g map[string]any) any { g["permissions"].(map[string]any)[name] = level; return g }
	}
	repo := func(names ...string) (list []any) {
		for _, n := range names {
			list = append(list, map[string]any{"full_name": n})
		}
		return list
	}
	for name, test := range map[string]struct {
		grant func(map[string]any) any
		want  string
	}{
		"writes contents":    {with("contents", "write"), "may do more"},
		"knows more":         {with("administration", "read"), "may do more"},
		"unknown permission": {with("not_in_the_library", "write"), "may do more"},
		"unknown level":      {with("issues", "owner"), "may do more"},
		"lacks":              {func(g map[string]any) any { delete(g["permissions"].(map[string]any), "pull_requests"); return g }, "lacks pull_requests"},
		"says no permission": {set("permissions", nil), "lacks contents"},
		"two repositories":   {set("repositories", repo("acme/site", "acme/secret")), "not for acme/site alone"},
		"another repository": {set("repositories", repo("acme/site2")), "not for acme/site alone"},
		"all repositories":   {set("repositories", nil), "not for acme/site alone"},
		"no end":             {set("expires_at", "0001-01-01T00:00:00Z"), "when it ends"},
		"no token":           {set("token", ""), "holds no token"},
		"two lines":          {set("token", "ghs_a\n::error::b"), "holds no token"},
		"no grant at all":    {func(map[string]any) any { return []int{1} }, "cannot be read"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScripted(t)
			s.grant = test.grant
			s.on("DELETE /api/v3/installation/token", says(204, ""))
			c := s.client()
			_, agentErr := revealed(c.AgentToken(t.Context()))
			_, ownErr := c.GitToken(t.Context())
			for who, err := range map[string]error{"agent": agentErr, "dispatcher": ownErr} {
				if err == nil || !strings.Contains(err.Error(), test.want) {
					t.Errorf("%s: %v", who, err)
				}
			}
			revoked := len(s.lines("DELETE /api/v3/installation/token"))
			if never := strings.Contains(test.want, "no token") || strings.Contains(test.want, "read"); never != (revoked == 0) {
				t.Errorf("%d tokens revoked", revoked)
			}
		})
	}
}

func revealed(token, _ string, err error) (string, error) { return token, err }

// H7-03: whether the revocation works changes nothing but one remark, and it is sent with the token that it ends.
func TestRevocation(t *testing.T) {
	for status, remark := range map[int]bool{204: false, 401: false, 404: true, 500: true} {
		s := newScripted(t)
		s.grant = func(g map[string]any) any { g["repositories"] = nil; return g }
		s.on("DELETE /api/v3/installation/token", says(status, ""))
		token, err := revealed(s.client().AgentToken(t.Context()))
		if token != "" || strings.Contains(err.Error(), "could not be revoked") != remark {
			t.Errorf("%d: %q, %v", status, token, err)
		}
		if a := s.last("DELETE").auth; a != "Bearer ghs_minted0001xxxxxxxxxxxxxxxx" {
			t.Errorf("%d: revoked as %q", status, a)
		}
	}
}

// A job that is cancelled just then still revokes what it should not have got.
func TestRevocationOutlivesTheJob(t *testing.T) {
	s := newScripted(t)
	ctx, cancel := context.WithCancel(t.Context())
	s.grant = func(g map[string]any) any { g["repositories"] = nil; return g }
	s.on("DELETE /api/v3/installation/token", says(204, ""))
	c := s.client(func(o *Options) {
		mask := o.Mask
		o.Mask = func(secret string) {
			if mask(secret); strings.HasPrefix(secret, "ghs_") {
				cancel()
			}
		}
	})
	if _, err := revealed(c.AgentToken(ctx)); err == nil || len(s.lines("DELETE")) != 1 {
		t.Errorf("%v, %q", err, s.lines("DELETE"))
	}
}

func TestAgentToken(t *testing.T) {
	s := newScripted(t)
	c := s.client()
	token, scope, err := c.AgentToken(t.Context())
	if err != nil || !strings.HasPrefix(token, "ghs_") || scope != "contents: read, issues: read, metadata: read, pull_requests: read of acme/site only" {
		t.Fatalf("%q, %q, %v", token, scope, err)
	}
	want := `{"repositories":["site"],"permissions":{"contents":"read","issues":"read","metadata":"read","pull_requests":"read"}}`
	if got := strings.TrimSpace(s.last("access_tokens").body); got != want {
		t.Errorf("asked for %s", got)
	}
	if !slices.Contains(s.masked, token) {
		t.Error("the agent's token was not masked")
	}
	own, err := c.GitToken(t.Context())
	if err != nil || own == token {
		t.Errorf("the dispatcher shares the agent's token: %v", err)
	}
}

// F14: a repository is asked for by its id, from the start or once it is known, so that a new name changes nothing; a token
// for whatever else has our name by then is refused.
func TestTokenOfARenamedRepository(t *testing.T) {
	const byName, byID = `"repositories":["site"],`, `"repository_ids":[77],`
	repo := func(id int, name string) map[string]any { return map[string]any{"id": id, "full_name": name} }
	for name, test := range map[string]struct {
		id     int64
		grants []map[string]any
		asked  []string
		wrong  bool // the last one
	}{
		"known":             {77, []map[string]any{repo(77, "acme/site"), repo(77, "acme/new")}, []string{byID, byID}, false},
		"learned":           {0, []map[string]any{repo(77, "acme/site"), repo(77, "elsewhere/new")}, []string{byName, byID}, false},
		"never learned":     {0, []map[string]any{{"full_name": "acme/site"}, {"full_name": "acme/site"}}, []string{byName, byName}, false},
		"another, our name": {77, []map[string]any{repo(77, "acme/new"), repo(78, "acme/site")}, []string{byID, byID}, true},
		"no id":             {77, []map[string]any{{"full_name": "acme/site"}}, []string{byID}, true},
		"a name not ours":   {0, []map[string]any{repo(78, "acme/new")}, []string{byName}, true},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScripted(t)
			s.on("DELETE /api/v3/installation/token", says(204, ""))
			minted := 0
			s.grant = func(g map[string]any) any { g["repositories"] = []any{test.grants[minted]}; minted++; return g }
			c := s.client(func(o *Options) { o.RepoID = test.id })
			for i, asked := range test.asked {
				_, _, err := c.AgentToken(t.Context())
				wrong := test.wrong && i == len(test.asked)-1
				if (err != nil) != wrong || wrong && (!strings.Contains(err.Error(), "not for acme/site alone") || len(s.lines("DELETE")) != 1) {
					t.Errorf("%d: %v", i, err)
				}
				if body := s.last("access_tokens").body; !strings.HasPrefix(body, "{"+asked+`"permissions":`) {
					t.Errorf("%d: asked for %s", i, body)
				}
			}
		})
	}
}

// The fallback token is the dispatcher's alone: it may write.
func TestFallback(t *testing.T) {
	s := newScripted(t)
	s.on("GET "+commentRoute, says(200, commentJSON))
	c := s.client(static)
	if _, _, err := c.AgentToken(t.Context()); !errors.Is(err, ErrNoAgentToken) || c.App() {
		t.Errorf("the agent got a token: %v", err)
	}
	if _, err := c.Comment(t.Context(), Ref{ID: 5}); err != nil || s.last(commentRoute).auth != "Bearer ghp_fallback00000000000000000" {
		t.Errorf("sent as %q, %v", s.last(commentRoute).auth, err)
	}
	if len(s.masked) != 2 {
		t.Errorf("masked %d forms", len(s.masked))
	}
	s.on("GET "+commentRoute, says(401, `{"message":"Bad credentials"}`))
	_, err := c.Comment(t.Context(), Ref{ID: 5})
	if e := failure(t, err); e.Kind != Unauthorized || !strings.Contains(e.Next, "GH_TOKEN") || len(s.got) != 2 {
		t.Errorf("%v after %d requests", err, len(s.got))
	}
}

// F36 of the field: an App that lacks a right says so before any work.
func TestInstallation(t *testing.T) {
	for name, test := range map[string]struct {
		h    handler
		kind Kind
		want string
		next string
	}{
		"not installed": {says(404, `{"message":"Not Found"}`), Gone, "the App 42 is not installed on acme/site: GitHub answered 404", "Install it: the App's settings page, Install App, acme/site."},
		"lacks":         {says(200, `{"id":7,"permissions":{"contents":"read","issues":"read","metadata":"read","pull_requests":"write"}}`), Forbidden, "the App 42 lacks issues: write", "Give the App issues: write on its settings page, and accept it where the App is installed."},
		"suspended":     {says(200, `{"id":7,"suspended_at":"2026-01-01T00:00:00Z"}`), Forbidden, "the App 42 on acme/site is suspended", "Unsuspend it: the settings of acme, GitHub Apps, Configure."},
		"nothing":       {says(200, `{}`), Other, "names no installation", ""},
		"empty":         {says(200, ``), Other, "names no installation", ""},
		"wrong type":    {says(200, `{"id":"seven"}`), Other, "cannot be read", ""},
	} {
		s := newScripted(t)
		s.on("GET /api/v3/repos/acme/site/installation", test.h)
		_, err := s.client().GitToken(t.Context())
		if e := failure(t, err); e.Kind != test.kind || !strings.Contains(err.Error(), test.want) || e.Next != test.next || e.Setup != (test.next != "") || s.minted != 0 {
			t.Errorf("%s: %v (kind %d, next %q), %d minted", name, err, e.Kind, e.Next, s.minted)
		}
	}
	s := newScripted(t)
	s.on("POST /api/v3/app/installations/7/access_tokens", says(422, `{"message":"The permissions requested are not granted to this installation."}`))
	_, err := s.client().GitToken(t.Context())
	if e := failure(t, err); e.Kind != Invalid || !strings.Contains(e.Next, "contents: read, issues: write") {
		t.Error(err)
	}
}
