// Package agents knows the coding agents that ai-flow can drive.
package agents

// Status says how much of a profile was proven.
type Status uint8

const (
	Candidate Status = iota + 1
	Qualified
	BuiltIn
)

// Places are the directories of one run that a profile may point its agent to.
type Places struct {
	Home  string // the agent user's home
	State string // private to this run: configuration and state of the agent
	Cache string // kept between runs (below the agent user's home)
	Tmp   string
}

// Profile is how one agent is launched and what is known of it.
type Profile struct {
	Name, Title string
	Status      Status
	Verified    string // what was verified, how and when
	Binary      string // name looked up on PATH; "" for the built-in agent
	Args        []string
	Credential  string   // the one variable that authenticates it; "" for none
	Settings    []string // further variables of the parent that configure its provider (base URLs, model names)
	Env         func(Places) map[string]string
	Asking      string // canonical id of the mode in which it asks; "" when it has none
	FullAccess  string // canonical id of its unattended mode
	Via         Via    // how full access is given by default, and WhyVia
	WhyVia      string
	Noise       func(text string) bool // is this message chunk the agent's own noise?
}

// Via is how full access is given.
type Via uint8

const (
	Callback Via = iota + 1
	ByMode
)

// All lists the profiles, the built-in one last.
func All() []Profile { panic("unbuilt") }

// Find returns a profile by name.
func Find(name string) (Profile, bool) { panic("unbuilt") }

// FullAccessMode reports whether a mode id or suffix names a full-access mode: the one shared list.
func FullAccessMode(id string) bool { panic("unbuilt") }
