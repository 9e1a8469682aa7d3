package render

import "strings"

// maxComment is GitHub's limit for a comment less room for the hidden marker that its writer adds. GitHub counts
// characters; we count bytes, which are never fewer.
const maxComment = 65536 - 512

// Comment is the result as a comment of its own, at most 65,536 by any way of counting: what Reply gives for the largest room.
func Comment(r Result) string { return Reply(r, maxComment) }

// compose puts the parts of a result together: below each command, named anew, what came of it, and the rest below one
// rule.
func (c *writer) compose(room int) string {
	const rule = "\n---\n\n"
	if c.loneAnswer() {
		return c.lone(room, rule)
	}
	segments := c.segments()
	lines, size := make([]string, len(segments)), 0
	for i, s := range segments {
		lines[i] = unmark(commandLine(s))
		size += len(lines[i]) + 1
	}
	if size > room/2 {
		lines, size = make([]string, len(segments)), len(segments)
	}
	p := c.inPlace(room - size - len(rule))
	var b strings.Builder
	for i, part := range p.Segments {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(lines[i] + quote(part))
	}
	if p.Bottom != "" {
		b.WriteString(rule + quote(p.Bottom))
	}
	return b.String()
}

// lone is one answer with nothing around it: answer, rule, wants, footer.
func (c *writer) lone(room int, rule string) string {
	c.reply = true
	bottom := c.bottom(room/2, room < tightRoom)
	room -= len(bottom) + len(rule) + 2
	answer := c.answer(c.r.Segments[0].Text, maxComment)(room)
	if answer == "" {
		answer = "*The answer has no room here. " + c.where + "*\n"
	}
	return unmark(answer + rule + bottom + "\n")
}

// loneAnswer is true of one /ask that was answered: it gets a reply of its own, so nothing need be quoted.
func (c *writer) loneAnswer() bool {
	r := c.r
	if len(r.Segments) != 1 || !c.well() || r.Diffs != nil || r.Headline != "" {
		return false
	}
	s := r.Segments[0]
	return isAsk(s.Command) && s.OK && strings.TrimSpace(s.Text) != ""
}

// commandLine names a command as text; it is no command.
func commandLine(s Segment) string {
	if s.Instruction == "" {
		return ""
	}
	return code(s.Command, maxCommand) + " " + inline(s.Instruction, maxInstruction) + "\n\n"
}
