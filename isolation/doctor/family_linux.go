package doctor

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
)

// family are the dispatcher and what stands above it: a runner's worker has all secrets of the job in its memory. A process
// of the agent's is none of ours.
func family(pid, agent int) []int {
	list := []int{pid}
	for range 16 {
		status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
		if err != nil {
			return list
		}
		parent, err := strconv.Atoi(field(string(status), "PPid"))
		if err != nil || parent <= 0 {
			return list
		}
		if pid = parent; slices.Contains(list, pid) {
			return list
		}
		above, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
		if owner, _, _ := strings.Cut(field(string(above), "Uid"), "\t"); err != nil || owner == strconv.Itoa(agent) {
			return list
		}
		list = append(list, pid)
	}
	return list
}
