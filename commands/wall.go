package commands

import (
	"path"
	"regexp"
	"strings"

	"github.com/d3mlabs/ai-flow/commands/git"
)

// workflowDirs lead to what isWorkflow names. A link in the place of one would be the way around the wall.
var workflowDirs = [...]string{".github", ".github/workflows", ".github/actions"}

// isWorkflow is the wall: what runners run before anybody has looked at it, workflows and the actions beside them, in every
// spelling that some file system takes for theirs. Of the short names of NTFS these are the ones that it makes of what stands
// there in most cases: another one is only made beside four names that begin alike.
func isWorkflow(p string) bool { return walled.MatchString(git.Fold(p)) }

var walled = regexp.MustCompile(`^(?:\.github|github~[1-4])/(?:workflows|workfl~[1-4]|actions)/`)

// githubDir is the pattern of all that GitHub and its Apps read.
const githubDir = "/.github/"

// placed are files that do something by the place they stand in, and what that is. They are committed, since a task may
// need them, and a reviewer is told to look at them twice. A pattern is a path from the root ("/x"), a name that counts in
// every directory ("x"), or a directory with all that is below it ("x/").
var placed = [...]struct{ pattern, why string }{
	{"action.yml", "any workflow can run the action in this directory"},
	{"action.yaml", "the same"},
	{githubDir, "read by GitHub and its Apps: updates and their registries, settings, owners, hooks, our own policy"},
	{"/codeowners", "decides who must review"},
	{"/docs/codeowners", "decides who must review"},
	{".gitattributes", "names filters and merge drivers, and hides diffs from reviewers"},
	{"/.gitmodules", "brings in code of other repositories"},
	{"/.lfsconfig", "says which server gets the credentials of Git LFS"},
	{".pre-commit-config.yaml", "commands that run on the machines of people who commit"},
	{".pre-commit-hooks.yaml", "the same, for those who use this repository"},
	{".husky/", "git hooks"},
	{".githooks/", "git hooks"},
	{"lefthook.yml", "git hooks"},
	{".lefthook.yml", "git hooks"},
	{".devcontainer/", "commands that run when somebody opens a codespace"},
	{".devcontainer.json", "the same"},
	{".gitpod.yml", "commands that run when somebody opens a workspace"},
	{".vscode/", "tasks and settings that run programs when somebody opens the directory"},
	{".envrc", "commands that run when somebody enters the directory"},
	{".npmrc", "says where packages come from"},
	{".yarnrc.yml", "the same, and which program is Yarn"},
	{"/.gitlab-ci.yml", elsewhereCI},
	{"/.circleci/", elsewhereCI},
	{"/.buildkite/", elsewhereCI},
	{"/.travis.yml", elsewhereCI},
	{"/.drone.yml", elsewhereCI},
	{"/.cirrus.yml", elsewhereCI},
	{"/.appveyor.yml", elsewhereCI},
	{"/appveyor.yml", elsewhereCI},
	{"/azure-pipelines.yml", elsewhereCI},
	{"/bitbucket-pipelines.yml", elsewhereCI},
	{"/jenkinsfile", elsewhereCI},
}

const elsewhereCI = "the runners of another service obey it on the first push"

// flagged reports whether a changed path is one that a reviewer is to look at twice. What configures agents is for
// agents.Configures to say.
func flagged(p string) bool {
	folded := git.Fold(p)
	for _, f := range placed {
		if stands(folded, f.pattern) && !(f.pattern == githubDir && forPeople(folded[len(githubDir)-1:])) {
			return true
		}
	}
	return false
}

// forPeople reports whether a path below .github is only ever read: texts, and what people are asked in forms.
func forPeople(rest string) bool {
	dir, _, below := strings.Cut(rest, "/")
	ext := path.Ext(rest)
	return ext == ".md" || ext == ".png" || below && dir == "issue_template"
}

// stands reports whether a path is what a pattern of placed names. Both are folded.
func stands(p, pattern string) bool {
	fromRoot, rooted := strings.CutPrefix(pattern, "/")
	if !rooted {
		p, fromRoot = "/"+p, "/"+pattern
	}
	if strings.HasSuffix(fromRoot, "/") {
		return strings.HasPrefix(p, fromRoot) || !rooted && strings.Contains(p, fromRoot)
	}
	return p == fromRoot || !rooted && strings.HasSuffix(p, fromRoot)
}
