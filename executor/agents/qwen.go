package agents

// qwen is Qwen Code (npm @qwen-code/qwen-code, node 22 or later). To a provider of one's own: OPENAI_BASE_URL, with /v1, and
// OPENAI_MODEL beside OPENAI_API_KEY. No folder is trusted, so a tree's settings are not loaded; the price is its mode
// yolo, which it then refuses, and which the callback does without.
func qwen() Profile {
	return Profile{
		Name: "qwen", Title: "Qwen Code", Status: Qualified,
		Verified: "driven in tests at version 0.24.4 as another user against a loopback model on Linux x64, 2026-11-30: asks before a command that writes and before an edit, " +
			"a tree's .qwen/settings.json does not change that; usage is reported. No setting was found that keeps its key from commands: they see OPENAI_API_KEY. " +
			"Not verified: other kinds of login than OpenAI's key",
		Binary:     "qwen",
		Args:       []string{"--acp", "--auth-type", "openai"},
		Credential: "OPENAI_API_KEY",
		Settings:   []string{"OPENAI_BASE_URL", "OPENAI_MODEL"},
		Env: func(state string) map[string]string {
			return map[string]string{"QWEN_CODE_SYSTEM_SETTINGS_PATH": state + "/qwen/settings.json"}
		},
		Files: map[string]string{"qwen/settings.json": `{"security":{"auth":{"selectedType":"openai"},"folderTrust":{"enabled":true}},` +
			`"general":{"disableAutoUpdate":true},"privacy":{"usageStatisticsEnabled":false},"telemetry":{"enabled":false},"ide":{"enabled":false}}` + "\n"},
		ModelVariable: "OPENAI_MODEL",
		Asking:        "default",
		Via:           Callback,
		WhyVia:        "its default mode asks; the mode it starts in, auto, writes inside the tree without asking; yolo it refuses in a folder that is not trusted",
		// Seen with 0.24.4: the tool answers at once ("Background shell started."), and so the turn ends while the command runs; it
		// is ended with the agent.
		Background: map[string]any{"is_background": true},
		Loopback: func(root, key string) map[string]string {
			return map[string]string{"OPENAI_BASE_URL": root + "/v1", "OPENAI_API_KEY": key, "OPENAI_MODEL": "loopback-model"}
		},
	}
}
