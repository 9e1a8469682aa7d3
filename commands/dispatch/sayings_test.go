package dispatch

import (
	"errors"
	"strings"
	"testing"

	"github.com/d3mlabs/ai-flow/commands"
	"github.com/d3mlabs/ai-flow/commands/github"
	"github.com/d3mlabs/ai-flow/render"
)

// TestUnknownIsNoDenial: a look-up that fails tells the thread nothing and is no denial: whoever reads the run is told what
// failed and what mends it, by all three jobs.
func TestUnknownIsNoDenial(t *testing.T) {
	tests := []struct {
		name    string
		prepare func(*stage)
		setup   bool
		says    string
	}{
		{"no installation", func(s *stage) { s.repo.Uninstall(s.appID) }, true, "is not installed on acme/app"},
		{"too little permission", func(s *stage) { s.hub.Grant(s.appID, "issues", "read") }, true, "lacks issues: write"},
		{"a broken answer", func(s *stage) { s.hub.FailLookup("ann", 500) }, false, "500"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newStage(t)
			e := s.repo.Comment(s.issue, "ann", "/ask how?")
			tt.prepare(s)
			before := s.repo.Snapshot()
			a, authorizeErr := s.job(e).Authorize(t.Context())
			told := s.run(e)
			did, finalizeErr := s.job(e).Finalize(t.Context(), EndedFailure)
			for job, err := range map[string]error{"authorize": authorizeErr, "dispatch": told.Unknown, "finalize": finalizeErr} {
				var call *github.Error
				if !errors.As(err, &call) || call.Setup != tt.setup || call.Next == "" ||
					!strings.HasPrefix(err.Error(), `it could not be found out whether "ann" may write to acme/app: `) || !strings.Contains(err.Error(), tt.says) {
					t.Errorf("%s: %v", job, err)
				}
			}
			if a.Authorized || a.Denied || !told.Silent || told.Reason != "" || told.Outcome.Report.Denied != "" || told.Outcome.Result.Outcome != render.Failed || did != "" {
				t.Errorf("authorize %+v, dispatch %+v, finalize %q", a, told, did)
			}
			if class := told.Outcome.Report.Failure.Class; (class == "setup") != tt.setup {
				t.Errorf("class %q", class)
			}
			if s.repo.Snapshot() != before {
				t.Error("the thread was told something")
			}
		})
	}
}

// TestAuthorizeForesees what will only be refused on the thread, for which no runner of one's own is to be taken, and which
// denials are a person's.
func TestAuthorizeForesees(t *testing.T) {
	s := newStage(t)
	for text, want := range map[string]Authorization{
		"/ask how?":         {Authorized: true, Command: commands.Ask},
		"/build it":         {Authorized: true, Command: commands.Build},
		"/edit a\n/build b": {Authorized: true, Command: commands.Build, Refused: true},
		"/ask --fast how?":  {Authorized: true, Command: commands.Ask, Refused: true},
	} {
		got, err := s.job(s.repo.Comment(s.issue, "ann", text)).Authorize(t.Context())
		if got != want || err != nil {
			t.Errorf("%q: %+v, %v, want %+v", text, got, err, want)
		}
	}
	for author, denied := range map[string]bool{"rob": true, "ai-flow[bot]": false} {
		got, err := s.job(s.repo.Comment(s.issue, author, "/ask how?")).Authorize(t.Context())
		if got.Authorized || got.Denied != denied || err != nil {
			t.Errorf("by %s: %+v, %v", author, got, err)
		}
	}
	if got, err := s.job(s.repo.Comment(s.issue, "rob", "thanks")).Authorize(t.Context()); got.Denied || err != nil {
		t.Errorf("no command: %+v, %v", got, err)
	}
}

// TestFinalizeSaysWhatItTold, in the words that the thread was told.
func TestFinalizeSaysWhatItTold(t *testing.T) {
	for ending, want := range map[Ending]string{
		EndedCancelled: "told the thread: /ask was dropped before it began",
		EndedFailure:   "told the thread: /ask did not begin",
		EndedSuccess:   "nothing to tell: the job succeeded",
	} {
		s := newStage(t)
		did, err := s.job(s.repo.Comment(s.issue, "ann", "/ask how?")).Finalize(t.Context(), ending)
		if err != nil || !strings.HasPrefix(did, want) {
			t.Errorf("%d: %q, %v", ending, did, err)
		}
	}
}

// TestSettingNamesTheBranch that the agent looks at.
func TestSettingNamesTheBranch(t *testing.T) {
	for want, r := range map[string]*running{
		"main":         {known: Knowledge{Facts: github.Facts{DefaultBranch: "main"}}},
		"topic":        {known: Knowledge{Facts: github.Facts{DefaultBranch: "main", Head: &github.Head{Branch: "topic"}}}},
		"eve/app:main": {known: Knowledge{Facts: github.Facts{Head: &github.Head{Branch: "main", Fork: true, Repo: github.Repo{Owner: "eve", Name: "app"}}}}},
	} {
		if got := r.branch(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
