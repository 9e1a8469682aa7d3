package dispatch

import (
	"fmt"
	"strings"
	"time"

	"github.com/d3mlabs/ai-flow/commands"
	"github.com/d3mlabs/ai-flow/commands/github"
)

// Verdict is the closed set of what the gate says.
type Verdict uint8

// The verdicts. The zero Verdict denies.
const (
	Deny   Verdict = iota // silence on the thread, one line on the run's page
	Refuse                // a person who may command is told why this is not done
	Admit
)

// Decision is what the gate decided and why.
type Decision struct {
	Verdict Verdict
	Reason  string            // ours, for the run's page; foreign names in it are quoted. "" for Admit
	Refusal *commands.Refusal // for Refuse: what the thread is told
	// Trusted, of Admit, says that everything which the agent is given was written, or pointed at, by people who may write.
	Trusted bool
}

// Knowledge is what the gate decides by: answers of GitHub. A question that was not asked, or that failed, leaves its zero
// value, which allows nothing.
type Knowledge struct {
	Author   github.Permission // of the comment's author
	Rerunner string            // who started this attempt of the run; "" when nobody says
	Rerun    github.Permission // of the Rerunner
	Editor   github.Permission // of who edited the document last
	Facts    github.Facts
	Command  commands.Command // the heaviest of the comment
	Changed  bool             // the command does not stand in the comment any more as it was given
}

// Prefilter denies what needs no question: an author who is no person, and our own hand. bot is our login, "" when it is not
// known. The author's association is not asked: members whose membership is private may come as NONE, so it would deny
// people who may write, and it never allows anything (F-29).
func Prefilter(e github.Event, bot string) Decision {
	author := e.Comment.Author
	switch {
	case author.Login == "" || author.ID == 0:
		return deny("the author's account is gone")
	case author.Bot || strings.HasSuffix(strings.ToLower(author.Login), "[bot]"):
		return deny("%q is not a person's account, and only people command (F-32)", author.Login)
	case bot != "" && (sameLogin(author.Login, bot) || e.Comment.App != "" && sameLogin(e.Comment.App+"[bot]", bot)):
		return deny("the comment is our own")
	case e.Sender.ID != 0 && e.Sender.ID != author.ID:
		return deny("the event was sent by %q and the comment is by %q", e.Sender.Login, author.Login)
	}
	return Decision{Verdict: Admit}
}

// Decide is the gate. It is pure; whatever is not known denies, and the first reason is given. Who may not command is told
// nothing; who may is told each reason on the thread.
func Decide(e github.Event, k Knowledge) Decision {
	if d := Prefilter(e, k.Facts.Viewer); d.Verdict != Admit {
		return d
	}
	if d := mayCommand(e, k); d.Verdict != Admit {
		return d
	}
	for _, rule := range []func(github.Event, Knowledge) Decision{asGiven, asPointedAt, openPull, unmovedHead} {
		if d := rule(e, k); d.Verdict != Admit {
			return d
		}
	}
	return Decision{Verdict: Admit, Trusted: k.Facts.Head == nil || !k.Facts.Head.Fork}
}

// mayCommand asks for write permission of the author, and of whoever runs the job again.
func mayCommand(e github.Event, k Knowledge) Decision {
	author := e.Comment.Author
	switch {
	case k.Author.Level < github.Write:
		return deny("%q may not write to %q", author.Login, e.Repo)
	case k.Author.ID != 0 && k.Author.ID != author.ID:
		return deny("the login %q belongs to another account by now", author.Login)
	case k.Rerunner != "" && !sameLogin(k.Rerunner, author.Login) && k.Rerun.Level < github.Write:
		return deny("%q, who started this attempt, may not write to %q", k.Rerunner, e.Repo)
	}
	return Decision{Verdict: Admit}
}

// asGiven refuses a command that does not stand in the comment any more: its author took it back, or meant another one.
func asGiven(_ github.Event, k Knowledge) Decision {
	switch {
	case k.Facts.Comment == nil:
		return deny("the comment was deleted before the run began")
	case k.Changed:
		return refuse("was changed after it was given, and a command counts as it was given", "Give it again in a new comment.")
	}
	return Decision{Verdict: Admit}
}

// asPointedAt refuses a document that became another one after the command, by a hand that may not write (F-30). Seconds are
// all that GitHub's times have, so the same second counts as after.
func asPointedAt(e github.Event, k Knowledge) Decision {
	d := k.Facts.Document
	if d.Edited.IsZero() || d.Edited.Before(e.Comment.Created) || k.Editor.Level >= github.Write {
		return Decision{Verdict: Admit}
	}
	if d.Editor != "" && sameLogin(d.Editor, k.Facts.Viewer) {
		return Decision{Verdict: Admit}
	}
	who := "somebody"
	if d.Editor != "" {
		who = fmt.Sprintf("%.40q", d.Editor)
	}
	return refuse(fmt.Sprintf("was given before the description was changed by %s, who may not write here", who),
		"Read what it says now, and give the command again in a new comment.")
}

// openPull refuses what cannot come to anything on a pull request.
func openPull(e github.Event, k Knowledge) Decision {
	head := k.Facts.Head
	if head == nil {
		if e.Surface != github.OnIssue {
			return refuse("needs the head of the pull request, and GitHub did not say what it is", "Give the command again in a new comment.")
		}
		return Decision{Verdict: Admit}
	}
	switch {
	case head.Merged:
		return refuse("works on open pull requests, and this one is merged", "Ask in an issue, or on the pull request that comes next.")
	case k.Facts.Closed:
		return refuse("works on open pull requests, and this one is closed", "Open it again, or ask in an issue.")
	case k.Facts.Locked:
		return refuse("works where people can answer, and this conversation is locked", "Unlock it, or ask in an issue.")
	case head.Fork && k.Command == commands.Build:
		return refuse(fmt.Sprintf("changes code, and this pull request comes from %s, which this run may not push to", fork(head)),
			"Its author can run it in the fork; /ask works here.")
	case k.Command == commands.Build && (head.Branch == "" || head.Branch == k.Facts.DefaultBranch):
		return refuse("changes code, and this pull request comes from the default branch, which this run never pushes to",
			"Open a pull request from another branch.")
	}
	return Decision{Verdict: Admit}
}

func fork(h *github.Head) string {
	if h.Repo == (github.Repo{}) {
		return "a fork that is gone"
	}
	return fmt.Sprintf("a fork (`%s`)", h.Repo)
}

// unmovedHead refuses a fork's head that was put there after the command: its owner has no write permission here, so nobody
// who has saw what would be read (H3-05). A head in this repository was put there by somebody who may write. Where GitHub's
// clock tells nothing, the commit's own date can only refuse: its author chooses it.
func unmovedHead(e github.Event, k Knowledge) Decision {
	head := k.Facts.Head
	if head == nil || !head.Fork {
		return Decision{Verdict: Admit}
	}
	late := func(t time.Time) bool { return !t.IsZero() && !t.Before(e.Comment.Created) }
	if e.HeadOID != "" && e.HeadOID != head.OID || late(head.Since) || late(head.Committed) {
		return refuse("was given before the pull request's head was moved by somebody who may not write here",
			"Look at the commits, and give the command again in a new comment.")
	}
	return Decision{Verdict: Admit}
}

func deny(format string, args ...any) Decision {
	return Decision{Reason: fmt.Sprintf(format, args...)}
}

func refuse(message, next string) Decision {
	return Decision{Verdict: Refuse, Reason: message, Refusal: &commands.Refusal{Message: message, Next: next}}
}

// sameLogin compares logins as GitHub does, which knows no case in them. The "[bot]" of a bot's counts: anybody may register
// the name without it.
func sameLogin(a, b string) bool { return a != "" && strings.EqualFold(a, b) }
