package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/urfave/cli/v2"
)

// The exit statuses.
const (
	ExitDone      = 0   // done, nothing to do, or a refusal that was reported
	ExitFailed    = 1   // the run failed, and its result says so
	ExitUsage     = 2   // wrong arguments, wrong configuration, or a host that is not ready; nothing was started
	ExitCancelled = 130 // interrupted or terminated; what was started is gone
)

// Command is the program as a value. All fields are required but Stdin, which only the hidden demo-agent reads.
type Command struct {
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Environ        []string // as os.Environ gives it
	Args           []string // without the program's name
	Dir            string   // the working directory, absolute; "" when it is gone
}

// Main runs the program and returns its exit status. When ctx ends, whatever was started is ended first.
func (c Command) Main(ctx context.Context) int {
	env, err := parseEnvironment(c.Environ)
	secrets := env.secretValues()
	known := newSecrets(secrets)
	say := newVoice(c.Stderr, env, known)
	p := &program{Command: c, env: env, secrets: secrets, say: say, out: newGuard(c.Stdout, known)}
	if err != nil {
		p.complain(err)
		return ExitUsage
	}
	err = p.app().RunContext(ctx, append([]string{"ai-flow"}, c.Args...))
	if flushed := p.out.flush(); err == nil && flushed != nil {
		err = fmt.Errorf("writing to standard output: %w", flushed)
	}
	status := exitStatus(ctx, err)
	var reported *reportedError
	switch {
	case err == nil || errors.As(err, &reported):
	case status == ExitCancelled:
		say.failure(err)
	default:
		p.complain(err)
	}
	return status
}

// program is a Command with its environment understood. Whatever it prints goes through out and say, never through the
// Command's own writers.
type program struct {
	Command
	env     environment
	secrets []string // values that must not be printed
	say     *voice
	out     *guard
}

// reportedError is a failure whose result has been written already.
type reportedError struct{ status int }

func (e *reportedError) Error() string { return "failed, as reported" }

// startedError is a failure after something was started: whatever it comes from, it is no wrong usage.
type startedError struct{ error }

func (e *startedError) Unwrap() error { return e.error }

// usageError is the caller's mistake, and what to do instead.
type usageError struct{ message, hint string }

func (e *usageError) Error() string { return e.message }

// exitStatus maps the end of a run to a status. A run that was interrupted is cancelled, whatever error that made.
func exitStatus(ctx context.Context, err error) int {
	var reported *reportedError
	var started *startedError
	switch {
	case err == nil:
		return ExitDone
	case ctx.Err() != nil:
		return ExitCancelled
	case errors.As(err, &reported):
		return reported.status
	case isUsage(err) && !errors.As(err, &started):
		return ExitUsage
	default:
		return ExitFailed
	}
}

func (p *program) app() *cli.App {
	app := &cli.App{
		Name:        "ai-flow",
		Usage:       "a coding agent behind a real boundary, asked by a comment",
		Description: "Flags come before arguments: ai-flow try --agent demo '/ask how is this tested?'",
		Reader:      p.Stdin, Writer: p.out, ErrWriter: p.say.w,
		HideVersion: true, HideHelpCommand: true,
		DisableSliceFlagSeparator: true, // a value of probe --env may hold commas
		Flags:                     []cli.Flag{&cli.BoolFlag{Name: "version", Usage: "print version, commit and Go version"}},
		ExitErrHandler:            func(*cli.Context, error) {}, // the library would call os.Exit and write by itself
		OnUsageError:              wrongUsage,
		Action:                    p.root,
		Commands: []*cli.Command{
			p.tryCommand(), p.agentsCommand(), p.probeCommand(), p.setupCommand(), p.doctorCommand(), p.previewCommand(), p.authorizeCommand(), p.dispatchCommand(), p.finalizeCommand(), p.demoAgentCommand(), p.doctorInsideCommand(),
		},
	}
	for _, c := range app.Commands { // the library does not pass these down
		for _, c := range append(c.Subcommands, c) {
			c.OnUsageError, c.HideHelpCommand = wrongUsage, true
		}
	}
	return app
}

// root is the program without a command that it knows.
func (p *program) root(c *cli.Context) error {
	switch {
	case c.Bool("version"):
		return p.version()
	case c.Args().Present():
		return &usageError{"there is no command " + quoted(c.Args().First()), "ai-flow --help lists the commands"}
	default:
		return cli.ShowAppHelp(c)
	}
}

// wrongUsage keeps the library from printing the whole help after a wrong flag: one line and where to look is enough.
func wrongUsage(c *cli.Context, err error, _ bool) error {
	where := "ai-flow --help"
	if c.Command != nil && c.Command.Name != "" && c.Command.Name != "ai-flow" {
		where = "ai-flow " + c.Command.Name + " --help"
	}
	return &usageError{err.Error(), where + " lists the flags"}
}

// noArguments refuses arguments of a command that takes none.
func noArguments(c *cli.Context) error {
	if c.Args().Present() {
		return &usageError{"unexpected argument " + quoted(c.Args().First()), "ai-flow " + c.Command.FullName() + " --help"}
	}
	return nil
}
