package doctor

import (
	"runtime"
	"strconv"
)

// processChecks are about the dispatcher as a process.
func processChecks() []check {
	return []check{
		{
			id: "dispatcher-environ", says: "The agent cannot read the environment of ai-flow or of the runner.", short: true,
			attempts: eachOfFamily(func(pid int) []attempt { return []attempt{{Deed: deedRead, Path: proc(pid, "environ"), Max: 1}} }),
			judge:    allRefused(otherUser),
		},
	}
}

func proc(pid int, what string) string { return "/proc/" + strconv.Itoa(pid) + "/" + what }

// eachOfFamily tries the same on the dispatcher and on each process above it.
func eachOfFamily(tries func(pid int) []attempt) func(host) ([]attempt, string) {
	return func(h host) (all []attempt, unknown string) {
		if runtime.GOOS != "linux" {
			return nil, "not tried on " + runtime.GOOS + " yet"
		}
		for _, pid := range h.family {
			all = append(all, tries(pid)...)
		}
		return all, ""
	}
}

// otherUser is the fix of what only a shared user or a mighty one can do.
func otherUser(h host, _ []attempt) string {
	return "give the agent a user of its own without rights: AI_FLOW_AGENT_USER=ai-agent, made by sudo ai-flow setup; not " + h.Identity.Name()
}
