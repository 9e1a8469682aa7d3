package executor

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"github.com/d3mlabs/ai-flow/executor/permission"
)

// Action says in one line what was allowed: the command, and each path that it does not name by itself; without a command
// the paths; without either what the agent called it. A title alone may speak of another file than the one that is changed.
func (r Receipt) Action() string { return action(r.Command, r.Paths, r.Title) }

func action(command string, paths []string, title string) string {
	var more []string
	for _, p := range paths {
		if !strings.Contains(command, p) {
			more = append(more, p)
		}
	}
	on := strings.Join(more, ", ")
	switch {
	case command != "" && on != "":
		return command + " (" + on + ")"
	case command != "" || on != "":
		return command + on
	}
	return title
}

// named are the paths of a request as a receipt keeps them: the first ones, and how many there were.
func named(paths []string) (all []string) {
	for i, p := range paths {
		if i == maxPaths {
			return append(all, fmt.Sprintf("and %d more", len(paths)-i))
		}
		all = append(all, short(p, maxPath))
	}
	return all
}

// maxPath is how much of a path a receipt has, in bytes.
const maxPath = 160

// note writes the one line of the run's log that a request gets. A receipt has the words in which a reader looks for it (A1-30,
// A1-31); what a rule or the pass allowed by itself has not (A1-32). It is said and not quoted, because a log that foreign
// text has filled takes no more of it.
func (t *turn) note(d permission.Decision, r permission.Request) {
	what := action(plainly(r.Command), named(r.Paths), plainly(r.Title))
	if d.Receipt {
		t.log.Say("%s approved: %s (%s)", t.label, either(what, "a request without a name"), d.Rule)
		return
	}
	verdict := [...]string{permission.Allowed: "allowed", permission.Rejected: "rejected", permission.Cancelled: "cancelled"}
	t.log.Foreign(t.label+" ", "permission "+verdict[d.Verdict]+": "+either(cut(r.Kind, maxWord), "unknown kind")+" "+what+": "+d.Why+
		" (option "+either(cut(d.OptionID, maxWord), "none")+")")
}

// plainly makes one line of foreign text in which nothing is hidden: line ends and what shows nothing are written out, runs
// of white space are one, and of a long text the end is kept too. Whoever shows text to people drops from it what cannot be
// seen; a shell does not.
func plainly(text string) string {
	text = cut(text, maxLine)
	var b strings.Builder
	for line := range strings.Lines(text) {
		fields := strings.FieldsFunc(line, func(r rune) bool { return r == ' ' || r == '\t' || r == '\n' })
		if len(fields) > 0 && b.Len() > 0 {
			b.WriteString(" ⏎ ")
		}
		for i, f := range fields {
			if i > 0 {
				b.WriteByte(' ')
			}
			shown(&b, f)
		}
	}
	return short(b.String(), maxTitle)
}

// maxLine bounds what is read for one line, in bytes: the longest command that may come.
const maxLine = 64 << 10

// shown writes a word, with an escape for what a reader would not see.
func shown(b *strings.Builder, word string) {
	for _, r := range word {
		if !unicode.IsPrint(r) || unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector) {
			b.WriteString(strings.Trim(strconv.QuoteRuneToASCII(r), "'"))
			continue
		}
		b.WriteRune(r)
	}
}

// short keeps the beginning and the end of a text, with how much is missing between them, in at most most bytes.
func short(text string, most int) string {
	if len(text) <= most {
		return text
	}
	const gap = len(" … 65536 bytes left out … ")
	tail := (most - gap) / 3
	head := most - gap - tail
	return fmt.Sprintf("%s … %d bytes left out … %s", strings.ToValidUTF8(text[:head], ""), len(text)-head-tail, strings.ToValidUTF8(text[len(text)-tail:], ""))
}
