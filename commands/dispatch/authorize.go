package dispatch

import (
	"context"
	"fmt"

	"github.com/d3mlabs/ai-flow/commands"
	"github.com/d3mlabs/ai-flow/commands/github"
)

// Authorization is the answer of Authorize, as job outputs have it.
type Authorization struct {
	Authorized bool
	Command    commands.Command // the heaviest; zero when not authorized
	Reason     string           // of a denial, ours, for the run's page
	// Denied says that a person may not command. A comment without a command, and a bot's, are no business of the run's page.
	Denied bool
	// Refused says that the thread will be told why the command is not carried out, for which any runner will do.
	Refused bool
	// Head is the object id of the pull request's head at this moment, "" where there is none. A command in a conversation is
	// an event that does not say it, and the job that carries it out may come much later (H3-05).
	Head string
}

// Authorize asks whether the command may be given and acknowledges it with 👀, before any runner of one's own is taken. It
// decides by the person alone; Run decides again, by everything. An error is a denial whose reason could not be found out.
func (j *Job) Authorize(ctx context.Context) (Authorization, error) {
	if !j.hasCommand() {
		return Authorization{Reason: "the comment holds no command"}, nil
	}
	if d := Prefilter(j.Event, j.Bot); d.Verdict != Admit {
		return Authorization{Reason: d.Reason}, nil
	}
	var k Knowledge
	if err := j.askAuthor(ctx, newPeople(j.GitHub), &k); err != nil {
		return Authorization{Reason: err.Error()}, err
	}
	if d := mayCommand(j.Event, k); d.Verdict != Admit {
		return Authorization{Reason: d.Reason, Denied: true}, nil
	}
	if err := j.GitHub.Eyes(ctx, j.Event.Comment.NodeID); err != nil {
		j.say("the command could not be acknowledged: %v", err) // the status line will say more
	}
	head, err := j.head(ctx)
	if err != nil {
		err = fmt.Errorf("it could not be found out what the pull request's head is: %w", err)
		return Authorization{Reason: err.Error()}, err
	}
	command := max(k.Command, commands.Ask) // a refused comment may hold no segment
	return Authorization{Authorized: true, Command: command, Refused: j.Refusal != nil, Head: head}, nil
}

// head asks for the head of a pull request whose event does not say it.
func (j *Job) head(ctx context.Context) (string, error) {
	if j.Event.Surface != github.OnPull {
		return j.Event.HeadOID, nil
	}
	facts, err := j.GitHub.Look(ctx, j.Event)
	if err != nil || facts.Head == nil {
		return "", err
	}
	return facts.Head.OID, nil
}
