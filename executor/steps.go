package executor

import (
	"strings"
	"time"

	"github.com/d3mlabs/ai-flow/acpclient"
	"github.com/d3mlabs/ai-flow/denials"
)

// step is one tool call, put together from whatever the agent says of it: announced late, twice, or never, updated after
// it was completed, never closed.
type step struct {
	id, kind, title, command, dir, status string
	subagent                              string // id of the subagent, or of the call that started it
	told                                  bool   // exit was reported as such
	paths                                 []string
	exit                                  *int
	began, ended                          time.Duration
	output                                bool
	cutCommand, cutPaths                  bool // command or paths are not all that was said
	allowed, refused                      bool
	approved                              string // the command that was allowed; "" when the request named none
}

// steps are the calls of a launch in order of appearance, at most maxRecords of them.
type steps struct {
	list    []*step
	byID    map[string]*step
	dropped int // updates of calls that are not in the list
}

func (s *steps) known(id string) bool { return s.byID[id] != nil }

// said is a copy of what is known of a call; the zero value when nothing is.
func (s *steps) said(id string) step {
	if st := s.byID[id]; st != nil {
		return *st
	}
	return step{}
}

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
	s.kind, s.title = either(cut(c.Kind, maxWord), s.kind), either(cut(c.Title, maxTitle), s.title)
	s.dir, s.status = either(cut(c.Dir, maxTitle), s.dir), either(cut(c.Status, maxWord), s.status)
	s.names(c)
	exit := c.Exit != nil && !s.told && (s.exit == nil || *s.exit != *c.Exit)
	if exit {
		s.exit = c.Exit
	}
	s.subagent = either(cut(c.Subagent, maxWord), s.subagent)
	for _, o := range c.Outputs {
		s.output = s.output || o.Text != ""
	}
	if s.closed() && s.ended == 0 {
		s.ended = at
	}
	return exit || before != [...]string{s.title, s.command, s.status}
}

// names takes what a call acts on. Another command than the one that was allowed was not.
func (s *step) names(c acpclient.ToolCall) {
	if c.Command != "" {
		s.command, s.cutCommand = cut(c.Command, maxCommand), c.Cut || len(c.Command) > maxCommand
		s.allowed = s.allowed && (s.approved == "" || s.approved == s.command)
	} else if c.Cut {
		s.cutCommand, s.cutPaths = true, true
	}
	if len(c.Paths) == 0 {
		return
	}
	s.paths, s.cutPaths = nil, c.Cut || len(c.Paths) > maxPaths
	for _, p := range c.Paths[:min(len(c.Paths), maxPaths)] {
		s.paths, s.cutPaths = append(s.paths, cut(p, maxTitle)), s.cutPaths || len(p) > maxTitle
	}
}

// What is kept of each call, in bytes and paths: a step is at most about 9 KB, all of them 45 MB.
const (
	maxWord    = 64
	maxTitle   = 512
	maxCommand = 4 << 10
	maxPaths   = 8
)

// cut keeps the beginning of foreign text, whole runes, in memory of its own.
func cut(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(strings.Clone(s[:most-len("…")]), "") + "…"
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
	code := c.Exit
	if s.told {
		code = s.exit
	}
	call := denials.Call{ID: s.id, Kind: toolKind(s.kind), Command: s.command, Dir: s.dir, Exit: code,
		Done: s.closed(), Failed: s.status == "failed"}
	for _, o := range c.Outputs {
		call.Pieces = append(call.Pieces, denials.Piece{Part: o.Part, Text: o.Text, Append: o.Append})
	}
	return call
}

// public is the step as a report shows it.
func (s *step) public() *Step {
	p := &Step{ID: s.id, Kind: s.kind, Title: plainly(s.title), Command: plainly(s.command), Status: s.status, Exit: s.exit}
	if s.ended > 0 {
		p.Took = s.ended - s.began
	}
	if s.refused && !s.ran() {
		p.Status = "refused"
	}
	return p
}
