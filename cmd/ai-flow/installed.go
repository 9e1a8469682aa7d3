package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/d3mlabs/ai-flow/executor/agents"
	"github.com/d3mlabs/ai-flow/executor/agents/pinned"
	"github.com/d3mlabs/ai-flow/render"
	"github.com/urfave/cli/v2"
)

const (
	// hostCopies is where copies for every user of the host lie; root installs them there.
	hostCopies  = "/var/lib/ai-flow/agents"
	installTime = 20 * time.Minute // for some 100 MB over a slow line
)

func (p *program) installCommand() *cli.Command {
	return &cli.Command{
		Name:      "install",
		Usage:     "fetch an agent's own executable from npm's registry, check every byte of it, and run nothing",
		ArgsUsage: "NAME",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "version", Usage: "the `VERSION` of its npm package (default: the pinned one)"},
			&cli.StringFlag{Name: "dir", Usage: "put it below `DIR` (default: AI_FLOW_AGENTS_DIR, else a directory of your own; " + hostCopies + " is looked into for every user)"},
			&cli.BoolFlag{Name: "unpinned", Usage: "take a version that is not pinned, on the registry's word"},
		},
		Action: func(c *cli.Context) error {
			name, rest := c.Args().First(), c.Args().Tail()
			if len(rest) > 0 && strings.HasPrefix(rest[0], "-") && c.NumFlags() == 0 { // the library reads no flags behind an argument
				return p.app().RunContext(c.Context, append(append([]string{"ai-flow", "agents", "install"}, rest...), name))
			}
			if name == "" || len(rest) > 0 {
				return &usageError{"agents install takes one name", "ai-flow agents install --version 1.0.88 copilot"}
			}
			return p.installAgent(c.Context, pinned.Options{Agent: name, Version: c.String("version"), Dir: c.String("dir"), Unpinned: c.Bool("unpinned")})
		},
	}
}

func (p *program) installAgent(ctx context.Context, o pinned.Options) (err error) {
	if o.Dir = p.path(firstOf(o.Dir, p.env.copies()[0])); o.Dir == "" || !filepath.IsAbs(o.Dir) {
		return &usageError{"there is no directory to install into", "name one: --dir DIR"}
	}
	if o.Registry, err = pinned.ReadRegistry(p.env.all, p.env.npmrcs(), pinned.Scope(o.Agent)); err != nil {
		return err
	}
	o.Say = p.say.line
	ctx, cancel := context.WithTimeout(ctx, installTime)
	defer cancel()
	c, err := pinned.Install(ctx, o)
	if err != nil {
		return err
	}
	if used, err := pinned.Find(p.env.copies(), c.Agent); err == nil { // an error of another copy each launch says
		profile, _ := agents.Find(c.Agent)
		p.say.line("%s", afterInstall(c, used, slices.Contains(p.env.copies(), filepath.Clean(o.Dir)), profile.Loopback != nil))
	}
	_, err = fmt.Fprintln(p.out, described(c))
	return err
}

// afterInstall is the next step. used is the copy that launches start, or nil; looked, whether they look where c is.
func afterInstall(c, used *pinned.Copy, looked, probed bool) string {
	switch {
	case used != nil && used.Path == c.Path && probed:
		return "launches use it; next, without an account: ai-flow probe " + c.Agent
	case used != nil && used.Path == c.Path:
		return "launches use it; next: ai-flow try --agent " + c.Agent
	case used != nil && looked:
		return "launches go on with " + used.Version + ", which goes before it; for this one, install it into another directory (--dir DIR) and set AI_FLOW_AGENTS_DIR=DIR"
	default:
		return "launches use it when AI_FLOW_AGENTS_DIR=" + shellWord(filepath.Dir(filepath.Dir(filepath.Dir(c.Path)))) + " is set"
	}
}

func (p *program) verifyCommand() *cli.Command {
	return &cli.Command{
		Name:      "verify",
		Usage:     "check the installed copies of agents' executables, byte for byte",
		ArgsUsage: "[NAME]",
		Flags:     []cli.Flag{&cli.StringFlag{Name: "dir", Usage: "look below `DIR` (default: where launches look)"}},
		Action: func(c *cli.Context) error {
			if c.NArg() > 1 {
				return &usageError{"agents verify takes at most one name", "ai-flow agents verify copilot"}
			}
			return p.verifyAgents(c.Context, c.Args().First(), c.String("dir"))
		},
	}
}

// verifyAgents goes through all copies, though one of them is wrong.
func (p *program) verifyAgents(ctx context.Context, name, dir string) error {
	dirs := p.env.copies()
	if dir != "" {
		dirs = []string{p.path(dir)}
	}
	names := agentNames()
	if name != "" {
		if _, ok := agents.Find(name); !ok {
			return &usageError{"there is no agent " + quoted(name), "one of: " + strings.Join(names, ", ")}
		}
		names = []string{name}
	}
	found, wrong := 0, []error(nil)
	for _, n := range names {
		copies, err := pinned.All(dirs, n)
		wrong = append(wrong, err)
		for _, c := range copies {
			found++
			if err := c.Verify(ctx); err != nil {
				wrong = append(wrong, err)
			} else if _, err := fmt.Fprintln(p.out, described(c)); err != nil {
				return err
			}
		}
	}
	err := errors.Join(wrong...)
	if err == nil && found == 0 {
		return &usageError{"no copy of " + firstOf(name, "an agent") + " is installed in " + strings.Join(dirs, " or "), copyHint(name)}
	}
	return err
}

// copyHint is what brings a copy of an agent, "" for any.
func copyHint(name string) string {
	if name != "" && pinned.Scope(name) == "" {
		return "ai-flow keeps no copies of this agent; ai-flow agents shows which program a launch uses"
	}
	return "ai-flow agents install " + firstOf(name, "copilot")
}

// described is one copy whose bytes were checked.
func described(c *pinned.Copy) string {
	return render.Terminal(fmt.Sprintf("%s %s %s sha256:%s %s", c.Agent, c.Version, pinText(c), c.SHA256, c.Path))
}

func pinText(c *pinned.Copy) string {
	switch {
	case !c.Pinned:
		return "unpinned"
	case !c.Driven:
		return "pinned (bytes recorded, never run in tests)"
	}
	return "pinned"
}

// installed is the copy of an agent that a launch uses; nil when there is none, and when the operator names a binary.
func (p *program) installed(profile agents.Profile) (*pinned.Copy, error) {
	if profile.Binary == "" || p.env.agentBin != "" {
		return nil, nil
	}
	return pinned.Find(p.env.copies(), profile.Name)
}

// lookPath finds an agent's program: its installed copy before whatever is on PATH. One that cannot be used is told of where it
// would be launched.
func (p *program) lookPath(binary string) string {
	for _, profile := range agents.All() {
		if profile.Binary != binary {
			continue
		}
		if c, err := p.installed(profile); err == nil && c != nil {
			return c.Path
		}
	}
	return p.env.findBinary(binary)
}

// copies are the directories that hold copies of agents, ours first.
func (e environment) copies() []string {
	switch {
	case e.agentsDir != "":
		return []string{e.agentsDir}
	case e.state != "":
		return []string{filepath.Join(e.state, "agents"), hostCopies}
	default:
		return []string{hostCopies}
	}
}

// npmrcs are npm's configuration files, the user's and the machine's. The one of a project is left out: it is the checkout's.
func (e environment) npmrcs() (files []string) {
	if user := firstOf(e.get("npm_config_userconfig"), e.get("NPM_CONFIG_USERCONFIG")); user != "" {
		files = append(files, user)
	} else if e.home != "" {
		files = append(files, filepath.Join(e.home, ".npmrc"))
	}
	if global := firstOf(e.get("npm_config_globalconfig"), e.get("NPM_CONFIG_GLOBALCONFIG")); global != "" {
		return append(files, global)
	}
	prefix := firstOf(e.get("npm_config_prefix"), e.get("NPM_CONFIG_PREFIX"), e.get("PREFIX"))
	if node := e.findBinary("node"); prefix == "" && node != "" {
		if real, err := filepath.EvalSymlinks(node); err == nil {
			prefix = filepath.Dir(filepath.Dir(real))
		}
	}
	return append(files, filepath.Join(firstOf(prefix, "/usr/local"), "etc", "npmrc"))
}

// origin says what is known of the bytes that a launch starts. Without a copy it is a program that the operator chose.
func (p *program) origin(c *pinned.Copy) string {
	switch {
	case p.env.agentBin != "":
		return "its binary is the one that AI_FLOW_AGENT_BIN names; no version was verified"
	case c == nil:
		return "its binary is the one on PATH; no version was verified"
	case c.Pinned && !c.Driven:
		return "its binary is the pinned " + c.Version + "; its bytes were recorded, never run in tests, and are checked at each start"
	case c.Pinned:
		return "its binary is the pinned " + c.Version + "; its bytes are checked at each start"
	default:
		return "its binary is " + c.Version + ", which is not pinned; its bytes are checked against those of the day it was installed"
	}
}
