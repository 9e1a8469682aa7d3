package dispatch

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/d3mlabs/ai-flow/commands"
	"github.com/d3mlabs/ai-flow/render"
)

// topic is a pull request of ann's, and an agent that changes something on it each time.
func (s *stage) topic() int {
	n := s.repo.Pull("ann", "Retry", "Retries.", "topic", map[string]string{"main.go": "package main // retries\n"})
	round := 0
	s.agent.build = func(dir string) {
		round++
		if err := os.WriteFile(filepath.Join(dir, "main.go"), fmt.Appendf(nil, "package main // %d\n", round), 0o644); err != nil {
			s.t.Error(err)
		}
	}
	return n
}

// A commit is no proof of a /build: anybody may write off our address and a trailer, and have it merged. Words of people who
// may write are taken up all the same (F-39, S4).
func TestForgedCommitsSilenceNobody(t *testing.T) {
	tests := []struct {
		name    string
		trailer func(s *stage, n int) string // URL of the comment that the commit names
	}{
		{"a stranger's own comment", func(s *stage, n int) string { return s.url(s.repo.Comment(n, "eve", "/build x").ID, n) }},
		{"a writer's comment that is no /build", func(s *stage, n int) string { return s.url(s.repo.Comment(n, "ann", "thanks").ID, n) }},
		{"a /build on another issue", func(s *stage, _ int) string {
			other := s.repo.Issue("ann", "Other", "Other.")
			return s.url(s.repo.Comment(other, "ann", "/build x").ID, other)
		}},
		{"a comment that is gone", func(s *stage, n int) string {
			id := s.repo.Comment(n, "ann", "/build x").ID
			s.repo.DeleteComment(id)
			return s.url(id, n)
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newStage(t)
			n := s.topic()
			s.repo.Comment(n, "ida", "IMPORTANT: fix the overflow")
			s.hub.Advance(time.Minute)
			s.repo.Commit("topic", s.botMail(), "x\n\n"+commands.Trailer(tt.trailer(s, n)), map[string]string{"x.go": "package main\n"})
			s.writes(map[string]string{"y.go": "package main\n"})
			s.ends(s.run(s.repo.Comment(n, "ann", "/build")), render.Done)
			contains(t, "the prompt", s.agent.prompts()[0], "fix the overflow")
		})
	}
}

// url is the address of a comment in a conversation.
func (s *stage) url(id int64, number int) string {
	kind := "issues"
	for _, p := range s.repo.Pulls() {
		if p.Number == number {
			kind = "pull"
		}
	}
	return fmt.Sprintf("%s/acme/app/%s/%d#issuecomment-%d", s.hub.URL(), kind, number, id)
}

// botMail is the address that we commit by.
func (s *stage) botMail() string {
	s.t.Helper()
	e := s.repo.Comment(s.issue, "ann", "/build")
	j := s.job(e)
	facts, err := j.GitHub.Look(s.t.Context(), j.Event)
	if err != nil {
		s.t.Fatal(err)
	}
	r := &running{Job: j, known: Knowledge{Facts: facts}}
	r.thread = j.thread(facts)
	return r.bot().Email
}

// F-40: where something was not read, or it could not be found out whose it is, nobody is told that nothing is outstanding.
func TestWhatIsNotReadIsSaid(t *testing.T) {
	tests := []struct {
		name  string
		there func(s *stage, n int)
		says  string
	}{
		{"a look-up that fails", func(s *stage, n int) {
			s.repo.Comment(n, "ida", "IMPORTANT")
			s.hub.FailLookup("ida", 500)
		}, "could not be found out whether they may write"},
		{"a hundred comments by a stranger, and an old review", func(s *stage, n int) {
			s.repo.Review(n, "eve", "early")
			s.ends(s.run(s.repo.Comment(n, "ann", "/build do it")), render.Done)
			s.repo.Comment(n, "ida", "IMPORTANT")
			for i := range 101 {
				s.repo.Comment(n, "eve", fmt.Sprint("noise ", i))
			}
		}, "the oldest were not looked at"},
		{"fifty replies by a stranger", func(s *stage, n int) {
			first := s.repo.ReviewComment(n, "eve", "Hm.", "main.go", 0).ID
			s.repo.ReviewComment(n, "ida", "IMPORTANT", "main.go", first)
			for i := range 51 {
				s.repo.ReviewComment(n, "eve", fmt.Sprint("noise ", i), "main.go", first)
			}
		}, "has more comments than one run reads"},
		{"sixty strangers", func(s *stage, n int) {
			for i := range 60 {
				s.hub.User(fmt.Sprint("stranger", i), "none")
				s.repo.Comment(n, fmt.Sprint("stranger", i), "noise")
			}
		}, "could not be found out whether they may write"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newStage(t)
			n := s.topic()
			tt.there(s, n)
			told := s.run(s.repo.Comment(n, "ann", "/build"))
			contains(t, "the thread", s.thread(n), tt.says)
			if strings.Contains(told.Outcome.Result.Headline, "nothing outstanding") {
				t.Error(told.Outcome.Result.Headline)
			}
			asked := map[string]int{}
			for _, c := range s.hub.Requests() {
				if strings.HasSuffix(c.Path, "/permission") {
					asked[c.Path]++
				}
			}
			if len(asked) > maxPeople+1 {
				t.Errorf("%d people were asked about", len(asked))
			}
		})
	}
}

// GitHub's times are seconds: what was said in the second of the command is not lost.
func TestSaidInTheSecondOfTheCommand(t *testing.T) {
	s := newStage(t)
	n := s.topic()
	s.repo.ReviewComment(n, "ann", "Name the constant.", "main.go", 0)
	s.hub.Advance(-time.Second)
	s.ends(s.run(s.repo.Review(n, "ann", "/build")), render.Done)
	contains(t, "the prompt", s.agent.prompts()[0], "Name the constant.")
	e := s.repo.Comment(n, "ann", "/build do it")
	s.hub.Advance(-time.Second)
	s.repo.Comment(n, "ida", "IN THE SAME SECOND")
	s.ends(s.run(e), render.Done)
	if !slices.ContainsFunc(s.agent.prompts(), func(p string) bool { return strings.Contains(p, "IN THE SAME SECOND") }) {
		s.ends(s.run(s.repo.Comment(n, "ann", "/build")), render.Done)
		contains(t, "a prompt", strings.Join(s.agent.prompts(), "\n"), "IN THE SAME SECOND")
	}
}

// A thread is open where people wrote while the agent worked, also when the comment with the command was tidied away since.
func TestDeletedCommandsAnswerNothing(t *testing.T) {
	s := newStage(t)
	n := s.topic()
	first := s.repo.ReviewComment(n, "ida", "Name it.", "main.go", 0).ID
	write := s.agent.build
	s.agent.build = func(dir string) {
		write(dir)
		s.repo.ReviewComment(n, "ida", "And export it.", "main.go", first)
	}
	e := s.repo.Comment(n, "ann", "/build")
	s.ends(s.run(e), render.Done)
	s.repo.DeleteComment(e.ID)
	s.agent.build = write
	s.ends(s.run(s.repo.Comment(n, "ann", "/build")), render.Done)
	contains(t, "the second prompt", s.agent.prompts()[1], "And export it.")
}

// A pull request of ours stays ours when people write its description anew, and that of another repository's issue never was.
func TestWhosePullRequest(t *testing.T) {
	s := newStage(t)
	s.writes(map[string]string{"retry.go": "package main\n"})
	s.ends(s.run(s.repo.Comment(s.issue, "ann", "/build")), render.Done)
	s.repo.SetBody(s.onlyPull().Number, "ida", "A better description.")
	s.writes(map[string]string{"more.go": "package main\n"})
	s.ends(s.run(s.repo.Comment(s.issue, "ann", "/build more")), render.Done)
	s.onlyPull()

	s = newStage(t)
	click := s.hub.Repo("acme/1-click", map[string]string{"a": "a\n"})
	elsewhere := click.Issue("ann", "Elsewhere", "Target repos: acme/app\n\nDo it.")
	s.writes(map[string]string{"theirs.go": "package main\n"})
	s.ends(s.run(click.Comment(elsewhere, "ann", "/build")), render.Done)
	s.writes(map[string]string{"mine.go": "package main\n"})
	s.ends(s.run(s.repo.Comment(s.issue, "ann", "/build")), render.Done)
	if all := s.repo.Pulls(); len(all) != 2 {
		t.Errorf("%+v", all)
	}
}

// S8: who lost write permission while the agent worked pushes nothing.
func TestRequesterLosesPermission(t *testing.T) {
	s := newStage(t)
	s.writes(map[string]string{"retry.go": "package main\n"})
	write := s.agent.build
	s.agent.build = func(dir string) {
		write(dir)
		s.repo.Role("ann", "read")
	}
	told := s.run(s.repo.Comment(s.issue, "ann", "/build"))
	if told.Outcome.Result.Outcome != render.Failed || len(s.hub.Pushes()) != 0 {
		t.Errorf("ended %v; pushes %+v", told.Outcome.Result.Outcome, s.hub.Pushes())
	}
}
