// Package executor launches a coding agent for one task: the one seam that every command crosses.
package executor

import (
	"context"
	"time"

	"github.com/d3mlabs/ai-flow/denials"
	"github.com/d3mlabs/ai-flow/executor/agents"
	"github.com/d3mlabs/ai-flow/executor/permission"
	"github.com/d3mlabs/ai-flow/isolation"
)

// Agent is an agent on this host, ready to be launched.
type Agent struct {
	Profile  agents.Profile
	Binary   string // absolute path of the agent's executable; "" for the built-in agent
	Self     string // path of our own executable, which contains the built-in agent
	Identity isolation.Identity
	Open     isolation.OpenOptions
	Environ  []string          // the dispatcher's environment, from which allowed names are taken
	AllowEnv []string          // AI_FLOW_AGENT_ENV
	Extra    map[string]string // further variables of ours for the agent: tokens, git configuration
	Limits   Limits
	Log      Log
	Progress func(Event) // called as things happen, from one goroutine at a time; may be nil
}

// Log is where a launch tells what it does. render.Log is one.
type Log interface {
	Say(format string, args ...any)
	Foreign(prefix, text string)
	Group(title string) (end func())
}

// Limits are the deadlines of the phases; zero fields take the defaults of behaviour.md section 8.
type Limits struct {
	Start, Initialize, Session, Turn, Silence time.Duration
	Output                                    int64 // bytes of agent output read in one launch
}

// EnterRoom takes the agent user for one run: its lock and its directories. The caller closes the room after the tree
// has been taken back.
func (a *Agent) EnterRoom(ctx context.Context) (*isolation.Room, error) { panic("unbuilt") }

// Task is one turn of work.
type Task struct {
	Label  string // the command, for logs: "/ask"
	Prompt string // without the contract, which Launch appends whenever a boundary exists
	Room   *isolation.Room
	Dir    string // the session's directory, absolute, in the room
	Policy permission.Policy
	Model  string // "" for the agent's own default
}

// Launch runs the task and returns a Report even when it returns an error. The error is a *Failure.
func (a *Agent) Launch(ctx context.Context, t Task) (Report, error) { panic("unbuilt") }

// Report is what a launch found out. All strings are foreign text unless said otherwise.
type Report struct {
	Text                             string // the agent's answer, without WANTED lines and noise
	Wants                            []denials.Want
	MoreWants                        int
	Steps                            []Step
	Receipts                         []Receipt
	Refusals                         []Refusal
	AgentName, AgentVersion          string
	ModelAsked, ModelEffective, Mode string
	Usage                            Usage
	StopReason                       string
	Phases                           []Phase
	Survivors                        []isolation.Process
	Continued                        int // prompts sent to go on after a turn that our refusal had ended
	Unasked                          int // calls of kinds that should have been asked for and were not
	Restricted                       bool
}

// Usage counts tokens.
type Usage struct{ Input, Output, CachedRead, CachedWrite, Total int64 }

// Step is one tool call; Exit is nil when the agent did not say.
type Step struct {
	ID, Kind, Title, Command, Status string
	Exit                             *int
	Took                             time.Duration
	Unasked                          bool
}

// Receipt is one action allowed without asking anybody; Refusal one that the policy rejected.
type Receipt struct{ Kind, Title, Command, Mode, Rule string }
type Refusal struct{ Kind, Title, Command, Why string }

// Phase is how long a part of the launch took: start, initialize, session, turn, stop.
type Phase struct {
	Name string
	Took time.Duration
}

// Class is the closed set of ways a launch fails.
type Class uint8

// The classes of failure.
const (
	FailedSetup      Class = iota + 1 // the host is not ready; the message holds the fix
	FailedStart                       // the process could not be started or died before it answered
	FailedInitialize                  // no or a bad answer to initialize
	FailedSession                     // session, mode or model
	FailedModel
	FailedAuth
	FailedSilence   // nothing came for Limits.Silence
	FailedTurnTime  // the turn took longer than Limits.Turn
	FailedTurn      // any stop reason but end_turn, or an error answer
	FailedDied      // the process ended in the middle of the turn
	FailedProtocol  // a breach of the protocol's bounds
	FailedCancelled // ctx ended
)

// Failure is why a launch did not succeed. Error is one sentence of ours with foreign text quoted; Tail is a bounded,
// sanitised end of the agent's standard error, for the run page only.
type Failure struct {
	Class   Class
	Phase   string
	Message string
	Fix     string // the next step, when there is one
	Tail    string
	Err     error
}

func (f *Failure) Error() string { panic("unbuilt") }
func (f *Failure) Unwrap() error { return f.Err }

// Event is something that happened, for live progress.
type Event struct {
	At   time.Duration // since the launch began
	Kind EventKind
	Text string // foreign
	Step *Step
	Want *denials.Want
}

// EventKind is the closed set of events.
type EventKind uint8

// The events.
const (
	EventPhase EventKind = iota + 1
	EventText
	EventStep
	EventAllowed
	EventRefused
	EventWant
	EventWaiting
)
