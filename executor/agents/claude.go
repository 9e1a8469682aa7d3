package agents

import "strings"

// claude is Anthropic's Claude Code behind its ACP adapter (npm @agentclientprotocol/claude-agent-acp, node 22 or later).
// To a provider of one's own: ANTHROPIC_BASE_URL, without /v1, beside ANTHROPIC_API_KEY.
func claude() Profile {
	return Profile{
		Name: "claude", Title: "Claude Code", Status: Qualified,
		Verified: "driven in tests at version 0.101.0 of the adapter as another user against a loopback model on Linux x64, 2026-11-30: asks before a command that writes and before an edit, " +
			"a tree's .claude/settings.json does not change that; its key is kept from commands; usage and cost are reported. As root it has no bypassPermissions. " +
			"Not verified: Anthropic's own models, accounts and logins",
		Binary:     "claude-agent-acp",
		Credential: "ANTHROPIC_API_KEY",
		Settings:   []string{"ANTHROPIC_BASE_URL", "ANTHROPIC_MODEL"},
		Env: func(state string) map[string]string {
			return map[string]string{
				"CLAUDE_CONFIG_DIR":                        state + "/claude",
				"CLAUDE_ENV_FILE":                          state + "/claude/shell.sh",
				"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
				"CLAUDE_CODE_IDE_SKIP_AUTO_INSTALL":        "1",
				"DISABLE_AUTOUPDATER":                      "1",
				"DISABLE_TELEMETRY":                        "1",
			}
		},
		Files: map[string]string{
			"claude/settings.json": `{"disableAllHooks":true,"enableAllProjectMcpServers":false,"includeCoAuthoredBy":false}` + "\n",
			// Read before each command: CLAUDE_CODE_SUBPROCESS_ENV_SCRUB left the key where it was.
			"claude/shell.sh": "unset ANTHROPIC_API_KEY\n",
		},
		ModelVariable: "ANTHROPIC_MODEL",
		Asking:        "default",
		FullAccess:    "bypassPermissions",
		Via:           Callback,
		WhyVia:        "its default mode asks for what changes something, though not for cat, echo and reads; bypassPermissions asks nothing and refuses to run as root",
		Noise: func(text string) bool {
			return strings.HasPrefix(text, "**Auto mode unavailable:**")
		},
		// Seen with 0.101.0: the tool answers at once ("Command running in background with ID: …"), and so the turn ends while the
		// command runs; it is ended with the agent.
		Background: map[string]any{"run_in_background": true},
		Loopback: func(root, key string) map[string]string {
			return map[string]string{"ANTHROPIC_BASE_URL": root, "ANTHROPIC_API_KEY": key, "ANTHROPIC_MODEL": "claude-sonnet-4-5"}
		},
	}
}
