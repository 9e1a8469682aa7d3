package pinned

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

const (
	maxDescription = 1 << 20 // bytes of what a registry says of a version
	maxRedirects   = 5
	answerTime     = 30 * time.Second // until a registry begins to answer
)

// client fetches from one registry.
type client struct {
	registry Registry
	http     *http.Client
}

// newClient is Go's own client on the way that npm's settings and the environment name; SSL_CERT_FILE is read by Go itself.
func newClient(r Registry) *client {
	c := &client{registry: r}
	t := &http.Transport{Proxy: r.way.proxy, ResponseHeaderTimeout: answerTime, TLSHandshakeTimeout: answerTime,
		DialContext: (&net.Dialer{Timeout: answerTime}).DialContext, TLSClientConfig: &tls.Config{RootCAs: r.way.roots, MinVersion: tls.VersionTLS12},
		MaxResponseHeaderBytes: 1 << 18, DisableCompression: true, DisableKeepAlives: true, ForceAttemptHTTP2: true}
	c.http = &http.Client{Transport: t, CheckRedirect: func(req *http.Request, via []*http.Request) error {
		switch {
		case len(via) >= maxRedirects:
			return errors.New("too many redirects")
		case via[0].URL.Scheme == "https" && req.URL.Scheme != "https":
			return errors.New("a redirect from https to another scheme")
		}
		// The library keeps the header of the first request for hosts that it takes for the same. npm goes by the path too.
		req.Header.Del("Authorization")
		c.authorize(req)
		return nil
	}}
	return c
}

func (c *client) authorize(req *http.Request) {
	if value := c.registry.authorization(req.URL); value != "" {
		req.Header.Set("Authorization", value)
	}
}

// described is what a registry says of a version.
type described struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	Dist    struct {
		Integrity string `json:"integrity"`
		Tarball   string `json:"tarball"`
	} `json:"dist"`
}

// describe asks for one version of a package.
func (c *client) describe(ctx context.Context, pkg, version string) (described, error) {
	var d described
	// The slash of a scope is escaped: so npm asks, and some registries know nothing else.
	body, err := c.get(ctx, c.registry.proven+strings.Replace(pkg, "/", "%2f", 1)+"/"+version, maxDescription)
	var status errStatus
	if errors.As(err, &status) && status == http.StatusNotFound {
		return d, &Error{Err: err, Problem: fmt.Sprintf("%s has no version %s of %s (status 404)", c.registry.Host(), version, pkg),
			Fix: "look which versions it carries: npm view " + pkg + " versions"}
	}
	if err != nil {
		return d, err
	}
	defer body.Close()
	text, err := io.ReadAll(body)
	if err != nil {
		return d, c.failed(fmt.Sprintf("reading what %s says of %s", c.registry.Host(), pkg), err)
	}
	if err := json.Unmarshal(text, &d); err != nil {
		return d, c.failed(fmt.Sprintf("reading what %s says of %s", c.registry.Host(), pkg), err)
	}
	if d.Name != pkg || d.Version != version {
		return d, &Error{Problem: fmt.Sprintf("%s answered with %s %s when asked for %s %s", c.registry.Host(), quoted(d.Name), quoted(d.Version), pkg, version), Fix: suspectFix}
	}
	return d, nil
}

// tarball is the archive's URL: the one that the registry names, or the usual one where it names none. A registry that passes
// on what npmjs.org says is asked itself, as npm does.
func (c *client) tarball(d described, pkg, version string) (string, error) {
	usual := c.registry.proven + pkg + "/-/" + pkg[strings.LastIndexByte(pkg, '/')+1:] + "-" + version + ".tgz"
	if d.Dist.Tarball == "" {
		return usual, nil
	}
	u, err := url.Parse(d.Dist.Tarball)
	base, _ := url.Parse(c.registry.proven) // parsed before
	switch {
	case err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http":
		return "", &Error{Problem: fmt.Sprintf("%s names %s as the archive's place", c.registry.Host(), quoted(d.Dist.Tarball)), Fix: suspectFix}
	case u.Host == "registry.npmjs.org" && base.Host != u.Host:
		return strings.TrimRight(c.registry.proven, "/") + u.EscapedPath(), nil
	case base.Scheme == "https" && u.Scheme != "https":
		u.Scheme = "https" // a registry behind a proxy that ends TLS does not know what it is called outside
	}
	return u.String(), nil
}

// get asks for a URL and returns a body of at most most bytes: a longer one ends in an error.
func (c *client) get(ctx context.Context, place string, most int64) (io.ReadCloser, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, place, nil)
	if err != nil {
		return nil, &Error{Err: err, Problem: fmt.Sprintf("%s names a place that cannot be asked for", c.registry.Host()), Fix: suspectFix}
	}
	req.Header.Set("User-Agent", "ai-flow")
	c.authorize(req)
	res, err := c.http.Do(req)
	if err != nil {
		return nil, c.failed("asking "+req.URL.Host, err)
	}
	if res.StatusCode != http.StatusOK {
		return nil, errors.Join(c.refused(req.URL, res.StatusCode), res.Body.Close())
	}
	return &bounded{ReadCloser: res.Body, left: most}, nil
}

// errStatus is the cause of an Error that an HTTP status made.
type errStatus int

func (e errStatus) Error() string { return fmt.Sprintf("HTTP status %d", int(e)) }

// refused is an answer that is none. A token is asked for the registry alone: the place of an archive is of its choice.
func (c *client) refused(u *url.URL, status int) *Error {
	e := &Error{Err: errStatus(status), Problem: fmt.Sprintf("%s answered with status %d", u.Host, status)}
	switch {
	case u.Host != c.registry.Host():
		e.Fix = fmt.Sprintf("%s named that place: ask whoever runs it", c.registry.Host())
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		e.Fix = fmt.Sprintf("put a token for it into ~/.npmrc: //%s/:_authToken=…", u.Host)
	case status == http.StatusNotFound:
		e.Fix = "look whether this registry carries the package: npm config get registry"
	default:
		e.Fix = "try again later, or ask whoever runs it"
	}
	return e
}

// bounded is a body that may not be longer than it is expected to be.
type bounded struct {
	io.ReadCloser
	left int64
}

func (b *bounded) Read(p []byte) (int, error) {
	if int64(len(p)) > b.left+1 {
		p = p[:b.left+1]
	}
	n, err := b.ReadCloser.Read(p)
	if b.left -= int64(n); b.left < 0 {
		return 0, errors.New("the answer is longer than expected")
	}
	return n, err
}
