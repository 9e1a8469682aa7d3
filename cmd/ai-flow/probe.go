package main

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/d3mlabs/ai-flow/commands"
	"github.com/d3mlabs/ai-flow/executor"
	"github.com/d3mlabs/ai-flow/executor/agents"
	"github.com/d3mlabs/ai-flow/executor/probe"
	"github.com/d3mlabs/ai-flow/isolation"
	"github.com/urfave/cli/v2"
)

// probeOptions are the flags of probe, and its argument.
type probeOptions struct {
	agent, user, out  string
	scenarios         []probe.Scenario
	variables         map[string]string
	noIsolation, json bool
}

// prober is probe.Run; tests of what is told of a probe have their own.
type prober func(context.Context, probe.Options) (probe.Result, error)

const probeDescription = `Drives an agent through whole launches, as the agent's user, against a scripted model on this host, and prints what it
really does: whether it asks before it acts, in which words, where exit codes stand, how it is cancelled and how it ends;
then for each rule that ai-flow relies on: holds, does not, not exercised. No account is needed and no credential of yours is
used, so it says nothing of real models, accounts or cost. It takes minutes.

   ai-flow probe copilot
   ai-flow probe --scenario reject-write --scenario edit claude
   AI_FLOW_AGENT_BIN=/opt/new/agent AI_FLOW_AGENT_ARGS=--acp ai-flow probe --env 'NEW_URL={root}/v1' --env 'NEW_KEY={key}' custom

Each scenario's wire is kept as DIR/SCENARIO.jsonl, beside probe.json, table.txt and run.log; without --out in a directory
of ai-flow's own, which the next probe of that agent replaces. Exit status: 0 when the probe was carried out, whatever it
found; 1 when no launch could be made; 2 wrong usage, or a host that is not ready; 130 cancelled.`

func (p *program) probeCommand() *cli.Command {
	return &cli.Command{
		Name:        "probe",
		Usage:       "drive an agent against a scripted model, and say what it really does",
		Description: probeDescription,
		ArgsUsage:   "NAME",
		Flags: []cli.Flag{
			&cli.StringSliceFlag{Name: "scenario", Usage: "play `NAME` alone, may be repeated: " + strings.Join(scenarioNames(), ", ")},
			&cli.StringFlag{Name: "user", Usage: "`USER`, already there, that the agent runs as (default: " + defaultUser + ", which is made)"},
			&cli.BoolFlag{Name: "no-isolation", Usage: "let the agent run as yourself: it can read and change whatever you can"},
			&cli.StringSliceFlag{Name: "env", Usage: "`NAME=VALUE` points an agent to the model where ai-flow does not know how, may be repeated: {root} in it is the model's address, {key} the key"},
			&cli.StringFlag{Name: "out", Usage: "write the transcripts, probe.json and table.txt to `DIR`, which is new, empty or of an earlier probe"},
			&cli.BoolFlag{Name: "json", Usage: "print probe.json instead of the tables"},
		},
		Action: func(c *cli.Context) error {
			o, err := readProbeOptions(c)
			if err != nil {
				return err
			}
			return p.probe(c.Context, o, probe.Run)
		},
	}
}

func readProbeOptions(c *cli.Context) (o probeOptions, err error) {
	o = probeOptions{agent: c.Args().First(), user: c.String("user"), out: c.String("out"), json: c.Bool("json"), noIsolation: c.Bool("no-isolation")}
	switch {
	case c.NArg() == 0:
		return o, &usageError{"probe takes the name of an agent", "one of: " + strings.Join(agentNames(), ", ")}
	case c.NArg() > 1:
		return o, &usageError{"probe takes one name, and something follows it: " + quoted(c.Args().Get(1)),
			"put flags before the name: ai-flow probe --json copilot"}
	case o.noIsolation && o.user != "":
		return o, &usageError{"--user names who the agent runs as, and --no-isolation says yourself", "leave one of them out"}
	}
	if o.scenarios, err = readScenarios(c.StringSlice("scenario")); err != nil {
		return o, err
	}
	o.variables, err = readVariables(c.StringSlice("env"))
	return o, err
}

// readScenarios finds scenarios by name, each once and in the order in which they are played; nil means all.
func readScenarios(names []string) (scenarios []probe.Scenario, err error) {
	for _, name := range names {
		s, ok := probe.FindScenario(name)
		if !ok {
			return nil, &usageError{"there is no scenario " + quoted(name), "one of: " + strings.Join(scenarioNames(), ", ")}
		}
		scenarios = append(scenarios, s)
	}
	slices.Sort(scenarios)
	return slices.Compact(scenarios), nil
}

func scenarioNames() (names []string) {
	for _, s := range probe.Scenarios() {
		names = append(names, s.String())
	}
	return names
}

var variableName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// readVariables takes NAME=VALUE apart. A value is never quoted in an error: somebody may have put a real key there.
func readVariables(pairs []string) (map[string]string, error) {
	variables := map[string]string{}
	for _, pair := range pairs {
		name, value, ok := strings.Cut(pair, "=")
		_, twice := variables[name]
		switch {
		case !ok || !variableName.MatchString(name):
			return nil, &usageError{"--env is not of the form NAME=VALUE", "for example: --env 'OPENAI_BASE_URL={root}/v1'"}
		case twice:
			return nil, &usageError{"--env sets " + name + " twice", "leave one of them out"}
		}
		variables[name] = value
	}
	return variables, nil
}

// probe carries a probe out. What is wrong with what was asked for is found before anything of the host is touched.
func (p *program) probe(ctx context.Context, o probeOptions, run prober) error {
	profile, binary, err := p.probed(o)
	if err != nil {
		return err
	}
	p.hideVariables(o.variables)
	private, err := p.openPrivate()
	if err != nil {
		return err
	}
	defer p.cleanUp(private.close)
	out, err := p.openProbeOutput(o)
	if err != nil {
		return err
	}
	defer p.cleanUp(out.discard)
	if private.stale != nil {
		out.log.Say("removing what killed runs left: %v", private.stale)
	}
	id, _, err := p.identity(ctx, p.boundary(tryOptions{user: o.user, noIsolation: o.noIsolation}, true))
	if err != nil {
		return err
	}
	p.announce(profile, id, nil, true)
	agent, err := p.agent(profile, binary, id)
	if err != nil {
		return err
	}
	tell := newProgress(p.say)
	agent.Log = out.log
	agent.Room = isolation.OpenOptions{StateDir: p.env.state, TempDir: private.path,
		Waiting: func(who string) { tell.event(executor.Event{Kind: executor.EventWaiting, Text: who}) }}
	defer context.AfterFunc(ctx, func() { p.say.line("cancelled: ending the agent and what it left behind") })()
	return p.carryOut(ctx, o, out, run, probe.Options{Agent: agent, Variables: o.variables, Scenarios: o.scenarios,
		Progress: func(s probe.Scenario, launch string) {
			tell.line("%s", strings.TrimSuffix(s.String()+", "+launch, ", "))
		}})
}

// carryOut runs the probe and tells what came of it. One that was cancelled leaves what an earlier one found.
func (p *program) carryOut(ctx context.Context, o probeOptions, out *output, run prober, options probe.Options) error {
	when := time.Now()
	result, err := run(ctx, options)
	if err != nil && ctx.Err() != nil {
		return err
	}
	told := p.probeReport(options.Agent, when, result, err)
	told.Variables = slices.Sorted(maps.Keys(o.variables))
	written := p.showProbe(o, out, told, result)
	var failed *executor.Failure
	if errors.As(err, &failed) && strings.TrimSpace(failed.Tail) != "" {
		p.say.line("the agent's standard error, its last lines:")
		p.say.tail(failed.Tail, tailLines)
	}
	switch {
	case written != nil:
		return errors.Join(err, &startedError{written})
	case errors.As(err, &failed) && failed.Class == executor.FailedSetup:
		p.complain(err)
		return &reportedError{ExitUsage}
	case err != nil && hint(err) == "":
		err = &usageError{err.Error(), probeHint(failed)}
	}
	if err != nil {
		return &startedError{err}
	}
	return nil
}

// probeHint is the next step where no launch was made.
func probeHint(failed *executor.Failure) string {
	if failed != nil && failed.Phase == "initialize" {
		return "look into the log; AI_FLOW_AGENT_ARGS must have what makes it speak ACP, often --acp or acp"
	}
	return "look into the log; if it finds its model or its key by other variables, name them: --env 'NAME={root}/v1' --env 'NAME={key}'"
}

// probed finds the agent, if it can be probed at all.
func (p *program) probed(o probeOptions) (profile agents.Profile, binary string, err error) {
	if profile, ok := agents.Find(o.agent); ok {
		if err := p.probeable(profile, o); err != nil {
			return profile, "", err
		}
	}
	profile, binary, _, err = p.profile(tryOptions{agent: o.agent}, commands.Policy{})
	return profile, binary, err
}

func (p *program) probeable(profile agents.Profile, o probeOptions) error {
	const pointing = "--env 'OPENAI_BASE_URL={root}/v1' --env 'OPENAI_API_KEY={key}'"
	switch {
	case profile.Status == agents.BuiltIn:
		return &usageError{profile.Name + " cannot be probed: " + firstOf(profile.Offline, "it has no model"), "name another agent: ai-flow agents"}
	case len(o.variables) == 0 && (profile.Offline != "" || profile.Loopback == nil):
		return &usageError{profile.Title + " cannot be probed: " + firstOf(profile.Offline, "nothing is known that points it to a model on this host"),
			"if variables can point yours to another model, say which: ai-flow probe " + pointing + " " + profile.Name}
	case profile.Name == customAgent && p.env.agentBin == "":
		return &usageError{"AI_FLOW_AGENT_BIN is not set, which names the binary of the agent " + customAgent,
			"AI_FLOW_AGENT_BIN=/its/binary AI_FLOW_AGENT_ARGS='its arguments' ai-flow probe " + customAgent}
	}
	if _, err := os.Stat(p.env.agentBin); filepath.IsAbs(p.env.agentBin) && errors.Is(err, fs.ErrNotExist) {
		return &usageError{"AI_FLOW_AGENT_BIN names " + quoted(p.env.agentBin) + ", which is not there", "give the path at which it is"}
	}
	if c, err := p.installed(profile); p.env.agentBin == "" && c == nil && err == nil && p.lookPath(profile.Binary) == "" {
		return &usageError{profile.Title + " is not on PATH" + programName(profile), obtain(profile) + ", or name its binary in AI_FLOW_AGENT_BIN"}
	}
	return nil
}

// hideVariables keeps a real key that somebody gave out of what is printed and written.
func (p *program) hideVariables(variables map[string]string) {
	for name, value := range variables {
		if secretName.MatchString(name) && value != "" && !isPlace(value) && !strings.Contains(value, "{") {
			p.secrets = append(p.secrets, value)
			p.out.secrets.Add(value)
		}
	}
}
