package github

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/d3mlabs/ai-flow/testsupport/webhooks"
)

// checkEvent holds what whoever gets an event relies on.
func checkEvent(t *testing.T, e Event) {
	t.Helper()
	for what, ok := range map[string]bool{
		"surface":  e.Surface >= OnIssue && e.Surface <= OnReview,
		"number":   e.Number > 0 && e.Number <= 1<<31-1,
		"owner":    e.Repo.Owner != "" && !strings.ContainsAny(e.Repo.Owner, "/.%?#\\ \n"),
		"name":     e.Repo.Name != "" && e.Repo.Name != "." && e.Repo.Name != ".." && !strings.ContainsAny(e.Repo.Name, "/%?#\\ \n"),
		"id":       e.RepoID >= 0 && e.Comment.ID > 0 && e.Comment.NodeID != "",
		"reply":    e.Comment.ReplyTo >= 0 && e.Comment.ReplyTo != e.Comment.ID && (e.Comment.ReplyTo == 0 || e.Surface == OnLine),
		"line":     e.Surface == OnLine || e.Comment.Path+e.Comment.Hunk == "",
		"head":     e.HeadOID == "" || len(e.HeadOID) >= 40 && e.Surface >= OnLine,
		"url":      e.Comment.URL == "" || strings.HasPrefix(strings.ToLower(e.Comment.URL), "http"),
		"accounts": (e.Comment.Author.Login == "") == (e.Comment.Author.ID == 0) && (e.Sender.Login == "") == (e.Sender.ID == 0),
		"login":    !strings.ContainsAny(e.Comment.Author.Login+e.Sender.Login, "/.%?#\\ \n\r"),
		"of texts": utf8.ValidString(e.Comment.Body + e.Title + e.Comment.Path),
		"relation": e.Comment.Association != "" && strings.Trim(e.Comment.Association, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_") == "",
	} {
		if !ok {
			t.Errorf("the %s of %+v", what, e)
		}
	}
}

func FuzzReadEvent(f *testing.F) {
	for i, c := range commandEvents {
		for _, payload := range webhooks.Examples(f, c.name, "") {
			f.Add(uint8(i), payload)
		}
	}
	f.Add(uint8(0), []byte(small(`,"user":{"login":"x[bot]","id":1},"performed_via_github_app":{}`, `,"pull_request":{}`, "")))
	f.Fuzz(func(t *testing.T, event uint8, payload []byte) {
		e, err := ReadEvent(commandEvents[int(event)%len(commandEvents)].name, payload)
		switch {
		case err == nil:
			checkEvent(t, e)
		case e != (Event{}):
			t.Errorf("an error and %+v", e)
		case len(err.Error()) > 700 && !errors.Is(err, ErrNotForUs):
			t.Errorf("an error of %d bytes", len(err.Error()))
		}
	})
}
