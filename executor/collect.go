package executor

import (
	"context"
	"time"

	"github.com/d3mlabs/ai-flow/denials"
)

// listen opens and closes the time in which what the agent says belongs to our turn (F-79).
func (t *turn) listen(on bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.listening = on
	t.heard = time.Now()
	if on {
		t.refused = false
		t.prose.breakRound()
	}
}

// quiet is how long nothing has come.
func (t *turn) quiet() time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	return time.Since(t.heard)
}

// endedByRefusal reports whether a turn ended because we rejected a request: no text of the agent's came after it
// (agents.md point 19).
func (t *turn) endedByRefusal(stopReason string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.refused && (stopReason == "end_turn" || stopReason == "cancelled")
}

// collect fills the report from the turn. The agent is gone by now, so what it spilled can be read in peace.
func (l *launch) collect(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), collectLimit)
	defer cancel()
	t := l.turn
	t.mu.Lock()
	defer t.mu.Unlock()
	scanSpills(ctx, l.task.Room, t)

	text, declared := denials.Strip(t.prose.text())
	if t.prose.truncated {
		l.agent.Log.Say("the answer was longer than %d bytes; the rest was dropped", maxText)
	}
	t.wants.Declare(declared)
	r := &l.report
	r.Text, r.Usage, r.Receipts, r.Refusals = text, t.account.total, t.receipts, t.refusals
	r.Wants, r.MoreWants = t.wants.Wants()
	r.Cost, r.ProviderFiles = t.account.cost, t.stored
	for _, s := range t.subagents {
		r.Subagents = append(r.Subagents, s.Subagent)
	}
	r.Approved, r.Access = t.approved, t.access
	r.Access.Asking = t.asking()
	r.Mode, r.ModelEffective, r.ModelsBefore = t.mode.Current(), t.model, t.before()
	if r.ModelEffective == "" {
		r.ModelEffective = t.account.model // nothing but the events of the requests names it
	}
	r.MoreSteps = t.steps.dropped
	for _, s := range t.steps.list {
		step := *s.public()
		step.Subagent = t.by(s)
		step.Unasked = !t.access.Unrecorded && s.unasked()
		if step.Unasked {
			r.Unasked++
		}
		r.Steps = append(r.Steps, step)
	}
}

// collectLimit bounds the reading of spilled output.
const collectLimit = 20 * time.Second
