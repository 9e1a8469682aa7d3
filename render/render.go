// Package render turns values into text that people read: the comment, the step summary, the preview page, the terminal
// and the run log. It is the only author of text that reaches GitHub.
//
// Its one invariant: whatever stands in the values, the text says only what this package means to say with it. Agent prose
// mentions nobody, closes nothing, loads no image, hides nothing, links nowhere but to GitHub, cannot pass for a heading, a
// rule, a footer or a command of ours, cannot end a fence or a fold, cannot give an order to the runner or the terminal, and
// does not exceed its place. [Prose] does this for Markdown, [Log] for the run log, [Terminal] for a
// terminal.
//
// Values come in, text goes out, except in [Log], which writes. [Comment] and [Summary] drop the least important first when
// there is not enough room, never cut inside a fence or a character, and say what is missing and where it is.
//
// The package refuses to fetch anything, to decide anything about the run, and to suggest that a boundary be widened: the
// fix it names for a want is the narrowest that a person could make.
package render

import (
	"time"
)

// Outcome is how a command ended.
type Outcome uint8

// The outcomes.
const (
	Done       Outcome = iota + 1 // what was asked for was done
	Restricted                    // done, with wants
	Refused                       // not carried out, by a rule of ours; nothing went wrong
	Nothing                       // there was nothing to do, or the agent changed nothing
	Failed                        // something went wrong
	Cancelled                     // a person, or the runner, ended it before it was done
)

// String is the outcome as job outputs and report.json have it.
func (o Outcome) String() string {
	switch o {
	case Done:
		return "done"
	case Restricted:
		return "restricted"
	case Refused:
		return "refused"
	case Nothing:
		return "nothing"
	case Failed:
		return "failed"
	case Cancelled:
		return "cancelled"
	}
	return "unknown"
}

// Result is everything a reader may be shown. Strings are foreign unless the comment says otherwise.
type Result struct {
	Outcome   Outcome
	Command   string   // "/ask": what the headline is told of
	Commands  []string // of a comment that holds several, in its order; nil names Command alone
	Requester string   // a login
	Thread    Thread
	RunURL    string // ours; "" outside a workflow
	Segments  []Segment
	Headline  string // ours: what came of it, for acting commands
	NextStep  string // ours: for refusals and failures
	Diffs     *Diffs
	Gates     []Gate        // of the last round in which they ran
	Changes   []FileChange  // nil: those of Landings
	Landings  []Landing     // where a build landed on the server, the thread's own repository first
	Patches   []Patch       // what a person may apply, one for each repository and kind
	Taken     []Disposition // review threads that were taken up, with what the agent says of each
	Flagged   []string      // changed paths that runners or agents obey, which a reviewer is to look at twice
	Restored  []string      // paths that the agent was given as they are on the base, because strangers wrote those of the head
	Refused   []Path        // what may not be committed, so that nothing was
	Left      []Path        // what of the agent's tree stayed behind
	Ambient   []string      // paths of the tree that the agent may run without asking
	Wants     []Want
	MoreWants int
	Places    Places
	Run       Run
	Doors     []Door   // that stood open at the start, for the summary alone
	Notes     []string // ours: "left over processes", …
}

// Segment is one command of a comment with its result text.
type Segment struct {
	Command, Instruction string
	Text                 string // the agent's prose
	OK                   bool
	Note                 string // ours: what came of it, going on from the command: "changed nothing."; a headline stands instead
	Remark               string // ours: whole sentences about it, which stand beside a headline too
}

// Diffs of a changed document.
type Diffs struct{ Before, After string }

// FileChange is one changed path of a build.
type FileChange struct {
	Path           string
	Status         byte
	Added, Removed int
}

// Gate is a command of the policy's, run by us, and how it judged the agent's work.
type Gate struct {
	Name, Run     string
	Passed        bool
	Ended         string // ours: "failed with exit status 1"
	Round, Rounds int    // the round it ran in, from 1, and how many there could have been
	Tree          string // object id of what it ran on; "" when that is not known
	Took          time.Duration
	Output        string // what it printed, plain and bounded; shown when it did not pass
}

// Path is a path and what is wrong with it. Path is "" when it is about the whole tree; Reason is ours.
type Path struct{ Path, Reason string }

// Run is how it ran.
type Run struct {
	Agent, AgentVersion, AgentStatus string
	ModelAsked, ModelEffective       string
	ModelsBefore                     []string // other models that the agent named during its work
	User                             string   // the agent user; "" when isolation is off
	Isolated                         bool
	Usage                            Usage
	Subagents                        []Subagent
	ProviderFiles                    []string // that the agent keeps in storage of its own, not in the tree
	Duration                         time.Duration
	Phases                           []Phase
	Steps                            []Step
	MoreSteps                        int // updates of calls beyond those listed
	Receipts                         []Receipt
	Approved                         int    // receipts, those beyond the list too
	Unrecorded                       string // the mode in which the agent asked nothing, so that there are no receipts; "" for none
	NotByMode                        string // ours: why full access was not given by mode, as was asked for
	Unproven                         string // ours: why it is not proven that the agent asks before it acts; "" unless strangers wrote what it read
	HandOver                         HandOver
	Commit                           string // object id of what the agent looked at; "" for none
	Token                            *Token // nil when it is not known, and not said
	Policy                           string // where the policy was read, in words; "" for nowhere
	StopReason                       string
	Tail                             string // the end of the agent's standard error, for the summary alone; "" when nothing failed
	Unasked                          int
}

// Token is what the agent's own token of GitHub's was good for: reading these repositories, as owner/name, and nothing else.
// None means that the agent had no token.
type Token struct{ Repos []string }

// HandOver is what the agent was given. Zero means that it got no tree.
type HandOver struct {
	Files   int
	Commits int   // of history
	Bytes   int64 // through the pipe
	Took    time.Duration
}

// Phase is one timed phase, Step one tool call, Receipt one automatic approval.
type Phase struct {
	Name string
	Took time.Duration
}
type Step struct {
	Phase, Tool, Title, Status string
	Exit                       *int
	Took                       time.Duration
	Unasked                    bool
	Subagent                   string // that made the call; "" for the agent itself
}
type Receipt struct{ Action string }
