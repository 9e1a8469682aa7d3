package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/user"

	"github.com/d3mlabs/ai-flow/executor/process"
	"github.com/d3mlabs/ai-flow/isolation"
	"github.com/urfave/cli/v2"
)

// setupOptions are the flags of setup.
type setupOptions struct {
	host         isolation.HostSetup
	dryRun, undo bool
}

const setupDescription = `Makes this host ready for agents, as root: a locked user that agents run as, the lock that its dispatchers share, and one
sudoers rule that lets the runner's user become it and nobody else, checked by visudo before it counts and tried after.

   sudo ai-flow setup                             for whoever calls sudo
   sudo ai-flow setup --runner-user runner        in a step of a workflow, or from a provisioning script
   ai-flow setup --dry-run                        prints the same list, and changes nothing; needs no rights

It asks nothing and may be run again at any time, also after it was killed: what stands is left as it is. Several runners on
one host: give each an agent user of its own, or let them take turns with one. --undo takes back what this pair has; what ai-flow did
not make, and what another runner uses, stays. Files that agents left in places like /tmp stay too.

What is done goes to standard output, a line for each thing. Exit status: 0 ready, or nothing to do; 1 a step failed, or sudo
does not obey the rule, which is then removed again; 2 wrong usage, no rights, or a user or a host that is refused: nothing was changed.`

func (p *program) setupCommand() *cli.Command {
	return &cli.Command{
		Name:        "setup",
		Usage:       "make this host ready: agent user, sudoers rule, lock",
		Description: setupDescription,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "user", Usage: "`USER` that agents run as, made where it does not exist (default: AI_FLOW_AGENT_USER, else " + defaultUser + ")"},
			&cli.StringFlag{Name: "runner-user", Usage: "`USER` that ai-flow runs as, which exists (default: who calls, also through sudo)"},
			&cli.BoolFlag{Name: "dry-run", Usage: "print what would be done, and change nothing"},
			&cli.BoolFlag{Name: "undo", Usage: "take it back"},
		},
		Action: func(c *cli.Context) error {
			o, err := p.readSetupOptions(c)
			if err != nil {
				return err
			}
			return p.setup(c.Context, o)
		},
	}
}

// readSetupOptions leaves names as they are: an empty one that was given is refused like any other that is none.
func (p *program) readSetupOptions(c *cli.Context) (setupOptions, error) {
	o := setupOptions{dryRun: c.Bool("dry-run"), undo: c.Bool("undo")}
	if err := noArguments(c); err != nil {
		return o, err
	}
	if o.host.Agent = c.String("user"); !c.IsSet("user") {
		o.host.Agent = firstOf(p.env.user, defaultUser)
	}
	if o.host.Dispatcher = c.String("runner-user"); c.IsSet("runner-user") {
		return o, nil
	}
	me, err := user.Current()
	if err != nil {
		return o, fmt.Errorf("finding out who calls: %w", err)
	}
	o.host.Dispatcher = me.Username
	if os.Geteuid() == 0 {
		o.host.Dispatcher = firstOf(p.env.get("SUDO_USER"), me.Username)
	}
	return o, nil
}

func (p *program) setup(ctx context.Context, o setupOptions) error {
	plan, attempts := o.host.Survey, prepareAttempts
	if o.undo {
		plan, attempts = o.host.Undo, 1
	}
	steps, err := plan()
	if err != nil {
		return p.refuseSetup(steps, err)
	}
	if o.dryRun {
		p.tellDry(o, steps)
		return nil
	}
	if os.Geteuid() != 0 {
		return &usageError{"setup changes this host, which only root may", p.asRoot(o)}
	}
	if err := carryOut(ctx, plan, attempts, p.tellStep); err != nil {
		return &startedError{fmt.Errorf("setting this host up: %w", err)}
	}
	if o.undo {
		return nil
	}
	left, err := o.host.Steps()
	if err == nil && len(left) > 0 { // a tool may say that it did what it did not
		err = fmt.Errorf("all was done, and this is still to be done: %s", left[0].Say)
	}
	if err != nil {
		return &startedError{err}
	}
	return p.proveSetup(ctx, o.host, steps)
}

// refuseSetup tells what a person would have to do on a system that we do not prepare.
func (p *program) refuseSetup(steps []isolation.SetupStep, err error) error {
	var setup *isolation.SetupError
	if errors.As(err, &setup) {
		setup.Fix = variableToFlag.Replace(setup.Fix)
	}
	for _, s := range steps {
		p.tellStep(s)
	}
	return err
}

// asRoot is the command line that does it. The program by its path, since sudo looks along a PATH of its own.
func (p *program) asRoot(o setupOptions) string {
	self, err := os.Executable()
	if err != nil {
		self = "ai-flow"
	}
	argv := isolation.AsRoot(self, "setup", "--user", o.host.Agent, "--runner-user", o.host.Dispatcher)
	if o.undo {
		argv = append(argv, "--undo")
	}
	return shellWords(argv)
}

// tellStep prints a step, or that it stands.
func (p *program) tellStep(s isolation.SetupStep) { p.tell(firstOf(s.Stands, s.Say)) }

func (p *program) tell(line string) { fmt.Fprintln(p.out, p.say.clean(line)) }

func (p *program) tellDry(o setupOptions, steps []isolation.SetupStep) {
	for _, s := range steps {
		p.tellStep(s)
		if s.Unseen {
			p.say.line("  whether this is done already, only root can see")
		}
	}
	if !o.undo {
		p.tell(o.host.Proof())
	}
	p.say.line("nothing was changed; without --dry-run it is done")
}

// proveSetup tries what the rule is for. A rule that was made just now and does not work is removed again: it would come to life
// by a change of sudo's configuration that nobody connects with it.
func (p *program) proveSetup(ctx context.Context, host isolation.HostSetup, before []isolation.SetupStep) error {
	p.tell(host.Proof())
	err := host.Prove(ctx, process.Runner{})
	if err == nil {
		p.say.line("ready: %s may run agents as %s; to prove the boundary, as %[1]s: ai-flow doctor --user %[2]s", host.Dispatcher, host.Agent)
		return nil
	}
	var setup *isolation.SetupError
	made := before[len(before)-1].Stands == ""
	if errors.As(err, &setup) && setup.Kind == isolation.NoRule && made {
		back := host.TakeBackRule()
		p.tellStep(back)
		if failed := runStep(ctx, back); failed != nil {
			p.say.line("  %v", failed)
		}
	}
	return &startedError{err}
}
