package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"text/tabwriter"

	"github.com/d3mlabs/ai-flow/executor"
	"github.com/d3mlabs/ai-flow/executor/agents"
	"github.com/d3mlabs/ai-flow/executor/agents/pinned"
	"github.com/d3mlabs/ai-flow/render"
	"github.com/urfave/cli/v2"
)

func (p *program) agentsCommand() *cli.Command {
	asJSON := &cli.BoolFlag{Name: "json", Usage: "print JSON, which has more: what was verified of each, and why it is given full access so"}
	return &cli.Command{
		Name:  "agents",
		Usage: "what can be driven here",
		Flags: []cli.Flag{asJSON},
		Action: func(c *cli.Context) error {
			if c.Args().Present() {
				return &usageError{"there is no command agents " + quoted(c.Args().First()), "ai-flow agents list"}
			}
			return p.listAgents(c.Context, c.Bool("json"))
		},
		Subcommands: []*cli.Command{{
			Name:  "list",
			Usage: "list the agents, whether each is installed here and has a credential",
			Flags: []cli.Flag{asJSON},
			Action: func(c *cli.Context) error {
				if err := noArguments(c); err != nil {
					return err
				}
				return p.listAgents(c.Context, c.Bool("json"))
			},
		}, p.installCommand(), p.verifyCommand()},
	}
}

// listed is one agent as it is on this machine.
type listed struct {
	Name       string `json:"name"`
	Title      string `json:"title"`
	Status     string `json:"status"`               // candidate, qualified, built in
	Binary     string `json:"binary,omitempty"`     // absolute path; "" when not installed, and for the built-in agent
	Credential string `json:"credential,omitempty"` // the variable that authenticates it
	HasIt      bool   `json:"credential_set"`
	Usable     bool   `json:"usable"`
	Verified   string `json:"verified,omitempty"`
	Copy       *held  `json:"copy,omitempty"` // of its executable, installed by ai-flow; what a launch uses then
	versioned
	Via    string `json:"full_access_via"` // by default: callback, mode
	WhyVia string `json:"full_access_why"`
}

// versioned is what a program says its version is.
type versioned struct {
	Version string `json:"version,omitempty"`
	Unknown string `json:"version_unknown,omitempty"` // why it is not known
}

// held is an installed copy of an agent's executable.
type held struct {
	Version string `json:"version,omitempty"`
	Pinned  bool   `json:"pinned"`
	Driven  bool   `json:"driven_by_tests"`
	Right   bool   `json:"bytes_verified"`
	Problem string `json:"problem,omitempty"`
}

func (p *program) listed(ctx context.Context, profile agents.Profile) listed {
	at := profile.Look(p.env.has, p.lookPath)
	held := p.held(ctx, profile)
	at.Usable = at.Usable && (held == nil || held.Right)
	return listed{versioned: p.askVersion(ctx, profile, at.Binary, held), Via: profile.Via.String(), WhyVia: profile.WhyVia, Name: profile.Name, Title: profile.Title, Status: statusText(profile.Status), Verified: profile.Verified,
		Credential: profile.Credential, HasIt: at.Credential, Binary: at.Binary, Usable: at.Usable, Copy: held}
}

// askVersion asks the program that is there. A copy of ours is not asked: its bytes say it, and asking would run them.
func (p *program) askVersion(ctx context.Context, profile agents.Profile, binary string, copy *held) versioned {
	switch {
	case copy != nil:
		return versioned{Version: copy.Version}
	case binary == "":
		return versioned{}
	}
	version, err := executor.Version(ctx, profile, binary, p.env.temp)
	if err != nil {
		return versioned{Unknown: err.Error()}
	}
	return versioned{Version: version}
}

// text is short; the reason is in the JSON.
func (v versioned) text() string {
	switch {
	case v.Version != "":
		return v.Version
	case v.Unknown != "":
		return "unknown"
	}
	return "-"
}

// held checks the copy of an agent that a launch would use, nil when there is none.
func (p *program) held(ctx context.Context, profile agents.Profile) *held {
	c, err := p.installed(profile)
	if c == nil && err == nil {
		return nil
	}
	var h held
	if err == nil {
		h.Version, h.Pinned, h.Driven = c.Version, c.Pinned, c.Driven
		err = c.Verify(ctx)
	}
	if h.Right = err == nil; !h.Right {
		h.Problem = err.Error()
	}
	return &h
}

func (p *program) listAgents(ctx context.Context, asJSON bool) error {
	profiles := agents.All()
	all := make([]listed, len(profiles))
	var asking sync.WaitGroup // each may take seconds
	for i, profile := range profiles {
		asking.Go(func() { all[i] = p.listed(ctx, profile) })
	}
	asking.Wait()
	if asJSON {
		return writeJSON(p, all)
	}
	w := tabwriter.NewWriter(p.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "NAME\tSTATUS\tUSABLE\tBINARY\tCREDENTIAL\tVERSION\tFULL ACCESS")
	for _, l := range all {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", l.Name, l.Status, yesNo(l.Usable), render.Terminal(l.binaryText()), l.credentialText(),
			render.Terminal(l.versioned.text()), l.Via)
	}
	err := w.Flush()
	for _, l := range all {
		if l.Binary == "" && l.Copy == nil && pinned.Scope(l.Name) != "" {
			p.say.line("a checked copy of %s: ai-flow agents install %s", l.Name, l.Name)
		}
	}
	return err
}

func (l listed) binaryText() string {
	switch {
	case l.Status == statusText(agents.BuiltIn):
		return "this program"
	case l.Name == customAgent:
		return "AI_FLOW_AGENT_BIN"
	case l.Copy != nil:
		return l.Copy.text()
	default:
		return cmp.Or(l.Binary, "not on PATH")
	}
}

// text is short: ai-flow agents verify tells the rest.
func (h *held) text() string {
	switch {
	case !h.Right:
		return strings.TrimLeft(h.Version+" cannot be used: ai-flow agents verify", " ")
	case h.Pinned && !h.Driven:
		return h.Version + " (pinned, verified, never run in tests)"
	case h.Pinned:
		return h.Version + " (pinned, verified)"
	default:
		return h.Version + " (unpinned, unaltered)"
	}
}

func (l listed) credentialText() string {
	switch {
	case l.Name == customAgent:
		return "AI_FLOW_AGENT_ENV names it"
	case l.Credential == "":
		return "none needed"
	case l.HasIt:
		return l.Credential + " (set)"
	default:
		return l.Credential + " (not set)"
	}
}

// customAgent is the name of the profile of whatever AI_FLOW_AGENT_BIN names.
const customAgent = "custom"

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

func writeJSON(p *program, v any) error {
	e := json.NewEncoder(p.out)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// statusText says how far an agent can be trusted to behave as its profile says.
func statusText(s agents.Status) string {
	switch s {
	case agents.BuiltIn:
		return "built in"
	case agents.Qualified:
		return "qualified"
	default:
		return "candidate"
	}
}
