package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/d3mlabs/ai-flow/commands/dispatch"
	"github.com/d3mlabs/ai-flow/executor"
	"github.com/d3mlabs/ai-flow/render"
	"github.com/urfave/cli/v2"
)

func (p *program) dispatchCommand() *cli.Command {
	return &cli.Command{
		Name:  "dispatch",
		Usage: "in a workflow job: read the event, run the command, write the result",
		Description: `Carries out the commands of the comment that started the workflow, if its author may write, and writes the result on the
thread and on the run's page. It sets the job outputs outcome (done, restricted, refused, nothing, failed, cancelled),
wants (how many) and report (the path of report.json). The environment says all it needs: see the README.`,
		Action: func(c *cli.Context) error {
			if err := noArguments(c); err != nil {
				return err
			}
			return p.dispatch(c.Context)
		},
	}
}

func (p *program) dispatch(ctx context.Context) error {
	w, err := p.openWorkflow()
	if err != nil {
		return err
	}
	if !w.empty() {
		if err := w.connect(); err != nil {
			return w.conclude(w.job.Unable(ctx, err))
		}
	}
	defer func() { // a fault of ours leaves a report too, and its trace
		if p := recover(); p != nil {
			_ = w.conclude(w.job.Unable(ctx, fmt.Errorf("panic: %v", p))) // its own error is the smaller one
			panic(p)
		}
	}()
	w.job.Prepare, w.job.Remote = w.prepare, w.remote
	defer context.AfterFunc(ctx, func() { w.log.Say("cancelled: ending the agent and what it left behind") })()
	told := w.job.Run(ctx)
	w.logCalls()
	return w.conclude(told)
}

// conclude writes what is written whatever happened: the run's page, the report, the outputs.
func (w *workflow) conclude(told dispatch.Told) error {
	o := told.Outcome.Stands(told.URL)
	unknown := told.Unknown != nil && o.Result.Outcome != render.Cancelled
	if unknown {
		o.Err = nil // whoever ends the program says it
	}
	w.record(o, w.log)
	w.logTail(told.Outcome.Err)
	if told.URL != "" {
		w.log.Say("result: %s", told.URL)
	}
	path := ""
	data, err := o.Report.JSON()
	if err == nil {
		path, err = w.writeReport(muteJSON(w.log.Redact(string(data))), o.Result.Patches)
	}
	summary := render.Summary(o.Result)
	switch {
	case w.empty() || unknown:
		summary = "" // most comments are none of ours, and their runs have nothing to show
	case o.Report.Denied != "":
		summary = render.Denied(o.Result.Command, o.Result.Requester, told.Reason)
	}
	err = errors.Join(err, w.writeSummary(w.log.Redact(summary)), w.log.End(),
		w.setOutputs([2]string{"outcome", o.Result.Outcome.String()}, [2]string{"wants", strconv.Itoa(o.Report.WantCount)}, [2]string{"report", path}))
	if err != nil {
		return fmt.Errorf("writing the run's page: %w", err)
	}
	if unknown {
		return told.Unknown
	}
	if err := ending(o); err != nil {
		return err
	}
	if told.Err != nil {
		return &startedError{fmt.Errorf("telling the thread: %w", told.Err)}
	}
	return nil
}

// logTail keeps the end of a failed agent's standard error in the log, folded.
func (w *workflow) logTail(err error) {
	var failed *executor.Failure
	if !errors.As(err, &failed) || strings.TrimSpace(failed.Tail) == "" {
		return
	}
	lines := strings.Split(strings.TrimRight(failed.Tail, "\n\r\t "), "\n")
	defer w.log.Group("the agent's standard error, its last lines")()
	w.log.Foreign("│", strings.Join(lines[max(0, len(lines)-tailLines):], "\n"))
}

// writeReport writes the report and, beside it, the patches that it names.
func (w *workflow) writeReport(data string, patches []render.Patch) (path string, err error) {
	out := output{dir: w.reportDir(w.actions), log: w.log, mode: 0o644}
	if err := os.MkdirAll(out.dir, 0o755); err != nil {
		return "", err
	}
	return out.path("report.json"), errors.Join(writePatches(&out, patches), out.write("report.json", data))
}
