package agents

import (
	"fmt"
	"strings"
)

// codex is OpenAI's Codex behind its ACP adapter (npm @agentclientprotocol/codex-acp). To a provider of
// one's own: CODEX_CONFIG, the JSON of a config.toml, with model, model_provider, and in model_providers its base_url,
// wire_api "responses", env_key "OPENAI_API_KEY" and requires_openai_auth false. The key belongs in OPENAI_API_KEY alone:
// CODEX_CONFIG is not kept from commands.
func codex() Profile {
	return Profile{
		Name: "codex", Title: "OpenAI Codex", Status: Candidate,
		Verified: "driven in tests at version 2.6.0 of the adapter (codex 0.166.0) as another user against a loopback model on Linux x64, 2026-11-30: full access by mode runs commands and edits; " +
			"its key is kept from commands; usage is reported. A candidate still, since in its asking mode it does not ask for a command: its sandbox denies the write, as a read-only " +
			"file system, which is no want; edits are asked for, by the wire. Now and then the first call of a turn is not reported at all. Not verified: OpenAI's own service; OPENAI_BASE_URL alone did not answer",
		Binary:     "codex-acp",
		Credential: "OPENAI_API_KEY",
		Settings:   []string{"OPENAI_BASE_URL", "CODEX_CONFIG"},
		// Not below a temporary directory: there its sandbox's own program is missing, and every command fails.
		Env: func(state string) map[string]string {
			return map[string]string{
				"CODEX_HOME":           state + "/codex",
				"DEFAULT_AUTH_REQUEST": `{"methodId":"api-key"}`, // else a key alone is answered with a wish for a login
			}
		},
		Files: map[string]string{"codex/config.toml": "check_for_update_on_startup = false\n\n[analytics]\nenabled = false\n\n[history]\npersistence = \"none\"\n\n[shell_environment_policy]\nignore_default_excludes = false\n"},

		Asking:     "read-only",
		FullAccess: "agent-full-access",
		Via:        ByMode,
		WhyVia:     "its other modes keep commands in a sandbox of its own and deny without asking: the user account is the boundary here",
		Noise: func(text string) bool {
			return strings.HasPrefix(text, "Warning: Model metadata for `") && strings.Contains(text, "` not found")
		},
		// Seen with 2.6.0 (codex 0.166.0): the tool answers after these milliseconds, the call stays in_progress for good, and the
		// turn ends while the command runs; it is ended with the agent.
		Background: map[string]any{"yield_time_ms": 250},
		// A model that it knows, since apply_patch is offered to no other.
		Loopback: func(root, key string) map[string]string {
			return map[string]string{"OPENAI_API_KEY": key, "CODEX_CONFIG": fmt.Sprintf(`{"model":"gpt-5.5","model_provider":"loopback","model_providers":{"loopback":`+
				`{"name":"loopback","base_url":%q,"wire_api":"responses","env_key":"OPENAI_API_KEY","requires_openai_auth":false}}}`, root+"/v1")}
		},
	}
}
