package render

import (
	"slices"
	"strings"
)

// maxSegments is how many commands of one comment get a result of their own: as many as package commands reads.
const maxSegments = 32

// tightRoom is the room, in bytes, below which only outcome and footer stand.
const tightRoom = 2 << 10

// inPlace makes the parts of a result. Bottom and heads come first, because they say what happened; then what a person is to
// apply, and the gates; then each answer has its share; what they leave is for threads, changes and diffs.
func (c *writer) inPlace(room int) Parts {
	segments, tight := c.segments(), room < tightRoom
	owner := owner(segments)
	p := Parts{Bottom: unmark(c.bottom(room/2, tight))}
	room -= quoted(p.Bottom)
	p.Segments, room = c.heads(segments, owner, room)
	if tight {
		return p
	}
	list, room := c.furtherLandings(room)
	patches, room := c.patches(room/2, room)
	table := c.gatesTable()
	if room -= quoted(table) + gap; room < 0 {
		table, room = "", room+quoted(table)+gap
	}
	bodies := make([]string, len(segments))
	for i, s := range segments { // what one answer leaves free is the next one's
		if bodies[i] = c.said(s, room/(len(segments)-i)-gap); bodies[i] != "" {
			room -= quoted(bodies[i]) + gap
		}
	}
	bodies[owner] = paragraphs(bodies[owner], table, patches, c.extras(room-gap))
	p.Segments[owner] = paragraphs(p.Segments[owner], list)
	for i := range p.Segments {
		p.Segments[i] = paragraphs(p.Segments[i], unmark(bodies[i]))
	}
	return p
}

// segments are those of the result, or one about the whole comment.
func (c *writer) segments() []Segment {
	if len(c.r.Segments) == 0 {
		return []Segment{{Command: c.r.Command, OK: c.well()}}
	}
	return c.r.Segments[:min(len(c.r.Segments), maxSegments)]
}

// owner is the segment that headline, changes and diffs belong to: the first that acted, or else was to act.
func owner(segments []Segment) int {
	if i := slices.IndexFunc(segments, func(s Segment) bool { return s.OK && !isAsk(s.Command) }); i >= 0 {
		return i
	}
	return max(0, slices.IndexFunc(segments, func(s Segment) bool { return !isAsk(s.Command) }))
}

func isAsk(command string) bool { return strings.HasSuffix(command, "ask") }

// well is true of a run that did what was asked for.
func (c *writer) well() bool { return c.r.Outcome == Done || c.r.Outcome == Restricted }

// heads are the lines that say what came of each segment, and the room that they leave. Icon and command always stand; of
// the sentences, as many as there is room for, the owner's first.
func (c *writer) heads(segments []Segment, owner, room int) ([]string, int) {
	heads := make([]string, len(segments))
	for i, s := range segments {
		heads[i] = c.head(s, "")
		room -= quoted(heads[i]) + gap
	}
	fill := func(i int, lead string, spare int, choices ...[]string) {
		for _, sentences := range choices {
			head := c.head(segments[i], c.hosts.oursAfter(lead, sentences...))
			if grows := len(head) - len(heads[i]) + spare; grows <= room {
				room -= grows
				heads[i] = head
				return
			}
		}
	}
	lead, spare := c.lead()
	fill(owner, lead, spare, c.landing(segments[owner]), []string{c.r.Headline, c.r.NextStep}, []string{c.r.Headline}, nil)
	for i, s := range segments {
		if i != owner {
			fill(i, "", 0, []string{s.alone()})
		}
	}
	return heads, room
}

// head is icon, command and what came of it, on one line.
func (c *writer) head(s Segment, said string) string {
	name := "**" + strings.Trim(code(s.Command, maxCommand), "`") + "**"
	if safe := inline(s.Command, maxCommand); safe != s.Command {
		name = unmark(code(s.Command, maxCommand))
	}
	return strings.Join(strings.Fields(c.segmentIcon(s)+" "+name+" "+said), " ")
}

// segmentIcon is the sign of one segment: what was answered is answered, however the rest ended.
func (c *writer) segmentIcon(s Segment) string {
	switch {
	case s.OK:
		return "✅"
	case c.well():
		return "⚠️"
	}
	return c.icon()
}

// icon is the sign of the whole result.
func (c *writer) icon() string {
	switch c.r.Outcome {
	case Refused, Nothing:
		return "ℹ️"
	case Done, Restricted:
		if !c.r.gateFailed() {
			return "✅"
		}
	}
	return "⚠️"
}

// partial is true of text that is no result: what an agent had said when it was ended, or about work that was not taken.
func (c *writer) partial(s Segment) bool {
	return !s.OK && (c.r.Outcome == Failed || c.r.Outcome == Cancelled || c.r.Outcome == Refused)
}

// elsewhere says what of a run that did not go well is on its page alone; of one that failed, at least that there is one.
// Beside a proposed change, which is what a reader needs, it is left to the footer.
func (c *writer) elsewhere() string {
	page := c.link("run page", c.r.RunURL)
	if page == "" || c.r.proposes() {
		return ""
	}
	said := slices.ContainsFunc(c.segments(), func(s Segment) bool { return c.partial(s) && strings.TrimSpace(s.Text) != "" })
	switch tail := c.tail() != ""; {
	case said && tail:
		return "What the agent said so far, and the end of its standard error, are on the " + page + "."
	case said:
		return "What the agent said so far is on the " + page + "."
	case tail:
		return "The end of the agent’s standard error is on the " + page + "."
	case c.r.Outcome == Failed:
		return "See the " + page + "."
	}
	return ""
}

// said is a segment's prose. What an agent said before it failed is left to the run's page; where there is none, it is
// folded.
func (c *writer) said(s Segment, room int) string {
	if strings.TrimSpace(s.Text) == "" || c.partial(s) && c.link("", c.r.RunURL) != "" {
		return ""
	}
	answer := c.answer(s.Text, maxComment)
	text := within(room, func(limit int) string {
		text := answer(limit)
		if text != "" && c.partial(s) {
			text = details("What the agent said before it ended", text)
		}
		return text
	})
	if notice := "*The answer has no room here. " + c.where + "*"; text == "" && quoted(notice) <= room {
		return notice
	}
	return text
}

// answer returns a function that gives sanitised prose of at most limit bytes, with a notice when it was cut; most is the
// largest limit there will be.
func (c *writer) answer(text string, most int) func(limit int) string {
	whole, complete := "", len(text) <= most
	if complete {
		whole = strings.Trim(c.hosts.prose(text), "\n")
	}
	return func(limit int) string {
		room := limit - 200 - len(c.where)
		switch {
		case strings.TrimSpace(text) == "":
			return ""
		case complete && len(whole) < limit:
			return whole + "\n"
		case room < 200:
			return ""
		}
		short := strings.Trim(c.hosts.proseWithin(text, room), "\n")
		return short + "\n\n" + cutNotice(len(short), len(text), c.where) + "\n"
	}
}

// extras are review threads, changed files and diffs, folded, as far as there is room, the least important last.
func (c *writer) extras(room int) string {
	d := c.diffs()
	var parts []string
	for _, part := range []func(int) string{c.taken, c.changes, d.wordDiff, d.sourceDiff} {
		if text := within(room, part); text != "" {
			parts = append(parts, text)
			room -= quoted(text) + gap
		}
	}
	return paragraphs(parts...)
}
