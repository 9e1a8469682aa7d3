package github

import (
	"fmt"
	"net/url"
	"strings"
	"time"
	"unicode/utf8"
)

func (r repository) repo() (Repo, error) {
	if !isName(r.Owner.Login, "-_") {
		return Repo{}, fmt.Errorf("the repository's owner %.60q is no account's name", r.Owner.Login)
	}
	if !isName(r.Name, "-_.") || r.Name == "." || r.Name == ".." {
		return Repo{}, fmt.Errorf("%.60q is no repository's name", r.Name)
	}
	if r.ID < 0 {
		return Repo{}, fmt.Errorf("the id %d is no repository's", r.ID)
	}
	return Repo{r.Owner.Login, r.Name}, nil
}

// account reads who somebody is. What has no login or no id is nobody, who may do nothing.
func (u user) account() (Account, error) {
	if u.Login == "" || u.ID == 0 || strings.EqualFold(u.Login, "ghost") {
		return Account{}, nil
	}
	name, bot := strings.CutSuffix(u.Login, "[bot]")
	if !isName(name, "-_") || u.ID < 0 {
		return Account{}, fmt.Errorf("%.60q with id %d is no account", u.Login, u.ID)
	}
	return Account{Login: u.Login, ID: u.ID, Bot: bot || u.Type != "User"}, nil
}

func (r remark) comment(on Surface) (c Comment, err error) {
	switch {
	case r.ID < 1:
		return Comment{}, fmt.Errorf("the id %d is no comment's", r.ID)
	case r.NodeID == "" || len(r.NodeID) > 255:
		return Comment{}, fmt.Errorf("the node id %.60q is no comment's", r.NodeID)
	case r.InReplyTo < 0:
		return Comment{}, fmt.Errorf("the id %d of the comment replied to is none", r.InReplyTo)
	}
	c = Comment{ID: r.ID, NodeID: r.NodeID, Body: r.Body, Association: association(r.Association), URL: link(r.HTMLURL)}
	if c.Author, err = r.User.account(); err != nil {
		return Comment{}, err
	}
	if c.Created, err = moment(r.CreatedAt); err != nil {
		return Comment{}, err
	}
	if r.Via != nil {
		if c.App = r.Via.Slug; c.App == "" {
			c.App = "?"
		}
	}
	if on == OnLine {
		c.Path, c.Hunk = r.Path, r.DiffHunk
		if r.InReplyTo != r.ID {
			c.ReplyTo = r.InReplyTo
		}
	}
	return c, nil
}

// association keeps to the values that GitHub documents, so that it can be printed and compared without a thought.
func association(s string) string {
	switch s {
	case "OWNER", "MEMBER", "COLLABORATOR", "CONTRIBUTOR", "FIRST_TIME_CONTRIBUTOR", "FIRST_TIMER", "MANNEQUIN":
		return s
	}
	return "NONE"
}

// moment reads a time. The library's own error would hold the whole text.
func moment(s string) (time.Time, error) {
	if s == "" {
		return time.Time{}, nil
	}
	t, err := time.Parse(time.RFC3339, s)
	if err != nil {
		return time.Time{}, fmt.Errorf("%.60q is no time", s)
	}
	return t, nil
}

// link lets an address through that a browser would open as what it looks like: no user before the host, nothing that ends
// a link in Markdown or HTML.
func link(s string) string {
	if len(s) > 2048 || strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r >= 0x7f || strings.ContainsRune("<>\"'`\\()[]", r) }) {
		return ""
	}
	u, err := url.Parse(s)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Hostname() == "" || u.User != nil {
		return ""
	}
	return s
}

// isName reports whether s may stand in a path of the API: 1 to 100 letters, digits and the others.
func isName(s, others string) bool {
	return s != "" && len(s) <= 100 && !strings.ContainsFunc(s, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune(others, r)
	})
}

// isBranch reports whether s is a branch's name, by git's rules, in at most 255 bytes. Without them ".." would be an element
// of an address.
func isBranch(s string) bool {
	if s == "" || len(s) > 255 || s[0] == '-' || s == "@" || !utf8.ValidString(s) || strings.Contains(s, "..") || strings.Contains(s, "@{") ||
		strings.HasSuffix(s, ".") || strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r == 0x7f || strings.ContainsRune(`~^:?*[\`, r) }) {
		return false
	}
	for element := range strings.SplitSeq(s, "/") {
		if element == "" || element[0] == '.' || strings.HasSuffix(element, ".lock") {
			return false
		}
	}
	return true
}

// isOID reports whether s is a full id of a commit, SHA-1 or SHA-256.
func isOID(s string) bool {
	return (len(s) == 40 || len(s) == 64) && strings.Trim(s, "0123456789abcdef") == ""
}
