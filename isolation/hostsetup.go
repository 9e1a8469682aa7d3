package isolation

import (
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strings"
)

// HostSetup is what a host needs for isolation: a locked agent user, the lock that all its dispatchers share, and, unless the
// dispatcher is root, the one sudoers rule that lets exactly this dispatcher become exactly this user. It mends what [Resolve]
// calls NoUser and NoRule. A dispatcher may have several agent users and an agent user several dispatchers, who take turns.
type HostSetup struct {
	Dispatcher string // the user that ai-flow runs as
	Agent      string // the user to make

	ruleFile string // "" means ruleDir/ai-flow-DISPATCHER+AGENT
	system   string // "" means this one, by its name in runtime.GOOS
}

// SetupStep is one thing that a host needs, or loses again: a sentence to show first, and the command line that does it, with
// its whole environment. Doing a step twice does no harm, nor does a kill in the middle of one: it is done again.
type SetupStep struct {
	Say       string
	Stands    string // what is to be said instead, since nothing is to be done; "" when something is
	Unseen    bool   // whether it is done already only root can see
	Argv, Env []string
}

const (
	comment = "ai-flow agent" // marks the users that are ours to remove
	ruleDir = "/etc/sudoers.d"
)

// Trial is a step that changes nothing. It succeeds where the others can be done: as root, or through a sudo that asks for
// no password. Run it before anything is announced.
func (h HostSetup) Trial() SetupStep {
	return h.step("see whether this host may be prepared", "-c", ":")
}

// AsRoot is a command line as a person types it for root to run.
func AsRoot(argv ...string) []string { return append([]string{"sudo"}, argv...) }

// Steps are the changes that this host still needs, in order: [HostSetup.Survey] without what stands.
func (h HostSetup) Steps() ([]SetupStep, error) {
	all, err := h.Survey()
	if err != nil {
		return nil, err
	}
	return missing(all), nil
}

func missing(all []SetupStep) (steps []SetupStep) {
	for _, s := range all {
		if s.Stands == "" {
			steps = append(steps, s)
		}
	}
	return steps
}

// Survey is all that this host needs, in order, what stands already with it. The steps run as root, or through a sudo that asks for
// no password, which Trial finds out. The rule is to be done as long as it cannot be read, so ask Resolve first. A user that
// must not run an agent is refused with a *SetupError, whatever else the host needs: no rule is ever made for one. On a
// system that we do not prepare it returns, beside an error of the kind Unsupported, what a person would have to do.
func (h HostSetup) Survey() ([]SetupStep, error) {
	if err := h.check(); err != nil {
		return h.byHand(), err
	}
	agent, err := account(h.Agent)
	if err != nil {
		return nil, err
	}
	dispatcher, err := account(h.Dispatcher)
	if err != nil {
		return nil, err
	}
	if err := h.refuse(agent, dispatcher); err != nil {
		return nil, err
	}
	if err := h.refusePlace(dispatcher); err != nil {
		return nil, err
	}
	return []SetupStep{h.userStep(agent), h.lockStep(agent, dispatcher), h.ruleStep(dispatcher)}, nil
}

func (h HostSetup) userStep(agent *user.User) SetupStep {
	s := h.step(fmt.Sprintf("make the user %s, which cannot log in, has no password and is in no group but its own, with the home %s, root's and closed to others", h.Agent, h.home()),
		"-c", addUserScript, "ai-flow", h.Agent, h.home(), comment)
	if agent == nil {
		return s
	}
	if agent.Name != comment {
		s.Stands = fmt.Sprintf("the user %s stands already; ai-flow did not make it, and leaves its home as it is%s", h.Agent, h.furtherGroups(agent))
		return s
	}
	if h.userStands(agent) {
		s.Stands = fmt.Sprintf("the user %s stands already%s", h.Agent, h.furtherGroups(agent))
	} else {
		s.Say = fmt.Sprintf("mend the user %s, which is there in part or was changed: no login, no password, the home %s, root's and closed to others", h.Agent, h.home())
	}
	return s
}

func (h HostSetup) lockStep(agent, dispatcher *user.User) SetupStep {
	s := h.step(fmt.Sprintf("make the lock %s, by which all who may become %s wait for each other, and which %[2]s cannot open", h.lockPath(), h.Agent),
		"-c", lockScript, "ai-flow", h.lockPath(), h.Agent)
	switch {
	case shareGroup(agent, dispatcher):
		s.Stands = fmt.Sprintf("no lock: %s is in the group of %s, to which it would be closed; sudo gpasswd --delete %[1]s %[2]s mends that", h.Dispatcher, h.Agent)
	case h.lockStands(agent):
		s.Stands = fmt.Sprintf("the lock %s stands already", h.lockPath())
	}
	if others := h.others(); s.Stands != "" && len(others) > 0 {
		s.Stands += fmt.Sprintf(", and %s takes turns by it with %s", h.Dispatcher, strings.Join(others, ", "))
	}
	return s
}

func (h HostSetup) ruleStep(dispatcher *user.User) SetupStep {
	s := h.step(fmt.Sprintf("let %s run commands as %s and as nobody else: %q in %s, checked by visudo", h.Dispatcher, h.Agent, h.rule(), h.rulePath()),
		"-c", ruleScript, "ai-flow", h.rulePath(), h.rule())
	stands, seen := h.ruleStands()
	switch {
	case isRoot(h.Dispatcher, dispatcher):
		s.Stands = fmt.Sprintf("no rule: %s may become any user without one", h.Dispatcher)
	case stands:
		s.Stands = fmt.Sprintf("the rule %q stands already in %s", h.rule(), h.rulePath())
	}
	s.Unseen = !seen && s.Stands == ""
	return s
}

func isRoot(name string, u *user.User) bool { return name == "root" || u != nil && u.Uid == "0" }

// step is a script of ours as root.
func (h HostSetup) step(say string, args ...string) SetupStep {
	argv := append([]string{"/bin/sh"}, args...)
	if os.Geteuid() != 0 {
		sudo := firstProgram(sudoPlaces())
		if sudo == "" {
			sudo = sudoPlaces()[0] // it fails to start, by its name
		}
		argv = append([]string{sudo, "-n", "--"}, argv...)
	}
	return SetupStep{Say: say, Argv: argv, Env: bareEnvironment()}
}

func (h HostSetup) home() string { return "/home/" + h.Agent }

func (h HostSetup) rule() string {
	return fmt.Sprintf("%s ALL=(%s) NOPASSWD:SETENV: ALL", h.Dispatcher, h.Agent)
}

// rulePath is another one for each pair: the names are set apart by a sign that is in no name, else the rule of one pair
// would replace another's. It avoids dots, since sudo reads no file with one in its name.
func (h HostSetup) rulePath() string {
	if h.ruleFile != "" {
		return h.ruleFile
	}
	return ruleDir + "/ai-flow-" + noDots(h.Dispatcher) + "+" + noDots(h.Agent)
}

func noDots(name string) string { return strings.ReplaceAll(name, ".", ",") }

// others are the further dispatchers for whom we made a rule that leads to the agent, as far as we may look.
func (h HostSetup) others() (names []string) {
	found, err := filepath.Glob(ruleDir + "/ai-flow-*+" + noDots(h.Agent))
	if err != nil {
		return nil // the pattern is good: names hold no sign that counts in one
	}
	for _, path := range found {
		name, _, _ := strings.Cut(strings.TrimPrefix(filepath.Base(path), "ai-flow-"), "+")
		if name = strings.ReplaceAll(name, ",", "."); name != h.Dispatcher {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

func (h HostSetup) lockPath() string { return filepath.Join(sharedLocks, h.Agent+".lock") }
