package executor

import (
	"strings"
	"sync"
	"time"

	"github.com/d3mlabs/ai-flow/acpclient"
	"github.com/d3mlabs/ai-flow/denials"
	"github.com/d3mlabs/ai-flow/executor/agents"
	"github.com/d3mlabs/ai-flow/executor/permission"
)

// turn is everything that is known of a running session: one state behind one lock. The connection calls Update in
// order and Permission on goroutines of their own.
type turn struct {
	label    string
	policy   permission.Policy
	profile  agents.Profile
	log      Log
	progress func(Event)
	witness  Witness
	wants    *denials.Collector
	began    time.Time

	mu        sync.Mutex
	mode      permission.ModeState
	chosen    string // the mode that we chose, "" when the session has none
	unasking  bool   // an option of the session was said to make the agent stop asking
	access    Access
	model     string   // that the agent named by itself since we last chose one
	models    []string // that ran in the turn before it
	prose     prose
	steps     steps
	receipts  []Receipt
	approved  int // receipts, those that are not kept too
	refusals  []Refusal
	account   account
	subagents []subagent
	stored    []string
	heard     time.Time // when the agent last said anything
	listening bool      // between a prompt and its answer; what comes outside belongs to no turn of ours
	refused   bool      // a request was rejected since the agent last said something of its own

	rejections int
	enough     chan struct{} // closed when the agent has been refused so often that it only probes

	told   sync.Mutex // serialises progress; taken after mu, never before it
	over   bool
	events int
	last   string // the last refusal told
}

// Update takes in one update. It runs on the connection's goroutine: nothing here waits for the agent.
func (t *turn) Update(u acpclient.Update) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.heard = time.Now()
	if t.witness != nil {
		t.witness.Update(u)
	}
	switch u.Kind {
	case acpclient.ModeChange:
		t.mode = t.mode.Reported(u.Value)
	case acpclient.ModelChange:
		t.modelChanged(u.Value)
	case acpclient.OptionChange:
		t.option(u.Name, u.Value)
	case acpclient.UsageChange:
		t.account.price(u.Cost)
	case acpclient.Spent:
		if t.listening {
			t.account.request(u.Usage)
		}
	case acpclient.Reported:
		t.event(u)
	case acpclient.Message:
		t.message(u)
	case acpclient.Call:
		t.call(u.Call)
	}
}

// message takes a chunk of the answer. A subagent's text and the agent's own notices are not the answer.
func (t *turn) message(u acpclient.Update) {
	if !t.listening || u.Text == "" {
		return
	}
	if u.Subagent != "" || (t.profile.Noise != nil && t.profile.Noise(u.Text)) {
		t.log.Foreign(t.label+" notice: ", u.Text)
		return
	}
	t.refused = t.refused && notice(u.Text)
	t.prose.add(u.MessageID, u.Text)
	t.tell(Event{Kind: EventText, Text: u.Text})
}

// notice reports whether a chunk that follows a refusal only says that there was one: some agents close the turn with
// such a sentence of their own, in words that no list can hold. To be wrong costs one continuation.
func notice(text string) bool {
	if len(text) > 120 {
		return false
	}
	text = strings.ToLower(text)
	for _, word := range []string{"cancelled", "canceled", "rejected", "refused", "declined", "denied", "aborted"} {
		if strings.Contains(text, word+" by") || strings.HasPrefix(text, word) {
			return true
		}
	}
	return strings.TrimSpace(text) == ""
}

// call takes an update of a tool call.
func (t *turn) call(c acpclient.ToolCall) {
	if !t.listening {
		return
	}
	if c.ID != "" && !t.steps.known(c.ID) {
		t.prose.breakRound()
	}
	step, changed := t.steps.update(c, t.elapsed())
	t.wants.Observe(step.observed(c))
	if changed {
		t.tell(Event{Kind: EventStep, Step: step.public()})
	}
}

func either(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// observedWant tells of a new want while the turn still runs (A3-6). The collector calls it with the lock held.
func (t *turn) observedWant(w denials.Want) {
	t.log.Foreign(t.label+" ", "wanted ("+w.Channel.String()+"): "+w.Subject)
	t.tell(Event{Kind: EventWant, Want: &w})
}

func (t *turn) elapsed() time.Duration { return time.Since(t.began) }

// maxEvents bounds what is told of one launch; phases and wants, which are few, always are.
const maxEvents = 10_000

// tell passes an event on, one at a time, until the launch is over. The same refusal again is not news.
func (t *turn) tell(e Event) {
	t.told.Lock()
	defer t.told.Unlock()
	if t.progress == nil || t.over || (e.Kind == EventRefused && e.Text == t.last) {
		return
	}
	if e.Kind == EventRefused {
		t.last = e.Text
	}
	if t.events++; t.events > maxEvents && e.Kind != EventPhase && e.Kind != EventWant {
		return
	}
	e.At, e.Text = t.elapsed(), cut(e.Text, maxCommand)
	t.progress(e)
}

// hush ends the events: whoever listens may be gone when Launch has returned.
func (t *turn) hush() {
	t.told.Lock()
	defer t.told.Unlock()
	t.over = true
}
