package isolation

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// proc is a process as the kernel shows it.
type proc struct {
	pid, parent int
	uids        [4]int // real, effective, saved, file system
	name        string // foreign
	stuck       bool   // waits in the kernel (state D)
}

// ps asks the ps command, for hosts without /proc and those that hide other users' processes (hidepid): there it runs as
// the agent, who sees its own. The first line is the pid of ps itself.
func (i Identity) ps(ctx context.Context, r Runner) ([]proc, error) {
	const script = `echo $$; exec ps -A -o pid= -o ppid= -o uid= -o stat= -o comm=`
	out, said, a, err := i.script(ctx, r, 10*time.Second, nil, script)
	if err != nil {
		return nil, err
	}
	if a != answerOK {
		return nil, fmt.Errorf("ps: %s", excerpt(said))
	}
	return parsePS(string(out), i.uid), nil
}

func parsePS(text string, uid int) (list []proc) {
	first, rest, _ := strings.Cut(text, "\n")
	self, _ := strconv.Atoi(strings.TrimSpace(first))
	for line := range strings.Lines(rest) {
		f := strings.Fields(line)
		if len(f) < 5 {
			continue
		}
		pid, err1 := strconv.Atoi(f[0])
		parent, err2 := strconv.Atoi(f[1])
		owner, err3 := strconv.Atoi(f[2])
		if err1 != nil || err2 != nil || err3 != nil || owner != uid || pid == self || f[3][0] == 'Z' {
			continue
		}
		list = append(list, proc{pid: pid, parent: parent, uids: [4]int{owner, owner, owner, owner}, name: strings.Join(f[4:], " "), stuck: f[3][0] == 'D'})
	}
	return list
}
