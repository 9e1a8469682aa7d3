package github

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
)

// elsewhere adds other/tool, where the App has another installation, and notes the tokens that each repository is called with.
func (s *scripted) elsewhere() {
	s.on("GET /api/v3/repos/other/tool/installation", func(w http.ResponseWriter, r *http.Request, _ string) {
		if s.signed(w, r) {
			fmt.Fprint(w, `{"id":8,"permissions":{"contents":"write","issues":"write","metadata":"read","pull_requests":"write"}}`)
		}
	})
	s.on("POST /api/v3/app/installations/8/access_tokens", func(w http.ResponseWriter, r *http.Request, body string) {
		var asked map[string]any
		if err := json.Unmarshal([]byte(body), &asked); err != nil || !s.signed(w, r) {
			s.t.Errorf("minting with %q: %v", body, err)
		}
		s.mu.Lock()
		s.minted++
		token := fmt.Sprintf("ghs_othersown%04dxxxxxxxxxxxxx", s.minted)
		s.mu.Unlock()
		w.WriteHeader(201)
		json.NewEncoder(w).Encode(map[string]any{
			"token": token, "expires_at": s.now().Add(time.Hour), "permissions": asked["permissions"], "repositories": []any{map[string]any{"id": 9, "full_name": "other/tool"}},
		})
	})
	s.on("GET "+commentRoute, says(200, commentJSON))
	s.on("GET /api/v3/repos/other/tool/issues/comments/5", says(200, commentJSON))
}

// S8: each repository is called with tokens of its own, made by its own installation, and all calls are listed together.
func TestIn(t *testing.T) {
	s := newScripted(t)
	s.elsewhere()
	c := s.client(func(o *Options) { o.RepoID = 77 })
	s.grant = func(g map[string]any) any { g["repositories"] = []any{map[string]any{"id": 77}}; return g }
	other, err := c.In(Repo{"other", "tool"})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		for _, client := range []*Client{c, other} {
			if err := read(t.Context(), client); err != nil {
				t.Fatal(err)
			}
		}
	}
	push, err := other.PushToken(t.Context())
	if err != nil || !strings.HasPrefix(push, "ghs_othersown") || s.minted != 3 {
		t.Errorf("%q, %v, %d minted", push, err, s.minted)
	}
	for _, r := range s.got {
		if own := strings.Contains(r.line, "/acme/site/"); strings.Contains(r.auth, "ghs_othersown") && own || strings.Contains(r.auth, "ghs_minted") && !own {
			t.Errorf("%s was sent %s", r.line, r.auth)
		}
	}
	if body := s.last("installations/8/").body; !strings.HasPrefix(body, `{"repository_ids":[9],`) || !strings.HasPrefix(s.last("installations/7/").body, `{"repository_ids":[77],`) {
		t.Errorf("asked for %s", body)
	}
	if !slices.Equal(c.Calls(), other.Calls()) || len(c.Calls()) != len(s.got) {
		t.Errorf("%d and %d calls of %d", len(c.Calls()), len(other.Calls()), len(s.got))
	}
	if !strings.Contains(fmt.Sprint(s.masked), push) || strings.Contains(c.excerpt(push), push) {
		t.Error("one does not keep the other's secrets")
	}
}

// What a repository refuses is its own: the other goes on.
func TestInRefused(t *testing.T) {
	for name, test := range map[string]struct {
		h    handler
		kind Kind
		what string
	}{
		"not installed": {says(404, `{"message":"Not Found"}`), Gone, "the App 42 is not installed on other/tool"},
		"lacks":         {says(200, `{"id":8,"permissions":{"contents":"read","issues":"write","metadata":"read"}}`), Forbidden, "the App 42 lacks pull_requests: write"},
		"suspended":     {says(200, `{"id":8,"suspended_at":"2026-01-01T00:00:00Z"}`), Forbidden, "the App 42 on other/tool is suspended"},
	} {
		s := newScripted(t)
		s.elsewhere()
		s.on("GET /api/v3/repos/other/tool/installation", test.h)
		c := s.client()
		other, err := c.In(Repo{"other", "tool"})
		if err != nil {
			t.Fatal(err)
		}
		_, err = other.Builds(t.Context(), "ai/2-")
		if e := failure(t, err); e.Kind != test.kind || !strings.Contains(err.Error(), test.what) || !e.Setup {
			t.Errorf("%s: %+v", name, e)
		}
		if err := read(t.Context(), c); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestInNames(t *testing.T) {
	s := newScripted(t)
	c := s.client()
	for _, repo := range []Repo{{}, {"acme", ""}, {"acme", ".."}, {"acme", "a/b"}, {"a?b", "c"}, {"acme", "site\n"}} {
		if other, err := c.In(repo); other != nil || failure(t, err).Kind != Invalid {
			t.Errorf("%q: %v", repo, err)
		}
	}
	for _, client := range []*Client{c, s.client(static)} {
		if own, err := client.In(Repo{"Acme", "SITE"}); own != client || err != nil {
			t.Errorf("its own repository: %v", err)
		}
	}
	// The fallback token is no token of another repository, even where it would do.
	other, err := s.client(static).In(Repo{"other", "tool"})
	if e := failure(t, err); other != nil || !e.Setup || !strings.Contains(e.Error(), "`GH_TOKEN` is for acme/site alone") || !strings.Contains(e.Next, "installed on other/tool") || len(s.got) != 0 {
		t.Errorf("%v after %d requests", err, len(s.got))
	}
}
