package commands

import (
	"github.com/d3mlabs/ai-flow/denials"
	"github.com/d3mlabs/ai-flow/executor/permission"
	"github.com/d3mlabs/ai-flow/render"
)

// Triage is the policy's part that says where wants may be met.
type Triage struct {
	render.Places
	ByDesign []string // patterns of paths
}

// door is a kind of want for which no fix is named, because the fix would undo the boundary.
type door struct{ pattern, why string }

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

// decide says where a want may be met, for readers and for the census alike.
func (t Triage) decide(w denials.Want) render.Triage {
	for _, pattern := range t.ByDesign {
		if permission.MatchPath(pattern, w.Subject) {
			return render.Triage{Verdict: render.ByDesign, Glob: pattern}
		}
	}
	if why := staysClosed(w.Subject); why != "" {
		return render.Triage{Verdict: render.Closed, Why: why}
	}
	switch w.Kind {
	case denials.MissingTool:
		return render.Triage{Verdict: render.Install}
	case denials.Access:
		return render.Triage{Verdict: render.Bring}
	case denials.Action:
		return render.Triage{Verdict: render.ByHand}
	}
	return render.Triage{Verdict: render.Decide}
}

func staysClosed(subject string) string {
	if permission.AsOther(subject) {
		return "the agent is not root"
	}
	for _, d := range closedDoors {
		if permission.MatchPath(d.pattern, subject) {
			return d.why
		}
	}
	return ""
}
