package agents

import "fmt"

// opencode is OpenCode (npm opencode-ai). Its defaults allow everything, so its configuration makes it ask. To a provider
// of one's own: OPENCODE_CONFIG_CONTENT, the JSON of an opencode.json with model, small_model and provider, where "apiKey"
// is "{env:OPENAI_API_KEY}"; the key itself belongs in OPENAI_API_KEY alone, since only that is kept from commands.
// Configuration there goes before the profile's: permissions in it would be answered in advance.
//
// A tree's plugins: of a tree's configuration opencode.json is left out, but the code in .opencode/plugin runs all the same
// once the first prompt is there, as the agent's user; OPENCODE_DISABLE_PROJECT_CONFIG and OPENCODE_PURE do not stop it.
//
// npm: with a plugin, which keeps the key from commands, it fetches 95 MB of its own from npm at each start and waits for
// it, or 10 s and more where there is no network; told to be offline it starts at once. Commands are not told.
func opencode() Profile {
	return Profile{
		Name: "opencode", Title: "OpenCode", Status: Qualified,
		Verified: "driven in tests at version 1.18.33 as another user against a loopback model on Linux x64, 2026-11-30: asks before each command and edit, " +
			"a tree's opencode.json does not change that; its key is kept from commands; usage is reported, of the last request of a turn alone. It runs a tree's .opencode/plugin unasked. " +
			"A subagent's permission question is never sent, and its turn then hangs until its deadline. Not verified: other providers than one that speaks OpenAI's chat completions",
		Binary:     "opencode",
		Args:       []string{"acp"},
		Credential: "OPENAI_API_KEY",
		Settings:   []string{"OPENCODE_CONFIG_CONTENT"},
		Env: func(state string) map[string]string {
			return map[string]string{
				"OPENCODE_CONFIG":                 state + "/opencode/opencode.json",
				"OPENCODE_DISABLE_AUTOUPDATE":     "1",
				"OPENCODE_DISABLE_MODELS_FETCH":   "1",
				"OPENCODE_DISABLE_LSP_DOWNLOAD":   "1",
				"OPENCODE_DISABLE_CLAUDE_CODE":    "1",
				"OPENCODE_DISABLE_TERMINAL_TITLE": "1",
				"OPENCODE_DISABLE_PROJECT_CONFIG": "1",
				"npm_config_offline":              "true",
			}
		},
		Files: map[string]string{
			"opencode/opencode.json": `{"autoupdate":false,"share":"disabled","plugin":["./shell.js"],"permission":{"bash":"ask","edit":"ask","webfetch":"ask","external_directory":"ask"}}` + "\n",
			"opencode/shell.js":      `export const Shell = async () => ({ "shell.env": async (_, shell) => { shell.env.OPENAI_API_KEY = ""; shell.env.npm_config_offline = "false" } })` + "\n",
		},
		Asking:  "build",
		Via:     Callback,
		WhyVia:  "configured to ask, it asks for each command and edit; it has no unattended mode over ACP",
		Ambient: []string{".opencode"},
		// No Background. Seen with 1.18.33: its shell takes command, timeout and workdir, and answers when the command has ended.
		Loopback: func(root, key string) map[string]string {
			return map[string]string{"OPENAI_API_KEY": key, "OPENCODE_CONFIG_CONTENT": fmt.Sprintf(`{"model":"loopback/m","small_model":"loopback/m","provider":{"loopback":`+
				`{"npm":"@ai-sdk/openai-compatible","options":{"baseURL":%q,"apiKey":"{env:OPENAI_API_KEY}"},"models":{"m":{"tool_call":true}}}}}`, root+"/v1")}
		},
	}
}
