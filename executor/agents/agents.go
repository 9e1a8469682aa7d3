// Package agents knows the coding agents that ai-flow can drive: how each is launched so that it speaks ACP, which one
// variable authenticates it, which settings switch its ambient habits off, in which mode it asks, and what of this was
// really seen.
//
// A profile is data, one file for each agent. Its one invariant: a profile never widens anything. No variable or setting
// here trusts a workspace, loads its hooks, plugins or MCP servers, or answers a permission in advance; COPILOT_ALLOW_ALL
// and its like have no place in it (A2-13), and a test reads all profiles for that.
//
// The package starts nothing, reads no environment and never holds a credential's value, only its name. What it says of
// an agent is what was observed with the version named in Verified: another version may behave otherwise, so whoever
// drives an agent acts on what it advertises and reports what it did, and may use a profile only to choose among that.
package agents

import "strings"

// Status says how much of a profile was proven.
type Status uint8

// A Qualified agent was driven through the whole of Launch by tests in this repository, at the versions that Verified names,
// and did what each kind of pass relies on. A Candidate was never driven so, or did less, as Verified says. The BuiltIn
// agent is part of this program.
const (
	Candidate Status = iota + 1
	Qualified
	BuiltIn
)

// Via is how full access is given.
type Via uint8

// With Callback the agent asks and is answered with the one-time allow, so each action has a receipt and rules apply.
// ByMode sets the agent's unattended mode: for agents that deny without asking. Its actions have no receipts.
const (
	Callback Via = iota + 1
	ByMode
)

// String is the word of the policy file: callback, mode; "" for neither.
func (v Via) String() string {
	switch v {
	case Callback:
		return "callback"
	case ByMode:
		return "mode"
	}
	return ""
}

// Profile is how one agent is launched and what is known of it.
type Profile struct {
	Name, Title string
	Status      Status
	Verified    string // what was verified, how, with which version and when
	Binary      string // name looked up on PATH; "" for the built-in agent and for one that the operator names
	Args        []string

	Credential string   // the one variable that authenticates it; "" for none
	Provider   string   // the variable that, when set, points it to a model provider that stands in for the credential
	Settings   []string // further variables of the parent that configure its provider: base URLs, keys, model names
	Secrets    []string // those of Settings whose values are secret, as the credential's is

	// Env are settings in the environment, given the directory that holds the agent's configuration and state of this run
	// alone; may be nil. Files are written below that directory before the start: path -> content. Nothing of an agent's
	// is kept between runs: what one run could change there would be run by the next (F-08, A2-7).
	Env           func(state string) map[string]string
	Files         map[string]string
	ModelVariable string // the variable that chooses the model at the start; "" when the session does

	Asking     string // canonical id of the mode in which it asks; "" when it has none
	FullAccess string // canonical id of its unattended mode; "" when it has none
	Via        Via    // how full access is given by default, and WhyVia
	WhyVia     string

	// Events are the types of GitHub Copilot's session events to ask for. They tell what the protocol has no place for.
	Events []string
	// UsageRuns is set when the token counts in a prompt's answer are those of the session so far, and not of the prompt.
	UsageRuns bool

	// Ambient are paths of a tree that this agent runs, or loads as configuration that runs, without asking, although
	// nothing trusts the tree: for a warning where the tree is somebody else's.
	Ambient []string
	Noise   func(text string) bool // is this message chunk the agent's own noise? may be nil

	// Loopback are the variables, all of them among those above, that point it to a scripted model: root is its base URL
	// without a slash at its end; it may have a path (OpenAI's clients want /v1 behind it), key what it is to authenticate
	// with. Only those of the custom agent are not above, so a launch passes them by name alone. nil when nothing can; Offline says why.
	Loopback func(root, key string) map[string]string
	Offline  string
	// Background are arguments with which its shell tool goes on while the command still runs; nil when it has none.
	Background map[string]any
}

// All lists the profiles in the order in which Pick tries them, the built-in one last.
func All() []Profile {
	return []Profile{copilot(), claude(), codex(), gemini(), opencode(), qwen(), cursor(), custom(), demo()}
}

// Find returns a profile by name.
func Find(name string) (Profile, bool) {
	for _, p := range All() {
		if p.Name == name {
			return p, true
		}
	}
	return Profile{}, false
}

// Presence is what of an agent is there on this host. It holds no values of variables.
type Presence struct {
	Binary     string // absolute path; "" when not found
	Credential bool   // the credential's variable is set and not empty
	Provider   bool   // the provider's variable is
	Usable     bool   // enough is there to try it
}

// Look finds out what is there: has reports whether a variable is set and not empty, lookPath returns the absolute path
// of a program, or "".
func (p Profile) Look(has func(name string) bool, lookPath func(name string) string) Presence {
	if p.Status == BuiltIn {
		return Presence{Usable: true}
	}
	var at Presence
	if p.Binary != "" {
		at.Binary = lookPath(p.Binary)
	}
	at.Credential = p.Credential != "" && has(p.Credential)
	at.Provider = p.Provider != "" && has(p.Provider)
	at.Usable = at.Binary != "" && (at.Credential || at.Provider)
	return at
}

// Pick returns the first agent that is usable here, which is the built-in one when nothing else is.
func Pick(has func(name string) bool, lookPath func(name string) string) (Profile, Presence) {
	all := All()
	for _, p := range all {
		if at := p.Look(has, lookPath); at.Usable {
			return p, at
		}
	}
	builtIn := all[len(all)-1] // Look says that it always is usable; the compiler cannot know
	return builtIn, Presence{Usable: true}
}

// FullAccessMode reports whether a mode id names a full-access mode: the one shared list (A1-6). Ids are open strings
// (A0-2), so the last part of an id counts, whatever its case and punctuation. Modes that decide for themselves, such as
// auto and acceptEdits, are not full access (A1-3).
func FullAccessMode(id string) bool {
	name := strings.Map(func(r rune) rune {
		if (r >= 'a' && r <= 'z') || (r >= '0' && r <= '9') {
			return r
		}
		return -1
	}, strings.ToLower(id[strings.LastIndexByte(id, '#')+1:]))
	if name == "autopilot" || name == "allowall" { // copilot's mode, and its option allow_all
		return true
	}
	for _, marker := range []string{"bypass", "fullaccess", "yolo", "dangerous", "skippermissions"} {
		if strings.Contains(name, marker) {
			return true
		}
	}
	return false
}

// FullAccessOption reports whether an option of a session, beside its mode, is set so that the agent no longer asks: Copilot's
// allow_all for one (A2-15).
func FullAccessOption(id, value string) bool {
	switch strings.ToLower(value) {
	case "", "off", "false", "no", "none", "never", "disabled", "0":
		return false
	}
	return FullAccessMode(id) || FullAccessMode(value)
}
