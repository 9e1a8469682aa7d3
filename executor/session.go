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
}

// wantedMode is the mode that the pass needs: the unattended one only where full access is given by mode, since a
// callback leaves a receipt for each action.
func (l *launch) wantedMode() string {
	p := l.agent.Profile
	if mayUpgrade(l.task.Policy) && p.Via == agents.ByMode {
		return p.FullAccess
	}
	return p.Asking
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

// mayUpgrade reports whether the pass may be given full access at all.
func mayUpgrade(p permission.Policy) bool {
	return p.Pass == permission.FullAccess && p.FullAccessAllowed && p.Trusted && !p.DenyAll
}

func (l *launch) setMode(ctx context.Context, s acpclient.Session, id string) error {
	if s.HasSetMode {
		return l.conn.SetMode(ctx, s.ID, id)
	}
	_, err := l.conn.SetOption(ctx, s.ID, s.ModeOption, id)
	return err
}

// match finds a mode by full id, then by the last part of the id (A0-4, A0-5).
func match(want string, modes []acpclient.Choice) (string, bool) {
	for _, m := range modes {
		if m.ID == want {
			return m.ID, true
		}
	}
	for _, m := range modes {
		if suffix(m.ID) == suffix(want) {
			return m.ID, true
		}
	}
	return "", false
}

func suffix(id string) string { return id[strings.LastIndexByte(id, '#')+1:] }

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
func bounded(s string) string {
	const most = 100
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}

// chooseModel selects the model asked for: exactly, else by unique prefix, in the catalogue of the session (A3-18). An
// agent that advertises no models takes the name as it is or refuses it; the report then shows it as not verified.
func (l *launch) chooseModel(ctx context.Context, s acpclient.Session) error {
	if l.task.Model == "" {
		return nil
	}
	id := l.task.Model
	if len(s.Models) > 0 {
		found, why := matchModel(id, s.Models)
		if why != "" {
			f := failf(FailedModel, "session", nil, "model %q is %s; this session offers %s", bounded(id), why, ids(s.Models))
			f.Fix = "name one of these in AI_FLOW_MODEL, --model or models: in .github/ai-flow.yml"
			return f
		}
		id = found
	} else if l.agent.Profile.ModelVariable != "" {
		return nil
	}
	l.turn.choosingModel()
	if err := l.setModel(ctx, s, id); err != nil {
		f := failf(FailedModel, "session", err, "choosing model %q: %v", bounded(id), err)
		f.Fix = "leave the model out, or name one that this agent has"
		return f
	}
	if len(s.Models) > 0 {
		l.turn.modelChosen(id)
	}
	return nil
}

func (t *turn) choosingModel() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.reported = ""
}

// modelChosen notes the model as effective, unless the agent has named another one meanwhile: success does not mean
// that model (F-81).
func (t *turn) modelChosen(id string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.reported == "" {
		t.model = id
	}
}

func (l *launch) setModel(ctx context.Context, s acpclient.Session, id string) error {
	if s.ModelOption == "" {
		return l.conn.SetModel(ctx, s.ID, id)
	}
	answer, err := l.conn.SetOption(ctx, s.ID, s.ModelOption, id)
	if err == nil && answer.CurrentModel != "" && answer.CurrentModel != id {
		return fmt.Errorf("the agent answered with model %q", bounded(answer.CurrentModel))
	}
	return err
}

// matchModel returns the id, or why there is none: "not offered" or "ambiguous".
func matchModel(want string, models []acpclient.Choice) (id, why string) {
	var found []string
	for _, m := range models {
		if m.ID == want {
			return m.ID, ""
		}
		if strings.HasPrefix(m.ID, want) {
			found = append(found, m.ID)
		}
	}
	switch len(found) {
	case 0:
		return "", "not offered"
	case 1:
		return found[0], ""
	default:
		return "", "ambiguous"
	}
}
