package render

// Status is the line that stands on a thread while a run goes on.
type Status struct {
	Command string // the heaviest of the comment: "/ask"
	RunURL  string // ours; "" outside a workflow
	Model   string // the one that will be asked for; "" for the agent's own default. Foreign
	Writing string // ours: what is being written at this moment, "the description of the issue"; "" for nothing
}

// StatusLine is one line of Markdown: ⏳, what goes on, the run, the model.
func StatusLine(s Status) string { panic("unbuilt") }

// Parts is a result taken apart for a comment that other people's text stands in.
type Parts struct {
	Segments []string // by segment of the Result; at least one, which is then about the whole comment
	Bottom   string   // what belongs to the whole comment: wants, footer; "" for nothing
}

// InPlace is a result for its places in the comment that asked for it: Markdown that is not yet quoted and holds neither the
// command nor a rule. Together, each line with two bytes for a quote mark, it keeps to room bytes, what matters least left out first;
// below 2 KiB of room only outcome and footer stand.
func InPlace(r Result, room int) Parts { panic("unbuilt") }

// Reply is the answer to one question alone, as a comment of its own of at most room bytes: answer, rule, wants, footer.
func Reply(r Result, room int) string { panic("unbuilt") }

// ReviewIntro is the line above a review that one of our comments quotes because it cannot be edited.
func ReviewIntro(login, url string) string { panic("unbuilt") }
