package commands

import "testing"

// H7-09: what lies in the workflows' directory, in whatever case, and nothing else.
func TestIsWorkflow(t *testing.T) {
	for path, want := range map[string]bool{
		".github/workflows/ci.yml": true, ".github/workflows/deep/ci.yml": true, ".GITHUB/Workflows/ci.yml": true, ".github/wor\u212aflow\u017f/ci.yml": true,
		".github/workflows": false, ".github": false, ".github/actions/a/action.yml": true, ".github/actions": false, ".github/workflowsx/a": false, "d/.github/workflows/a": false, "": false,
	} {
		if got := isWorkflow(path); got != want {
			t.Errorf("%q: %v", path, got)
		}
	}
}
