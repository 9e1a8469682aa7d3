package dispatch

import (
	"context"

	"github.com/d3mlabs/ai-flow/commands"
	"github.com/d3mlabs/ai-flow/commands/github"
	"github.com/d3mlabs/ai-flow/executor"
)

// Job is one command on GitHub, parsed.
type Job struct {
	Event   github.Event
	Comment commands.Comment
	Refusal *commands.Refusal // what the parser refuses; nil for nothing
	Prefix  string            // AI_FLOW_COMMAND_PREFIX

	GitHub   *github.Client
	Bot      string // AI_FLOW_BOT_LOGIN; "" when not said
	Rerunner string // GITHUB_TRIGGERING_ACTOR
	Attempt  int    // GITHUB_RUN_ATTEMPT, from 1
	RunURL   string // "" when it is not known
	Model    string // AI_FLOW_MODEL
	Log      executor.Log
	// Prepare makes the flow for an admitted command: its repository at Setting.Commit, the agent, its token. Its error is
	// shown on the thread when it is a *Problem of package commands or has a sentence of its own; close ends what was opened.
	Prepare func(ctx context.Context, s Setting) (f *commands.Flow, end func() error, err error)
}

// Setting is what a flow is made of.
type Setting struct {
	Policy commands.Policy
	Commit string // object id that the agent looks at
	Place  commands.Place
}

// Run carries the command from the gate to the thread. It returns an Outcome whatever happens; url is where the result
// stands, "" when nothing was written there.
func (j *Job) Run(ctx context.Context) (o commands.Outcome, url string) { panic("unbuilt") }

// Authorization is the answer of Authorize, as job outputs have it.
type Authorization struct {
	Authorized bool
	Command    commands.Command
	Reason     string // for the run's page
}

// Authorize asks whether the command may be given and acknowledges it with 👀. An error is a denial whose reason could not
// be found out.
func (j *Job) Authorize(ctx context.Context) (Authorization, error) { panic("unbuilt") }

// Ending is how the job that ran the command ended, as the workflow knows it (needs.dispatch.result).
type Ending uint8

// The endings.
const (
	EndedUnknown Ending = iota
	EndedSuccess
	EndedFailure
	EndedCancelled
	EndedSkipped
)

// Finalize leaves nobody without a word: a status line that nobody will replace any more becomes a result, and a command
// that never began (dropped from the queue, no runner) is told so. It reports what it did, for the run's page.
func (j *Job) Finalize(ctx context.Context, e Ending) (did string, err error) { panic("unbuilt") }
