package probe

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/d3mlabs/ai-flow/executor"
	"github.com/d3mlabs/ai-flow/executor/agents/loopback"
	"github.com/d3mlabs/ai-flow/isolation"
)

// The bounds of a probe (A2-46).
const (
	maxRequests = 60               // that the model answers in one launch: the plays need at most 6, side requests are as many
	launchLimit = 3 * time.Minute  // one launch, without waiting for the agent user and without its end
	stageLimit  = time.Minute      // making the tree
	probeLimit  = 25 * time.Minute // the whole
	pollEvery   = 200 * time.Millisecond
)

// limits are short: the model answers at once, so an agent that is silent for long hangs.
var limits = executor.Limits{Turn: 90 * time.Second, Silence: time.Minute}

// seen is all that is known of one launch.
type seen struct {
	play     play
	site     site
	witness  *witness
	report   executor.Report
	failure  *executor.Failure // nil when the turn ended as it should
	requests []loopback.Request
	key      string
	// asking and fullAccess are the modes that were to be chosen, "" for none.
	asking, fullAccess string

	files map[string]string // of the tree, as the launch left it
	dark  map[string]string // those that are there and cannot be read, with the reason
}

// looked are the files that tell what was done.
var looked = []string{readme, note, "lines.txt", "made.txt", "marker.txt", "started.txt", "late.txt", "env.txt"}

// launch plays one launch in a room of its own.
func (p *probing) launch(ctx context.Context, pl play, t *transcript) (s *seen, err error) {
	agent := p.agent
	room, err := agent.EnterRoom(ctx) // waits for another run of the agent user, which counts for the whole probe
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithTimeout(ctx, launchLimit)
	defer stop()
	defer func() {
		closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), stageLimit)
		defer cancel()
		err = errors.Join(err, room.Close(closing))
	}()
	where := site{tree: room.Path("tree"), background: agent.Profile.Background}
	if where.background == nil {
		where.background = anyBackground
	}
	if err := p.setUp(ctx, room); err != nil {
		return nil, err
	}
	model, err := loopback.Start(ctx, pl.script(where))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, model.Close()) }()

	t.launch(pl.title())
	s = &seen{play: pl, site: where, witness: newWitness(t), key: p.key}
	agent.Environ, agent.AllowEnv = p.environment(model.Root())
	agent.Witness, agent.Limits = s.witness, limits
	agent.Profile.FullAccess = cmp.Or(agent.Profile.FullAccess, p.unattended)
	s.asking, s.fullAccess = agent.Profile.Asking, agent.Profile.FullAccess
	s.report, s.failure = p.run(ctx, &agent, room, pl, where)
	s.requests = model.Requests()
	for i := range s.requests { // hundreds of MB in all launches, and nothing is judged by them
		s.requests[i].Body, s.requests[i].Prompt, s.requests[i].Tools = nil, "", nil
	}
	s.files, s.dark, err = look(ctx, room, where)
	return s, err
}

// anyBackground is for an agent of which nobody knows how its shell leaves a command running: what the others call it.
var anyBackground = map[string]any{"mode": "async", "run_in_background": true, "is_background": true, "background": true}

// setUp makes the tree, as the agent user: the dispatcher touches nothing that the agent can reach.
func (p *probing) setUp(ctx context.Context, room *isolation.Room) error {
	if err := room.WriteFile(ctx, "tree/"+readme, []byte("A tree for a probe.\n")); err != nil {
		return fmt.Errorf("making the tree of the probe: %w", err)
	}
	r := p.agent.RunGate(ctx, room, room.Path("tree"), executor.Gate{Name: "setting the stage", Run: setUp, Timeout: stageLimit})
	if r.End != executor.GatePassed {
		return fmt.Errorf("making the tree of the probe as %s: exit status %d, %w: %q", p.agent.Identity.Name(), r.Exit, errors.Join(r.Err, errStage), r.Tail)
	}
	return nil
}

var errStage = errors.New("a file that is closed to its own user could not be made")

// run launches, and cancels the launch where the play says so.
func (p *probing) run(ctx context.Context, agent *executor.Agent, room *isolation.Room, pl play, where site) (executor.Report, *executor.Failure) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		if pl.cancel != "" && appeared(ctx, room, where.path(pl.cancel)) {
			cancel(errPlayed)
		}
	}()
	report, err := agent.Launch(ctx, executor.Task{Label: "probe " + pl.title(), Prompt: prompt, Room: room, Dir: where.tree,
		Policy: pl.policy(where.tree), Via: pl.via, Model: pl.model})
	cancel(nil)
	<-watched
	var failure *executor.Failure
	errors.As(err, &failure) // Launch says that it is one, or nil
	return report, failure
}

var errPlayed = errors.New("the probe cancels this turn")

// appeared waits for a file.
func appeared(ctx context.Context, room *isolation.Room, path string) bool {
	for {
		if _, err := room.ReadFile(ctx, path, 100); err == nil {
			return true
		}
		select {
		case <-ctx.Done():
			return false
		case <-time.After(pollEvery):
		}
	}
}

// look reads what the tree holds now. Of a file that cannot be read nothing is known, and why not is told.
func look(ctx context.Context, room *isolation.Room, where site) (files, dark map[string]string, err error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stageLimit)
	defer cancel()
	files, dark = map[string]string{}, map[string]string{}
	for _, name := range looked {
		data, err := room.ReadFile(ctx, where.path(name), 64<<10)
		switch {
		case err == nil:
			files[name] = string(data)
		case ctx.Err() != nil:
			return nil, nil, fmt.Errorf("looking at the tree of the probe: %w", err)
		case !errors.Is(err, fs.ErrNotExist):
			dark[name] = err.Error()
		}
	}
	return files, dark, nil
}
