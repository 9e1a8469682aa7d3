package github

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

// held is a text that a server keeps, as a comment or as the description, and whose first writings meet something.
type held struct {
	*scripted
	form          string // of the JSON around it
	is            string
	meet          []handler // the first writings, one each
	wrote, looked int       // writings that came through, and readings
}

func (s *scripted) holds(route, form string, meet ...handler) *held {
	d := &held{scripted: s, form: form, is: "was", meet: meet}
	show := func(w http.ResponseWriter) { fmt.Fprintf(w, form, d.is) }
	s.on("GET "+route, func(w http.ResponseWriter, _ *http.Request, _ string) { d.looked++; show(w) })
	s.on("PATCH "+route, func(w http.ResponseWriter, r *http.Request, body string) {
		if len(d.meet) > 0 {
			h := d.meet[0]
			d.meet = d.meet[1:]
			h(w, r, body)
			return
		}
		d.wrote++
		d.is = "ours"
		show(w)
	})
	return d
}

// replacements are the two calls that put a text in the place of another one.
var replacements = map[string]struct {
	route, form string
	do          func(context.Context, *Client) (string, error)
}{
	"comment": {commentRoute, `{"id":5,"body":%q}`, func(ctx context.Context, c *Client) (string, error) {
		p, err := c.EditComment(ctx, Ref{ID: 5}, "was", "ours")
		return p.Body, err
	}},
	"line": {"/api/v3/repos/acme/site/pulls/comments/5", `{"id":5,"body":%q}`, func(ctx context.Context, c *Client) (string, error) {
		p, err := c.EditComment(ctx, Ref{Line: true, ID: 5}, "was", "ours")
		return p.Body, err
	}},
	"description": {"/api/v3/repos/acme/site/issues/2", `{"number":2,"body":%q}`, func(ctx context.Context, c *Client) (string, error) {
		return c.SetBody(ctx, 2, "was", "ours")
	}},
}

// delays are the ways in which a writing comes late: what it meets first, and what the client is told for it. meanwhile is
// called in that time.
var delays = map[string]func(d *held, o *Options, meanwhile func()){
	"a limit":                func(d *held, _ *Options, m func()) { d.meet = []handler{during(m, says(403, secondary))} },
	"a limit, twice":         func(d *held, _ *Options, m func()) { d.meet = []handler{says(429, ""), during(m, says(429, ""))} },
	"an old token":           func(d *held, _ *Options, m func()) { d.meet = []handler{during(m, says(401, "{}"))} },
	"no connection":          noConnection,
	"a mint that takes long": slowMint,
	"a mint that met a limit": func(d *held, _ *Options, m func()) {
		mint := d.routes["POST /api/v3/app/installations/7/access_tokens"]
		d.on("POST /api/v3/app/installations/7/access_tokens", append([]handler{during(m, says(403, secondary))}, mint...)...)
	},
}

func during(meanwhile func(), h handler) handler {
	return func(w http.ResponseWriter, r *http.Request, body string) { meanwhile(); h(w, r, body) }
}

func noConnection(_ *held, o *Options, meanwhile func()) {
	inner, failed := http.DefaultTransport, false
	o.Transport = tripper(func(r *http.Request) (*http.Response, error) {
		if r.Method != "PATCH" || failed {
			return inner.RoundTrip(r)
		}
		io.Copy(io.Discard, r.Body)
		meanwhile()
		failed = true
		return nil, &net.OpError{Op: "dial", Err: errors.New("refused")}
	})
}

func slowMint(d *held, _ *Options, meanwhile func()) {
	mint := d.routes["POST /api/v3/app/installations/7/access_tokens"][0]
	d.on("POST /api/v3/app/installations/7/access_tokens", func(w http.ResponseWriter, r *http.Request, body string) {
		d.mu.Lock()
		d.passed += soon + time.Millisecond
		d.mu.Unlock()
		meanwhile()
		mint(w, r, body)
	})
}

// F3: whatever made a writing late, it takes nothing away that was written in that time, and is not made twice.
func TestLateWriting(t *testing.T) {
	for call, replacement := range replacements {
		for delay, arrange := range delays {
			for _, meanwhile := range []string{"", "ours", "theirs"} {
				t.Run(call+" "+delay+" "+meanwhile, func(t *testing.T) {
					d := newScripted(t).holds(replacement.route, replacement.form)
					c := d.client(func(o *Options) {
						arrange(d, o, func() {
							if meanwhile != "" {
								d.is = meanwhile
							}
						})
					})
					stands, err := replacement.do(t.Context(), c)
					switch {
					case meanwhile == "theirs":
						if e := failure(t, err); e.Kind != Moved || e.Unsure || d.is != "theirs" || d.wrote != 0 || !strings.Contains(err.Error(), "something else stands there") {
							t.Errorf("%+v; there stands %q after %d", e, d.is, d.wrote)
						}
					case meanwhile == "ours":
						if err != nil || stands != "ours" || d.wrote != 0 {
							t.Errorf("%q, %v after %d and %d looks", stands, err, d.wrote, d.looked)
						}
					case err != nil || stands != "ours" || d.is != "ours" || d.wrote != 1 || d.looked < 1:
						t.Errorf("%q, %v after %d and %d looks", stands, err, d.wrote, d.looked)
					}
				})
			}
		}
	}
}

// A writing in time costs one request. What cannot be looked at is not written, and the reason is what the look met.
func TestWritingInTime(t *testing.T) {
	for call, replacement := range replacements {
		d := newScripted(t).holds(replacement.route, replacement.form)
		if stands, err := replacement.do(t.Context(), d.client()); err != nil || stands != "ours" || d.looked != 0 {
			t.Errorf("%s: %q, %v after %d and %d looks", call, stands, err, d.wrote, d.looked)
		}
		for status, kind := range map[int]Kind{404: Gone, 403: Forbidden, 502: Unreachable} {
			d = newScripted(t).holds(replacement.route, replacement.form, says(403, secondary))
			d.on("GET "+replacement.route, says(status, "{}"))
			_, err := replacement.do(t.Context(), d.client())
			if e := failure(t, err); e.Kind != kind || e.Unsure || !strings.HasPrefix(e.What, "reading") || d.wrote != 0 {
				t.Errorf("%s, %d: %+v after %d", call, status, e, d.wrote)
			}
		}
	}
}

// A look that meets an old token leaves a new one for the writing, whose own patience with tokens is not used up by it.
func TestLookRenewsTheToken(t *testing.T) {
	for call, replacement := range replacements {
		d := newScripted(t).holds(replacement.route, replacement.form, says(403, secondary))
		look := d.routes["GET "+replacement.route][0]
		d.on("GET "+replacement.route, says(401, "{}"), look)
		if stands, err := replacement.do(t.Context(), d.client()); err != nil || stands != "ours" || d.minted != 2 || d.last("PATCH").auth != d.last("GET "+replacement.route).auth {
			t.Errorf("%s: %q, %v with %d tokens", call, stands, err, d.minted)
		}
	}
}
