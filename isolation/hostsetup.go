package isolation

import (
	"errors"
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"runtime"
	"strings"
)

// HostSetup is what a host needs for isolation: a locked agent user and, unless the dispatcher is root, the one sudoers rule that
// lets exactly this dispatcher become exactly this user.
type HostSetup struct {
	Dispatcher string // the user that ai-flow runs as
	Agent      string // the user to make
	RuleFile   string // "" means /etc/sudoers.d/ai-flow-DISPATCHER-AGENT
}

// SetupStep is one change of the host: a sentence to show first, and the command line that does it, with its whole
// environment. Doing a step twice does no harm.
type SetupStep struct {
	Say       string
	Argv, Env []string
}

// Steps are the changes that this host still needs, in order. They run as root, or through a sudo that asks for no
// password; a host where that is not so is seen by the first step's exit status. The rule is among them as long as it
// cannot be read, so ask Resolve first.
func (h HostSetup) Steps() ([]SetupStep, error) {
	if err := h.check(); err != nil {
		return nil, err
	}
	var steps []SetupStep
	_, err := user.Lookup(h.Agent)
	if unknown := user.UnknownUserError(""); errors.As(err, &unknown) {
		steps = append(steps, h.step(fmt.Sprintf("make the user %s, which cannot log in and is in no other group, with the home %s closed to others", h.Agent, h.home()),
			"sh", "-c", addUserScript, "ai-flow", h.Agent, h.home()))
	} else if err != nil {
		return nil, fmt.Errorf("looking up the user %s: %w", h.Agent, err)
	}
	if h.Dispatcher != "root" && !h.ruleStands() {
		steps = append(steps, h.step(fmt.Sprintf("let %s run commands as %s and as nobody else: %q in %s, checked by visudo", h.Dispatcher, h.Agent, h.rule(), h.rulePath()),
			"sh", "-c", ruleScript, "ai-flow", h.rulePath(), h.rule()))
	}
	return steps, nil
}

// Undo are the steps that take it all back: the rule, then the user with its processes and its home.
func (h HostSetup) Undo() ([]SetupStep, error) {
	if err := h.check(); err != nil {
		return nil, err
	}
	return []SetupStep{h.step(fmt.Sprintf("remove the rule %s and the user %s with its home", h.rulePath(), h.Agent),
		"sh", "-c", unruleScript, "ai-flow", h.rulePath(), h.Agent)}, nil
}

func (h HostSetup) check() error {
	for _, name := range []string{h.Dispatcher, h.Agent} {
		if !userName.MatchString(name) {
			return &SetupError{Problem: fmt.Sprintf("%.64q cannot be the name of a user", name), Fix: "set AI_FLOW_AGENT_USER to a name like ai-agent"}
		}
	}
	switch {
	case h.Dispatcher == h.Agent || h.Agent == "root":
		return &SetupError{Problem: h.Agent + " cannot be the agent user of " + h.Dispatcher, Fix: "set AI_FLOW_AGENT_USER to a user that does nothing else"}
	case strings.ContainsAny(filepath.Base(h.rulePath()), ".~") || !filepath.IsAbs(h.rulePath()):
		return fmt.Errorf("sudo would not read a rule in %q", h.rulePath())
	case runtime.GOOS != "linux":
		return &SetupError{Problem: "making an agent user is not supported on " + runtime.GOOS + " yet",
			Fix: fmt.Sprintf("make the user %s by hand, put %q into %s, and try again", h.Agent, h.rule(), h.rulePath())}
	}
	return nil
}

// step is argv as root.
func (h HostSetup) step(say string, argv ...string) SetupStep {
	places := []string{"/usr/sbin", "/usr/bin", "/sbin", "/bin"}
	for i, dir := range places {
		places[i] = filepath.Join(dir, argv[0])
	}
	if program := firstProgram(places); program != "" {
		argv[0] = program
	} else {
		argv[0] = places[0] // it fails to start, by its name
	}
	if os.Geteuid() != 0 {
		sudo := firstProgram(sudoPlaces())
		if sudo == "" {
			sudo = sudoPlaces()[0]
		}
		argv = append([]string{sudo, "-n", "--"}, argv...)
	}
	return SetupStep{Say: say, Argv: argv, Env: bareEnvironment()}
}

func (h HostSetup) home() string { return "/home/" + h.Agent }

func (h HostSetup) rule() string {
	return fmt.Sprintf("%s ALL=(%s) NOPASSWD:SETENV: ALL", h.Dispatcher, h.Agent)
}

// ruleStands reports whether the rule is there, as far as we may look: the directory is often closed.
func (h HostSetup) ruleStands() bool {
	text, err := os.ReadFile(h.rulePath())
	return err == nil && strings.TrimSpace(string(text)) == h.rule()
}

// rulePath avoids dots, since sudo reads no file with one in its name.
func (h HostSetup) rulePath() string {
	if h.RuleFile != "" {
		return h.RuleFile
	}
	return "/etc/sudoers.d/" + strings.ReplaceAll("ai-flow-"+h.Dispatcher+"-"+h.Agent, ".", "_")
}
