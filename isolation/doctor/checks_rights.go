package doctor

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// rightsChecks are about what the agent's processes may do by themselves: who they are, and what the launch took from them.
func rightsChecks() []check {
	ofSelf := func(id, says string, judge func(host, self) verdict) check {
		return check{id: id, says: says, short: true,
			attempts: func(host) ([]attempt, string) { return []attempt{{Deed: deedSelf}}, onLinux() },
			judge: func(h host, _ []attempt, got []outcome) verdict {
				s, trouble := told(got[0])
				if trouble != "" {
					return unknown(trouble, "")
				}
				return judge(h, s)
			}}
	}
	return []check{
		ofSelf("agent-user", "The agent runs as its user and group in every sense: real, effective, saved and of the file system.", judgeUser),
		ofSelf("groups", "The agent's user is in no group but its own.", judgeGroups),
		ofSelf("no-new-privs", "No program gives the agent more rights: no_new_privs is set.", judgeNoNewPrivs),
		ofSelf("capabilities", "The agent has no capability.", judgeCapabilities),
		ofSelf("core-dumps", "A crash of the agent leaves no core file, in which keys would be.", judgeCore),
		ofSelf("process-limit", "A fork bomb of the agent's leaves the host room for others.", judgeProcesses),
		ofSelf("umask", "What the agent makes is closed to other users.", judgeUmask),
		// The sweep ends what a killed sudo leaves, so an old setpriv stops no run.
		atLeisure(ofSelf("death-signal", "The agent ends when its launch line is killed.", judgeDeathSignal)),
		ofSelf("environment", "The agent's environment holds only what ai-flow put there.", judgeEnvironment),
	}
}

func judgeUser(h host, s self) verdict {
	for _, id := range []struct {
		name string
		want int
	}{{"Uid", h.uid}, {"Gid", h.gid}} {
		got := strings.Fields(field(s.Status, id.name))
		if len(got) != 4 {
			return unknown("the kernel does not tell", "")
		}
		if slices.ContainsFunc(got, func(n string) bool { return n != strconv.Itoa(id.want) }) {
			return fail(fmt.Sprintf("%s is %s instead of %d", id.name, excerpt(strings.Join(got, " ")), id.want), "look at the rule for "+h.Identity.Name()+": sudo visudo")
		}
	}
	return pass(fmt.Sprintf("user %d, group %d", h.uid, h.gid))
}

// rootsEqual are groups whose members are root in all but name, or read what only root may: those of [isolation.Resolve] and
// some that it lets pass, since they give less.
func rootsEqual(group string) bool {
	return slices.Contains([]string{"root", "sudo", "wheel", "admin", "docker", "podman", "lxd", "incus", "incus-admin", "libvirt", "libvirt-qemu",
		"kvm", "disk", "shadow", "kmem", "adm", "systemd-journal", "staff", "tty", "video", "input", "utmp", "microk8s", "containerd", "vboxusers"}, group)
}

func judgeGroups(h host, s self) verdict {
	var names []string
	mighty := ""
	for _, id := range strings.Fields(field(s.Status, "Groups")) {
		n, err := strconv.Atoi(id)
		if err != nil || n == h.gid {
			continue
		}
		name := h.groups[n]
		if rootsEqual(name) {
			mighty = ", of which a member reads or does what is root's"
		}
		if name == "" {
			name = id
		}
		names = append(names, name)
	}
	if own := h.groups[h.gid]; rootsEqual(own) || h.gid == h.ourGID {
		return fail(fmt.Sprintf("its own group is %s, which is %s's or gives what is root's", excerpt(cmp.Or(own, strconv.Itoa(h.gid))), h.dispatcher),
			fmt.Sprintf("as root, give it a group that is nobody else's: groupadd --system %s-own && usermod --gid %[1]s-own %[1]s", h.Identity.Name()))
	}
	if len(names) == 0 {
		return pass(fmt.Sprintf("only group %d", h.gid))
	}
	var fix []string
	for _, name := range names {
		fix = append(fix, fmt.Sprintf("sudo gpasswd --delete %s %s", h.Identity.Name(), shellWord(name)))
	}
	return fail("it is in "+excerpt(strings.Join(names, ", "))+mighty, strings.Join(fix, " && "))
}

const setprivFix = "sudo apt-get install util-linux (2.33 or newer), whose setpriv the launch line uses where it is there"

func judgeNoNewPrivs(_ host, s self) verdict {
	switch field(s.Status, "NoNewPrivs") {
	case "1":
		return pass("set")
	case "0":
		return fail("not set: setuid programs and sudo rules work for the agent", setprivFix)
	}
	return unknown("the kernel does not tell", "")
}

func judgeCapabilities(_ host, s self) verdict {
	for _, set := range []struct{ field, name string }{{"CapEff", "effective"}, {"CapPrm", "permitted"}, {"CapInh", "inheritable"}, {"CapAmb", "ambient"}} {
		text := field(s.Status, set.field)
		bits, err := strconv.ParseUint(text, 16, 64)
		if err != nil {
			return unknown("the kernel does not tell", "")
		}
		if bits != 0 {
			return fail(fmt.Sprintf("its %s capabilities are %x", set.name, bits),
				setprivFix+"; and take them out of /etc/security/capability.conf (pam_cap) or of AmbientCapabilities= of the runner's service")
		}
	}
	return pass("none effective, permitted, inheritable or ambient")
}

// limit is the soft limit of /proc/self/limits, whose columns are set apart by two spaces or more.
func limit(limits, name string) string {
	for line := range strings.Lines(limits) {
		if rest, ok := strings.CutPrefix(line, name+" "); ok {
			if words := strings.Fields(rest); len(words) > 1 {
				return words[0]
			}
		}
	}
	return ""
}

func judgeCore(_ host, s self) verdict {
	switch n := limit(s.Limits, "Max core file size"); n {
	case "0":
		return pass("the limit is 0")
	case "":
		return unknown("the kernel does not tell", "")
	default:
		return fail("core files of the agent may have "+excerpt(n)+" bytes", "echo '* hard core 0' | sudo tee -a /etc/security/limits.d/ai-flow.conf")
	}
}

func judgeProcesses(h host, s self) verdict {
	switch n := limit(s.Limits, "Max processes"); n {
	case "unlimited":
		return fail("the agent may start processes without a limit", fmt.Sprintf("echo '%s hard nproc 4096' | sudo tee -a /etc/security/limits.d/ai-flow.conf", h.Identity.Name()))
	case "":
		return unknown("the kernel does not tell", "")
	default:
		return pass("at most " + excerpt(n))
	}
}

func judgeUmask(h host, s self) verdict {
	text := field(s.Status, "Umask")
	mask, err := strconv.ParseUint(text, 8, 16)
	switch {
	case err != nil:
		return unknown("the kernel does not tell", "")
	case mask&0o077 != 0o077:
		return fail("it is "+excerpt(text)+" instead of 0077", fmt.Sprintf("take umask_override and a looser umask for %s out of sudoers (sudo visudo)", h.Identity.Name()))
	}
	return pass(text)
}

// judgeDeathSignal wants no signal where sudo does not stay the parent: it would come when a thread of ours ends.
func judgeDeathSignal(_ host, s self) verdict {
	const kill = 9
	switch {
	case s.DeathSignal < 0:
		return unknown("it could not be asked for", "")
	case s.DeathSignal == kill && s.Parent == "sudo":
		return pass("SIGKILL, when sudo ends")
	case s.DeathSignal == 0 && s.Parent != "sudo":
		return pass("sudo does not stay between ai-flow and the agent here")
	case s.DeathSignal == 0:
		return fail("none is set: a killed sudo leaves the agent running until the sweep", setprivFix)
	}
	return fail(fmt.Sprintf("it is signal %d, of the parent %s", s.DeathSignal, excerpt(s.Parent)), setprivFix)
}

// ours are the names that the launch line gives, and those that a shell sets by itself.
var ours = regexp.MustCompile(`^(HOME|USER|LOGNAME|SHELL|PATH|TMPDIR|TERM|LC_ALL|XDG_(CONFIG|CACHE|DATA|STATE)_HOME|XDG_RUNTIME_DIR|PWD|OLDPWD|SHLVL|_)$`)

func judgeEnvironment(_ host, s self) verdict {
	var strange []string
	for _, name := range s.Environ {
		if !ours.MatchString(name) {
			strange = append(strange, name)
		}
	}
	if len(strange) == 0 {
		return pass(fmt.Sprintf("%d names, all of them ours", len(s.Environ)))
	}
	return fail("there is also "+excerpt(strings.Join(strange, ", ")), "look for what sets it as the launch line starts: env_file in sudoers (sudo visudo), /bin/sh itself")
}
