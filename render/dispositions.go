package render

import (
	"fmt"
	"strings"
)

// Disposition is what became of a review thread that a build took up.
type Disposition struct {
	URL  string // of the thread, ours
	Path string // foreign
	Text string // the agent's prose; "" when it said nothing of it
}

// How many review threads are listed on a thread, and on the run's page.
const (
	maxTaken     = 20
	maxTakenPage = 200
)

// taken lists the review threads that were taken up, folded, each with the first line of what the agent says of it.
func (c *writer) taken(limit int) string {
	if len(c.r.Taken) == 0 {
		return ""
	}
	most := maxTakenPage
	if c.thread {
		most = maxTaken
	}
	var b strings.Builder
	for i, d := range c.r.Taken {
		line := "- " + c.linked("thread", d.URL) + " on " + code(d.Path, maxSubject) + ": " + d.first() + "\n"
		if i == most || b.Len()+len(line) > limit-200-len(c.where) {
			fmt.Fprintf(&b, "\nAnd %d more. %s\n", len(c.r.Taken)-i, c.where)
			break
		}
		b.WriteString(line)
	}
	return details("Review threads ("+fmt.Sprint(len(c.r.Taken))+")", b.String())
}

// first is the first line of what the agent says.
func (d Disposition) first() string {
	line, _, _ := strings.Cut(strings.TrimSpace(Terminal(d.Text)), "\n")
	if line = inline(line, maxWhy); line == "" {
		return "the agent says nothing of it"
	}
	return line
}

// ThreadReply is the reply in a review thread: what the agent says of it, and the commit, if there is one. commit is its
// object id and url its address, ours; "" for none. result is the address of the result, ours; "" for none.
func ThreadReply(d Disposition, commit, url, result, runURL string) string {
	c := newWriter(Result{RunURL: runURL})
	var facts []string
	if commit != "" {
		facts = append(facts, "commit "+c.commit(commit, url))
	}
	for _, link := range []string{c.link("the result", result), c.link("run", runURL)} {
		if link != "" {
			facts = append(facts, link)
		}
	}
	if commit == "" {
		facts = append([]string{"no commit"}, facts...)
	}
	below := "\n\n---\n\n" + strings.Join(facts, " · ") + "\n"
	said := strings.TrimSpace(c.answer(d.Text, maxComment)(maxComment - len(below)))
	if said == "" {
		said = "The agent says nothing of this thread."
	}
	return said + below
}
