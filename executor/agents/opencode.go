package agents

// opencode is OpenCode (npm opencode-ai). Its defaults allow everything, so its configuration makes it ask.
func opencode() Profile {
	return Profile{
		Name: "opencode", Title: "OpenCode", Status: Candidate,
		Verified:   "wire observed with 1.18.33 against a loopback model, 2026-11; not yet driven by the tests of this program. A subagent's permission question is never sent, and its turn then hangs until its deadline",
		Binary:     "opencode",
		Args:       []string{"acp"},
		Credential: "OPENAI_API_KEY",
		Settings:   []string{"OPENAI_BASE_URL"},
		Env: func(state string) map[string]string {
			return map[string]string{
				"OPENCODE_CONFIG":                 state + "/opencode/opencode.json",
				"OPENCODE_DISABLE_AUTOUPDATE":     "1",
				"OPENCODE_DISABLE_MODELS_FETCH":   "1",
				"OPENCODE_DISABLE_LSP_DOWNLOAD":   "1",
				"OPENCODE_DISABLE_CLAUDE_CODE":    "1",
				"OPENCODE_DISABLE_TERMINAL_TITLE": "1",
			}
		},
		Files:  map[string]string{"opencode/opencode.json": `{"autoupdate":false,"share":"disabled","permission":{"bash":"ask","edit":"ask","webfetch":"ask","external_directory":"ask"}}` + "\n"},
		Asking: "build",
		Via:    Callback,
		WhyVia: "configured to ask, it asks for each command and edit; it has no unattended mode over ACP",
	}
}
