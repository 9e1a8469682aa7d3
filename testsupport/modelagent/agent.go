package modelagent

import (
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/d3mlabs/ai-flow/acpclient/agentside"
)

const (
	modeAsk        = "ask"
	modeFullAccess = "full-access"
)

const maxRounds = 50 // answers of the model in one turn

// agent is the process. Its life ends with its input, or with a TERM.
type agent struct {
	faults   map[Fault]bool
	life     context.Context
	provider provider
	environ  []string // of commands
	wire     *wire
	commands sync.WaitGroup

	mu      sync.Mutex
	history map[string][]message // by session
	allowed map[string]bool      // what RemembersAllow remembers
}

func newAgent(faults map[Fault]bool, life context.Context) *agent {
	a := &agent{faults: faults, life: life, history: map[string][]message{}, allowed: map[string]bool{},
		provider: provider{base: os.Getenv("OPENAI_BASE_URL"), key: os.Getenv(Key)}}
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, Key+"=") || faults[KeyInShells] {
			a.environ = append(a.environ, v)
		}
	}
	return a
}

func (a *agent) serve(life context.Context, end context.CancelCauseFunc, in io.Reader, out io.Writer) error {
	a.wire = &wire{agent: a, out: out, models: a.models()}
	side := agentside.Agent{Name: Name, Version: Version, Models: a.models(), Prompt: a.prompt}
	if !a.faults[NoModes] {
		side.Modes = []string{modeAsk, modeFullAccess}
	}
	r, w := io.Pipe()
	go func() {
		err := a.wire.pump(in, w)
		if a.faults[IgnoresEOF] {
			return
		}
		end(io.EOF) // what runs ends with the input
		w.CloseWithError(err)
	}()
	err := agentside.Serve(life, r, a.wire, side)
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// models is its catalogue: what the environment names, and a smaller one.
func (a *agent) models() []string {
	name := os.Getenv("OPENAI_MODEL")
	if name == "" || a.faults[AcceptsBogusModel] {
		return nil
	}
	return []string{name, name + "-mini"}
}

// prompt runs one turn: what the model says, until it asks for no more tools.
func (a *agent) prompt(ctx context.Context, t *agentside.Turn) (string, error) {
	stop, err := a.turn(a.turnContext(ctx), t)
	if ctx.Err() != nil && a.faults[AnswersCancelLate] {
		time.Sleep(3 * time.Second)
	}
	if ctx.Err() != nil && (a.faults[IgnoresCancel] || a.faults[CancelEndsTurn]) {
		return "end_turn", nil
	}
	return stop, err
}

func (a *agent) turnContext(ctx context.Context) context.Context {
	if a.faults[IgnoresCancel] {
		return a.life
	}
	return ctx
}

func (a *agent) turn(ctx context.Context, t *agentside.Turn) (string, error) {
	w := &worker{agent: a, turn: t}
	if stop, err := w.begin(ctx); stop {
		return "", err
	}
	a.remember(t.Session, message{Role: "user", Content: t.Text})
	stop, err := w.rounds(ctx)
	if !a.faults[EndsTurnEarly] && ctx.Err() == nil {
		w.background.Wait()
	}
	if a.faults[LeavesChild] {
		err = errors.Join(err, leaveChild())
	}
	if !a.faults[NoUsage] {
		t.Usage(w.spent.Prompt, w.spent.Completion)
	}
	return stop, err
}

// begin is what some faults do instead of a turn, or before it.
func (w *worker) begin(ctx context.Context) (stop bool, err error) {
	switch f := w.agent.faults; {
	case f[Silent]:
		<-ctx.Done()
		return true, ctx.Err()
	case f[DiesInTurn]:
		if err = w.turn.Say("I begin."); err == nil {
			os.Exit(7)
		}
	case f[TellsEnvironment]:
		err = w.turn.Say(strings.Join(os.Environ(), "\n"))
	case f[Floods]:
		for range 20 {
			err = errors.Join(err, w.turn.Say(strings.Repeat("flood ", 1<<20/6)))
		}
	case f[ModeDrifts]:
		err = w.agent.wire.update(w.turn.Session, map[string]any{"sessionUpdate": "current_mode_update", "currentModeId": other(w.turn.Mode)})
	}
	return err != nil, err
}

func other(mode string) string {
	if mode == modeAsk {
		return modeFullAccess
	}
	return modeAsk
}

func (w *worker) rounds(ctx context.Context) (string, error) {
	for range maxRounds {
		answer, err := w.ask(ctx)
		if err != nil {
			return "", err
		}
		w.agent.remember(w.turn.Session, answer)
		if err := w.say(answer.Content); err != nil {
			return "", err
		}
		if len(answer.Calls) == 0 {
			return "end_turn", nil
		}
		for _, c := range answer.Calls {
			result, err := w.use(ctx, c)
			if err != nil {
				return "", err
			}
			w.agent.remember(w.turn.Session, message{Role: "tool", CallID: c.ID, Content: cut(result, maxToModel)})
		}
		if w.rejected && w.agent.faults[EndsTurnOnRejection] {
			return "end_turn", nil
		}
		if w.rejected && w.agent.faults[RejectionIsCancelled] {
			return "cancelled", nil
		}
	}
	return "max_turn_requests", nil
}

func (w *worker) say(text string) error {
	if w.agent.faults[WantedSwallowed] {
		lines := strings.Split(text, "\n")
		kept := lines[:0]
		for _, l := range lines {
			if !strings.HasPrefix(l, "WANTED:") {
				kept = append(kept, l)
			}
		}
		text = strings.Join(kept, "\n")
	}
	if text == "" || w.agent.faults[NoText] {
		return nil
	}
	return w.turn.Say(text)
}

func (a *agent) remember(session string, m message) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.history[session] = append(a.history[session], m)
}

func (a *agent) said(session string) []message {
	a.mu.Lock()
	defer a.mu.Unlock()
	return append([]message(nil), a.history[session]...)
}
