package github

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// Facts is what one question tells about the place of a command. Texts are foreign.
type Facts struct {
	Viewer        string // our own login: who the token acts as
	ViewerID      int64  // of our own account; 0 when GitHub does not say
	Visibility    Visibility
	DefaultBranch string
	DefaultOID    string // "" for an empty repository
	Policy        []byte // .github/ai-flow.yml of the default branch; nil: there is none
	PolicyCut     bool   // it is larger than GitHub gives, or not text
	Comment       *Text  // the command as it stands now; nil: deleted
	Parent        *Text  // of a reply in a review thread: what it replies to
	Document      Text   // body of the issue or pull request
	Title         string
	Locked        bool
	Closed        bool // merged included
	Head          *Head
}

// Text is a body with its history, as far as it tells who is behind it.
type Text struct {
	Body            string
	Author          string    // login of a person, or of a bot with its [bot]; "" for a deleted account, and for whoever else
	Created, Edited time.Time // Edited is zero when it never was
	Editor          string    // the same of who edited it last; "" when not known, too
	Ours            bool      // written by ourselves
}

// Head is the head of a pull request.
type Head struct {
	Repo       Repo // zero when it was deleted
	Branch     string
	OID        string
	BaseBranch string
	BaseOID    string // where that branch was when the pull request last moved; "" when GitHub does not say
	Merged     bool
	Fork       bool
	// Since is the latest moment of GitHub's own clock at which the head is known to have been put there: a forced push, or
	// the first check of the commit. Zero when nothing tells.
	Since time.Time
	// Committed is what the commit itself claims, which its author can forge.
	Committed time.Time
}

// factsAnswer is the answer to factsQuery. Whatever may be null is a pointer or has a zero value that says the same.
type factsAnswer struct {
	Data struct {
		Viewer *struct {
			Login      string
			DatabaseID int64
		}
		Repository *struct {
			Visibility       Visibility
			DefaultBranchRef *struct {
				Name   string
				Target *struct{ OID string }
			}
			Policy *struct {
				Text                  *string
				IsBinary, IsTruncated bool
			}
			Subject *subjectNode
		}
		Command *struct {
			Typename string `json:"__typename"`
			textNode
			ReplyTo *textNode
		}
	}
	Errors []graphqlError
}

type subjectNode struct {
	Typename string `json:"__typename"`
	textNode
	Title                   string
	Locked, Closed          bool
	Merged                  bool
	HeadRefName, HeadRefOID string
	HeadRepository          *struct {
		Name  string
		Owner struct{ Login string }
	}
	IsCrossRepository bool
	BaseRefName       string
	BaseRefOID        string
	Commits           struct {
		Nodes []*struct {
			Commit struct {
				OID           string
				CommittedDate time.Time
				CheckSuites   *struct{ Nodes []*dated }
			}
		}
	}
	TimelineItems struct{ Nodes []*dated }
}

type dated struct{ CreatedAt time.Time }

type textNode struct {
	Body            string
	Author, Editor  *actor
	CreatedAt       time.Time
	LastEditedAt    *time.Time
	ViewerDidAuthor bool
}

// actor is who did something, as GraphQL says it.
type actor struct {
	Typename string `json:"__typename"`
	Login    string
}

// login is the one that the permission call knows; "" for who is no account that could have a permission. Mannequins, which
// imports make, and accounts of enterprises have names of their own choice: they would pass for the person of that login.
func (a *actor) login() string {
	switch {
	case a == nil || strings.EqualFold(a.Login, "ghost"):
		return ""
	case a.Typename == "User":
		return a.Login
	case a.Typename == "Bot" && a.Login != "":
		return strings.TrimSuffix(a.Login, "[bot]") + "[bot]"
	}
	return ""
}

func (n *textNode) text() Text {
	t := Text{Body: n.Body, Author: n.Author.login(), Created: n.CreatedAt, Editor: n.Editor.login(), Ours: n.ViewerDidAuthor}
	if n.LastEditedAt != nil {
		t.Edited = *n.LastEditedAt
	}
	return t
}

var (
	errNoSubject = errors.New("the issue or pull request is not there, or not for this token")
	errNoViewer  = errors.New("GitHub does not say who the token acts as")
)

// facts reads an answer whose errors were judged.
func (a *factsAnswer) facts(on Surface) (Facts, error) {
	repo := a.Data.Repository
	switch {
	case a.Data.Viewer == nil || a.Data.Viewer.Login == "":
		return Facts{}, errNoViewer
	case repo == nil || repo.Subject == nil:
		return Facts{}, errNoSubject
	}
	f := Facts{Viewer: a.Data.Viewer.Login, ViewerID: max(0, a.Data.Viewer.DatabaseID), Visibility: repo.Visibility}
	if b := repo.DefaultBranchRef; b != nil && b.Target != nil {
		f.DefaultBranch, f.DefaultOID = b.Name, b.Target.OID
		if !isOID(f.DefaultOID) {
			return Facts{}, fmt.Errorf("%.80q is no commit of the default branch", f.DefaultOID)
		}
	}
	if p := repo.Policy; p != nil {
		// A folder of that name has no text either: it is there, and cannot be read.
		if f.PolicyCut = p.Text == nil || p.IsBinary || p.IsTruncated; !f.PolicyCut {
			f.Policy = []byte(*p.Text)
		}
	}
	if err := a.addCommand(&f, on); err != nil {
		return Facts{}, err
	}
	return f, repo.Subject.add(&f)
}

func (a *factsAnswer) addCommand(f *Facts, on Surface) error {
	n := a.Data.Command
	if n == nil {
		return nil
	}
	if want := nodeOf(on); n.Typename != want {
		return fmt.Errorf("the command's comment is a %.60q, not a %s", n.Typename, want)
	}
	t := n.text()
	f.Comment = &t
	if n.ReplyTo != nil {
		parent := n.ReplyTo.text()
		f.Parent = &parent
	}
	return nil
}

// nodeOf is GraphQL's name of what holds a command.
func nodeOf(on Surface) string {
	switch on {
	case OnLine:
		return "PullRequestReviewComment"
	case OnReview:
		return "PullRequestReview"
	}
	return "IssueComment"
}

func (s *subjectNode) add(f *Facts) error {
	f.Document, f.Title, f.Locked, f.Closed = s.text(), s.Title, s.Locked, s.Closed || s.Merged
	switch s.Typename {
	case "Issue":
		return nil
	case "PullRequest":
	default:
		return fmt.Errorf("the subject is a %.60q, neither an issue nor a pull request", s.Typename)
	}
	if !isOID(s.HeadRefOID) {
		return fmt.Errorf("%.80q is no commit of the pull request's head", s.HeadRefOID)
	}
	if s.BaseRefOID != "" && !isOID(s.BaseRefOID) {
		return fmt.Errorf("%.80q is no commit of the pull request's base", s.BaseRefOID)
	}
	f.Head = &Head{
		Branch: s.HeadRefName, OID: s.HeadRefOID, BaseBranch: s.BaseRefName, BaseOID: s.BaseRefOID, Merged: s.Merged, Fork: s.IsCrossRepository,
	}
	if r := s.HeadRepository; r != nil {
		f.Head.Repo = Repo{r.Owner.Login, r.Name}
	}
	s.date(f.Head)
	return nil
}

// date looks for the moments that tell since when the head is what it is. Those of another commit tell nothing about it.
func (s *subjectNode) date(h *Head) {
	for _, e := range s.TimelineItems.Nodes {
		if e != nil {
			h.Since = later(h.Since, e.CreatedAt)
		}
	}
	for _, n := range s.Commits.Nodes {
		if n == nil || n.Commit.OID != s.HeadRefOID {
			continue
		}
		h.Committed = n.Commit.CommittedDate
		if n.Commit.CheckSuites == nil {
			continue
		}
		for _, c := range n.Commit.CheckSuites.Nodes {
			if c != nil {
				h.Since = later(h.Since, c.CreatedAt)
			}
		}
	}
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
