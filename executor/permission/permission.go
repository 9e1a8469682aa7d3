// Package permission decides which permission request gets which answer. Pure functions, no I/O.
package permission

// Pass is what sort of work a run does.
type Pass uint8

// ReadOnly passes allow reading kinds; FullAccess passes allow plain tool requests once.
const (
	ReadOnly Pass = iota + 1
	FullAccess
)

// Rule matches requests by kind ("" any) and a glob on the command or path ("" any).
type Rule struct{ Kind, Match string }

// Policy is what holds for one launch.
type Policy struct {
	Pass             Pass
	DenyAll          bool
	Deny, Ask, Allow []Rule
	// FullAccessAllowed is the policy file's full_access; Trusted says that all content of the turn is from writers.
	FullAccessAllowed, Trusted bool
}

// Mode is what is known of the session's mode when the request arrives.
type Mode struct {
	Current string
	SetByUs bool
	Asking  bool // the profile's asking mode, in which a callback answer is meaningful (full access via callback)
}

// OptionKind values are the protocol's; others are never selected.
type Option struct{ ID, Name, Kind string }

// Request is one permission request, as values.
type Request struct {
	Kind, Title, Command string
	Paths                []string
	Options              []Option
	Marks                []string // question, plan, trust, interactive
}

// Verdict is the closed set of outcomes.
type Verdict uint8

const (
	Allowed Verdict = iota + 1
	Rejected
	Cancelled // no usable option was offered
)

// Decision is the answer, why, and whether it is a receipt.
type Decision struct {
	Verdict  Verdict
	OptionID string
	Why      string
	Rule     string // the rule that decided, in words
	Receipt  bool   // allowed by full access, without anybody being asked
	Want     bool   // becomes a want
}

// Decide answers a request.
func Decide(p Policy, m Mode, r Request) Decision { panic("unbuilt") }
