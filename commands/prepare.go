package commands

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/d3mlabs/ai-flow/commands/git"
	"github.com/d3mlabs/ai-flow/executor"
	"github.com/d3mlabs/ai-flow/executor/permission"
)

// documentFile is where the private copy of the document lies in the room: beside the tree and never in it, so that
// neither a link that the repository holds nor a commit can stand in its place (F-03).
const documentFile = "document/document.md"

// prepare decides whether there is anything to do, and brings the agent's room, tree and document about.
func (r *run) prepare(ctx context.Context) {
	r.notes = append(r.notes, r.Notes...)
	for _, warning := range r.Policy.Warnings {
		r.note("Policy: " + warning + ".")
	}
	steps := []func(context.Context){r.judge, r.readDocument, r.findInDiscussion, r.enter, r.crossBoundary, r.handOver, r.placeDocument}
	for _, step := range steps {
		if r.over() {
			return
		}
		step(ctx)
	}
}

// judge refuses what can be refused without looking at anything.
func (r *run) judge(context.Context) {
	switch {
	case r.command == 0:
		r.nothing("holds no command.")
	case r.command == Build && r.Surface == ReviewThread:
		r.refuse(&Refusal{Message: "changes code, and a review thread is about one line of it",
			Next: "Give it in the conversation of the pull request; it takes this thread into account."})
	case r.command == Build && r.Surface.onPull() && len(r.Feedback) == 0 && r.Comment.Segments[0].Instruction == "" && r.Comment.Segments[0].Quote == "":
		if r.Unread {
			r.nothing("found nothing to take up in what it read of this long pull request; say after the command what is to be done.")
			return
		}
		r.nothing("found nothing outstanding: it has no instruction, no review thread waits for an answer, and nobody who may write here has said anything since it last committed.")
	}
}

func (r *run) readDocument(ctx context.Context) {
	d, err := r.Place.Document(ctx)
	if err != nil {
		r.fail(ctx, failure{class: "document", message: "the document could not be read", err: err})
		return
	}
	r.document, r.snapshot = d, normalise(d.Body)
	for _, s := range r.Comment.Segments {
		var f finding
		if s.Quoted && !d.None {
			f = locate(r.snapshot, s.Quote)
		}
		r.found = append(r.found, f)
	}
	first := r.Comment.Segments[0]
	switch {
	case r.command == Edit && d.None:
		r.refuse(&Refusal{Message: "changes a document, and there is none", Next: d.Remedy})
	case r.command == Build && d.None && first.Instruction == "" && first.Quote == "":
		r.refuse(&Refusal{Message: "has no text, and there is no document to go by", Next: "Write after it what is to be built."})
	}
}

func (r *run) enter(ctx context.Context) {
	room, err := r.Agent.EnterRoom(ctx)
	if err != nil {
		r.failLaunch(ctx, err)
		return
	}
	r.room = room
}

// findAmbient looks for what the agent would run of the tree without asking. It runs as the agent user, so the boundary
// holds; a reader should know.
func (r *run) findAmbient(ctx context.Context, given git.OID) {
	for _, path := range r.Ambient {
		has, err := r.Repo.Has(ctx, given, path)
		if err != nil {
			r.fail(ctx, failure{class: "git", message: "the checkout could not be read", err: err})
			return
		}
		if has {
			r.ambient = append(r.ambient, path)
		}
	}
}

func (r *run) placeDocument(ctx context.Context) {
	if r.document.None {
		return
	}
	if err := r.room.WriteFile(ctx, documentFile, []byte(r.snapshot)); err != nil {
		r.fail(ctx, failure{class: "document", message: "the agent could not be given a copy of the document", err: err})
	}
}

// launch runs the agent once. It reports whether there is an answer to work with; if not, the outcome is decided.
func (r *run) launch(ctx context.Context) bool {
	report, err := r.Agent.Launch(ctx, r.task(1))
	r.launched, r.report = true, report
	r.answers = readAnswers(report.Text, r.nonce, len(r.Comment.Segments), r.Feedback)
	r.notes = append(r.notes, r.answers.notes...)
	if err != nil {
		r.failLaunch(ctx, err)
		r.partial()
	}
	r.noteSurvivors()
	return err == nil
}

// task is what the agent is given in a round. From the second on it is told what the gates found.
func (r *run) task(round int) executor.Task {
	b := brief{nonce: r.nonce, kind: r.command, segments: r.Comment.Segments, found: r.found, title: r.Title,
		context: slices.Concat(r.Context, r.quoted), restored: r.Restored}
	if !r.document.None {
		b.place, b.document = r.room.Path(documentFile), r.document.Name
	}
	if r.command == Build {
		b.build, b.gates = r.buildBrief(), r.Policy.Gates
	}
	if round > 1 {
		b.failing = r.failing()
	}
	return executor.Task{
		Label: r.command.String(), Prompt: b.prompt(), Room: r.room, Dir: r.tree.Dir(), Model: r.model,
		Policy: r.permissions(), Via: r.Policy.Permissions.Via,
	}
}

// permissions is the policy of the pass. An /edit without full access may still change its own copy of the document, which
// goes nowhere but through our hands, and nothing else: a rule of the policy file that denies or wants to be asked goes first.
func (r *run) permissions() permission.Policy {
	p := r.Policy.permissions(r.pass(), r.Trusted, r.tree.Dir())
	full := p.Trusted && p.FullAccessAllowed
	if copied := r.room.Path(documentFile); r.command == Edit && !full && !strings.ContainsAny(copied, "*?") {
		p.Allow = append(slices.Clip(p.Allow), permission.Rule{Kind: "edit", Match: copied})
	}
	return p
}

// quiet reports whether nothing of the agent's runs any more, which must hold before anything that it can write is read.
// A launch says so; where it does not, we look ourselves.
func (r *run) quiet(ctx context.Context) bool {
	if r.report.Swept {
		return true
	}
	survivors, err := r.room.Sweep(ctx)
	if err == nil && len(survivors) == 0 {
		return true
	}
	if err == nil {
		err = fmt.Errorf("%d processes of the agent's could not be ended", len(survivors))
	}
	if len(r.report.Survivors) == 0 {
		r.report.Survivors = survivors
		r.noteSurvivors()
	}
	r.failSurvivors(ctx, err)
	return false
}

// failSurvivors decides the outcome: what still runs could change the tree under our eyes.
func (r *run) failSurvivors(ctx context.Context, err error) {
	r.fail(ctx, failure{class: "survivors", message: "the agent's processes could not all be ended, so nothing of its work was taken", err: err,
		next: "End them as root, or restart the host if they wait in the kernel. " + r.again("")})
}

func (r *run) noteSurvivors() {
	for i, p := range r.report.Survivors {
		if i == 5 {
			r.note(fmt.Sprintf("And %d further processes of the agent's.", len(r.report.Survivors)-i))
			return
		}
		r.note(fmt.Sprintf("A process of the agent's could not be ended: %d (%.64q).", p.PID, p.Command))
	}
}
