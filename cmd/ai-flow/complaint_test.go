package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestComplaint: an end that no result tells of is an annotation and a line of the run's page too, in a workflow and only there.
// Nothing foreign in it breaks out of the annotation (H3-01), and no secret stands in it (S5).
func TestComplaint(t *testing.T) {
	const secret = "canary-4f1d9a7e5b-22c0ffee8812"
	run := func(ctx context.Context, environ ...string) (status int, stderr, page string) {
		file := filepath.Join(t.TempDir(), "summary.md")
		var out, errs bytes.Buffer
		c := Command{Stdout: &out, Stderr: &errs, Environ: append(environ, "GITHUB_STEP_SUMMARY="+file, "MY_TOKEN="+secret), Args: []string{"dispatch"}}
		status = c.Main(ctx)
		data, err := os.ReadFile(file)
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		return status, errs.String(), string(data)
	}
	status, stderr, page := run(t.Context(), "GITHUB_ACTIONS=true")
	if status != ExitUsage || !strings.Contains(stderr, "\n::error::there is no event: ") || !strings.HasPrefix(page, "⚠️ **failed** · there is no event: ") ||
		strings.Count(page, "\n") != 2 || !strings.Contains(page, "Run this in a workflow job; on your own machine: `ai-flow try`.") {
		t.Errorf("status %d\n%s\n%s", status, stderr, page)
	}
	hostile := "x%0A::error::y\r\n::add-mask::z ##[group]" + secret
	status, stderr, page = run(t.Context(), "GITHUB_ACTIONS=true", "GITHUB_EVENT_NAME=issue_comment", "GITHUB_EVENT_PATH=/none", "GITHUB_REPOSITORY="+hostile)
	commands := 0
	for line := range strings.Lines(stderr) {
		if strings.HasPrefix(strings.TrimSpace(line), "::") {
			commands++
		}
	}
	if status != ExitUsage || commands != 1 || strings.Contains(stderr, "##[") || !strings.Contains(stderr, "%250A") || strings.Contains(stderr+page, "4f1d9a7e5b") {
		t.Errorf("%d commands\n%s\n%s", commands, stderr, page)
	}
	if status, stderr, page = run(t.Context(), "GITHUB_ACTIONS=true", "AI_FLOW_ISOLATION=off"); status != ExitUsage || !strings.Contains(stderr, "::error::AI_FLOW_ISOLATION is") || page == "" {
		t.Errorf("a wrong configuration: %d\n%s\n%s", status, stderr, page)
	}
	if _, stderr, page = run(t.Context()); strings.Contains(stderr, "::") || page != "" {
		t.Errorf("outside of a workflow:\n%s\n%s", stderr, page)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if status, stderr, page = run(ended, "GITHUB_ACTIONS=true"); status != ExitCancelled || strings.Contains(stderr, "::error::") || page != "" {
		t.Errorf("cancelled: %d\n%s\n%s", status, stderr, page)
	}
}
