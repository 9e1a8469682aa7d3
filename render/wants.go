package render

import (
	"fmt"
	"strings"

	"github.com/d3mlabs/ai-flow/denials"
)

// maxWants is how many wants a reader is shown; the rest is a count (A3-13).
const maxWants = 10

// door is a kind of want for which no fix is named, because the fix would undo the boundary.
type door struct{ glob, why string }

var closedDoors = []door{
	{"**/docker.sock", "a container socket is root on this machine"},
	{"**/containerd.sock", "a container socket is root on this machine"},
	{"**/podman.sock", "a container socket is root on this machine"},
	{"/etc/shadow", "it holds the passwords of this machine"},
	{"/etc/gshadow", "it holds the passwords of this machine"},
	{"/etc/sudoers", "it decides who is root"},
	{"/etc/sudoers.d/**", "it decides who is root"},
	{"/proc/**", "it shows other processes and their secrets"},
	{"/root/**", "it is another user's home"},
	{"**/.ssh/**", "it holds keys"},
	{"**/.gnupg/**", "it holds keys"},
	{"**/.git-credentials", "it holds credentials"},
	{"**/.netrc", "it holds credentials"},
	{"**/.config/gh/**", "it holds credentials"},
}

// advice is the triage of a want: where a person may meet it, never how to open the door wider.
func (t Triage) advice(w denials.Want) string {
	for _, glob := range t.ByDesign {
		if matchGlob(glob, w.Subject) {
			return "Covered by design (" + code(glob, maxName) + "): do nothing."
		}
	}
	if why := staysClosed(w); why != "" {
		return "Stays closed: " + why + "."
	}
	places := t.places()
	switch w.Kind {
	case denials.MissingTool:
		return sentence(places)
	case denials.Access:
		return "The door stays closed: commit what is needed, or take it from a package. " + sentence(places)
	case denials.Action:
		return "A person can do this one thing, or ask for it with a command that may act."
	}
	return "A person decides whether another run gets it. " + sentence(places)
}

func staysClosed(w denials.Want) string {
	if first, _, _ := strings.Cut(w.Subject, " "); first == "sudo" || first == "su" || first == "doas" {
		return "the agent is not root"
	}
	for _, d := range closedDoors {
		if matchGlob(d.glob, w.Subject) {
			return d.why
		}
	}
	return ""
}

// places names the files that install tools here, "" if none is known.
func (t Triage) places() string {
	var places []string
	if t.ProjectFile != "" {
		places = append(places, "This project: "+code(t.ProjectFile, maxName))
	}
	if t.OrgFile != "" {
		org := "organisation: " + code(t.OrgFile, maxName)
		if t.OrgRepo != "" {
			org += " in " + code(t.OrgRepo, maxName)
		}
		places = append(places, org)
	}
	return strings.Join(places, " · ")
}

func sentence(places string) string {
	if places == "" {
		return "Whoever looks after the runner can install that one."
	}
	return places + "."
}

// met says what happened at the door, in words.
func met(w denials.Want) string {
	var what string
	switch w.Kind {
	case denials.MissingTool:
		what = "missing tool"
	case denials.Action:
		what = "request refused"
	case denials.Access:
		what = "access denied"
	default:
		what = "not available"
	}
	if w.Channel == denials.Declared { // a claim: only the agent says that it met a door (F-82)
		what = "wanted"
	}
	if often := times(w.Count); often != "" {
		what += ", " + often
	}
	if w.Source != "" && w.Source != "agent" {
		what += ", in gate " + code(w.Source, maxName)
	}
	return what
}

func channel(c denials.Channel) string {
	switch c {
	case denials.Declared:
		return "declared"
	case denials.Refused:
		return "refused"
	case denials.Observed:
		return "observed"
	}
	return "unknown"
}

// claim is the reason in the agent's words, in quotation marks.
func claim(w denials.Want) string {
	why := inline(strings.ReplaceAll(w.Why, "`", ""), maxWhy)
	if why == "" {
		return ""
	}
	return "“" + why + "”"
}

// shown are the wants that have room and the number of those that have not.
func (r Result) shown() (wants []denials.Want, more int) {
	more = max(r.MoreWants, 0)
	if len(r.Wants) > maxWants {
		return r.Wants[:maxWants], more + len(r.Wants) - maxWants
	}
	return r.Wants, more
}

// wantsTotal counts the distinct wants, those without room included.
func (r Result) wantsTotal() int { return len(r.Wants) + max(r.MoreWants, 0) }

func wantsHead(total int) string {
	return fmt.Sprintf("**%s.** Nothing was granted; a person decides.", plural(total, "boundary want"))
}

// wantsBlock is the list at the bottom of a result, "" without wants.
func (r Result) wantsBlock() string {
	wants, more := r.shown()
	if len(wants) == 0 {
		return ""
	}
	lines := []string{wantsHead(r.wantsTotal()), ""}
	for _, w := range wants {
		said := claim(w)
		if w.Channel != denials.Declared || said == "" {
			said = strings.TrimSuffix(met(w)+", "+said, ", ")
		}
		by := channel(w.Channel)
		if w.Channel == denials.Declared {
			by += ", the agent’s claim"
		}
		lines = append(lines, fmt.Sprintf("- %s: %s (%s). %s", code(w.Subject, maxSubject), said, by, r.Triage.advice(w)))
	}
	if more > 0 {
		lines = append(lines, "", fmt.Sprintf("And %d more, all in `report.json`.", more))
	}
	return strings.Join(lines, "\n")
}
