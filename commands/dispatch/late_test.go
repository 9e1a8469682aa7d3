package dispatch

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/d3mlabs/ai-flow/testsupport/fakegithub"
)

// lateWriting lets the nth writing that ours knows meet a fault, and somebody write before it is sent again.
func (s *stage) lateWriting(nth int, ours func(*http.Request) bool, fault func(), meanwhile func()) (happened *bool) {
	n, done := 0, false
	s.hub.OnRequest(func(_ int, r *http.Request) {
		if r.Method != "PATCH" || !ours(r) {
			return
		}
		if n++; n == nth {
			fault()
			meanwhile()
			done = true
		}
	})
	return &done
}

func onComment(r *http.Request) bool { return strings.Contains(r.URL.Path, "/comments/") }

// delays are what makes a writing late; what did not reach a connection is in the client's own tests.
var delays = map[string]func(*stage) func(){
	"a limit":      func(s *stage) func() { return func() { s.hub.FaultAt(0, fakegithub.SecondaryLimit) } },
	"an old token": func(s *stage) func() { return s.hub.Expire },
}

// F3: a person adds to their comment while a writing of ours into it waits for its second sending.
func TestLateWritingKeepsAComment(t *testing.T) {
	for name, delay := range delays {
		for nth := 1; nth <= 2; nth++ {
			t.Run(fmt.Sprint(name, nth), func(t *testing.T) {
				s := newStage(t)
				e := s.repo.Comment(s.issue, "ann", "/ask a\n\n/ask b\n")
				happened := s.lateWriting(nth, onComment, delay(s), func() {
					s.repo.EditComment(e.ID, "ann", s.repo.CommentBody(e.ID)+"\nPS: written in that minute\n")
				})
				told := s.run(e)
				body := s.repo.CommentBody(e.ID)
				if !*happened || told.Err != nil || strings.Count(body, "PS: written in that minute") != 1 || !strings.Contains(body, "Answer 2.") || strings.Contains(body, "⏳") || strings.Count(body, "⚙️") != 1 {
					t.Errorf("%v, %v:\n%s", *happened, told.Err, body)
				}
			})
		}
	}
}

// F3: somebody works on the description while the writing of an edit into it waits for its second sending. What can be
// merged is, what cannot stays theirs.
func TestLateWritingKeepsADescription(t *testing.T) {
	for name, delay := range delays {
		for _, theirs := range []string{"# Plan, wholly rewritten\n", strings.Replace(description, "# Plan", "# The plan", 1)} {
			t.Run(name+" "+theirs, func(t *testing.T) {
				s := newStage(t)
				s.agent.edit = addition
				e := s.repo.Comment(s.issue, "ann", "/edit say how often\n")
				happened := s.lateWriting(1, func(r *http.Request) bool { return !onComment(r) }, delay(s), func() { s.repo.SetBody(s.issue, "ida", theirs) })
				told := s.run(e)
				body, merged := s.repo.Body(s.issue), addition(theirs)
				mergeable := strings.Contains(theirs, "We retry on 502.")
				switch {
				case !*happened:
					t.Error("nothing was late")
				case mergeable && body != merged || !mergeable && body != theirs:
					t.Errorf("%s:\n%s", told.Outcome.Result.Headline, body)
				case strings.Contains(s.thread(s.issue), "⏳"):
					t.Error(s.thread(s.issue))
				}
			})
		}
	}
}
