package isolation

import (
	"context"
	"fmt"
	"os"
	"os/user"
	"regexp"
)

// complaints are sudo's words (sudo 1.9 and sudo-rs) for what no rule mends. Everything else that fails is a missing
// rule, whichever way sudo says so.
var complaints = []struct {
	words        *regexp.Regexp
	kind         SetupKind
	problem, fix string
}{
	{regexp.MustCompile(`(?i)no.new.privileges`), NoSudo, "sudo cannot work here: this process was started with no_new_privs",
		"start the runner without no_new_privs (a container without --security-opt=no-new-privileges, a service without NoNewPrivileges=)"},
	{regexp.MustCompile(`(?i)must be owned by uid 0|effective uid is not 0|must be setuid`), NoSudo, "sudo is not set up on this host: it is not root's, or lies on a nosuid file system",
		"reinstall it: apt-get install --reinstall sudo"},
	{regexp.MustCompile(`(?i)must have a tty`), NoSudo, "sudo wants a terminal (requiretty)", "take \"Defaults requiretty\" out of sudoers (sudo visudo)"},
	{regexp.MustCompile(`(?i)account (validation failure|expired)|has expired|account is locked`), BadUser, "the account of the agent user is expired",
		"sudo usermod --expiredate '' USER"},
}

// diagnose finds out why the launch line was refused. That SETENV is what is missing is seen by trying without a
// variable, not by sudo's words, which differ (H4-01, H4-02).
func (i Identity) diagnose(ctx context.Context, r Runner, code int, said []byte) error {
	_, plainly, plain, err := r.Run(ctx, i.as("/bin/sh", "-c", ":"), bareEnvironment(), nil)
	if err != nil {
		return fmt.Errorf("trying sudo: %w", err)
	}
	if plain == 0 {
		return i.setenvMissing(fmt.Sprintf("sudo lets ai-flow become %s, but without variables: %s", i.name, excerpt(said)))
	}
	for _, c := range complaints {
		if c.words.Match(plainly) {
			return &SetupError{Kind: c.kind, Problem: c.problem, Fix: regexp.MustCompile(`\bUSER\b`).ReplaceAllLiteralString(c.fix, i.name)}
		}
	}
	return &SetupError{Kind: NoRule, Problem: fmt.Sprintf("sudo does not let ai-flow become %s (status %d): %s", i.name, code, excerpt(said)), Fix: i.ruleFix()}
}

func (i Identity) setenvMissing(problem string) error {
	return &SetupError{Kind: NoRule, Problem: problem + "; the sudoers rule needs SETENV", Fix: i.ruleFix()}
}

func (i Identity) ruleFix() string {
	name := fmt.Sprintf("#%d", os.Getuid())
	if u, err := user.Current(); err == nil {
		name = u.Username
	}
	h := HostSetup{Dispatcher: name, Agent: i.name}
	return fmt.Sprintf("put this rule in place: echo %s | sudo tee %s && sudo chmod 0440 %[2]s && sudo visudo -c", shellWord(h.rule()), h.rulePath())
}
