package agents

import "strings"

// gemini is Google's Gemini CLI (npm @google/gemini-cli). To a provider of one's own: GOOGLE_GEMINI_BASE_URL, without
// /v1beta, beside GEMINI_API_KEY.
//
// Its settings are those of a home of its own: a file of system settings (GEMINI_CLI_SYSTEM_SETTINGS_PATH) is skipped
// when root does not own its directory. No folder is trusted, so a tree's settings and hooks are not loaded; the price is
// its mode yolo, which it then refuses, and which the callback does without.
func gemini() Profile {
	return Profile{
		Name: "gemini", Title: "Gemini CLI", Status: Qualified,
		Verified: "driven in tests at version 0.61.0 as another user against a loopback model on Linux x64, 2026-11-30: asks before a command that writes and before an edit, " +
			"a tree's .gemini/settings.json and hooks are not loaded; its key is kept from commands; usage is reported. " +
			"It gives no exit status of commands. Not verified: Google's own models, accounts and logins",
		Binary:     "gemini",
		Args:       []string{"--acp"},
		Credential: "GEMINI_API_KEY",
		Settings:   []string{"GOOGLE_GEMINI_BASE_URL", "GEMINI_MODEL"},
		Env: func(state string) map[string]string {
			return map[string]string{"GEMINI_CLI_HOME": state + "/gemini"}
		},
		// A plain shell, since an interactive one sends no output over ACP, and denials would be lost.
		Files: map[string]string{"gemini/.gemini/settings.json": `{"security":{"auth":{"selectedType":"gemini-api-key"},"folderTrust":{"enabled":true},"environmentVariableRedaction":{"enabled":true}},` +
			`"general":{"enableAutoUpdate":false,"enableAutoUpdateNotification":false},"privacy":{"usageStatisticsEnabled":false},"telemetry":{"enabled":false},` +
			`"tools":{"shell":{"enableInteractiveShell":false},"enableHooks":false},"ide":{"enabled":false},"mcp":{"allowed":[]}}` + "\n"},
		ModelVariable: "GEMINI_MODEL",
		Asking:        "default",
		Via:           Callback,
		WhyVia:        "its default mode asks for what changes something, though not for simple cat and echo; yolo, which asks nothing, it refuses in a folder that is not trusted",
		Noise: func(text string) bool {
			mode, ok := strings.CutPrefix(strings.TrimSpace(text), "[MODE_UPDATE] ")
			return ok && !strings.ContainsAny(mode, " \r\n")
		},
		// Seen with 0.61.0: the tool answers at once ("Command moved to background (PID: …)"), and so the turn ends while the
		// command runs; it is ended with the agent.
		Background: map[string]any{"is_background": true},
		Loopback: func(root, key string) map[string]string {
			return map[string]string{"GOOGLE_GEMINI_BASE_URL": root, "GEMINI_API_KEY": key, "GEMINI_MODEL": "gemini-2.5-flash"}
		},
	}
}
