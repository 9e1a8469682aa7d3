package executor

import (
	"strings"
	"time"

	"github.com/d3mlabs/ai-flow/acpclient"
)

// Subagent is one that the agent said it started. All strings are foreign.
type Subagent struct {
	Name, Model string
	Call        string // id of the call that started it
	Status      string // started, completed or failed
	Took        time.Duration
	Tokens      int64 // as it says; they are among those of Usage
}

// subagent is one by the id that marks its calls.
type subagent struct {
	Subagent
	id string
}

// What is kept of what the agent's vendor reports, each.
const (
	maxSubagents = 100
	maxStored    = 100
)

// event takes in what the agent's vendor reports beside the protocol. It may name and count, and nothing else: no event
// allows anything, closes a call or ends a turn (A2-27, A2-28, A2-42).
func (t *turn) event(u acpclient.Update) {
	if !t.listening {
		return
	}
	switch e := u.Event; e.Type {
	case acpclient.EventUsage:
		t.account.request(u.Usage)
		if u.Subagent == "" && e.Model != "" {
			t.account.model = cut(e.Model, maxTitle)
		}
	case acpclient.EventToolDone:
		if step := t.steps.byID[e.Call]; step != nil && step.exits(e.Exit) {
			t.tell(Event{Kind: EventStep, Step: step.public()})
		}
	case acpclient.EventSubagentStarted, acpclient.EventSubagentDone, acpclient.EventSubagentFailed:
		t.noteSubagent(u)
	case acpclient.EventWorkspaceChanged:
		t.log.Foreign(t.label+" ", "the agent keeps a file of its own, which is not in the tree: "+oneLine(e.Path))
		if len(t.stored) < maxStored {
			t.stored = append(t.stored, cut(e.Path, maxTitle))
		}
	}
}

// exits takes the exit code that the agent reports as a number, which goes before the one that an output ends with. It
// reports whether that is news.
func (s *step) exits(code *int) bool {
	if code == nil {
		return false
	}
	news := s.exit == nil || *s.exit != *code
	s.exit, s.told = code, true
	return news
}

// noteSubagent notes the start or the end of one.
func (t *turn) noteSubagent(u acpclient.Update) {
	e := u.Event
	status := map[string]string{acpclient.EventSubagentStarted: "started", acpclient.EventSubagentDone: "completed", acpclient.EventSubagentFailed: "failed"}[e.Type]
	id := cut(either(u.Subagent, e.Call), maxWord)
	s := t.subagentOf(id)
	if s == nil {
		if len(t.subagents) >= maxSubagents {
			return
		}
		t.subagents = append(t.subagents, subagent{id: id})
		s = &t.subagents[len(t.subagents)-1]
	}
	if s.Status == status {
		return
	}
	s.Status = status
	s.Name, s.Model, s.Call = either(cut(e.Name, maxWord), s.Name), either(cut(e.Model, maxWord), s.Model), either(cut(e.Call, maxWord), s.Call)
	s.Took, s.Tokens = max(s.Took, e.Took), max(s.Tokens, u.Usage.Total)
	t.log.Foreign(t.label+" ", "subagent "+oneLine(either(s.Name, "without a name"))+" "+status)
}

func (t *turn) subagentOf(id string) *subagent {
	for i := range t.subagents {
		if t.subagents[i].id == id {
			return &t.subagents[i]
		}
	}
	return nil
}

// by names the subagent that a step belongs to: as its vendor reported it, else by the call that started it, which is what
// an agent without events (Claude) marks its subagents' calls with.
func (t *turn) by(s *step) string {
	if s.subagent == "" {
		return ""
	}
	if known := t.subagentOf(s.subagent); known != nil && known.Name != "" {
		return known.Name
	}
	if parent := t.steps.byID[s.subagent]; parent != nil && parent.title != "" {
		return cut(parent.title, maxWord)
	}
	return "subagent"
}

// oneLine is foreign text for a line of the log.
func oneLine(text string) string { return cut(strings.Join(strings.Fields(text), " "), maxTitle) }
