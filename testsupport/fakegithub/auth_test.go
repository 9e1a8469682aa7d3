package fakegithub

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"
)

// H7-01: a clock that is ahead, an expiry at the cap, and GitHub's odd words for it.
func TestJWT(t *testing.T) {
	d := newDesk(t)
	_, other, _ := d.App("other")
	now := func(offset int) int64 { return time.Now().Unix() + int64(offset) }
	good := func(change object) object {
		claims := object{"iss": fmt.Sprint(d.app), "iat": now(-30), "exp": now(300)}
		for name, value := range change {
			claims[name] = value
		}
		return claims
	}
	for _, c := range []struct {
		name   string
		claims object
		want   string
	}{
		{"good", good(nil), ""},
		{"issuer as a number", good(object{"iss": d.app}), ""},
		{"issued this very second", good(object{"iat": now(0)}), ""},
		{"expires at the cap", good(object{"exp": now(600)}), ""},
		{"expires after the cap", good(object{"exp": now(660)}), "'Expiration time' claim ('exp') is too far in the future"},
		{"expired", good(object{"exp": now(-1)}), "'Expiration time' claim ('exp') must be a numeric value"},
		{"expires in words", good(object{"exp": "soon"}), "'Expiration time' claim ('exp') must be a numeric value"},
		{"issued in the future", good(object{"iat": now(30)}), "'Issued at' claim ('iat') must be an Integer representing the time that the assertion was issued"},
		{"issued between two seconds", good(object{"iat": float64(now(-30)) + 0.5}), "'Issued at' claim ('iat') must be an Integer"},
		{"not issued", object{"iss": d.app, "exp": now(300)}, "'Issued at' claim ('iat') must be an Integer"},
		{"an issuer that there is not", good(object{"iss": "1"}), "'Issuer' claim ('iss') must be an Integer"},
	} {
		status := http.StatusUnauthorized
		if c.want == "" {
			status = http.StatusOK
		}
		t.Run(c.name, func(t *testing.T) {
			d.want(status, c.want, d.do("GET", "/app", d.jwt(c.claims), nil))
		})
	}
	parts := strings.Split(d.jwt(nil), ".")
	payload := base64.RawURLEncoding.EncodeToString(encode(good(nil)))
	for name, jwt := range map[string]string{
		"another App's key":     sign(t, other, `{"alg":"RS256"}`, good(nil)),
		"no signature":          parts[0] + "." + parts[1] + ".",
		"another payload":       parts[0] + "." + payload + "x." + parts[2],
		"no algorithm":          sign(t, d.key, `{"alg":"none"}`, good(nil)),
		"a symmetric algorithm": sign(t, d.key, `{"alg":"HS256"}`, good(nil)),
		"no JSON":               "a.b.c",
	} {
		t.Run(name, func(t *testing.T) {
			d.want(http.StatusUnauthorized, "A JSON web token could not be decoded", d.do("GET", "/app", jwt, nil))
		})
	}
	t.Run("GitHub's clock is behind", func(t *testing.T) {
		d.Skew(-2 * time.Minute)
		r := d.want(http.StatusUnauthorized, "'Issued at' claim", d.do("GET", "/app", d.jwt(nil), nil))
		if at, err := http.ParseTime(r.header.Get("Date")); err != nil || time.Since(at) < time.Minute {
			t.Errorf("the Date header does not tell: %v %v", at, err)
		}
	})
}

// Which credential is for which call.
func TestCredentials(t *testing.T) {
	d := newDesk(t)
	for _, c := range []struct {
		name, path, header string
		status             int
		kind               string
	}{
		{"bearer", "/repos/acme/rocket", "Bearer " + d.token, 200, "app"},
		{"token", "/repos/acme/rocket", "token " + d.token, 200, "app"},
		{"static", "/repos/acme/rocket", "Bearer " + d.StaticToken(), 200, "static"},
		{"agent", "/repos/acme/rocket", "Bearer " + d.mint(object{"permissions": object{"contents": "read"}}), 200, "agent"},
		{"none, and none is needed", "/repos/acme/rocket", "", 200, ""},
		{"bad, and none is needed", "/repos/acme/rocket", "Bearer ghs_no", 401, ""},
		{"another scheme", "/repos/acme/rocket", "Digest x", 401, ""},
		{"a token where a JWT belongs", "/app", "Bearer " + d.token, 401, "app"},
		{"a JWT where a token belongs", fmt.Sprintf("/repos/acme/rocket/issues/%d", d.issue), "Bearer " + d.jwt(nil), 401, "jwt"},
	} {
		t.Run(c.name, func(t *testing.T) {
			req, err := http.NewRequestWithContext(t.Context(), "GET", d.API()+c.path, nil)
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("Authorization", c.header)
			res, err := http.DefaultClient.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			defer res.Body.Close()
			if res.StatusCode != c.status || d.last().Token != c.kind {
				t.Errorf("%d as %q", res.StatusCode, d.last().Token)
			}
		})
	}
}

func TestUserAgent(t *testing.T) {
	d := newDesk(t)
	req, err := http.NewRequestWithContext(t.Context(), "GET", d.API()+"/rate_limit", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("User-Agent", "")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusForbidden {
		t.Errorf("without User-Agent: %d", res.StatusCode)
	}
}

// A token is never more than the App, and never more than was asked for.
func TestTokensAreRestricted(t *testing.T) {
	d := newDesk(t)
	secret := d.Repo("acme/secret", nil)
	secret.Private()
	d.Repo("elsewhere/site", nil)
	one := object{"repositories": []string{"rocket"}, "permissions": object{"issues": "read"}}

	r := d.want(201, `"permissions":{"issues":"read","metadata":"read"}`, d.ask(one))
	if repos := r.body["repositories"].([]any); len(repos) != 1 || r.body["repository_selection"] != "selected" {
		t.Errorf("%s", r.raw)
	}
	token := r.body["token"].(string)
	d.want(200, "", d.do("GET", fmt.Sprintf("/repos/acme/rocket/issues/%d", d.issue), token, nil))
	d.want(404, "Not Found", d.do("GET", "/repos/acme/secret", token, nil))
	d.want(404, "Not Found", d.do("GET", "/repos/acme/secret", "", nil))
	d.want(200, "secret", d.do("GET", "/repos/acme/secret", d.mint(nil), nil))
	d.want(200, "", d.do("GET", "/repos/elsewhere/site", token, nil))
	d.want(403, "", d.do("GET", "/repos/elsewhere/site/collaborators/ann/permission", token, nil))
	d.want(201, `"secret"`, d.ask(object{"repository_ids": []int64{secret.id}}))

	const exceeds = "The permissions requested are not granted to this installation."
	d.want(422, exceeds, d.ask(object{"permissions": object{"administration": "write"}}))
	d.Grant(d.app, "issues", "read")
	d.want(422, exceeds, d.ask(object{"permissions": object{"issues": "write"}}))
	d.Grant(d.app, "issues", "")
	d.want(422, exceeds, d.ask(object{"permissions": object{"issues": "read"}}))
	const elsewhere = "There is at least one repository that does not exist or is not accessible to the parent installation."
	d.want(422, elsewhere, d.ask(object{"repositories": []string{"site"}}))
	d.want(422, elsewhere, d.ask(object{"repositories": []string{"rocket", "none"}}))
	d.want(404, "", d.do("POST", "/app/installations/1/access_tokens", d.jwt(nil), nil))
	secret.Uninstall(d.app)
	d.want(422, elsewhere, d.ask(object{"repositories": []string{"secret"}}))
	d.repo.Uninstall(d.app)
	d.want(404, "Not Found", d.do("GET", "/repos/acme/rocket/installation", d.jwt(nil), nil))
}

// H7-02: tokens end, by GitHub's clock or the machine's.
func TestTokensEnd(t *testing.T) {
	d := newDesk(t)
	path := fmt.Sprintf("/repos/acme/rocket/issues/%d", d.issue)
	static := d.StaticToken()
	lives := func(token string) { t.Helper(); d.want(200, "", d.do("GET", path, token, nil)) }
	ended := func(token string) { t.Helper(); d.want(401, "Bad credentials", d.do("GET", path, token, nil)) }

	r := d.ask(nil)
	expires, err := time.Parse(time.RFC3339, r.body["expires_at"].(string))
	if left := time.Until(expires); err != nil || left > time.Hour || left < 59*time.Minute {
		t.Errorf("a token expires %v", r.body["expires_at"])
	}
	d.Advance(59 * time.Minute)
	lives(d.token)
	d.Advance(2 * time.Minute)
	ended(d.token)
	lives(static)

	second := d.mint(nil)
	d.Skew(2 * time.Hour)
	ended(second)
	d.Skew(0)

	third := d.mint(nil)
	d.Expire()
	ended(third)
	ended(static)

	fourth := d.mint(nil)
	d.want(204, "", d.do("DELETE", "/installation/token", fourth, nil))
	ended(fourth)
	d.want(401, "Bad credentials", d.do("DELETE", "/installation/token", fourth, nil)) // H7-03

	d.TokenLife(time.Minute)
	expires, err = time.Parse(time.RFC3339, d.ask(nil).body["expires_at"].(string))
	if err != nil || time.Until(expires) > time.Minute {
		t.Errorf("a token of one minute expires %v", expires)
	}
}

// The table of actors, as the permission API shows them.
func TestPermissionLookups(t *testing.T) {
	d := newDesk(t)
	secret := d.Repo("acme/secret", nil)
	secret.Private()
	d.User("owner", "none")
	d.Repo("owner/own", nil)
	old := d.User("old-name", "admin")
	taker := d.Take("old-name", "new-name", "none")
	for login, role := range map[string]string{
		"adam": "admin", "mary": "maintain", "wendy": "write", "trish": "triage", "rita": "read", "nora": "none",
		"carl": "custom:write:Release manager", "cora": "custom:read:Auditor",
	} {
		d.User(login, role)
	}
	secret.Role("nora", "admin")
	for _, c := range []struct {
		repo, login string
		want        string // permission, role_name, id
	}{
		{"acme/rocket", "adam", "admin admin adam"},
		{"acme/rocket", "ADAM", "admin admin adam"},
		{"acme/rocket", "mary", "write maintain mary"},
		{"acme/rocket", "wendy", "write write wendy"},
		{"acme/rocket", "trish", "read triage trish"},
		{"acme/rocket", "rita", "read read rita"},
		{"acme/rocket", "nora", "read read nora"}, // everybody can read what is public
		{"acme/secret", "nora", "admin admin nora"},
		{"acme/secret", "owner", "none none owner"},
		{"owner/own", "owner", "admin admin owner"},
		{"acme/rocket", "carl", "write Release manager carl"},
		{"acme/rocket", "cora", "read Auditor cora"},
		{"acme/rocket", "ai-flow[bot]", "read read ai-flow[bot]"},
		{"acme/rocket", "new-name", "admin admin new-name"},
		{"acme/rocket", "old-name", "read read old-name"},
	} {
		token := d.StaticToken()
		r := d.do("GET", "/repos/"+c.repo+"/collaborators/"+c.login+"/permission", token, nil)
		user, _ := r.body["user"].(map[string]any)
		if got := fmt.Sprintf("%v %v %v", r.body["permission"], r.body["role_name"], user["login"]); got != c.want {
			t.Errorf("%s in %s: %s, want %s", c.login, c.repo, got, c.want)
		}
		if is := map[string]int64{"new-name": old, "old-name": taker}[c.login]; is != 0 && user["id"] != float64(is) {
			t.Errorf("%s is %v, want %d", c.login, user["id"], is)
		}
	}
	path := "/repos/acme/rocket/collaborators/ann/permission"
	d.want(404, "nobody is not a user", d.do("GET", strings.Replace(path, "ann", "nobody", 1), d.token, nil))
	d.FailLookup("Ann", 500)
	d.want(500, "Internal Server Error", d.do("GET", path, d.token, nil))
	d.FailLookup("Ann", 404)
	d.want(404, "Not Found", d.do("GET", path, d.token, nil))
	d.FailLookup("Ann", 0)
	d.want(200, "", d.do("GET", path, d.token, nil))
	d.Delete("ann")
	d.want(404, "ann is not a user", d.do("GET", path, d.token, nil))
}

// H7-06: whatever the method, and the address leads to the right place.
func TestRenamedRepository(t *testing.T) {
	d := newDesk(t)
	d.repo.Rename("acme/ship")
	path := fmt.Sprintf("/issues/%d/comments", d.issue)
	for _, method := range []string{"GET", "POST"} {
		var body any
		if method == "POST" {
			body = object{"body": "Said."}
		}
		r := d.want(301, "Moved Permanently", d.do(method, "/repos/acme/rocket"+path, d.token, body))
		if r := d.do(method, r.header.Get("Location"), d.token, body); r.status >= 300 {
			t.Errorf("%s after the redirect: %d %s", method, r.status, r.raw)
		}
	}
	if posted := d.repo.Thread(d.issue); len(posted) != 2 || posted[1].Body != "Said." {
		t.Errorf("%+v", posted)
	}
	d.want(404, "", d.do("GET", "/repositories/1"+path, d.token, nil))
}
