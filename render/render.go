// Package render makes safe Markdown of bounded size out of values. It is the only author of text that reaches GitHub.
package render

import (
	"io"
	"time"

	"github.com/d3mlabs/ai-flow/denials"
)

// Outcome is how a command ended.
type Outcome uint8

const (
	Done       Outcome = iota + 1
	Restricted         // done, with wants
	Refused
	Nothing
	Failed
	Cancelled
)

func (o Outcome) String() string { panic("unbuilt") }

// Result is everything a reader may be shown. Strings are foreign unless the comment says otherwise.
type Result struct {
	Outcome   Outcome
	Command   string // "/ask"
	Requester string
	RunURL    string // ours; "" outside a workflow
	Segments  []Segment
	Headline  string // ours: what came of it, for acting commands
	NextStep  string // ours: for refusals and failures
	Diffs     *Diffs
	Changes   []FileChange
	Wants     []denials.Want
	MoreWants int
	Triage    Triage
	Run       Run
	Notes     []string // ours: "boundary off", "left over processes", …
}

// Segment is one command of a comment with its result text.
type Segment struct {
	Command, Instruction string
	Text                 string // the agent's prose
	OK                   bool
	Note                 string // ours, when there is no prose or something went wrong
}

// Diffs of a changed document.
type Diffs struct{ Before, After string }

// FileChange is one changed path of a build.
type FileChange struct {
	Path           string
	Status         byte
	Added, Removed int
}

// Triage says where a want may be met.
type Triage struct {
	OrgFile, OrgRepo, ProjectFile string
	ByDesign                      []string // globs
}

// Run is how it ran.
type Run struct {
	Agent, AgentVersion, AgentStatus string
	ModelAsked, ModelEffective       string
	User                             string // the agent user; "" when isolation is off
	Isolated                         bool
	Token                            string // ours: what token the agent had
	Input, Output                    int64  // tokens
	Duration                         time.Duration
	Phases                           []Phase
	Steps                            []Step
	Receipts                         []Receipt
	HandOver                         string // ours
	StopReason                       string
	Unasked                          int
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
}
type Receipt struct{ Action, Mode string }

// Comment is the result as it stands in a comment: at most 65,536 by any way of counting.
func Comment(r Result) string { panic("unbuilt") }

// Summary is the step summary: at most 1 MiB.
func Summary(r Result) string { panic("unbuilt") }

// Prose makes agent prose safe for GitHub, and stays readable Markdown. Idempotent.
func Prose(text string) string { panic("unbuilt") }

// Page is a self-contained HTML page that shows Markdown as a reader of GitHub would see it.
func Page(title, markdown string) ([]byte, error) { panic("unbuilt") }

// Terminal makes foreign text safe for a terminal line or paragraph: no escapes, no control characters but newline and tab.
func Terminal(text string) string { panic("unbuilt") }

// Log is the run log, through which all foreign text passes. It may be used from several goroutines.
type Log struct{}

// NewLog writes to w. In a workflow (actions true) foreign sections stand between stop-commands tokens.
func NewLog(w io.Writer, actions bool) *Log { panic("unbuilt") }

// Say writes a line of ours; format arguments are made safe.
func (l *Log) Say(format string, args ...any) { panic("unbuilt") }

// Foreign writes text of a stranger's, each line behind prefix, bounded.
func (l *Log) Foreign(prefix, text string) { panic("unbuilt") }

// Group starts a folded section in a workflow log; the returned function ends it.
func (l *Log) Group(title string) func() { panic("unbuilt") }

// Mask registers a secret: it and its derived forms never pass this log again.
func (l *Log) Mask(secret string) { panic("unbuilt") }
