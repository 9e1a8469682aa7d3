// Package realagent finds agents from npm that are installed for tests. It installs nothing itself: what is missing is
// skipped with the command that brings it, and is a failure under AI_FLOW_CI=1.
package realagent

import (
	"os"
	"testing"
)

// The versions of GitHub Copilot that are tested: the pinned one, and the newest when this was written.
const (
	CopilotPinned = "1.0.88"
	CopilotNewest = "1.0.102"
)

// Copilot is the path of GitHub Copilot's own platform executable (not of a loader script, A2-5) at the version.
func Copilot(t testing.TB, version string) string {
	t.Helper()
	return installed(t, "GitHub Copilot "+version, "copilot-"+version, "@github/copilot-linux-x64@"+version, "@github/copilot-linux-x64/copilot")
}

// root is where agents for tests are installed: AI_FLOW_TEST_AGENTS, or a directory that other users can reach.
func root() string {
	if dir := os.Getenv("AI_FLOW_TEST_AGENTS"); dir != "" {
		return dir
	}
	return "/opt/aift-agents"
}
