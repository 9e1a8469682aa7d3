package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"strings"
	"time"

	"github.com/d3mlabs/ai-flow/executor/process"
	"github.com/d3mlabs/ai-flow/isolation"
)

// boundary is what the caller said about isolation.
type boundary struct {
	user     string // the agent user; "" means the default one
	flag     bool   // --user named it
	off      bool   // --no-isolation or AI_FLOW_ISOLATION=none
	required bool   // somebody named the user or asked for isolation: no way round it is looked for
}

// identity finds out who the agent runs as on this host. Where the agent user or the rule that leads to it is missing and we
// have the rights, it makes them, after saying each step; a user that is refused for anything else gets no rule. For a name
// that stands nowhere but on the command line it does not: a typing error would make an account, or open somebody's. Where
// we have not the rights, and nobody insists, the boundary stays off: fallback is then the reason, and only the built-in
// agent may be run.
func (p *program) identity(ctx context.Context, b boundary) (id isolation.Identity, fallback error, err error) {
	if b.off {
		id, err = p.unisolated()
		return id, nil, err
	}
	name := firstOf(b.user, defaultUser)
	id, err = isolation.Resolve(ctx, process.Runner{}, name)
	var setup *isolation.SetupError
	if err == nil || !errors.As(err, &setup) {
		return id, nil, err
	}
	if b.flag {
		setup.Fix = variableToFlag.Replace(setup.Fix)
	}
	if setup.Kind == isolation.NoUser || setup.Kind == isolation.NoRule {
		me, err := user.Current()
		if err != nil {
			return id, nil, fmt.Errorf("finding out who we are: %w", err)
		}
		host := isolation.HostSetup{Dispatcher: me.Username, Agent: name}
		configured := !b.flag || name == defaultUser || name == p.env.user
		if configured && mayPrepare(ctx, host) {
			id, err = p.prepareHost(ctx, host)
			return id, nil, err
		}
		setup.Fix = firstOf(p.switchOn(host), setup.Fix)
	}
	if b.required || os.Geteuid() == 0 {
		return id, nil, setup
	}
	id, err = p.unisolated()
	return id, setup, err
}

// variableToFlag words a hint for somebody who named the user on the command line.
var variableToFlag = strings.NewReplacer("set AI_FLOW_AGENT_USER to ", "let --user name ", "AI_FLOW_ISOLATION=none", "--no-isolation")

// unisolated is the identity with the boundary off. As root there is none: an agent never runs as root.
func (p *program) unisolated() (isolation.Identity, error) {
	if os.Geteuid() == 0 {
		return isolation.Identity{}, &usageError{"without isolation the agent would run as root, and an agent never does",
			"leave isolation on (as root nothing needs to be prepared for it), or run ai-flow as an ordinary user"}
	}
	return isolation.Unisolated(p.env.appKey)
}

// mayPrepare reports whether the steps could be done at all, before any of them is announced.
func mayPrepare(ctx context.Context, host isolation.HostSetup) bool {
	return runStep(ctx, host.Trial()) == nil
}

// prepareHost makes what this host lacks, as setup does.
func (p *program) prepareHost(ctx context.Context, host isolation.HostSetup) (id isolation.Identity, err error) {
	p.say.line("making this host ready, once:")
	tell := func(s isolation.SetupStep) {
		if s.Stands == "" {
			p.say.line("  %s", s.Say)
		}
	}
	if err := carryOut(ctx, host.Survey, prepareAttempts, tell); err != nil {
		return id, fmt.Errorf("making this host ready: %w", err)
	}
	return isolation.Resolve(ctx, process.Runner{}, host.Agent)
}

// prepareAttempts is how often a plan that makes something is looked at again: another run may be making the same at this
// moment, and the tools for that fail while one of them works.
const prepareAttempts = 10

// carryOut does the steps of a plan that are still to be done. Each is told when its turn comes for the first time, what stands too.
func carryOut(ctx context.Context, plan func() ([]isolation.SetupStep, error), attempts int, tell func(isolation.SetupStep)) error {
	const pause = 500 * time.Millisecond
	told := 0
	for attempt := 1; ; attempt++ {
		steps, err := plan()
		if err != nil {
			return err
		}
		for at, s := range steps {
			if at >= told {
				tell(s)
				told = at + 1
			}
			if s.Stands != "" {
				continue
			}
			if err = runStep(ctx, s); err != nil {
				break
			}
		}
		if err == nil || attempt == attempts {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(pause):
		}
	}
}

// runStep runs one step. A minute is long for any of them; only a look-up of users over a network that is down takes more.
func runStep(ctx context.Context, s isolation.SetupStep) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	_, stderr, code, err := process.Runner{}.Run(ctx, s.Argv, s.Env, nil)
	if err == nil && code != 0 {
		err = fmt.Errorf("exit status %d: %s", code, quoted(string(stderr)))
	}
	return err
}

// switchOn writes the steps into a file of our own and returns the one command that a person with the rights can paste, ""
// when there is none. A file, because the steps are scripts of many lines, and because it can be read before it is run.
func (p *program) switchOn(host isolation.HostSetup) string {
	steps, err := host.Steps()
	if err != nil || len(steps) == 0 {
		return "" // the reason is the one that is being reported
	}
	var b strings.Builder
	b.WriteString("# Switches isolation on for ai-flow. Written by ai-flow try; run it as root.\nset -e\n")
	for _, s := range steps {
		fmt.Fprintf(&b, "\necho %s\nenv -i %s %s\n", shellWord(s.Say), shellWords(s.Env), shellWords(s.Argv))
	}
	file := filepath.Join(p.env.state, "switch-on.sh")
	if err := os.WriteFile(file, []byte(b.String()), 0o600); err != nil {
		p.say.line("  writing down how to switch isolation on: %v", err)
		return ""
	}
	if os.Geteuid() == 0 {
		return shellWords([]string{"sh", file})
	}
	// What a step starts with is how this host lets somebody act as root.
	return shellWords([]string{host.Trial().Argv[0], "sh", file})
}
