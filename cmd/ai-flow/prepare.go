package main

import (
	"context"
	"encoding/base64"
	"errors"
	"os"
	"strings"

	"github.com/d3mlabs/ai-flow/commands"
	"github.com/d3mlabs/ai-flow/commands/dispatch"
	"github.com/d3mlabs/ai-flow/commands/git"
	"github.com/d3mlabs/ai-flow/commands/github"
	"github.com/d3mlabs/ai-flow/executor"
	"github.com/d3mlabs/ai-flow/executor/agents"
	"github.com/d3mlabs/ai-flow/executor/agents/pinned"
	"github.com/d3mlabs/ai-flow/executor/process"
	"github.com/d3mlabs/ai-flow/isolation"
	"github.com/d3mlabs/ai-flow/render"
)

// prepare opens what an admitted command needs, what costs least first: whoever misconfigured the host is told within a
// second.
func (w *workflow) prepare(ctx context.Context, s dispatch.Setting) (_ *commands.Flow, end func() error, err error) {
	agent, err := w.workflowAgent(ctx, s.Policy)
	if err != nil {
		return nil, nil, w.named("setup", "the agent could not be prepared", err)
	}
	token, err := w.giveToken(ctx, &agent)
	if err != nil {
		return nil, nil, w.named("github", "no token that can only read could be made for the agent", err)
	}
	private, err := w.openPrivate()
	if err != nil {
		return nil, nil, w.named("setup", "there is no place for ai-flow's own files", err)
	}
	if private.stale != nil {
		w.log.Say("removing what killed runs left: %v", private.stale)
	}
	agent.Room = isolation.OpenOptions{StateDir: w.env.state, TempDir: private.path,
		Waiting: func(who string) { w.log.Say("waiting for %s, which has the agent's user", who) }}
	flow := &commands.Flow{Agent: &threadAgent{&agent, w.env.user}, Place: s.Place, Policy: s.Policy, Model: w.env.model, Log: w.log,
		Secrets: w.out.secrets, Ambient: agent.Profile.Ambient, AgentName: agent.Profile.Name,
		AgentStatus: statusText(agent.Profile.Status), Token: token}
	if flow.Doctor, err = w.shortDoctor(private.path); err != nil {
		return nil, private.close, w.named("setup", "the boundary cannot be checked", err)
	}
	closeAll, err := w.fetchAll(ctx, s, private.path, flow)
	end = func() error { return errors.Join(closeAll(), private.close()) }
	if err != nil {
		return nil, end, w.named("git", "the repository could not be fetched", err)
	}
	return flow, end, nil
}

// fetchAll fetches what the flow works on.
func (w *workflow) fetchAll(ctx context.Context, s dispatch.Setting, temp string, flow *commands.Flow) (closeAll func() error, err error) {
	var opened []*git.Repo
	closeAll = func() error {
		var errs []error
		for _, repo := range opened {
			errs = append(errs, repo.Close())
		}
		return errors.Join(errs...)
	}
	if info, err := os.Stat(w.workdir); w.workdir != "" && (err != nil || !info.IsDir()) {
		w.log.Say("AI_FLOW_WORKDIR is %q, which is no directory: nothing is borrowed from it", w.workdir)
	}
	targets := s.Targets
	if len(targets) == 0 {
		targets = []dispatch.Target{{Hub: w.client, Remote: w.repo, Target: commands.Target{Commit: s.Commit}}}
	}
	for _, t := range targets {
		repo, err := w.fetch(ctx, t, s.Base, temp)
		if repo != nil {
			opened = append(opened, repo)
		}
		if err != nil {
			return closeAll, err
		}
		w.log.Say("working on %.10s of %s", t.Commit, w.source(t, s))
		if t.Repo = repo; s.Targets != nil {
			flow.Targets = append(flow.Targets, t.Target)
		}
	}
	flow.Repo = opened[0]
	return closeAll, nil
}

// source is where a target's commit comes from: a branch of this repository or of a fork, or another repository.
func (w *workflow) source(t dispatch.Target, s dispatch.Setting) string {
	if t.Remote == w.repo {
		return firstOf(t.Branch, s.Branch)
	}
	return strings.TrimSpace(t.Remote.String() + " " + t.Branch)
}

// fetch fetches a target's commit, and base when there is one. A build is told before the agent runs that it may not push.
func (w *workflow) fetch(ctx context.Context, t dispatch.Target, base git.OID, temp string) (*git.Repo, error) {
	token, err := t.Hub.GitToken(ctx)
	if err == nil && t.Name != "" {
		_, err = t.Hub.PushToken(ctx)
	}
	if err != nil {
		return nil, err
	}
	remote := w.remote(t.Remote, token)
	repo, err := git.Fetch(ctx, remote, t.Commit, temp)
	if err == nil && base != "" {
		err = repo.Add(ctx, remote, base)
	}
	return repo, err
}

// remote is how git reaches a repository of the server's.
func (w *workflow) remote(repo github.Repo, token string) git.Remote {
	borrow := w.workdir
	if repo != w.repo {
		borrow = ""
	}
	return git.Remote{URL: w.server + "/" + repo.String() + ".git", Token: token, Borrow: borrow, Env: w.env.wayOut()}
}

// named makes a sentence for the thread of an error. What our own host says about itself may be told; anything else stays in
// the log.
func (w *workflow) named(class, message string, err error) error {
	p := commands.Problem{Class: class, Message: message, Err: err, Next: nextStep(err, w.env.user)}
	var usage *usageError
	var setup *isolation.SetupError
	var copied *pinned.Error
	var call *github.Error
	switch {
	case errors.As(err, &usage):
		p.Message = usage.message
	case errors.As(err, &setup):
		p.Message = setup.Problem
	case errors.As(err, &copied):
		p.Class, p.Message = executor.FailedSetup.String(), copied.Problem
	case errors.As(err, &call) && call.Setup:
		p.Class = executor.FailedSetup.String()
	}
	return &dispatch.Trouble{Problem: p}
}

// workflowAgent decides which agent runs and as whom. Unlike try it makes no user and looks for no way round a boundary
// that is not there: nobody is at hand who could agree.
func (w *workflow) workflowAgent(ctx context.Context, policy commands.Policy) (executor.Agent, error) {
	profile, binary, named, err := w.profile(tryOptions{}, policy)
	if err != nil {
		return executor.Agent{}, err
	}
	if !named && profile.Status == agents.BuiltIn {
		return executor.Agent{}, &usageError{"no agent is usable on this runner", "install one, set its credential, and name it in `AI_FLOW_AGENT`; `ai-flow agents` lists them"}
	}
	id, err := w.workflowIdentity(ctx)
	if err != nil {
		return executor.Agent{}, err
	}
	agent, err := w.agent(profile, binary, id)
	if err != nil {
		return executor.Agent{}, err
	}
	agent.Limits, agent.Log = policy.Limits, w.log
	w.log.Say("agent: %s, as %s", profile.Title, id.Name())
	if profile.Status != agents.BuiltIn {
		w.log.Say("%s", w.origin(agent.Pinned))
	}
	if !id.Isolated() {
		w.log.Say("isolation is off: the agent can do whatever this runner's user can")
	}
	return agent, nil
}

func (w *workflow) workflowIdentity(ctx context.Context) (isolation.Identity, error) {
	if w.env.isolation == wishNone {
		return w.unisolated()
	}
	return isolation.Resolve(ctx, process.Runner{}, firstOf(w.env.user, defaultUser))
}

// giveToken lets the agent read the repository as itself. Without an App it gets nothing: the token that we have may write.
func (w *workflow) giveToken(ctx context.Context, agent *executor.Agent) (*render.Token, error) {
	token, scope, err := w.client.AgentToken(ctx)
	if errors.Is(err, github.ErrNoAgentToken) {
		w.log.Say("the agent gets no token: %v", err)
		return &render.Token{}, nil
	}
	if err != nil {
		return nil, err
	}
	w.log.Say("the agent's token: %s", scope)
	header := "AUTHORIZATION: basic " + base64.StdEncoding.EncodeToString([]byte("x-access-token:"+token))
	agent.Extra = map[string]string{"GH_TOKEN": token,
		"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "http." + w.server + "/.extraheader", "GIT_CONFIG_VALUE_0": header}
	return &render.Token{Repos: []string{w.repo.String()}}, nil
}

// wayOut is how this host reaches the server, where it is not the plain way.
func (e environment) wayOut() (env []string) {
	for _, name := range []string{"HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY", "https_proxy", "http_proxy", "no_proxy",
		"SSL_CERT_FILE", "SSL_CERT_DIR", "GIT_SSL_CAINFO"} {
		if e.has(name) {
			env = append(env, name+"="+e.get(name))
		}
	}
	return env
}
