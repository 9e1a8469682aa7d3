package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"github.com/d3mlabs/ai-flow/commands"
	"github.com/d3mlabs/ai-flow/executor"
	"github.com/d3mlabs/ai-flow/render"
)

// show writes the result: its files, then standard output, then what to do with it on standard error. No known secret
// passes, whatever the agent made of it (S5). The error says how the run ended, when that was not well.
func (p *program) show(o tryOptions, outcome commands.Outcome, log *render.Log, branch string) error {
	report, err := outcome.Report.JSON()
	if err != nil {
		return fmt.Errorf("writing the report: %w", err)
	}
	dir := p.out(o)
	if dir != "" {
		if err := p.writeFiles(dir, outcome, log.Redact(string(report)), log); err != nil {
			return err
		}
	}
	text := string(report)
	if !o.json {
		text = render.Text(outcome.Result, p.env.columns, isTerminal(p.Stdout) && !p.env.noColour)
	}
	if _, err := fmt.Fprint(p.Stdout, log.Redact(text)); err != nil {
		return fmt.Errorf("writing the result: %w", err)
	}
	p.next(outcome, dir, branch)
	return ending(outcome)
}

func (p *program) writeFiles(dir string, outcome commands.Outcome, report string, log *render.Log) error {
	comment, summary := log.Redact(render.Comment(outcome.Result)), log.Redact(render.Summary(outcome.Result))
	page, err := render.Page("ai-flow "+outcome.Result.Command, comment+"\n\n---\n\n"+summary)
	if err != nil {
		return fmt.Errorf("rendering the preview: %w", err)
	}
	files := []struct {
		name string
		data string
	}{{"comment.md", comment}, {"summary.md", summary}, {"preview.html", string(page)}, {"report.json", report}}
	if outcome.WorkflowPatch != nil {
		files = append(files, struct{ name, data string }{workflowPatch, log.Redact(string(outcome.WorkflowPatch))})
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return &usageError{fmt.Sprintf("making the output directory: %v", err), "name another one: --out DIR"}
	}
	// One of an earlier run would pass for this one's.
	errs := []error{ignoreMissing(os.Remove(filepath.Join(dir, workflowPatch)))}
	for _, f := range files {
		errs = append(errs, os.WriteFile(filepath.Join(dir, f.name), []byte(f.data), 0o644))
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("writing the result: %w", err)
	}
	return nil
}

const workflowPatch = "workflows.patch"

func ignoreMissing(err error) error {
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return err
}

// next says where everything is, and the one command to go on with.
func (p *program) next(outcome commands.Outcome, dir, branch string) {
	if dir != "" {
		p.say.line("files: %s (comment.md, summary.md, preview.html, report.json)", dir)
	}
	if outcome.WorkflowPatch != nil {
		p.say.line("workflow files are never committed; look, then: git apply %s", strconv.Quote(filepath.Join(dir, workflowPatch)))
	}
	if outcome.Branch != "" {
		p.say.line("branch: git diff %s...%s", branch, outcome.Branch)
	}
}

// ending turns an outcome into the exit status. A refusal, and nothing to do, are answers.
func ending(o commands.Outcome) error {
	switch {
	case o.Result.Outcome == render.Cancelled:
		return &reportedError{ExitCancelled}
	case o.Result.Outcome != render.Failed:
		return nil
	case o.Report.Failure != nil && o.Report.Failure.Class == executor.FailedSetup.String():
		return &reportedError{ExitUsage}
	default:
		return &reportedError{ExitFailed}
	}
}
