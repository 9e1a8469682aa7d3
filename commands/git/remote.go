package git

import (
	"cmp"
	"encoding/base64"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Remote is a repository on a server of git over HTTP.
type Remote struct {
	URL    string // https://host/owner/name.git; http only when the server itself is plain. No user, query or fragment.
	Token  string // sent as a password to the host of URL alone, from one command's environment; "" for none
	Borrow string // a checkout whose objects may be borrowed, so that less is fetched; "" for none. It must stay until Close.
	Depth  int    // generations of history; 0 means DefaultDepth
	// MaxBytes bounds what is stored of what the server sends; 0 means 4 GiB. What it says before it sends objects is
	// bounded by time alone: the one server that this is for is the one that runs us.
	MaxBytes int64
	// Env is the way to the server where it is not the plain one, as NAME=value: HTTPS_PROXY, HTTP_PROXY, NO_PROXY (also in
	// small letters), SSL_CERT_FILE, SSL_CERT_DIR, GIT_SSL_CAINFO. Another name is an error: nothing else of the caller's
	// environment reaches git.
	Env []string
}

func (m Remote) maxBytes() int64 { return cmp.Or(m.MaxBytes, 4<<30) }

var wayNames = [...]string{"HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY", "https_proxy", "http_proxy", "no_proxy",
	"SSL_CERT_FILE", "SSL_CERT_DIR", "GIT_SSL_CAINFO"}

// check refuses before git runs whatever is not plainly a server of git over HTTP. It quotes nothing that may be secret.
func (m Remote) check() error {
	u, err := url.Parse(m.URL)
	switch {
	case err != nil:
		return errors.New("its URL cannot be read")
	case u.Scheme != "https" && u.Scheme != "http":
		return fmt.Errorf("its URL begins with %.20q; only https (or http) is spoken", u.Scheme)
	case u.Host == "" || strings.Trim(u.Path, "/") == "":
		return errors.New("its URL names no repository on a host")
	case u.User != nil || u.RawQuery != "" || u.ForceQuery || u.Fragment != "" || strings.Contains(m.URL, "#"):
		return errors.New("its URL holds more than a host and a path; a token is given beside it")
	case m.base()+u.EscapedPath() != m.URL:
		return errors.New("its URL is not in its plain spelling")
	case strings.ContainsFunc(m.Token, func(c rune) bool { return c <= ' ' || c > '~' }):
		return errors.New("the token holds a character that no token has")
	}
	for _, v := range m.Env {
		if name, value, ok := strings.Cut(v, "="); !ok || !slices.Contains(wayNames[:], name) || strings.ContainsAny(value, "\x00\n") {
			return fmt.Errorf("its environment may not set %.40q", name)
		}
	}
	return nil
}

// base is the scheme, host and port of the URL, which is where the token may go.
func (m Remote) base() string {
	u, err := url.Parse(m.URL)
	if err != nil {
		return "" // never: checked
	}
	return u.Scheme + "://" + u.Host
}

// environment is what a command that talks to the server has beside the environment of all.
//
// The token is a header for the one host of the URL, and no redirect is followed: git chooses headers once, by the first
// URL, and would send them to whatever host it is led to (measured with 2.39.5). A credential helper was rejected: git asks
// it by the host, but only after a first request without a token was denied, and then loses a redirect.
func (m Remote) environment(silence time.Duration, more ...[2]string) []string {
	settings := [][2]string{
		{"protocol.version", "2"}, {"http.followRedirects", "false"}, {"http.emptyAuth", "false"},
		{"http.lowSpeedLimit", "1"}, {"http.lowSpeedTime", strconv.Itoa(int(silence / time.Second))},
		{"fetch.unpackLimit", "1"}, {"fetch.writeCommitGraph", "false"}, {"fetch.uriProtocols", ""}, {"transfer.bundleURI", "false"},
		// What would be asked of a borrowed repository itself, with its own configuration: its tips are arguments.
		{"core.alternateRefsCommand", "true"},
		{"core.askPass", ""}, {"credential.helper", ""}, {"fetch.fsckObjects", "true"},
	}
	settings = append(settings, more...)
	for _, id := range cosmetic {
		settings = append(settings, [2]string{"fetch.fsck." + id, "ignore"})
	}
	if m.Token != "" {
		settings = append(settings, [2]string{"http." + m.base() + "/.extraHeader", "Authorization: Basic " + m.basic()})
	}
	scheme, _, _ := strings.Cut(m.URL, ":")
	env := []string{"GIT_ALLOW_PROTOCOL=" + scheme, "GIT_CONFIG_COUNT=" + strconv.Itoa(len(settings))}
	for n, s := range settings {
		env = append(env, fmt.Sprintf("GIT_CONFIG_KEY_%d=%s", n, s[0]), fmt.Sprintf("GIT_CONFIG_VALUE_%d=%s", n, s[1]))
	}
	return append(env, m.way()...)
}

// cosmetic are complaints of fsck that do not matter here, though a strict check would refuse the repository for them:
// slips of old tools in commits, tags and modes, and what concerns those who check out submodules. What is left are trees
// that two readers could read differently. Names like .git are judged where the agent brings them (take-back).
var cosmetic = [...]string{
	"zeroPaddedFilemode", "badFilemode", "missingSpaceBeforeDate", "missingSpaceBeforeEmail", "missingNameBeforeEmail",
	"missingEmail", "badEmail", "badName", "badDate", "badDateOverflow", "zeroPaddedDate", "badTimezone", "multipleAuthors",
	"nulInCommit", "badTagName", "missingTaggerEntry", "extraHeaderEntry",
	"gitmodulesBlob", "gitmodulesLarge", "gitmodulesMissing", "gitmodulesName", "gitmodulesParse", "gitmodulesPath",
	"gitmodulesSymlink", "gitmodulesUpdate", "gitmodulesUrl", "gitattributesBlob", "gitattributesLarge",
	"gitattributesLineLength", "gitattributesMissing", "gitattributesSymlink", "gitignoreSymlink", "mailmapSymlink",
}

// way is Env, with a bundle of certificates for a git whose TLS library does not know SSL_CERT_FILE (GnuTLS).
func (m Remote) way() []string {
	env := slices.Clone(m.Env)
	for _, v := range m.Env {
		if file, ok := strings.CutPrefix(v, "SSL_CERT_FILE="); ok && !slices.ContainsFunc(m.Env, isCAInfo) {
			env = append(env, "GIT_SSL_CAINFO="+file)
		}
	}
	return env
}

func isCAInfo(v string) bool { return strings.HasPrefix(v, "GIT_SSL_CAINFO=") }

// basic is the token as it crosses the wire.
func (m Remote) basic() string {
	return base64.StdEncoding.EncodeToString([]byte("x-access-token:" + m.Token))
}

// secrets are the shapes in which the token could be met in what git says.
func (m Remote) secrets() []string {
	if m.Token == "" {
		return nil
	}
	return []string{m.basic(), m.Token, base64.StdEncoding.EncodeToString([]byte(m.Token))}
}
