package render

import "regexp"

// Status is the line that stands on a thread while a run goes on.
type Status struct {
	Command string // the heaviest of the comment: "/ask"
	RunURL  string // ours; "" outside a workflow
	Model   string // the one that will be asked for; "" for the agent's own default. Foreign
	Writing string // ours: what is being written at this moment, "the description of the issue"; "" for nothing
}

// StatusLine is one line of Markdown: ⏳, what goes on, the run, the model.
func StatusLine(s Status) string {
	c := newWriter(Result{RunURL: s.RunURL})
	line := "⏳ ai-flow is running " + code(s.Command, maxCommand)
	if s.Writing != "" {
		line += ", which is writing " + c.hosts.ours(s.Writing) + " at this moment"
	}
	if link := c.link("follow the run", s.RunURL); link != "" {
		line += ": " + link
	}
	if s.Model != "" {
		line += " · model " + code(s.Model, maxName)
	} else {
		line += " · the agent’s default model"
	}
	return unmark(line)
}

// Parts is a result taken apart for a comment that other people's text stands in.
type Parts struct {
	Segments []string // by segment of the Result, the first 32; at least one, which is then about the whole comment
	Bottom   string   // what belongs to the whole comment: wants, footer; "" for nothing
}

// InPlace is a result for its places in the comment that asked for it: Markdown that is not yet quoted, ends without a line
// break, and holds neither the command nor a rule nor a mark of package thread. Together, each line with two bytes for a
// quote mark, it keeps to room bytes, what matters least left out first; below 2 KiB of room only outcome and footer stand,
// and may be more than room.
func InPlace(r Result, room int) Parts { return forThread(r).inPlace(room) }

// Reply is a result as a comment of its own of at most room bytes: of one question alone answer, rule, wants, footer; of
// anything else each command with what came of it, then the same. Below 2 KiB of room only outcome and footer stand, and may
// be more than room.
func Reply(r Result, room int) string { return forThread(r).compose(room) }

func forThread(r Result) *writer {
	c := newWriter(r)
	c.thread = true
	return c
}

// ReviewIntro is the line above a review that one of our comments quotes because it cannot be edited. login is foreign, url
// is ours.
func ReviewIntro(login, url string) string {
	c := newWriter(Result{RunURL: url})
	review := c.link("a review", url)
	if review == "" {
		review = "a review"
	}
	return unmark("From " + review + " by " + c.person(login) + " (GitHub lets no App edit a review):")
}

var threadMark = regexp.MustCompile(`(?i)<!--(\s*(?:pull\s+of\s+)?ai-flow)`)

// unmark breaks what package thread takes for its own marks, and FillPulls for a place. Outside code no HTML comment is left;
// inside code it stands as it was written, and an answer or a document that shows one would end our text where it pleases, or
// be given a link of ours (S6). The length stays. Our own places are put in after it.
func unmark(text string) string { return threadMark.ReplaceAllString(text, "<! -$1") }
