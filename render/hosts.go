package render

import (
	"net/url"
	"strings"
)

// hosts are the origins (scheme and host) that a link may lead to.
type hosts []string

// hostsFor returns the origins for a run on the server of runURL, which is ours.
func hostsFor(runURL string) hosts {
	u, err := url.Parse(runURL)
	if err != nil || u.Host == "" {
		return hosts{"https://github.com"}
	}
	return hosts{"https://github.com", u.Scheme + "://" + u.Host}
}

// allow decides whether agent text may hold link as something to click. The rule is a list of what is plain and useful, not
// of what is dangerous: exact host, a path of plain characters, pages that show a repository. Issues, pull requests and
// discussions are not among them, because a link to one leaves an event on it; neither are pages that ask the reader to
// grant something.
func (h hosts) allow(link string) bool {
	for _, origin := range h {
		rest, ok := strings.CutPrefix(link, origin)
		if ok && strings.HasPrefix(rest, "/") && plainPath(rest) {
			return showsRepository(rest)
		}
	}
	return false
}

func plainPath(path string) bool {
	for i := range len(path) {
		c := path[i]
		if !isAlnum(c) && !strings.ContainsRune("/._-~%+=?#,:", rune(c)) {
			return false
		}
		if c == '%' && (i+2 >= len(path) || !isHex(path[i+1]) || !isHex(path[i+2])) {
			return false
		}
	}
	return !strings.Contains(path, "//") && !strings.Contains(path, "..")
}

func showsRepository(path string) bool {
	path, fragment, _ := strings.Cut(path, "#")
	if strings.ContainsRune(fragment, '#') || fragment != "" && isDigit(fragment[0]) { // read as the number of an issue wherever the address is not read as one
		return false
	}
	path, _, _ = strings.Cut(path, "?")
	parts := strings.Split(strings.Trim(path, "/"), "/")
	if len(parts) < 2 || !plainName(parts[0]) || !plainName(parts[1]) {
		return false
	}
	switch strings.ToLower(parts[0]) {
	case "login", "logout", "settings", "apps", "orgs", "organizations", "sessions", "oauth", "users", "marketplace", "sponsors":
		return false
	}
	if len(parts) == 2 {
		return true
	}
	switch parts[2] {
	case "blob", "tree", "blame", "commit", "commits", "compare", "releases", "tags", "branches", "actions", "wiki":
		return true
	}
	return false
}

func plainName(name string) bool {
	for i := range len(name) {
		if c := name[i]; !isAlnum(c) && c != '-' && c != '_' && c != '.' {
			return false
		}
	}
	return name != ""
}

func isAlnum(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

func isHex(c byte) bool { return isDigit(c) || c|0x20 >= 'a' && c|0x20 <= 'f' }

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isPunct(c byte) bool { return c > ' ' && c < 0x7F && !isAlnum(c) }
