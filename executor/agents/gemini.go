package agents

import "strings"

// gemini is Google's Gemini CLI (npm @google/gemini-cli).
func gemini() Profile {
	return Profile{
		Name: "gemini", Title: "Gemini CLI", Status: Candidate,
		Verified:   "wire observed with 0.61.0 against a loopback model, 2026-11; not yet driven by the tests of this program",
		Binary:     "gemini",
		Args:       []string{"--acp"},
		Credential: "GEMINI_API_KEY",
		Settings:   []string{"GOOGLE_GEMINI_BASE_URL", "GEMINI_MODEL"},
		Env: func(state string) map[string]string {
			return map[string]string{"GEMINI_CLI_SYSTEM_SETTINGS_PATH": state + "/gemini/settings.json"}
		},
		// A plain shell, since an interactive one sends no output over ACP, and denials would be lost.
		Files: map[string]string{"gemini/settings.json": `{"security":{"auth":{"selectedType":"gemini-api-key"},"folderTrust":{"enabled":false}},` +
			`"general":{"disableAutoUpdate":true,"disableUpdateNag":true},"privacy":{"usageStatisticsEnabled":false},"telemetry":{"enabled":false},` +
			`"tools":{"shell":{"enableInteractiveShell":false},"enableHooks":false},"ide":{"enabled":false},"mcp":{"allowed":[]}}` + "\n"},
		ModelVariable: "GEMINI_MODEL",
		Asking:        "default",
		FullAccess:    "yolo",
		Via:           Callback,
		WhyVia:        "its default mode asks for what changes something, though not for simple cat and echo; yolo asks nothing",
		Noise: func(text string) bool {
			mode, ok := strings.CutPrefix(strings.TrimSpace(text), "[MODE_UPDATE] ")
			return ok && !strings.ContainsAny(mode, " \r\n")
		},
	}
}
