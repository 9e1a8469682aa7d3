// Package executor launches a coding agent for one task: the one seam that every command crosses.
//
// Agent.Launch takes a Task (a prompt, a directory, a policy) through the phases of a launch: the environment is built
// from nothing, the process starts behind the prefix of its identity, the ACP handshake runs, mode and model are chosen,
// the prompt goes out with the contract, each permission request is answered once by policy, and the process and all that
// it left behind is ended. What comes back is a Report: the answer without WANTED lines, the wants, what was done, what was
// refused, what was allowed without anybody being asked.
//
// Agent.RunGate runs a command of the policy's as the agent's user, on a terminal, on what a launch left behind, and says how it
// ended. It is no launch: nobody is asked, no word of the agent's counts, and no credential of the agent's is there.
//
// Its one invariant: when Launch or RunGate returns, nothing of the agent's runs any more, or the report names what does.
//
// The package has no idea of GitHub, of git or of Markdown. It trusts nothing that the agent says: a finished turn is
// the answer end_turn and nothing else, a deadline of ours that passed is what the failure says whatever the agent answers
// afterwards, and a mode counts for a permission only when we set it and it still holds.
package executor

import (
	"time"

	"github.com/d3mlabs/ai-flow/denials"
	"github.com/d3mlabs/ai-flow/executor/agents"
	"github.com/d3mlabs/ai-flow/executor/agents/pinned"
	"github.com/d3mlabs/ai-flow/executor/permission"
	"github.com/d3mlabs/ai-flow/isolation"
)

// Agent is an agent on this host, ready to be launched. It holds no state of a run and may launch several in turn.
type Agent struct {
	Profile  agents.Profile
	Args     []string     // replace the profile's arguments when not nil (AI_FLOW_AGENT_ARGS)
	Binary   string       // absolute path of the agent's executable; "" for the built-in agent
	Pinned   *pinned.Copy // when not nil, what runs in the place of Binary: its digest is checked at each launch
	Self     string       // path of our own executable, which contains the built-in agent
	Identity isolation.Identity
	Room     isolation.OpenOptions
	Environ  []string          // the dispatcher's environment, from which allowed names are taken
	AllowEnv []string          // AI_FLOW_AGENT_ENV
	Extra    map[string]string // further variables of ours for the agent: tokens, git configuration
	Limits   Limits
	Log      Log
	Progress func(Event) // called as things happen, from one goroutine at a time; may be nil
	Witness  Witness     // may be nil
}

// Log is where a launch tells what it does. render.Log is one.
type Log interface {
	Say(format string, args ...any)
	Foreign(prefix, text string)
	Output(prefix, text string) // of a terminal: as Foreign, but colours may stay
	Group(title string) (end func())
}

// Task is one turn of work.
type Task struct {
	Label  string // the command, for logs: "/ask"
	Prompt string // without the contract, which Launch appends whenever a boundary exists
	Room   *isolation.Room
	Dir    string // the session's directory, absolute, in the room
	Policy permission.Policy
	Via    agents.Via // how full access is given; 0 leaves it to the profile
	Model  string     // "" for the agent's own default
}

// Report is what a launch found out. All strings are foreign text unless said otherwise.
type Report struct {
	Text                             string // the agent's answer, without WANTED lines and noise
	Wants                            []denials.Want
	MoreWants                        int
	Steps                            []Step
	MoreSteps                        int // updates of calls beyond those listed
	Receipts                         []Receipt
	Approved                         int // receipts
	Refusals                         []Refusal
	AgentName, AgentVersion          string
	ModelAsked, ModelEffective, Mode string   // effective: as the agent named it; "" when it named none since we chose one
	ModelsBefore                     []string // others that the agent named in the turn, at most 4
	Access                           Access
	Usage                            Usage
	Cost                             Cost
	Subagents                        []Subagent // at most 100
	ProviderFiles                    []string   // that the agent keeps in storage of its own: never paths of the tree; at most 100
	StopReason                       string
	Phases                           []Phase
	Exit                             Exit
	Survivors                        []isolation.Process // what outlived the sweep: nothing, normally
	Swept                            bool                // the sweep ran and nothing outlived it: the tree may be touched
	Continued                        int                 // prompts sent to go on after a turn that our refusal had ended
	Unasked                          int                 // calls of kinds that should have been asked for and were not
}

// Step is one tool call; Exit is nil when the agent did not say.
type Step struct {
	ID, Kind, Title, Command, Status string
	Exit                             *int
	Took                             time.Duration
	Unasked                          bool
	Subagent                         string // the name of the one that made the call; "" for the agent itself
}

// Receipt is one action allowed without asking anybody. Title, command and paths hide nothing: each is one line, with escapes
// for what cannot be seen, and says how much is left out where it is too long.
type Receipt struct {
	Kind, Title, Command, Mode, Rule string
	Paths                            []string // at most 8, and how many more there were
}

// Refusal is one request that the policy rejected; title and command as in a Receipt.
type Refusal struct{ Kind, Title, Command, Why string }

// Phase is how long a part of the launch took: start, initialize, session, turn, stop.
type Phase struct {
	Name string
	Took time.Duration
}

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
	EventRefused
	EventWant
	EventWaiting
)
