package git

import (
	"context"
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"time"
)

// newPlace asks where a repository went that was renamed (H7-06). The place must be on the same server: another one is
// not even spoken to. git does not say where a redirect leads that it does not follow, but its trace does; there the
// token is left out, and of the trace nothing but the place is used.
func (r *Repo) newPlace(ctx context.Context, remote Remote, silence time.Duration) (string, error) {
	var said []byte
	env := append(remote.environment(silence), "GIT_TRACE_CURL=1", "GIT_TRACE_CURL_NO_DATA=1")
	// It fails, by the redirect; if it does not, there is no place.
	_, err := r.ours(ctx, job{env: env, max: 64 << 20, stderr: &said, secrets: remote.secrets()}, "ls-remote", "--", remote.URL, "HEAD")
	if ctx.Err() != nil {
		return "", err
	}
	found := locationLine.FindSubmatch(said)
	if found == nil {
		return "", errMoved
	}
	return remote.at(string(found[1]))
}

var locationLine = regexp.MustCompile(`(?im)<= Recv header: location: *(\S+)`)

// at is the URL of the repository at the place that a request for it was redirected to.
func (m Remote) at(place string) (string, error) {
	from, err := url.Parse(m.URL)
	if err != nil {
		return "", err // never: checked
	}
	to, err := from.Parse(place)
	if err != nil {
		return "", fmt.Errorf("%w, but not where", errMoved)
	}
	moved := m
	moved.URL = to.Scheme + "://" + to.Host + to.EscapedPath()
	if moved.base() != m.base() {
		return "", fmt.Errorf("%w: on another server, %.200q, which is not asked", errMoved, moved.base())
	}
	var ok bool
	for _, end := range []string{"/info/refs", "/git-upload-pack"} {
		if path, is := strings.CutSuffix(moved.URL, end); is {
			moved.URL, ok = path, true
		}
	}
	if !ok || moved.URL == m.URL || moved.check() != nil {
		return "", fmt.Errorf("%w: at %.200q, which is no repository", errMoved, to.Path)
	}
	return moved.URL, nil
}
