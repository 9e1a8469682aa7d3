package commands

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/d3mlabs/ai-flow/commands/git"
	"github.com/d3mlabs/ai-flow/denials"
	"github.com/d3mlabs/ai-flow/executor"
	"github.com/d3mlabs/ai-flow/render"
)

// Whatever an agent says about itself, the report stays valid and of bounded size.
func TestReportIsBounded(t *testing.T) {
	long := strings.Repeat("é\xff", 2_000)
	r := &run{Flow: &Flow{Policy: DefaultPolicy()}, Request: Request{Comment: Comment{Segments: []Segment{{Command: Build}}}}, command: Build, status: render.Done}
	r.report = executor.Report{AgentVersion: long, StopReason: long, Mode: long, ModelEffective: long}
	for i := range 2 * maxReportList {
		kind := fmt.Sprintf("kind %d %s", i, long[:10])
		r.report.Receipts = append(r.report.Receipts, executor.Receipt{Kind: kind, Title: long, Command: long, Mode: long, Rule: long})
		r.report.Refusals = append(r.report.Refusals, executor.Refusal{Kind: kind, Title: long, Command: long, Why: long})
		r.report.Steps = append(r.report.Steps, executor.Step{Kind: kind})
		r.changes = append(r.changes, git.Change{Path: long, Status: 'A', Added: -1, Removed: -1})
		r.refused = append(r.refused, git.Refused{Path: "", Reason: long})
	}
	r.report.Wants = []denials.Want{{Subject: long, Why: long, Channel: denials.Observed, Kind: denials.MissingTool, Source: long, Count: 1}}
	r.notes = []string{long}
	report := r.makeReport(r.result())
	data, err := report.JSON()
	if err != nil {
		t.Fatal(err)
	}
	validateReport(t, data)
	if len(report.Tools) > 51 || report.Tools["other"] == 0 {
		t.Errorf("%d kinds of tool", len(report.Tools))
	}
	if most := 16 << 20; len(data) > most {
		t.Errorf("%d bytes, more than %d", len(data), most)
	}
}

// The schema and the type name the same fields: a field that one of them lacks would go unnoticed by validation alone.
func TestReportReadsBack(t *testing.T) {
	s := newStage(t, "")
	s.agent.say = []string{"a"}
	out := s.run(t.Context(), "/ask x")
	data, err := out.Report.JSON()
	if err != nil {
		t.Fatal(err)
	}
	var back Report
	if err := json.Unmarshal(data, &back); err != nil {
		t.Fatal(err)
	}
	again, err := back.JSON()
	if err != nil || string(again) != string(data) || back.Version != ReportVersion {
		t.Errorf("%s\nread back as\n%s (%v)", data, again, err)
	}
}
