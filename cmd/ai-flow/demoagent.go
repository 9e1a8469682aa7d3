package main

import (
	"github.com/d3mlabs/ai-flow/executor/agents/demo"
	"github.com/urfave/cli/v2"
)

// demoAgentCommand serves the built-in agent on standard input and output. It is what the agent user runs: a process of
// its own like any other agent's, behind the same boundary.
func (p *program) demoAgentCommand() *cli.Command {
	return &cli.Command{
		Name:   "demo-agent",
		Usage:  "the built-in agent, on standard input and output",
		Hidden: true,
		Action: func(c *cli.Context) error {
			if err := noArguments(c); err != nil {
				return err
			}
			return demo.Serve(c.Context, p.Stdin, p.Stdout, moduleVersion(), p.Environ)
		},
	}
}
