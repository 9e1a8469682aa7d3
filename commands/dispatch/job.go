package dispatch

import (
	"context"

	"github.com/d3mlabs/ai-flow/commands"
	"github.com/d3mlabs/ai-flow/commands/git"
	"github.com/d3mlabs/ai-flow/commands/github"
	"github.com/d3mlabs/ai-flow/executor"
)

// Job is one command on GitHub, parsed. It is for one run, and for one goroutine.
type Job struct {
	Event   github.Event
	Comment commands.Comment
	Refusal *commands.Refusal // what the parser refuses; nil for nothing
	Prefix  string            // AI_FLOW_COMMAND_PREFIX

	GitHub   *github.Client
	Bot      string // AI_FLOW_BOT_LOGIN; "" when not said
	Rerunner string // GITHUB_TRIGGERING_ACTOR; "" when not said
	Attempt  int    // GITHUB_RUN_ATTEMPT, from 1; 0 when not said
	RunURL   string // "" when it is not known
	Model    string // AI_FLOW_MODEL
	Log      executor.Log
	// Redact takes what must not leave out of every text for the thread, after it was rendered; nil for nothing.
	Redact func(string) string
	// Remote is how git reaches a repository with a token.
	Remote func(repo github.Repo, token string) git.Remote
	// Prepare makes the flow of an admitted command: the repository at the commit of the setting, the agent and its token.
	// What it opened is closed by end, which is called whatever it returns, unless it is nil. Its error is told on the thread
	// when it is a *Trouble, and else only that the run could not be prepared.
	Prepare func(ctx context.Context, s Setting) (f *commands.Flow, end func() error, err error)
}

// Setting is what a flow is made of.
type Setting struct {
	Policy commands.Policy
	Commit git.OID // that the agent looks at: the head of the pull request, else of the default branch
	Branch string  // of that commit: foreign
	// Base is a further commit that the repository is to hold, "" for none: what is taken from it is the flow's business.
	Base    git.OID
	Place   commands.Place
	Targets []Target // of a build, the thread's own repository first if it is one; Prepare opens their Repo for the flow. nil for other commands
}

// Trouble is an error with a sentence for the thread.
type Trouble struct{ commands.Problem }

// Error is the sentence, and what is underneath.
func (t *Trouble) Error() string {
	if t.Err == nil {
		return t.Message
	}
	return t.Message + ": " + t.Err.Error()
}

func (t *Trouble) Unwrap() error { return t.Err }

// Told is what became of a command, and where a person reads it.
type Told struct {
	Outcome commands.Outcome
	Silent  bool   // the thread was told nothing, because its author may not command or there is nothing to tell
	Reason  string // of a silence, ours, for the run's page; "" with Unknown
	// Unknown is why it could not be found out whether the author may command. Then the thread is told nothing, as if they may
	// not, and the run's page says that it failed.
	Unknown error
	URL     string // of the comment that holds the result; "" for none
	// Err is why the thread could not be told although it was to be. The outcome stands all the same (F-56).
	Err error
}

// hasCommand reports whether the comment is any of our business.
func (j *Job) hasCommand() bool { return len(j.Comment.Segments) > 0 || j.Refusal != nil }

func (j *Job) say(format string, args ...any) {
	if j.Log != nil {
		j.Log.Say(format, args...)
	}
}

// request is what is known before anything was asked.
func (j *Job) request() commands.Request {
	e := j.Event
	return commands.Request{Comment: j.Comment, Surface: surfaces[e.Surface], Number: e.Number, Title: e.Title,
		Requester: commands.Person{Login: e.Comment.Author.Login, ID: e.Comment.Author.ID}, RunURL: j.RunURL,
		RepoName: e.Repo.String(), CommentID: e.Comment.ID, CommentURL: e.Comment.URL, Attempt: j.Attempt}
}
