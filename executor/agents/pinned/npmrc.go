package pinned

import (
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/url"
	"regexp"
	"strings"
)

// Registry is where npm on this machine would fetch a package, how it would get there, and with what it would authenticate.
type Registry struct {
	settings map[string]string
	proven   string // the registry's base URL for our package's scope, ends in "/"
	way      way
}

const (
	defaultRegistry = "https://registry.npmjs.org/"
	maxNpmrc        = 1 << 20 // bytes
)

// ReadRegistry reads npm's configuration for a package's scope ("@github"): registry, credentials, proxies and cafile. The
// environment goes before the files, and an earlier file before a later one: the user's, then the machine's. A file that does
// not exist is no error. A checkout's own .npmrc is for the caller to leave out: it is a stranger's, and could send a token of
// the user's elsewhere. A file that others could have written is an error for the same reason: it could name any variable of
// ours as a token.
//
// The error is an *Error that holds no value of a setting.
func ReadRegistry(environ, files []string, scope string) (Registry, error) {
	env := map[string]string{}
	for _, v := range environ {
		name, value, _ := strings.Cut(v, "=")
		env[name] = value
	}
	r := Registry{settings: fromEnvironment(env)}
	for _, file := range files {
		text, err := readOwn(file, maxNpmrc)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return r, &Error{Err: err, Problem: fmt.Sprintf("npm's configuration %q is not read: %v", file, err), Fix: "mend it, or move it away"}
		}
		for key, value := range parseNpmrc(string(text), env) {
			if _, set := r.settings[key]; !set {
				r.settings[key] = value
			}
		}
	}
	key, base := "", defaultRegistry
	for _, k := range []string{"registry", scope + ":registry"} {
		if value := r.settings[k]; value != "" {
			key, base = k, value
		}
	}
	if err := r.use(key, base); err != nil {
		return r, err
	}
	return r, r.findWay(env)
}

// Host is the registry's host, for telling.
func (r Registry) Host() string {
	u, err := url.Parse(r.proven)
	if err != nil {
		return ""
	}
	return u.Host
}

func (r *Registry) use(key, base string) error {
	u, err := url.Parse(base)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" || u.RawQuery != "" || u.Fragment != "" {
		return &Error{Problem: fmt.Sprintf("npm's setting %q is no URL of a registry", key), Fix: "correct it: npm config set registry URL"}
	}
	r.proven = strings.TrimRight(base, "/") + "/"
	return nil
}

// fromEnvironment takes npm_config_NAME, in any case. npm reads the names of hosts and scopes as they are, all others in small
// letters with dashes.
func fromEnvironment(env map[string]string) map[string]string {
	settings := map[string]string{}
	const prefix = "npm_config_"
	for name, value := range env {
		if len(name) <= len(prefix) || !strings.EqualFold(name[:len(prefix)], prefix) || value == "" {
			continue
		}
		key := name[len(prefix):]
		if !strings.HasPrefix(key, "//") && !strings.HasPrefix(key, "@") {
			key = strings.ReplaceAll(strings.ToLower(key), "_", "-")
		}
		// Of two spellings npm takes whichever comes last; a script that sets the small one means it.
		if _, set := settings[key]; !set || strings.HasPrefix(name, prefix) {
			settings[key] = value
		}
	}
	return settings
}

// private reports whether nobody on the way can change what the registry says: TLS, or no way at all.
func (r Registry) private() bool {
	u, err := url.Parse(r.proven)
	if err != nil {
		return false
	}
	ip := net.ParseIP(u.Hostname())
	return u.Scheme == "https" || u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
}

// parseNpmrc reads the part of npm's ini format that says where registries are and how they are reached: "key = value", quotes
// around either, comments, ${VARIABLE}. A section is of something else, and goes on to the end.
func parseNpmrc(text string, env map[string]string) map[string]string {
	settings := map[string]string{}
	for line := range strings.Lines(strings.TrimPrefix(text, "\ufeff")) {
		line = strings.TrimSpace(line)
		if line == "" || strings.ContainsRune(";#", rune(line[0])) {
			continue
		}
		if line[0] == '[' && line[len(line)-1] == ']' {
			break
		}
		key, value, found := strings.Cut(line, "=")
		if !found {
			continue
		}
		settings[expand(unquote(key), env)] = expand(unquote(value), env)
	}
	return settings
}

// unquote takes quotes away, or else the comment behind a value and the backslashes before what would begin one.
func unquote(s string) string {
	s = strings.TrimSpace(s)
	if len(s) >= 2 && (s[0] == '"' || s[0] == '\'') && s[len(s)-1] == s[0] {
		return s[1 : len(s)-1]
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '\\' && i+1 < len(s) && strings.IndexByte(`\;#`, s[i+1]) >= 0:
			i++
		case s[i] == ';' || s[i] == '#':
			return strings.TrimSpace(b.String())
		}
		b.WriteByte(s[i])
	}
	return strings.TrimSpace(b.String())
}

var variable = regexp.MustCompile(`\$\{([^}?]+)(\?)?\}`)

// expand replaces ${NAME}; what is not set stays as it is, or is nothing when it is written ${NAME?}, as with npm.
func expand(s string, env map[string]string) string {
	return variable.ReplaceAllStringFunc(s, func(ref string) string {
		m := variable.FindStringSubmatch(ref)
		if value, ok := env[m[1]]; ok {
			return value
		}
		if m[2] != "" {
			return ""
		}
		return ref
	})
}

// authorization is the header's value for a request, "" for none. A credential belongs to a host with a path, and is sent to
// what lies below it alone: the longest that fits counts.
func (r Registry) authorization(u *url.URL) string { return nearest(u, r.credential) }

// nearest asks for the places that a URL lies in, as npm's settings name them, the longest first, until one has an answer.
func nearest(u *url.URL, of func(place string) string) string {
	for at := "//" + u.Host + u.EscapedPath(); ; {
		cut := strings.LastIndexByte(at, '/')
		if cut < 2 {
			return ""
		}
		at = at[:cut]
		for _, place := range []string{at + "/", at} {
			if value := of(place); value != "" {
				return value
			}
		}
	}
}

func (r Registry) credential(place string) string {
	if token := r.settings[place+":_authToken"]; token != "" {
		return "Bearer " + token
	}
	if basic := r.settings[place+":_auth"]; basic != "" {
		return "Basic " + basic
	}
	user, coded := r.settings[place+":username"], r.settings[place+":_password"]
	password, err := base64.StdEncoding.DecodeString(coded)
	if user == "" || coded == "" || err != nil {
		return ""
	}
	return "Basic " + base64.StdEncoding.EncodeToString([]byte(user+":"+string(password)))
}
