package agents

import "strings"

// claude is Anthropic's Claude Code behind its ACP adapter (npm @agentclientprotocol/claude-agent-acp, node 22 or later).
func claude() Profile {
	return Profile{
		Name: "claude", Title: "Claude Code", Status: Candidate,
		Verified:   "wire observed with claude-agent-acp 0.101.0 against a loopback model, 2026-11; not yet driven by the tests of this program",
		Binary:     "claude-agent-acp",
		Credential: "ANTHROPIC_API_KEY",
		Settings:   []string{"ANTHROPIC_BASE_URL", "ANTHROPIC_MODEL"},
		Env: func(state string) map[string]string {
			return map[string]string{
				"CLAUDE_CONFIG_DIR":                        state + "/claude",
				"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
				"CLAUDE_CODE_IDE_SKIP_AUTO_INSTALL":        "1",
				"DISABLE_AUTOUPDATER":                      "1",
				"DISABLE_TELEMETRY":                        "1",
			}
		},
		Files:         map[string]string{"claude/settings.json": `{"disableAllHooks":true,"enableAllProjectMcpServers":false,"includeCoAuthoredBy":false}` + "\n"},
		ModelVariable: "ANTHROPIC_MODEL",
		Asking:        "default",
		FullAccess:    "bypassPermissions",
		Via:           Callback,
		WhyVia:        "its default mode asks for what changes something, though not for cat, echo and reads; bypassPermissions asks nothing and refuses to run as root",
		Noise: func(text string) bool {
			return strings.HasPrefix(text, "**Auto mode unavailable:**")
		},
	}
}
