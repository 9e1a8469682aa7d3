package acpclient

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Codes of error answers that we give, and the one that asks for a login.
const (
	codeNoMethod     = -32601
	codeBadParams    = -32602
	codeAuthRequired = -32000
)

// Error is an error answer of the agent's: its code and message, bounded and quoted.
type Error struct {
	Method  string
	Code    int
	Message string          // at most 4 KiB
	Data    json.RawMessage // nil when over 4 KiB
}

func (e *Error) Error() string {
	text := fmt.Sprintf("the agent answered with error %d: %q", e.Code, e.Message)
	if detail := e.detail(); detail != "" && detail != e.Message {
		text += fmt.Sprintf(" (%q)", detail)
	}
	return text
}

// detail is the text in Data. With code -32603 the message is only "Internal error", and this says what happened.
func (e *Error) detail() string {
	v := value(e.Data)
	if checkValue(v, 0, 0) != len(v) { // an Error that was not made here
		return ""
	}
	if s := v.short(maxShort); s != "" {
		return s
	}
	for _, key := range []string{"details", "detail", "message", "error", "reason"} {
		if s := v.get(key).short(maxShort); s != "" {
			return s
		}
	}
	return ""
}

func decodeError(method string, fault value) *Error {
	code, _ := fault.get("code").integer()
	e := &Error{Method: method, Code: int(code), Message: fault.get("message").short(maxShort)}
	if data := fault.get("data"); data.said() && len(data) <= maxShort {
		e.Data = append(json.RawMessage(nil), data...)
	}
	return e
}

// AuthError is returned instead of an Error when the agent wants a login first. Nobody is there to log in during a run,
// so no authenticate call is made: the error names the ways that the agent offers, for the person who sets it up. What
// the agent said is left out of the text, since it may repeat a credential.
type AuthError struct {
	Method  string
	Methods []string // ids, as initialize advertised them
	Err     *Error
}

func (e *AuthError) Error() string {
	if len(e.Methods) == 0 {
		return fmt.Sprintf("the agent wants a login (error %d) and advertised no way to do it", e.Err.Code)
	}
	quoted := make([]string, len(e.Methods))
	for i, m := range e.Methods {
		quoted[i] = fmt.Sprintf("%q", m)
	}
	return fmt.Sprintf("the agent wants a login (error %d); it offers %s", e.Err.Code, strings.Join(quoted, ", "))
}

// Unwrap gives the agent's own error.
func (e *AuthError) Unwrap() error { return e.Err }

// ProtocolError says that the agent broke a rule of the protocol, or a bound of ours, so that going on has no sense.
type ProtocolError struct {
	Breach string // a sentence about the agent, such as "the agent named no session"
}

func (e *ProtocolError) Error() string { return e.Breach }

func breach(format string, args ...any) error {
	return &ProtocolError{Breach: fmt.Sprintf(format, args...)}
}
