package dispatch

import (
	"net/http"
	"strings"
	"testing"

	"github.com/d3mlabs/ai-flow/commands"
	"github.com/d3mlabs/ai-flow/commands/thread"
	"github.com/d3mlabs/ai-flow/executor"
	"github.com/d3mlabs/ai-flow/render"
	"github.com/d3mlabs/ai-flow/testsupport/fakegithub"
)

// TestLastWord walks what can stand on a thread, what can have become of an announced act, and how a job can have ended
// (F-46, F-47, F-56, F-57).
func TestLastWord(t *testing.T) {
	endings := []Ending{EndedUnknown, EndedSuccess, EndedFailure, EndedCancelled}
	told := func(lost ...render.Lost) []last { // by ending
		words := make([]last, len(lost))
		for i, l := range lost {
			words[i].lost = l
		}
		return words
	}
	same := func(w last) []last { return []last{w, w, w, w} }
	unsure := last{lost: render.LostEdit, act: thread.ActUnsure}
	stands := last{say: "the result stands"}
	waitingEdit := told(render.LostRun, render.LostOverwritten, render.LostRun, render.LostCancelled)
	waitingEdit[1].act = thread.ActUnsure
	silent := told(render.LostStart, 0, render.LostStart, render.LostQueue)
	silent[1].say = "nothing to tell: the job succeeded"
	tests := []struct {
		name    string
		stage   thread.Stage
		fate    fate
		command commands.Command
		want    []last
	}{
		{"nothing", thread.Silent, fateUnknown, commands.Edit, silent},
		{"a question waits", thread.Waiting, fateUnknown, commands.Ask, told(render.LostRun, render.LostOverwritten, render.LostRun, render.LostCancelled)},
		{"an edit waits", thread.Waiting, fateUnknown, commands.Edit, waitingEdit},
		{"announced and done", thread.Ahead, fateDone, commands.Edit, same(last{say: "the edit had landed; its result stands now", settle: true})},
		{"announced and not done", thread.Ahead, fateUndone, commands.Edit, told(render.LostRun, render.LostRun, render.LostRun, render.LostCancelled)},
		{"announced, and nobody knows", thread.Ahead, fateUnknown, commands.Edit, same(unsure)},
		{"unsure and done", thread.Unsure, fateDone, commands.Edit, same(last{lost: render.LostReport, act: thread.ActDone})},
		{"unsure and not done", thread.Unsure, fateUndone, commands.Edit, same(stands)},
		{"unsure", thread.Unsure, fateUnknown, commands.Edit, same(stands)},
		{"failed", thread.Failed, fateUnknown, commands.Edit, same(stands)},
		{"told", thread.Told, fateUnknown, commands.Ask, same(stands)},
		{"acted", thread.Acted, fateUnknown, commands.Edit, same(stands)},
	}
	for _, tt := range tests {
		for i, e := range endings {
			if got := lastWord(thread.Standing{Stage: tt.stage}, tt.fate, e, tt.command); got != tt.want[i] {
				t.Errorf("%s, ended %d: %+v, want %+v", tt.name, e, got, tt.want[i])
			}
		}
	}
	if w := lastWord(thread.Standing{Stage: thread.Told, Left: true}, fateUnknown, EndedSuccess, commands.Ask); !w.settle {
		t.Errorf("a status line beside a result: %+v", w)
	}
}

// TestUnknownEditIsNotRepeated: an edit landed, its run was killed before it could say so, and a person wrote on: nobody can
// tell by the document. Neither the finaliser nor a second attempt makes it again (S9, F-56).
func TestUnknownEditIsNotRepeated(t *testing.T) {
	for _, finalized := range []bool{true, false} {
		s := newStage(t)
		s.agent.edit = addition
		e := s.repo.Comment(s.issue, "ann", "/edit say how often\n")
		s.killAtEdit()
		s.job(e).Run(t.Context())
		s.hub.OnRequest(nil)
		s.hub.Revive()
		s.repo.SetBody(s.issue, "ida", s.repo.Body(s.issue)+"\nTypo fixed by ida.\n")
		if finalized {
			if _, err := s.job(e).Finalize(t.Context(), EndedFailure); err != nil {
				t.Error(err)
			}
		}
		for attempt := 2; attempt < 4; attempt++ {
			j := s.job(e)
			j.Attempt = attempt
			j.Run(t.Context())
		}
		if n := strings.Count(s.repo.Body(s.issue), "At most three times."); n != 1 || len(s.agent.prompts()) != 1 {
			t.Errorf("the edit stands %d times, and %d agents ran", n, len(s.agent.prompts()))
		}
		s.sees(s.issue, []string{"may or may not be there"})
	}
}

// TestOlderVersionOverwrites: a person saves the comment as it was while the waiting line stood, after the run has told its
// result. The finaliser knows that the job succeeded, and nothing is done again.
func TestOlderVersionOverwrites(t *testing.T) {
	s := newStage(t)
	s.agent.edit = addition
	e := s.repo.Comment(s.issue, "ann", "/edit say how often\n")
	waiting := ""
	s.agent.before = func(executor.Task) { waiting = s.repo.CommentBody(e.ID) }
	s.run(e)
	s.repo.EditComment(e.ID, "ann", "Hello.\n\n"+waiting)
	if _, err := s.job(e).Finalize(t.Context(), EndedSuccess); err != nil {
		t.Error(err)
	}
	s.sees(s.issue, []string{"Hello.", "was carried out"}, "stopped")
	j := s.job(e)
	j.Attempt = 2
	j.Run(t.Context())
	if n := strings.Count(s.repo.Body(s.issue), "At most three times."); n != 1 {
		t.Errorf("the edit stands %d times", n)
	}
}

// killAtEdit lets the dispatcher die right after its edit of the description.
func (s *stage) killAtEdit() {
	s.hub.OnRequest(func(_ int, r *http.Request) {
		if r.Method == http.MethodPatch && !strings.Contains(r.URL.Path, "comments") {
			s.hub.FaultAt(0, fakegithub.KillAfter)
		}
	})
}

// TestBuiltOn: a person writes on in the moment after our edit, before we look again. The edit is in the document, so it is
// told as done, and a second attempt leaves it.
func TestBuiltOn(t *testing.T) {
	s := newStage(t)
	s.agent.edit = addition
	e := s.repo.Comment(s.issue, "ann", "/edit say how often\n")
	patched := 0
	s.hub.OnRequest(func(_ int, r *http.Request) {
		switch document := strings.HasSuffix(r.URL.Path, "/issues/1"); {
		case document && r.Method == http.MethodPatch:
			patched++
		case document && patched == 1:
			patched++
			s.repo.SetBody(s.issue, "ida", strings.Replace(s.repo.Body(s.issue), "# Plan", "# The plan", 1))
		}
	})
	s.run(e)
	s.hub.OnRequest(nil)
	stands := s.thread(s.issue)
	if patched != 2 || !strings.Contains(stands, "stage=acted") {
		t.Errorf("%d, and people see\n%s", patched, stands)
	}
	j := s.job(e)
	j.Attempt = 2
	j.Run(t.Context())
	if s.thread(s.issue) != stands || s.repo.Body(s.issue) != addition(strings.Replace(description, "# Plan", "# The plan", 1)) {
		t.Errorf("people see\n%s\n%s", s.thread(s.issue), s.repo.Body(s.issue))
	}
}
