package dispatch

import (
	"strings"
	"testing"
	"time"

	"github.com/d3mlabs/ai-flow/commands"
	"github.com/d3mlabs/ai-flow/commands/github"
)

var given = time.Date(2026, 3, 4, 10, 0, 0, 0, time.UTC)

// question is a /ask by ann, who may write, on an issue; stories change one thing of it.
func question() (github.Event, Knowledge) {
	ann := github.Account{Login: "ann", ID: 7}
	e := github.Event{Surface: github.OnIssue, Repo: github.Repo{Owner: "acme", Name: "app"}, Number: 3, Sender: ann,
		Comment: github.Comment{ID: 100, Author: ann, Association: "MEMBER", Created: given}}
	k := Knowledge{Author: github.Permission{Level: github.Write, ID: 7}, Command: commands.Ask,
		Facts: github.Facts{Viewer: "ai-flow[bot]", DefaultOID: strings.Repeat("a", 40), Comment: &github.Text{}}}
	return e, k
}

func onPull(e *github.Event, k *Knowledge) {
	e.Surface = github.OnPull
	k.Facts.Head = &github.Head{Repo: e.Repo, Branch: "topic", OID: strings.Repeat("b", 40), BaseBranch: "main"}
}

func fromFork(e *github.Event, k *Knowledge) {
	onPull(e, k)
	k.Facts.Head.Repo, k.Facts.Head.Fork = github.Repo{Owner: "someone", Name: "app"}, true
}

// TestS4_Gate changes one thing about a command that is admitted, and says what becomes of it (F-29, F-30, F-32, F-38, H3-05).
func TestS4_Gate(t *testing.T) {
	const silent, told = Deny, Refuse
	tests := []struct {
		name    string
		change  func(*github.Event, *Knowledge)
		want    Verdict
		because string // part of the reason
		trusted bool   // of Admit
	}{
		{"a writer asks", func(*github.Event, *Knowledge) {}, Admit, "", true},
		{"an admin asks", func(_ *github.Event, k *Knowledge) { k.Author.Level = github.Admin }, Admit, "", true},
		{"a reader who is a member (F-29)", func(_ *github.Event, k *Knowledge) { k.Author.Level = github.Read }, silent, "may not write", false},
		{"an owner by association alone", func(e *github.Event, k *Knowledge) { e.Comment.Association, k.Author = "OWNER", github.Permission{} }, silent, "may not write", false},
		{"a writer whose association says nothing", func(e *github.Event, _ *Knowledge) { e.Comment.Association = "NONE" }, Admit, "", true},
		{"a look-up that failed", func(_ *github.Event, k *Knowledge) { k.Author = github.Permission{} }, silent, "may not write", false},
		{"a bot", func(e *github.Event, _ *Knowledge) { e.Comment.Author.Bot = true }, silent, "not a person", false},
		{"a bot that says it is a user", func(e *github.Event, _ *Knowledge) { e.Comment.Author.Login = "Renovate[Bot]" }, silent, "not a person", false},
		{"ourselves, in another case", func(e *github.Event, k *Knowledge) { k.Facts.Viewer, e.Comment.Author.Login = "Flow-User", "flow-USER" }, silent, "our own", false},
		{"our App for a person", func(e *github.Event, _ *Knowledge) { e.Comment.App = "ai-flow" }, silent, "our own", false},
		{"another App for a person", func(e *github.Event, _ *Knowledge) { e.Comment.App = "slack" }, Admit, "", true},
		{"a person who has our App's name", func(e *github.Event, _ *Knowledge) { e.Comment.Author.Login = "ai-flow" }, Admit, "", true},
		{"a ghost", func(e *github.Event, _ *Knowledge) { e.Comment.Author = github.Account{} }, silent, "gone", false},
		{"an author without a number", func(e *github.Event, _ *Knowledge) { e.Comment.Author.ID = 0 }, silent, "gone", false},
		{"sent by somebody else", func(e *github.Event, _ *Knowledge) { e.Sender = github.Account{Login: "eve", ID: 9} }, silent, "sent by", false},
		{"a login that changed hands", func(_ *github.Event, k *Knowledge) { k.Author.ID = 8 }, silent, "another account", false},
		{"run again by the author, in another case", func(_ *github.Event, k *Knowledge) { k.Rerunner = "ANN" }, Admit, "", true},
		{"run again by a reader", func(_ *github.Event, k *Knowledge) { k.Rerunner, k.Rerun.Level = "rob", github.Read }, silent, "started this attempt", false},
		{"run again by a writer", func(_ *github.Event, k *Knowledge) { k.Rerunner, k.Rerun.Level = "wil", github.Write }, Admit, "", true},
		{"deleted", func(_ *github.Event, k *Knowledge) { k.Facts.Comment = nil }, silent, "deleted", false},
		{"changed (H1-06)", func(_ *github.Event, k *Knowledge) { k.Changed = true }, told, "changed after it was given", false},

		{"a description edited before", func(_ *github.Event, k *Knowledge) { editedBy(k, "eve", -time.Second) }, Admit, "", true},
		{"a description edited after by a stranger (F-30)", func(_ *github.Event, k *Knowledge) { editedBy(k, "eve", time.Second) }, told, `"eve"`, false},
		{"edited in the same second", func(_ *github.Event, k *Knowledge) { editedBy(k, "eve", 0) }, told, `"eve"`, false},
		{"edited after by nobody known", func(_ *github.Event, k *Knowledge) { editedBy(k, "", time.Second) }, told, "somebody", false},
		{"edited after by a writer", func(_ *github.Event, k *Knowledge) {
			editedBy(k, "wil", time.Second)
			k.Editor.Level = github.Write
		}, Admit, "", true},
		{"edited after by us", func(_ *github.Event, k *Knowledge) { editedBy(k, "ai-flow[bot]", time.Second) }, Admit, "", true},
		{"edited after by a person who has our App's name", func(_ *github.Event, k *Knowledge) { editedBy(k, "ai-flow", time.Second) }, told, `"ai-flow"`, false},

		{"a pull request of this repository", onPull, Admit, "", true},
		{"a pull request without a head", func(e *github.Event, _ *Knowledge) { e.Surface = github.OnPull }, told, "head", false},
		{"merged (F-38)", func(e *github.Event, k *Knowledge) { onPull(e, k); k.Facts.Head.Merged, k.Facts.Closed = true, true }, told, "merged", false},
		{"closed", func(e *github.Event, k *Knowledge) { onPull(e, k); k.Facts.Closed = true }, told, "closed", false},
		{"locked", func(e *github.Event, k *Knowledge) { onPull(e, k); k.Facts.Locked = true }, told, "locked", false},
		{"a closed issue", func(_ *github.Event, k *Knowledge) { k.Facts.Closed = true }, Admit, "", true},
		{"/ask on a fork's head", fromFork, Admit, "", false},
		{"/build on a fork's head (F-02)", func(e *github.Event, k *Knowledge) { fromFork(e, k); k.Command = commands.Build }, told, "someone/app", false},
		{"/build on the head of a fork that is gone", func(e *github.Event, k *Knowledge) {
			fromFork(e, k)
			k.Facts.Head.Repo, k.Command = github.Repo{}, commands.Build
		}, told, "gone", false},
		{"a fork's head seen before", func(e *github.Event, k *Knowledge) { fromFork(e, k); k.Facts.Head.Since = given.Add(-time.Second) }, Admit, "", false},
		{"a fork's head seen after (H3-05)", func(e *github.Event, k *Knowledge) { fromFork(e, k); k.Facts.Head.Since = given.Add(2 * time.Second) }, told, "moved", false},
		{"a fork's head that says it is younger", func(e *github.Event, k *Knowledge) { fromFork(e, k); k.Facts.Head.Committed = given.Add(time.Hour) }, told, "moved", false},
		{"a fork's head that is not the event's", func(e *github.Event, k *Knowledge) { fromFork(e, k); e.HeadOID = strings.Repeat("c", 40) }, told, "moved", false},
		{"our own head moved", func(e *github.Event, k *Knowledge) { onPull(e, k); k.Facts.Head.Since = given.Add(time.Second) }, Admit, "", true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e, k := question()
			tt.change(&e, &k)
			d := Decide(e, k)
			if d.Verdict != tt.want || !strings.Contains(d.Reason, tt.because) || d.Trusted != tt.trusted {
				t.Errorf("%+v, want verdict %d because of %q, trusted %t", d, tt.want, tt.because, tt.trusted)
			}
			if (d.Refusal != nil) != (tt.want == Refuse) {
				t.Errorf("refusal %+v with verdict %d", d.Refusal, d.Verdict)
			}
			if d.Refusal != nil && d.Refusal.Next == "" {
				t.Error("a person is told no next step")
			}
		})
	}
}

func editedBy(k *Knowledge, who string, after time.Duration) {
	k.Facts.Document.Editor, k.Facts.Document.Edited = who, given.Add(after)
}

// TestS4_NothingKnownDenies: each zero value allows nothing.
func TestS4_NothingKnownDenies(t *testing.T) {
	if d := Decide(github.Event{}, Knowledge{}); d.Verdict != Deny {
		t.Errorf("the zero event with nothing known: %+v", d)
	}
	e, _ := question()
	if d := Decide(e, Knowledge{}); d.Verdict != Deny {
		t.Errorf("nothing known: %+v", d)
	}
}

// TestForeignNamesStayQuoted: a login or a repository name is the attacker's and goes to the run's page.
func TestForeignNamesStayQuoted(t *testing.T) {
	e, k := question()
	e.Comment.Author.Login, k.Author.Level = "eve\n::error::x", github.Read
	if d := Decide(e, k); strings.Contains(d.Reason, "\n") {
		t.Errorf("reason %q", d.Reason)
	}
	e, k = question()
	editedBy(&k, "eve`@all\n", time.Hour)
	if d := Decide(e, k); strings.Contains(d.Reason, "\n") {
		t.Errorf("reason %q", d.Reason)
	}
}
