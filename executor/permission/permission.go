// Package permission decides which permission request of an agent gets which answer.
//
// Decide is a pure function of the policy of the launch, the mode of the session at the moment the request arrived, and
// the request. Its one invariant: an "always" option is never selected, and nothing is allowed that a deny rule matches.
//
// The order is fixed: deny all, deny rules, requests that only a person may answer (questions, plan approvals, trust
// prompts, interactive requests, a switch of mode), ask rules, allow rules, full access, and last the default of the pass,
// which allows the kinds that read and refuses everything else, unknown kinds and all commands included.
//
// Full access (acceptance.md A1) needs all of: a pass of that sort, a policy file that does not forbid it, content that is
// trusted, and a mode that we chose ourselves and that is still current. A mode that the agent reports by itself lends no
// trust: [ModeState] takes the mark away with the first report of another mode, and only our own choice brings it back.
// What A1-10, A1-17 and A1-18 say about start levels, replay and forks holds by absence: a launch opens a new session,
// which begins without the mark, and nothing here restores one.
//
// The package refuses to trust what the agent says about itself further than it must: kind, title and command are the
// agent's claims, and a hostile agent may lie or never ask at all (F-73, H5-01). The boundary is the operating system's
// user; this policy is defence in depth and the place where a refusal becomes a want. So too for rules: they judge names,
// not what a name resolves to, and a shell offers more disguises than any matcher knows. Deny rules are read generously
// and allow rules strictly (see [Rule]).
package permission

import (
	"fmt"
	"strings"
)

// Pass is what sort of work a run does.
type Pass uint8

// ReadOnly passes allow reading kinds; FullAccess passes allow plain tool requests once. The zero value allows nothing
// beyond ReadOnly.
const (
	ReadOnly Pass = iota + 1
	FullAccess
)

// Policy is what holds for one launch.
type Policy struct {
	Pass             Pass
	DenyAll          bool
	Deny, Ask, Allow []Rule
	// FullAccessAllowed is the policy file's full_access; Trusted says that all content of the turn is from writers.
	FullAccessAllowed, Trusted bool
	// NoTurn is set when the request does not belong to a turn that runs; Unrecorded when no further receipt can be kept.
	NoTurn, Unrecorded bool
	// Workspace is the agent's tree, absolute: relative paths and relative patterns are below it. "" leaves both as they
	// are.
	Workspace string
}

// Request is one permission request, as values. All of it is the agent's claim.
type Request struct {
	Kind, Title, Command string
	Paths                []string
	Options              []Option
	Marks                []string // question, plan, trust, interactive, malformed
	// Before is what the agent said of the same call before it asked, nil for nothing: rules that restrict see it too, since
	// which of the two it will do is the agent's choice. Nothing else of it counts.
	Before *Request
}

// plain reports whether the request is a plain tool request, the only sort that is ever answered without a person (A1-19
// … A1-25). A mark that we do not know counts as a mark, so that new ones fail closed.
func (r Request) plain() bool { return len(r.Marks) == 0 && r.Kind != switchMode }

// Verdict is the closed set of outcomes.
type Verdict uint8

// The verdicts.
const (
	Allowed   Verdict = iota + 1
	Rejected          // by the request's own one-time refusal
	Cancelled         // no usable option was offered
)

// Decision is the answer, why, and whether it is a receipt.
type Decision struct {
	Verdict  Verdict
	OptionID string // "" when Cancelled
	Why      string // for a person; foreign text in it is quoted and bounded
	Rule     string // the rule that decided, in words
	Receipt  bool   // allowed by full access, without anybody being asked
	Want     bool   // becomes a want
}

// Decide answers a request. m is the mode at the moment the request arrived, read under the same lock that guards its
// writes (A1-11).
func Decide(p Policy, m Mode, r Request) Decision {
	paths := cleanPaths(p.Workspace, r.Paths)
	if p.DenyAll {
		return refuse(r, "deny_all", "the policy denies every request")
	}
	if rule, why := p.restricted(p.Deny, r, paths); why != "" {
		return refuse(r, "deny "+rule.String(), why)
	}
	if !r.plain() {
		return refuse(r, "only a person may answer", "this is "+sortOf(r)+", and nobody is there to answer it")
	}
	if rule, why := p.restricted(p.Ask, r, paths); why != "" {
		return refuse(r, "ask "+rule.String(), "the policy wants a person to be asked, and nobody is there")
	}
	for _, rule := range p.Allow {
		if rule.allows(p.Workspace, r, paths) {
			return allow(r, "allow "+rule.String(), false)
		}
	}
	if why := p.upgrade(m); why == "" && !r.named() {
		return refuse(r, "full access not given", "the agent did not say what it would do, so there could be no receipt of it")
	} else if why == "" {
		return allow(r, "full access ("+m.words()+")", true)
	} else if p.Pass == FullAccess && !r.onlyReads() {
		return refuse(r, "full access not given", why)
	}
	if r.onlyReads() {
		return allow(r, "the pass allows the kind "+r.Kind, false)
	}
	if r.Command != "" {
		return refuse(r, "read-only pass", "a read-only pass runs only commands that a rule allows")
	}
	return refuse(r, "read-only pass", fmt.Sprintf("a read-only pass does not allow the kind %.40q", r.Kind))
}

// restricted finds the first rule that restricts what the agent asks for, or said before, and why; "" for none.
func (p Policy) restricted(rules []Rule, r Request, paths []string) (Rule, string) {
	for _, rule := range rules {
		if why, hit := rule.denies(p.Workspace, r, paths); hit {
			return rule, why
		}
		if b := r.Before; b != nil {
			if why, hit := rule.denies(p.Workspace, *b, cleanPaths(p.Workspace, b.Paths)); hit {
				return rule, why + ", as the agent said before it asked"
			}
		}
	}
	return Rule{}, ""
}

// named reports whether the request says what it is about: a command, a path or at least a title.
func (r Request) named() bool {
	return r.Command != "" || len(r.Paths) > 0 || strings.TrimSpace(r.Title) != ""
}

// upgrade says why the pass has no full access; "" when it has.
func (p Policy) upgrade(m Mode) string {
	switch {
	case p.Pass != FullAccess:
		return "the pass is read-only"
	case !p.FullAccessAllowed:
		return "the policy file says full_access: false"
	case !p.Trusted:
		return "some of the content is not by people with write permission"
	case p.NoTurn:
		return "no turn of this run was under way"
	case p.Unrecorded:
		return "so much was approved that no further receipt can be kept"
	case !m.SetByUs:
		return fmt.Sprintf("the session's mode %.80q is not one that we chose", m.Current)
	case !m.Asking && !m.FullAccess:
		return fmt.Sprintf("the session's mode %.80q does not give full access", m.Current)
	}
	return ""
}

// kinds are the tool kinds that ACP defines, and what such a call does.
var kinds = [...]struct {
	name string
	does effect
}{
	{"read", looks}, {"search", looks}, {"fetch", looks}, {"think", looks},
	{"edit", changes}, {"delete", changes}, {"move", changes}, {execute, anything}, {switchMode, anything}, {"other", anything},
}

const (
	execute    = "execute"
	switchMode = "switch_mode"
)

// effect is what a call may do; the zero value is for kinds that nobody knows.
type effect uint8

const (
	anything effect = iota
	looks
	changes
)

func effectOf(kind string) effect {
	for _, k := range kinds {
		if k.name == kind {
			return k.does
		}
	}
	return anything
}

// kind is what a request counts as: who names a command wants it executed, whatever kind it claims. An honest codex says
// read of `cat f`; but to allow that by its word would allow `rm -rf /` by the same word.
func (r Request) kind() string {
	if r.Command != "" {
		return execute
	}
	return r.Kind
}

// onlyReads reports whether a request only looks at things. The kind is the agent's word (F-73), so this opens no door
// that the operating system keeps shut; unknown kinds are not in it (A3-8).
func (r Request) onlyReads() bool { return effectOf(r.kind()) == looks }

// mayBe reports whether a call of one kind may do what calls of another do.
func mayBe(kind, other string) bool {
	does := effectOf(kind)
	return does == anything || does == effectOf(other)
}

// KnownKind reports whether ACP defines the tool kind: a rule for another one would never match, so a policy file that
// has one is mistaken.
func KnownKind(kind string) bool {
	for _, k := range kinds {
		if k.name == kind {
			return true
		}
	}
	return false
}

func sortOf(r Request) string {
	if len(r.Marks) == 0 {
		return "a switch of mode"
	}
	switch r.Marks[0] {
	case "question":
		return "a question"
	case "plan":
		return "a plan to approve"
	case "trust":
		return "a trust prompt"
	case "interactive":
		return "an interactive request"
	case "malformed":
		return "a request that cannot be read, or not to its end"
	}
	return "a request of a sort that is not known here"
}

func allow(r Request, rule string, receipt bool) Decision {
	id, why := allowOnce(r.Options)
	if why != "" {
		return refuse(r, rule, why)
	}
	return Decision{Verdict: Allowed, OptionID: id, Why: "allowed once", Rule: rule, Receipt: receipt}
}

func refuse(r Request, rule, why string) Decision {
	if id, ok := rejectOnce(r.Options); ok {
		return Decision{Verdict: Rejected, OptionID: id, Why: why, Rule: rule, Want: true}
	}
	why += "; no one-time refusal was offered, so the request was cancelled"
	return Decision{Verdict: Cancelled, Why: why, Rule: rule, Want: true}
}
