package executor

import (
	"strings"

	"github.com/d3mlabs/ai-flow/acpclient"
	"github.com/d3mlabs/ai-flow/executor/agents"
	"github.com/d3mlabs/ai-flow/executor/permission"
)

// Asking says how far it was proven that the agent asks before it acts.
type Asking uint8

// The zero value is for a pass that relies on no question: none was run, or full access was given by mode.
const (
	AskingVerified  Asking = iota + 1 // a qualified profile's asking mode: advertised, set by us, and current from then on
	AskingCandidate                   // so too, but nobody has proven yet that the agent asks in it
	AskingUnproven                    // the mode is not known, was not advertised or confirmed, or did not last
)

// String names it as report.json does; "" for the zero value.
func (a Asking) String() string {
	return word(int(a), "", "verified", "candidate", "unproven")
}

// NotByMode says why full access was not given by mode although the policy or the profile says so.
type NotByMode uint8

// The reasons; zero when there is nothing to explain.
const (
	NoUnattendedMode NotByMode = iota + 1 // the profile has none
	RulesDecide                           // deny and ask rules win over full access, and judge only what is asked for (A1-4, A2-15)
)

// Access is how the actions of a launch were allowed.
type Access struct {
	Via        agents.Via // how full access was to be given; 0 when it was not
	Instead    NotByMode
	Unrecorded bool // the session ran the unattended mode: what it did then has no receipts
	Asking     Asking
}

// access decides in which way this pass gives full access. A mode in which nothing is asked would switch off the rules that
// win over full access, so with such rules the agent is asked instead: to trust the operator to have meant it was
// rejected, since what a deny rule is for is the one command that must not run.
func (l *launch) access() Access {
	if !mayUpgrade(l.task.Policy) {
		return Access{}
	}
	via := l.task.Via
	if via == 0 {
		via = l.agent.Profile.Via
	}
	switch {
	case via != agents.ByMode:
		return Access{Via: via}
	case l.agent.Profile.FullAccess == "":
		return Access{Via: agents.Callback, Instead: NoUnattendedMode}
	case len(l.task.Policy.Deny)+len(l.task.Policy.Ask) > 0:
		return Access{Via: agents.Callback, Instead: RulesDecide}
	}
	return Access{Via: agents.ByMode}
}

// wantedMode is the mode that the pass needs: the unattended one only where full access is given by mode, since a
// callback leaves a receipt for each action.
func (l *launch) wantedMode() string {
	if l.turn.access.Via == agents.ByMode {
		return l.agent.Profile.FullAccess
	}
	return l.agent.Profile.Asking
}

// mayUpgrade reports whether the pass may be given full access at all.
func mayUpgrade(p permission.Policy) bool {
	return p.Pass == permission.FullAccess && p.FullAccessAllowed && p.Trusted && !p.DenyAll
}

// settled looks at what the session runs when its set-up has ended, and says what the pass can rely on: an agent may have
// moved on since it confirmed the mode, for instance with the model (A1-11, A2-21).
func (l *launch) settled() {
	t := l.turn
	t.mu.Lock()
	t.access.Unrecorded = t.byMode()
	asking, mode := t.asking(), t.mode.Current()
	t.mu.Unlock()
	if asking == AskingUnproven && l.agent.Profile.Asking != "" {
		l.agent.Log.Say("the asking mode %q could not be verified (the session runs %q): what is run unasked is only reported", l.agent.Profile.Asking, bounded(mode))
	}
}

// modeNow is the session's mode now. The one that we chose counts for full access only where answering its requests is the way
// in which full access is given. Called with the lock held.
func (t *turn) modeNow() permission.Mode {
	current := t.mode.Current()
	asking := t.access.Via == agents.Callback && current == t.chosen
	m := t.mode.Mode(asking, agents.FullAccessMode(current))
	m.SetByUs = m.SetByUs && (!t.unasking || t.access.Via == agents.ByMode)
	return m
}

// moment is what full access depends on.
type moment struct {
	mode   permission.Mode
	inTurn bool // a turn of ours runs
}

// moment is called when a request arrives, which may be some time before it is answered (A1-11).
func (t *turn) moment() any {
	t.mu.Lock()
	defer t.mu.Unlock()
	return moment{t.modeNow(), t.listening}
}

// full is the policy, and the mode, that hold for a request that arrived at the moment then, nil for now. Full access is for what was
// asked and is answered in a turn of ours (F-79) and in the same mode, and it ends where nothing more can be kept of what
// it allows: an action without a receipt is what it never gives (A1-29). Called with the lock held.
func (t *turn) full(then any) (permission.Policy, permission.Mode) {
	p, now := t.policy, moment{t.modeNow(), t.listening}
	arrived, known := then.(moment)
	if !known {
		arrived = now
	}
	p.NoTurn, p.Unrecorded = !now.inTurn || !arrived.inTurn, len(t.receipts) >= maxRecords
	now.mode.SetByUs = now.mode.SetByUs && arrived.mode == now.mode
	return p, now.mode
}

// byMode reports whether the session runs the unattended mode that we set. Called with the lock held.
func (t *turn) byMode() bool {
	m := t.modeNow()
	return t.access.Via == agents.ByMode && m.SetByUs && m.FullAccess
}

// asking judges the session's mode now. It needs no memory of its own: a mode that moved and came back has lost its mark
// (A1-16). Called with the lock held.
func (t *turn) asking() Asking {
	m, want := t.modeNow(), t.profile.Asking
	switch {
	case t.access.Unrecorded || t.byMode():
		return 0
	case want == "" || !m.SetByUs || !sameMode(m.Current, want):
		return AskingUnproven
	case t.profile.Status == agents.Candidate:
		return AskingCandidate
	}
	return AskingVerified
}

// match finds a mode by full id, then by the last part of the id (A0-4, A0-5).
func match(want string, modes []acpclient.Choice) (string, bool) {
	for _, m := range modes {
		if m.ID == want {
			return m.ID, true
		}
	}
	for _, m := range modes {
		if sameMode(m.ID, want) {
			return m.ID, true
		}
	}
	return "", false
}

func sameMode(id, other string) bool { return suffix(id) == suffix(other) }

func suffix(id string) string { return id[strings.LastIndexByte(id, '#')+1:] }

// word names a value of a closed set.
func word(i int, names ...string) string {
	if i < len(names) {
		return names[i]
	}
	return "unknown"
}
