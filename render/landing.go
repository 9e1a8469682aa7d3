package render

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// Landing is where a build landed on the server: a branch, and the pull request that shows it.
type Landing struct {
	Repo    string // owner/name; "" for the repository of the thread
	Branch  string // foreign
	Commit  string // object id
	URL     string // of the commit, ours; "" for none
	Pull    *Pull  // nil: it is about to be opened (Opened), or there is none
	Opened  bool   // the pull request is new; else it was there, and got a commit
	Changes []FileChange
}

// Pull is a pull request. Title is foreign.
type Pull struct {
	Number int
	Title  string
	URL    string // ours
}

// The bounds of what is told of landings: the bytes that a pull request which was opened may take, and those of its address;
// how many landings are listed below the first.
const (
	maxTold     = 480
	maxPullURL  = 240
	maxLandings = 8
)

// opening is what stands in the place of a pull request that is about to be opened.
const opening = "is opening a pull request"

// place is where the n-th landing's pull request goes, counted from 1: opening between two comments of HTML. They are none of
// package thread's marks, which would end a result there; and foreign text cannot hold one, because unmark breaks it.
func place(n int) string {
	return fmt.Sprintf("<!-- pull of ai-flow %d -->"+opening+"<!-- pull of ai-flow end -->", n)
}

var placeShape = regexp.MustCompile(`<!-- pull of ai-flow ([1-9][0-9]?) -->` + opening + `<!-- pull of ai-flow end -->`)

// FillPulls puts the pull requests into a text that Landings of the same order without a Pull were rendered to: the result of
// a build is written before its pull request is there. It is then what Landings with these Pulls are rendered to, in quotes
// too, byte for byte. What holds no such place is returned as it is, and so is a place whose Landing has no Pull.
func FillPulls(text string, landings []Landing) string {
	return placeShape.ReplaceAllStringFunc(text, func(is string) string {
		n, err := strconv.Atoi(placeShape.FindStringSubmatch(is)[1])
		if err != nil || n > len(landings) || landings[n-1].Pull == nil {
			return is
		}
		return landings[n-1].Pull.told()
	})
}

// told says that the pull request was opened, in at most maxTold bytes.
func (p *Pull) told() string { return "opened " + p.link() }

// pullURL is the address of a pull request: FillPulls knows no run whose server it could be held to, so its shape must do.
var pullURL = regexp.MustCompile(`^https?://[A-Za-z0-9.:-]+/[A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+/pull/[1-9][0-9]*$`)

// link links the pull request by number and title. Its length is bounded, so that what is rendered around it is the same
// whether it is known or not.
func (p *Pull) link() string {
	name := "#" + strconv.Itoa(p.Number)
	linked := len(p.URL) <= maxPullURL && pullURL.MatchString(p.URL)
	if !linked {
		name = "`" + name + "`"
	}
	for limit := maxTitle; limit >= 10; limit /= 2 {
		// Without its colon no address in a title is a link, which the label of another link cannot hold.
		title := strings.Join(strings.Fields(unmark(inline(strings.ReplaceAll(p.Title, "://", ": //"), limit))), " ")
		if len(title) <= maxTold-maxPullURL-40 {
			name = strings.TrimSpace(name + " " + title)
			break
		}
	}
	if !linked {
		return name
	}
	return "[" + name + "](" + p.URL + ")"
}

// landed says where the n-th landing is, counted from 1, and how much room beyond its length is kept for a title.
func (c *writer) landed(n int, where string) (text string, spare int) {
	l := c.r.Landings[n-1]
	switch {
	case l.Opened && l.Pull != nil:
		text = l.Pull.told()
	case l.Opened && c.thread:
		text = place(n)
	case l.Opened:
		text = opening
	case l.Pull != nil:
		text = "added " + c.commit(l.Commit, l.URL) + " to " + l.Pull.link()
	default:
		text = "pushed " + c.commit(l.Commit, l.URL) + " to " + unmark(code(l.Branch, maxName))
	}
	if l.Opened {
		spare = maxTold - len(text)
	}
	return text + where + extent(l.Changes), spare
}

// commit names a commit, linked where its address is one of our own server's.
func (c *writer) commit(id, address string) string {
	name := code(cutRune(id, maxTree), maxTree)
	if !objectID.MatchString(id) {
		return unmark(name)
	}
	return c.linked(name, address)
}

var objectID = regexp.MustCompile(`^[0-9a-f]{7,64}$`)

// extent is how much changed, behind a dot; "" when that is not known.
func extent(changes []FileChange) string {
	if len(changes) == 0 {
		return ""
	}
	added, removed := 0, 0
	for _, f := range changes {
		added, removed = added+max(0, f.Added), removed+max(0, f.Removed)
	}
	return fmt.Sprintf(" · %s, +%d −%d", plural(len(changes), "file"), added, removed)
}

// lead is the first landing, which a headline goes on from; "" without any.
func (c *writer) lead() (text string, spare int) {
	if len(c.r.Landings) == 0 {
		return "", 0
	}
	return c.landed(1, c.r.Landings[0].in())
}

// in names a repository that is not the thread's.
func (l Landing) in() string {
	if l.Repo == "" {
		return ""
	}
	return " in " + unmark(code(l.Repo, maxName))
}

// furtherLandings lists the landings below the first in at most room bytes of a quote, and returns what room it leaves.
func (c *writer) furtherLandings(room int) (list string, left int) {
	most := min(len(c.r.Landings), maxLandings)
	for shown := most; shown > 1; shown-- {
		var b strings.Builder
		kept := gap
		for n := 2; n <= shown; n++ {
			text, spare := c.landed(n, "")
			repo := "this repository"
			if name := c.r.Landings[n-1].Repo; name != "" {
				repo = unmark(code(name, maxName))
			}
			b.WriteString("- " + repo + ": " + text + "\n")
			kept += spare
		}
		if more := len(c.r.Landings) - shown; more > 0 {
			fmt.Fprintf(&b, "- and %d more\n", more)
		}
		if size := quoted(b.String()) + kept; size <= room {
			return b.String(), room - size
		}
	}
	return "", room
}

// landedChanges are those of all landings, each path behind the name of its repository.
func (r Result) landedChanges() (all []FileChange) {
	for _, l := range r.Landings {
		for _, f := range l.Changes {
			if l.Repo != "" {
				f.Path = l.Repo + ": " + f.Path
			}
			all = append(all, f)
		}
	}
	return all
}

// landings lists them in a terminal.
func (t *terminal) landings() {
	for i, l := range t.r.Landings[:min(len(t.r.Landings), maxLandings)] {
		text, _ := t.landed(i+1, l.in())
		t.line(wrap(plainOurs(text), t.width, "  ", "  "))
	}
}
