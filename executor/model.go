package executor

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/d3mlabs/ai-flow/acpclient"
)

// chooseModel selects the model asked for: exactly, else by unique prefix, in the catalogue of the session (A3-18). An
// agent that advertises no models takes the name as it is or refuses it. Which model then runs is what the agent names, and
// nothing else; the report shows a model that was never named as not verified.
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
	if id == s.CurrentModel {
		return nil // as the agent itself says
	}
	l.turn.choosingModel()
	if err := l.setModel(ctx, s, id); err != nil {
		f := failf(FailedModel, "session", err, "choosing model %q: %v", bounded(id), err)
		f.Fix = "leave the model out, or name one that this agent has, in AI_FLOW_MODEL, --model or models: in .github/ai-flow.yml"
		return f
	}
	return nil
}

// choosingModel forgets what the session ran: from now on only what the agent names by itself is known to be effective.
// An answer to session/set_model names nothing, and three agents answer success to models that do not exist (agents.md
// point 23), so success is not proof (A2-20).
func (t *turn) choosingModel() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.model = ""
}

// modelNamed notes the model, and the mode, that an answer says the session runs.
func (t *turn) modelNamed(answer acpclient.Session) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.options(answer)
	t.model = either(t.model, answer.CurrentModel) // a report that came meanwhile stands: the one that is bad news may not get lost
	if answer.CurrentMode != "" {
		t.mode = t.mode.Reported(answer.CurrentMode)
	}
}

func (l *launch) setModel(ctx context.Context, s acpclient.Session, id string) error {
	if s.ModelOption == "" {
		return l.conn.SetModel(ctx, s.ID, id)
	}
	answer, err := l.conn.SetOption(ctx, s.ID, s.ModelOption, id)
	if err != nil {
		return err
	}
	if answer.CurrentModel != "" && answer.CurrentModel != id {
		return fmt.Errorf("the agent answered with model %q", bounded(answer.CurrentModel))
	}
	l.turn.modelNamed(answer)
	return nil
}

// modelChanged takes a model that the agent names. One that answered in the turn before it is remembered: whoever reads
// the answer is to know that it has several authors (F-81). Called with the lock held.
func (t *turn) modelChanged(id string) {
	if t.listening && t.model != "" && t.model != id && !slices.Contains(t.models, t.model) && len(t.models) < maxModels {
		t.models = append(t.models, t.model)
	}
	t.model = id
}

// maxModels is how many models of one turn are told apart.
const maxModels = 4

// before are the models of the turn other than the one that it ended with. Called with the lock held.
func (t *turn) before() []string {
	return slices.DeleteFunc(slices.Clone(t.models), func(id string) bool { return id == t.model })
}

// matchModel returns the id, or why there is none: "not offered" or "ambiguous".
func matchModel(want string, models []acpclient.Choice) (id, why string) {
	var found []string
	for _, m := range models {
		if m.ID == want {
			return m.ID, ""
		}
		if strings.HasPrefix(m.ID, want) && !slices.Contains(found, m.ID) {
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
