package isolation

import (
	"errors"
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// plainName is what every tool that we hand a name to takes for a name: useradd, sudo, sudoers, chown and the shell. A name in
// capitals would be an alias in sudoers, and ALL everybody; a backslash, a percent, a hash or a plus in front something else again.
var plainName = regexp.MustCompile(`^[a-z_][a-z0-9_.-]{0,31}$`)

// check refuses names, before anything is looked up by them.
func (h HostSetup) check() error {
	for _, n := range []struct{ name, fix string }{
		{h.Dispatcher, "name the user that the runner runs as: small letters, digits, _ . and -, at most 32"},
		{h.Agent, "set AI_FLOW_AGENT_USER to a name like ai-agent: small letters, digits, _ . and -, at most 32"},
	} {
		if !plainName.MatchString(n.name) {
			return &SetupError{Kind: BadUser, Problem: fmt.Sprintf("%.64q cannot be the name of a user here", n.name), Fix: n.fix}
		}
	}
	switch {
	case h.Dispatcher == h.Agent || h.Agent == "root":
		return &SetupError{Kind: BadUser, Problem: h.Agent + " cannot be the agent user of " + h.Dispatcher, Fix: "set AI_FLOW_AGENT_USER to a user that does nothing else"}
	case mighty[h.Agent]:
		return &SetupError{Kind: BadUser, Problem: fmt.Sprintf("%s is the name of a group whose members can become root, and the user's own group would be that one", h.Agent), Fix: "set AI_FLOW_AGENT_USER to a name like ai-agent"}
	case strings.ContainsAny(filepath.Base(h.rulePath()), ".~") || !filepath.IsAbs(h.rulePath()):
		return fmt.Errorf("sudo would not read a rule in %q", h.rulePath())
	}
	return h.supported()
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

// refuse holds both accounts against what makes a boundary between them worth nothing, or a run the end of somebody's work.
func (h HostSetup) refuse(agent, dispatcher *user.User) error {
	const another = "set AI_FLOW_AGENT_USER to a user that does nothing else"
	switch {
	case dispatcher == nil:
		return &SetupError{Kind: BadUser, Problem: fmt.Sprintf("there is no user %s on this host, and a rule for that name would wait for whoever gets it", h.Dispatcher),
			Fix: "make the runner's user first, or name another one"}
	case dispatcher.Name == comment:
		return &SetupError{Kind: BadUser, Problem: h.Dispatcher + " is an agent user itself: what an agent may become, every agent may", Fix: "name the user that the runner runs as"}
	case agent == nil:
		return h.refuseGroup()
	case dispatcher.Uid == agent.Uid:
		return &SetupError{Kind: BadUser, Problem: fmt.Sprintf("%s and %s are one user by two names", h.Agent, h.Dispatcher), Fix: another}
	case h.dispatches():
		return &SetupError{Kind: BadUser, Problem: h.Agent + " is the user of a runner itself: a rule in " + ruleDir + " lets it become another user", Fix: another}
	}
	uid, _, err := fit(agent)
	if err != nil || agent.Name == comment {
		return err
	}
	return refuseEmployed(agent, uid)
}

// refuseGroup refuses the name of a group that is there already: what is its would be the new user's.
func (h HostSetup) refuseGroup() error {
	if _, err := user.LookupGroup(h.Agent); err != nil {
		return nil // there is none; a look-up that fails makes useradd say so
	}
	return &SetupError{Kind: BadUser, Problem: fmt.Sprintf("there is a group %s on this host and no user of that name: the new user would be in it", h.Agent),
		Fix: fmt.Sprintf("name another user; or, if nobody needs the group: sudo groupdel %s", h.Agent)}
}

// refusePlace refuses a host whose sudo reads no rules from where ours would be, before a user is made for nothing.
func (h HostSetup) refusePlace(dispatcher *user.User) error {
	dir := filepath.Dir(h.rulePath())
	if _, err := os.Stat(dir); isRoot(h.Dispatcher, dispatcher) || !os.IsNotExist(err) {
		return nil
	}
	return &SetupError{Kind: BadPlace, Problem: fmt.Sprintf("there is no directory %s on this host, where the rule would be", dir),
		Fix: fmt.Sprintf("sudo install -d -m 0755 %s, and see with sudo visudo that /etc/sudoers has the line @includedir %[1]s", dir)}
}

// dispatches reports whether a rule of ours leads on from the agent, as far as we may look.
func (h HostSetup) dispatches() bool {
	found, err := filepath.Glob(ruleDir + "/ai-flow-" + noDots(h.Agent) + "+*")
	return err == nil && len(found) > 0
}

// refuseEmployed keeps off an account that we did not make and that serves somebody: a run ends everything that its agent user
// runs, and reads what that user may read.
func refuseEmployed(u *user.User, uid int) error {
	bad := func(problem, fix string) error {
		return &SetupError{Kind: BadUser, Problem: u.Username + " " + problem, Fix: fix}
	}
	const another = "set AI_FLOW_AGENT_USER to a user that does nothing else"
	if uid < 100 || uid == 65534 {
		return bad(fmt.Sprintf("(%d) is a user of the system's, which several services may share", uid), another)
	}
	if shell := passwdField("/etc/passwd", u.Username, 6); shell != "" && !noLogin(shell) {
		return bad(fmt.Sprintf("can log in: its shell is %.80q", shell), fmt.Sprintf("%s; or, if it is nobody's: sudo usermod --shell /usr/sbin/nologin --lock %s", another, u.Username))
	}
	if hash := passwdField("/etc/shadow", u.Username, 1); hash != "" && !strings.HasPrefix(hash, "!") && !strings.HasPrefix(hash, "*") {
		return bad("has a password, so it is somebody's", fmt.Sprintf("%s; or, if it is nobody's: sudo usermod --lock %s", another, u.Username))
	}
	if running, err := ownedBy(uid); err == nil && len(running) > 0 {
		return bad(fmt.Sprintf("runs something already (%s), and a run ends everything that its agent user runs", listed(named(running))), another+"; or end these first")
	}
	return nil
}

func noLogin(shell string) bool {
	return slices.Contains([]string{"nologin", "false"}, filepath.Base(shell))
}

// passwdField is a field of a user's line in a file like /etc/passwd; "" where there is none, or where we may not look.
func passwdField(file, name string, field int) string {
	text, err := os.ReadFile(file)
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(text)) {
		if f := strings.Split(strings.TrimSuffix(line, "\n"), ":"); f[0] == name && len(f) > field {
			return f[field]
		}
	}
	return ""
}

// shareGroup reports whether the lock, which is closed to the agent's group, would be closed to the dispatcher too.
func shareGroup(agent, dispatcher *user.User) bool {
	if agent == nil || dispatcher == nil || dispatcher.Uid == "0" {
		return false
	}
	groups, err := dispatcher.GroupIds()
	return err != nil || slices.Contains(groups, agent.Gid)
}

// furtherGroups says which groups beside one of its own the agent is in: what these may read, every run may.
func (h HostSetup) furtherGroups(agent *user.User) string {
	ids, err := agent.GroupIds()
	if err != nil {
		return ""
	}
	var names []string
	for _, id := range ids {
		if g, err := user.LookupGroupId(id); err == nil {
			id = g.Name
		}
		if id != h.Agent {
			names = append(names, strconv.Quote(id))
		}
	}
	if len(names) == 0 {
		return ""
	}
	return "; it is in groups that are not its own, whose files each run can read: " + strings.Join(names, ", ")
}
