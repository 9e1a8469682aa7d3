package isolation

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/user"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// probeName is the variable that has to arrive for the launch line to be of use.
const probeName = "AI_FLOW_PROBE"

const tryTime = 20 * time.Second // for finding out whether the launch line works

// userName is what useradd accepts: no digit or sign in front, which sudo would read as an id or an option.
var userName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_.-]{0,31}$`)

// mighty are groups whose members are root in all but name, or read what only root may.
var mighty = map[string]bool{"root": true, "sudo": true, "wheel": true, "admin": true, "docker": true, "lxd": true, "incus": true,
	"incus-admin": true, "disk": true, "shadow": true, "dockerroot": true, "microk8s": true, "google-sudoers": true, "kmem": true, "libvirt": true}

// places of host programs, instead of a PATH that somebody else may have set.
func sudoPlaces() []string {
	return []string{"/usr/bin/sudo", "/usr/local/bin/sudo", "/bin/sudo", "/run/wrappers/bin/sudo"}
}

func setprivPlaces() []string { return []string{"/usr/bin/setpriv", "/bin/setpriv"} }

// Resolve finds the user and tries the real launch line. Each way that can go wrong is a *SetupError with a kind: NoUser,
// BadUser (root, ourselves, a member of a group as mighty as root), NoSudo, NoRule (refused, or without SETENV). At most 20 s.
//
// A launch line that is killed whenever it is tried is none of them: something that runs as the user kills it. [Open] ends
// that, and tries the line again before anything else runs.
func Resolve(ctx context.Context, r Runner, name string) (Identity, error) {
	return resolve(ctx, r, name, sudoPlaces(), setprivPlaces())
}

func resolve(ctx context.Context, r Runner, name string, sudo, setpriv []string) (Identity, error) {
	id, err := known(name)
	if err != nil {
		return Identity{}, err
	}
	if id.sudo = firstProgram(sudo); id.sudo == "" {
		return Identity{}, &SetupError{Kind: NoSudo, Problem: "there is no sudo on this host, so the agent cannot run as another user",
			Fix: "sudo-less hosts: as root, apt-get install sudo"}
	}
	ctx, cancel := context.WithTimeout(ctx, tryTime)
	defer cancel()
	id.setpriv = rootsProgram(setpriv)
	return id.try(ctx, r)
}

// known looks the user up and refuses those that must not run an agent.
func known(name string) (Identity, error) {
	if !userName.MatchString(name) {
		return Identity{}, &SetupError{Kind: BadUser, Problem: fmt.Sprintf("%.64q cannot be the name of a user", name), Fix: "set AI_FLOW_AGENT_USER to the agent's user"}
	}
	u, err := user.Lookup(name)
	if unknown := user.UnknownUserError(""); errors.As(err, &unknown) {
		return Identity{}, &SetupError{Kind: NoUser, Problem: fmt.Sprintf("there is no user %s on this host", name),
			Fix: "sudo useradd --system --user-group --create-home --shell /usr/sbin/nologin " + name}
	}
	if err != nil {
		return Identity{}, fmt.Errorf("looking up the user %s: %w", name, err)
	}
	uid, gid, err := fit(u, os.Getuid(), os.Geteuid())
	if err != nil {
		return Identity{}, err
	}
	return Identity{name: name, home: u.HomeDir, shell: shell(), uid: uid, gid: gid, made: u.Name == comment}, nil
}

// fit refuses users that must not run an agent: root under any name, ourselves, members of mighty groups.
func fit(u *user.User, ourselves ...int) (uid, gid int, err error) {
	uid, err1 := strconv.Atoi(u.Uid)
	gid, err2 := strconv.Atoi(u.Gid)
	if err := errors.Join(err1, err2); err != nil {
		return 0, 0, fmt.Errorf("looking up the user %s: %w", u.Username, err)
	}
	switch {
	case uid == 0 || gid == 0:
		return 0, 0, &SetupError{Kind: BadUser, Problem: u.Username + " is root, and an agent never runs as root", Fix: "set AI_FLOW_AGENT_USER to a user without rights"}
	case slices.Contains(ourselves, uid):
		return 0, 0, &SetupError{Kind: BadUser, Problem: u.Username + " is the user that ai-flow itself runs as, so there would be no boundary",
			Fix: "set AI_FLOW_AGENT_USER to another user, or say openly that there is none: AI_FLOW_ISOLATION=none"}
	}
	return uid, gid, refuseMighty(u)
}

func refuseMighty(u *user.User) error {
	ids, err := u.GroupIds()
	if err != nil {
		return fmt.Errorf("listing the groups of %s: %w", u.Username, err)
	}
	for _, id := range ids {
		g, err := user.LookupGroupId(id)
		if err == nil && mighty[g.Name] {
			return &SetupError{Kind: BadUser, Problem: fmt.Sprintf("%s is in the group %s, whose members can become root", u.Username, g.Name),
				Fix: fmt.Sprintf("sudo gpasswd --delete %s %s", u.Username, g.Name)}
		}
	}
	return nil
}

// shell is what the agent's SHELL says. The account's own is nologin, with which an agent could not run a command.
func shell() string { return firstProgram([]string{"/bin/bash", "/bin/sh"}) }

func firstProgram(places []string) string {
	return firstOf(places, func(os.FileInfo) bool { return true })
}

// rootsProgram is the first that root alone can have put there.
func rootsProgram(places []string) string {
	return firstOf(places, func(info os.FileInfo) bool {
		st, ok := info.Sys().(*syscall.Stat_t)
		return ok && st.Uid == 0 && info.Mode().Perm()&0o022 == 0
	})
}

func firstOf(places []string, fits func(os.FileInfo) bool) string {
	at := slices.IndexFunc(places, func(p string) bool {
		info, err := os.Stat(p)
		return err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 && fits(info)
	})
	if at < 0 {
		return ""
	}
	return places[at]
}

// try runs the launch line with a variable that has to arrive, and looks who ran.
func (i Identity) try(ctx context.Context, r Runner) (Identity, error) {
	token := make([]byte, 8)
	if _, err := rand.Read(token); err != nil {
		return Identity{}, fmt.Errorf("trying sudo: %w", err)
	}
	value := hex.EncodeToString(token)
	argv := append([]string{i.sudo, "-n", "-H", "-u", i.name, "--preserve-env=" + probeName, "--", "/bin/sh", "-c", probeScript, "ai-flow", i.setpriv}, hardening[:]...)
	out, said, code, err := i.probe(ctx, r, argv, append(bareEnvironment(), probeName+"="+value))
	if err != nil {
		return Identity{}, fmt.Errorf("trying sudo: %w", err)
	}
	says := lookups(strings.Split(string(out), "\n"))
	switch {
	case killedBy(code):
		i.unproven = true
		return i, nil
	case answer(code) == answerSetpriv:
		return Identity{}, &SetupError{Kind: Unsupported, Problem: i.setpriv + " does not work here, and without it sudo and su are open to the agent",
			Fix: "reinstall it: apt-get install --reinstall util-linux"}
	case code != 0:
		return Identity{}, i.diagnose(ctx, r, code, said)
	case says["uid"] != strconv.Itoa(i.uid):
		return Identity{}, &SetupError{Kind: NoSudo, Problem: fmt.Sprintf("sudo -u %s ran a command as user %.20q instead of %d", i.name, says["uid"], i.uid), Fix: "look at what sudo is on this host: " + i.sudo + " --version"}
	case says["value"] != value:
		return Identity{}, i.setenvMissing("sudo dropped the variable that was to reach the agent")
	}
	i.unproven = false
	return i.harden(says["works"], says["parent"]), nil
}

// prove makes up for what Resolve could not find out, when the user has been swept.
func (r *Room) prove(ctx context.Context) (err error) {
	if !r.id.unproven {
		return nil
	}
	ran := "nothing that could be seen"
	if len(r.leftovers) > 0 {
		ran = listed(r.leftovers)
	}
	ctx, cancel := context.WithTimeout(ctx, tryTime)
	defer cancel()
	if r.id, err = r.id.try(ctx, r.runner); err == nil && r.id.unproven {
		err = &SetupError{Kind: BadUser, Problem: fmt.Sprintf("a command as %s is killed whenever it is tried; the user ran %s", r.id.name, ran),
			Fix: "as root, end everything that it runs: pkill -KILL -u " + r.id.name}
	}
	return err
}

// killedBy reports whether a signal ended the command. Sudo ends itself by the same one.
func killedBy(code int) bool { return code < 0 || code >= 128 }

// probe runs the launch line, again when a signal ended it: it runs before the lock is held, so the sweep of another run
// may take it along.
func (i Identity) probe(ctx context.Context, r Runner, argv, env []string) (out, said []byte, code int, err error) {
	for range 20 {
		out, said, code, err = r.Run(ctx, argv, env, nil)
		if err != nil || !killedBy(code) {
			break
		}
		if err := sleep(ctx, 10*time.Millisecond); err != nil {
			break
		}
	}
	return out, said, code, err
}
