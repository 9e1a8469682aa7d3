package commands

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/d3mlabs/ai-flow/render"
)

func TestBuild(t *testing.T) {
	s := newStage(t, "# Plan\n")
	s.agent.say = []string{"Made b."}
	s.agent.act = func(s scene) {
		s.write("dir/b.go", "package b\n\nvar x int\n")
		s.write("a.go", "package aa\n")
	}
	out := s.run(t.Context(), "/build Retry on 502!\n\nWith jitter.")
	if out.Result.Outcome != render.Done || out.Branch != "ai/try-retry-on-502" {
		t.Fatalf("%+v, %v", out.Result, out.Err)
	}
	want := "committed " + string(out.Commit[:10]) + " on the branch `ai/try-retry-on-502`: 2 files, +4 −1."
	if out.Result.Headline != want || len(out.Result.Changes) != 2 || !out.Result.Segments[0].OK || out.Result.Segments[0].Text != "Made b." {
		t.Errorf("%+v, want %q", out.Result, want)
	}
	if c := out.Report.Commits; len(c) != 1 || c[0].OID != string(out.Commit) || c[0].Branch != out.Branch || len(out.Report.Changes) != 2 {
		t.Errorf("%+v", out.Report)
	}
	message := s.git("log", "-1", "--format=%an <%ae>|%cn|%B", out.Branch)
	if wanted := "ai-flow[bot] <ai-flow[bot]@users.noreply.github.com>|ai-flow[bot]|ai-flow /build: Retry on 502!\n\n" +
		"Co-authored-by: octocat <583231+octocat@users.noreply.github.com>\n"; strings.TrimSpace(message) != strings.TrimSpace(wanted) {
		t.Errorf("commit %q, want %q", message, wanted)
	}
	if files := s.git("show", "--name-only", "--format=", out.Branch); files != "a.go\ndir/b.go\n" {
		t.Errorf("the commit holds %q", files)
	}
	if parent, head := s.git("rev-parse", out.Branch+"^"), s.git("rev-parse", "main"); parent != head || s.git("status", "--porcelain") != "" {
		t.Errorf("parent %q of head %q, status %q", parent, head, s.git("status", "--porcelain"))
	}
	if !strings.Contains(s.agent.tasks[0].Prompt, "Branch: ai/try-retry-on-502\n") {
		t.Error("the prompt does not name the branch")
	}
}

// F-34: a second /build never overwrites what is there, whoever's it is.
func TestBuildTakesTheNextFreeName(t *testing.T) {
	s := newStage(t, "")
	s.agent.act = func(s scene) { s.write("b.go", "package b\n") }
	first := s.run(t.Context(), "/build it")
	second := s.run(t.Context(), "/build it")
	if first.Branch != "ai/try-it" || second.Branch != "ai/try-it-2" || s.git("rev-parse", "ai/try-it") != string(first.Commit)+"\n" {
		t.Errorf("%q, then %q", first.Branch, second.Branch)
	}
}

func TestBuildOutcomes(t *testing.T) {
	tests := []struct {
		name     string
		comment  string
		act      func(s scene)
		loud     bool
		outcome  render.Outcome
		headline string
		notes    string
		patch    string // holds, "" for none
		refused  string // is said to a reader
		commit   bool
	}{
		{name: "nothing changed", comment: "/build x", outcome: render.Nothing, headline: "changed nothing."},
		{name: "F-36 the agent commits and switches", comment: "/build x", act: func(s scene) {
			s.write("b.go", "package b\n")
			s.git("checkout", "-q", "-b", "elsewhere")
			s.git("add", "-A")
			s.git("commit", "-q", "-m", "mine")
		}, outcome: render.Done, headline: "1 file, +1 −0", commit: true},
		{name: "H8-06 a repository inside", comment: "/build x", act: func(s scene) {
			s.write("b.go", "package b\n")
			if err := os.Mkdir(filepath.Join(s.tree, "inner"), 0o755); err != nil {
				s.t.Fatal(err)
			}
			s.git("-C", "inner", "init", "-q")
			s.write("inner/x", "x")
			s.git("-C", "inner", "add", "-A")
			s.git("-C", "inner", "commit", "-q", "-m", "x")
		}, outcome: render.Refused, headline: "nothing was", refused: "`inner` (a git repository inside the tree)"},
		{name: "a link out of the tree", comment: "/build x", act: func(s scene) {
			if err := os.Symlink("/etc/passwd", filepath.Join(s.tree, "link")); err != nil {
				s.t.Fatal(err)
			}
		}, outcome: render.Refused, headline: "nothing was", refused: "`link`"},
		{name: "H7-09 workflows and code", comment: "/build x", act: func(s scene) {
			s.write(".github/workflows/ci.yml", "on: pull_request\n")
			s.write(".github/workflows/new.yml", "on: push\n")
			s.write("b.go", "package b\n")
		}, outcome: render.Done, headline: "1 file, +1 −0", notes: "Files under .github/workflows/", patch: "new.yml", commit: true},
		{name: "H7-11 a workflow moved away", comment: "/build x", act: func(s scene) {
			if err := os.Rename(filepath.Join(s.tree, ".github/workflows/ci.yml"), filepath.Join(s.tree, "ci.yml")); err != nil {
				s.t.Fatal(err)
			}
		}, outcome: render.Done, headline: "1 file, +1 −0", patch: "deleted file", commit: true},
		{name: "only workflows", comment: "/build x", act: func(s scene) {
			s.write(".github/workflows/deep/new.yml", "on: push\n")
		}, outcome: render.Done, headline: "only workflow files", patch: "deep/new.yml"},
		{name: "a file in the place of the workflows", comment: "/build x", act: func(s scene) {
			if err := os.RemoveAll(filepath.Join(s.tree, ".github/workflows")); err != nil {
				s.t.Fatal(err)
			}
			s.write(".github/workflows", "x")
			s.write("b.go", "package b\n")
		}, outcome: render.Refused, headline: "nothing was", refused: "only a directory may have this name"},
		{name: "a file in the place of .github", comment: "/build x", act: func(s scene) {
			if err := os.RemoveAll(filepath.Join(s.tree, ".github")); err != nil {
				s.t.Fatal(err)
			}
			s.write(".github", "x")
		}, outcome: render.Refused, headline: "nothing was", refused: "only a directory may have this name"},
		{name: "a link in the place of .github, in another case", comment: "/build x", act: func(s scene) {
			if err := os.Symlink("src", filepath.Join(s.tree, ".GitHub")); err != nil {
				s.t.Fatal(err)
			}
			s.write("b.go", "package b\n")
		}, outcome: render.Refused, headline: "nothing was", refused: "`.GitHub` (only a directory may have this name)"},
		{name: "a workflow too large for a patch", comment: "/build x", act: func(s scene) {
			s.write(".github/workflows/new.yml", strings.Repeat("# x\n", maxPatch/4))
			s.write("b.go", "package b\n")
		}, outcome: render.Failed, headline: "nothing was committed"},
		{name: "other files of .github", comment: "/build x", act: func(s scene) { s.write(".github/CODEOWNERS", "* @a\n") },
			outcome: render.Done, headline: "1 file, +1 −0", commit: true},
		{name: "not swept by the launch", comment: "/build x", act: func(s scene) { s.write("b.go", "package b\n") }, loud: true,
			outcome: render.Done, headline: "1 file", commit: true},
		{name: "without anything to go by", comment: "/build", outcome: render.Refused, headline: "has no text, and there is no document"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newStage(t, "")
			s.agent.act, s.agent.loud = tt.act, tt.loud
			out := s.run(t.Context(), tt.comment)
			if out.Result.Outcome != tt.outcome || !strings.Contains(out.Result.Headline, tt.headline) {
				t.Errorf("%v %q (%v), want %v %q", out.Result.Outcome, out.Result.Headline, out.Err, tt.outcome, tt.headline)
			}
			if notes := strings.Join(out.Result.Notes, "\n"); !strings.Contains(notes, tt.notes) {
				t.Errorf("notes %q, want %q", notes, tt.notes)
			}
			if comment := render.Comment(out.Result); !strings.Contains(comment, tt.refused) {
				t.Errorf("no %q in %s", tt.refused, comment)
			}
			if (out.Commit != "") != tt.commit || (out.Branch != "") != tt.commit {
				t.Errorf("commit %q on %q", out.Commit, out.Branch)
			}
			branches := s.git("for-each-ref", "--format=%(refname)", "refs/heads")
			if (branches != "refs/heads/main\n") != tt.commit {
				t.Errorf("branches %q", branches)
			}
			if tt.commit {
				if files := s.git("diff", "--name-only", "main", out.Branch); strings.Contains(files, ".github/workflows") || strings.Contains(files, ".gitignore") {
					t.Errorf("the commit holds %q", files)
				}
			}
			s.checkPatch(out, tt.patch)
		})
	}
}

// workflowPatch is the one patch of a result; nil for none.
func workflowPatch(out Outcome) []byte {
	for _, p := range out.Result.Patches {
		if p.Kind == render.PatchWorkflows {
			return p.Bytes
		}
	}
	return nil
}

// checkPatch applies the patch of workflow files where a person would: on the commit, or on the base.
func (s *stage) checkPatch(out Outcome, holds string) {
	s.t.Helper()
	patch := workflowPatch(out)
	if (patch != nil) != (holds != "") || !strings.Contains(string(patch), holds) {
		s.t.Fatalf("patch %q, want %q", patch, holds)
	}
	if holds == "" {
		return
	}
	if out.Branch != "" {
		s.git("checkout", "-q", out.Branch)
	}
	path := filepath.Join(s.t.TempDir(), "p")
	if err := os.WriteFile(path, patch, 0o600); err != nil {
		s.t.Fatal(err)
	}
	s.git("apply", "--check", path)
	for line := range strings.Lines(string(patch)) {
		if strings.HasPrefix(line, "diff --git ") && !strings.Contains(line, " a/.github/workflows/") {
			s.t.Errorf("the patch reaches beyond the workflows: %q", line)
		}
	}
	if !out.Report.Workflows {
		s.t.Error("the report does not say so")
	}
}

func (s scene) git(args ...string) {
	s.t.Helper()
	cmd := exec.Command("git", append([]string{"-C", s.tree, "-c", "user.name=a", "-c", "user.email=a@a"}, args...)...)
	if out, err := cmd.CombinedOutput(); err != nil {
		s.t.Fatalf("git %q: %v\n%s", args, err, out)
	}
}

// ciSkip are the words by which a commit keeps checks from running (F-41).
var ciSkip = regexp.MustCompile(`(?i)\[(?:skip[ -]ci|ci[ -]skip|no[ -]ci|skip[ -]actions|actions[ -]skip)\]|\*\*\*no_ci\*\*\*|skip-checks:\s*true`)

func TestSubject(t *testing.T) {
	tests := []struct{ text, want string }{
		{"Retry on 502", "Retry on 502"},
		{"two\nlines\tand\ttabs", "two lines and tabs"},
		{"F-41 [skip ci] now [CI-SKIP]", "F-41 now"},
		{"[skip [skip ci]ci]", ""},
		{"H2-10 this fixes #18 by @somebody", "H2-10 this fixes 18 by somebody"},
		{"a\x1b[1mb\u202ec", "abc"},
		{"S7 fixes GH-12 and closes http://h/acme/app/issues/3", "S7 fixes GH 12 and closes h/acme/app/issues/3"},
		{"a\u115fb\u3164c\ufe0fd\U000e0101e\u200df\ue000g", "abcdefg"},
		{strings.Repeat("é", 100), strings.Repeat("é", 59) + "…"},
	}
	for _, tt := range tests {
		got := subject(tt.text)
		if tt.text == "[skip [skip ci]ci]" {
			if ciSkip.MatchString(got) {
				t.Errorf("%q still skips: %q", tt.text, got)
			}
			continue
		}
		if got != tt.want {
			t.Errorf("%q becomes %q, want %q", tt.text, got, tt.want)
		}
	}
}

func TestBranchName(t *testing.T) {
	tests := []struct {
		number             int
		title, instruction string
		want               string
	}{
		{7, "Retry: on 502!", "x", "ai/7-retry-on-502"},
		{7, "../../etc", "", "ai/7-etc"},
		{7, "日本語", "", "ai/7-build"},
		{0, "", "Fix the thing\nand more", "ai/try-fix-the-thing"},
		{0, "", "", "ai/try-build"},
		{0, "", strings.Repeat("a", 39) + " b", "ai/try-" + strings.Repeat("a", 39)},
	}
	for _, tt := range tests {
		r := &run{Flow: &Flow{}, Request: Request{Number: tt.number, Title: tt.title, Comment: Comment{Segments: []Segment{{Instruction: tt.instruction}}}}}
		if got := r.branchName(); got != tt.want {
			t.Errorf("%+v: %q", tt, got)
		}
	}
}

func TestCoAuthor(t *testing.T) {
	tests := []struct {
		person Person
		want   string
	}{
		{Person{"octocat", 1}, "Co-authored-by: octocat <1+octocat@users.noreply.github.com>"},
		{Person{"octocat", 0}, "Co-authored-by: octocat <octocat@users.noreply.github.com>"},
		{Person{}, ""}, {Person{"a b", 1}, ""}, {Person{"x\nSigned-off-by: y", 1}, ""}, {Person{"app[bot]", 1}, ""},
	}
	for _, tt := range tests {
		if got := coAuthor(tt.person); got != tt.want {
			t.Errorf("%+v: %q, want %q", tt.person, got, tt.want)
		}
	}
}
