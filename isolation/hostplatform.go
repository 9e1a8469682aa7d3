package isolation

import (
	"fmt"
	"runtime"
	"strings"
)

// tool is a program that preparing a host needs, and the package that has it where it is not there from the start.
type tool struct{ name, pack string }

// tools are what the scripts start beside what every host has. Where useradd is busybox's adduser (Alpine) they are missing.
func tools() []tool {
	return []tool{{"useradd", "shadow"}, {"usermod", "shadow"}, {"userdel", "shadow"}, {"visudo", "sudo"}, {"flock", "util-linux"}, {"setpriv", "util-linux"}}
}

// supported is the seam between operating systems: Linux with the usual tools is prepared, another system is not, and says what a person
// would have to do.
func (h HostSetup) supported() error {
	if system := h.goos(); system != "linux" {
		return &SetupError{Kind: Unsupported, Problem: "making an agent user is not supported on " + system + " yet",
			Fix: fmt.Sprintf("make the user %s by hand, put %q into %s, and try again", h.Agent, h.rule(), h.rulePath())}
	}
	if firstProgram(sudoPlaces()) == "" {
		return &SetupError{Kind: NoSudo, Problem: "there is no sudo on this host, so the agent cannot run as another user", Fix: "as root, apt-get install sudo"}
	}
	for _, t := range tools() {
		if firstProgram([]string{"/usr/sbin/" + t.name, "/sbin/" + t.name, "/usr/bin/" + t.name, "/bin/" + t.name}) == "" {
			return &SetupError{Kind: Unsupported, Problem: fmt.Sprintf("there is no %s on this host, by which the agent user would be made", t.name),
				Fix: fmt.Sprintf("install the package that has it (%s on most systems)", t.pack)}
		}
	}
	return nil
}

func (h HostSetup) goos() string {
	if h.system != "" {
		return h.system
	}
	return runtime.GOOS
}

// byHand are the steps of a system that we do not prepare, as sentences with commands in them. They come from its
// documentation and were not tried by us, which is why they are not run.
func (h HostSetup) byHand() []SetupStep {
	if h.goos() != "darwin" || !plainName.MatchString(h.Agent) || !plainName.MatchString(h.Dispatcher) {
		return nil
	}
	dscl := func(record string, settings ...string) string {
		lines := []string{"sudo dscl . -create " + record}
		for _, s := range settings {
			lines = append(lines, "sudo dscl . -create "+record+" "+s)
		}
		return strings.Join(lines, " && ")
	}
	const id = "450" // below 500 an account is hidden from the login window
	return []SetupStep{
		{Say: fmt.Sprintf("make a group of its own, with a number that is free (%s here): %s", id, dscl("/Groups/"+h.Agent, "PrimaryGroupID "+id))},
		{Say: fmt.Sprintf("make the user, which cannot log in: %s", dscl("/Users/"+h.Agent, "UniqueID "+id, "PrimaryGroupID "+id, "UserShell /usr/bin/false",
			"NFSHomeDirectory /var/"+h.Agent, "IsHidden 1", "Password '*'"))},
		{Say: fmt.Sprintf("make its home, root's and closed to others: sudo install -d -o root -g %[1]s -m 0710 /var/%[1]s && sudo install -d -o %[1]s -g %[1]s -m 0700 /var/%[1]s/.ai-flow", h.Agent)},
		{Say: fmt.Sprintf("make the lock: sudo install -d -m 0755 %s && sudo install -o root -g %s -m 0604 /dev/null %s", sharedLocks, h.Agent, h.lockPath())},
		{Say: fmt.Sprintf("let %s become it: put %q into %s~, check it with sudo visudo -c -f %[3]s~, and then sudo mv %[3]s~ %[3]s", h.Dispatcher, h.rule(), h.rulePath())},
	}
}
