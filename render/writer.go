package render

import "strings"

// writer holds what the parts of one result share.
type writer struct {
	r      Result
	hosts  hosts
	where  string // where a reader finds what has no room, a sentence
	reply  bool   // the text is a reply of its own
	thread bool   // the text stands on a thread, where FillPulls may fill it in
}

func newWriter(r Result) *writer {
	c := &writer{r: r, hosts: hostsFor(r.RunURL), where: "The rest is in `summary.md`."}
	if link := c.link("run page", r.RunURL); link != "" {
		c.where = "The rest is on the " + link + "."
	}
	if c.r.Outcome == Done && r.wantsTotal() > 0 {
		c.r.Outcome = Restricted
	}
	if len(r.Changes) == 0 {
		c.r.Changes = r.landedChanges()
	}
	return c
}

// link links a page of our own server, "" when there is none or its address is not plain. label is ours.
func (c *writer) link(label, address string) string {
	if !c.hosts.ownPage(address) {
		return ""
	}
	return "[" + label + "](" + address + ")"
}

// person links a login, which mentions nobody. Anything but a login is shown as code.
func (c *writer) person(login string) string {
	name := strings.TrimSuffix(login, "[bot]")
	if name != login || len(name) > 39 || !plainName(name) || strings.ContainsAny(name, "._") {
		return code(login, maxName)
	}
	return "[" + name + "](" + c.hosts[len(c.hosts)-1] + "/" + name + ")"
}

// within calls render with smaller and smaller limits until what comes back has room in a quote.
func within(room int, render func(limit int) string) string {
	limit := room
	for range 16 {
		if limit <= 0 {
			break
		}
		text := render(limit)
		if quoted(text) <= room {
			return text
		}
		limit -= max(quoted(text)-room, limit/32)
	}
	return ""
}

// quoted is how many bytes text takes as lines of a block quote.
func quoted(text string) int {
	if text = strings.TrimRight(text, "\n"); text == "" {
		return 0
	}
	return len(text) + 1 + len("> ")*(strings.Count(text, "\n")+1)
}

// gap is what the empty line between two paragraphs of a block quote takes, in bytes.
const gap = len("> \n")

// paragraphs puts an empty line between the parts that are not empty.
func paragraphs(parts ...string) string {
	var all []string
	for _, p := range parts {
		if p = strings.Trim(p, "\n"); p != "" {
			all = append(all, p)
		}
	}
	return strings.Join(all, "\n\n")
}

// quote puts every line in the quote block in which all that comes from a run stands.
func quote(text string) string {
	var b strings.Builder
	for line := range strings.Lines(strings.TrimRight(text, "\n") + "\n") {
		if line == "\n" {
			b.WriteString(">\n")
			continue
		}
		b.WriteString("> " + line)
	}
	return b.String()
}

// details folds Markdown below a summary of ours. The blank lines keep Markdown alive inside and after it (H2-05).
func details(summary, text string) string {
	return "<details><summary>" + summary + "</summary>\n\n" + strings.TrimRight(text, "\n") + "\n\n</details>\n"
}
