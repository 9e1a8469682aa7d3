package doctor

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// kernelChecks are about how this host is configured: what its kernel and its files leave open to any user.
func kernelChecks() []check {
	return []check{
		{
			id: "setuid-programs", says: "No program with rights of its own serves the agent.",
			attempts: func(host) ([]attempt, string) {
				tries := []attempt{{Deed: deedSelf}}
				for _, dir := range []string{"/usr", "/opt", "/home", "/srv", "/var", "/snap"} {
					if info, err := os.Stat(dir); err == nil && info.IsDir() {
						tries = append(tries, attempt{Deed: deedWalk, Path: dir})
					}
				}
				return tries, onLinux()
			},
			judge: judgeMighty,
		},
		{
			id: "shared-directories", says: "In directories that all users share nobody can replace, or lead astray by links, what another made.",
			judge: func(host, []attempt, []outcome) verdict { return judgeShared("") },
		},
		{
			id: "core-handler", says: "No core dump of the agent's is handed to a program that keeps it.",
			judge: func(host, []attempt, []outcome) verdict { return judgePattern(sysctl("", "kernel/core_pattern")) },
		},
		{
			id: "user-namespaces", says: "The agent cannot make itself root of a user namespace, where it reaches more of the kernel.",
			attempts: func(host) ([]attempt, string) { return []attempt{{Deed: deedUserns}}, onLinux() },
			judge:    judgeUserns,
		},
		{
			id: "disk", says: "The agent cannot fill the disk that ai-flow writes to.",
			judge: func(h host, _ []attempt, _ []outcome) verdict {
				return judgeDisk(h, device(h.Room.StateDir), device(h.Identity.Home()), mountOptions(h.Identity.Home()))
			},
		},
	}
}

// judgeMighty takes a setuid program for harmless where no_new_privs is set: it then runs with the agent's own rights. One that
// others may write is not: whoever runs it next is not the agent.
func judgeMighty(_ host, tries []attempt, got []outcome) verdict {
	s, trouble := told(got[0])
	if trouble != "" {
		return unknown(trouble, "")
	}
	var all []string
	cut := false
	for _, o := range got[1:] {
		all, cut = append(all, o.Names...), cut || o.Cut || !o.Done && !o.refused()
	}
	var loose []string
	for _, entry := range all {
		words := strings.SplitN(entry, " ", 3)
		// The name is the agent's word. A device or a link that it names instead would have the fix break the host.
		if info, err := os.Lstat(words[len(words)-1]); err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o002 != 0 {
			loose = append(loose, words[len(words)-1])
		}
	}
	switch {
	case len(loose) > 0:
		return fail("everybody may write "+some(loose), chmod("o-w", loose))
	case field(s.Status, "NoNewPrivs") != "1":
		return fail(fmt.Sprintf("there are %d, and they work for the agent: no_new_privs is not set", len(all)), setprivFix)
	case cut:
		return unknown(fmt.Sprintf("%d were found, and not all could be looked at", len(all)), "")
	}
	return pass(fmt.Sprintf("%d, of no use with no_new_privs", len(all)))
}

// protections are settings of the kernel's, with the least that each has to be.
var protections = []struct {
	name  string
	least int
}{{"fs/protected_symlinks", 1}, {"fs/protected_hardlinks", 1}, {"fs/protected_fifos", 1}, {"fs/protected_regular", 1}}

// judgeShared reads the host below root, which is "" but in tests.
func judgeShared(root string) verdict {
	for _, dir := range sharedDirs {
		info, err := os.Stat(filepath.Join(root, dir))
		if err == nil && info.Mode().Perm()&0o002 != 0 && info.Mode()&os.ModeSticky == 0 {
			return fail(dir+" is for all users and has no sticky bit", "sudo chmod +t "+dir)
		}
	}
	var weak, fix []string
	for _, p := range protections {
		text, err := sysctl(root, p.name)
		value, err2 := strconv.Atoi(text)
		name := strings.ReplaceAll(p.name, "/", ".")
		switch {
		case err != nil || err2 != nil:
			return unknown(name+" cannot be read", "")
		case value < p.least:
			weak = append(weak, fmt.Sprintf("%s is %d", name, value))
			fix = append(fix, fmt.Sprintf("%s=%d", name, p.least))
		}
	}
	if len(weak) > 0 {
		return fail(strings.Join(weak, ", "), "sudo sysctl -w "+strings.Join(fix, " "))
	}
	return pass("sticky, and links, FIFOs and files in them are protected")
}

func sysctl(root, name string) (string, error) {
	text, err := kernelFile(filepath.Join(root, "/proc/sys", name))
	return strings.TrimSpace(text), err
}

// judgePattern: a handler gets the memory of the process whatever the limit is, and may keep it where the same user reads it
// in a later run.
func judgePattern(pattern string, err error) verdict {
	switch {
	case err != nil:
		return unknown("core_pattern cannot be read", "")
	case strings.HasPrefix(pattern, "|"):
		return unknown("crashes go to "+excerpt(strings.Fields(pattern[1:] + " ?")[0])+", whose store this cannot judge",
			"sudo sysctl -w kernel.core_pattern=core, or have the handler keep nothing of this user's")
	}
	return pass("no handler: the limit of the launch line decides")
}

func judgeUserns(_ host, _ []attempt, got []outcome) verdict {
	switch o := got[0]; {
	case o.Error == "EPERM":
		return pass("refused")
	case !o.Done: // also where the program by which it is tried is not there: an agent may bring its own
		return unknown("it could not be tried: "+excerpt(o.Error), "")
	}
	why := "it can"
	if text, err := sysctl("", "kernel/apparmor_restrict_unprivileged_userns"); err == nil {
		why += ", with apparmor_restrict_unprivileged_userns " + excerpt(text)
	}
	return unknown(why+"; whether this kernel holds there is not for us to tell", "sudo sysctl -w user.max_user_namespaces=0 # sandboxes of agents themselves, as Codex has one, then do not work")
}

// device is the file system of a path, or of what is above it; 0 when it is not known.
func device(path string) uint64 {
	for path != "" {
		var st syscall.Stat_t
		if syscall.Stat(path, &st) == nil {
			return uint64(st.Dev) // 32 bits on other systems
		}
		up := filepath.Dir(path)
		if up == path {
			return 0
		}
		path = up
	}
	return 0
}

// mountOptions are those of the file system that holds a path.
func mountOptions(path string) string {
	table, _ := kernelFile("/proc/self/mounts") // without it nothing is known of quotas
	return optionsOf(table, path)
}

// optionsOf picks the longest mount point above a path.
func optionsOf(table, path string) (options string) {
	longest := -1
	for line := range strings.Lines(table) {
		words := strings.Fields(line)
		if len(words) < 4 {
			continue
		}
		at := strings.TrimSuffix(words[1], "/") + "/"
		if strings.HasPrefix(path+"/", at) && len(at) > longest {
			longest, options = len(at), words[3]
		}
	}
	return options
}

func judgeDisk(h host, ours, agents uint64, options string) verdict {
	switch {
	case ours == 0 || agents == 0:
		return unknown("the file systems could not be looked at", "")
	case ours != agents:
		return pass("the agent's home is on another file system than ours")
	case strings.Contains(options, "quota"):
		return pass("its file system has quotas; what is set for the agent is the operator's to see: quota -u " + h.Identity.Name())
	}
	return unknown("it writes to the same file system as ai-flow, without a quota", "give the agent's home a file system of its own, or a quota (man setquota)")
}
