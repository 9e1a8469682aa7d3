package dispatch

import (
	"net/http"
	"strings"
	"testing"

	"github.com/aymanbagabas/go-udiff"

	"github.com/d3mlabs/ai-flow/render"
	"github.com/d3mlabs/ai-flow/testsupport/fakegithub"
)

// noPulls lets every opening of a pull request fail until it is revived.
func (s *stage) noPulls() {
	s.hub.OnRequest(func(_ int, r *http.Request) {
		if r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/pulls") {
			s.hub.FaultAt(0, fakegithub.Fail500Before)
		}
	})
}

func (s *stage) pullsAgain() {
	s.hub.OnRequest(nil)
	s.hub.Revive()
}

// An App that may not push is told before the agent has worked for nothing, and a re-run works once it may.
func TestBuildWithoutPermissionToPush(t *testing.T) {
	s := newStage(t)
	s.once(map[string]string{"retry.go": "package main\n"})
	s.hub.Grant(s.appID, "contents", "read")
	e := s.repo.Comment(s.issue, "ann", "/build\n")
	s.ends(s.run(e), render.Failed)
	s.oneResult("without permission")
	if len(s.agent.prompts()) != 0 {
		t.Error("the agent ran")
	}
	s.hub.Grant(s.appID, "contents", "write")
	s.ends(s.again(e), render.Done)
	s.oneResult("with permission")
	s.onlyPull()
}

// TestS9_PullThatCannotBeOpened: a branch whose pull request is not to be opened is told with its name, by the run itself, by a
// further attempt, and by the finaliser after a kill. Once it may be opened, a further attempt does, and the agent does not
// work again.
func TestS9_PullThatCannotBeOpened(t *testing.T) {
	const branch = "ai/1-retry-on-502"
	tests := []struct {
		name   string
		killed bool
		next   func(s *stage, e fakegithub.Event)
	}{
		{"the run", false, func(*stage, fakegithub.Event) {}},
		{"the run, and another one", false, func(s *stage, e fakegithub.Event) { s.again(e) }},
		{"the run, and the finaliser", false, func(s *stage, e fakegithub.Event) { s.lastWord(e) }},
		{"a run after one that was killed", true, func(s *stage, e fakegithub.Event) { s.again(e) }},
		{"the finaliser after a kill", true, func(s *stage, e fakegithub.Event) { s.lastWord(e) }},
		{"the finaliser after a kill, and a run", true, func(s *stage, e fakegithub.Event) { s.lastWord(e); s.again(e) }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t)
			e := builds()[0].begin(s)
			if tt.killed {
				s.disturbPush(e, 1, fakegithub.KillAfter)
				s.noPulls()
			} else {
				s.noPulls()
				s.ends(s.run(e), render.Failed)
			}
			tt.next(s, e)
			s.oneResult("without a pull request")
			contains(t, "the thread", s.thread(s.issue), branch, "could not be opened", "stage=unsure")
			s.pullsAgain()
			if told := s.again(e); told.Err != nil {
				t.Error(told.Err)
			}
			s.oneResult("in the end")
			contains(t, "the thread", s.lands(), "RESULT acted: opened [#2 ")
			if p := s.onlyPull(); p.Head != branch || len(p.Assignees) != 1 || len(s.repo.Log(branch)) != 2 {
				t.Errorf("%+v", p)
			}
		})
	}
}

func (s *stage) lastWord(e fakegithub.Event) {
	s.t.Helper()
	if _, err := s.job(e).Finalize(s.t.Context(), EndedFailure); err != nil {
		s.t.Error(err)
	}
}

// Of two repositories the second does not take the push: the first has its pull request, the work for the second comes back as
// a patch, the run is restricted, and a further attempt changes nothing.
func TestS9_SecondRepositoryRejects(t *testing.T) {
	s := newStage(t)
	e, lib := inTwo(s)
	lib.Restrict("ai/")
	s.ends(s.run(e), render.Restricted)
	s.oneResult("in the end")
	if len(lib.Pulls()) != 0 || s.repo.Tree(s.onlyPull().Head)["both.go"] == "" {
		t.Errorf("%+v", lib.Pulls())
	}
	seen := s.seen()
	contains(t, "the thread", seen, "opened [#2 ", "acme/lib", "git apply", "package both", "stage=acted")
	s.again(e)
	if now := s.seen(); now != seen || len(s.agent.prompts()) != 1 {
		t.Errorf("a further attempt makes\n%s", udiff.Unified("before", "after", seen, now))
	}
}
