package github

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/bradleyfalzon/ghinstallation/v2"
)

// defaultDeadline is how long one try may take, to the last byte of its answer.
const defaultDeadline = 20 * time.Second

// New checks the options; it makes no call.
func New(o Options) (*Client, error) {
	at, err := endpointsOf(o)
	if err != nil {
		return nil, err
	}
	if !o.Repo.named() {
		return nil, unfit(fmt.Sprintf("%.120q is no repository", o.Repo.String()), "Set GITHUB_REPOSITORY to owner/name.")
	}
	o.Token = strings.TrimSpace(o.Token)
	c := &Client{o: withDefaults(o), at: at, most: maxAnswer, all: maxList, record: &record{}}
	if err := c.takeCredentials(); err != nil {
		return nil, err
	}
	c.begin()
	return c, nil
}

func withDefaults(o Options) Options {
	if o.Deadline <= 0 {
		o.Deadline = defaultDeadline
	}
	if o.Mask == nil {
		o.Mask = func(string) {}
	}
	if o.Wait == nil {
		o.Wait = wait
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Transport == nil {
		o.Transport = newTransport()
	}
	return o
}

// newTransport is Go's own with its proxies. It bounds headers, which are read before anything that we could bound.
func newTransport() http.RoundTripper {
	t, ok := http.DefaultTransport.(*http.Transport)
	if !ok {
		t = &http.Transport{Proxy: http.ProxyFromEnvironment}
	}
	t = t.Clone()
	t.MaxResponseHeaderBytes = 1 << 20
	return t
}

func wait(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// takeCredentials makes the App's signature from its key, or else takes the fallback token.
func (c *Client) takeCredentials() error {
	switch {
	case len(c.o.PrivateKey) == 0 && c.o.AppID != 0:
		return unfit("the App has an id and no private key", "Set AI_FLOW_APP_PRIVATE_KEY or AI_FLOW_APP_PRIVATE_KEY_FILE.")
	case len(c.o.PrivateKey) == 0 && c.o.Token == "":
		return unfit("there is neither an App nor a token", "Set AI_FLOW_APP_ID and AI_FLOW_APP_PRIVATE_KEY, or GH_TOKEN.")
	case len(c.o.PrivateKey) == 0 && !tokenShaped(c.o.Token):
		return unfit("GH_TOKEN has characters that no token has", "Check the secret that it comes from.")
	case len(c.o.PrivateKey) == 0:
		c.keepSecret(c.o.Token)
		return nil
	case c.o.AppID <= 0:
		return unfit("the App has a private key and no id", "Set AI_FLOW_APP_ID to the App's number.")
	}
	key, err := parseKey(c.o.PrivateKey)
	if err != nil {
		return err
	}
	c.app, err = ghinstallation.NewAppsTransportWithOptions(c.o.Transport, c.o.AppID, ghinstallation.WithSigner(newSigner(key, c.o.Now, c.keepSecret)))
	return err
}

// endpoints are where calls go. Both are of one origin, since a token belongs to one.
type endpoints struct {
	api     *url.URL // its path ends with a slash, which is how the library joins
	graphql *url.URL
}

func endpointsOf(o Options) (at endpoints, err error) {
	if at.api, err = address("GITHUB_API_URL", o.API, "https://api.github.com"); err != nil {
		return at, err
	}
	base, ghes := strings.CutSuffix(at.api.Path, "/api/v3")
	if ghes {
		base += "/api"
	}
	derived := *at.api
	derived.Path = base + "/graphql"
	if at.graphql, err = address("GITHUB_GRAPHQL_URL", o.GraphQL, derived.String()); err != nil {
		return at, err
	}
	if _, err = address("GITHUB_SERVER_URL", o.Server, "https://github.com"); err != nil {
		return at, err
	}
	// One call site that keeps the public host is the classic fault of an Enterprise set-up (H7-05): found here, not by a
	// token that has left.
	if !sameOrigin(at.api, at.graphql) {
		return at, unfit(fmt.Sprintf("the API is on %q and GraphQL on %q", at.api.Host, at.graphql.Host), "Set GITHUB_API_URL and GITHUB_GRAPHQL_URL to one server.")
	}
	at.api.Path += "/"
	return at, nil
}

// address reads one, from the variable called name, without its trailing slashes. What is wrong with one is said without quoting it: it may hold a password.
func address(name, s, fallback string) (*url.URL, error) {
	if s == "" {
		s = fallback
	}
	u, err := url.Parse(s)
	switch {
	case err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Hostname() == "":
		return nil, unfit(name+" is no http or https address", "The runner sets it: leave it as it is, or give the address of your server.")
	case u.User != nil || u.RawQuery != "" || u.Fragment != "" || u.RawPath != "":
		return nil, unfit(name+" has more than a host and a plain path", "Take out user, password, query and fragment.")
	}
	u.Path = strings.TrimRight(u.Path, "/")
	return u, nil
}

// sameOrigin compares scheme, host and port, as a browser would.
func sameOrigin(a, b *url.URL) bool {
	return a.Scheme == b.Scheme && strings.EqualFold(a.Hostname(), b.Hostname()) && port(a) == port(b)
}

func port(u *url.URL) string {
	switch {
	case u.Port() != "":
		return u.Port()
	case u.Scheme == "http":
		return "80"
	}
	return "443"
}
