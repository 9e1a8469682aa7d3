package commands

import (
	"context"
	"slices"
	"time"

	"github.com/d3mlabs/ai-flow/commands/git"
	"github.com/d3mlabs/ai-flow/executor"
	"github.com/d3mlabs/ai-flow/executor/permission"
	"github.com/d3mlabs/ai-flow/isolation"
	"github.com/d3mlabs/ai-flow/isolation/doctor"
	"github.com/d3mlabs/ai-flow/render"
)

// Agent is an agent that can be launched. *executor.Agent is one.
type Agent interface {
	EnterRoom(ctx context.Context) (*isolation.Room, error)
	Launch(ctx context.Context, t executor.Task) (executor.Report, error)
	RunGate(ctx context.Context, room *isolation.Room, dir string, g executor.Gate) executor.GateReport
}

// Flow carries out commands with one agent in one repository. It holds no state of a run.
type Flow struct {
	Agent  Agent
	Repo   *git.Repo
	Place  Place
	Policy Policy
	// Targets are the repositories that a build may change, the thread's first, or the one that stands for it: its Repo is Repo.
	// nil means that a build ends on a local branch of Repo.
	Targets []Target
	Landing Landing      // where Targets go; nil without them
	Model   string       // AI_FLOW_MODEL, or --model; "" for the policy's choice
	Log     executor.Log // may be nil

	AgentName   string        // the profile's name, for readers
	AgentStatus string        // how much of the profile was proven, for readers
	Token       *render.Token // what the agent's token is good for, for readers; nil when that is not known
	Bot         git.Person    // who commits; zero means ai-flow[bot]

	// Doctor tries to cross the boundary in the room of a run, before the agent is started in it; nil tries nothing. What it finds
	// open stops the run, unless the policy accepts it or DoctorWarns.
	Doctor      func(ctx context.Context, room *isolation.Room) (doctor.Report, error)
	DoctorWarns bool

	// Secrets may leave in nothing that comes of a run: they are taken out of what is told, and what is to be committed or
	// written into the document is refused when it holds one. nil knows none.
	Secrets *render.Secrets
	// Ambient are paths of a tree that the agent runs, or loads as configuration that runs, without asking (the profile's).
	Ambient []string
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
	boundary *doctor.Report // nil when it was not tried to cross it
	doors    []render.Door  // that stood open
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
	headline string // goes on from the name of the command, or from subject
	subject  string // what the parser refused, ours; "" for the command
	next     string
	notes    []string
	diffs    *render.Diffs
	changes  []git.Change
	refused  []git.Refused
	left     []git.Refused
	gates    []gate
	judged   bool // the gates came to their end, or there was nothing for them
	works    []*work
	flagged  []string // changed paths
	patches  []patch
	branch   string // local
	commit   git.OID
	partly   bool // not all of a build landed
	failure  *failure
	// dispositions are what is to be said in the review threads that were taken up.
	dispositions []Disposition
	tail         string // the end of the standard error of an agent that failed: foreign
}

// fork is a copy that comes to an end of its own: what it adds is not the run's.
func (r *run) fork() *run {
	other := *r
	other.notes, other.segments = slices.Clip(r.notes), slices.Clone(r.segments)
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
