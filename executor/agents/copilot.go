package agents

import (
	"strings"
)

// copilot is GitHub Copilot's own platform executable (npm @github/copilot-linux-x64), not its loader script (A2-5).
//
// Hooks: 1.0.102 runs the commands in a tree's .github/hooks at the start of an ACP session, before anything is asked, and
// no setting was found that stops it (disableAllHooks in the user's or the tree's settings, in a hook file,
// enableFileHooks, GITHUB_COPILOT_PROMPT_MODE_REPO_HOOKS and COPILOT_ALLOW_ALL=false were all tried). They run as the agent's
// user, so the boundary holds; Ambient is there so that it can be said, or the directory kept out of a stranger's tree.
//
// Where it unpacks: at the first start it writes 166 MB of JavaScript and native code to its package cache and runs it
// from there, which takes 7 to 10 s; later starts take 1 to 4 s. The cache belongs to the agent user. Were it kept
// between runs, an agent in one run could rewrite the program that drives the next one, for another repository (A2-7,
// F-08), and a newer package found there would silently be run instead of the one that was started. So it is private to
// the run, and each run pays for it.
func copilot() Profile {
	return Profile{
		Name: "copilot", Title: "GitHub Copilot CLI", Status: Qualified,
		Verified: "wire observed with 1.0.88 (pinned) and 1.0.102 against a loopback model on Linux x64, 2026-11-30: asks before each shell command and edit, " +
			"a rejected command leaves nothing behind, keys are kept from shells; 1.0.102 runs the tree's .github/hooks unasked, 1.0.88 does not. " +
			"Not verified: GitHub's own models, accounts and cost",
		Binary: "copilot",
		Args: []string{"--acp", "--stdio", "--no-auto-update", "--disable-builtin-mcps", "--no-remote", "--no-remote-export",
			"--no-bash-env", "--no-ask-user", "--no-experimental"},
		Credential: "COPILOT_GITHUB_TOKEN",
		Provider:   "COPILOT_PROVIDER_BASE_URL",
		// COPILOT_PROVIDER_API_KEY_COMMAND is left out: it is a shell command.
		Settings: []string{"COPILOT_OFFLINE", "COPILOT_MODEL", "COPILOT_GH_HOST", "COPILOT_PROVIDER_BASE_URL", "COPILOT_PROVIDER_TYPE",
			"COPILOT_PROVIDER_WIRE_API", "COPILOT_PROVIDER_TRANSPORT", "COPILOT_PROVIDER_AZURE_API_VERSION", "COPILOT_PROVIDER_MODEL_ID",
			"COPILOT_PROVIDER_WIRE_MODEL", "COPILOT_PROVIDER_MAX_PROMPT_TOKENS", "COPILOT_PROVIDER_MAX_OUTPUT_TOKENS",
			"COPILOT_PROVIDER_API_KEY", "COPILOT_PROVIDER_BEARER_TOKEN", "COPILOT_PROVIDER_HEADERS"},
		Secrets: []string{"COPILOT_PROVIDER_API_KEY", "COPILOT_PROVIDER_BEARER_TOKEN", "COPILOT_PROVIDER_HEADERS"},
		Env: func(state string) map[string]string {
			return map[string]string{
				"COPILOT_AUTO_UPDATE": "false", // with the flag of the same meaning it also ignores newer packages that it finds
				"COPILOT_HOME":        state + "/copilot",
				"COPILOT_CACHE_HOME":  state + "/copilot-cache",
			}
		},
		Files: map[string]string{"copilot/settings.json": `{"memory":false,"disableAllHooks":true,"autoUpdate":false,` +
			`"ide":{"autoConnect":false},"trustedFolders":[],"includeCoAuthoredBy":false,"customAgents":{"defaultLocalOnly":true}}` + "\n"},
		ModelVariable: "COPILOT_MODEL",
		Asking:        "https://agentclientprotocol.com/protocol/session-modes#agent",
		FullAccess:    "https://agentclientprotocol.com/protocol/session-modes#autopilot",
		Via:           Callback,
		WhyVia:        "its agent mode asks over ACP for each command and edit, so that each has a receipt; autopilot asks nothing and repeats its last answer up to six times",
		Events: []string{"assistant.usage", "tool.execution_complete", "subagent.started", "subagent.completed", "subagent.failed",
			"session.workspace_file_changed"},
		UsageRuns: true,
		Ambient:   []string{".github/hooks"},
		Noise:     copilotNoise,
		// Seen with 1.0.88 and 1.0.102: the tool answers at once, and the turn ends only when the command has.
		Background: map[string]any{"mode": "async"},
		Loopback: func(root, key string) map[string]string {
			return map[string]string{"COPILOT_OFFLINE": "true", "COPILOT_PROVIDER_TYPE": "openai", "COPILOT_PROVIDER_WIRE_API": "completions",
				"COPILOT_PROVIDER_BASE_URL": root + "/v1", "COPILOT_PROVIDER_API_KEY": key, "COPILOT_MODEL": "loopback-model"}
		},
	}
}

// copilotNoise: on creating a file it says "Info: /path" in a chunk of its own, and since 1.0.102 "Info: Operation
// cancelled by user" when a request of its was rejected. Any other text with white space in it may be prose.
func copilotNoise(text string) bool {
	said, ok := strings.CutPrefix(strings.TrimSpace(text), "Info: ")
	if !ok {
		return false
	}
	return said == "Operation cancelled by user" || len(said) > 1 && said[0] == '/' && !strings.ContainsAny(said, " \t\r\n")
}
