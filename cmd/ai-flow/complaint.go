package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/d3mlabs/ai-flow/render"
)

// maxAnnotation bounds an annotation, in characters. GitHub shows some thousand.
const maxAnnotation = 1000

// jobs are the commands that are jobs of a workflow. Another one may run in a workflow too, and commands nobody's runner.
var jobs = []string{"authorize", "dispatch", "finalize"}

// complain tells of an end that no result tells of: on standard error, and in a workflow, whose log few people open, also as
// an annotation and on the run's page.
func (p *program) complain(err error) {
	p.say.failure(err)
	if p.env.get("GITHUB_ACTIONS") != "true" || len(p.Args) == 0 || !slices.Contains(jobs, p.Args[0]) {
		return
	}
	text := strings.TrimRight(p.say.clean(err.Error()), ".") + ". " + nextStep(err, p.env.user)
	// Not by say, whose guard lets no command of the runner's pass. That it cannot be written is said nowhere, as with say.
	fmt.Fprintf(p.Stderr, "::error::%s\n", escapeCommand(muteRunner(cut(p.say.clean(text), maxAnnotation))))
	summary := render.Summary(render.Result{Outcome: render.Failed, Headline: strings.TrimRight(err.Error(), ".") + ".", NextStep: nextStep(err, p.env.user)})
	line, _, _ := strings.Cut(p.say.w.secrets.Redact(summary), "\n")
	if err := (actions{summary: p.env.get("GITHUB_STEP_SUMMARY")}).writeSummary(line + "\n\n"); err != nil {
		p.say.line("writing the run's page: %v", err)
	}
}

// escapeCommand is the runner's own escaping of the data of a command.
func escapeCommand(data string) string {
	return strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A").Replace(data)
}
