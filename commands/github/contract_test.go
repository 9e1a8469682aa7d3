package github_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/d3mlabs/ai-flow/commands/github"
	"github.com/d3mlabs/ai-flow/testsupport/fakegithub"
)

// world is a fake GitHub, which holds each request and answer to GitHub's own descriptions, with a repository, people and
// an App.
type world struct {
	*fakegithub.Server
	repo  *fakegithub.Repo
	app   int64
	key   []byte
	bot   string
	waits []time.Duration
}

func newWorld(t *testing.T) *world {
	w := &world{Server: fakegithub.New(t)}
	w.User("ann", "write")
	w.User("eve", "read")
	w.repo = w.Repo("acme/site", map[string]string{"README.md": "hello\n", ".github/ai-flow.yml": "agent: demo\n"})
	w.app, w.key, w.bot = w.App("ai-flow")
	return w
}

func (w *world) client(t *testing.T, change ...func(*github.Options)) *github.Client {
	t.Helper()
	o := github.Options{
		API: w.API(), GraphQL: w.GraphQL(), Server: w.URL(), Repo: github.Repo{Owner: "acme", Name: "site"}, AppID: w.app, PrivateKey: w.key,
		Deadline: 5 * time.Second,
		Wait:     func(ctx context.Context, d time.Duration) error { w.waits = append(w.waits, d); return ctx.Err() },
	}
	for _, f := range change {
		f(&o)
	}
	c, err := github.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func fallback(w *world) func(*github.Options) {
	return func(o *github.Options) { o.AppID, o.PrivateKey, o.Token = 0, nil, w.StaticToken() }
}

func event(t *testing.T, e fakegithub.Event) github.Event {
	t.Helper()
	read, err := github.ReadEvent(e.Name, e.Payload)
	if err != nil {
		t.Fatal(err)
	}
	return read
}

// Every call, against GitHub's own descriptions, as an App and with the fallback token: what is asked is what GitHub knows,
// with the permissions that we have, and what was written is what is read.
func TestContract(t *testing.T) {
	for who, change := range map[string]func(*world) func(*github.Options){
		"app": func(*world) func(*github.Options) { return func(*github.Options) {} }, "fallback": fallback,
	} {
		t.Run(who, func(t *testing.T) {
			w := newWorld(t)
			c := w.client(t, change(w))
			walkIssue(t, w, c)
			walkPull(t, w, c)
		})
	}
}

func walkIssue(t *testing.T, w *world, c *github.Client) {
	ctx := t.Context()
	number := w.repo.Issue("eve", "A title", "The document.")
	e := event(t, w.repo.Comment(number, "ann", "/ask why"))
	for login, want := range map[string]github.Level{"ann": github.Write, "eve": github.Read, "nobody": github.None, w.bot: github.None} {
		p, err := c.Permission(ctx, login)
		if err != nil || p.Level != want && login != w.bot || login == "ann" && p.ID != e.Sender.ID {
			t.Errorf("%s has %+v, %v", login, p, err)
		}
	}
	f, err := c.Look(ctx, e)
	if err != nil {
		t.Fatal(err)
	}
	if f.DefaultBranch != "main" || len(f.DefaultOID) != 40 || string(f.Policy) != "agent: demo\n" || f.Document.Body != "The document." || f.Document.Author != "eve" ||
		f.Comment == nil || f.Comment.Body != "/ask why" || f.Comment.Author != "ann" || f.Comment.Ours || f.Title != "A title" || f.Head != nil || f.Closed || f.Locked {
		t.Errorf("%+v", f)
	}
	if err := errors.Join(c.Eyes(ctx, e.Comment.NodeID), c.Eyes(ctx, e.Comment.NodeID)); err != nil {
		t.Error(err)
	}
	if now := w.repo.Thread(number); len(now[len(now)-1].Reactions) != 1 {
		t.Errorf("twice is not once: %+v", now)
	}
	writeAndRead(t, c, number, 0, f.Viewer)

	// What we edit is known as ours, by the login that REST and GraphQL agree on.
	if stands, err := c.SetBody(ctx, number, "The document.", "A <new> document.\n"); err != nil || stands != w.repo.Body(number) {
		t.Errorf("%q, %v", stands, err)
	}
	if body, err := c.Body(ctx, number); err != nil || body != w.repo.Body(number) {
		t.Errorf("%q, %v", body, err)
	}
	if f, err = c.Look(ctx, e); err != nil || f.Document.Editor != f.Viewer || f.Document.Edited.IsZero() {
		t.Errorf("%+v, %v", f, err)
	}
	w.repo.DeleteComment(e.Comment.ID)
	if f, err = c.Look(ctx, e); err != nil || f.Comment != nil || f.Title == "" {
		t.Errorf("after the command was deleted: %+v, %v", f, err)
	}
	if err := c.Eyes(ctx, e.Comment.NodeID); kind(err) != github.Gone {
		t.Errorf("eyes on what was deleted: %v", err)
	}
	if _, err := c.Comment(ctx, github.Ref{ID: e.Comment.ID}); kind(err) != github.Gone {
		t.Errorf("reading what was deleted: %v", err)
	}
	e.Number = 9999
	if _, err = c.Look(ctx, e); kind(err) != github.Gone {
		t.Errorf("looking at no issue: %v", err)
	}
}

func walkPull(t *testing.T, w *world, c *github.Client) {
	ctx := t.Context()
	number := w.repo.Pull("eve", "A change", "Its description.", "feature", map[string]string{"a.go": "package a\n"})
	talk := event(t, w.repo.Comment(number, "ann", "/ask why"))
	line := event(t, w.repo.ReviewComment(number, "ann", "/ask this line", "a.go", 0))
	reply := event(t, w.repo.ReviewComment(number, "ann", "/ask again", "a.go", line.Comment.ID))
	review := event(t, w.repo.Review(number, "ann", "/ask all"))
	for _, e := range []github.Event{talk, line, reply, review} {
		f, err := c.Look(ctx, e)
		if err != nil || f.Comment == nil || f.Comment.Body != e.Comment.Body || f.Head == nil || f.Head.Branch != "feature" || f.Head.BaseBranch != "main" ||
			f.Head.Fork || f.Head.Repo.String() != "acme/site" || f.Head.Since.IsZero() || f.Head.Committed.IsZero() {
			t.Errorf("surface %d: %+v %+v, %v", e.Surface, f, f.Head, err)
			continue
		}
		if e.Surface == github.OnLine && e.Comment.ReplyTo != 0 && (f.Parent == nil || f.Parent.Body != "/ask this line") {
			t.Errorf("the parent is %+v", f.Parent)
		}
		if err := c.Eyes(ctx, e.Comment.NodeID); err != nil {
			t.Errorf("surface %d: %v", e.Surface, err)
		}
	}
	writeAndRead(t, c, number, 0, "")
	writeAndRead(t, c, number, line.Comment.ID, "")
	w.repo.WithoutChecks()
	before := time.Time{}
	if f, err := c.Look(ctx, talk); err != nil || f.Head == nil || !f.Head.Since.Equal(before) {
		t.Errorf("without checks: %+v, %v", f.Head, err)
	}
	w.repo.ForcePush(number, map[string]string{"a.go": "package b\n"})
	if f, err := c.Look(ctx, talk); err != nil || f.Head == nil || f.Head.Since.IsZero() {
		t.Errorf("after a forced push: %+v, %v", f.Head, err)
	}
	w.repo.State(number, true, true, true)
	if f, err := c.Look(ctx, talk); err != nil || !f.Closed || !f.Locked || !f.Head.Merged {
		t.Errorf("after the merge: %+v, %v", f, err)
	}
	fork := w.repo.Pull("eve", "From a fork", "", "eve/site:patch", map[string]string{"b.go": "package b\n"})
	e := event(t, w.repo.Comment(fork, "ann", "/ask why"))
	if f, err := c.Look(ctx, e); err != nil || !f.Head.Fork || f.Head.Repo.String() != "eve/site" {
		t.Errorf("a fork: %+v, %v", f.Head, err)
	}
}

// writeAndRead posts, edits, reads and lists comments of a thread.
func writeAndRead(t *testing.T, c *github.Client, number int, thread int64, viewer string) {
	t.Helper()
	ctx := t.Context()
	p, err := c.Post(ctx, number, thread, "<!-- mark --> one\r\ntwo")
	if err != nil || p.ID == 0 || p.Body != "<!-- mark --> one\r\ntwo" || p.Line != (thread != 0) || p.URL == "" || p.Created.IsZero() || viewer != "" && p.Author != viewer {
		t.Errorf("posted %+v, %v", p, err)
	}
	edited, err := c.EditComment(ctx, p.Ref, p.Body, "édité")
	if err != nil || edited.Body != "édité" || edited.Ref != p.Ref {
		t.Errorf("edited %+v, %v", edited, err)
	}
	if read, err := c.Comment(ctx, p.Ref); err != nil || read != edited {
		t.Errorf("read %+v, not %+v, %v", read, edited, err)
	}
	list, err := c.Comments(ctx, number, thread != 0, time.Time{})
	if err != nil || !slices.Contains(list, edited) {
		t.Errorf("listed %+v, %v", list, err)
	}
	if list, err = c.Comments(ctx, number, thread != 0, p.Created.Add(time.Hour)); err != nil || len(list) != 0 {
		t.Errorf("later there are %+v, %v", list, err)
	}
	if _, err := c.Post(ctx, number, thread, strings.Repeat("x", 70_000)); kind(err) != github.Invalid {
		t.Errorf("too long a comment: %v", err)
	}
}

func kind(err error) github.Kind {
	var e *github.Error
	if !errors.As(err, &e) {
		return github.Other
	}
	return e.Kind
}

// The list is whole however small GitHub's pages are (F-62).
func TestContractPages(t *testing.T) {
	w := newWorld(t)
	w.PageSize(2)
	number := w.repo.Issue("eve", "t", "b")
	for range 5 {
		w.repo.Comment(number, "ann", "x")
	}
	if list, err := w.client(t).Comments(t.Context(), number, false, time.Time{}); err != nil || len(list) != 5 {
		t.Errorf("%d comments, %v", len(list), err)
	}
}

// H7-01, H7-02, H7-06, F36 and the agent's token, on a GitHub that enforces them.
func TestContractTokens(t *testing.T) {
	w := newWorld(t)
	number := w.repo.Issue("eve", "t", "b")
	c := w.client(t)
	agent, _, err := c.AgentToken(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	weak := w.client(t, func(o *github.Options) { o.AppID, o.PrivateKey, o.Token = 0, nil, agent })
	if _, err := weak.Body(t.Context(), number); err != nil {
		t.Errorf("the agent cannot read: %v", err)
	}
	if _, err := weak.Post(t.Context(), number, 0, "x"); kind(err) != github.Forbidden || !strings.Contains(next(err), "permission for issues") {
		t.Errorf("the agent wrote: %v", err)
	}
	if err := weak.Eyes(t.Context(), event(t, w.repo.Comment(number, "ann", "x")).Comment.NodeID); kind(err) != github.Forbidden {
		t.Errorf("the agent reacted: %v", err)
	}
	for _, age := range []func(){func() { w.Advance(2 * time.Hour) }, w.Expire, func() { w.repo.Rename("acme/renamed") }} {
		if _, err := c.Post(t.Context(), number, 0, "x"); err != nil {
			t.Fatal(err)
		}
		age()
		if _, err := c.Post(t.Context(), number, 0, "x"); err != nil {
			t.Error(err)
		}
	}
	w.Expire()
	if _, err := c.Post(t.Context(), number, 0, "x"); err != nil {
		t.Errorf("a token has to be minted after a new name: %v", err)
	}
	late := w.client(t, func(o *github.Options) { o.RepoID = event(t, w.repo.Comment(number, "ann", "x")).RepoID })
	if _, err := late.Post(t.Context(), number, 0, "x"); err != nil {
		t.Errorf("the first token comes after a new name: %v", err)
	}
	w.repo.Rename("acme/site")
	for _, skew := range []time.Duration{-45 * time.Second, 45 * time.Second} {
		w.Skew(skew)
		if _, err := w.client(t).Body(t.Context(), number); err != nil {
			t.Errorf("clocks differ by %v: %v", skew, err)
		}
	}
	w.Skew(-5 * time.Minute)
	if _, err := w.client(t).Body(t.Context(), number); kind(err) != github.Unauthorized || !strings.Contains(next(err), "clock is 5m") {
		t.Errorf("a wrong clock: %v", err)
	}
	w.Skew(0)
	w.Grant(w.app, "issues", "read")
	if _, err := w.client(t).Body(t.Context(), number); kind(err) != github.Forbidden || !strings.Contains(err.Error(), "lacks issues: write") {
		t.Errorf("an App with too little: %v", err)
	}
	w.repo.Uninstall(w.app)
	if _, err := w.client(t).Body(t.Context(), number); kind(err) != github.Gone || !strings.Contains(err.Error(), "is not installed on acme/site") {
		t.Errorf("an App that is not installed: %v", err)
	}
	// The 404 of the installation is not one of the person (F-29).
	if p, err := w.client(t).Permission(t.Context(), "ann"); kind(err) != github.Gone || p != (github.Permission{}) {
		t.Errorf("ann's permission without an installation: %+v, %v", p, err)
	}
}

// next is the next step of a call that failed.
func next(err error) string {
	var e *github.Error
	if !errors.As(err, &e) {
		return ""
	}
	return e.Next
}

// S9: each fault at each request of a question is survived, and of a new comment it is survived or reported as it was.
func TestContractFaults(t *testing.T) {
	for fault := fakegithub.Fail500Before; fault <= fakegithub.Hang; fault++ {
		for k := 1; k <= 3; k++ {
			w := newWorld(t)
			number := w.repo.Issue("eve", "t", "b")
			short := func(o *github.Options) { o.Deadline = 300 * time.Millisecond }
			w.FaultAt(k, fault)
			if _, err := w.client(t, short).Body(t.Context(), number); err != nil {
				t.Errorf("fault %d at %d of a question: %v", fault, k, err)
			}
			w.Revive()
			w.FaultAt(k, fault)
			_, err := w.client(t, short).Post(t.Context(), number, 0, "x")
			var e *github.Error
			there := len(w.repo.Thread(number))
			switch {
			case err == nil && there == 1:
			case errors.As(err, &e) && e.Unsure && k == 3 && there <= 1:
			default:
				t.Errorf("fault %d at %d of a comment: %v, and %d are there", fault, k, err, there)
			}
		}
	}
}
