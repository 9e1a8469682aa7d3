package github

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"time"
)

// credential is who a request is sent as.
type credential uint8

const (
	asDispatcher credential = iota // the dispatcher's token, minted when needed
	asApp                          // the App itself: for tokens alone
	asGiven                        // the token of the call
)

// call is what a request is for. It travels in the context, past the library.
type call struct {
	what    string // in our words
	as      credential
	token   string // for asGiven
	once    bool   // a second time would not be the same: repeated only when it surely did not happen
	graphql bool
	late    func(context.Context) *Error // asked before it is sent late, and an error ends it; nil: it may be sent whenever
	failed  *Error                       // how sending it ended, as no error of the library's can say it
}

type callKey struct{}

// do makes one call of the library's and returns nil or an *Error.
func (c *Client) do(ctx context.Context, cl call, f func(context.Context) error) error {
	err := f(context.WithValue(ctx, callKey{}, &cl))
	switch {
	case err == nil:
		return nil
	case cl.failed != nil:
		return cl.failed
	}
	// An answer that says success and cannot be read. The library's error is cut: it can quote any length of the answer.
	return &Error{What: cl.what, Unsure: cl.once, Err: errors.New("GitHub's answer cannot be read: " + c.excerpt(err.Error()))}
}

// sender is the library's transport: all of our patience with GitHub. It returns successes only; how a call failed is in
// its call.
type sender struct{ c *Client }

// RoundTrip sends a request that the library made until there is an answer to hand back, or no hope.
func (s sender) RoundTrip(req *http.Request) (*http.Response, error) {
	cl, ok := req.Context().Value(callKey{}).(*call)
	if !ok {
		return nil, errors.New("a request that is no call of ours")
	}
	r := &outgoing{method: req.Method, url: req.URL, header: req.Header}
	if req.Body != nil {
		defer req.Body.Close()
		var err error
		if r.body, err = io.ReadAll(req.Body); err != nil {
			return nil, err
		}
	}
	a, failed := s.c.send(req.Context(), cl, r)
	if failed != nil {
		cl.failed = failed
		return nil, failed
	}
	return a.response(req), nil
}

func (c *Client) send(ctx context.Context, cl *call, r *outgoing) (*answer, *Error) {
	var p patience
	began := c.o.Now()
	for again := false; ; again = true {
		token, failed := c.ready(ctx, cl, again, began)
		if failed != nil {
			return nil, failed
		}
		if ctx.Err() != nil {
			return nil, cancelled(cl.what, context.Cause(ctx))
		}
		a := c.attempt(ctx, cl, r, token)
		f := a.fate(cl.graphql)
		if f == fine {
			return a, nil
		}
		pause, hope := p.next(f, a, c.mayRepeat(cl, f), c.o.Now())
		if !hope || ctx.Err() != nil {
			return nil, c.explain(ctx, cl, a, f)
		}
		if f == stale {
			c.drop(ctx, token)
			continue
		}
		if err := c.o.Wait(ctx, pause); err != nil {
			return nil, cancelled(cl.what, err)
		}
	}
}

// soon is how long after it began a call is not late: what it was made of has just been read.
const soon = 2 * time.Second

// ready returns the token to send, once the call may be sent.
func (c *Client) ready(ctx context.Context, cl *call, again bool, began time.Time) (string, *Error) {
	token, failed := c.credential(ctx, cl)
	if failed != nil || cl.late == nil || !again && c.o.Now().Sub(began) <= soon {
		return token, failed
	}
	if failed = cl.late(ctx); failed != nil {
		return "", failed
	}
	return c.credential(ctx, cl) // the look may have met an old token
}

// credential is the token to send, "" when the App signs.
func (c *Client) credential(ctx context.Context, cl *call) (string, *Error) {
	switch cl.as {
	case asApp:
		return "", nil
	case asGiven:
		return cl.token, nil
	}
	return c.ownToken(ctx)
}

// mayRepeat reports whether a call with this fate may be sent again at all.
func (c *Client) mayRepeat(cl *call, f fate) bool {
	switch f {
	case broken:
		return !cl.once
	case stale:
		return cl.as == asDispatcher && c.App()
	}
	return f == unsent || f == limited
}

func cancelled(what string, why error) *Error {
	return &Error{What: what, Kind: Cancelled, Err: why}
}

// answer is what one try came to. err is why there is none, or none that can be used.
type answer struct {
	status int
	header http.Header
	body   []byte
	err    error
	took   time.Duration
}

// response is the answer for the library. When a limit ends is taken out: limits are dealt with here, and the library would
// remember the moment and refuse further calls, by the machine's clock, without sending them.
func (a *answer) response(req *http.Request) *http.Response {
	h := a.header.Clone()
	h.Del("X-Ratelimit-Reset")
	return &http.Response{
		Status: http.StatusText(a.status), StatusCode: a.status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: h, Body: io.NopCloser(bytes.NewReader(a.body)), ContentLength: int64(len(a.body)), Request: req,
	}
}
