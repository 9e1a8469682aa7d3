package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/user"
	"slices"

	"github.com/d3mlabs/ai-flow/executor/process"
	"github.com/d3mlabs/ai-flow/isolation"
)

// boundary is what the caller said about isolation.
type boundary struct {
	user     string // the agent user; "" means the default one
	off      bool   // --no-isolation or AI_FLOW_ISOLATION=none
	required bool   // somebody named the user or asked for isolation: no way round it is looked for
}

// identity finds out who the agent runs as on this host. Where the agent user is missing and we have the rights, it makes
// it, after saying each step. Where we have not, and nobody insists, the boundary stays off: fallback is then the reason,
// and only the built-in agent may be run.
func (p *program) identity(ctx context.Context, b boundary) (id isolation.Identity, fallback error, err error) {
	if b.off {
		id, err = p.unisolated()
		return id, nil, err
	}
	name := b.user
	if name == "" {
		name = defaultUser
	}
	id, err = isolation.Resolve(ctx, process.Runner{}, name)
	var setup *isolation.SetupError
	if err == nil || !errors.As(err, &setup) {
		return id, nil, err
	}
	switch err := p.prepareHost(ctx, name); {
	case ctx.Err() != nil:
		return id, nil, context.Cause(ctx)
	case err == nil:
		id, err = isolation.Resolve(ctx, process.Runner{}, name)
		return id, nil, err
	case !errors.Is(err, errNoRights):
		return id, nil, err
	case b.required || os.Geteuid() == 0:
		return id, nil, setup
	}
	id, err = p.unisolated()
	return id, setup, err
}

// unisolated is the identity with the boundary off. As root there is none: an agent never runs as root.
func (p *program) unisolated() (isolation.Identity, error) {
	if os.Geteuid() == 0 {
		return isolation.Identity{}, &usageError{"without isolation the agent would run as root, and an agent never does",
			"leave isolation on (as root nothing needs to be prepared for it), or run ai-flow as an ordinary user"}
	}
	return isolation.Unisolated(p.env.appKey)
}

// errNoRights is a host that we may not change.
var errNoRights = errors.New("no rights to make the agent user")

// prepareHost makes the agent user and the rule that lets us become it. Each step is said before it is done.
func (p *program) prepareHost(ctx context.Context, agent string) error {
	me, err := user.Current()
	if err != nil {
		return fmt.Errorf("finding out who we are: %w", err)
	}
	setup := isolation.HostSetup{Dispatcher: me.Username, Agent: agent}
	steps, err := setup.Steps()
	if err != nil {
		return err
	}
	if len(steps) == 0 || !mayRun(ctx, steps[0]) {
		return errNoRights
	}
	p.say.line("making this host ready, once:")
	for _, s := range steps {
		p.say.line("  %s", s.Say)
		_, stderr, code, err := process.Runner{}.Run(ctx, s.Argv, s.Env, nil)
		if err == nil && code != 0 {
			err = fmt.Errorf("exit status %d: %s", code, quoted(string(stderr)))
		}
		if err != nil {
			return fmt.Errorf("making this host ready: %w", err)
		}
	}
	return nil
}

// mayRun reports whether the steps could be done at all, before any of them is announced: what stands before a step's own
// command line (nothing as root, else the call that asks for no password) is tried on a command that does nothing.
func mayRun(ctx context.Context, s isolation.SetupStep) bool {
	if os.Geteuid() == 0 {
		return true
	}
	end := slices.Index(s.Argv, "--")
	if end < 0 {
		return false
	}
	_, _, code, err := process.Runner{}.Run(ctx, append(slices.Clone(s.Argv[:end+1]), "/bin/true"), s.Env, nil)
	return err == nil && code == 0
}
