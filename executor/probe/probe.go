// Package probe finds out what an agent really does: it drives the agent through the whole of Launch, as the agent user,
// against a scripted model on loopback, and says for each rule of the contract whether it holds.
//
// Each scenario is a launch or two in a room of its own, with an environment that holds nothing of ours but the PATH, so that
// no credential is inherited and nothing of one scenario is there in the next (A2-46). What the model says is fixed, so
// whatever differs between two runs is the agent's.
//
// Its one invariant: a probe ends. Calls of the model, each launch and the whole have a bound, the agent's processes are swept
// and its room is removed after each launch.
//
// It judges by what it saw: files in the tree, the wire, the requests that reached the model. It never concludes from a name, a
// label or the absence of a message, and what a run did not show is "not exercised" and not "holds". What it finds
// says nothing of real models, accounts, cost or another version (A2-3).
//
// It depends on nothing that a profile says of an agent's quirks: an agent that nobody has seen is probed in the same way.
package probe

import (
	"context"
	"time"

	"github.com/d3mlabs/ai-flow/executor"
)

// Options say what is probed, and how far.
type Options struct {
	// Agent is the agent as it would be launched. Its Environ, AllowEnv, Extra, Limits, Progress and Witness are the probe's own:
	// of Environ only PATH is used.
	Agent executor.Agent
	// Variables point an agent whose profile cannot say it (agents.Profile.Loopback) to the model, by name. "{root}" in a value
	// is the base URL of the model, "{key}" the key.
	Variables map[string]string
	Scenarios []Scenario                      // nil means all
	Progress  func(s Scenario, launch string) // before each launch; may be nil
}

// Result is what a probe found out. All strings that are not of this package are foreign.
type Result struct {
	Agent, Version string // as it answered initialize
	Played         []Played
	Verdicts       []Verdict // one for each rule, in their order
	Requests       int       // that reached the model
	Took           time.Duration
}

// Played is a scenario as it was played.
type Played struct {
	Scenario   Scenario
	Launches   int
	Requests   int // that reached the model
	Took       time.Duration
	Failure    string // why a launch did not end as the scenario wants it to; "" when none
	Facts      []Fact // what was seen, in a fixed order
	Transcript []byte // the wire as JSON lines, at most 8 MiB; see Transcript
}

// Fact is one thing that was seen.
type Fact struct {
	Name  string // of ours: a few words
	Value string // foreign, bounded
}

// Run probes the agent. The error says why there is nothing to judge: no launch could be made at all, the agent cannot
// be pointed to the model, or ctx ended. What single scenarios met is in the result.
func Run(ctx context.Context, o Options) (Result, error) { panic("unbuilt") }
