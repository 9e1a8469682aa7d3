package dispatch

import (
	"context"
	"errors"
	"time"

	"github.com/d3mlabs/ai-flow/commands"
	"github.com/d3mlabs/ai-flow/commands/github"
	"github.com/d3mlabs/ai-flow/commands/thread"
	"github.com/d3mlabs/ai-flow/render"
)

// place is the description of an issue or pull request as a commands.Place.
type place struct {
	*running
	status render.Status
	name   string
	read   bool    // the text that the gate decided about was handed out
	unsure *string // what was sent and may stand there: the answer to it was lost, and nothing has shown yet
	before string  // what stood there when it was sent
	landed bool    // an edit of ours stands in the document
}

// act is what a run knows of its act, when it had a place at all.
func (p *place) act() thread.Act {
	switch {
	case p == nil:
		return thread.ActNone
	case p.landed:
		return thread.ActDone
	case p.unsure != nil:
		return thread.ActUnsure
	}
	return thread.ActNone
}

func documentName(e github.Event) string {
	if e.Surface == github.OnIssue {
		return "the description of the issue"
	}
	return "the description of the pull request"
}

// Document is at first the text that the gate has decided about, and only later, when an edit is to be brought home, what
// stands there by then: what is written in between reaches no prompt (F-30).
func (p *place) Document(ctx context.Context) (commands.Document, error) {
	if !p.read {
		p.read = true
		return commands.Document{Name: p.name, Body: p.known.Facts.Document.Body}, nil
	}
	body, err := p.GitHub.Body(ctx, p.Event.Number)
	if err != nil {
		return commands.Document{}, err
	}
	p.landed = p.landed || p.unsure != nil && body == *p.unsure
	if body == p.before {
		p.unsure = nil
	}
	return commands.Document{Name: p.name, Body: body}, nil
}

// Discussion lists what people said in the conversation before the command. Our own words and the command are left out.
func (p *place) Discussion(ctx context.Context) (said []commands.Said, err error) {
	all, err := p.GitHub.Comments(ctx, p.Event.Number, false, time.Time{})
	if err != nil {
		return nil, err
	}
	for _, c := range all {
		if c.Created.After(p.Event.Comment.Created) || sameLogin(c.Author, p.thread.Viewer) || c.ID == p.Event.Comment.ID && p.Event.Surface != github.OnLine {
			continue
		}
		said = append(said, commands.Said{Author: c.Author, Text: thread.Clean(c.Body), URL: c.URL,
			Counts: func(ctx context.Context) bool { return p.mayWrite(ctx, c.Author) }})
	}
	return said, nil
}

// mayWrite asks whether somebody's words may reach the agent. What is left out is said, with what makes it count.
func (r *running) mayWrite(ctx context.Context, login string) bool {
	if login == "" {
		return false
	}
	permission, err := r.people.of(ctx, login)
	if err == nil && permission.Level >= github.Write {
		return true
	}
	if err != nil {
		r.say("whether %q may write could not be found out, so their words are left out: %v", login, err)
		return false
	}
	r.say("words of %q, who may not write here, are left out; quote them in the command to have them count", login)
	return false
}

// Announce writes the result ahead of the edit (package thread).
func (p *place) Announce(ctx context.Context, result render.Result, was, now string) error {
	status := p.status
	status.Writing = p.name
	err := p.thread.Ahead(ctx, result, status, thread.Digest(was), thread.Digest(now))
	if errors.Is(err, thread.ErrGone) {
		return commands.ErrTakenBack
	}
	return err
}

// Replace edits the description if it is what it was, and looks again afterwards: what somebody wrote over it in the same
// moment is a move like any other, and both changes go together where they can (F-60). GitHub has no way to make looking
// and editing one step: what somebody writes between the two is overwritten, and stays in the history of edits.
func (p *place) Replace(ctx context.Context, was, now string) error {
	is, err := p.GitHub.Body(ctx, p.Event.Number)
	switch {
	case err != nil:
		return err
	case is == now:
		p.landed, p.unsure = true, nil // an edit whose answer was lost
		return nil
	case is != was:
		return commands.ErrMoved
	}
	_, err = p.GitHub.SetBody(ctx, p.Event.Number, was, now)
	var e *github.Error
	switch {
	case errors.As(err, &e) && e.Kind == github.Moved:
		return commands.ErrMoved
	case errors.As(err, &e) && e.Unsure:
		p.before, p.unsure = was, &now
		return err
	case err != nil:
		return err
	}
	stands, err := p.GitHub.Body(ctx, p.Event.Number)
	if err == nil && thread.Digest(stands) != thread.Digest(now) {
		p.before, p.unsure = was, &now
		return commands.ErrMoved
	}
	p.landed, p.unsure = true, nil // also when it cannot be read again: GitHub has said that it was written
	return nil
}

// foreign is what the comment hangs on, as data for the agent: the lines, and in a thread what it replies to.
func (r *running) foreign(ctx context.Context) (all []commands.Foreign) {
	c := r.Event.Comment
	if c.Hunk != "" {
		all = append(all, commands.Foreign{Label: "the lines of the pull request that the command hangs on, below the name of their file",
			Text: c.Path + "\n\n" + c.Hunk})
	}
	parent := r.known.Facts.Parent
	switch {
	case parent == nil:
	case parent.Ours && thread.Ours(parent.Body): // the fallback token's login is that of every workflow
		all = append(all, commands.Foreign{Label: "what an earlier run answered in this thread", Text: parent.Body})
	case r.mayWrite(ctx, parent.Author):
		all = append(all, commands.Foreign{Label: "the comment that the command replies to", Text: parent.Body})
	}
	return all
}
