package dispatch

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/d3mlabs/ai-flow/commands"
	"github.com/d3mlabs/ai-flow/commands/git"
	"github.com/d3mlabs/ai-flow/commands/github"
	"github.com/d3mlabs/ai-flow/commands/thread"
	"github.com/d3mlabs/ai-flow/render"
)

// The time that is left for telling the thread. The runner of a workflow gives a cancelled step ten seconds before it kills it.
const (
	tellTime   = 5 * time.Minute
	cancelTime = 8 * time.Second
)

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
		return r.unknown(ctx, err)
	}
	if d := mayCommand(j.Event, r.known); d.Verdict != Admit {
		return r.denied(d.Reason)
	}
	return r.admitted(ctx)
}

// running is a Run whose author may command: from here on the thread is told what becomes of it.
type running struct {
	*Job
	people *people
	known  Knowledge
	q      commands.Request
	policy commands.Policy
	thread *thread.Thread
	place  *place
}

func (r *running) denied(reason string) Told {
	r.say("denied: %s", reason)
	return Told{Silent: true, Reason: reason, Outcome: commands.Deny(r.q, reason)}
}

// unknown is a question that failed before we knew whether its author may be told anything: it denies.
func (r *running) unknown(ctx context.Context, err error) Told {
	reason := "it could not be found out who may command"
	r.say("denied: %s: %v", reason, err)
	return Told{Silent: true, Reason: reason, Outcome: commands.Fail(ctx, r.q, problem("github", reason, err))}
}

func problem(class, message string, err error) commands.Problem {
	p := commands.Problem{Class: class, Message: message, Err: err}
	var e *github.Error
	if errors.As(err, &e) {
		p.Next = e.Next
	}
	return p
}

// admitted goes on once the author may be told things. A panic is told as a failure, and goes on: it is a fault of ours, and
// its trace belongs into the run's log.
func (r *running) admitted(ctx context.Context) (told Told) {
	defer func() {
		if p := recover(); p != nil {
			r.tell(ctx, commands.Fail(ctx, r.q, commands.Problem{Class: "internal", Message: "ai-flow itself failed", Err: fmt.Errorf("panic: %v", p)}))
			panic(p)
		}
	}()
	err := r.askPlace(ctx, r.people, &r.known)
	r.thread = r.Job.thread(r.known.Facts)
	if err != nil {
		return r.tell(ctx, commands.Fail(ctx, r.q, problem("github", "GitHub did not say what the command is about", err)))
	}
	if c := r.known.Facts.Comment; c != nil {
		r.thread.Now = &c.Body
	}
	d := Decide(r.Event, r.known)
	if d.Verdict == Deny {
		return r.denied(d.Reason)
	}
	r.q.Trusted = d.Trusted
	standing, err := r.thread.Look(ctx)
	if err != nil {
		return r.tell(ctx, commands.Fail(ctx, r.q, problem("github", "GitHub did not say what stands on the thread", err)))
	}
	if told, done := r.earlier(ctx, standing); done {
		return told
	}
	if refusal := r.refusal(d); refusal != nil {
		return r.tell(ctx, commands.Refuse(r.q, refusal))
	}
	return r.perform(ctx)
}

// refusal is what is told to somebody who may command, and whose command is not carried out; nil when it is.
func (r *running) refusal(d Decision) *commands.Refusal {
	switch {
	case d.Refusal != nil:
		return d.Refusal
	case r.Refusal != nil:
		return r.Refusal
	case r.known.Command == commands.Build:
		return &commands.Refusal{Message: "opens no pull request yet", Next: "On a checkout of your own, `ai-flow try` leaves its branch."}
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
	if r.q.Commit == "" {
		return &commands.Problem{Class: "git", Message: "the repository has no commit yet", Next: "Make a first commit."}
	}
	policy, err := readPolicy(facts)
	if err != nil {
		return &commands.Problem{Class: "policy", Message: "the policy file cannot be used: " + err.Error(), Err: err,
			Next: "Mend " + commands.PolicyPath + " on the default branch."}
	}
	r.policy = policy
	return nil
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

// carryOut lets the flow do the work.
func (r *running) carryOut(ctx context.Context, status render.Status) commands.Outcome {
	r.place = &place{running: r, status: status, name: documentName(r.Event)}
	flow, end, err := r.Prepare(ctx, Setting{Policy: r.policy, Commit: r.q.Commit, Place: r.place})
	if end != nil {
		defer func() {
			if err := end(); err != nil {
				r.say("cleaning up: %v", err)
			}
		}()
	}
	if err != nil {
		return commands.Fail(ctx, r.q, trouble(err))
	}
	return flow.Run(ctx, r.q)
}

func trouble(err error) commands.Problem {
	var t *Trouble
	if errors.As(err, &t) {
		return t.Problem
	}
	return problem("setup", "the run could not be prepared", err)
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
	told.URL, told.Err = r.thread.Tell(ctx, o.Result, r.place != nil && r.place.landed)
	if told.Err != nil {
		r.say("the thread could not be told: %v", told.Err)
	}
	return told
}
