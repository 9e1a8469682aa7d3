package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/d3mlabs/ai-flow/commands"
	"github.com/d3mlabs/ai-flow/executor"
	"github.com/d3mlabs/ai-flow/executor/agents"
	"github.com/d3mlabs/ai-flow/executor/agents/pinned"
	"github.com/d3mlabs/ai-flow/isolation"
)

// chooseAgent decides which agent runs, and as whom, and says both before anything runs.
func (p *program) chooseAgent(ctx context.Context, o tryOptions, policy commands.Policy) (executor.Agent, error) {
	profile, binary, named, err := p.profile(o, policy)
	if err != nil {
		return executor.Agent{}, err
	}
	builtIn := profile.Status == agents.BuiltIn
	id, fallback, err := p.identity(ctx, p.boundary(o, named && !builtIn))
	if err != nil {
		return executor.Agent{}, err
	}
	if fallback != nil && !builtIn {
		// Nobody asked for this agent by name, and nobody said that it may run without a boundary.
		profile, _ = agents.Find(demoAgent)
		binary = ""
	}
	p.announce(profile, id, fallback, named)
	p.sayCredential(profile)
	p.sayFallback(fallback)
	return p.agent(profile, binary, id)
}

// boundary is what the caller said about isolation; chosen reports whether a real agent was asked for by name.
func (p *program) boundary(o tryOptions, chosen bool) boundary {
	b := boundary{user: firstOf(o.user, p.env.user), flag: o.user != "", off: o.noIsolation || p.env.isolation == wishNone && o.user == ""}
	b.required = b.user != "" || p.env.isolation == wishUser || chosen
	return b
}

// agent is a profile as it can be launched on this host.
func (p *program) agent(profile agents.Profile, binary string, id isolation.Identity) (agent executor.Agent, err error) {
	self, err := os.Executable()
	if err != nil {
		return agent, fmt.Errorf("finding our own executable: %w", err)
	}
	agent = executor.Agent{Profile: profile, Binary: binary, Self: self, Identity: id, Environ: p.env.all, AllowEnv: p.env.allow}
	if agent.Pinned, err = p.installed(profile); err != nil {
		return executor.Agent{}, err
	}
	if profile.Status != agents.BuiltIn { // its arguments are ours
		agent.Args = p.env.agentArgs
	}
	return agent, nil
}

// demoAgent is the name of the built-in agent.
const demoAgent = "demo"

// profile finds the agent: the one that is named (flag, environment, policy file), else the first usable one. A binary that
// the operator names runs as it is, unpinned.
func (p *program) profile(o tryOptions, policy commands.Policy) (profile agents.Profile, binary string, named bool, err error) {
	name := firstOf(o.agent, p.env.agent, policy.Agent)
	if name == "" && p.env.agentBin != "" {
		name = customAgent
	}
	if name == "" {
		profile, at := agents.Pick(p.env.has, p.lookPath)
		return profile, at.Binary, false, nil
	}
	profile, ok := agents.Find(name)
	if !ok {
		return profile, "", true, &usageError{"there is no agent " + quoted(name), "one of: " + strings.Join(agentNames(), ", ")}
	}
	if profile.Status == agents.BuiltIn {
		return profile, "", true, nil
	}
	if p.env.agentBin != "" {
		if !filepath.IsAbs(p.env.agentBin) {
			return profile, "", true, &usageError{"AI_FLOW_AGENT_BIN is not an absolute path: " + quoted(p.env.agentBin), "give the whole path, from the root on"}
		}
		return profile, p.env.agentBin, true, nil
	}
	if _, err := p.installed(profile); err != nil {
		return profile, "", true, err
	}
	at := profile.Look(p.env.has, p.lookPath)
	if at.Binary == "" {
		return profile, "", true, &usageError{profile.Title + " is not on PATH" + programName(profile),
			obtain(profile) + ", name its binary in AI_FLOW_AGENT_BIN, or use --agent " + demoAgent}
	}
	return profile, at.Binary, true, nil
}

// obtain says how an agent's program comes to this host.
func obtain(profile agents.Profile) string {
	if pinned.Scope(profile.Name) == "" {
		return "install it"
	}
	return "fetch a checked copy (ai-flow agents install " + profile.Name + ")"
}

func programName(profile agents.Profile) string {
	if profile.Binary == "" {
		return ""
	}
	return " (" + profile.Binary + ")"
}

func agentNames() (names []string) {
	for _, profile := range agents.All() {
		names = append(names, profile.Name)
	}
	return names
}

// announce says which agent runs as whom, and where that is not what one would expect, why.
func (p *program) announce(profile agents.Profile, id isolation.Identity, fallback error, named bool) {
	who := "as " + id.Name()
	if !id.Isolated() {
		who = "as yourself, without a boundary"
	}
	p.say.line("%s: %s, %s", p.say.paint(bold, "agent"), profile.Title, who)
	if !named && profile.Status == agents.BuiltIn && fallback == nil {
		p.say.line("  no other agent is usable here: ai-flow agents")
	}
	if c, err := p.installed(profile); err == nil && profile.Status != agents.BuiltIn {
		p.say.line("  %s", p.origin(c))
	}
}

// sayCredential says that there is none, where one is needed.
func (p *program) sayCredential(profile agents.Profile) {
	if profile.Credential != "" && !p.env.has(profile.Credential) && !(profile.Provider != "" && p.env.has(profile.Provider)) {
		p.say.line("  %s is not set; the agent may ask for a login, which nobody here can give", profile.Credential)
	}
}

// sayFallback says why there is no boundary, and what switches it on.
func (p *program) sayFallback(fallback error) {
	if fallback != nil {
		p.say.line("  isolation is off: %s", fallback)
		p.say.line("  switch it on with: %s", hint(fallback))
	}
}
