package commands

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/d3mlabs/ai-flow/commands/git"
	"github.com/d3mlabs/ai-flow/executor"
	"github.com/d3mlabs/ai-flow/render"
)

// failure is why a run failed: a short class for scripts, a sentence of ours for readers, and the error underneath for the
// log alone, because it may quote what a stranger wrote (F-25).
type failure struct {
	class, phase, message, next string
	lead                        string // what came of it, before the message; "" means that the run stopped
	err                         error
	unsure                      bool // what was to be written may stand there
}

// changedNothing leads a failure that left the document alone.
const changedNothing = "changed nothing"

// again is how a command is given once more, with what is to be done about it. On GitHub only a new comment commands: an
// edited one is never read.
func (r *run) again(and string) string { return "Give the command again" + r.anew() + and + "." }

// anew is where a command is given once more; "" in a terminal.
func (r *run) anew() string {
	if r.Surface == Local {
		return ""
	}
	return " in a new comment"
}

// fail decides the outcome. A context that has ended makes every failure a cancellation: what broke then broke because of
// it.
func (r *run) fail(ctx context.Context, f failure) {
	r.status, r.failure = render.Failed, &f
	r.headline, r.next = either(f.lead, "stopped")+": "+f.message+".", f.next
	if r.command == Edit && r.launched && r.document.Name != "" && f.lead == "" && !f.unsure {
		r.headline += " " + strings.ToUpper(r.document.Name[:1]) + r.document.Name[1:] + " is unchanged."
	}
	if f.err == nil {
		f.err = errors.New(f.message)
	}
	if ctx.Err() != nil || f.class == executor.FailedCancelled.String() {
		r.status, f.class = render.Cancelled, executor.FailedCancelled.String()
		if f.unsure {
			r.headline = "was cancelled: " + f.message + "."
			return
		}
		r.headline = "was cancelled before it was done."
		if r.branch == "" && r.commit == "" {
			r.next = r.again("")
		}
	}
}

// failLaunch takes the executor's account of a failure: its message is a sentence of ours already.
func (r *run) failLaunch(ctx context.Context, err error) {
	f := failure{class: "launch", message: "the agent could not be run", err: err}
	var e *executor.Failure
	if errors.As(err, &e) {
		f.class, f.phase, f.message, f.next = e.Class.String(), e.Phase, strings.TrimRight(e.Message, "."), e.Fix
		r.tail = e.Tail
	}
	if f.next == "" && r.RunURL == "" {
		f.next = "The run's log has more."
	} else if f.next == "" {
		f.next = r.again("")
	}
	r.fail(ctx, f)
}

// refuse decides the outcome. What is said goes on from the name of a command. A message of the parser's is a sentence that
// may be about another one than the heaviest, or about the comment.
func (r *run) refuse(refusal *Refusal) {
	message := refusal.Message
	if subject := parsed.FindString(message); refusal.Reason != 0 && subject != "" {
		message, r.subject = message[len(subject):], strings.TrimSpace(subject)
	} else if refusal.Reason != 0 {
		message = "was not carried out: " + message
	}
	r.status, r.headline, r.next = render.Refused, sentence(message), refusal.Next
	if refusal.Reason != 0 && r.next != "" && r.Surface != Local {
		r.next += " Post it as a new comment: an edited one is not read."
	}
}

// parsed is what a message of the parser's is about.
var parsed = regexp.MustCompile(`^(/[A-Za-z0-9_-]+|the comment) `)

func (r *run) nothing(headline string) {
	r.status, r.headline = render.Nothing, headline
}

func sentence(text string) string { return strings.TrimRight(text, ".") + "." }

// noteModel says when another model ran than the one that was asked for (F-81). A handle may be the beginning of a longer
// name.
func (r *run) noteModel() {
	asked, ran := r.model, r.report.ModelEffective
	if asked != "" && ran != "" && !strings.HasPrefix(strings.ToLower(ran), strings.ToLower(asked)) {
		r.note(fmt.Sprintf("The model %.80q was asked for, and the agent says it ran %.80q.", asked, ran))
	}
}

// outcome puts the values together, as often as it is asked. A run that met a closed door, or a gate
// that did not pass, never looks plainly successful.
func (r *run) outcome() Outcome {
	r = r.fork()
	if r.status == render.Done && (len(r.report.Wants) > 0 || r.failedGates() || r.partly) {
		r.status = render.Restricted
	}
	r.noteModel()
	r.redact()
	out := Outcome{Result: r.result(), Branch: r.branch, Commit: r.commit, Dispositions: r.dispositions}
	out.Report = r.makeReport(out.Result)
	if r.failure != nil {
		out.Err = r.failure.err
		if out.Err == nil {
			out.Err = errors.New(r.failure.message)
		}
	}
	return out
}

func (r *run) result() render.Result {
	result := render.Result{
		Outcome: r.status, Command: r.commandName(), Commands: r.commandNames(), Requester: r.Requester.Login, RunURL: r.RunURL,
		Thread:   render.Thread{Kind: r.Surface.kind(), Number: r.Number, Command: r.CommentURL},
		Segments: r.segments, Headline: r.headline, NextStep: r.next, Diffs: r.diffs, Notes: r.notes,
		Refused: paths(r.refused), Left: paths(r.left), Ambient: r.ambient, Restored: r.Restored, Flagged: r.flagged,
		Landings: r.landings(), Patches: r.patchesForReaders(), Gates: r.gatesForReaders(),
		Doors: r.doors, MoreWants: r.report.MoreWants, Places: r.Policy.Triage.Places, Run: r.howItRan(),
	}
	for _, w := range r.report.Wants {
		result.Wants = append(result.Wants, render.Want{Want: w, Triage: r.Policy.Triage.decide(w)})
	}
	for _, d := range r.dispositions {
		result.Taken = append(result.Taken, d.Disposition)
	}
	for _, c := range r.changes {
		result.Changes = append(result.Changes, render.FileChange{Path: c.Path, Status: c.Status, Added: c.Added, Removed: c.Removed})
	}
	return result
}

func (r *run) gatesForReaders() (list []render.Gate) {
	for _, g := range r.gates {
		list = append(list, render.Gate{Name: g.Name, Run: g.Run, Passed: g.vouches(), Ended: g.Ended, Round: g.Round, Rounds: r.Policy.Rounds + 1,
			Tree: string(g.Tree), Took: g.Took, Output: g.Output})
	}
	return list
}

func paths(from []git.Refused) (to []render.Path) {
	for _, p := range from {
		to = append(to, render.Path(p))
	}
	return to
}

// commandName is what the outcome is told of, for readers.
func (r *run) commandName() string {
	if r.command == 0 || r.subject != "" {
		return r.subject
	}
	return r.command.String()
}

// commandNames are the commands of the comment; none when it is refused for one of them, or for something else.
func (r *run) commandNames() (names []string) {
	if r.subject != "" {
		return nil
	}
	for _, s := range r.Comment.Segments {
		names = append(names, s.Command.String())
	}
	return names
}

func (r *run) howItRan() render.Run {
	if r.room == nil {
		return render.Run{ModelAsked: r.model, Duration: time.Since(r.began), Tail: r.tail}
	}
	report := r.report
	run := render.Run{
		Agent: r.AgentName, AgentStatus: r.AgentStatus, AgentVersion: report.AgentVersion,
		ModelAsked: r.model, ModelEffective: report.ModelEffective, Isolated: r.room.Identity().Isolated(),
		Usage: usage(report), ProviderFiles: report.ProviderFiles, Duration: time.Since(r.began),
		StopReason: report.StopReason, Unasked: report.Unasked, MoreSteps: report.MoreSteps, Tail: r.tail,
		Commit: string(r.base), Token: r.Token, Policy: r.Policy.Source,
		Approved: report.Approved, ModelsBefore: report.ModelsBefore, NotByMode: notByMode(report.Access.Instead),
	}
	if report.Access.Unrecorded {
		run.Unrecorded = either(report.Mode, "unattended")
	}
	if !r.Trusted {
		run.Unproven = unproven(report.Access.Asking, report.Unasked)
	}
	if run.Isolated {
		run.User = r.room.Identity().Name()
	}
	if r.tree != nil {
		c := r.tree.Cost()
		run.HandOver = render.HandOver{Files: c.Files, Commits: c.Commits, Bytes: c.PackBytes, Took: time.Duration(c.Millis) * time.Millisecond}
	}
	for _, p := range report.Phases {
		run.Phases = append(run.Phases, render.Phase{Name: p.Name, Took: p.Took})
	}
	for _, s := range report.Steps {
		run.Steps = append(run.Steps, render.Step{Phase: "turn", Tool: s.Kind, Title: either(s.Command, s.Title), Status: s.Status, Exit: s.Exit, Took: s.Took, Unasked: s.Unasked, Subagent: s.Subagent})
	}
	for _, s := range report.Subagents {
		run.Subagents = append(run.Subagents, render.Subagent{Name: s.Name, Model: s.Model, Status: s.Status, Took: s.Took, Tokens: s.Tokens})
	}
	for _, a := range report.Receipts {
		run.Receipts = append(run.Receipts, render.Receipt{Action: a.Action()})
	}
	return run
}

func either(a, b string) string {
	if a != "" {
		return a
	}
	return b
}
