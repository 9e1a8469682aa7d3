package commands

import (
	"context"
	"time"

	"github.com/d3mlabs/ai-flow/commands/git"
	"github.com/d3mlabs/ai-flow/render"
)

// Outcome is what came of a comment, as values.
type Outcome struct {
	Result render.Result // for readers
	Report Report        // for the census, and report.json
	Branch string        // the local branch that a /build made, "" for none
	Commit git.OID       // its commit
	// Dispositions are what is to be said in review threads, one for each that a build took up.
	Dispositions []Disposition
	// Err is what went wrong underneath, for the run's log only: it may quote what a stranger wrote. nil when the outcome
	// is neither failed nor cancelled.
	Err error
}

// Stands returns the outcome with the address at which its result was put for people to read.
func (o Outcome) Stands(url string) Outcome {
	o.Result.Thread.Result, o.Report.ResultURL = url, bounded(url)
	return o
}

// Refuse is the outcome of a comment that could not be parsed or may not be carried out.
func Refuse(q Request, refusal *Refusal) Outcome {
	r := &run{Flow: &Flow{Policy: DefaultPolicy()}, Request: q, began: time.Now(), command: Heaviest(q.Comment.Segments)}
	r.refuse(refusal)
	return r.outcome()
}

// Deny is the outcome of a comment whose author may not command, or which no person wrote. reason is ours and quotes foreign
// names; it is for the run's page and the report, and silence for the thread.
func Deny(q Request, reason string) Outcome {
	o := Refuse(q, &Refusal{Message: "was not carried out: " + reason})
	o.Report.Denied = bounded(reason)
	return o
}

// Problem is what went wrong outside of a Flow: before one could be made, or when its result was being written.
type Problem struct {
	Class   string // short, for scripts: "setup", "github"; "" means "internal"
	Message string // a sentence of ours for readers, without a full stop
	Next    string // what a person can do; ours
	Err     error  // underneath, for the run's log alone
}

// Fail is the outcome of a run that could not begin. A ctx that has ended makes it a cancellation.
func Fail(ctx context.Context, q Request, p Problem) Outcome {
	r := &run{Flow: &Flow{Policy: DefaultPolicy()}, Request: q, began: time.Now(), command: Heaviest(q.Comment.Segments)}
	r.fail(ctx, failure{class: either(p.Class, "internal"), message: p.Message, next: p.Next, err: p.Err})
	return r.outcome()
}
