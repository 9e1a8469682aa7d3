package isolation

import (
	"fmt"
	"os"
	"os/user"
	"strings"
)

// Undo are the steps that take back what this pair has: the rule, then, unless another dispatcher shares it, the user with its
// processes and its home, then the lock. What we did not make stays, and a step that stands says so; where nothing on the host is
// ours it is a *SetupError. A run that has the agent user makes each step fail: without the rule it could not end its agent.
func (h HostSetup) Undo() ([]SetupStep, error) {
	if err := h.check(); err != nil {
		return nil, err
	}
	agent, err := account(h.Agent)
	if err != nil {
		return nil, err
	}
	rule, err := h.unruleStep()
	if err != nil {
		return nil, err
	}
	steps := []SetupStep{rule, h.unuserStep(agent), h.unlockStep(agent)}
	if agent != nil && agent.Name != comment && len(missing(steps)) == 0 {
		return nil, &SetupError{Kind: BadUser, Problem: fmt.Sprintf("the user %s was not made by ai-flow, and no rule or lock for it was", h.Agent), Fix: "remove by hand what is to go"}
	}
	return steps, nil
}

// TakeBackRule is the step that removes the rule alone, for one that turned out to be of no use.
func (h HostSetup) TakeBackRule() SetupStep {
	return h.step(fmt.Sprintf("remove the rule %s", h.rulePath()), "-c", unruleScript, "ai-flow", h.lockPath(), h.rulePath())
}

// unruleStep refuses a rule that somebody changed: it is not the one that we made.
func (h HostSetup) unruleStep() (SetupStep, error) {
	s := h.TakeBackRule()
	text, err := os.ReadFile(h.rulePath())
	switch {
	case os.IsPermission(err):
		s.Unseen = true
	case os.IsNotExist(err):
		s.Stands = fmt.Sprintf("no rule stands in %s", h.rulePath())
	case err != nil:
		return s, fmt.Errorf("reading the rule: %w", err)
	case strings.TrimSpace(string(text)) != h.rule():
		return s, &SetupError{Kind: BadPlace, Problem: fmt.Sprintf("the rule in %s is not the one that ai-flow made", h.rulePath()), Fix: "look at it, and remove it by hand: sudo rm " + h.rulePath()}
	}
	return s, nil
}

func (h HostSetup) unuserStep(agent *user.User) SetupStep {
	s := h.step(fmt.Sprintf("end all that %s runs, and remove it with its home %s", h.Agent, h.home()), "-c", unuserScript, "ai-flow", h.lockPath(), h.Agent, h.home())
	switch others := h.others(); {
	case len(others) > 0:
		s.Stands = fmt.Sprintf("the user %s stays: it is the agent of %s too (--runner-user names whose pair goes)", h.Agent, strings.Join(others, ", "))
	case agent != nil && agent.Name != comment:
		s.Stands = fmt.Sprintf("the user %s stays: ai-flow did not make it", h.Agent)
	case agent == nil && !leftHome(h.home()):
		s.Stands = fmt.Sprintf("no user %s stands", h.Agent)
	}
	return s
}

// leftHome reports whether a home is what is left of a user that we made: root's, with nothing but our directory in it.
func leftHome(home string) bool {
	info, err := os.Lstat(home)
	if err != nil || !info.IsDir() || owner(info) != 0 {
		return false
	}
	names, err := os.ReadDir(home)
	return err == nil && (len(names) == 0 || len(names) == 1 && names[0].Name() == ".ai-flow")
}

func (h HostSetup) unlockStep(agent *user.User) SetupStep {
	s := h.step(fmt.Sprintf("remove the lock %s", h.lockPath()), "-c", unlockScript, "ai-flow", h.lockPath())
	if others := h.others(); len(others) > 0 {
		s.Stands = fmt.Sprintf("the lock %s stays, for the same reason", h.lockPath())
	} else if _, err := os.Lstat(h.lockPath()); os.IsNotExist(err) {
		s.Stands = fmt.Sprintf("no lock stands in %s", h.lockPath())
	}
	return s
}
