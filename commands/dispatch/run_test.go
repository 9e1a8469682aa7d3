package dispatch

import (
	"strings"
	"testing"

	"github.com/d3mlabs/ai-flow/render"
)

func TestAskIsAnsweredInAReply(t *testing.T) {
	s := newStage(t)
	e := s.repo.Comment(s.issue, "ann", "/ask how is this tested?")
	told := s.run(e)
	if told.Outcome.Result.Outcome != render.Done || told.Err != nil || told.URL == "" {
		t.Errorf("told %+v %v\n%s", told.Outcome.Result, told.Err, s.said)
	}
	t.Log(s.thread(s.issue))
	for i, r := range s.hub.Requests() {
		t.Logf("%2d %s %s %d %s", i+1, r.Operation, r.Path, r.Status, r.Token)
	}
}

func TestBatchLandsInPlace(t *testing.T) {
	s := newStage(t)
	s.agent.edit = func(d string) string { return strings.Replace(d, "502", "502 and 503", 1) }
	e := s.repo.Comment(s.issue, "ann", "> We retry on 502.\n\n/edit 503 too\n\n/ask is that all?\n")
	told := s.run(e)
	if told.Outcome.Result.Outcome != render.Done || told.Err != nil || told.URL == "" {
		t.Errorf("told %+v %v\n%s", told.Outcome.Result, told.Err, s.said)
	}
	t.Log(s.thread(s.issue))
	t.Log(s.repo.Body(s.issue))
	for i, r := range s.hub.Requests() {
		t.Logf("%2d %s %s %d %s", i+1, r.Operation, r.Path, r.Status, r.Token)
	}
}
