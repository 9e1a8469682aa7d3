package executor

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/d3mlabs/ai-flow/acpclient"
	"github.com/d3mlabs/ai-flow/executor/agents"
	"github.com/d3mlabs/ai-flow/executor/permission"
)

// session opens the session and chooses its mode and model.
func (l *launch) session(ctx context.Context) (acpclient.Session, error) {
	s, err := l.conn.NewSession(ctx, l.task.Dir)
	if err != nil {
		return s, l.sessionFailure(err)
	}
	l.turn.opened(s)
	l.chooseMode(ctx, s)
	if err := l.chooseModel(ctx, s); err != nil {
		return s, err
	}
	l.settled()
	return s, nil
}

// sessionFailure tells a missing login apart from everything else (H5-12).
func (l *launch) sessionFailure(err error) error {
	var e *acpclient.AuthError
	if !errors.As(err, &e) {
		return err
	}
	f := failf(FailedAuth, "session", err, "%s: %v", l.agent.Profile.Title, err)
	if c := l.agent.Profile.Credential; c != "" {
		f.Fix = "set " + c + " to a valid credential"
	}
	return f
}

// opened records what the session started with: a mode that the agent reports by itself lends no trust (A1-8).
func (t *turn) opened(s acpclient.Session) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.mode = permission.StartedIn(s.CurrentMode)
	t.model = s.CurrentModel
	if t.witness != nil {
		t.witness.Opened(s)
	}
	t.options(s)
}

// answered takes the options of an answer to the choice of a mode.
func (t *turn) answered(s acpclient.Session) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.options(s)
}

// options takes what an answer says of the options of the session. Called with the lock held.
func (t *turn) options(s acpclient.Session) {
	for _, o := range s.Options {
		if o.ID != s.ModeOption && o.ID != s.ModelOption {
			t.option(o.ID, o.Current)
		}
	}
}

// option takes the value of one. One by which the agent stops asking takes the trust in the mode with it, for good, unless full
// access is given by mode (A2-15, A2-21). Called with the lock held.
func (t *turn) option(id, value string) {
	if agents.FullAccessOption(id, value) && !t.unasking {
		t.unasking = true
		t.log.Say("the session's option %q is %q, by which the agent need not ask", bounded(id), bounded(value))
	}
}

// chooseMode selects the pass's mode by its full canonical id, else by suffix, with one retry for a cold start. An agent
// without it goes on in its own mode: what it then refuses or does unasked is reported (A0-3 … A0-8, A0-12).
func (l *launch) chooseMode(ctx context.Context, s acpclient.Session) {
	want := l.wantedMode()
	if len(s.Modes) == 0 {
		if want != "" {
			l.agent.Log.Say("mode %q was not chosen: the session advertises no modes", want)
		}
		l.turn.setMode(permission.ModeState.SetByUs, "")
		return
	}
	if want == "" { // an agent that we know no mode of: the one it starts in, chosen by us unless it asks nothing
		if agents.FullAccessMode(s.CurrentMode) {
			l.agent.Log.Say("the session starts in %q, a full-access mode that nobody chose; nothing is upgraded in it", bounded(s.CurrentMode))
			return
		}
		want = s.CurrentMode
	}
	id, ok := match(want, s.Modes)
	if !ok {
		l.agent.Log.Say("mode %q is not advertised (%s); going on in %q", want, ids(s.Modes), s.CurrentMode)
		return
	}
	l.turn.setMode(permission.ModeState.Choosing, id)
	err := l.setMode(ctx, s, id)
	if err != nil {
		err = l.setMode(ctx, s, id)
	}
	if err != nil {
		l.turn.setMode(permission.ModeState.Reported, s.CurrentMode)
		l.agent.Log.Say("setting mode %q failed twice: %v; going on in %q", id, err, s.CurrentMode)
		return
	}
	l.turn.setMode(permission.ModeState.SetByUs, id)
}

// setMode moves the state of the mode under the lock under which requests are decided (A1-11, A1-14).
func (t *turn) setMode(transition func(permission.ModeState, string) permission.ModeState, id string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.mode, t.chosen = transition(t.mode, id), id
}

func (l *launch) setMode(ctx context.Context, s acpclient.Session, id string) error {
	if s.HasSetMode {
		return l.conn.SetMode(ctx, s.ID, id)
	}
	answer, err := l.conn.SetOption(ctx, s.ID, s.ModeOption, id)
	l.turn.answered(answer)
	if err == nil && answer.CurrentMode != "" && answer.CurrentMode != id { // success does not mean that mode
		return fmt.Errorf("the agent answered with mode %q", bounded(answer.CurrentMode))
	}
	return err
}

func ids(choices []acpclient.Choice) string {
	if len(choices) == 0 {
		return "none advertised"
	}
	var names []string
	for i, c := range choices {
		if i == 20 {
			names = append(names, fmt.Sprintf("and %d more", len(choices)-i))
			break
		}
		names = append(names, fmt.Sprintf("%q", bounded(c.ID)))
	}
	return strings.Join(names, ", ")
}

// bounded cuts a foreign word for a message.
func bounded(s string) string { return cut(s, 100) }
