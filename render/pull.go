package render

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// PullText is what a pull request is opened with.
type PullText struct {
	Issue     string // URL of the issue that was built, ours
	Closes    string // owner/name#n that merging closes, ours; "" for none
	PartOf    string // owner/name#n that it is part of, ours; "" for none
	Requester string // login
	Command   string // URL of the comment with the command, ours
	RunURL    string
	Number    int    // of the issue, for the mark
	Text      string // the agent's prose; "" when it is not known any more
	Gates     []Gate
}

// The bounds of a pull request: the characters of its title, and the bytes of its description.
const (
	maxPullTitle = 120
	maxPullBody  = 60_000
)

// titleOrders are what a title may not hold, because the subject of a squashed commit is made of it: what keeps checks from
// running (F-41), and the beginning of an address, which behind a closing word would close an issue.
var titleOrders = regexp.MustCompile(`(?i)\[(?:skip[\s_-]*ci|ci[\s_-]*skip|no[\s_-]*ci|skip[\s_-]*actions|actions[\s_-]*skip)\]|\*\*\*no_ci\*\*\*|skip-checks:\s*true|[a-z]+://`)

// ghNumber is a reference that needs no sign.
var ghNumber = regexp.MustCompile(`(?i)\b(gh)-([0-9])`)

// PullTitle is a title for a pull request, of a foreign one: a Subject of at most 120 characters that is never empty.
func PullTitle(title string) string {
	if title = Subject(title, maxPullTitle); title != "" {
		return title
	}
	return "Implement the issue"
}

// Subject makes one line of a foreign title, of at most so many characters, that orders nothing: it mentions nobody, closes
// nothing and keeps no check from running, in a title and in the message of a commit.
func Subject(title string, most int) string {
	title = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case !unicode.IsPrint(r), r == '#', r == '@':
			return -1
		}
		return r
	}, oneLine(strings.ToValidUTF8(title, ""), 8*most))
	for last := ""; title != last; { // taking one such word away may make another
		last = title
		title = strings.Join(strings.Fields(ghNumber.ReplaceAllString(titleOrders.ReplaceAllString(title, " "), "$1 $2")), " ")
	}
	if utf8.RuneCountInString(title) > most {
		title = strings.TrimSpace(string([]rune(title)[:most-1])) + "…"
	}
	return title
}

var (
	issueURL  = regexp.MustCompile(`^https?://[A-Za-z0-9.:-]+/[A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+/(?:issues|pull)/[1-9][0-9]*$`)
	issueName = regexp.MustCompile(`^[A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+#[1-9][0-9]*$`)
)

// PullBody is the description of a pull request, at most 60,000 bytes: what it implements, the agent's prose, and below a rule,
// which prose cannot hold, the gates, who asked, what merging closes, and a mark.
func PullBody(p PullText) string {
	c := newWriter(Result{RunURL: p.RunURL, Gates: p.Gates})
	head := ""
	if issueURL.MatchString(p.Issue) {
		head = "Implements " + p.Issue + "."
	}
	foot := paragraphs(unmark(c.gatesTable()), c.requested(p), closing(p), pullMark(p))
	prose := strings.TrimSpace(c.answer(p.Text, maxPullBody)(maxPullBody - len(head) - len(foot) - 20))
	return paragraphs(head, prose, "---", foot) + "\n"
}

func pullMark(p PullText) string {
	for _, name := range []string{p.Closes, p.PartOf} {
		if issueName.MatchString(name) {
			return "<!-- ai-flow:build " + name + " -->"
		}
	}
	return ""
}

var pullMarkShape = regexp.MustCompile(`(?m)^<!-- ai-flow:build ([A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+#[1-9][0-9]*) -->\r?$`)

// BuildOf is the issue that a pull request with this description was built for, as owner/name#n; "" for none. Of several marks
// the last one counts, since ours stands at the end. Anybody can write one: who opened the pull request is to be asked as well.
func BuildOf(body string) string {
	all := pullMarkShape.FindAllStringSubmatch(body, -1)
	if len(all) == 0 {
		return ""
	}
	return all[len(all)-1][1]
}

// requested says who asked for it, and where it was made.
func (c *writer) requested(p PullText) string {
	line := "Made by ai-flow"
	if p.Requester != "" {
		line = "Requested by " + c.person(p.Requester)
	}
	if command := c.link("this comment", p.Command); command != "" {
		line += " in " + command
	}
	if run := c.link("run", p.RunURL); run != "" {
		line += " · " + run
	}
	return unmark(line)
}

// closing is the one line that GitHub acts on.
func closing(p PullText) string {
	switch {
	case issueName.MatchString(p.Closes):
		return "Closes " + p.Closes
	case issueName.MatchString(p.PartOf):
		return "Part of " + p.PartOf
	}
	return ""
}
