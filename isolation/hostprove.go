package isolation

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/user"
	"path/filepath"
	"regexp"
)

// Proof is the sentence that says what [HostSetup.Prove] does.
func (h HostSetup) Proof() string {
	return fmt.Sprintf("prove that %s can become %s, with variables, by the launch line of every run", h.Dispatcher, h.Agent)
}

// Prove tries the real launch line as the dispatcher, who must be ourselves or whom we must be root to become. That a rule stands
// in its file proves nothing: not every sudo reads that directory, and a later rule may take it back. A sudo that does not obey it is
// a *SetupError of the kind NoRule. At most 20 s.
func (h HostSetup) Prove(ctx context.Context, r Runner) error {
	dispatcher, err := account(h.Dispatcher)
	if err != nil {
		return err
	}
	if dispatcher == nil {
		return fmt.Errorf("proving the rule: there is no user %s any more", h.Dispatcher)
	}
	prefix, err := h.become(dispatcher)
	if err != nil {
		return err
	}
	id, err := Resolve(ctx, prefixed{r, prefix}, h.Agent)
	var setup *SetupError
	switch {
	case errors.As(err, &setup) && setup.Kind == NoRule:
		return &SetupError{Kind: NoRule, Problem: fmt.Sprintf("the rule stands in %s, and sudo does not obey it: %s", h.rulePath(), setup.Problem), Fix: h.disobedience()}
	case err != nil:
		return err
	case id.unproven:
		return &SetupError{Kind: BadUser, Problem: fmt.Sprintf("a command as %s is killed whenever it is tried", h.Agent), Fix: "as root, end everything that it runs, and try again: pkill -KILL -u " + h.Agent}
	}
	return nil
}

// become is what stands before a command line that is to run as the dispatcher; nothing when that is us.
func (h HostSetup) become(dispatcher *user.User) ([]string, error) {
	if me, err := user.Current(); err != nil {
		return nil, fmt.Errorf("finding out who we are: %w", err)
	} else if me.Uid == dispatcher.Uid {
		return nil, nil
	}
	// Not by sudo: a host may have taken root's own rule away.
	setpriv := rootsProgram(setprivPlaces())
	if setpriv == "" {
		return nil, &SetupError{Kind: Unsupported, Problem: "there is no setpriv on this host, by which the rule would be tried as " + h.Dispatcher, Fix: "install util-linux"}
	}
	return []string{setpriv, "--reuid", dispatcher.Uid, "--regid", dispatcher.Gid, "--init-groups", "--"}, nil
}

// included matches the line by which sudo reads our directory.
var included = regexp.MustCompile(`(?m)^[ \t]*[#@]includedir[ \t]+"?(/etc/)?sudoers\.d/?"?[ \t]*$`)

// disobedience is the next step where a rule stands and does not work.
func (h HostSetup) disobedience() string {
	// sudo-rs reads /etc/sudoers-rs instead, where there is one.
	for _, file := range []string{"/etc/sudoers-rs", "/etc/sudoers"} {
		text, err := os.ReadFile(file)
		if err == nil && filepath.Dir(h.rulePath()) == ruleDir && !included.Match(text) {
			return fmt.Sprintf("add the line \"@includedir %s\" to %s with visudo, and set this host up again", ruleDir, file)
		} else if err == nil {
			break
		}
	}
	return fmt.Sprintf("look at what sudo makes of all its rules, of which the last one that matches counts: sudo -l -U %s", h.Dispatcher)
}

// prefixed runs each command line behind another one.
type prefixed struct {
	Runner
	prefix []string
}

// Run runs argv behind the prefix.
func (p prefixed) Run(ctx context.Context, argv, env []string, stdin io.Reader) (stdout, stderr []byte, code int, err error) {
	return p.Runner.Run(ctx, append(p.prefix[:len(p.prefix):len(p.prefix)], argv...), env, stdin)
}
