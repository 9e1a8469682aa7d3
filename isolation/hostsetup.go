package isolation

import (
	"errors"
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// HostSetup is what a host needs for isolation: a locked agent user, the lock that all its dispatchers share, and, unless the
// dispatcher is root, the one sudoers rule that lets exactly this dispatcher become exactly this user. It mends what [Resolve]
// calls NoUser and NoRule.
type HostSetup struct {
	Dispatcher string // the user that ai-flow runs as
	Agent      string // the user to make

	ruleFile string // "" means /etc/sudoers.d/ai-flow-DISPATCHER-AGENT
}

// SetupStep is one change of the host: a sentence to show first, and the command line that does it, with its whole
// environment. Doing a step twice does no harm.
type SetupStep struct {
	Say       string
	Argv, Env []string
}

// comment marks the users that are ours to remove.
const comment = "ai-flow agent"

// Trial is a step that changes nothing. It succeeds where the others can be done: as root, or through a sudo that asks for
// no password. Run it before anything is announced.
func (h HostSetup) Trial() SetupStep {
	return h.step("see whether this host may be prepared", "sh", "-c", ":")
}

// Steps are the changes that this host still needs, in order. They run as root, or through a sudo that asks for no
// password, which Trial finds out. The rule is among them as long as it cannot be read, so ask Resolve first. A user that
// must not run an agent is refused with a *SetupError, whatever else the host needs: no rule is ever made for one.
func (h HostSetup) Steps() ([]SetupStep, error) {
	if err := h.check(); err != nil {
		return nil, err
	}
	agent, err := account(h.Agent)
	if err != nil {
		return nil, err
	}
	dispatcher, err := account(h.Dispatcher)
	if err != nil {
		return nil, err
	}
	if err := h.refuseBad(agent, dispatcher); err != nil {
		return nil, err
	}
	var steps []SetupStep
	if agent == nil {
		steps = append(steps, h.step(fmt.Sprintf("make the user %s, which cannot log in and is in no other group, with the home %s closed to others", h.Agent, h.home()),
			"sh", "-c", addUserScript, "ai-flow", h.Agent, h.home(), comment))
	}
	if !h.lockStands(agent) && !shareGroup(agent, dispatcher) {
		steps = append(steps, h.step(fmt.Sprintf("make the lock %s, by which all who may become %s wait for each other, and which %[2]s cannot open", h.lockPath(), h.Agent),
			"sh", "-c", lockScript, "ai-flow", h.lockPath(), h.Agent))
	}
	if !isRoot(h.Dispatcher, dispatcher) && !h.ruleStands() {
		steps = append(steps, h.step(fmt.Sprintf("let %s run commands as %s and as nobody else: %q in %s, checked by visudo", h.Dispatcher, h.Agent, h.rule(), h.rulePath()),
			"sh", "-c", ruleScript, "ai-flow", h.rulePath(), h.rule()))
	}
	return steps, nil
}

// Undo are the steps that take it all back: the rule, then the user with its processes and its home, then the lock. A user
// that we did not make is refused: a home would be lost.
func (h HostSetup) Undo() ([]SetupStep, error) {
	if err := h.check(); err != nil {
		return nil, err
	}
	u, err := account(h.Agent)
	if err != nil {
		return nil, err
	}
	if u != nil && u.Name != comment {
		return nil, &SetupError{Kind: BadUser, Problem: fmt.Sprintf("the user %s was not made by ai-flow", h.Agent), Fix: "remove by hand what is to go: the rule " + h.rulePath()}
	}
	return []SetupStep{h.step(fmt.Sprintf("remove the rule %s, the user %s with its home, and the lock %s", h.rulePath(), h.Agent, h.lockPath()),
		"sh", "-c", unruleScript, "ai-flow", h.rulePath(), h.Agent, h.lockPath())}, nil
}

func (h HostSetup) check() error {
	for _, name := range []string{h.Dispatcher, h.Agent} {
		if !userName.MatchString(name) {
			return &SetupError{Kind: BadUser, Problem: fmt.Sprintf("%.64q cannot be the name of a user", name), Fix: "set AI_FLOW_AGENT_USER to a name like ai-agent"}
		}
	}
	switch {
	case h.Dispatcher == h.Agent || h.Agent == "root":
		return &SetupError{Kind: BadUser, Problem: h.Agent + " cannot be the agent user of " + h.Dispatcher, Fix: "set AI_FLOW_AGENT_USER to a user that does nothing else"}
	case strings.ContainsAny(filepath.Base(h.rulePath()), ".~") || !filepath.IsAbs(h.rulePath()):
		return fmt.Errorf("sudo would not read a rule in %q", h.rulePath())
	case runtime.GOOS != "linux":
		return &SetupError{Kind: Unsupported, Problem: "making an agent user is not supported on " + runtime.GOOS + " yet",
			Fix: fmt.Sprintf("make the user %s by hand, put %q into %s, and try again", h.Agent, h.rule(), h.rulePath())}
	}
	return nil
}

// account looks a user up; nil when there is none.
func account(name string) (*user.User, error) {
	u, err := user.Lookup(name)
	if unknown := user.UnknownUserError(""); errors.As(err, &unknown) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("looking up the user %s: %w", name, err)
	}
	return u, nil
}

// refuseBad holds an account that is there already against what Resolve would say of it.
func (h HostSetup) refuseBad(agent, dispatcher *user.User) error {
	if agent == nil {
		return nil
	}
	if dispatcher != nil && dispatcher.Uid == agent.Uid {
		return &SetupError{Kind: BadUser, Problem: fmt.Sprintf("%s and %s are one user by two names", h.Agent, h.Dispatcher), Fix: "set AI_FLOW_AGENT_USER to a user that does nothing else"}
	}
	_, _, err := fit(agent)
	return err
}

func isRoot(name string, u *user.User) bool { return name == "root" || u != nil && u.Uid == "0" }

// shareGroup reports whether the lock, which is closed to the agent's group, would be closed to the dispatcher too.
func shareGroup(agent, dispatcher *user.User) bool {
	if agent == nil || dispatcher == nil || dispatcher.Uid == "0" {
		return false
	}
	groups, err := dispatcher.GroupIds()
	return err != nil || slices.Contains(groups, agent.Gid)
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
	if h.ruleFile != "" {
		return h.ruleFile
	}
	return "/etc/sudoers.d/" + strings.ReplaceAll("ai-flow-"+h.Dispatcher+"-"+h.Agent, ".", "_")
}

func (h HostSetup) lockPath() string { return filepath.Join(sharedLocks, h.Agent+".lock") }

// lockStands reports whether the lock is there and as it has to be.
func (h HostSetup) lockStands(agent *user.User) bool {
	if agent == nil {
		return false
	}
	_, gid, err := fit(agent)
	if err != nil {
		return false
	}
	f, err := openShared(sharedLocks, Identity{name: h.Agent, gid: gid})
	return err == nil && f != nil && f.Close() == nil
}
