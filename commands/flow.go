package commands

import (
	"context"
	"slices"
	"time"

	"github.com/d3mlabs/ai-flow/commands/git"
	"github.com/d3mlabs/ai-flow/executor"
	"github.com/d3mlabs/ai-flow/executor/permission"
	"github.com/d3mlabs/ai-flow/isolation"
	"github.com/d3mlabs/ai-flow/render"
)

// Agent is an agent that can be launched. *executor.Agent is one.
type Agent interface {
	EnterRoom(ctx context.Context) (*isolation.Room, error)
	Launch(ctx context.Context, t executor.Task) (executor.Report, error)
}

// Flow carries out commands with one agent in one repository. It holds no state of a run.
type Flow struct {
	Agent  Agent
	Repo   *git.Repo
	Place  Place
	Policy Policy
	Model  string       // AI_FLOW_MODEL, or --model; "" for the policy's choice
	Log    executor.Log // may be nil

	AgentName   string     // the profile's name, for readers
	AgentStatus string     // how much of the profile was proven, for readers
	Bot         git.Person // who commits; zero means ai-flow[bot]

	// Secrets may leave in nothing that comes of a run: they are taken out of what is told, and what is to be committed or
	// written into the document is refused when it holds one. nil knows none.
	Secrets *render.Secrets
	// Ambient are paths of a tree that the agent runs, or loads as configuration that runs, without asking (the profile's).
	Ambient []string
}

// Request is one comment, parsed and authorised.
type Request struct {
	Comment   Comment
	Surface   Surface
	Number    int     // of the issue or pull request; 0 when there is none
	Title     string  // of the issue or pull request: foreign
	Requester Person  // who gave the command
	Commit    git.OID // what the agent looks at: the head of a pull request; "" for the checkout's HEAD
	// Trusted says that everything which the agent is given comes from people with write permission. Without it no pass
	// is upgraded to full access.
	Trusted bool
	Context []Foreign // further text for the agent, already filtered
	RunURL  string    // "" outside a workflow

	// What only the report tells: where the command was given, and as which attempt of the run it is carried out.
	RepoName   string // owner/name; "" outside a workflow
	CommentID  int64
	CommentURL string
	Attempt    int    // from 1; 0 outside a workflow
	TokenScope string // what the agent's token may do, in words; "" when it has none
}

// Surface is where a command was given.
type Surface uint8

// The surfaces.
const (
	Local        Surface = iota // a terminal
	Issue                       // a comment on an issue
	PullRequest                 // a comment in the conversation of a pull request
	ReviewThread                // a comment on a line of a pull request
	Review                      // the summary of a review
)

// String names the surface as report.json does.
func (s Surface) String() string {
	switch s {
	case Local:
		return "local"
	case Issue:
		return "issue"
	case PullRequest:
		return "pull_request"
	case ReviewThread:
		return "review_thread"
	case Review:
		return "review"
	}
	return "unknown"
}

// Person is a person on GitHub. Zero means not known.
type Person struct {
	Login string
	ID    int64
}

// Outcome is what came of a comment, as values.
type Outcome struct {
	Result render.Result // for readers
	Report Report        // for the census, and report.json
	Branch string        // the local branch that a /build made, "" for none
	Commit git.OID       // its commit
	// WorkflowPatch holds changes below .github/workflows/, which are never committed. `git apply` takes it on top of
	// Commit, or on top of the base when nothing else changed. nil for none.
	WorkflowPatch []byte
	// Err is what went wrong underneath, for the run's log only: it may quote what a stranger wrote. nil when the outcome
	// is neither failed nor cancelled.
	Err error
}

// Run carries out a comment. It returns an Outcome whatever happens, also when ctx ends; a failure to clean up is a note in
// it and changes nothing about what was done (F-12).
func (f *Flow) Run(ctx context.Context, q Request) Outcome {
	r := &run{Flow: f, Request: q, began: time.Now(), command: Heaviest(q.Comment.Segments), nonce: newNonce()}
	r.model = f.Policy.Model(r.command, f.Model)
	r.prepare(ctx)
	r.work(ctx)
	r.leave(ctx)
	return r.outcome()
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

// run is one run of a Flow. Its fields are filled as things become known, so that there is something to show whenever it
// ends.
type run struct {
	*Flow
	Request
	began   time.Time
	command Command
	model   string
	nonce   string

	room     *isolation.Room
	tree     *git.Tree
	base     git.OID // the commit that the agent was given
	document Document
	snapshot string // the document, normalised, as the agent was given it
	found    []finding
	quoted   []Foreign // comments that hold what the document does not
	ambient  []string  // those of Ambient that the tree holds

	launched bool
	report   executor.Report
	answers  answers

	status   render.Outcome // zero while nothing has been decided
	segments []render.Segment
	headline string
	next     string
	notes    []string
	diffs    *render.Diffs
	changes  []git.Change
	refused  []git.Refused
	left     []git.Refused
	branch   string
	commit   git.OID
	patch    []byte
	failure  *failure
}

// fork is a copy that comes to an end of its own: what it adds is not the run's.
func (r *run) fork() *run {
	other := *r
	other.notes, other.segments = slices.Clip(r.notes), slices.Clip(r.segments)
	return &other
}

// over reports whether the outcome is decided.
func (r *run) over() bool { return r.status != 0 }

// work does what the heaviest command asks for.
func (r *run) work(ctx context.Context) {
	if r.over() {
		return
	}
	switch r.command {
	case Ask:
		r.ask(ctx)
	case Edit:
		r.edit(ctx)
	case Build:
		r.build(ctx)
	}
}

// leave gives the room back. Nothing that happens here is an outcome.
func (r *run) leave(ctx context.Context) {
	if r.room == nil {
		return
	}
	if err := r.room.Close(ctx); err != nil {
		r.note("Cleaning up was not complete: see the run's log.")
		r.say("cleaning up: %v", err)
	}
}

func (r *run) say(format string, args ...any) {
	if r.Log != nil {
		r.Log.Say(format, args...)
	}
}

func (r *run) note(text string) { r.notes = append(r.notes, text) }

// pass is what sort of access the command gets. The answer to a question never needs a write.
func (r *run) pass() permission.Pass {
	if r.command == Ask {
		return permission.ReadOnly
	}
	return permission.FullAccess
}
