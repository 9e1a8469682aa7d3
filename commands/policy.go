package commands

import (
	"strings"

	"github.com/d3mlabs/ai-flow/executor"
	"github.com/d3mlabs/ai-flow/executor/agents"
	"github.com/d3mlabs/ai-flow/executor/permission"
)

// PolicyPath is where a repository keeps its policy file. It is read from the default branch, never from a pull request's
// head (F-31).
const PolicyPath = ".github/ai-flow.yml"

// Policy is a repository's policy file as plain values, with the defaults of behaviour.md section 8 where it is silent.
type Policy struct {
	Source   string   // where it was read, in words; "" when there is no file
	Warnings []string // what does nothing: unknown keys, and those of a later version, each with its line

	Agent       string // a name of `ai-flow agents`; "" for none named
	Models      Models
	Permissions Permissions
	Limits      executor.Limits // zero fields take the executor's defaults
	Triage      Triage
	Gates       []executor.Gate // in the order in which they are run; at most 20
	Rounds      int             // how often gates that fail go back to the agent, 0 to 10
	Accept      []string        // checks of the boundary that may fail (doctor.accept)
}

// Models names a model for each command; "" where none is named.
type Models struct{ Default, Ask, Edit, Build string }

// Permissions is the part that the executor's permission policy is made of.
type Permissions struct {
	FullAccess, DenyAll bool
	Via                 agents.Via // full_access_via; 0 when the file is silent: then it is as the agent's profile says
	Deny, Ask, Allow    []permission.Rule
}

// DefaultPolicy is what holds without a policy file.
func DefaultPolicy() Policy {
	return Policy{
		Permissions: Permissions{FullAccess: true},
		Rounds:      3,
		Triage: Triage{ByDesign: []string{
			"/opt/shared/**", "**/DerivedDataCache/**",
			"/var/run/docker.sock", "/run/docker.sock", "/run/containerd/containerd.sock", "/run/podman/podman.sock",
		}},
	}
}

// Model is the model that a command is to run on: AI_FLOW_MODEL (override) before models.<command> before models.default;
// "" leaves it to the agent. Blank counts as not set.
func (p Policy) Model(c Command, override string) string {
	for _, m := range []string{override, p.Models.of(c), p.Models.Default} {
		if m = strings.TrimSpace(m); m != "" {
			return m
		}
	}
	return ""
}

func (m Models) of(c Command) string {
	switch c {
	case Ask:
		return m.Ask
	case Edit:
		return m.Edit
	case Build:
		return m.Build
	}
	return ""
}

// permissions is the executor's policy for one launch.
func (p Policy) permissions(pass permission.Pass, trusted bool, workspace string) permission.Policy {
	return permission.Policy{
		Pass: pass, Trusted: trusted, Workspace: workspace,
		FullAccessAllowed: p.Permissions.FullAccess, DenyAll: p.Permissions.DenyAll,
		Deny: p.Permissions.Deny, Ask: p.Permissions.Ask, Allow: p.Permissions.Allow,
	}
}
