package doctor

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/d3mlabs/ai-flow/isolation"
)

const (
	longTime  = 2 * time.Minute
	shortTime = 10 * time.Second

	hiddenCommand = "doctor-inside" // of cmd; it calls Inside
)

// Run makes the checks. The error says why none could be made: the host is not ready (a *isolation.SetupError), or ctx ended.
// Beside findings it says why nothing could be tried, or what could not be cleared away. Once the agent user is free it takes at most two
// minutes, the short form at most ten seconds.
//
// With isolation off nothing is tried: what the agent could do is what we can do, and each finding says so.
func Run(ctx context.Context, r isolation.Runner, o Options) (Report, error) {
	return run(ctx, r, o, checks())
}

func run(ctx context.Context, r isolation.Runner, o Options, list []check) (rep Report, err error) {
	start := time.Now()
	defer func() { rep.Took = time.Since(start) }()
	if o.In != nil {
		o.Identity = o.In.Identity()
	}
	rep.User = o.Identity.Name()
	if o.Short {
		list = onlyShort(list)
	}
	if rep.User != "" && !o.Identity.Isolated() {
		rep.Findings = noBoundary(list)
		return rep, nil
	}
	if o.In != nil {
		rep.Findings, err = inRoom(ctx, r, o, o.In, list)
		return rep, err
	}
	room, err := isolation.Open(ctx, r, o.Identity, o.Room)
	if err != nil {
		return rep, fmt.Errorf("opening a room for the checks: %w", err)
	}
	defer func() {
		if e := room.Close(ctx); e != nil {
			err = errors.Join(err, fmt.Errorf("closing the room of the checks: %w", e))
		}
	}()
	rep.Findings, err = inRoom(ctx, r, o, room, list)
	return rep, err
}

// inRoom tries and judges, and leaves the room as it was.
func inRoom(ctx context.Context, r isolation.Runner, o Options, room *isolation.Room, list []check) (_ []Finding, err error) {
	limit := longTime
	if o.Short {
		limit = shortTime
	}
	limited, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("the checks took longer than %s", limit))
	defer cancel()
	h, err := look(limited, r, o, room)
	if err != nil {
		return nil, err
	}
	h.canaries = plant(slices.Concat([]string{h.home, h.runner.temp}, o.Closed))
	defer func() { err = errors.Join(err, uproot(h.canaries)) }()
	proposing, enough := context.WithTimeout(limited, limit/2) // the rest is for what is proposed
	defer enough()
	p := makePlan(proposing, h, list)
	self, err := install(limited, room, o.Self)
	var got map[int]outcome
	var trouble error
	if err == nil {
		got, trouble, err = carryOut(limited, r, room, self, p.tries)
	}
	var untidy error
	if o.In != nil && self != "" { // ours is closed in a moment, which does the same
		untidy = tidy(ctx, r, room, self)
	}
	if ctx.Err() != nil {
		return nil, errors.Join(fmt.Errorf("trying to cross the boundary: %w", context.Cause(ctx)), untidy)
	}
	// What we see by ourselves is judged in any case: a process that comes by an open door, a service of the agent's, can end
	// whatever we start beside it.
	return p.judge(h, got, errors.Join(trouble, err)), errors.Join(err, untidy)
}

// tidy ends what the attempts may have left and takes our executable away again.
func tidy(ctx context.Context, r isolation.Runner, room *isolation.Room, self string) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), shortTime)
	defer cancel()
	survivors, err := room.Sweep(ctx)
	if err == nil && len(survivors) > 0 {
		err = fmt.Errorf("%d processes of the checks cannot be ended", len(survivors))
	}
	inv, err2 := room.Command("/", isolation.Environment{}, "/bin/rm", "-f", "--", self)
	if err = errors.Join(err, err2); err != nil {
		return err
	}
	if _, said, code, err := r.Run(ctx, inv.Argv, inv.Env, nil); err != nil || code != 0 {
		return errors.Join(err, fmt.Errorf("removing %q: status %d: %s", self, code, excerpt(said)))
	}
	return nil
}

func install(ctx context.Context, room *isolation.Room, exe string) (string, error) {
	f, err := os.Open(exe)
	if err != nil {
		return "", fmt.Errorf("opening our own executable: %w", err)
	}
	defer f.Close()
	path, err := room.Install(ctx, "ai-flow", f) // by its own name: a program may go by what it is called
	if err != nil {
		return "", fmt.Errorf("installing our own executable: %w", err)
	}
	return path, nil
}

// carryOut runs the plan as the agent. The answers that came are kept when the process did not end well; trouble says how.
func carryOut(ctx context.Context, r isolation.Runner, room *isolation.Room, self string, tries []attempt) (got map[int]outcome, trouble, err error) {
	inv, err := room.Command(room.Path(), isolation.Environment{}, self, hiddenCommand)
	if err != nil {
		return nil, nil, err
	}
	text, err := encodePlan(tries)
	if err != nil {
		return nil, nil, err
	}
	out, said, code, err := r.Run(ctx, inv.Argv, inv.Env, bytes.NewReader(text))
	switch {
	case err != nil && len(out) == 0:
		return nil, nil, fmt.Errorf("trying to cross the boundary: %w", err)
	case err != nil:
		trouble = err
	case code != 0:
		trouble = fmt.Errorf("the process of %s ended with status %d: %s", room.Identity().Name(), code, excerpt(said))
	}
	got, bad := decodeAnswers(out, len(tries))
	return got, errors.Join(trouble, bad), nil
}
