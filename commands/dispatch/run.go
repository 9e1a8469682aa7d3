package dispatch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/d3mlabs/ai-flow/commands"
	"github.com/d3mlabs/ai-flow/commands/git"
	"github.com/d3mlabs/ai-flow/commands/github"
	"github.com/d3mlabs/ai-flow/commands/thread"
	"github.com/d3mlabs/ai-flow/executor"
	"github.com/d3mlabs/ai-flow/render"
)

// The time that is left for telling the thread. The runner of a workflow gives a cancelled step ten seconds before it kills it.
const (
	tellTime   = 5 * time.Minute
	cancelTime = 8 * time.Second
)

// fresh is how long an answer about the comment counts as what stands there now.
const fresh = 5 * time.Second

// Run carries the command from the gate to the thread. It returns whatever happens; what it returns can be shown.
func (j *Job) Run(ctx context.Context) (told Told) {
	if !j.hasCommand() {
		return Told{Silent: true, Reason: "the comment holds no command", Outcome: commands.Repeated(j.request(), "the comment holds no command")}
	}
	r := &running{Job: j, people: newPeople(j.GitHub), q: j.request()}
	if d := Prefilter(j.Event, j.Bot); d.Verdict != Admit {
		return r.denied(d.Reason)
	}
	if err := j.askAuthor(ctx, r.people, &r.known); err != nil {
		return Told{Silent: true, Unknown: err, Outcome: commands.Fail(ctx, r.q, problem("github", "it could not be found out who may command", err))}
	}
	if d := mayCommand(j.Event, r.known); d.Verdict != Admit {
		return r.denied(d.Reason)
	}
	return r.admitted(ctx)
}

// Unable is what became of a command that no job could begin, or finish: err is for the run's log and the program's end.
func (j *Job) Unable(ctx context.Context, err error) Told {
	return Told{Silent: true, Unknown: err, Outcome: commands.Fail(ctx, j.request(), problem("setup", "the job could not begin", err))}
}

// running is a Run whose author may command: from here on the thread is told what becomes of it.
type running struct {
	*Job
	people  *people
	known   Knowledge
	q       commands.Request
	policy  commands.Policy
	thread  *thread.Thread
	place   *place
	plan    *plan    // of a build; nil until it is made
	landing *landing // of a build; nil until it runs
}

func (r *running) denied(reason string) Told {
	r.say("not authorized: %s", reason)
	return Told{Silent: true, Reason: reason, Outcome: commands.Deny(r.q, reason)}
}

// problem says of what GitHub refused whether a person has to set something right first, as of any other set-up.
func problem(class, message string, err error) commands.Problem {
	p := commands.Problem{Class: class, Message: message, Err: err}
	var e *github.Error
	if errors.As(err, &e) {
		p.Next = e.Next
		if e.Setup {
			p.Class = executor.FailedSetup.String()
		}
	}
	return p
}

// admitted goes on once the author may be told things. A panic is told as a failure, and goes on: it is a fault of ours, and
// its trace belongs into the run's log.
func (r *running) admitted(ctx context.Context) (told Told) {
	r.thread = r.Job.thread(github.Facts{}) // enough to tell that we failed, should we do so at once
	defer func() {
		if p := recover(); p != nil {
			r.tell(ctx, commands.Fail(ctx, r.q, commands.Problem{Class: "internal", Message: "ai-flow itself failed", Err: fmt.Errorf("panic: %v", p)}))
			panic(p)
		}
	}()
	err := r.askPlace(ctx, r.people, &r.known)
	r.thread = r.Job.thread(r.known.Facts)
	if err != nil {
		return r.blind(ctx, problem("github", "GitHub did not say what the command is about", err))
	}
	asked := time.Now()
	if c := r.known.Facts.Comment; c != nil {
		r.thread.Now = &c.Body
	}
	d := Decide(r.Event, r.known)
	if d.Verdict == Deny {
		r.say("not carried out: %s", d.Reason)
		return Told{Silent: true, Reason: d.Reason, Outcome: commands.Repeated(r.q, d.Reason)} // its author may command
	}
	r.q.Trusted = d.Trusted
	standing, err := r.thread.Look(ctx)
	if err != nil {
		return r.blind(ctx, problem("github", "GitHub did not say what stands on the thread", err))
	}
	if time.Since(asked) > fresh {
		r.thread.Now = nil // it took a wait to find out, and people may have written meanwhile
	}
	if r.plans(standing, d.Verdict == Admit) {
		if err := r.planBuild(ctx, standing); err != nil {
			return r.unplanned(ctx, standing, problem("github", "it could not be found out where the build goes", err))
		}
	}
	if told, done := r.earlier(ctx, standing); done {
		return told
	}
	if refusal := r.refusal(d); refusal != nil {
		return r.tell(ctx, commands.Refuse(r.q, refusal))
	}
	return r.perform(ctx)
}

// plans reports whether it is to be asked where a build goes. When it is not carried out any more, because its pull request was
// merged meanwhile, or somebody has changed the comment, an earlier attempt may still have pushed what it made.
func (r *running) plans(s thread.Standing, admitted bool) bool {
	if r.known.Command != commands.Build || r.Refusal != nil {
		return false
	}
	switch s.Stage {
	case thread.Silent: // a person may have written over what stood there
		return admitted || r.Attempt > 1 && !s.Gone
	case thread.Waiting, thread.Ahead, thread.Unsure:
		return true
	}
	return admitted
}

// blind is a failure to see what stands on the thread. A first attempt can only have left nothing; a later one that cannot see
// whether there is a result already says nothing beside it. The finaliser will, should there be none.
func (r *running) blind(ctx context.Context, p commands.Problem) Told {
	o := commands.Fail(ctx, r.q, p)
	if r.Attempt > 1 {
		r.say("the thread is told nothing, because it cannot be seen what an earlier attempt told it")
		return Told{Outcome: o, Silent: true, Reason: p.Message}
	}
	return r.tell(ctx, o)
}

// unplanned is a build of which cannot be seen where it goes. Then it cannot be seen either whether an earlier attempt has
// pushed its work, and what stands there stays.
func (r *running) unplanned(ctx context.Context, s thread.Standing, p commands.Problem) Told {
	if s.Stage < thread.Ahead {
		return r.tell(ctx, commands.Fail(ctx, r.q, p))
	}
	r.say("the thread is told nothing, because it cannot be seen whether an earlier attempt pushed its work")
	return Told{Outcome: commands.Fail(ctx, r.q, p), Silent: true, Reason: p.Message}
}

// refusal is what is told to somebody who may command, and whose command is not carried out; nil when it is.
func (r *running) refusal(d Decision) *commands.Refusal {
	switch {
	case d.Refusal != nil:
		return d.Refusal
	case r.Refusal != nil:
		return r.Refusal
	case r.plan != nil:
		return r.plan.refusal
	}
	return nil
}

// perform runs the command.
func (r *running) perform(ctx context.Context) Told {
	if err := r.setting(ctx); err != nil {
		return r.tell(ctx, commands.Fail(ctx, r.q, *err))
	}
	status := render.Status{Command: r.known.Command.String(), RunURL: r.RunURL, Model: r.policy.Model(r.known.Command, r.Model)}
	if err := r.thread.Wait(ctx, status); err != nil {
		r.say("the status line could not be written: %v", err) // the result will say more
	}
	return r.tell(ctx, r.carryOut(ctx, status))
}

// setting makes the policy, the commit and what the agent is told of the place.
func (r *running) setting(ctx context.Context) *commands.Problem {
	facts := r.known.Facts
	r.q.Commit, r.q.Context = git.OID(facts.DefaultOID), r.foreign(ctx)
	if facts.Head != nil {
		r.q.Commit = git.OID(facts.Head.OID)
	}
	if facts.Head != nil && facts.Head.Fork {
		r.q.Base = git.OID(cmp.Or(facts.Head.BaseOID, facts.DefaultOID))
	}
	if r.plan != nil {
		r.q.Commit, r.q.Feedback, r.q.Notes = r.plan.targets[0].Commit, r.plan.feedback, r.plan.notes
		r.q.Unread = r.plan.unread
	}
	if r.q.Commit == "" {
		return &commands.Problem{Class: "git", Message: "the repository has no commit yet", Next: "Make a first commit."}
	}
	policy, err := readPolicy(facts)
	if err != nil {
		return &commands.Problem{Class: "policy", Message: "the policy file cannot be used: " + err.Error(), Err: err,
			Next: "Mend `" + commands.PolicyPath + "` on the default branch."}
	}
	r.policy = policy
	return nil
}

// branch is where the commit of the setting comes from.
func (r *running) branch() string {
	head := r.known.Facts.Head
	switch {
	case head == nil:
		return r.known.Facts.DefaultBranch
	case head.Fork:
		return head.Repo.String() + ":" + head.Branch
	}
	return head.Branch
}

func readPolicy(f github.Facts) (commands.Policy, error) {
	switch {
	case f.PolicyCut:
		return commands.Policy{}, errors.New("it is too large, or no text")
	case f.Policy == nil:
		return commands.DefaultPolicy(), nil
	}
	return commands.ParsePolicy(f.Policy, fmt.Sprintf("%s on %s", commands.PolicyPath, f.DefaultBranch))
}

// tell writes the outcome on the thread. A cancelled run has little time for it, and a ctx of its own.
func (r *running) tell(ctx context.Context, o commands.Outcome) Told {
	limit := tellTime
	if ctx.Err() != nil {
		limit = cancelTime
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), limit)
	defer cancel()
	told := Told{Outcome: o}
	told.URL, told.Err = r.thread.Tell(ctx, o.Result, r.actOf(o))
	if errors.Is(told.Err, thread.ErrStands) {
		r.say("%v", told.Err)
		told.Err = nil
	}
	if told.Err != nil {
		r.say("the thread could not be told: %v", told.Err)
	}
	return told
}
