package commands

import (
	"strings"
	"testing"

	"github.com/d3mlabs/ai-flow/commands/git"
)

// H7-09: what lies in the directories of workflows and of actions, in whatever case, and nothing else.
func TestIsWorkflow(t *testing.T) {
	for path, want := range map[string]bool{
		".github/workflows/ci.yml": true, ".github/workflows/deep/ci.yml": true, ".GITHUB/Workflows/ci.yml": true, ".github/wor\u212aflow\u017f/ci.yml": true,
		".github/actions/a/action.yml": true, ".github/actions/a/dist/index.js": true, ".GitHub/ACTIONS/x": true, ".github/action\u017f/x": true,
		".github./workflows/a": true, ".git\u200chub/workflows /a": true, `.github\workflows\a`: true,
		"GITHUB~1/workflows/x": true, "github~4/WORKFL~1/deep/x": true, ".github/workfl~2/x": true, "GITHUB~1/actions/a/action.yml": true, "GITHUB~1 ./Workflows/x": true,
		"github~1/x": false, "github~1": false, "github~/workflows/x": false, "github~10/workflows/x": false, "github/workflows/x": false, ".github/workfl~1": false, "xgithub~1/workflows/x": false,
		".github/workflows": false, ".github/actions": false, ".github": false, ".github/workflowsx/a": false, ".github/actionsx/a": false,
		"d/.github/workflows/a": false, "d/.github/actions/a": false, "actions/a": false, "": false,
	} {
		if got := isWorkflow(path); got != want {
			t.Errorf("%q: %v", path, got)
		}
	}
}

// A link or a file in the place of a directory of the wall would lead around it.
func TestWorkflowDirs(t *testing.T) {
	for _, dir := range workflowDirs {
		if dir != strings.ToLower(dir) || isWorkflow(dir) || !isWorkflow(dir+"/x/y") && dir != ".github" {
			t.Errorf("%q", dir)
		}
	}
	for _, path := range []string{".github/workflows/x", ".github/actions/x"} {
		dirs := 0
		for _, dir := range workflowDirs {
			if strings.HasPrefix(path, dir+"/") {
				dirs++
			}
		}
		if dirs != 2 {
			t.Errorf("%d directories lead to %q", dirs, path)
		}
	}
}

func TestFlagged(t *testing.T) {
	for path, want := range map[string]bool{
		"action.yml": true, "tools/lint/action.yaml": true, "Tools/Action.YML": true, ".github/ISSUE_TEMPLATE/action.yml": true,
		".github/dependabot.yml": true, ".github/ai-flow.yml": true, ".github/hooks/a.json": true, ".github/settings.yml": true, ".GITHUB/dependabot.yaml": true,
		"CODEOWNERS": true, ".github/CODEOWNERS": true, "docs/CODEOWNERS": true, "codeowners": true,
		".gitmodules": true, ".gitattributes": true, "deep/down/.gitattributes": true, ".lfsconfig": true,
		".pre-commit-config.yaml": true, "web/.husky/pre-commit": true, ".githooks/pre-push": true, ".devcontainer/devcontainer.json": true, "sub/.vscode/tasks.json": true,
		".envrc": true, "web/.npmrc": true, ".gitlab-ci.yml": true, ".circleci/config.yml": true, "Jenkinsfile": true, ".hu\u017f\u212ay/pre-commit": true,

		"": false, "a.go": false, "README.md": false, "transaction.yml": false, "action.yml/x": false, "docs/action.yml.md": false,
		".github/CONTRIBUTING.md": false, ".github/ISSUE_TEMPLATE/bug.yml": false, ".github/pull_request_template.md": false, ".github/images/logo.png": false,
		"lib/CODEOWNERS": false, "lib/.gitmodules": false, "lib/Jenkinsfile": false, "lib/.circleci/config.yml": false, "github/x.yml": false, "a/.github/x.yml": false,
		".husky": false, "x.husky/a": false, "notaction.yml": false, "vscode/tasks.json": false, ".gitignore": false, "Makefile": false,
	} {
		if got := flagged(path); got != want {
			t.Errorf("%q: %v", path, got)
		}
	}
}

// Each row has a reason, is spelt as it is compared, and is told by something.
func TestPlaced(t *testing.T) {
	seen := map[string]bool{}
	for _, p := range placed {
		example := strings.TrimPrefix(p.pattern, "/")
		if strings.HasSuffix(example, "/") {
			example += "x.yml"
		}
		if p.why == "" || p.pattern != git.Fold(p.pattern) || seen[p.pattern] || !flagged(example) || !flagged(strings.ToUpper(example)) {
			t.Errorf("%+v", p)
		}
		seen[p.pattern] = true
	}
}
