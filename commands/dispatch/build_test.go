package dispatch

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/d3mlabs/ai-flow/render"
	"github.com/d3mlabs/ai-flow/testsupport/fakegithub"
)

// writes makes the fake agent write files.
func (s *stage) writes(files map[string]string) {
	s.agent.build = func(dir string) {
		for name, text := range files {
			path := filepath.Join(dir, name)
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				s.t.Error(err)
			}
			if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
				s.t.Error(err)
			}
		}
	}
}

// ends checks how a run ended.
func (s *stage) ends(told Told, want render.Outcome) {
	s.t.Helper()
	if got := told.Outcome.Result.Outcome; got != want || told.Err != nil {
		s.t.Fatalf("ended %v (%s %s), want %v; telling: %v, underneath: %v\nthread:\n%s\nlog:\n%s", got, told.Outcome.Result.Headline, told.Outcome.Result.NextStep, want,
			told.Err, told.Outcome.Err, s.thread(s.issue), s.said)
	}
}

// onlyPull is the one pull request that there is.
func (s *stage) onlyPull() fakegithub.PullSummary {
	s.t.Helper()
	all := s.repo.Pulls()
	if len(all) != 1 {
		s.t.Fatalf("%d pull requests: %+v\nthread:\n%s\nlog:\n%s", len(all), all, s.thread(s.issue), s.said)
	}
	return all[0]
}

// contains checks that a text holds all of it.
func contains(t *testing.T, what, text string, want ...string) {
	t.Helper()
	for _, w := range want {
		if !strings.Contains(text, w) {
			t.Errorf("%s lacks %q:\n%s", what, w, text)
		}
	}
}

func TestBuildOpensAPullRequest(t *testing.T) {
	s := newStage(t)
	s.writes(map[string]string{"retry.go": "package main\n", "main.go": "package main // retries\n"})
	s.ends(s.run(s.repo.Comment(s.issue, "ann", "/build keep the flags stable")), render.Done)
	p := s.onlyPull()
	if p.Title != "Retry on 502" || p.Head != "ai/1-retry-on-502" || p.Base != "main" || p.State != "open" || p.Author != "ai-flow[bot]" || !slices.Equal(p.Assignees, []string{"ann"}) {
		t.Errorf("%+v", p)
	}
	contains(t, "the description", p.Body, "Closes acme/app#1", "Requested by", "Answer 1.", "<!-- ai-flow:build acme/app#1 -->")
	if got := s.repo.Tree(p.Head); got["retry.go"] != "package main\n" || got["main.go"] != "package main // retries\n" || got["README.md"] != "hello\n" {
		t.Errorf("tree %q", got)
	}
	log := s.repo.Log(p.Head)
	if c := log[0]; len(log) != 2 || c.Author != c.Committer || !strings.HasPrefix(c.Author, "ai-flow[bot] <") || !strings.HasSuffix(c.Author, "+ai-flow[bot]@users.noreply.github.com>") {
		t.Errorf("the commit is by %q, %q", c.Author, c.Committer)
	}
	contains(t, "the message", log[0].Message, "ai-flow /build: Retry on 502\n", "Co-authored-by: ann <", "AI-Flow-Command: ")
	contains(t, "the thread", s.thread(s.issue), "✅ **/build** opened [#2 Retry on 502](", "2 files, +2 −1", "Answer 1.")
	if text := s.thread(s.issue); strings.Contains(text, "pull of ai-flow") || strings.Contains(text, "⏳") {
		t.Errorf("the thread:\n%s", text)
	}
	for _, push := range s.hub.Pushes() {
		if push.Grants != "contents:write metadata:read" {
			t.Errorf("pushed with a token for %q", push.Grants)
		}
	}
}

// A second /build goes on with the open pull request, on top of what people pushed there (F-34), also when the issue has
// another title by now (F-35); nothing of a person's is overwritten.
func TestSecondBuildGoesOn(t *testing.T) {
	s := newStage(t)
	s.writes(map[string]string{"retry.go": "package main\n"})
	s.ends(s.run(s.repo.Comment(s.issue, "ann", "/build")), render.Done)
	head := s.onlyPull().Head
	s.repo.PushTo(head, "ida@example.com", map[string]string{"ida.go": "package main // by ida\n"})
	tip := s.repo.Tip(head)
	s.repo.Retitle(s.issue, "Retry on 502 and 503")
	s.writes(map[string]string{"more.go": "package main\n"})
	s.ends(s.run(s.repo.Comment(s.issue, "ann", "/build 503 too")), render.Done)
	if p := s.onlyPull(); p.Head != head {
		t.Errorf("%+v", p)
	}
	if log := s.repo.Log(head); len(log) != 4 || !slices.Equal(log[0].Parents, []string{tip}) {
		t.Errorf("%+v", log)
	}
	if tree := s.repo.Tree(head); tree["ida.go"] == "" || tree["retry.go"] == "" || tree["more.go"] == "" {
		t.Errorf("%q", tree)
	}
	contains(t, "the thread", s.thread(s.issue), "added [`"+s.repo.Tip(head)[:7], "to [#2 Retry on 502](")
}

// A run that is started again finds what it did.
func TestBuildRunAgain(t *testing.T) {
	s := newStage(t)
	s.writes(map[string]string{"retry.go": "package main\n"})
	e := s.repo.Comment(s.issue, "ann", "/build")
	s.ends(s.run(e), render.Done)
	before := s.repo.Snapshot()
	again := s.job(e)
	again.Attempt = 2
	s.ends(again.Run(t.Context()), render.Nothing)
	if after := s.repo.Snapshot(); after != before {
		t.Errorf("a second attempt made\n%s\nof\n%s", after, before)
	}
	if n := len(s.agent.prompts()); n != 1 {
		t.Errorf("the agent ran %d times", n)
	}
}

// Where a branch or pull request of an earlier build is not to be gone on with, a new one is made, and what is there stays.
func TestBuildBesideWhatIsThere(t *testing.T) {
	const first, second = "ai/1-retry-on-502", "ai/1-retry-on-502-2"
	tests := []struct {
		name  string
		there func(s *stage)
		says  string
	}{
		{"a person's branch of that name", func(s *stage) { s.repo.Branch(first, map[string]string{"x": "by ann\n"}) }, ""},
		{"a person's pull request from a branch of that name", func(s *stage) {
			s.repo.Pull("ann", "Mine", "<!-- ai-flow:build acme/app#1 -->", first, map[string]string{"x": "by ann\n"})
		}, ""},
		{"a pull request that a person closed", func(s *stage) { s.built(func(n int) { s.repo.ClosePull(n) }) }, "was closed without being merged"},
		{"a pull request that was merged", func(s *stage) { s.built(func(n int) { s.repo.Merge(n) }) }, ""},
		{"names without regard to case", func(s *stage) { s.repo.Branch("ai/1-Retry-on-502", map[string]string{"x": "by ann\n"}) }, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newStage(t)
			tt.there(s)
			before := s.repo.Refs()
			s.writes(map[string]string{"retry.go": "package main // again\n"})
			s.ends(s.run(s.repo.Comment(s.issue, "ann", "/build")), render.Done)
			after := s.repo.Refs()
			for ref, oid := range before {
				if after[ref] != oid {
					t.Errorf("%s moved from %s to %s", ref, oid, after[ref])
				}
			}
			pulls := s.repo.Pulls()
			if p := pulls[len(pulls)-1]; p.Head != second || p.State != "open" {
				t.Errorf("%+v", pulls)
			}
			contains(t, "the thread", s.thread(s.issue), tt.says)
		})
	}
}

// built is a build whose pull request something has become of.
func (s *stage) built(then func(number int)) {
	s.writes(map[string]string{"retry.go": "package main\n"})
	s.ends(s.run(s.repo.Comment(s.issue, "ann", "/build")), render.Done)
	then(s.onlyPull().Number)
}

// What changed nothing opens nothing.
func TestBuildOfNothing(t *testing.T) {
	s := newStage(t)
	s.ends(s.run(s.repo.Comment(s.issue, "ann", "/build")), render.Nothing)
	if len(s.repo.Pulls()) != 0 || len(s.hub.Pushes()) != 0 {
		t.Errorf("%+v, %+v", s.repo.Pulls(), s.hub.Pushes())
	}
	contains(t, "the thread", s.thread(s.issue), "ℹ️ **/build** changed nothing.")
}

// F-17: a line in an issue, whoever wrote it, leads only to where the person who commands may write.
func TestTargetRepos(t *testing.T) {
	tests := []struct {
		name, line string
		lib        func(r *fakegithub.Repo)
		says       string
	}{
		{"one that the requester may not write to", "acme/lib", func(r *fakegithub.Repo) { r.Role("ann", "read") }, "`acme/lib`, which this run does not reach, or where you may not write"},
		{"one that is not there", "acme/nothing", nil, "`acme/nothing`, which this run does not reach"},
		{"another owner's", "evil/lib", nil, "evil/lib"},
		{"one that is archived", "acme/lib", func(r *fakegithub.Repo) { r.Archive() }, "archived"},
		{"one that is private", "acme/lib", func(r *fakegithub.Repo) { r.Private() }, "not as private"},
		{"an option", "--upload-pack=x", nil, "Target repos"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newStage(t)
			lib := s.hub.Repo("acme/lib", map[string]string{"lib.go": "package lib\n"})
			if tt.lib != nil {
				tt.lib(lib)
			}
			s.repo.SetBody(s.issue, "ann", "Target repos: acme/app, "+tt.line+"\n\n"+description)
			s.ends(s.run(s.repo.Comment(s.issue, "ann", "/build")), render.Refused)
			contains(t, "the thread", s.thread(s.issue), tt.says)
			if len(s.agent.prompts()) != 0 || len(s.hub.Pushes()) != 0 {
				t.Error("something was run or pushed")
			}
		})
	}
}

// One pass changes several repositories, each gets a pull request, and only the first closes the issue.
func TestBuildInTwoRepositories(t *testing.T) {
	s := newStage(t)
	lib := s.hub.Repo("acme/lib", map[string]string{"lib.go": "package lib\n"})
	lib.Issue("ida", "Another", "Another issue of the same number.")
	s.repo.SetBody(s.issue, "ann", "Target repos: acme/app, lib\n\n"+description)
	s.agent.build = func(dir string) {
		trees, err := filepath.Glob(filepath.Dir(dir) + "/tree*")
		if err != nil || len(trees) != 2 {
			t.Errorf("the trees are %q, %v", trees, err)
		}
		for _, d := range trees {
			if err := os.WriteFile(filepath.Join(d, "both.go"), []byte("package both\n"), 0o644); err != nil {
				t.Error(err)
			}
		}
	}
	s.ends(s.run(s.repo.Comment(s.issue, "ann", "/build")), render.Done)
	contains(t, "the description", s.onlyPull().Body, "Closes acme/app#1")
	theirs := lib.Pulls()
	if len(theirs) != 1 || theirs[0].Head != "ai/app.1-retry-on-502" || strings.Contains(theirs[0].Body, "Closes") {
		t.Fatalf("%+v", theirs)
	}
	contains(t, "the description", theirs[0].Body, "Part of acme/app#1")
	contains(t, "the thread", s.thread(s.issue), "opened [#2 Retry on 502](", "acme/lib", "opened [#2 Retry on 502]("+s.hub.URL()+"/acme/lib/pull/2)")
	if lib.Tree(theirs[0].Head)["both.go"] == "" || s.repo.Tree(s.onlyPull().Head)["both.go"] == "" {
		t.Error("a change is missing")
	}
}
