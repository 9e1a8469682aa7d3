package commands

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/d3mlabs/ai-flow/render"
)

// BranchPrefix is what the names of all branches of builds of an issue begin with.
func BranchPrefix(number int) string { return fmt.Sprintf("ai/%d-", number) }

// branchName is ai/<number>-<slug>, or ai/try-<slug> where there is no number.
func (r *run) branchName() string {
	if r.Number > 0 {
		return r.branchNameFor(BranchPrefix(r.Number))
	}
	return r.branchNameFor("ai/try-")
}

// branchNameFor is a prefix and a slug: ASCII letters, digits and hyphens, so that a foreign title can make no odd reference.
func (r *run) branchNameFor(prefix string) string { return prefix + slugOf(r.about()) }

// about is what the branch and the commit are named after: a stranger's title, or what a person asked for. No secret is in
// it, before it is cut and made a slug, which would hide one.
func (r *run) about() string {
	text := r.Title
	if text == "" {
		text = r.Comment.Segments[0].Instruction
	}
	return r.safe(text)
}

func (r *run) safe(text string) string { return r.Secrets.Redact(render.Terminal(text)) }

var notSlug = regexp.MustCompile(`[^a-z0-9]+`)

func slugOf(text string) string {
	slug := strings.Trim(notSlug.ReplaceAllString(strings.ToLower(firstLineOf(text)), "-"), "-")
	if len(slug) > 40 {
		slug = strings.TrimRight(slug[:40], "-")
	}
	if slug == "" {
		return "build"
	}
	return slug
}

func firstLineOf(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return line
}

// message is the commit's: a subject, then the person who asked as co-author and the command that it was made for. The agent
// writes no word of it.
func (r *run) message() string {
	message := "ai-flow /build: " + r.subjectLine() + "\n"
	var trailers []string
	for _, t := range []string{coAuthor(r.Requester), Trailer(r.CommentURL)} {
		if t != "" {
			trailers = append(trailers, t+"\n")
		}
	}
	if len(trailers) > 0 {
		message += "\n" + strings.Join(trailers, "")
	}
	return message
}

// subjectLine says what was built: on an issue its title, on a pull request what was asked for, since the title says what its
// first commit does.
func (r *run) subjectLine() string {
	about, otherwise := r.about(), "implement the document"
	if r.Surface.onPull() {
		about, otherwise = r.safe(r.Comment.Segments[0].Instruction), "take up the review feedback"
	}
	return either(subject(firstLineOf(about)), otherwise)
}

// trailerKey names the command that a commit was made for.
const trailerKey = "AI-Flow-Command: "

// Trailer is the line of a commit's message that names the command it was made for, so that a later attempt finds what an
// earlier one pushed. commentURL is GitHub's; "" for what is no plain URL.
func Trailer(commentURL string) string {
	if !plainURL.MatchString(commentURL) {
		return ""
	}
	return trailerKey + commentURL
}

// MadeFor reports whether a commit's message names that command: in a line of its own in the last paragraph, where only
// trailers stand. Anywhere else a title could have put it.
func MadeFor(message, commentURL string) bool {
	trailer := Trailer(commentURL)
	return trailer != "" && trailerOf(message) == trailer
}

// CommandID is the id of the comment, or review, that a commit's message names as its command; 0 for none.
func CommandID(message string) int64 {
	m := commandID.FindStringSubmatch(trailerOf(message))
	if m == nil {
		return 0
	}
	id, err := strconv.ParseInt(m[1], 10, 64)
	if err != nil {
		return 0
	}
	return id
}

var commandID = regexp.MustCompile(`#(?:issuecomment-|discussion_r|pullrequestreview-)([1-9][0-9]{0,18})$`)

// trailerOf is the line of a message that names its command; "" for none, and for several: a commit is made for one
// command, and one that names many is a guess at those to come.
func trailerOf(message string) (trailer string) {
	text := strings.TrimSpace(strings.ReplaceAll(message, "\r\n", "\n"))
	begin := strings.LastIndex(text, "\n\n")
	if begin < 0 {
		return "" // a subject alone
	}
	for line := range strings.SplitSeq(text[begin:], "\n") {
		switch {
		case !strings.HasPrefix(line, trailerKey):
		case trailer != "":
			return ""
		default:
			trailer = line
		}
	}
	return trailer
}

const maxSubject = 60 // characters of a title or an instruction in a subject

// subject makes a line of a foreign title that orders nothing (F-41, H2-10).
func subject(text string) string { return render.Subject(text, maxSubject) }

// loginShape is a person's login. Those of an enterprise's managed accounts hold an underscore.
var loginShape = regexp.MustCompile(`^[A-Za-z0-9](?:[A-Za-z0-9_-]{0,38})$`)

// coAuthor is the trailer of the person who asked, "" when not known. The address is GitHub's own for the account, so no
// person's real address is needed or shown.
func coAuthor(p Person) string {
	if !loginShape.MatchString(p.Login) {
		return ""
	}
	account := p.Login
	if p.ID > 0 {
		account = fmt.Sprintf("%d+%s", p.ID, p.Login)
	}
	return fmt.Sprintf("Co-authored-by: %s <%s@users.noreply.github.com>", p.Login, account)
}
