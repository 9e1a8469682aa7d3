package github

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// H7-06, H7-10: a redirect on the same server is followed with the method, the body and the authorisation of the call.
func TestRedirects(t *testing.T) {
	for _, status := range []int{301, 302, 307, 308} {
		for name, sending := range sendings {
			for _, absolute := range []bool{true, false} {
				s := newScripted(t)
				to := "/api/v3/repositories/1/moved"
				if absolute {
					to = s.srv.URL + to
				}
				method, _, _ := strings.Cut(sending.route, " ")
				s.on(sending.route, says(status, "", "Location: "+to))
				s.on(method+" /api/v3/repositories/1/moved", says(200, sending.body))
				if err := sending.do(t.Context(), s.client(static)); err != nil {
					t.Errorf("%d %s: %v", status, name, err)
					continue
				}
				first, second := s.got[0], s.got[1]
				if len(s.got) != 2 || first.body != second.body || first.auth != second.auth || second.auth == "" ||
					first.header.Get("Content-Type") != second.header.Get("Content-Type") {
					t.Errorf("%d %s: %+v became %+v", status, name, first, second)
				}
			}
		}
	}
}

// An App's signature is redirected like a token, and the query of a list stays what the redirect says.
func TestRedirectedApp(t *testing.T) {
	s := newScripted(t)
	s.on("GET /api/v3/repositories/1/installation", s.routes["GET /api/v3/repos/acme/site/installation"]...)
	s.on("GET /api/v3/repos/acme/site/installation", says(301, "", "Location: /api/v3/repositories/1/installation"))
	s.on("GET "+postRoute, says(301, "", "Location: /api/v3/repositories/1/comments?page=1&per_page=100"))
	s.on("GET /api/v3/repositories/1/comments", says(200, "["+commentJSON+"]"))
	c := s.client()
	got, err := c.Comments(t.Context(), 2, false, noon)
	if err != nil || len(got) != 1 || len(s.lines("/repositories/1/comments?page=1&per_page=100")) != 1 {
		t.Errorf("%v, %v", got, err)
	}
}

// Neither a token nor a signature goes to another server, in a header, an address or a body: whoever answers there is a
// stranger. Ends of redirects that lead nowhere are errors that say so, and nothing has happened.
func TestRedirectsThatEnd(t *testing.T) {
	elsewhere := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		t.Errorf("another server got %s %s %v %s", r.Method, r.URL, r.Header, body)
	}))
	defer elsewhere.Close()
	port := elsewhere.URL[strings.LastIndex(elsewhere.URL, ":"):]
	for name, test := range map[string]struct{ location, want string }{
		"another host":    {elsewhere.URL + "/api/v3/x", "another server"},
		"another port":    {"http://127.0.0.1" + port + "/api/v3/x", "another server"},
		"scheme-relative": {"//127.0.0.1" + port + "/api/v3/x", "another server"},
		"another scheme":  {"https://HOST/api/v3/x", "another server"},
		"no http":         {"file:///etc/passwd", "another server"},
		"user in front":   {"http://HOST@127.0.0.1" + port + "/x", "another server"},
		"backslash":       {`http://127.0.0.1` + port + `\@HOST/x`, "no address"},
		"circle":          {"SAME", "in a circle"},
		"no location":     {"", "no address"},
		"broken location": {"http://[::1", "no address"},
		"broken escape":   {"/%zz", "no address"},
	} {
		for call, sending := range sendings {
			t.Run(name+" "+call, func(t *testing.T) {
				s := newScripted(t)
				method, path, _ := strings.Cut(sending.route, " ")
				location := strings.NewReplacer("HOST", strings.TrimPrefix(s.srv.URL, "http://"), "SAME", path).Replace(test.location)
				s.on(method+" "+path, says(307, "", "Location: "+location))
				err := sending.do(t.Context(), s.client(static))
				e := failure(t, err)
				if !strings.Contains(err.Error(), test.want) || e.Unsure || e.Kind != Other {
					t.Errorf("%+v", e)
				}
				if want := map[bool]int{true: 1 + maxHops, false: 1}[name == "circle"]; len(s.got) != want {
					t.Errorf("%d requests", len(s.got))
				}
			})
		}
	}
}

// A password in a redirect on the same server is left behind.
func TestRedirectWithUser(t *testing.T) {
	s := newScripted(t)
	host := strings.TrimPrefix(s.srv.URL, "http://")
	s.on("GET "+commentRoute, says(302, "", "Location: http://user:secret@"+host+"/api/v3/moved"))
	s.on("GET /api/v3/moved", says(200, commentJSON))
	if err := read(t.Context(), s.client(static)); err != nil || !strings.HasPrefix(s.got[1].auth, "Bearer ") {
		t.Errorf("%v, %+v", err, s.got)
	}
}

// A chain of as many redirects as are followed is followed.
func TestRedirectChain(t *testing.T) {
	s := newScripted(t)
	s.on("POST "+postRoute, says(308, "", "Location: /1"))
	for i := 1; i < maxHops; i++ {
		s.on(fmt.Sprintf("POST /%d", i), says(308, "", fmt.Sprintf("Location: /%d", i+1)))
	}
	s.on(fmt.Sprintf("POST /%d", maxHops), says(201, commentJSON))
	if err := post(t.Context(), s.client(static)); err != nil {
		t.Error(err)
	}
}
