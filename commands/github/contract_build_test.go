package github_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/d3mlabs/ai-flow/commands/github"
	"github.com/d3mlabs/ai-flow/testsupport/fakegithub"
)

// Every call of a build, against GitHub's own descriptions, as an App and with the fallback token.
func TestContractBuild(t *testing.T) {
	for who, change := range map[string]func(*world) func(*github.Options){
		"app": func(*world) func(*github.Options) { return func(*github.Options) {} }, "fallback": fallback,
	} {
		t.Run(who, func(t *testing.T) {
			w := newWorld(t)
			c := w.client(t, change(w))
			walkBuild(t, w, c)
			walkFeedback(t, w, c)
		})
	}
}

func walkBuild(t *testing.T, w *world, c *github.Client) {
	ctx := t.Context()
	number := w.repo.Issue("eve", "A title", "The document.")
	prefix := fmt.Sprintf("ai/%d-", number)
	for _, name := range []string{"x/" + prefix + "y", strings.ToUpper(prefix) + "z", "ai/9" + prefix} {
		w.repo.Branch(name, map[string]string{"other.go": "package other\n"})
	}
	b, err := c.Builds(ctx, prefix)
	if err != nil || len(b.Branches) != 0 || b.DefaultBranch != "main" || b.DefaultOID != w.repo.Tip("main") || b.Visibility != github.Public || b.Blocked != "" || b.Archived {
		t.Fatalf("%+v, %v", b, err)
	}
	name := prefix + `a-"quoted"'name`
	tip := w.repo.Commit(name, "ann@example.com", "One\n\nTwo", map[string]string{"a.go": "package a\n"})
	want := github.NewPull{Title: `A "title"`, Body: "Closes acme/site#1", Head: name, Base: "main"}
	opened, err := c.OpenPull(ctx, want)
	if err != nil || opened.Number == 0 || opened.Title != want.Title || opened.Base != "main" || opened.HeadOID != tip || !opened.Ours || opened.Body != want.Body || opened.Closed || opened.Fork || opened.URL == "" {
		t.Fatalf("%+v, %v", opened, err)
	}
	if _, err := c.OpenPull(ctx, want); kind(err) != github.Invalid || !strings.Contains(err.Error(), "already exists") {
		t.Errorf("a second one: %v", err)
	}
	w.repo.Pull("eve", "Of the same name", "", "eve/site:"+name, map[string]string{"b.go": "package b\n"})
	stands(t, w, c, prefix, name, opened)
	w.repo.ClosePull(opened.Number)
	opened.Closed = true
	stands(t, w, c, prefix, name, opened)
	w.repo.State(opened.Number, true, true, false)
	opened.Merged = true
	stands(t, w, c, prefix, name, opened)
	for login, kinds := range map[string]github.Kind{"ann": github.Other, "eve": github.Invalid, "nobody": github.Invalid} {
		if err := c.Assign(ctx, opened.Number, login); (err == nil) != (login == "ann") || err != nil && kind(err) != kinds {
			t.Errorf("assigning %s: %v", login, err)
		}
	}
	if pulls := w.repo.Pulls(); !slices.Equal(pulls[0].Assignees, []string{"ann"}) {
		t.Errorf("%+v", pulls[0])
	}
	w.repo.Protect(name)
	for branch, want := range map[string]bool{name: true, "main": false, "x/" + prefix + "y": false} {
		if is, err := c.Protected(ctx, branch); err != nil || is != want {
			t.Errorf("%q is protected: %t, %v", branch, is, err)
		}
	}
	if _, err := c.Protected(ctx, prefix+"none"); kind(err) != github.Gone {
		t.Errorf("no branch: %v", err)
	}
	mayPush(t, c, map[string]github.Barrier{name: github.IsProtected, "main": github.IsDefault, "x/" + prefix + "y": github.Free, prefix + "none": github.Free})
	if f, err := c.Look(ctx, event(t, w.repo.Comment(opened.Number, "ann", "/build"))); err != nil || f.ViewerID <= 0 || len(f.Head.BaseOID) != 40 || f.Document.Author != f.Viewer {
		t.Errorf("%+v %+v, %v", f, f.Head, err)
	}
}

func mayPush(t *testing.T, c *github.Client, want map[string]github.Barrier) {
	t.Helper()
	for branch, barrier := range want {
		if got, err := c.Pushable(t.Context(), branch); err != nil || got != barrier {
			t.Errorf("%q: %d, not %d, %v", branch, got, barrier, err)
		}
	}
}

// S8: what stands in the way of a push is what does so by now, not when the build was planned.
func TestContractPushable(t *testing.T) {
	w := newWorld(t)
	w.repo.Branch("ai/1-x", map[string]string{"a.go": "package a\n"})
	c := w.client(t)
	mayPush(t, c, map[string]github.Barrier{"ai/1-x": github.Free, "main": github.IsDefault})
	w.repo.Default("ai/1-x")
	mayPush(t, c, map[string]github.Barrier{"ai/1-x": github.IsDefault, "main": github.Free})
	if b, err := c.Builds(t.Context(), "ai/1-"); err != nil || b.DefaultBranch != "ai/1-x" || b.DefaultOID != w.repo.Tip("ai/1-x") {
		t.Errorf("%+v, %v", b, err)
	}
	w.repo.Protect("main")
	mayPush(t, c, map[string]github.Barrier{"main": github.IsProtected})
	w.repo.Archive()
	mayPush(t, c, map[string]github.Barrier{"main": github.IsArchived, "ai/1-x": github.IsArchived, "none": github.IsArchived})
}

// A branch called ai keeps git from making one in a folder called ai.
func TestContractBlocked(t *testing.T) {
	w := newWorld(t)
	w.repo.Branch("ai", map[string]string{"a.go": "package a\n"})
	w.repo.Internal()
	c := w.client(t)
	for prefix, want := range map[string]string{"ai/1-": "ai", "ai/site/1-": "ai", "ai": "", "a/1-": "", "AI/1-": ""} {
		if b, err := c.Builds(t.Context(), prefix); err != nil || b.Blocked != want || b.Visibility != github.Internal {
			t.Errorf("%q: %+v, %v", prefix, b, err)
		}
	}
	if f, err := c.Look(t.Context(), event(t, w.repo.Comment(w.repo.Issue("ann", "t", "b"), "ann", "/build"))); err != nil || f.Visibility != github.Internal {
		t.Errorf("%+v, %v", f, err)
	}
}

// A comment is found by its id, whatever it stands on: a commit of a build may name a command that was given elsewhere.
func TestContractCommentElsewhere(t *testing.T) {
	w := newWorld(t)
	pull := w.repo.Pull("eve", "t", "b", "feature", map[string]string{"a.go": "package a\n"})
	c := w.client(t)
	for line, e := range map[bool]github.Event{
		false: event(t, w.repo.Comment(w.repo.Issue("ann", "Another", "b"), "ann", "/build")), true: event(t, w.repo.ReviewComment(pull, "ann", "/build", "a.go", 0)),
	} {
		got, err := c.Comment(t.Context(), github.Ref{Line: line, ID: e.Comment.ID})
		if err != nil || !got.Created.Equal(e.Comment.Created) || got.Created.IsZero() || got.URL != e.Comment.URL || got.Author != "ann" {
			t.Errorf("line %t: %+v, %v", line, got, err)
		}
		if _, err := c.Comment(t.Context(), github.Ref{Line: !line, ID: e.Comment.ID}); kind(err) != github.Gone {
			t.Errorf("line %t: of the other kind: %v", line, err)
		}
	}
}

// stands expects a branch with one pull request, by both calls that tell of it.
func stands(t *testing.T, w *world, c *github.Client, prefix, name string, pull github.Pull) {
	t.Helper()
	b, err := c.Builds(t.Context(), prefix)
	if err != nil || len(b.Branches) != 1 || b.Branches[0].Name != name || !slices.Equal(b.Branches[0].Pulls, []github.Pull{pull}) {
		t.Fatalf("%+v, not %+v, %v", b, pull, err)
	}
	commits := b.Branches[0].Commits
	if len(commits) != 2 || commits[0].OID != w.repo.Tip(name) || strings.TrimSpace(commits[0].Message) != "One\n\nTwo" || commits[0].Email != "ann@example.com" || commits[0].Committed.IsZero() ||
		commits[1].OID != w.repo.Tip("main") {
		t.Errorf("%+v", commits)
	}
	if got, err := c.PullsOf(t.Context(), name); err != nil || !slices.Equal(got, []github.Pull{pull}) {
		t.Errorf("%+v, not %+v, %v", got, pull, err)
	}
}

func walkFeedback(t *testing.T, w *world, c *github.Client) {
	ctx := t.Context()
	number := w.repo.Pull("eve", "A change", "Its description.", "feature", map[string]string{"a.go": "package a\n"})
	w.repo.Commit("feature", "bob@example.com", "More", map[string]string{"b.go": "package b\n"})
	line := event(t, w.repo.ReviewComment(number, "ann", "Why?", "a.go", 0)).Comment.ID
	reply := event(t, w.repo.ReviewComment(number, "eve", "Because.", "a.go", line)).Comment.ID
	ours, err := c.Post(ctx, number, line, "Done.")
	if err != nil {
		t.Fatal(err)
	}
	w.repo.Outdate(line)
	done := event(t, w.repo.ReviewComment(number, "ann", "Typo", "b.go", 0)).Comment.ID
	w.repo.Resolve(done)
	review := event(t, w.repo.Review(number, "ann", "In all, fine.")).Comment.ID
	talk := event(t, w.repo.Comment(number, "eve", "And now?")).Comment.ID
	w.repo.EditComment(talk, "ann", "And now!")
	f, err := c.Feedback(ctx, number)
	if err != nil || len(f.Threads) != 1 || f.More != 0 || f.Older != 0 || len(f.Comments) != 2 || len(f.Commits) != 2 {
		t.Fatalf("%+v, %v", f, err)
	}
	thread := f.Threads[0]
	var ids []int64
	for _, r := range append(slices.Clone(thread.Comments), f.Comments...) {
		ids = append(ids, r.ID)
		if r.URL == "" || r.Created.IsZero() || r.Author == "" || r.Ours != (r.ID == ours.ID) {
			t.Errorf("%+v", r)
		}
	}
	if !slices.Equal(ids, []int64{line, reply, ours.ID, review, talk}) || thread.Path != "a.go" || thread.Line != 0 || !thread.Outdated || thread.Hunk == "" || thread.Omitted != 0 {
		t.Errorf("%v: %+v", ids, thread)
	}
	if last := f.Comments[1]; last.Body != "And now!" || last.Author != "eve" || last.Editor != "ann" || last.Edited.IsZero() {
		t.Errorf("%+v", last)
	}
	if f.Commits[0].OID != w.repo.Tip("feature") || f.Commits[0].Email != "bob@example.com" || f.Commits[1].Message == "" {
		t.Errorf("%+v", f.Commits)
	}
	issue := w.repo.Issue("eve", "t", "b")
	for _, none := range []int{issue, 9999} {
		if _, err := c.Feedback(ctx, none); kind(err) != github.Gone {
			t.Errorf("number %d: %v", none, err)
		}
	}
}

// F-40: threads beyond a page, on a GitHub that holds its cursors to their shape.
func TestContractThreads(t *testing.T) {
	w := newWorld(t)
	number := w.repo.Pull("eve", "t", "b", "feature", map[string]string{"a.go": "package a\n"})
	var open []int64
	for i := range 105 {
		id := event(t, w.repo.ReviewComment(number, "ann", fmt.Sprint("Comment ", i), "a.go", 0)).Comment.ID
		if i%4 == 0 {
			w.repo.Resolve(id)
			continue
		}
		open = append(open, id)
	}
	c := w.client(t)
	f, err := c.Feedback(t.Context(), number)
	var got []int64
	for _, thread := range f.Threads {
		got = append(got, thread.Comments[0].ID)
	}
	if err != nil || !slices.Equal(got, open) || f.More != 0 || len(c.Calls()) != 2+2 {
		t.Errorf("%d of %d threads, %d more in %d calls, %v", len(got), len(open), f.More, len(c.Calls()), err)
	}
	w.PageSize(10)
	if f, err = w.client(t).Feedback(t.Context(), number); err != nil || f.More != 0 || f.Unread != 5 || len(f.Threads) != 75 {
		t.Errorf("%d threads, %d unread, %v", len(f.Threads), f.Unread, err)
	}
}

// S8, F-18: what an App may do elsewhere is asked there, and a token of one repository opens no other.
func TestContractOtherRepository(t *testing.T) {
	w := newWorld(t)
	tool := w.Repo("other/tool", map[string]string{"go.mod": "module tool\n"})
	tool.Private()
	c := w.client(t)
	other, err := c.In(github.Repo{Owner: "other", Name: "tool"})
	if err != nil {
		t.Fatal(err)
	}
	if b, err := other.Builds(t.Context(), "ai/1-"); err != nil || b.Visibility != github.Private || b.DefaultOID != tool.Tip("main") {
		t.Errorf("%+v, %v", b, err)
	}
	push, err := other.PushToken(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	holder := func(name string) *github.Client {
		return w.client(t, func(o *github.Options) {
			o.AppID, o.PrivateKey, o.Token, o.Repo = 0, nil, push, github.Repo{Owner: "other", Name: name}
		})
	}
	if _, err := holder("tool").Protected(t.Context(), "main"); err != nil {
		t.Errorf("what it is for: %v", err)
	}
	if _, err := holder("tool").Post(t.Context(), 1, 0, "x"); err == nil {
		t.Error("a token to push wrote a comment")
	}
	secret := w.Repo("other/secret", map[string]string{"go.mod": "module secret\n"})
	secret.Private()
	if _, err := holder("secret").Protected(t.Context(), "main"); kind(err) != github.Gone {
		t.Errorf("another repository: %v", err)
	}
	tool.Uninstall(w.app)
	fresh, err := w.client(t).In(github.Repo{Owner: "other", Name: "tool"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := fresh.PushToken(t.Context()); kind(err) != github.Gone || !strings.Contains(err.Error(), "is not installed on other/tool") {
		t.Errorf("an App that is not installed: %v", err)
	}
	w.Grant(w.app, "contents", "read")
	if _, err := w.client(t).PushToken(t.Context()); err == nil || !strings.Contains(next(err), "contents: write") {
		t.Errorf("an App that may not push: %v", err)
	}
	if _, err := w.client(t).Builds(t.Context(), "ai/1-"); err != nil {
		t.Errorf("and that may ask: %v", err)
	}
}

// An adopter without an App meets this switch, which is off where an organisation has not touched it.
func TestContractActionsMayNotOpen(t *testing.T) {
	w := newWorld(t)
	w.repo.NoPullsByActions()
	w.repo.Branch("ai/1-x", map[string]string{"a.go": "package a\n"})
	_, err := w.client(t, fallback(w)).OpenPull(t.Context(), github.NewPull{Title: "t", Head: "ai/1-x", Base: "main"})
	if kind(err) != github.Forbidden || !strings.Contains(next(err), "Actions, General") {
		t.Errorf("%v, %q", err, next(err))
	}
}

// S9, H7-04: each fault at each call. A question is survived; a pull request is opened once or reported as it was, and
// PullsOf tells which; assigning twice is once.
func TestContractBuildFaults(t *testing.T) {
	for fault := fakegithub.Fail500Before; fault <= fakegithub.Hang; fault++ {
		w := newWorld(t)
		w.repo.Branch("ai/1-x", map[string]string{"a.go": "package a\n"})
		client := func() *github.Client {
			return w.client(t, func(o *github.Options) { o.Deadline = 300 * time.Millisecond })
		}
		for name, question := range map[string]struct {
			k   int // the call itself; before it come the installation, the token and who we are
			ask func(*github.Client) error
		}{
			"builds":    {3, func(c *github.Client) error { _, err := c.Builds(t.Context(), "ai/1-"); return err }},
			"protected": {3, func(c *github.Client) error { _, err := c.Protected(t.Context(), "ai/1-x"); return err }},
			"pushable":  {3, func(c *github.Client) error { _, err := c.Pushable(t.Context(), "ai/1-x"); return err }},
			"and a":     {4, func(c *github.Client) error { _, err := c.Pushable(t.Context(), "ai/1-x"); return err }},
			"viewer":    {3, func(c *github.Client) error { _, err := c.PullsOf(t.Context(), "ai/1-x"); return err }},
			"pulls":     {4, func(c *github.Client) error { _, err := c.PullsOf(t.Context(), "ai/1-x"); return err }},
			"push":      {2, func(c *github.Client) error { _, err := c.PushToken(t.Context()); return err }},
		} {
			before := len(w.Requests())
			w.FaultAt(question.k, fault)
			// Requests are counted where they arrive: of a question whose connection breaks the transport sends a second one by itself.
			if err := question.ask(client()); err != nil || len(w.Requests()) <= before+question.k {
				t.Errorf("fault %d of %s: %v after %d requests", fault, name, err, len(w.Requests())-before)
			}
			w.Revive()
		}
		w.FaultAt(3, fault)
		opensOnce(t, w, client(), fault)
	}
}

func opensOnce(t *testing.T, w *world, c *github.Client, fault fakegithub.Fault) {
	opened, err := c.OpenPull(t.Context(), github.NewPull{Title: "t", Head: "ai/1-x", Base: "main"})
	there, looked := c.PullsOf(t.Context(), "ai/1-x")
	var e *github.Error
	switch {
	case looked != nil || len(there) > 1 || len(there) == 1 && !there[0].Ours:
		t.Errorf("fault %d: %+v, %v", fault, there, looked)
	case err == nil && len(there) == 1 && there[0] == opened:
	case errors.As(err, &e) && e.Unsure && fault != fakegithub.SecondaryLimit:
	default:
		t.Errorf("fault %d: %v, and %d are there", fault, err, len(there))
	}
	if len(there) == 1 {
		w.FaultAt(1, fault)
		if err := c.Assign(t.Context(), there[0].Number, "ann"); err != nil || len(w.repo.Pulls()[0].Assignees) != 1 {
			t.Errorf("fault %d: %v, %+v", fault, err, w.repo.Pulls())
		}
	}
}
