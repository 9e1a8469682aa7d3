package render

import (
	"slices"
	"strconv"
	"strings"
)

// footer is the last line: where it ran and how, what it used, how it ended.
func (c *writer) footer() string {
	facts := c.facts(func(name string) string { return code(name, maxName) })
	if link := c.link("run", c.r.RunURL); link != "" {
		facts = append([]string{link}, facts...)
	}
	if asked := c.asked(); asked != "" {
		facts = append([]string{asked}, facts...)
	}
	facts = append(facts, outcomeWords(c.r.Outcome))
	return "⚙️ " + strings.Join(facts, " · ")
}

// asked links the question that a reply answers, where the reply does not stand in the question's own thread.
func (c *writer) asked() string {
	if t := c.r.Thread; !c.reply || t.Kind != OnIssue && t.Kind != OnPullRequest {
		return ""
	}
	if question := c.link("this question", c.r.Thread.Command); question != "" {
		return "answer to " + question
	}
	return ""
}

// maxShort is how long the address of a run may be, in bytes, to stand in the shortest footer.
const maxShort = 120

// shortFooter is for where there is hardly any room: the run, which has everything else, and how it ended.
func (c *writer) shortFooter() string {
	if link := c.link("run", c.r.RunURL); link != "" && len(c.r.RunURL) <= maxShort {
		return "⚙️ " + link + " · " + outcomeWords(c.r.Outcome)
	}
	return "⚙️ " + outcomeWords(c.r.Outcome)
}

// facts are the parts of the footer between the link and the outcome; name decides how names are shown.
func (c *writer) facts(name func(string) string) []string {
	run := c.r.Run
	var facts []string
	if run.Agent != "" {
		facts = append(facts, c.agent())
	}
	if model := modelWords(run, name); model != "" {
		facts = append(facts, model)
	}
	if run.Approved > 0 {
		facts = append(facts, strconv.Itoa(run.Approved)+" approved")
	}
	for _, words := range []string{run.Usage.words(""), run.Usage.money()} {
		if words != "" {
			facts = append(facts, words)
		}
	}
	if run.Duration > 0 {
		facts = append(facts, took(run.Duration))
	}
	switch {
	case run.Agent == "":
	case !run.Isolated:
		facts = append(facts, "boundary off")
	case run.User != "":
		facts = append(facts, "as "+name(run.User))
	}
	return facts
}

func (c *writer) agent() string {
	text := c.r.Run.Agent
	if v := c.r.Run.AgentVersion; v != "" {
		text += " " + v
	}
	if s := c.r.Run.AgentStatus; s != "" {
		text += " (" + s + ")"
	}
	return inline(text, maxName)
}

// modelWords names the model that answered and, when that is another, the one that was asked for (F-81). Those that
// answered before it are named too: a switch in the middle of the work is one of authors.
func modelWords(run Run, name func(string) string) string {
	var words string
	switch asked, effective := run.ModelAsked, run.ModelEffective; {
	case effective == "" && asked == "":
		return ""
	case effective == "":
		return name(asked) + " asked for, not verified"
	case asked == "" || asked == effective:
		words = name(effective)
	default:
		words = name(effective) + " instead of " + name(asked)
	}
	var before []string
	for _, id := range run.ModelsBefore[:min(len(run.ModelsBefore), maxModels)] {
		before = append(before, name(id))
	}
	if len(before) == 0 || slices.Equal(run.ModelsBefore, []string{run.ModelAsked}) {
		return words
	}
	return words + ", after " + enumerated(before)
}

// maxModels is how many models that answered before the last one are named.
const maxModels = 4

func outcomeWords(o Outcome) string {
	switch o {
	case Restricted:
		return "done, with restrictions"
	case Nothing:
		return "nothing to do"
	}
	return o.String()
}
