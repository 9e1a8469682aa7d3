package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/d3mlabs/ai-flow/commands"
	"github.com/d3mlabs/ai-flow/executor"
	"github.com/d3mlabs/ai-flow/render"
)

// tailLines is how much of a failed agent's standard error a person is shown; the run's log has more.
const tailLines = 20

// gateLines is how much of what a gate printed they are.
const gateLines = 10

// show writes the result: its files, then standard output, then what to do with it on standard error. The error says how
// the run ended, when that was not well. A file that cannot be written hides nothing of what was done.
func (p *program) show(o tryOptions, outcome commands.Outcome, out *output, branch string) error {
	p.record(outcome, out.log)
	report, err := outcome.Report.JSON()
	data := muteJSON(out.log.Redact(string(report)))
	err = errors.Join(err, writeFiles(out, outcome, data), out.close())
	text := data
	if !o.json {
		text = render.Text(outcome.Result, p.env.columns, isTerminal(p.Stdout) && !p.env.noColour)
	}
	_, printed := fmt.Fprint(p.out, text)
	p.next(outcome, out, branch)
	if err := errors.Join(err, printed, p.out.flush()); err != nil {
		return fmt.Errorf("writing the result: %w", err)
	}
	return ending(outcome)
}

// record keeps in the log how the run ended, what went wrong underneath, and what the reader was told to do.
func (p *program) record(outcome commands.Outcome, log *render.Log) {
	log.Say("outcome: %v", outcome.Result.Outcome)
	if outcome.Err == nil {
		return
	}
	log.Foreign("error:", outcome.Err.Error())
	if next := outcome.Result.NextStep; next != "" {
		log.Say("hint: %s", next)
	}
}

func writeFiles(out *output, outcome commands.Outcome, report string) error {
	if out.dir == "" {
		return nil
	}
	comment, summary := out.log.Redact(render.Comment(outcome.Result)), out.log.Redact(render.Summary(outcome.Result))
	page, err := render.Page("ai-flow "+outcome.Result.Command, "## The comment\n\n"+comment+"\n\n## The page of the run\n\n"+summary)
	errs := []error{err}
	for i, data := range []string{report, comment, summary, string(page)} {
		errs = append(errs, out.write(resultFiles[i], data))
	}
	errs = append(errs, writePatches(out, outcome.Result.Patches))
	return errors.Join(errs...)
}

// writePatches writes what came back as a patch. Patches of an earlier run would pass for this one's, and go.
func writePatches(out *output, patches []render.Patch) error {
	old, err := os.ReadDir(out.dir)
	errs := []error{err}
	for _, e := range old {
		if patchName.MatchString(e.Name()) {
			errs = append(errs, ignoreMissing(os.Remove(out.path(e.Name()))))
		}
	}
	for _, p := range patches {
		errs = append(errs, out.write(p.File, out.log.Redact(string(p.Bytes))))
	}
	return errors.Join(errs...)
}

// next says where everything is, and the one command to go on with.
func (p *program) next(outcome commands.Outcome, out *output, branch string) {
	broke := outcome.Result.Outcome == render.Failed
	var failed *executor.Failure
	if broke && errors.As(outcome.Err, &failed) && strings.TrimSpace(failed.Tail) != "" {
		p.say.line("the agent's standard error, its last lines:")
		p.say.tail(failed.Tail, tailLines)
	}
	p.sayGates(outcome.Result.Gates, out)
	if out.dir != "" {
		names := []string{"comment.md", "summary.md", "preview.html", "report.json", runLog}
		for _, patch := range outcome.Result.Patches {
			names = append(names, patch.File)
		}
		p.say.line("files: %s (%s)", out.dir, strings.Join(names, ", "))
	}
	if out.dir != "" && broke {
		p.say.line("log: %s", out.logPath())
	}
	for _, patch := range outcome.Result.Patches {
		p.say.line("workflow files are never committed; look, then: git apply %s", shellWord(filepath.Join(out.dir, patch.File)))
	}
	if outcome.Branch != "" {
		p.say.line("branch: git diff %s", shellWord(branch+"..."+outcome.Branch))
	}
}

// sayGates shows the end of what the gates printed that did not pass: most often it says all that a person needs.
func (p *program) sayGates(gates []render.Gate, out *output) {
	said := false
	for _, g := range gates {
		if g.Passed || strings.TrimSpace(g.Output) == "" {
			continue
		}
		p.say.line("gate %s, the last lines of what it printed:", p.say.short(g.Name))
		p.say.tail(g.Output, gateLines)
		said = true
	}
	if said && out.dir != "" {
		p.say.line("  all of it: %s", out.path("summary.md"))
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
