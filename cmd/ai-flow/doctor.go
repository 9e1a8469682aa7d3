package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/d3mlabs/ai-flow/executor/process"
	"github.com/d3mlabs/ai-flow/isolation"
	"github.com/d3mlabs/ai-flow/isolation/doctor"
	"github.com/urfave/cli/v2"
)

// doctorOptions are the flags of doctor.
type doctorOptions struct {
	user     string
	accepted []string // ids
	json     bool
}

const doctorDescription = `Tries to cross the boundary, as the agent's user and through the line by which agents are started, and says for each attempt
whether it was refused (PASS), went through (FAIL), or could not be tried (UNKNOWN), with the fix. Run it as the user that ai-flow
runs as in workflows, with the environment of a job where you can: what it cannot see, it cannot try.

   ai-flow doctor
   ai-flow doctor --user ai-agent2 --accept dispatcher-home --accept metadata
   ai-flow doctor --json

It takes seconds, changes nothing on a host whose boundary stands, and waits while a run has the agent's user. Each run makes those
of the checks that take no time, and stops at one that fails, unless the policy file names it: doctor: { accept: [ID] }.
That file counts for runs alone, and --accept for this call alone. What sysctl and iptables mend lasts until the host starts again.

Exit status: 0 when nothing failed but what was accepted; 1 when something did, or the checks could not be made; 2 wrong usage, or a
host that is not ready: sudo ai-flow setup; 130 cancelled.`

func (p *program) doctorCommand() *cli.Command {
	return &cli.Command{
		Name:        "doctor",
		Usage:       "prove the boundary by trying to cross it",
		Description: doctorDescription,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "user", Usage: "`USER`, already there, that agents run as (default: AI_FLOW_AGENT_USER, else " + defaultUser + ")"},
			&cli.StringSliceFlag{Name: "accept", Usage: "let the check `ID` fail, may be repeated"},
			&cli.BoolFlag{Name: "json", Usage: "print the findings as JSON instead of a table"},
		},
		Action: func(c *cli.Context) error {
			o := doctorOptions{user: c.String("user"), accepted: c.StringSlice("accept"), json: c.Bool("json")}
			if err := errors.Join(noArguments(c), knownChecks(o.accepted)); err != nil {
				return err
			}
			return p.doctor(c.Context, o)
		},
	}
}

// knownChecks refuses an id that no check has: a typing error would accept nothing, in silence.
func knownChecks(ids []string) error {
	known := doctor.IDs()
	for _, id := range ids {
		if !slices.Contains(known, id) {
			return &usageError{"there is no check " + quoted(id), "one of: " + strings.Join(known, ", ")}
		}
	}
	return nil
}

// insideCommand is what of us the agent user runs.
const insideCommand = "doctor-inside"

func (p *program) doctorInsideCommand() *cli.Command {
	return &cli.Command{
		Name:   insideCommand,
		Usage:  "attempts of doctor, as whoever runs it: a plan on standard input, answers on standard output",
		Hidden: true,
		Action: func(c *cli.Context) error {
			if err := noArguments(c); err != nil {
				return err
			}
			// Past the guard, which would take commands of the runner's out of what is data here.
			return doctor.Inside(c.Context, process.Runner{}, p.Stdin, p.Stdout)
		},
	}
}

func (p *program) doctor(ctx context.Context, o doctorOptions) error {
	id, err := p.examined(ctx, o)
	if err != nil {
		return err
	}
	private, err := p.openPrivate()
	if err != nil {
		return err
	}
	defer p.cleanUp(private.close)
	defer context.AfterFunc(ctx, func() { p.say.line("cancelled: ending what was tried") })()
	options, err := p.doctorOptions(private.path)
	if err != nil {
		return err
	}
	options.Identity = id
	options.Room = isolation.OpenOptions{StateDir: p.env.state, TempDir: private.path,
		Waiting: func(who string) { p.say.line("waiting for %s, which has the agent's user", who) }}
	if id.Isolated() {
		p.say.line("trying to cross the boundary as %s", id.Name())
	}
	when := time.Now()
	report, err := doctor.Run(ctx, process.Runner{}, options)
	if err != nil {
		return p.unexamined(err)
	}
	told := p.doctorReport(id, when, report, o.accepted)
	if err := p.showDoctor(o, told); err != nil {
		return &startedError{err}
	}
	if told.Failed > 0 {
		return &reportedError{ExitFailed}
	}
	return nil
}

// examined is the identity that is to be proven. Unlike try, doctor makes no user and no rule: it says what is there.
func (p *program) examined(ctx context.Context, o doctorOptions) (isolation.Identity, error) {
	if p.env.isolation == wishNone && o.user == "" {
		return p.unisolated()
	}
	agent := firstOf(o.user, p.env.user, defaultUser)
	id, err := isolation.Resolve(ctx, process.Runner{}, agent)
	return id, notReady(err, agent)
}

// notReady names setup where it mends what is missing for this agent's user.
func notReady(err error, agent string) error {
	var setup *isolation.SetupError
	if !errors.As(err, &setup) || setup.Kind != isolation.NoUser && setup.Kind != isolation.NoRule {
		return err
	}
	mended := *setup
	mended.Fix = "sudo ai-flow setup --user " + shellWord(agent)
	return &mended
}

// unexamined tells a host that is not ready from checks that could not be made.
func (p *program) unexamined(err error) error {
	var setup *isolation.SetupError
	if errors.As(err, &setup) {
		return err
	}
	return &startedError{fmt.Errorf("the boundary could not be checked: %w", err)}
}

// doctorOptions say what of ours the agent must not reach: our own directories, and the key that a file of the host holds.
// The values of secrets stay here; what the agent's side sends back is searched for them.
func (p *program) doctorOptions(temp string) (doctor.Options, error) {
	self, err := os.Executable()
	if err != nil {
		return doctor.Options{}, fmt.Errorf("finding our own executable: %w", err)
	}
	o := doctor.Options{Self: self, Environ: p.env.all, Closed: []string{p.env.state, temp}, Secrets: p.env.closedValues()}
	file := p.env.get("AI_FLOW_APP_PRIVATE_KEY_FILE")
	if file == "" {
		return o, nil
	}
	file = p.path(file)
	o.Closed = append(o.Closed, file)
	key, err := readSmall(file, maxKeyFile)
	if err != nil { // that is dispatch's to refuse
		p.say.line("the file that AI_FLOW_APP_PRIVATE_KEY_FILE names cannot be read, so what is in it is not looked for: %v", err)
		return o, nil
	}
	o.Secrets = append(o.Secrets, string(key))
	return o, nil
}

// crossing tries to cross the boundary in the room of a run.
type crossing func(ctx context.Context, room *isolation.Room) (doctor.Report, error)

// shortDoctor makes the checks that take no time. The room is the run's own: the agent's user is taken once.
func (p *program) shortDoctor(temp string) (crossing, error) {
	options, err := p.doctorOptions(temp)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, room *isolation.Room) (doctor.Report, error) {
		o := options
		o.In, o.Short = room, true
		return doctor.Run(ctx, process.Runner{}, o)
	}, nil
}

// warning tells whoever sits before the terminal what stands open. A run of theirs goes on all the same: they are there to see
// it, and the machine is theirs.
func (p *program) warning(cross crossing, accepted []string) crossing {
	return func(ctx context.Context, room *isolation.Room) (doctor.Report, error) {
		report, err := cross(ctx, room)
		for _, f := range report.Failed(accepted) {
			p.say.line("warning: the boundary has an open door, %s: %s", f.ID, f.Why)
			p.say.line("  fix: %s", firstOf(f.Fix, "none is known"))
		}
		return report, err
	}
}
