package doctor

import (
	"fmt"
	"runtime"
	"strconv"
	"strings"
)

// processChecks are about processes: the dispatcher's, and what the agent user runs beside the run.
func processChecks() []check {
	return []check{
		{
			id: "dispatcher-environ", says: "The agent cannot read the environment of ai-flow or of the runner.", short: true,
			attempts: eachOfFamily(func(pid int) []attempt { return []attempt{{Deed: deedRead, Path: proc(pid, "environ"), Max: 1}} }),
			judge:    allRefused(otherUser),
		},
		{
			id: "dispatcher-memory", says: "The agent cannot read the memory of ai-flow or of the runner, which holds the job's secrets.", short: true,
			attempts: eachOfFamily(func(pid int) []attempt {
				return []attempt{{Deed: deedMemory, Pid: pid}, {Deed: deedRead, Path: proc(pid, "maps"), Max: 1}}
			}),
			judge: allRefused(otherUser),
		},
		{
			id: "dispatcher-trace", says: "The agent cannot attach to ai-flow or to the runner with ptrace.", short: true,
			attempts: eachOfFamily(func(pid int) []attempt { return []attempt{{Deed: deedTrace, Pid: pid}} }),
			judge:    allRefused(otherUser),
		},
		{
			id: "dispatcher-descriptors", says: "The agent cannot reach the open files or the working directory of ai-flow or of the runner through /proc.", short: true,
			attempts: eachOfFamily(func(pid int) []attempt {
				return []attempt{{Deed: deedList, Path: proc(pid, "fd")}, {Deed: deedList, Path: proc(pid, "cwd") + "/."}, {Deed: deedList, Path: proc(pid, "root") + "/."}}
			}),
			judge: allRefused(otherUser),
		},
		{
			id: "dispatcher-signal", says: "The agent cannot signal ai-flow or the runner.", short: true,
			attempts: eachOfFamily(func(pid int) []attempt { return []attempt{{Deed: deedSignal, Pid: pid}} }),
			judge:    allRefused(otherUser),
		},
		{
			id: "secrets-in-processes", says: "No key or token is in the environment or the arguments of a process that the agent can see.", short: true,
			attempts: func(host) (tries []attempt, unknown string) {
				for part := range scanParts {
					tries = append(tries, attempt{Deed: deedScan, Pid: part})
				}
				return tries, onLinux()
			},
			judge: judgeScan,
		},
		{
			id: "leftovers", says: "No process of the agent user was left of an earlier run.",
			judge: judgeLeftovers,
		},
		{
			id: "one-run-at-a-time", says: "Dispatchers that share the agent user wait for each other, by a lock that the agent cannot hold.", short: true,
			attempts: func(h host) ([]attempt, string) {
				return []attempt{{Deed: deedRead, Path: h.sharedLock(), Max: 1}, {Deed: deedWrite, Path: h.sharedLock()}}, ""
			},
			judge: judgeLock,
		},
	}
}

func onLinux() (unknown string) {
	if runtime.GOOS != "linux" {
		return "not tried on " + runtime.GOOS + " yet"
	}
	return ""
}

func proc(pid int, what string) string { return "/proc/" + strconv.Itoa(pid) + "/" + what }

// eachOfFamily tries the same on the dispatcher and on each process above it.
func eachOfFamily(tries func(pid int) []attempt) func(host) ([]attempt, string) {
	return func(h host) (all []attempt, unknown string) {
		for _, pid := range h.family {
			all = append(all, tries(pid)...)
		}
		return all, onLinux()
	}
}

// otherUser is the fix of what only a shared user or a mighty one can do.
func otherUser(h host, _ []attempt) string {
	return fmt.Sprintf("give the agent a user of its own that has no rights, made by sudo ai-flow setup --user NAME, instead of %s", h.Identity.Name())
}

// judgeLeftovers is not for the short form: what was found was ended when the room was opened, so the run that is about to
// start is not in danger, and to stop it would let a killed run break the next.
func judgeLeftovers(h host, _ []attempt, _ []outcome) verdict {
	if len(h.leftovers) == 0 {
		return pass("none when the room was opened")
	}
	shown := h.leftovers[:min(len(h.leftovers), 5)]
	return fail(fmt.Sprintf("%d processes ran as %s when the room was opened, and were ended: %s", len(h.leftovers), h.Identity.Name(), excerpt(strings.Join(shown, ", "))),
		fmt.Sprintf("run ai-flow doctor again; if there are some again, something starts them: sudo crontab -l -u %s; sudo atq; loginctl user-status %[1]s", h.Identity.Name()))
}

// sharedLock is where setup makes the lock.
func (h host) sharedLock() string { return "/var/lib/ai-flow/" + h.Identity.Name() + ".lock" }

// setup is the command that mends what setup makes for this agent's user.
func (h host) setup() string { return "sudo ai-flow setup --user " + shellWord(h.Identity.Name()) }

func judgeLock(h host, tries []attempt, got []outcome) verdict {
	setup := h.setup()
	if !h.lock {
		return unknown("there is no shared lock, so a dispatcher that is another user is only seen while its agent runs", setup)
	}
	return allRefused(func(host, []attempt) string { return setup })(h, tries, got)
}
