package main

import (
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/d3mlabs/ai-flow/executor/agents"
	"github.com/d3mlabs/ai-flow/render"
)

// secretName matches names of variables whose values are nobody's business, whoever put them there.
var secretName = regexp.MustCompile(`(?i)TOKEN|SECRET|PASSW|PRIVATE_?KEY|API_?KEY|ACCESS_?KEY|CREDENTIAL`)

// secretValues are the values of our environment that go no further when they come back in a text of the agent's (S5): what
// the operator hands to it by AI_FLOW_AGENT_ENV and what any profile knows as a secret, whatever the names are, and what it
// must never see, by its name.
func (e environment) secretValues() []string { return e.secretsOf(slices.Clone(e.allow)) }

// closedValues are those of them that nobody beside ai-flow and its agent must see: what the operator hands over may be any
// setting, and stand in the arguments of any program of the host.
func (e environment) closedValues() []string { return e.secretsOf(nil) }

func (e environment) secretsOf(known []string) (values []string) {
	for _, profile := range agents.All() {
		known = append(append(known, profile.Secrets...), profile.Credential)
	}
	for _, v := range e.all {
		name, value, _ := strings.Cut(v, "=")
		if value != "" && (slices.Contains(known, name) && !isFile(value) || secretName.MatchString(name) && !isPlace(value)) {
			values = append(values, value)
		}
		if password := passwordOf(value); password != "" {
			values = append(values, password)
		}
	}
	return values
}

// isFile reports whether a value only says where something is, such as GOOGLE_APPLICATION_CREDENTIALS.
func isFile(value string) bool {
	if !filepath.IsAbs(value) {
		return false
	}
	_, err := os.Stat(value)
	return err == nil
}

// isPlace reports whether a value that only the name makes a secret says where something is: SSH_PRIVATE_KEY_PATH,
// OAUTH_TOKEN_URL. The password in an address is found apart.
func isPlace(value string) bool {
	return filepath.IsAbs(value) || strings.HasPrefix(value, "~/") || strings.HasPrefix(value, "./") ||
		strings.HasPrefix(value, "https://") || strings.HasPrefix(value, "http://")
}

// passwordOf is the password in a value that is an address, such as that of a proxy, which the agent is given.
func passwordOf(value string) string {
	if !strings.Contains(value, "@") {
		return ""
	}
	u, err := url.Parse(value)
	if err != nil || u.User == nil {
		return ""
	}
	password, _ := u.User.Password()
	return password
}

func newSecrets(values []string) *render.Secrets {
	s := &render.Secrets{}
	for _, v := range values {
		s.Add(v)
	}
	return s
}
