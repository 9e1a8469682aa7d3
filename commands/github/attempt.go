package github

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
)

// The bounds of what is read, in bytes. A failure's words are short or of no use.
const (
	maxAnswer  = 10 << 20
	maxFailure = 64 << 10
)

// maxHops is how many redirects one try follows: a renamed repository is one.
const maxHops = 5

var (
	errElsewhere = errors.New("GitHub redirects to another server; the token is not sent there")
	errHops      = errors.New("GitHub redirects in a circle")
	errNowhere   = errors.New("GitHub redirects to no address")
	errTooLarge  = fmt.Errorf("GitHub's answer is larger than %d MiB", maxAnswer>>20)
)

// outgoing is a request that can be sent again.
type outgoing struct {
	method string
	url    *url.URL
	header http.Header
	body   []byte
}

// attempt sends a request once, over redirects, within one deadline.
//
// Go's own following of redirects was rejected: it turns a POST that is answered 301 into a GET without a body, whose 200
// then looks like success (H7-06), and it takes a token along to subdomains.
func (c *Client) attempt(ctx context.Context, cl *call, r *outgoing, token string) *answer {
	ctx, cancel := context.WithTimeoutCause(ctx, c.o.Deadline, fmt.Errorf("no answer within %v", c.o.Deadline))
	defer cancel()
	to := r.url
	for hop := 0; ; hop++ {
		if !sameOrigin(to, c.at.api) {
			return &answer{err: errElsewhere}
		}
		a := c.exchange(ctx, cl, r, to, token)
		if a.err != nil || !redirects(a.status) {
			return a
		}
		next, err := to.Parse(a.header.Get("Location"))
		switch {
		case err != nil || a.header.Get("Location") == "":
			a.err = errNowhere
		case hop == maxHops:
			a.err = errHops
		}
		if a.err != nil {
			return a
		}
		to = next
	}
}

func redirects(status int) bool {
	switch status {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		return true
	}
	return false
}

// exchange sends one request to one address and reads its bounded answer. Method, body and authorisation are always those of
// the call.
func (c *Client) exchange(ctx context.Context, cl *call, r *outgoing, to *url.URL, token string) *answer {
	began := c.o.Now()
	a := c.read(ctx, cl, r, to, token)
	a.took = c.o.Now().Sub(began)
	c.note(Call{Method: r.method, Path: c.excerpt(to.EscapedPath()), What: cl.what, Status: a.status, Took: a.took})
	return a
}

func (c *Client) read(ctx context.Context, cl *call, r *outgoing, to *url.URL, token string) *answer {
	req, err := http.NewRequestWithContext(ctx, r.method, to.String(), bytes.NewReader(r.body))
	if err != nil {
		return &answer{err: errNowhere}
	}
	req.Header = r.header.Clone()
	transport := c.o.Transport
	if cl.as == asApp {
		transport = c.app
	} else {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	resp, err := transport.RoundTrip(req)
	if err != nil {
		return &answer{err: broke(ctx, err)}
	}
	defer resp.Body.Close()
	a := &answer{status: resp.StatusCode, header: resp.Header}
	most := int64(maxFailure)
	if a.ok() {
		most = c.most
	}
	a.body, err = io.ReadAll(io.LimitReader(resp.Body, most+1))
	switch {
	case int64(len(a.body)) > most && a.ok():
		a.err = errTooLarge
	case err != nil:
		a.err = broke(ctx, err)
	}
	return a
}

// broke prefers the reason of our own context, a deadline that says its length, to the words of the network.
func broke(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

func (a *answer) ok() bool { return a.status >= 200 && a.status <= 299 }
