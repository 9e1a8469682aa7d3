// Package denials finds out what an agent wanted and did not get.
//
// A want becomes known in one of three ways, and the ways are never mixed up:
//
//   - declared: the agent wrote a line "WANTED: subject — why", as [Contract] asks. [Strip] takes such lines out of the
//     joined text and returns them. It is the agent's claim.
//   - refused: our own policy rejected a request. It is a fact.
//   - observed: a tool printed that the operating system denied something, or that a command is not installed. It is a
//     guess, made from text that the agent controls.
//
// What a gate printed is read in the same way as what a tool did, by a Collector of its own; see [Gated].
//
// A [Collector] joins the three: one want for each subject, told by the most telling channel, with the others kept
// beside it, and counted by how often it was met. Its one invariant: whatever arrives, in whatever pieces, it keeps a bounded amount of memory, does work linear in the
// bytes it got, and says the same as if the output had come in one piece.
//
// Which output counts, for text that is a guess:
//
//	output of                          known exit 0          unknown            failed or exit not 0
//	Execute, Other: plain commands     errors of live tools  same               same, and weak shapes
//	Execute: only readers (cat, git    one command: none;    own errors of      own errors of
//	  log, grep …, also in pipes)      piped: own errors     these readers      these readers
//	Execute: test runners              none                  errors of tools    same, and weak shapes
//	Reader (read, search, fetch)       none                  none               all shapes
//	the agent's standard error         errors of live tools
//
// "Errors of live tools" have the shape that a tool gives its own message: at the start of a line (after time stamps and
// the like), "tool: path: reason" or a typed exception. Exit 0 alone does not silence a command, since "|| true" and pipes
// hide real denials; a command that only shows text is the exception, because what it shows is old news. Weak shapes
// (indented text, file:line: prefixes, a reason alone) count only when the call failed. A reason without a path counts only
// when nothing in the call names one; its subject is then the command that ran.
//
// Output that was too long for the wire lies in a file, and the agent says where: [Collector.Spills] are these files. The
// package reads none of them.
//
// The package refuses to guess: source text, diffs, search hits, test names, manual pages, HTTP and SQL and ssh refusals and
// read-only file systems are no wants, and a path that was not printed is never made up. It also refuses to judge: it grants
// nothing, suggests nothing, and its texts are printable and bounded but still foreign.
package denials

// Channel says how a want became known. Of the agent's three a later constant replaces an earlier one on the same subject.
type Channel uint8

// The channels: observed is a guess, refused a fact, declared the agent's own claim. Gated is a guess from the output of a
// gate: what that met is never told as the agent's, nor joined with it. A Collector gives it to none; whoever runs gates does.
const (
	Observed Channel = iota + 1
	Refused
	Declared
	Gated
)

// String returns the channel's name as reports show it.
func (c Channel) String() string {
	switch c {
	case Observed:
		return "observed"
	case Refused:
		return "refused"
	case Declared:
		return "declared"
	case Gated:
		return "gate"
	}
	return "unknown"
}

// Kind says what sort of door it was.
type Kind uint8

// The kinds of want.
const (
	Access      Kind = iota + 1 // the operating system denied a path, socket or address
	MissingTool                 // a command that is not installed
	Action                      // a request that the permission policy rejected
	Capability                  // anything else, in words
)

// String returns the kind's name as reports show it.
func (k Kind) String() string {
	switch k {
	case Access:
		return "access"
	case MissingTool:
		return "missing tool"
	case Action:
		return "action"
	case Capability:
		return "capability"
	}
	return "unknown"
}

// Want is one locked door. All its text is foreign: printable and bounded, but not safe for Markdown (render does that).
type Want struct {
	Subject string // at most 512 bytes
	// Why is the reason of Channel, at most 300 bytes, and never that of another: the agent's for a declared want, the policy's
	// for a refused one, the line that said so for an observed one. "" when that channel gave none.
	Why     string
	Channel Channel // the most telling
	Kind    Kind
	Source  string // who met it: "agent", or the name of a gate
	Count   int    // Refused and Observed together; 1 when it was only declared

	Refused, Observed int // requests refused, and calls whose output said so, whatever Channel is
}

// Channels are all ways in which the want became known, the most telling first. What the agent declares of a door at which
// it was refused is a claim beside a fact, and a reader is to be shown both.
func (w Want) Channels() []Channel {
	channels := []Channel{w.Channel}
	if w.Channel == Gated {
		return channels
	}
	if w.Refused > 0 && w.Channel > Refused {
		channels = append(channels, Refused)
	}
	if w.Observed > 0 && w.Channel > Observed {
		channels = append(channels, Observed)
	}
	return channels
}

// Contract is the PERMISSION BOUNDARIES section that ends every prompt of a run with a boundary.
func Contract() string { return contract }

const contract = `## PERMISSION BOUNDARIES

You run as an operating-system user with few rights, under a permission policy. Some paths, commands, addresses and tools are
closed to you on purpose. When one is refused, or denied by the system, or not installed, that is policy and not a fault:

- Do not work around it, try other ways to the same thing, or probe for what else is open.
- Do not wait for anyone: nobody can answer or grant anything while you run.
- Finish every part of the task that can be done without it, and do not pretend that the rest was done.

Then end your answer with one line for each thing that you needed and did not get, in exactly this form:

WANTED: <path or capability> — <why>

Write nothing of the kind if there was no such thing.
`
