package permission

import "fmt"

// Mode is what is known of the session's mode when the request arrives. Agents give full access in one of two ways: by a
// mode in which they stop asking, or by asking for each thing and being answered. The second is the better one wherever
// the agent has it (A2-14, A2-15), because then each action leaves a receipt.
type Mode struct {
	Current string // "" when the session has no modes
	SetByUs bool   // we chose it, the session runs it, and no report has moved it since
	// Asking: Current is the profile's asking mode, and the profile says that answering its requests gives full access.
	Asking bool
	// FullAccess: Current is in the one list of full-access modes (agents.FullAccessMode).
	FullAccess bool
}

func (m Mode) words() string {
	if m.Asking {
		return fmt.Sprintf("asked in mode %.80q", m.Current)
	}
	return fmt.Sprintf("mode %.80q", m.Current)
}

// ModeState follows the mode of one session from what we chose and what the agent reported. It is a value; keep it, and
// write it, under the lock under which requests are decided (A1-11, A1-14). The zero value is a session without modes
// whose mode nobody chose.
type ModeState struct {
	current  string
	ours     bool
	choosing bool
	wanted   string
	moved    bool // a report of another mode came while we were choosing
}

// StartedIn is the state of a new session that says it runs mode. That is the agent's word, so it is not ours (A1-8), also
// when our own arguments asked for it (A1-9).
func StartedIn(mode string) ModeState { return ModeState{current: mode} }

// Choosing is to be called before the session is asked to run mode: from here on the old mark no longer holds, and the
// new one is not yet earned (A1-15).
func (s ModeState) Choosing(mode string) ModeState {
	return ModeState{current: s.current, choosing: true, wanted: mode}
}

// SetByUs is to be called once the session has confirmed mode. A report of another mode since Choosing wins over the
// confirmation: some agents answer success and run something else (agents.md point 22). Call it with "" for a session that
// has no modes at all: then our launch is the choice, and any later report ends it.
func (s ModeState) SetByUs(mode string) ModeState {
	if s.choosing && (s.moved || s.wanted != mode) {
		return ModeState{current: s.current}
	}
	return ModeState{current: mode, ours: true}
}

// Reported is to be called for each mode that the agent reports by itself. Another mode than the current one takes the
// mark away; the same one changes nothing, and coming back does not bring the mark back (A1-13, A1-16).
func (s ModeState) Reported(mode string) ModeState {
	if s.choosing {
		s.moved = mode != s.wanted
		s.current = mode
		return s
	}
	if mode != s.current {
		return ModeState{current: mode}
	}
	return s
}

// Current is the mode that the session was last known to run.
func (s ModeState) Current() string { return s.current }

// Mode is what Decide wants to know. asking and fullAccess are the profile's and the shared list's word on Current.
func (s ModeState) Mode(asking, fullAccess bool) Mode {
	return Mode{Current: s.current, SetByUs: s.ours, Asking: asking, FullAccess: fullAccess}
}
