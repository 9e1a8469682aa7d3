package render

import (
	"fmt"
	"strings"
)

// Thread is where on GitHub a command stands, and its result. The zero Thread is none: a terminal.
type Thread struct {
	Kind    ThreadKind
	Number  int    // of the issue or pull request
	Command string // ours: address of the comment with the command; "" when not known
	Result  string // ours: address of the comment with the result; "" when there is none, or not yet
}

// ThreadKind is the closed set of places that a command can stand in.
type ThreadKind uint8

// The places. The zero ThreadKind is none of them.
const (
	OnIssue       ThreadKind = iota + 1 // a comment on an issue
	OnPullRequest                       // a comment in the conversation of a pull request
	OnLine                              // a comment on a line of a pull request
	OnReview                            // the summary of a review
)

// words name the place, without the sign that GitHub would link; "" for none.
func (t Thread) words() string {
	switch t.Kind {
	case OnIssue:
		return fmt.Sprintf("issue %d", t.Number)
	case OnPullRequest:
		return fmt.Sprintf("pull request %d", t.Number)
	case OnLine:
		return fmt.Sprintf("a line of pull request %d", t.Number)
	case OnReview:
		return fmt.Sprintf("a review of pull request %d", t.Number)
	}
	return ""
}

// outcomeLine is the first line of a summary: outcome, command, who asked and where, what came of it, where it landed.
func (c *writer) outcomeLine() string {
	r := c.r
	line := c.icon() + " **" + outcomeWords(r.Outcome) + "**"
	if commands := r.commands(); commands != "" {
		line += ": " + commands
	}
	if r.Requester != "" {
		line += " for " + c.person(r.Requester)
	}
	if place := r.Thread.words(); place != "" {
		line += " on " + c.linked(place, r.Thread.Command)
	}
	lead, _ := c.lead()
	if landed := c.hosts.oursAfter(lead, r.landing()...); landed != "" {
		line += " · " + landed
	}
	if result := c.link("the result", r.Thread.Result); result != "" {
		line = strings.TrimSuffix(line, ".") + " · " + result
	}
	return line
}

// commands names the commands of the comment: "`/edit` and `/ask` (twice)".
func (r Result) commands() string {
	all, counts := []string{}, map[string]int{}
	given := r.Commands
	if len(given) == 0 {
		given = []string{r.Command}
	}
	if len(r.Segments) > 0 && given[0] == "" {
		given = []string{r.Segments[0].Command}
	}
	for _, command := range given {
		if counts[command]++; counts[command] == 1 && command != "" && len(all) < maxPaths {
			all = append(all, command)
		}
	}
	for i, command := range all {
		all[i] = code(command, maxName)
		if often := times(counts[command]); often != "" {
			all[i] += " (" + often + ")"
		}
	}
	return enumerated(all)
}

// enumerated is "a", "a and b", "a, b and c".
func enumerated(all []string) string {
	if len(all) < 2 {
		return strings.Join(all, "")
	}
	return strings.Join(all[:len(all)-1], ", ") + " and " + all[len(all)-1]
}

// linked links a page of our own server, or is the label alone.
func (c *writer) linked(label, address string) string {
	if link := c.link(label, address); link != "" {
		return link
	}
	return label
}

// Denied is the summary of a command that was not carried out because its author may not give it: one line. On the thread
// there is silence. command and login are foreign, reason is ours.
func Denied(command, login, reason string) string {
	line := "ℹ️ **not authorized**"
	if command != "" {
		line += ": " + code(command, maxCommand)
	}
	if login != "" {
		line += " by " + code(login, maxName)
	}
	if why := hostsFor("").ours(strings.TrimRight(reason, ".")); why != "" {
		line += " · " + why + "."
	}
	return line + "\n"
}
