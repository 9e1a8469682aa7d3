package github

import (
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
)

// S5, H7: a server, or a proxy on the way, that says back what it was sent gets none of it into an error or into Calls: not
// the token, not what git sends of it, not the App's signature, not the key, whole or cut.
func TestNoSecretComesBack(t *testing.T) {
	echoes := map[string]handler{
		"message": func(w http.ResponseWriter, r *http.Request, _ string) {
			says(403, `{"message":`+quoted(everySecret(r))+`}`)(w, r, "")
		},
		"message, cut": func(w http.ResponseWriter, r *http.Request, _ string) {
			says(422, `{"message":`+quoted(strings.Repeat("x", maxMessage-30)+everySecret(r))+`}`)(w, r, "")
		},
		"detail": func(w http.ResponseWriter, r *http.Request, _ string) {
			says(422, `{"message":"x","errors":[{"message":`+quoted(everySecret(r))+`}]}`)(w, r, "")
		},
		"unauthorised": func(w http.ResponseWriter, r *http.Request, _ string) {
			says(401, `{"message":`+quoted(everySecret(r))+`}`)(w, r, "")
		},
		"redirect here": func(w http.ResponseWriter, r *http.Request, _ string) {
			token := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
			says(307, "", "Location: /x/"+token+"?q="+token+"#"+token)(w, r, "")
		},
		"redirect away": func(w http.ResponseWriter, r *http.Request, _ string) {
			token := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
			says(307, "", "Location: https://"+token+".example/"+token)(w, r, "")
		},
		"broken redirect": func(w http.ResponseWriter, r *http.Request, _ string) {
			says(307, "", "Location: http://["+strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "))(w, r, "")
		},
		"answer": func(w http.ResponseWriter, r *http.Request, _ string) {
			io.WriteString(w, `{"id":`+quoted(everySecret(r))+`,"created_at":`+quoted(everySecret(r))+`,"number":`+quoted(everySecret(r))+`,"expires_at":`+quoted(everySecret(r))+`,"errors":[{"type":"FORBIDDEN","message":`+quoted(everySecret(r))+`}]}`)
		},
		"broken protocol": func(w http.ResponseWriter, r *http.Request, _ string) {
			conn, _, err := w.(http.Hijacker).Hijack()
			if err == nil {
				fmt.Fprintf(conn, "HTTP/1.1 %s\r\n\r\n", everySecret(r))
				conn.Close()
			}
		},
		"header": func(w http.ResponseWriter, r *http.Request, _ string) {
			says(403, `{}`, "X-Accepted-GitHub-Permissions: "+everySecret(r), "Retry-After: "+everySecret(r))(w, r, "")
		},
	}
	for name, echo := range echoes {
		for call, sending := range sendings {
			for who, change := range map[string]func(*Options){"app": func(*Options) {}, "fallback": static} {
				s := newScripted(t)
				s.on(sending.route, echo)
				c := s.client(change)
				s.leakless(c, name+" "+call+" as "+who, sending.do(t.Context(), c))
			}
		}
		for _, route := range []string{"GET /api/v3/repos/acme/site/installation", "POST /api/v3/app/installations/7/access_tokens", "DELETE /api/v3/installation/token"} {
			s := newScripted(t)
			s.on(route, echo)
			s.grant = func(g map[string]any) any { g["repositories"] = nil; return g }
			c := s.client()
			_, err := revealed(c.AgentToken(t.Context()))
			s.leakless(c, name+" "+route, err)
		}
	}
}

func everySecret(r *http.Request) string {
	token := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	return token + " " + base64.StdEncoding.EncodeToString([]byte("x-access-token:"+token))
}

// leakless looks for each secret that was under way, and for long parts of it, in all that we say.
func (s *scripted) leakless(c *Client, name string, err error) {
	s.t.Helper()
	if err == nil {
		s.t.Errorf("%s: no error", name)
		return
	}
	said := fmt.Sprintf("%v %+v %#v %+v", err, err, err, failure(s.t, err))
	for _, call := range c.Calls() {
		said += fmt.Sprintf(" %+v", call)
	}
	secrets := []string{string(testPEM())}
	for _, r := range s.got {
		token := strings.TrimPrefix(r.auth, "Bearer ")
		secrets = append(secrets, token, base64.StdEncoding.EncodeToString([]byte("x-access-token:"+token)))
	}
	for _, secret := range secrets {
		for i := 0; i+16 <= len(secret); i += 4 {
			if part := secret[i : i+16]; strings.Contains(said, part) {
				s.t.Errorf("%s: %q of a secret is in: %s", name, part, said)
				return
			}
		}
	}
}
