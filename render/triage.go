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

// Places are the files that install tools, as the policy names them; "" where it names none.
type Places struct{ OrgFile, OrgRepo, ProjectFile string }

// advice is that of the places. What an acting command was refused is not to be asked for with one.
func (r Result) advice(t Triage) string {
	if t.Verdict == ByHand && !isAsk(r.Command) {
		return "Run it yourself."
	}
	return r.Places.advice(t)
}

// advice says what a person may do, and never how to open the door wider.
func (p Places) advice(t Triage) string {
	switch t.Verdict {
	case ByDesign:
		return "Covered by design (" + code(t.Glob, maxName) + "): do nothing."
	case Closed:
		return "Stays closed: " + oneLine(t.Why, maxWhy) + "."
	case Install:
		if places := p.sentence(); places != "" {
			return places
		}
		return "It can be added to the project’s or the organisation’s file of tools."
	case Bring:
		return strings.TrimSpace("The door stays closed: commit what is needed, or take it from a package. " + p.sentence())
	case ByHand:
		return "Run it yourself, or ask for it with `/edit` or `/build`."
	}
	return strings.TrimSpace("A person decides whether another run gets it. " + p.sentence())
}

// sentence names the files; "" without one, because a file that nobody named may not exist.
func (p Places) sentence() string {
	var places []string
	if p.ProjectFile != "" {
		places = append(places, "This project: "+code(p.ProjectFile, maxName))
	}
	if p.OrgFile != "" {
		org := "organisation: "
		if len(places) == 0 {
			org = "This organisation: "
		}
		org += code(p.OrgFile, maxName)
		if p.OrgRepo != "" {
			org += " in " + code(p.OrgRepo, maxName)
		}
		places = append(places, org)
	}
	if len(places) == 0 {
		return ""
	}
	return strings.Join(places, " · ") + "."
}
