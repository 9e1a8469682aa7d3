package fakegithub

import (
	"testing"

	"github.com/d3mlabs/ai-flow/testsupport/webhooks"
)

// payloadOf reads a payload, having held it to the schema: what fails that fails the test in event already, so here it is
// held to it once more, as it is and without stand-ins, unless something is gone.
func payloadOf(t *testing.T, e Event, action string, whole bool) any {
	t.Helper()
	if whole {
		webhooks.Validate(t, e.Name, action, e.Payload)
	}
	v, err := decode(e.Payload)
	if err != nil {
		t.Fatal(err)
	}
	if at(v, "action") != action || at(v, "repository", "full_name") != "acme/rocket" || at(v, "organization", "login") != "acme" || at(v, "installation") != nil {
		t.Errorf("%s: %s", e.Name, e.Payload)
	}
	return v
}

func TestEvents(t *testing.T) {
	l := newLab(t)
	e := l.repo.Comment(l.issue, "ann", "/ask why?")
	v := payloadOf(t, e, "created", true)
	if e.Name != "issue_comment" || at(v, "comment", "id") != float64(e.ID) || at(v, "comment", "body") != "/ask why?" || at(v, "comment", "user", "login") != "ann" ||
		at(v, "sender", "type") != "User" || at(v, "comment", "author_association") != "COLLABORATOR" || at(v, "issue", "pull_request") != nil ||
		at(v, "issue", "number") != float64(l.issue) || at(v, "issue", "body") != "A body" || at(v, "comment", "node_id") != l.repo.mustText(comment, e.ID).node() ||
		at(v, "comment", "performed_via_github_app") != nil {
		t.Errorf("on an issue: %s", e.Payload)
	}

	e = l.repo.Comment(l.pull, "ann", "/ask why?")
	if v = payloadOf(t, e, "created", true); e.Name != "issue_comment" || at(v, "issue", "pull_request", "url") != l.API()+"/repos/acme/rocket/pulls/2" {
		t.Errorf("on a pull request: %s", e.Payload)
	}

	first := l.repo.ReviewComment(l.pull, "ann", "one", "b.txt", 0)
	v = payloadOf(t, first, "created", true)
	if first.Name != "pull_request_review_comment" || at(v, "comment", "in_reply_to_id") != nil || at(v, "comment", "path") != "b.txt" || at(v, "comment", "diff_hunk") == "" ||
		at(v, "pull_request", "head", "sha") != l.repo.must(l.pull).pull.headOID || at(v, "pull_request", "head", "repo", "full_name") != "bob/rocket" {
		t.Errorf("on a line: %s", first.Payload)
	}
	e = l.repo.ReviewComment(l.pull, "ann", "two", "b.txt", first.ID)
	if v = payloadOf(t, e, "created", true); at(v, "comment", "in_reply_to_id") != float64(first.ID) {
		t.Errorf("a reply: %s", e.Payload)
	}

	e = l.repo.Review(l.pull, "ann", "/ask why?")
	v = payloadOf(t, e, "submitted", true)
	if e.Name != "pull_request_review" || at(v, "review", "body") != "/ask why?" || at(v, "review", "state") != "commented" || at(v, "review", "submitted_at") == nil {
		t.Errorf("a review: %s", e.Payload)
	}
	e = l.repo.Review(l.pull, "ann", "")
	if body, said := at(payloadOf(t, e, "submitted", true), "review").(map[string]any)["body"]; body != nil || !said {
		t.Errorf("a review without a summary: %s", e.Payload)
	}
}

func TestEventsOfBotsAndApps(t *testing.T) {
	l := newLab(t)
	_, _, login := l.App("helper")
	e := l.repo.Comment(l.issue, login, "beep")
	v := payloadOf(t, e, "created", true)
	if login != "helper[bot]" || at(v, "comment", "user", "login") != login || at(v, "comment", "user", "type") != "Bot" || at(v, "sender", "type") != "Bot" ||
		at(v, "comment", "performed_via_github_app", "slug") != "helper" {
		t.Errorf("a bot: %s", e.Payload)
	}
	e = l.repo.CommentVia(l.issue, "ann", "helper", "/ask why?")
	if v = payloadOf(t, e, "created", true); at(v, "comment", "user", "type") != "User" || at(v, "comment", "performed_via_github_app", "slug") != "helper" {
		t.Errorf("a person by way of an App: %s", e.Payload)
	}
	e = l.repo.Comment(l.issue, "acme", "an organisation")
	if v = payloadOf(t, e, "created", true); at(v, "comment", "user", "type") != "Organization" {
		t.Errorf("an organisation: %s", e.Payload)
	}
}

// An account or a fork that is gone is null, which the schema of webhooks does not know and GitHub sends all the same.
func TestEventsOfWhatIsGone(t *testing.T) {
	l := newLab(t)
	events := []Event{
		l.repo.Comment(l.issue, "ann", "one"), l.repo.ReviewComment(l.pull, "ann", "two", "b.txt", 0), l.repo.Review(l.pull, "ann", "three"),
	}
	l.Delete("ann")
	l.repo.DeleteHead(l.pull)
	for i, part := range []string{"comment", "comment", "review"} {
		e := l.repo.Event(events[i].ID)
		v := payloadOf(t, e, map[string]string{"comment": "created", "review": "submitted"}[part], false)
		if user, said := at(v, part).(map[string]any)["user"]; user != nil || !said || at(v, "sender", "login") != "ghost" || e.Name != events[i].Name {
			t.Errorf("%s of a deleted account: %s", part, e.Payload)
		}
		if pull := at(v, "pull_request"); pull != nil && (at(pull, "head", "repo") != nil || at(pull, "head", "sha") == "") {
			t.Errorf("a fork that is gone: %s", e.Payload)
		}
	}
}

// What is judged is judged: a payload that lacks something does not pass.
func TestPayloadThatIsNotSound(t *testing.T) {
	l := newLab(t)
	e := l.repo.Comment(l.issue, "ann", "one")
	for _, part := range []string{"sender", "repository", "issue"} {
		v, err := decode(e.Payload)
		if err != nil {
			t.Fatal(err)
		}
		delete(v.(map[string]any), part)
		if l.sound(e.Name, "created", encode(v)) == nil {
			t.Errorf("without %s", part)
		}
	}
	if l.sound(e.Name, "created", []byte("{")) == nil {
		t.Error("no JSON")
	}
}

func TestEventOfWhatChanged(t *testing.T) {
	l := newLab(t)
	e := l.repo.Comment(l.pull, "ann", "one")
	l.repo.EditComment(e.ID, "ann", "another")
	l.repo.State(l.pull, true, true, true)
	l.repo.Private()
	v := payloadOf(t, l.repo.Event(e.ID), "created", true)
	if at(v, "comment", "body") != "another" || at(v, "comment", "updated_at") == at(v, "comment", "created_at") || at(v, "issue", "state") != "closed" ||
		at(v, "issue", "locked") != true || at(v, "issue", "pull_request", "merged_at") == nil || at(v, "repository", "private") != true {
		t.Errorf("%v", v)
	}
}
