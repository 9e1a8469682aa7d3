// Package commands turns one comment into at most one authorised action and one reported outcome.
//
// The way is always the same: [Parse] makes typed segments of the comment, [ParsePolicy] makes a typed policy of the
// repository's file, a [Flow] decides which of the three actions they mean and performs it, and what came of it is a
// value, an [Outcome], that the caller shows ([render.Result]) and keeps (report.json, see [Report]). `ai-flow try` and a
// workflow job run the same code; only the [Place] differs, which is where the document is read and written.
//
// Its one invariant: nothing is written before everything that could forbid it has been asked, and whatever was written is
// said, also when a later step fails: a change of the document is announced before it is made, and a write whose answer got
// lost is looked after before anything is said of it. An agent's text decides nothing: it is cut into the segments that we
// asked for, and the rest is prose for a reader.
//
// What it refuses to do: to run a command that a reader of the page would not see as one (code, quotes, HTML, lists,
// tables, text of the bot's own), to read a document back from a pass that was only asked a question, to touch the agent's
// tree before the agent is dead, to overwrite a branch or a document that somebody else moved, and to commit a workflow
// file.
package commands

// Command is what a comment may ask for, from the lightest to the heaviest.
type Command uint8

// The commands.
const (
	Ask   Command = iota + 1 // answer a question; writes nothing
	Edit                     // change the document
	Build                    // change the code, on a branch of its own
)

// String is the command as people write it, without a prefix.
func (c Command) String() string { return "/" + c.Name() }

// Name is the command without its slash: the key below models: in the policy file, and the name in job outputs.
func (c Command) Name() string {
	switch c {
	case Ask:
		return "ask"
	case Edit:
		return "edit"
	case Build:
		return "build"
	}
	return "unknown"
}

// Heaviest is the heaviest command of a comment: it chooses the model, and in a workflow the runner. Zero without segments.
func Heaviest(segments []Segment) Command {
	var heaviest Command
	for _, s := range segments {
		heaviest = max(heaviest, s.Command)
	}
	return heaviest
}
