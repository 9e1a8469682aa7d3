package isolation

import (
	"os"
	"slices"
	"strconv"
	"strings"
)

// hardening are the options of setpriv with which everything starts as the agent, the first one wherever there is a setpriv,
// the others where it knows them (busybox's and old ones of util-linux do not). [Resolve] tries each.
//
//   - --no-new-privs: no setuid program and no file capability gives anything.
//   - --ambient-caps, --inh-caps: capabilities that PAM or the runner's service gave, which would go on to each program.
//   - --pdeathsig: sudo cannot relay a SIGKILL, of the kernel that is out of memory for one, and would leave the agent alone.
//     It goes on to no child: what the agent started is ended by a sweep.
//
// Rejected: --bounding-set and --securebits need CAP_SETPCAP, which an unprivileged user has not; --reset-env would take the
// variables of the launch; a seccomp filter (setpriv from 2.40) that forbids what no build needs is not known yet.
// The limits and the umask are set by scripts/launch.sh.
//
// All of it is defence in depth: until setpriv has run, for less than a millisecond, a process of the same user can trace the
// new one and become it.
var hardening = [...]string{"--no-new-privs", "--ambient-caps=-all", "--inh-caps=-all", parentDeath}

// parentDeath is right only where sudo stays the parent. A sudo that has nothing to wait for (no PAM session, no terminal of
// its own) becomes the command, and then the parent is a thread of ours: the signal would come when that thread ends, which the
// Go runtime may do at any time, and for a dispatcher that is root it would kill an agent in the middle of its work.
const parentDeath = "--pdeathsig=KILL"

// harden takes the probe's word for which options work: those of ours, and in our order. Whoever forges it, a process that an
// earlier run left, can make us leave out the lesser ones; the doctor looks at what a process of the launch really has.
func (i Identity) harden(works, parent string) Identity {
	i.options = ""
	said := strings.Fields(works)
	for n, option := range hardening {
		if n == 0 || slices.Contains(said, option) && (option != parentDeath || parent == "sudo") {
			i.options = strings.TrimSpace(i.options + " " + option)
		}
	}
	return i
}

// hardened is argv as the agent user, without what that user could gain. A signal goes another way ([Identity.as]): against an
// agent that kills the kill each moment counts.
func (i Identity) hardened(variables []string, argv ...string) []string {
	if !i.Isolated() {
		return argv
	}
	line := i.as()
	if len(variables) > 0 {
		line = slices.Insert(line, len(line)-1, "--preserve-env="+strings.Join(variables, ","))
	}
	if i.setpriv != "" {
		line = append(append(append(line, i.setpriv), strings.Fields(i.options)...), "--")
	}
	return append(line, argv...)
}

// processBound is how many processes and threads the agent may have, "" for as many as now: seven eighths of what
// the kernel has numbers and room for, so that whoever is to end a fork bomb can start something beside it. A build that comes
// near that fails anyway.
//
// The kernel counts all that the user runs on the host, also in other containers where the same number is a user; so the bound
// of our own control group would be the wrong measure. Not bound, since honest builds need it: memory (Go, Java and sanitizers
// reserve far more than they use), time, the size of files, and open files, of which build tools allow themselves more on purpose.
func (i Identity) processBound() string {
	if !i.Isolated() {
		return "" // a person's own processes would count
	}
	bound := 0
	for _, name := range []string{"pid_max", "threads-max"} {
		text, err := os.ReadFile("/proc/sys/kernel/" + name)
		if n, wrong := strconv.Atoi(strings.TrimSpace(string(text))); err == nil && wrong == nil && n > 0 && (bound == 0 || n < bound) {
			bound = n
		}
	}
	if bound /= 8; bound == 0 {
		return ""
	}
	return strconv.Itoa(7 * bound)
}
