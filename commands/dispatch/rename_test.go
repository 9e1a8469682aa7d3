package dispatch

import (
	"strings"
	"testing"
	"time"

	"github.com/d3mlabs/ai-flow/executor"
)

// F14: a repository that gets another name during a run keeps its result, also when a token has to be
// minted after that; and the job that always runs finds nothing left to do.
func TestRepositoryIsRenamed(t *testing.T) {
	for name, life := range map[string]time.Duration{"one token": time.Hour, "a token for each call": 5 * time.Minute} {
		for _, comment := range []string{"/ask how?\n", "/edit say how often\n"} {
			t.Run(name+" "+comment, func(t *testing.T) {
				s := newStage(t)
				s.hub.TokenLife(life)
				if strings.HasPrefix(comment, "/edit") {
					s.agent.edit = addition
				}
				e := s.repo.Comment(s.issue, "ann", comment)
				s.agent.before = func(executor.Task) { s.repo.Rename("acme/new") }
				told := s.run(e)
				thread := s.thread(s.issue)
				if told.Err != nil || strings.Contains(thread, "⏳") || strings.Count(thread, "⚙️") != 1 || (s.repo.Body(s.issue) == addition(description)) != (s.agent.edit != nil) {
					t.Errorf("%v\n%s", told.Err, thread)
				}
				if did, err := s.job(e).Finalize(t.Context(), EndedFailure); err != nil || s.thread(s.issue) != thread {
					t.Errorf("the finaliser: %q, %v\n%s", did, err, s.thread(s.issue))
				}
			})
		}
	}
}
