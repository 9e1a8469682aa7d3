package isolation

import (
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"
)

const (
	sweepTime = 10 * time.Second // after that, what still runs cannot be killed (a device that hangs)
	tagName   = "AI_FLOW_RUN"
	maxNamed  = 10 // processes named in an error
)

// Process is a process that outlived a sweep, or was found at the start.
type Process struct {
	PID     int
	Command string // the kernel's short name of it: foreign, at most 64 bytes, printable
	// Stuck is a process that waits in the kernel (state D), where no signal reaches it: nobody can end it by a kill.
	Stuck bool
}

// Sweep ends whatever the agent user still runs for this room and returns what survived (nothing, normally). Isolated
// that is everything which that user runs, whatever it did to hide: kill -1 as that user, until none is left but
// zombies. Not isolated, it is what carries this run's tag in its environment: a process that replaced its environment
// and left its group escapes, which is one reason more for isolation. At most 10 s, less when ctx ends.
//
// To see none is not enough: a process that forks and exits without end may never be where the list is being read. None
// is there when the kernel forked nothing meanwhile, or after a kill -1, which takes all of the user's at one instant.
//
// An agent that calls kill -1 itself, in a loop, kills the shell that was to do it. Root therefore kills by number as well,
// which nobody prevents. An unprivileged dispatcher has only commands of the agent user's to kill with, and sends many at
// once; an agent that is quicker than all of them for 10 s is reported as what survived.
func (r *Room) Sweep(ctx context.Context) ([]Process, error) {
	return sweep(ctx, !r.id.Isolated(), r.look, r.kill)
}

// look lists what is to be ended, and whether the kernel forked nothing meanwhile.
func (r *Room) look(ctx context.Context) (alive []proc, still bool, err error) {
	before, counted := forks()
	alive, err = r.alive(ctx)
	after, _ := forks()
	return alive, counted && before == after, err
}

// sweep looks and kills until none is left. Certain is whether to see none is enough. A kill that failed makes nothing
// certain: the user may have been between two forks when it was looked for.
func sweep(ctx context.Context, certain bool, look func(context.Context) ([]proc, bool, error), kill func(context.Context, []proc) error) ([]Process, error) {
	limit, cancel := context.WithTimeout(ctx, sweepTime)
	defer cancel()
	for pause := 2 * time.Millisecond; ; pause = min(2*pause, 200*time.Millisecond) {
		alive, still, blind := look(ctx)
		if blind == nil && len(alive) == 0 && (certain || still) {
			return nil, nil
		}
		trouble := kill(limit, alive)
		certain = certain || trouble == nil
		if blind != nil { // where a command of the agent user's has to look, an agent can kill it
			trouble = errors.Join(fmt.Errorf("looking for processes of the run: %w", blind), trouble)
		}
		if err := sleep(limit, pause); err != nil {
			if ctx.Err() != nil {
				trouble = errors.Join(trouble, context.Cause(ctx))
			}
			return named(alive), trouble
		}
	}
}

// alive lists what is to be ended.
func (r *Room) alive(ctx context.Context) ([]proc, error) {
	if r.id.Isolated() {
		return r.id.processes(ctx, r.runner)
	}
	return tagged(ctx, r.runner, r.id.uid, tagName+"="+r.tag)
}

func (r *Room) kill(ctx context.Context, alive []proc) error {
	if !r.id.Isolated() {
		return killOwn(alive, tagName+"="+r.tag)
	}
	var trouble error
	if os.Geteuid() == 0 {
		trouble = killOf(alive, r.id.uid)
	}
	err := r.killAll(ctx)
	if err != nil {
		err = r.volley(ctx, err)
	}
	if err != nil {
		return errors.Join(trouble, fmt.Errorf("ending the processes of %s: %w", r.id.name, err))
	}
	return nil
}

// volley is many kills at once, for an agent that kills the one. They kill each other too, but what one of them reports as
// done is done. It returns the first trouble when none of them came through.
func (r *Room) volley(ctx context.Context, trouble error) error {
	const shots = 8
	results := make(chan error, shots)
	for range shots {
		go func() { results <- r.killAll(ctx) }()
	}
	for range shots {
		if err := <-results; err == nil {
			trouble = nil
		}
	}
	return trouble
}

// killAll is kill -1 as the agent user.
func (r *Room) killAll(ctx context.Context) error {
	// The shell's own kill: a program of that name would have to be forked by a user who may have no process left to fork.
	// On Linux and BSD alike -1 leaves out the process that calls.
	_, said, code, err := r.runner.Run(ctx, r.id.as("/bin/sh", "-c", "kill -KILL -1"), bareEnvironment(), nil)
	if err == nil && code != 0 && !nobody.Match(said) {
		err = fmt.Errorf("status %d: %s", code, excerpt(said))
	}
	return err
}

// nobody is what the shell says when the user runs nothing but the shell itself. Only the end counts: it is ours.
var nobody = regexp.MustCompile(`(?i)no such process\s*$`)

// clear ends what the agent user runs before the run: what a killed dispatcher left, which holds no lock. It keeps off an
// account that a person is logged in to, and waits for another ai-flow that keeps its lock somewhere else.
func (r *Room) clear(ctx context.Context, waiting func(who string)) error {
	if !r.id.Isolated() {
		return nil
	}
	for looks, told := 0, false; ; looks++ {
		alive, err := r.alive(ctx)
		if err != nil && r.dedicated() {
			break // a leftover may have killed the command that looked; the sweep says so when it cannot look either
		}
		if err != nil {
			return fmt.Errorf("looking for leftovers of %s: %w", r.id.name, err)
		}
		other, err := inUse(r.id.name, alive)
		if err != nil {
			return err
		}
		if other == "" {
			if r.leftovers = named(alive); len(alive) == 0 || r.dedicated() {
				break
			}
			// Another ai-flow may be trying its launch line, which needs no lock. Its commands are gone in a moment.
			if looks >= briefLooks {
				return errors.Join(r.employed(), r.lock.unsign())
			}
		} else {
			looks = 0 // what is left of it when it ends is gone in a moment too
			if !told && waiting != nil {
				waiting(other)
				told = true
			}
		}
		if err := sleep(ctx, 5*lockPoll); err != nil {
			return fmt.Errorf("waiting for the agent user %s, held by %s: %w", r.id.name, other, err)
		}
	}
	survivors, err := r.Sweep(ctx)
	return errors.Join(err, survived(r.id, survivors))
}

// briefLooks is how often what an account runs is looked at again, half a second apart, before it is taken for somebody's work.
const briefLooks = 4

// dedicated reports whether the account is known to be for agents: made or prepared by us, or used before. Any other that
// runs something is somebody's, a database's perhaps, and a run would end it.
func (r *Room) dedicated() bool { return r.id.made || r.lock.shared != nil || r.lock.used }

func (r *Room) employed() error {
	return &SetupError{Kind: BadUser, Problem: fmt.Sprintf("the user %s runs something already (%s), and a run ends everything that its agent user runs", r.id.name, listed(r.leftovers)),
		Fix: "give ai-flow a user of its own (AI_FLOW_AGENT_USER), or end these first"}
}

// doors are programs of root's that let a person in. Their children are sessions, not leftovers.
var doors = map[string]bool{"sshd": true, "sshd-session": true, "login": true, "su": true, "gdm-session-wor": true,
	"lightdm": true, "sddm-helper": true, "xrdp-sesman": true, "cron": true}

// inUse looks at who started each process; parents that root owns cannot be forged by the agent.
func inUse(name string, alive []proc) (other string, err error) {
	self, known := lookAt(os.Getpid())
	for _, p := range alive {
		parent, ok := lookAt(p.parent)
		for ok && parent.name == "sudo" && parent.uids[1] == 0 {
			if parent, ok = lookAt(parent.parent); ok && known && parent.name == self.name && parent.pid != self.pid {
				return fmt.Sprintf("process %d, which keeps its lock in another state directory", parent.pid), nil
			}
		}
		if ok && parent.pid != 1 && parent.uids[1] == 0 && doors[parent.name] {
			return "", &SetupError{Kind: BadUser, Problem: fmt.Sprintf("somebody is logged in as %s (process %d by %s), and a run ends everything that its agent user runs", name, p.pid, parent.name),
				Fix: "give ai-flow a user of its own: AI_FLOW_AGENT_USER=ai-agent"}
		}
	}
	return "", nil
}

func named(alive []proc) []Process {
	var list []Process
	for _, p := range alive {
		list = append(list, Process{PID: p.pid, Command: printable(p.name), Stuck: p.stuck})
	}
	return list
}

func survived(id Identity, list []Process) error {
	if len(list) == 0 {
		return nil
	}
	// By pkill, which is root's: a process cannot kill it, as it kills the kill of its own user.
	fix := "as root, end them: pkill -KILL -u " + id.name
	if slices.ContainsFunc(list, func(p Process) bool { return p.Stuck }) {
		fix = "no kill ends a process that waits in the kernel: as root, echo 1 >/sys/fs/fuse/connections/N/abort frees one that waits for FUSE; otherwise restart the host"
	}
	return &SetupError{Kind: BadUser, Problem: fmt.Sprintf("%d processes of %s cannot be ended: %s", len(list), id.name, listed(list)), Fix: fix}
}

// listed names processes in an error.
func listed(list []Process) string {
	var text []string
	for _, p := range list[:min(len(list), maxNamed)] {
		name := fmt.Sprintf("%d %q", p.PID, p.Command)
		if p.Stuck {
			name += " (waits in the kernel)"
		}
		text = append(text, name)
	}
	return strings.Join(text, ", ")
}

func printable(s string) string {
	clean := strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return '?'
		}
		return r
	}, s)
	return clean[:min(len(clean), 64)]
}
