package agents

import "strings"

// codex is OpenAI's Codex behind its ACP adapter (npm @agentclientprotocol/codex-acp).
func codex() Profile {
	return Profile{
		Name: "codex", Title: "OpenAI Codex", Status: Candidate,
		Verified:   "wire observed with codex-acp 2.6.0 and codex 0.166.0 against a loopback model, 2026-11; not yet driven by the tests of this program",
		Binary:     "codex-acp",
		Credential: "OPENAI_API_KEY",
		Settings:   []string{"OPENAI_BASE_URL"},
		// Not below a temporary directory: there its sandbox's own program is missing, and every command fails.
		Env:   func(state string) map[string]string { return map[string]string{"CODEX_HOME": state + "/codex"} },
		Files: map[string]string{"codex/config.toml": "check_for_update_on_startup = false\n\n[analytics]\nenabled = false\n\n[history]\npersistence = \"none\"\n"},

		Asking:     "read-only",
		FullAccess: "agent-full-access",
		Via:        ByMode,
		WhyVia:     "its other modes keep commands in a sandbox of its own and deny without asking: the user account is the boundary here",
		Noise: func(text string) bool {
			return strings.HasPrefix(text, "Warning: Model metadata for `") && strings.Contains(text, "` not found")
		},
	}
}
