package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/d3mlabs/ai-flow/commands"
	"github.com/d3mlabs/ai-flow/commands/dispatch"
	"github.com/d3mlabs/ai-flow/commands/github"
	"github.com/d3mlabs/ai-flow/render"
	"github.com/urfave/cli/v2"
)

// workflow is one job of a workflow that has to do with a comment.
type workflow struct {
	*program
	actions
	log    *render.Log
	job    *dispatch.Job
	client *github.Client
}

// openWorkflow reads the event and parses the comment. Nothing is asked of GitHub, and no key is read, before it is known
// that there is a command: most comments hold none.
func (p *program) openWorkflow() (*workflow, error) {
	a, err := p.env.readActions()
	if err != nil {
		return nil, err
	}
	payload, err := readSmall(a.eventPath, github.MaxPayload)
	if err != nil {
		return nil, &usageError{"reading the event: " + err.Error(), "GITHUB_EVENT_PATH names the file with the event, and " + theRunnerSets}
	}
	event, err := github.ReadEvent(a.eventName, payload)
	if err != nil {
		return nil, &usageError{err.Error(), "let on: of the workflow name these events only"}
	}
	if event.Repo != a.repo {
		return nil, &usageError{fmt.Sprintf("the event is about %q and the run is of %q", event.Repo, a.repo),
			"GITHUB_REPOSITORY and GITHUB_EVENT_PATH belong together, and " + theRunnerSets}
	}
	if event.HeadOID == "" { // a comment in a conversation: what authorize saw counts
		event.HeadOID = p.env.get("AI_FLOW_HEAD_SHA")
	}
	a.repoID = event.RepoID
	w := &workflow{program: p, actions: a, log: render.NewLog(p.Stderr, p.env.get("GITHUB_ACTIONS") == "true")}
	w.job = &dispatch.Job{Event: event, Prefix: p.env.prefix, Bot: a.bot, Rerunner: a.actor, Attempt: a.attempt,
		RunURL: a.runURL(), Model: p.env.model, Log: w.log, Redact: p.out.secrets.Redact}
	w.job.Comment, err = commands.Parse(event.Comment.Body, p.env.prefix)
	if err != nil && !errors.As(err, &w.job.Refusal) {
		return nil, err
	}
	if r := w.job.Refusal; r != nil && r.Reason == commands.BadPrefix {
		return nil, &usageError{r.Message, "mend AI_FLOW_COMMAND_PREFIX"}
	}
	if !w.empty() {
		w.log.Say("%s", w.about())
	}
	return w, nil
}

// about is the run in one line: "/ask by ann on issue 1 of acme/app, attempt 1".
func (w *workflow) about() string {
	e, what, on := w.job.Event, "a command", "pull request"
	if c := commands.Heaviest(w.job.Comment.Segments); c != 0 {
		what = c.String()
	}
	if e.Surface == github.OnIssue {
		on = "issue"
	}
	line := fmt.Sprintf("%s by %s on %s %d of %s", what, firstOf(e.Comment.Author.Login, "a deleted account"), on, e.Number, e.Repo)
	if w.attempt > 0 {
		line += fmt.Sprintf(", attempt %d", w.attempt)
	}
	return line
}

// empty reports whether the comment is none of our business, which is the case of most.
func (w *workflow) empty() bool { return len(w.job.Comment.Segments) == 0 && w.job.Refusal == nil }

// connect reads who we act as. Nothing is called yet.
func (w *workflow) connect() (err error) {
	if err := w.env.readApp(&w.actions); err != nil {
		return err
	}
	for _, secret := range append(w.secrets, string(w.key), w.token) {
		w.mask(secret)
	}
	w.client, err = w.actions.client(w.mask)
	w.job.GitHub = w.client
	return err
}

// mask makes a secret unspeakable: the runner is told, and nothing of ours prints it.
func (w *workflow) mask(secret string) {
	if secret == "" {
		return
	}
	w.log.Mask(secret)
	w.out.secrets.Add(secret)
}

// logCalls writes down what was asked of GitHub.
func (w *workflow) logCalls() {
	if w.client == nil {
		return
	}
	calls := w.client.Calls()
	title := fmt.Sprintf("%d calls of GitHub", len(calls))
	if len(calls) == 1 {
		title = "1 call of GitHub"
	}
	end := w.log.Group(title)
	defer end()
	for i, c := range calls {
		w.log.Say("%2d. %s %s: %s (%d, %d ms)", i+1, c.Method, c.Path, c.What, c.Status, c.Took.Milliseconds())
	}
}

func (p *program) authorizeCommand() *cli.Command {
	return &cli.Command{
		Name:  "authorize",
		Usage: "in a hosted job: is this a command, and may its author give it?",
		Description: `Reads the event of the workflow, asks GitHub whether the author of the comment may write, and acknowledges the command
with 👀. It sets the job outputs authorized (true or false), command (the heaviest: build, edit or ask), label (of the
runner: ai-build, ai-edit or ai-ask; ai-ask too for what will only be refused) and head (of a pull request; give it to
dispatch as AI_FLOW_HEAD_SHA). A denial is one line here and on the run's page, and silence on the thread.`,
		Action: func(c *cli.Context) error {
			if err := noArguments(c); err != nil {
				return err
			}
			return p.authorize(c.Context)
		},
	}
}

func (p *program) authorize(ctx context.Context) error {
	w, err := p.openWorkflow()
	if err != nil {
		return err
	}
	if !w.empty() {
		if err := w.connect(); err != nil {
			return err
		}
	}
	answer, err := w.job.Authorize(ctx)
	w.logCalls()
	command, label := "", ""
	switch {
	case answer.Authorized:
		command = answer.Command.Name()
		label = "ai-" + command
		if answer.Refused {
			label = "ai-" + commands.Ask.Name()
		}
		w.log.Say("authorized: %s", answer.Command)
	case w.empty():
		w.log.Say("%s", answer.Reason)
	case err == nil: // whoever ends the program says the error
		w.log.Say("not authorized: %s", answer.Reason)
	}
	if answer.Denied {
		name := ""
		if c := commands.Heaviest(w.job.Comment.Segments); c != 0 {
			name = c.String()
		}
		err = w.writeSummary(w.log.Redact(render.Denied(name, w.job.Event.Comment.Author.Login, answer.Reason)))
	}
	return errors.Join(err, w.setOutputs([2]string{"authorized", fmt.Sprint(answer.Authorized)}, [2]string{"command", command}, [2]string{"label", label}, [2]string{"head", answer.Head}), w.log.End())
}

func (p *program) finalizeCommand() *cli.Command {
	return &cli.Command{
		Name:  "finalize",
		Usage: "in a hosted job that always runs: no status line is left waiting for ever",
		Description: `Looks at what stands on the thread after the job that ran the command has ended, and tells a person whose command was
dropped from the queue, cancelled or lost with its runner. Give it the result of that job:

   ai-flow finalize --result "$RESULT"      with RESULT: ${{ needs.dispatch.result }} in the step's env`,
		Flags: []cli.Flag{&cli.StringFlag{Name: "result", Usage: "how the job ended: `success|failure|cancelled|skipped`"}},
		Action: func(c *cli.Context) error {
			if err := noArguments(c); err != nil {
				return err
			}
			return p.finalize(c.Context, c.String("result"))
		},
	}
}

// endings are the words of a workflow's needs.<job>.result.
var endings = map[string]dispatch.Ending{"": dispatch.EndedUnknown, "success": dispatch.EndedSuccess, "failure": dispatch.EndedFailure,
	"cancelled": dispatch.EndedCancelled, "skipped": dispatch.EndedSkipped}

func (p *program) finalize(ctx context.Context, result string) error {
	ending, ok := endings[result]
	if !ok {
		return &usageError{"--result is " + quoted(result) + "; it may be success, failure, cancelled or skipped", "put RESULT: ${{ needs.dispatch.result }} into the step's env, and run: ai-flow finalize --result \"$RESULT\""}
	}
	w, err := p.openWorkflow()
	if err != nil {
		return err
	}
	if w.empty() {
		w.log.Say("the comment holds no command")
		return w.log.End()
	}
	if err := w.connect(); err != nil {
		return err
	}
	did, err := w.job.Finalize(ctx, ending)
	w.logCalls()
	if did != "" {
		w.log.Say("%s", did)
	}
	return errors.Join(err, w.log.End())
}
