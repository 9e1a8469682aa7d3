package github

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
)

// Kind is the closed set of ways in which a call fails.
type Kind uint8

// The kinds.
const (
	Other        Kind = iota
	Gone              // 404, 410: not there, or not for this token
	Forbidden         // 403 that is no limit: the token may not do this
	Unauthorized      // 401: the token or key is not (or no longer) good; Next says when a wrong clock explains it
	Limited           // a rate limit that did not end within our patience
	Invalid           // 422 and other refusals of what was sent
	Unreachable       // no answer, or 5xx, after all tries
	Cancelled         // the context ended
	Moved             // nothing was written: another text stands there than the one that was to be replaced
)

// Error is a call that failed, or an option that nothing can be called with. Its text holds no token, and quotes at most 200
// bytes of GitHub's message.
type Error struct {
	What   string // what was being done, in our words
	Kind   Kind
	Status int
	// Unsure says that it may have happened all the same: the answer is what got lost.
	Unsure  bool
	Message string // GitHub's own, bounded: foreign
	Next    string // what a person can do, in sentences of ours; "" when nothing is known
	// Setup says that the App, its installation or the token has to be set right before any run can come to something.
	Setup bool
	Err   error
}

func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.What)
	if e.Status != 0 {
		fmt.Fprintf(&b, ": GitHub answered %d", e.Status)
		if text := http.StatusText(e.Status); text != "" {
			b.WriteString(" " + text)
		}
	}
	if e.Message != "" {
		fmt.Fprintf(&b, ": %q", e.Message)
	}
	if e.Err != nil {
		b.WriteString(": " + e.Err.Error())
	}
	if e.Unsure {
		b.WriteString(" (it may have happened all the same)")
	}
	return b.String()
}

func (e *Error) Unwrap() error { return e.Err }

// ErrNoAgentToken says that there is no token for the agent: the fallback token may write, and an agent never gets one that
// may.
var ErrNoAgentToken = errors.New("no read-only token can be made from `GH_TOKEN`")

// unfit is an option that nothing can be called with.
func unfit(what, next string) *Error {
	return &Error{What: what, Kind: Invalid, Setup: true, Next: next}
}

// kindOf is the kind of an answer with this status that is no limit.
func kindOf(status int) Kind {
	switch {
	case status == http.StatusNotFound || status == http.StatusGone:
		return Gone
	case status == http.StatusForbidden:
		return Forbidden
	case status == http.StatusUnauthorized:
		return Unauthorized
	case status == http.StatusBadRequest || status == http.StatusConflict || status == http.StatusUnprocessableEntity ||
		status == http.StatusRequestEntityTooLarge || status == http.StatusUnsupportedMediaType:
		return Invalid
	case status >= 500:
		return Unreachable
	}
	return Other
}
