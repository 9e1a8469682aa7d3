package executor

import (
	"time"

	"github.com/d3mlabs/ai-flow/acpclient"
	"github.com/d3mlabs/ai-flow/denials"
)

// step is one tool call, put together from whatever the agent says of it: announced late, twice, or never, updated after
// it was completed, never closed.
type step struct {
	id, kind, title, command, dir, status string
	paths                                 []string
	exit                                  *int
	began, ended                          time.Duration
	output                                bool
	allowed, refused                      bool
}

// steps are the calls of a launch in order of appearance, at most maxRecords of them.
type steps struct {
	list    []*step
	byID    map[string]*step
	dropped int // updates of calls that are not in the list
}

func (s *steps) known(id string) bool { return s.byID[id] != nil }

// update merges what was said now and reports whether anything that a reader sees changed. A call without an id, and one
// beyond the bound, gets a step that nobody keeps: its output is looked at all the same.
func (s *steps) update(c acpclient.ToolCall, at time.Duration) (*step, bool) {
	st := s.byID[c.ID]
	if st == nil {
		st = &step{id: c.ID, began: at}
		if c.ID == "" || len(s.list) >= maxRecords {
			s.dropped++
			st.merge(c, at)
			return st, false
		}
		if s.byID == nil {
			s.byID = map[string]*step{}
		}
		s.byID[c.ID], s.list = st, append(s.list, st)
	}
	return st, st.merge(c, at)
}

func (s *step) merge(c acpclient.ToolCall, at time.Duration) bool {
	before := [...]string{s.title, s.command, s.status}
	s.kind, s.title = either(c.Kind, s.kind), either(c.Title, s.title)
	s.command, s.dir = either(c.Command, s.command), either(c.Dir, s.dir)
	s.status = either(c.Status, s.status)
	if len(c.Paths) > 0 {
		s.paths = c.Paths
	}
	exit := c.Exit != nil && (s.exit == nil || *s.exit != *c.Exit)
	if c.Exit != nil {
		s.exit = c.Exit
	}
	for _, o := range c.Outputs {
		s.output = s.output || o.Text != ""
	}
	if s.closed() && s.ended == 0 {
		s.ended = at
	}
	return exit || before != [...]string{s.title, s.command, s.status}
}

func (s *step) closed() bool { return s.status == "completed" || s.status == "failed" }

// ran reports whether the call did something, as far as the wire shows: a call that our refusal ended has not run.
func (s *step) ran() bool {
	return s.status == "completed" || s.exit != nil || (s.output && !s.refused)
}

// unasked reports whether a call of a kind that must be asked for ran without our having allowed it.
func (s *step) unasked() bool {
	return s.ran() && !s.allowed && toolKind(s.kind) != denials.Reader && s.kind != "think"
}

func toolKind(kind string) denials.ToolKind {
	switch kind {
	case "execute":
		return denials.Execute
	case "read", "search", "fetch":
		return denials.Reader
	default:
		return denials.Other
	}
}

// observed is the update as the collector of wants sees it.
func (s *step) observed(c acpclient.ToolCall) denials.Call {
	call := denials.Call{ID: s.id, Kind: toolKind(s.kind), Command: s.command, Dir: s.dir, Exit: c.Exit,
		Done: s.closed(), Failed: s.status == "failed"}
	for _, o := range c.Outputs {
		call.Pieces = append(call.Pieces, denials.Piece{Part: o.Part, Text: o.Text, Append: o.Append})
	}
	return call
}

// public is the step as a report shows it.
func (s *step) public() *Step {
	p := &Step{ID: s.id, Kind: s.kind, Title: s.title, Command: s.command, Status: s.status, Exit: s.exit}
	if s.ended > 0 {
		p.Took = s.ended - s.began
	}
	if s.refused && !s.ran() {
		p.Status = "refused"
	}
	return p
}
