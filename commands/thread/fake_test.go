package thread

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/d3mlabs/ai-flow/commands"
	"github.com/d3mlabs/ai-flow/commands/github"
)

// site is a conversation as values: what stands there, who was here, and what goes wrong at which call.
type site struct {
	comments []github.Posted
	threads  map[int64]int64 // of comments that were posted into a review thread: the one that began it
	ids      int64
	calls    []string
	// fault is asked at each call, counted from 1; nil: nothing goes wrong.
	fault func(n int, call string) fault
	// before runs in front of each call: what other people do meanwhile.
	before func(n int, call string)
	// keep changes what a write stores, as a server could; nil: nothing.
	keep func(body string) string
}

// fault is how one call fails.
type fault int

const (
	none     fault = iota
	lost           // it happened, and the answer was lost
	dropped        // it did not happen, which nobody can know
	limited        // it surely did not happen
	refused        // it will never happen
	vanished       // what it is about is not there
	killed         // the process ends before the call
	killedIn       // the process ends before the answer
)

// death is the end of the process.
type death struct{}

func (s *site) call(what string, act func() error) error {
	n := len(s.calls) + 1
	s.calls = append(s.calls, what)
	if s.before != nil {
		s.before(n, what)
	}
	f := none
	if s.fault != nil {
		f = s.fault(n, what)
	}
	switch f {
	case lost, killedIn:
		if err := act(); err != nil {
			return err
		}
		if f == killedIn {
			panic(death{})
		}
		return &github.Error{What: what, Kind: github.Unreachable, Unsure: true}
	case dropped:
		return &github.Error{What: what, Kind: github.Unreachable, Unsure: true}
	case limited:
		return &github.Error{What: what, Kind: github.Limited, Status: 403}
	case refused:
		return &github.Error{What: what, Kind: github.Forbidden, Status: 403}
	case vanished:
		return &github.Error{What: what, Kind: github.Gone, Status: 404}
	case killed:
		panic(death{})
	}
	return act()
}

func (s *site) find(r github.Ref) *github.Posted {
	for i := range s.comments {
		if s.comments[i].Ref == r {
			return &s.comments[i]
		}
	}
	return nil
}

func (s *site) Comment(ctx context.Context, r github.Ref) (p github.Posted, err error) {
	err = s.call("read", func() error {
		c := s.find(r)
		if c == nil {
			return &github.Error{What: "reading", Kind: github.Gone, Status: 404}
		}
		p = *c
		return nil
	})
	return p, err
}

func (s *site) EditComment(ctx context.Context, r github.Ref, was, body string) (p github.Posted, err error) {
	err = s.call("edit", func() error {
		c := s.find(r)
		if c == nil {
			return &github.Error{What: "editing", Kind: github.Gone, Status: 404}
		}
		if c.Body != was { // as an edit that is sent late meets it
			return &github.Error{What: "editing", Kind: github.Moved}
		}
		if n := len([]rune(body)); n > 65_536 || n == 0 {
			return &github.Error{What: "editing", Kind: github.Invalid, Status: 422, Message: fmt.Sprint(n, " characters")}
		}
		if s.keep != nil {
			body = s.keep(body)
		}
		c.Body = body
		p = *c
		return nil
	})
	return p, err
}

func (s *site) Post(ctx context.Context, number int, thread int64, body string) (p github.Posted, err error) {
	err = s.call("post", func() error {
		if thread != 0 && s.find(github.Ref{Line: true, ID: thread}) == nil {
			return &github.Error{What: "replying", Kind: github.Gone, Status: 404}
		}
		if p = s.add(thread != 0, bot, body); thread != 0 {
			s.threads[p.ID] = thread
		}
		return nil
	})
	return p, err
}

func (s *site) Comments(ctx context.Context, number int, line bool, since time.Time) (some []github.Posted, err error) {
	err = s.call("list", func() error {
		for _, c := range s.comments {
			if c.Line == line && !c.Created.Before(since) {
				some = append(some, c)
			}
		}
		return nil
	})
	return some, err
}

const bot, person = "ai-flow[bot]", "ann"

var dawn = time.Date(2026, 11, 30, 6, 0, 0, 0, time.UTC)

func (s *site) add(line bool, author, body string) github.Posted {
	s.ids++
	id := 100 + s.ids
	kind := "issuecomment-"
	if line {
		kind = "discussion_r"
	}
	s.comments = append(s.comments, github.Posted{Ref: github.Ref{Line: line, ID: id}, Body: body, Author: author,
		URL: fmt.Sprintf("https://github.com/acme/app/issues/7#%s%d", kind, id), Created: dawn.Add(time.Duration(s.ids) * time.Minute)})
	return s.comments[len(s.comments)-1]
}

// newThread is a command of a person's on a site, as a run meets it.
func newThread(t testing.TB, surface github.Surface, body string) (*site, *Thread) {
	t.Helper()
	s := &site{threads: map[int64]int64{}}
	s.add(surface == github.OnLine, "bob", "What is this?")
	id, url, created := int64(900), "https://github.com/acme/app/pull/7#pullrequestreview-900", dawn
	if surface != github.OnReview {
		c := s.add(surface == github.OnLine, person, body)
		id, url, created = c.ID, c.URL, c.Created
	}
	e := github.Event{Surface: surface, Number: 7, Comment: github.Comment{ID: id, Body: body, URL: url, Created: created,
		Author: github.Account{Login: person, ID: 5}}}
	if surface == github.OnLine {
		e.Comment.ReplyTo = s.comments[0].ID
	}
	asked := anchors(body)
	return s, &Thread{API: s, Event: e, Viewer: bot, Read: read, Asked: asked,
		Lone: len(asked) == 1 && strings.HasPrefix(asked[0].Text, "/ask")}
}

// read is the real parser.
func read(body string) (all []Anchor, foot int) {
	comment, _ := commands.Parse(body, "") // a refusal is about the meaning
	if foot = comment.Foot; foot == 0 {
		foot = len(body)
	}
	for _, s := range comment.Segments {
		all = append(all, Anchor{End: s.End, Text: body[s.Start:s.End]})
	}
	return all, foot
}

func anchors(body string) []Anchor {
	all, _ := read(body)
	return all
}

// body is what the comment with the command says.
func (s *site) body(t testing.TB, th *Thread) string {
	t.Helper()
	c := s.find(th.command())
	if c == nil {
		t.Fatal("the command is gone")
	}
	return c.Body
}

// bodies of the comments that we made.
func (s *site) ours() (all []string) {
	for _, c := range s.comments {
		if c.Author == bot {
			all = append(all, c.Body)
		}
	}
	return all
}

func (s *site) clone() *site {
	return &site{comments: slices.Clone(s.comments), threads: maps.Clone(s.threads), ids: s.ids}
}
