package dispatch

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/aymanbagabas/go-udiff"

	"github.com/d3mlabs/ai-flow/render"
	"github.com/d3mlabs/ai-flow/testsupport/fakegithub"
)

// moment is where a build of an issue is killed.
type moment struct {
	name  string
	kill  func(s *stage, e fakegithub.Event)
	pull  bool // the pull request is there
	grown bool // so is the branch
}

func moments() []moment {
	return []moment{
		{"before the push", func(s *stage, e fakegithub.Event) { s.disturbPush(e, 1, fakegithub.KillBefore) }, false, false},
		{"after the push", func(s *stage, e fakegithub.Event) { s.disturbPush(e, 1, fakegithub.KillAfter) }, false, true},
		{"after the pull request", func(s *stage, e fakegithub.Event) { s.killAt(e, fakegithub.KillAfter, 1, "POST", "/pulls") }, true, true},
		{"before the result", func(s *stage, e fakegithub.Event) { s.killAt(e, fakegithub.KillBefore, 3, "PATCH", "") }, true, true},
	}
}

// killAt kills the job at the n-th request of a method to an address that ends so.
func (s *stage) killAt(e fakegithub.Event, f fakegithub.Fault, n int, method, ending string) {
	s.t.Helper()
	met := 0
	s.hub.OnRequest(func(_ int, r *http.Request) {
		if r.Method == method && strings.HasSuffix(r.URL.Path, ending) {
			if met++; met == n {
				s.hub.FaultAt(0, f)
			}
		}
	})
	s.job(e).Run(s.t.Context())
	s.hub.OnRequest(nil)
	s.hub.Revive()
	if met < n {
		s.t.Fatalf("there is no request %d of %s %s", n, method, ending)
	}
}

// TestS9_PeopleActBetweenAttempts: a build was killed, people did something, and it is run again, or finalised and run again.
// Nothing waits, nothing of theirs is changed, what was pushed is not made again, and there is one pull request (F-34, F-37).
func TestS9_PeopleActBetweenAttempts(t *testing.T) {
	pull := func(s *stage) int { return s.onlyPull().Number }
	const branch = "ai/1-retry-on-502"
	tests := []struct {
		name  string
		needs func(m moment) bool // what the people find there
		act   func(s *stage, e fakegithub.Event)
		state string // of the pull request in the end
		mute  bool   // the thread is told nothing any more
	}{
		{"push on top", func(m moment) bool { return m.grown }, func(s *stage, _ fakegithub.Event) {
			s.repo.PushTo(branch, "ida@example.com", map[string]string{"ida.go": "package main\n"})
		}, "open", false},
		{"merge", func(m moment) bool { return m.pull }, func(s *stage, _ fakegithub.Event) { s.repo.Merge(pull(s)) }, "merged", false},
		{"merge and delete the branch", func(m moment) bool { return m.pull }, func(s *stage, _ fakegithub.Event) {
			s.repo.Merge(pull(s))
			s.repo.DeleteBranch(branch)
		}, "merged", false},
		{"push on top, merge and delete the branch", func(m moment) bool { return m.pull }, func(s *stage, _ fakegithub.Event) {
			s.repo.PushTo(branch, "ida@example.com", map[string]string{"ida.go": "package main\n"})
			s.repo.Merge(pull(s))
			s.repo.DeleteBranch(branch)
		}, "merged", false},
		{"close", func(m moment) bool { return m.pull }, func(s *stage, _ fakegithub.Event) { s.repo.ClosePull(pull(s)) }, "closed", false},
		{"close and delete the branch", func(m moment) bool { return m.pull }, func(s *stage, _ fakegithub.Event) {
			s.repo.ClosePull(pull(s))
			s.repo.DeleteBranch(branch)
		}, "closed", false},
		{"rename and edit the issue", func(moment) bool { return true }, func(s *stage, _ fakegithub.Event) {
			s.repo.Retitle(s.issue, "Retry on 5xx")
			s.repo.SetBody(s.issue, "ida", "Another text.\n")
		}, "open", false},
		{"open a pull request themselves", func(m moment) bool { return m.grown && !m.pull }, func(s *stage, _ fakegithub.Event) {
			s.repo.Pull("ida", "Mine", "By ida.", branch, nil)
		}, "open", false},
		{"take the name of the branch", func(m moment) bool { return !m.grown }, func(s *stage, _ fakegithub.Event) {
			s.repo.Branch(branch, map[string]string{"x": "by ida\n"})
		}, "open", false},
		{"delete the comment", func(moment) bool { return true }, func(s *stage, e fakegithub.Event) { s.repo.DeleteComment(s.commandOf(e)) }, "", true},
		{"take the permission away", func(moment) bool { return true }, func(s *stage, _ fakegithub.Event) { s.repo.Role("ann", "read") }, "", true},
	}
	for _, tt := range tests {
		for _, m := range moments() {
			for _, finalized := range []bool{false, true} {
				if !tt.needs(m) || finalized && (!m.grown || m.name == "before the result") {
					continue
				}
				name := tt.name + ", killed " + m.name
				if finalized {
					name += ", finalized"
				}
				t.Run(name, func(t *testing.T) {
					t.Parallel()
					s := newStage(t)
					e := builds()[0].begin(s)
					m.kill(s, e)
					tt.act(s, e)
					s.afterPeople(e, finalized, tt.state, tt.mute)
				})
			}
		}
	}
}

// commandOf is the comment of an event.
func (s *stage) commandOf(e fakegithub.Event) int64 { return s.job(e).Event.Comment.ID }

// afterPeople lets the finaliser and a further attempt come, and holds what holds then.
func (s *stage) afterPeople(e fakegithub.Event, finalized bool, state string, mute bool) {
	s.t.Helper()
	before, pulls, said := s.repo.Refs(), len(s.repo.Pulls()), s.thread(s.issue)
	if finalized {
		if did, err := s.job(e).Finalize(s.t.Context(), EndedFailure); err != nil {
			s.t.Errorf("finalized: %s, %v", did, err)
		}
		if !mute {
			s.oneResult("finalized")
		}
	}
	told := s.again(e)
	if told.Err != nil {
		s.t.Error(told.Err)
	}
	for ref, oid := range before {
		if s.repo.Refs()[ref] != oid {
			s.t.Errorf("%s moved", ref)
		}
	}
	switch all := s.repo.Pulls(); {
	case mute && (len(all) != pulls || said != s.thread(s.issue)):
		s.t.Errorf("something was done or told: %s", udiff.Unified("before", "after", said, s.thread(s.issue)))
	case !mute && (len(all) != 1 || all[0].State != state):
		s.t.Errorf("want one pull request that is %s: %+v\n%s", state, all, s.seen())
	}
	if mute {
		return
	}
	s.oneResult("in the end")
	seen := s.seen()
	contains(s.t, "what is told", s.lands(), "RESULT acted: opened [#2 ")
	s.again(e)
	if now := s.seen(); now != seen {
		s.t.Errorf("a further attempt makes\n%s", udiff.Unified("before", "after", seen, now))
	}
}

// oneResult holds that nothing waits, and that there is one result.
func (s *stage) oneResult(when string) {
	s.t.Helper()
	seen := s.seen()
	if n := len(resultText.FindAllString(bottomText.ReplaceAllString(seen, ""), -1)); n != 1 || strings.Contains(seen, "⏳") || strings.Contains(seen, "pull of ai-flow") {
		s.t.Errorf("%s: %d results\n%s\nlog:\n%s", when, n, seen, s.said)
	}
}

// TestS9_HeadActedOnBetweenAttempts: the same for a build on a pull request.
func TestS9_HeadActedOnBetweenAttempts(t *testing.T) {
	tests := []struct {
		name string
		act  func(s *stage, n int)
	}{
		{"nothing", func(*stage, int) {}},
		{"push on top", func(s *stage, n int) { s.repo.Push(n, map[string]string{"ida.go": "package main\n"}) }},
		{"merge", func(s *stage, n int) { s.repo.Merge(n) }},
		{"merge and delete the branch", func(s *stage, n int) { s.repo.Merge(n); s.repo.DeleteBranch("topic") }},
		{"close", func(s *stage, n int) { s.repo.ClosePull(n) }},
		{"protect the branch", func(s *stage, _ int) { s.repo.Protect("topic") }},
		{"write over what stood there", func(s *stage, n int) {
			for _, c := range s.repo.Thread(n) {
				if c.Author == "ann" && strings.HasPrefix(c.Body, "/build") {
					s.repo.EditComment(c.ID, "ann", "/build\n")
				}
			}
		}},
		{"edit the command", func(s *stage, n int) {
			for _, c := range s.repo.Thread(n) {
				if c.Author == "ann" && strings.HasPrefix(c.Body, "/build") {
					s.repo.EditComment(c.ID, "ann", strings.Replace(c.Body, "/build", "/build more", 1))
				}
			}
		}},
	}
	for _, tt := range tests {
		for _, f := range []fakegithub.Fault{fakegithub.KillBefore, fakegithub.KillAfter} {
			for _, finalized := range []bool{false, true} {
				name := tt.name + map[bool]string{true: ", pushed", false: ", not pushed"}[f == fakegithub.KillAfter] + map[bool]string{true: ", finalized"}[finalized]
				t.Run(name, func(t *testing.T) {
					t.Parallel()
					s := newStage(t)
					e := builds()[1].begin(s)
					s.disturbPush(e, 1, f)
					n := s.repo.Pulls()[0].Number
					tt.act(s, n)
					if finalized {
						if _, err := s.job(e).Finalize(t.Context(), EndedFailure); err != nil {
							t.Error(err)
						}
						s.oneResult("finalized")
					}
					if told := s.again(e); told.Err != nil {
						t.Error(told.Err)
					}
					s.oneResult("in the end")
					lands := s.lands()
					if replies := strings.Count(s.seen(), "<!-- ai-flow:reply"); f == fakegithub.KillAfter && (replies != 2 || !strings.Contains(lands, "RESULT acted: added ")) {
						t.Errorf("%d replies\n%s", replies, lands)
					}
					if ours := strings.Count(s.seen(), "\nai-flow /build: "); ours > 1+strings.Count(s.seen(), "Merge pull request") {
						t.Errorf("%d commits\n%s", ours, s.seen())
					}
				})
			}
		}
	}
}

// A further build of an issue answers in the threads of its pull request, also when it was killed.
func TestS9_FurtherBuildOfAnIssue(t *testing.T) {
	for _, f := range []fakegithub.Fault{fakegithub.NoFault, fakegithub.KillBefore, fakegithub.KillAfter} {
		s := newStage(t)
		s.writes(map[string]string{"retry.go": "package main\n"})
		s.ends(s.run(s.repo.Comment(s.issue, "ann", "/build\n")), render.Done)
		n := s.onlyPull().Number
		root := s.repo.ReviewComment(n, "ida", "Name the constant.", "retry.go", 0)
		s.writes(map[string]string{"retry.go": "package main // named\n"})
		e := s.repo.Comment(s.issue, "ida", "/build\n")
		if f == fakegithub.NoFault {
			s.ends(s.run(e), render.Done)
		} else {
			s.disturbPush(e, 1, f)
			s.again(e)
		}
		replies := 0
		for _, c := range s.repo.Thread(n) {
			if c.ReplyTo == s.commandOf(root) && c.Author == "ai-flow[bot]" {
				replies++
			}
		}
		p := s.onlyPull()
		if replies != 1 || !slices.Equal(p.Assignees, []string{"ann"}) || len(s.repo.Log(p.Head)) != 3 {
			t.Errorf("fault %d: %d replies, %+v\n%s\n%s", f, replies, p, s.thread(n), s.said)
		}
		contains(t, "the thread", s.lands(), "RESULT acted: added [")
		if strings.Contains(s.seen(), "⏳") {
			t.Error("something waits")
		}
	}
}

// TestS9_TwoRepositories disturbs both pushes of a build in two repositories, and kills it around its pull requests.
func TestS9_TwoRepositories(t *testing.T) {
	for _, push := range []int{1, 2} {
		for _, f := range []fakegithub.Fault{fakegithub.Fail502After, fakegithub.DropBefore, fakegithub.KillBefore, fakegithub.KillAfter} {
			s := newStage(t)
			e, _ := inTwo(s)
			s.disturbPush(e, push, f)
			s.again(e)
			s.inTwoEnds(e, push == 2 && f == fakegithub.KillBefore)
		}
	}
	for _, repo := range []string{"app", "lib"} {
		for _, f := range []fakegithub.Fault{fakegithub.KillBefore, fakegithub.KillAfter} {
			s := newStage(t)
			e, lib := inTwo(s)
			s.killAt(e, f, 1, "POST", "/"+repo+"/pulls")
			s.lastWord(e)
			s.inTwoEnds(e, false)
			if all := lib.Pulls(); len(all) != 1 || !slices.Equal(all[0].Assignees, s.onlyPull().Assignees) || len(all[0].Assignees) != 1 {
				t.Errorf("killed at the pull request of %s: %+v", repo, all)
			}
		}
	}
}

// inTwoEnds holds what holds after a second attempt. Half says that the first repository alone got something.
func (s *stage) inTwoEnds(e fakegithub.Event, half bool) {
	s.t.Helper()
	contains(s.t, "the description", s.onlyPull().Body, "Closes acme/app#1")
	s.oneResult("in the end")
	seen := s.seen()
	if half {
		contains(s.t, "the thread", seen, "Nothing of this command was found in `acme/lib`")
	}
	s.again(e)
	if s.seen() != seen {
		s.t.Errorf("a further attempt makes\n%s", udiff.Unified("before", "after", seen, s.seen()))
	}
}

// An issue that names other repositories by now hides what was pushed: a person decides, and the agent does not work again.
func TestS9_IssueLeadsElsewhere(t *testing.T) {
	for _, push := range []int{1, 2} {
		for _, finalized := range []bool{false, true} {
			s := newStage(t)
			e, lib := inTwo(s)
			s.disturbPush(e, push, fakegithub.KillBefore)
			s.repo.SetBody(s.issue, "ann", description)
			if finalized {
				s.lastWord(e)
				s.oneResult("finalized")
			}
			s.again(e)
			s.oneResult("in the end")
			says := []string{"cannot be told whether its work is there"}
			if push == 2 {
				says = []string{"opened [#2 ", "other repositories than the issue names"}
			}
			contains(t, "the thread", s.thread(s.issue), says...)
			if n := len(s.agent.prompts()); n != 1 || len(lib.Pulls()) != 0 || len(s.repo.Pulls()) != push-1 {
				t.Errorf("the agent worked %d times: %+v", n, s.repo.Pulls())
			}
		}
	}
}
