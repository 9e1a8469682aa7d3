package github

import (
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

// An answer has at most 10 MiB, packed or not, of a declared length or none; more is an error, not a try again, but for lists of
// which less can be asked for, and memory stays with it.
func TestOversizeAnswers(t *testing.T) {
	again := map[string]int{"builds": len(shares) - 1, "pulls of": 1} // what is asked in smaller shares
	for name, h := range map[string]handler{
		"declared":  says(200, `{"id":5,"body":"`+strings.Repeat("x", 64<<10)+`"}`),
		"streamed":  func(w http.ResponseWriter, _ *http.Request, _ string) { io.Copy(w, endless{}) },
		"gzip bomb": says(200, bomb(), "Content-Encoding: gzip"),
	} {
		for call, sending := range sendings {
			s := newScripted(t)
			s.on(sending.route, h)
			c := s.client(static)
			c.most = 64 << 10
			err := sending.do(t.Context(), c)
			if e := failure(t, err); e.Unsure != sending.once || e.Kind != Other || !strings.Contains(err.Error(), "larger than 10 MiB") || len(s.got) != 1+again[call] {
				t.Errorf("%s %s: %v after %d requests", name, call, err, len(s.got))
			}
		}
	}
}

// The bound itself: what fits is read, and one byte more is not.
func TestLargestAnswer(t *testing.T) {
	s := newScripted(t)
	fits := `{"id":5,"body":"`
	fits += strings.Repeat("x", maxAnswer-len(fits)-2) + `"}`
	s.on("GET "+commentRoute, says(200, fits), says(200, fits+" "))
	c := s.client(static)
	if p, err := c.Comment(t.Context(), Ref{ID: 5}); err != nil || len(p.Body) < maxAnswer-100 {
		t.Errorf("what fits exactly: %v", err)
	}
	if err := read(t.Context(), c); err == nil || !strings.Contains(err.Error(), "larger than 10 MiB") {
		t.Errorf("a byte more: %v", err)
	}
}

// bomb unpacks to 8 MiB.
func bomb() string {
	var b strings.Builder
	z := gzip.NewWriter(&b)
	io.Copy(z, io.MultiReader(strings.NewReader(`{"id":5,"body":"`), io.LimitReader(endless{}, 8<<20)))
	z.Close()
	return b.String()
}

// The words of a failure are read to 64 KiB; the rest is nobody's business.
func TestOversizeFailure(t *testing.T) {
	s := newScripted(t)
	s.on("GET "+commentRoute, func(w http.ResponseWriter, _ *http.Request, _ string) {
		w.WriteHeader(403)
		io.Copy(w, endless{})
	})
	if e := failure(t, read(t.Context(), s.client(static))); e.Kind != Forbidden || len(s.got) != 1 {
		t.Errorf("%+v", e)
	}
}

// endless is all the x in the world, until the other side has enough.
type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

// Each try has a deadline of its own, over headers and a body that comes drop by drop.
func TestSlowAnswers(t *testing.T) {
	for name, h := range map[string]handler{
		"no answer": func(_ http.ResponseWriter, r *http.Request, _ string) { <-r.Context().Done() },
		"drops": func(w http.ResponseWriter, r *http.Request, _ string) {
			for r.Context().Err() == nil {
				io.WriteString(w, " ")
				w.(http.Flusher).Flush()
				time.Sleep(5 * time.Millisecond)
			}
		},
	} {
		soon := func(o *Options) { o.Deadline = 100 * time.Millisecond }
		s := newScripted(t)
		s.on("GET "+commentRoute, h, says(200, commentJSON))
		if err := read(t.Context(), s.client(static, soon)); err != nil || len(s.got) != 2 {
			t.Errorf("%s: %v after %d requests", name, err, len(s.got))
		}
		s = newScripted(t)
		s.on("POST "+postRoute, h)
		err := post(t.Context(), s.client(static, soon))
		if e := failure(t, err); !e.Unsure || e.Kind != Unreachable || !strings.Contains(err.Error(), "no answer within 100ms") || len(s.got) != 1 {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Headers are bounded too, by the transport that is used when none is given.
func TestOversizeHeaders(t *testing.T) {
	s := newScripted(t)
	s.on("GET "+commentRoute, says(200, commentJSON, "X-Long: "+strings.Repeat("x", 2<<20)))
	if e := failure(t, read(t.Context(), s.client(static))); e.Kind != Unreachable {
		t.Errorf("%+v", e)
	}
}

// H7-05: every call goes to the server that was configured, with its port and path, however its address ends; the headers
// are those that GitHub asks for.
func TestAddresses(t *testing.T) {
	for suffix, want := range map[string][2]string{
		"/api/v3": {"/api/v3/", "/api/graphql"}, "/api/v3/": {"/api/v3/", "/api/graphql"}, "/deep/api/v3//": {"/deep/api/v3/", "/deep/api/graphql"},
		"": {"/", "/graphql"}, "/": {"/", "/graphql"}, "/other": {"/other/", "/other/graphql"},
	} {
		s := newScripted(t)
		c := s.client(static, func(o *Options) { o.API = s.srv.URL + suffix })
		s.on("GET "+want[0]+"repos/acme/site/issues/comments/5", says(200, commentJSON))
		s.on("POST "+want[1], says(200, sendings["eyes"].body))
		if err := read(t.Context(), c); err != nil {
			t.Errorf("%q: %v", suffix, err)
		}
		if err := c.Eyes(t.Context(), "N"); err != nil {
			t.Errorf("%q: %v", suffix, err)
		}
		for _, r := range s.got {
			if r.header.Get("X-GitHub-Api-Version") != "2022-11-28" || r.header.Get("User-Agent") != "ai-flow" || r.header.Get("Accept") == "" {
				t.Errorf("%q: %v", suffix, r.header)
			}
		}
	}
	for api, want := range map[string]string{
		"":                                       "https://api.github.com/ https://api.github.com/graphql",
		"https://api.acme.ghe.com":               "https://api.acme.ghe.com/ https://api.acme.ghe.com/graphql",
		"https://ghe.example.com:8443/api/v3":    "https://ghe.example.com:8443/api/v3/ https://ghe.example.com:8443/api/graphql",
		"https://ghe.example.com:8443/x/api/v3/": "https://ghe.example.com:8443/x/api/v3/ https://ghe.example.com:8443/x/api/graphql",
	} {
		at, err := endpointsOf(Options{API: api})
		if got := fmt.Sprint(at.api, " ", at.graphql); err != nil || got != want {
			t.Errorf("%q: %s, %v", api, got, err)
		}
	}
}

func TestOptions(t *testing.T) {
	s := newScripted(t)
	for name, change := range map[string]func(*Options){
		"no http":          func(o *Options) { o.API = "ftp://github.example" },
		"no host":          func(o *Options) { o.API = "https:///api" },
		"relative":         func(o *Options) { o.API = "api.github.com" },
		"a password":       func(o *Options) { o.API = "https://user:hunter2@github.example/" },
		"a query":          func(o *Options) { o.API = "https://github.example/?hunter2" },
		"unreadable":       func(o *Options) { o.API = "https://hunter2\x7f/" },
		"public GraphQL":   func(o *Options) { o.GraphQL = "https://api.github.com/graphql" },
		"plain GraphQL":    func(o *Options) { o.API, o.GraphQL = "https://ghe.example/api/v3", "http://ghe.example/api/graphql" },
		"server no http":   func(o *Options) { o.Server = "javascript:alert(1)" },
		"no owner":         func(o *Options) { o.Repo.Owner = "" },
		"path in name":     func(o *Options) { o.Repo.Name = "a/../b" },
		"dots":             func(o *Options) { o.Repo.Name = ".." },
		"id without key":   func(o *Options) { o.PrivateKey = nil },
		"key without id":   func(o *Options) { o.AppID = 0 },
		"negative id":      func(o *Options) { o.AppID = -1 },
		"nothing":          func(o *Options) { o.AppID, o.PrivateKey = 0, nil },
		"token of 2 lines": func(o *Options) { o.AppID, o.PrivateKey, o.Token = 0, nil, "ghp_hunter2\nx" },
	} {
		o := s.options()
		change(&o)
		c, err := New(o)
		if e := failure(t, err); c != nil || !e.Setup || e.Next == "" || strings.Contains(err.Error()+e.Next, "hunter2") {
			t.Errorf("%s: %v", name, err)
		}
	}
	o := s.options()
	static(&o)
	o.Token = "  ghp_x\n" // a secret that was pasted with its line end
	if c, err := New(o); err != nil || c.o.Token != "ghp_x" || len(s.got) != 0 {
		t.Errorf("%v", err)
	}
}
