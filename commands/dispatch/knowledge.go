package dispatch

import (
	"context"
	"fmt"
	"strings"

	"github.com/d3mlabs/ai-flow/commands"
	"github.com/d3mlabs/ai-flow/commands/github"
)

// people remembers who may write, refusals and failures too, so that each is asked about once.
type people struct {
	hub   *github.Client
	known map[string]answer
}

type answer struct {
	github.Permission
	err error
}

func newPeople(hub *github.Client) *people {
	return &people{hub: hub, known: map[string]answer{}}
}

// of asks what a login may do. An error is an answer too, and it is none.
func (p *people) of(ctx context.Context, login string) (github.Permission, error) {
	key := strings.ToLower(login)
	known, ok := p.known[key]
	if !ok {
		known.Permission, known.err = p.hub.Permission(ctx, login)
		p.known[key] = known
	}
	return known.Permission, known.err
}

// askAuthor asks what decides whether anybody is told anything: who may command.
func (j *Job) askAuthor(ctx context.Context, p *people, k *Knowledge) (err error) {
	if k.Author, err = p.of(ctx, j.Event.Comment.Author.Login); err != nil {
		return j.unknown(j.Event.Comment.Author.Login, err)
	}
	k.Rerunner, k.Command = j.Rerunner, commands.Heaviest(j.Comment.Segments)
	if k.Author.Level < github.Write || j.Rerunner == "" || sameLogin(j.Rerunner, j.Event.Comment.Author.Login) {
		return nil
	}
	if k.Rerun, err = p.of(ctx, j.Rerunner); err != nil {
		return j.unknown(j.Rerunner, err)
	}
	return nil
}

func (j *Job) unknown(login string, err error) error {
	return fmt.Errorf("it could not be found out whether %q may write to %s: %w", login, j.Event.Repo, err)
}

// askPlace asks for everything else that decides.
func (j *Job) askPlace(ctx context.Context, p *people, k *Knowledge) (err error) {
	if k.Facts, err = j.GitHub.Look(ctx, j.Event); err != nil {
		return fmt.Errorf("asking about the place of the command: %w", err)
	}
	if c := k.Facts.Comment; c != nil {
		k.Changed = !j.sameCommands(c.Body)
	}
	d := k.Facts.Document
	if d.Edited.IsZero() || d.Edited.Before(j.Event.Comment.Created) || d.Editor == "" || sameLogin(d.Editor, k.Facts.Viewer) {
		return nil
	}
	if k.Editor, err = p.of(ctx, d.Editor); err != nil {
		return fmt.Errorf("asking whether who edited the description may write: %w", err)
	}
	return nil
}
