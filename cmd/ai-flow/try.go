package main

import (
	"context"
	"errors"

	"github.com/d3mlabs/ai-flow/commands"
	"github.com/d3mlabs/ai-flow/executor"
	"github.com/d3mlabs/ai-flow/isolation"
	"github.com/urfave/cli/v2"
)

// tryOptions are the flags of try, and its argument.
type tryOptions struct {
	comment            string
	agent, model, user string
	surface            commands.Surface
	title, body, out   string
	json, verbose      bool
	noIsolation        bool
}

const tryDescription = `The whole flow on this machine: the commands of the comment are carried out on the git checkout around the working
directory, as it is committed, by the first usable agent, else by the built-in one, which has no model. The agent
works on a copy, as another user, and ends before its work is looked at.

   ai-flow try '/ask how is this project tested?'
   ai-flow try --body issue.md '/edit shorten the second paragraph'
   ai-flow try --agent copilot '/build add a --json flag'      leaves a local branch, and touches nothing else

Progress goes to standard error, the result to standard output.`

func (p *program) tryCommand() *cli.Command {
	return &cli.Command{
		Name:        "try",
		Usage:       "run the commands of a comment on this checkout, without GitHub",
		Description: tryDescription,
		ArgsUsage:   "'<comment>'",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "agent", Usage: "`NAME` of the agent, see ai-flow agents"},
			&cli.StringFlag{Name: "model", Usage: "`NAME` of the model, as the agent knows it"},
			&cli.StringFlag{Name: "user", Usage: "`USER`, already there, that the agent runs as (default: " + defaultUser + ", which is made)"},
			&cli.StringFlag{Name: "as", Usage: "act as if the comment stood on an `issue|pr`"},
			&cli.StringFlag{Name: "title", Usage: "`TITLE` of the issue or pull request"},
			&cli.StringFlag{Name: "body", Usage: "`FILE` with the document that /edit changes and /ask may be about"},
			&cli.StringFlag{Name: "out", Usage: "write comment.md, summary.md, preview.html, report.json, run.log to `DIR` (default: a directory of ai-flow's own)"},
			&cli.BoolFlag{Name: "json", Usage: "print report.json instead of the result"},
			&cli.BoolFlag{Name: "verbose", Usage: "print the run's log instead of the progress; it is in run.log in any case"},
			&cli.BoolFlag{Name: "no-isolation", Usage: "let the agent run as yourself: it can read and change whatever you can"},
		},
		Action: func(c *cli.Context) error {
			o, err := readTryOptions(c)
			if err != nil {
				return err
			}
			return p.try(c.Context, o)
		},
	}
}

func readTryOptions(c *cli.Context) (tryOptions, error) {
	o := tryOptions{comment: c.Args().First(), agent: c.String("agent"), model: c.String("model"), user: c.String("user"),
		title: c.String("title"), body: c.String("body"), out: c.String("out"),
		json: c.Bool("json"), verbose: c.Bool("verbose"), noIsolation: c.Bool("no-isolation")}
	switch {
	case c.NArg() == 0:
		return o, &usageError{"try takes one comment", "ai-flow try '/ask how is this project tested?'"}
	case c.NArg() > 1:
		return o, &usageError{"try takes one comment, and something follows it: " + quoted(c.Args().Get(1)),
			"quote the comment as one word, and put flags before it: ai-flow try --agent demo '/ask how?'"}
	case o.noIsolation && o.user != "":
		return o, &usageError{"--user names who the agent runs as, and --no-isolation says yourself", "leave one of them out"}
	}
	switch as := c.String("as"); as {
	case "":
	case "issue":
		o.surface = commands.Issue
	case "pr":
		o.surface = commands.PullRequest
	default:
		return o, &usageError{"--as is " + quoted(as) + "; it may be issue or pr", ""}
	}
	return o, nil
}

// try carries out a comment. What is wrong with the comment is found before anything of the host is touched.
func (p *program) try(ctx context.Context, o tryOptions) error {
	request := commands.Request{Surface: o.surface, Title: o.title, Trusted: true} // all of it is the caller's own
	comment, err := commands.Parse(o.comment, p.env.prefix)
	request.Comment = comment
	var refusal *commands.Refusal
	switch {
	case errors.As(err, &refusal):
		return p.refuse(o, commands.Refuse(request, refusal))
	case err != nil:
		return err
	case len(comment.Segments) == 0:
		return p.noCommand(comment)
	}
	return p.tryRequest(ctx, o, request)
}

// noCommand tells a person at a terminal why their comment starts nothing. In a workflow the same is silence.
func (p *program) noCommand(c commands.Comment) error {
	for _, m := range c.Misses {
		p.say.line("line %d: %s", m.Line, m.Why)
	}
	slash := "/" + p.env.prefix
	return &usageError{"the comment holds no command", "a command stands at the start of a line: " + slash + "ask, " + slash + "edit or " + slash + "build"}
}

// tryRequest opens what a run needs, in the order in which a person would mend what is missing.
func (p *program) tryRequest(ctx context.Context, o tryOptions, request commands.Request) error {
	place := commands.File{Path: p.document(o.body)}
	if _, err := place.Document(ctx); err != nil {
		return &usageError{err.Error(), "--body names a text file"}
	}
	private, err := p.openPrivate()
	if err != nil {
		return err
	}
	defer p.cleanUp(private.close)
	checkout, err := p.openCheckout(ctx, private.path)
	if err != nil {
		return err
	}
	defer p.cleanUp(checkout.repo.Close)
	policy := checkout.policy
	request.Notes = append(request.Notes, checkout.notes...)
	out, err := p.openOutput(o)
	if err != nil {
		return err
	}
	defer p.cleanUp(out.discard)
	if private.stale != nil {
		out.log.Say("removing what killed runs left: %v", private.stale)
	}
	tell := newProgress(p.say)
	agent, err := p.chooseAgent(ctx, o, policy)
	if err != nil {
		return err
	}
	agent.Log, agent.Limits = out.log, policy.Limits
	agent.Room = isolation.OpenOptions{StateDir: p.env.state, TempDir: private.path,
		Waiting: func(who string) { tell.event(executor.Event{Kind: executor.EventWaiting, Text: who}) }}
	if !o.verbose {
		agent.Progress = tell.event
		defer tell.remind()()
	}
	flow := &commands.Flow{Agent: &agent, Repo: checkout.repo, Place: place, Policy: policy,
		Model: firstOf(o.model, p.env.model), Log: out.log, Secrets: p.out.secrets, Ambient: agent.Profile.Ambient, AgentName: agent.Profile.Name, AgentStatus: statusText(agent.Profile.Status)}
	cross, err := p.shortDoctor(private.path)
	if err != nil {
		return err
	}
	flow.Doctor, flow.DoctorWarns = p.warning(cross, policy.Accept), true
	defer context.AfterFunc(ctx, func() { p.say.line("cancelled: ending the agent and what it left behind") })()
	return p.show(o, flow.Run(ctx, request), out, checkout.branch)
}

// refuse shows a refusal, for which nothing was opened.
func (p *program) refuse(o tryOptions, outcome commands.Outcome) error {
	out, err := p.openOutput(o)
	if err != nil {
		return err
	}
	defer p.cleanUp(out.discard)
	return p.show(o, outcome, out, "")
}

// cleanUp is for a defer: a failure to clean up changes nothing about what was done, and is said.
func (p *program) cleanUp(f func() error) {
	if err := f(); err != nil {
		p.say.line("cleaning up: %v", err)
	}
}

// document is the path of the document, "" for none.
func (p *program) document(name string) string {
	if name == "" {
		return ""
	}
	return p.path(name)
}

func firstOf(values ...string) string {
	for _, v := range values {
		if v != "" {
			return v
		}
	}
	return ""
}
