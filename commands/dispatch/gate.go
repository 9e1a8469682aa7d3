package dispatch

import (
	"github.com/d3mlabs/ai-flow/commands"
	"github.com/d3mlabs/ai-flow/commands/github"
)

// Verdict is the closed set of what the gate says.
type Verdict uint8

// The verdicts. The zero Verdict denies.
const (
	Deny   Verdict = iota // silence on the thread, one line on the run's page
	Refuse                // a person who may command is told why this is not done
	Admit
)

// Decision is what the gate decided and why.
type Decision struct {
	Verdict Verdict
	Reason  string            // ours, for the run's page; foreign names in it are quoted
	Refusal *commands.Refusal // for Refuse: what the thread is told
	Trusted bool              // for Admit: everything that the agent is given was written by people who may write
}

// Prefilter decides what needs no question: who cannot be a person, and what our own hand wrote. bot is our login, "" when
// not known. It returns Admit when the questions have to be asked.
func Prefilter(e github.Event, bot string) Decision { panic("unbuilt") }

// Knowledge is what was asked for. A question that failed leaves its zero value, which allows nothing.
type Knowledge struct {
	Author   github.Permission // of the comment's author
	Rerunner string            // who started this attempt; "" when it is the first
	Rerun    github.Permission // of the Rerunner
	Facts    github.Facts
	Editors  map[string]github.Permission // of who edited the document last
	Heaviest commands.Command
}

// Decide is the gate: it is pure, and whatever is not known denies.
func Decide(e github.Event, k Knowledge) Decision { panic("unbuilt") }
