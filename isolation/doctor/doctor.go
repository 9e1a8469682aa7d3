// Package doctor proves the boundary by trying to cross it: as the agent user, through the real launch line, it attempts what
// a hostile agent would attempt, and says for each check PASS, FAIL or UNKNOWN, with the fix.
//
// A check is data: what the agent user attempts (an attempt), and a pure function that judges what came of it. The attempts of
// all checks go in one plan to our own executable, which Run copies into a room and starts there as the agent ([Inside]); it
// knows nothing but system calls, so that what is judged is what the kernel answered, and not what a shell made of it.
// Nothing of value is at stake: what is attempted is read a byte of, opened and closed, or connected to and hung up.
//
// Its one invariant: it changes nothing that outlives it, on a host whose boundary stands; where a door is open after all, what
// went through it is undone, or the finding says what was left.
//
// UNKNOWN is for what could not be tried or judged, and never for what was found open. The answers come from a process of
// the agent user, which a process that is left of an earlier run could forge: so [isolation.Open] ends all of them first, and
// what it found is a finding too.
package doctor

import (
	"slices"
	"time"

	"github.com/d3mlabs/ai-flow/isolation"
)

// Status is the closed set of results of a check.
type Status uint8

// The results. Pass: the attempt was refused, as it has to be. Fail: the agent can do it. Unknown: it could not be tried.
const (
	Unknown Status = iota
	Pass
	Fail
)

// String is PASS, FAIL or UNKNOWN.
func (s Status) String() string {
	switch s {
	case Pass:
		return "PASS"
	case Fail:
		return "FAIL"
	}
	return "UNKNOWN"
}

// Finding is what came of one check.
type Finding struct {
	ID   string // stable, such as "dispatcher-environ"; what the policy file names to accept a failure
	Says string // what has to hold, in one sentence
	Status
	Why string // what was seen; foreign text in it is quoted and bounded
	Fix string // a command or a sentence to follow; "" when it passed
}

// Report is the result of all checks, in a fixed order.
type Report struct {
	Findings []Finding
	User     string
	Took     time.Duration
}

// Failed are the findings that failed and are not among the accepted ids.
func (r Report) Failed(accepted []string) []Finding {
	var failed []Finding
	for _, f := range r.Findings {
		if f.Status == Fail && !slices.Contains(accepted, f.ID) {
			failed = append(failed, f)
		}
	}
	return failed
}

// Options say what is tried.
type Options struct {
	Identity isolation.Identity
	Room     isolation.OpenOptions
	// In is a room that is open already, such as that of a run that is about to start: the attempts are made in it, and it
	// stays open. Nothing of Room is used then, and the room's Leftovers are judged as those of one of our own. nil: Run opens
	// one, and closes it.
	In   *isolation.Room
	Self string // path of our own executable, which is copied into the room
	// Environ is the dispatcher's environment: the runner's own paths are found in it (GITHUB_ENV, RUNNER_TEMP, …), and its
	// names and values are never handed to the agent.
	Environ []string
	// Closed are files and directories of the dispatcher that the agent must not read or enter: state, temporary directory,
	// git directory, home.
	Closed []string
	// Secrets are values that must be found nowhere the agent can look. They stay with the dispatcher: what the agent sends
	// back is searched for them.
	Secrets []string
	// Short plays only the checks that take no time, for the start of each run.
	Short bool
	// Metadata are the addresses (host:port) of cloud metadata services; nil means the usual ones.
	Metadata []string
}
