package doctor

import (
	"fmt"
	"os"
	"regexp"
	"strings"
)

// sudoChecks are about sudo itself: what it would do for the agent, and how it runs what we start.
func sudoChecks() []check {
	return []check{
		{
			id: "sudo", says: "The agent cannot become another user by sudo.", short: true,
			attempts: func(h host) (tries []attempt, unknown string) {
				for _, program := range h.rules.programs {
					tries = append(tries, attempt{Deed: deedRun, Argv: []string{program, "-n", "--", "/bin/sh", "-c", ":"}}, attempt{Deed: deedRun, Argv: []string{program, "-n", "-l"}})
				}
				return tries, ""
			},
			judge: judgeSudo,
		},
		{
			id: "use-pty", says: "The agent cannot type into the terminal that ai-flow was started on (use_pty).",
			attempts: func(host) ([]attempt, string) {
				return []attempt{{Deed: deedRead, Path: "/proc/sys/dev/tty/legacy_tiocsti", Max: 2}}, ""
			},
			judge: judgePty,
		},
		{id: "secure-path", says: "Sudo looks for programs where root says, and not where its caller says (secure_path).", judge: judgePath},
	}
}

func judgeSudo(h host, tries []attempt, got []outcome) verdict {
	fix := fmt.Sprintf("find the rule and take it out: sudo grep -rnw %s /etc/sudoers /etc/sudoers.d; sudo visudo", h.Identity.Name())
	for i, o := range got {
		switch {
		case o.Done && o.Code == 0:
			return fail(fmt.Sprintf("%q works for the agent: %s", strings.Join(tries[i].Argv[:3], " "), excerpt(lastLine(o.Data))), fix)
		case !o.Done && !o.refused():
			return unknown(tries[i].String()+": "+o.Error, "")
		}
	}
	if h.rules.agents != "" {
		return fail("there is a rule for the agent, which only no_new_privs keeps it from: "+excerpt(lastLine([]byte(h.rules.agents))), fix)
	}
	return pass("refused, with and without the launch line's no_new_privs")
}

// lastLine is where sudo says what may be done.
func lastLine(text []byte) string {
	s := strings.TrimSpace(string(text))
	return strings.TrimSpace(s[strings.LastIndexByte(s, '\n')+1:])
}

// defaults finds a setting in what "sudo -l" lists of its user, "env_reset, secure_path=/usr/sbin\:/usr/bin, !use_pty": the last
// word counts.
func defaults(list, name string) bool {
	all := regexp.MustCompile(`(?:^|[\s,])(!?)`+name+`(?:$|[\s,=])`).FindAllStringSubmatch(list, -1)
	return len(all) > 0 && all[len(all)-1][1] == ""
}

func judgePty(h host, _ []attempt, got []outcome) verdict {
	kernel := got[0].Done && strings.TrimSpace(string(got[0].Data)) == "0"
	switch {
	case h.rules.ours != "" && defaults(h.rules.ours, "use_pty"):
		return pass("sudo gives the agent a terminal of its own")
	case kernel:
		return pass("this kernel lets nobody do it (dev.tty.legacy_tiocsti is 0)")
	case h.rules.ours == "":
		return unknown("sudo does not tell "+h.dispatcher+" what its settings are", settingFix(h, "use_pty"))
	}
	return fail("use_pty is not set, and the kernel lets a process type into its terminal", settingFix(h, "use_pty"))
}

const securePath = `secure_path="/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"`

func judgePath(h host, _ []attempt, _ []outcome) verdict {
	switch {
	case h.rules.ours == "":
		return unknown("sudo does not tell "+h.dispatcher+" what its settings are", settingFix(h, securePath))
	case !defaults(h.rules.ours, "secure_path"):
		return fail("secure_path is not set", settingFix(h, securePath))
	}
	return pass("set")
}

// settingFix makes a file of its own, checked before it is moved: one that sudo cannot parse would lock everybody out. Of two
// settings sudo takes the later, and reads the files by their names.
func settingFix(h host, setting string) string {
	name, _, _ := strings.Cut(setting, "=")
	draft := "/etc/sudoers.d/zz-ai-flow-" + name + "~" // sudo reads no such name
	as := "sudo "
	if os.Geteuid() == 0 {
		as = ""
	}
	return fmt.Sprintf("echo %s | %stee %s && %[2]schmod 0440 %[3]s && %[2]svisudo -cf %[3]s && %[2]smv %[3]s %s",
		shellWord("Defaults:"+h.dispatcher+" "+setting), as, draft, strings.TrimSuffix(draft, "~"))
}
