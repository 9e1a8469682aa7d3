package github

import (
	"fmt"
	"math"
	"strings"
	"unicode/utf8"
)

// pullAnswer is what is read of a pull request in REST. The library's own type was rejected: one of its hundred fields that
// cannot be read would make a pull request that was opened look unsure.
type pullAnswer struct {
	Number     int64
	HTMLURL    string `json:"html_url"`
	Title      string
	Body       string // null is none
	State      string
	MergedAt   *string `json:"merged_at"`
	CreatedAt  claimed `json:"created_at"`
	User       struct{ Login, Type string }
	Head, Base struct {
		Ref, SHA string
		Repo     *struct{ ID int64 }
	}
}

// fork reports whether the head is of another repository, or of one that was deleted.
func (a *pullAnswer) fork() bool {
	return a.Head.Repo == nil || a.Base.Repo == nil || a.Head.Repo.ID != a.Base.Repo.ID
}

func (a *pullAnswer) pull(viewer string) (Pull, error) {
	if a.State != "open" && a.State != "closed" {
		return Pull{}, fmt.Errorf("%.60q is no state of a pull request", a.State)
	}
	author := (&actor{a.User.Type, a.User.Login}).login()
	p := Pull{URL: link(a.HTMLURL), Title: a.Title, Body: beginning(a.Body), Base: a.Base.Ref, HeadOID: a.Head.SHA, Closed: a.State == "closed", Merged: a.MergedAt != nil,
		Fork: a.fork(), Ours: author != "" && strings.EqualFold(author, viewer), Created: a.CreatedAt.Time}
	return p.checked(a.Number)
}

// pullNode is a pull request in GraphQL.
type pullNode struct {
	Number                               int64
	URL, Title, Body, State              string
	IsCrossRepository, ViewerDidAuthor   bool
	BaseRefName, HeadRefName, HeadRefOID string
	CreatedAt                            claimed
}

func (n *pullNode) pull() (Pull, error) {
	switch n.State {
	case "OPEN", "CLOSED", "MERGED":
	default:
		return Pull{}, fmt.Errorf("%.60q is no state of a pull request", n.State)
	}
	p := Pull{URL: link(n.URL), Title: n.Title, Body: beginning(n.Body), Base: n.BaseRefName, HeadOID: n.HeadRefOID, Closed: n.State != "OPEN", Merged: n.State == "MERGED",
		Fork: n.IsCrossRepository, Ours: n.ViewerDidAuthor, Created: n.CreatedAt.Time}
	return p.checked(n.Number)
}

func (p Pull) checked(number int64) (Pull, error) {
	switch {
	case number < 1 || number > math.MaxInt32:
		return Pull{}, fmt.Errorf("the number %d is no pull request's", number)
	case !isOID(p.HeadOID):
		return Pull{}, fmt.Errorf("%.80q is no commit of a pull request's head", p.HeadOID)
	}
	p.Number = int(number)
	return p, nil
}

// maxBody is how much of a pull request's description is kept, in bytes.
const maxBody = 64 << 10

// beginning cuts a description to maxBody, never within a character.
func beginning(body string) string {
	if len(body) <= maxBody {
		return body
	}
	end := maxBody
	for end > maxBody-utf8.UTFMax && !utf8.RuneStart(body[end]) {
		end--
	}
	return strings.Clone(body[:end]) // the whole is let go
}
