package git

import "fmt"

// PushKind is the closed set of ways in which a push comes to nothing.
type PushKind uint8

// The kinds.
const (
	PushFailed   PushKind = iota // git or the server failed in some other way, or ctx ended
	PushMoved                    // the branch is not, or no longer, at Old (with Old "": there is one)
	PushRejected                 // the server does not take it: a protected branch, a rule, a hook, a permission; Reason says its words
	PushLost                     // the server cannot be reached, or broke off
)

// PushError is a push that did not happen, or of which nobody can say whether it did.
type PushError struct {
	Kind   PushKind
	Tip    OID    // of PushMoved: where the branch is, "" when it is gone
	Reason string // the server's own words: at most 600 bytes, on one line, without control characters and secrets; foreign
	Unsure bool   // it may have happened all the same, and could not be looked up
	Err    error
}

// Error says what happened, quoting Reason.
func (e *PushError) Error() string {
	said := e.what()
	if e.Reason != "" {
		said += fmt.Sprintf(": %q", e.Reason)
	}
	if e.Unsure {
		said += "; it may have happened all the same"
	}
	if e.Err != nil {
		said += ": " + e.Err.Error()
	}
	return said
}

func (e *PushError) what() string {
	switch {
	case e.Kind == PushMoved && e.Tip == "":
		return "the branch is gone"
	case e.Kind == PushMoved:
		return fmt.Sprintf("the branch is at %.12q by now", e.Tip)
	case e.Kind == PushRejected:
		return "the server does not take it"
	case e.Kind == PushLost:
		return "the server could not be reached, or broke off"
	}
	return "the push failed"
}

// Unwrap is the error underneath.
func (e *PushError) Unwrap() error { return e.Err }
