package agents

// qwen is Qwen Code (npm @qwen-code/qwen-code, node 22 or later).
func qwen() Profile {
	return Profile{
		Name: "qwen", Title: "Qwen Code", Status: Candidate,
		Verified:   "wire observed with 0.24.4 against a loopback model, 2026-11; not yet driven by the tests of this program",
		Binary:     "qwen",
		Args:       []string{"--acp", "--auth-type", "openai"},
		Credential: "OPENAI_API_KEY",
		Settings:   []string{"OPENAI_BASE_URL", "OPENAI_MODEL"},
		Env: func(state string) map[string]string {
			return map[string]string{"QWEN_CODE_SYSTEM_SETTINGS_PATH": state + "/qwen/settings.json"}
		},
		Files: map[string]string{"qwen/settings.json": `{"security":{"auth":{"selectedType":"openai"},"folderTrust":{"enabled":false}},` +
			`"general":{"disableAutoUpdate":true},"privacy":{"usageStatisticsEnabled":false},"telemetry":{"enabled":false},"ide":{"enabled":false}}` + "\n"},
		ModelVariable: "OPENAI_MODEL",
		Asking:        "default",
		FullAccess:    "yolo",
		Via:           Callback,
		WhyVia:        "its default mode asks; the mode it starts in, auto, writes inside the tree without asking",
	}
}
