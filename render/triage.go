package render

import (
	"strings"

	"github.com/d3mlabs/ai-flow/denials"
)

// Want is a want and where a person may meet it.
type Want struct {
	denials.Want
	Triage Triage
}

// Triage is where a want may be met. Whoever knows the policy decides it; this package has the words.
type Triage struct {
	Verdict Verdict
	Glob    string // for ByDesign: the pattern of the policy that covers it
	Why     string // ours, for Closed
}

// Verdict is the closed set of what a person may do about a want, from nothing to the most.
type Verdict uint8

// The verdicts. The zero value leaves it to a person.
const (
	Decide   Verdict = iota // a person decides whether another run gets it
	ByDesign                // the policy says that it is meant to be so
	Closed                  // meeting it would undo the boundary
	Install                 // a tool: the file of the project or of the organisation that installs tools
	Bring                   // access: what is needed comes to the agent, never the agent to it
	ByHand                  // an action: a person does this one thing
)

// String is the verdict as report.json has it.
func (v Verdict) String() string {
	switch v {
	case Decide:
		return "decide"
	case ByDesign:
		return "by design"
	case Closed:
		return "closed"
	case Install:
		return "install"
	case Bring:
		return "bring"
	case ByHand:
		return "by hand"
	}
	return "unknown"
}

// Places are the files that install tools; "" where none is known.
type Places struct{ OrgFile, OrgRepo, ProjectFile string }

// advice says what a person may do, and never how to open the door wider.
func (p Places) advice(t Triage) string {
	switch t.Verdict {
	case ByDesign:
		return "Covered by design (" + code(t.Glob, maxName) + "): do nothing."
	case Closed:
		return "Stays closed: " + oneLine(t.Why, maxWhy) + "."
	case Install:
		return p.sentence()
	case Bring:
		return "The door stays closed: commit what is needed, or take it from a package. " + p.sentence()
	case ByHand:
		return "A person can do this one thing, or ask for it with a command that may act."
	}
	return "A person decides whether another run gets it. " + p.sentence()
}

func (p Places) sentence() string {
	var places []string
	if p.ProjectFile != "" {
		places = append(places, "This project: "+code(p.ProjectFile, maxName))
	}
	if p.OrgFile != "" {
		org := "organisation: " + code(p.OrgFile, maxName)
		if p.OrgRepo != "" {
			org += " in " + code(p.OrgRepo, maxName)
		}
		places = append(places, org)
	}
	if len(places) == 0 {
		return "Whoever looks after the runner can install that one."
	}
	return strings.Join(places, " · ") + "."
}
