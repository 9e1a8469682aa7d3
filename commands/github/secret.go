package github

import (
	"encoding/base64"
	"regexp"
	"strings"
)

// maxMessage is how much of GitHub's own words, or a library's, an error quotes, in bytes.
const maxMessage = 200

// keepSecret tells Mask of a token or a signature, and of what git sends of a token, and remembers both for excerpt.
func (c *Client) keepSecret(token string) {
	for _, s := range []string{token, base64.StdEncoding.EncodeToString([]byte("x-access-token:" + token))} {
		c.mu.Lock()
		c.secrets = append(c.secrets, s)
		c.mu.Unlock()
		c.o.Mask(s)
	}
}

// tokenShaped reports whether s can be a token: whatever goes into a header and to Mask has one line and no space.
func tokenShaped(s string) bool {
	return s != "" && len(s) <= 1024 && !strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r >= 0x7f })
}

// secretShapes are tokens of GitHub's that are not ours: a runner's own, a person's in a proxy's page.
var secretShapes = regexp.MustCompile(`(gh[a-z]_|github_pat_)[A-Za-z0-9_]{16,}|eyJ[A-Za-z0-9_-]{8,}(\.[A-Za-z0-9_-]*){0,2}`)

// excerpt is the beginning of a foreign text, without secrets: a server or a proxy may say back what we sent.
func (c *Client) excerpt(s string) string {
	c.mu.Lock()
	for _, secret := range c.secrets {
		s = strings.ReplaceAll(s, secret, "[redacted]")
	}
	c.mu.Unlock()
	s = strings.ToValidUTF8(secretShapes.ReplaceAllString(s, "[redacted]"), "?")
	if len(s) > maxMessage {
		s = strings.ToValidUTF8(s[:maxMessage-len("…")], "") + "…"
	}
	return s
}
