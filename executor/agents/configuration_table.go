package agents

// Two collections of what the tools say, for tools whose own word is not at hand.
const (
	byRuler    = "https://github.com/intellectronica/ruler#supported-ai-agents"
	byRulesync = "https://github.com/dyoshikawa/rulesync/blob/main/src/cli/commands/gitignore-entries.ts"
)

// What was read in the programs themselves.
const (
	inCopilot  = "observed: named in the program of Copilot CLI 1.0.102"
	inCodex    = "observed: named in the program of Codex 0.171.0"
	inGemini   = "observed: read by the program of Gemini CLI 0.61.0, where the tree is trusted"
	inOpenCode = "observed: named in the program of OpenCode 1.18.34"
)

// configFiles are all paths by which a repository configures agents, those we know and their kin. What only changes how an agent looks is not in it, nor what configures the tools
// that agents run (package.json, Makefile, tsconfig.json): those are the work itself, and git.Overlay takes them from the base
// only where the base's configuration runs them. What a shell or its user has to allow first is not here either (.envrc,
// mise.toml), nor what only selects a version (.nvmrc, .tool-versions): no agent reads it at its start.
var configFiles = [...]configFile{
	// Shared by many.
	{"AGENTS.md", "nearly all", "https://agents.md"},
	{"AGENTS.override.md", "Codex", inCodex},
	{"AGENTS.local.md", "Rovo Dev", byRulesync},
	{"AGENT.md", "Zed, and others before AGENTS.md", "https://zed.dev/docs/ai/rules"},
	{".agents", "Codex, Copilot, Gemini CLI, Amp, Goose and others: skills, plugins", byRuler},
	{".agent", "Antigravity", byRuler},
	{".agentignore", "several", "kin of .geminiignore"},
	{".aiexclude", "Gemini Code Assist, Firebase Studio", "https://developers.google.com/gemini-code-assist/docs/create-aiexclude-file"},
	{".aiignore", "Junie, Kiro", byRulesync},
	{".noai", "JetBrains AI Assistant", "kin of .aiignore"},
	{".mcp.json", "Claude Code, Copilot, Aider", "https://code.claude.com/docs/en/mcp"},
	{".lsp.json", "Qwen Code: language servers, which are programs", "observed: named in the program of Qwen Code 0.15.10"},
	{"/.env", "Gemini CLI, Qwen Code, Aider: where its key is sent, among others", "https://geminicli.com/docs/reference/configuration"},
	{"/.env.*", "programs of Bun: .env.local, .env.production and the like", "https://bun.com/docs/guides/runtime/set-env"},

	// What the runtime of an agent, or npx that starts it or its servers, reads in the directory where it is started.
	{"/bunfig.toml", "OpenCode and other programs of Bun: preload is run before anything else", "https://github.com/oven-sh/bun/issues/25640"},
	{"/.bunfig.toml", "programs of Bun", "kin of /bunfig.toml"},
	{"/.npmrc", "npx: from where packages come, which git and which shell are run", "https://docs.npmjs.com/cli/configuring-npm/npmrc"},
	{"node_modules", "npx: runs node_modules/.bin before any package; Node and Bun: what plugins and servers import", "https://docs.npmjs.com/cli/commands/npx"},

	// GitHub Copilot.
	{"/.github/copilot*", "Copilot: instructions, settings", "https://docs.github.com/en/copilot/how-tos/copilot-cli/customize-copilot/add-custom-instructions"},
	{"/.github/instructions", "Copilot", "https://docs.github.com/en/copilot/how-tos/copilot-cli/customize-copilot/add-custom-instructions"},
	{"/.github/agents", "Copilot", "https://docs.github.com/en/copilot/how-tos/copilot-cli/customize-copilot/create-custom-agents-for-cli"},
	{"/.github/hooks", "Copilot: commands that it runs unasked", "observed: run by Copilot CLI 1.0.102 at the start of a session"},
	{"/.github/skills", "Copilot", inCopilot},
	{"/.github/prompts", "Copilot", byRulesync},
	{"/.github/chatmodes", "Copilot in VS Code", "kin of /.github/prompts"},
	{"/.github/extensions", "Copilot: programs that it loads", inCopilot},
	{"/.github/mcp.json", "Copilot", inCopilot},
	{"/.github/lsp.json", "Copilot: language servers, which are programs", inCopilot},
	{"/.github/allowed_models.txt", "Copilot", inCopilot},
	{"/.github/plugin", "Copilot", "kin of /.github/extensions"},
	{".copilot*", "Copilot", byRulesync},
	{"/.vscode/mcp.json", "VS Code, Copilot", byRulesync},
	{"/.vscode/settings.json", "VS Code: instructions, approvals", "https://code.visualstudio.com/docs/agents/reference/copilot-settings"},

	// The other agents with a profile.
	{"CLAUDE.md", "Claude Code, Copilot, OpenCode", "https://code.claude.com/docs/en/memory"},
	{"CLAUDE.local.md", "Claude Code", "https://code.claude.com/docs/en/memory"},
	{".claude", "Claude Code, and for skills many others", "https://code.claude.com/docs/en/claude-directory"},
	{".claude.json", "Claude Code", "https://github.com/anthropics/claude-code-action, which takes it from the base too"},
	{"/.claude-plugin", "Claude Code, Codex: plugin marketplaces", inCodex},
	{".claudeignore", "Claude Code", "kin of .geminiignore"},
	{".codex", "Codex", inCodex},
	{".codexignore", "Codex", byRulesync},
	{"GEMINI.md", "Gemini CLI, Copilot", "https://geminicli.com/docs/reference/configuration"},
	{".gemini", "Gemini CLI", "https://geminicli.com/docs/reference/configuration"},
	{".geminiignore", "Gemini CLI", inGemini},
	{"QWEN.md", "Qwen Code", "https://qwenlm.github.io/qwen-code-docs/en/users/configuration/settings"},
	{".qwen", "Qwen Code", "https://qwenlm.github.io/qwen-code-docs/en/users/configuration/settings"},
	{".qwenignore", "Qwen Code", "https://qwenlm.github.io/qwen-code-docs/en/users/configuration/settings"},
	{"opencode.json", "OpenCode", "https://opencode.ai/docs/config"},
	{"opencode.jsonc", "OpenCode", "https://opencode.ai/docs/config"},
	{".opencode", "OpenCode: agents, commands, and plugins that it loads", inOpenCode},
	{"CONTEXT.md", "OpenCode: instructions, as AGENTS.md", inOpenCode},
	{".cursor", "Cursor", "https://cursor.com/docs/context/rules"},
	{".cursorrules", "Cursor", "https://cursor.com/docs/context/rules"},
	{".cursorignore", "Cursor", "https://cursor.com/docs/context/ignore-files"},
	{".cursorindexingignore", "Cursor", "https://cursor.com/docs/context/ignore-files"},

	// Others, that an operator may name, or whose files those above read too.
	{".acpxrc.json", "acpx: which command is run", "kin of .mcp.json"},
	{".aider*", "Aider", "https://aider.chat/docs/config/aider_conf.html"},
	{".aiassistant", "JetBrains AI Assistant", byRuler},
	{".amazonq", "Amazon Q", byRuler},
	{".amp", "Amp", "kin of .claude"},
	{".augment*", "Augment", byRulesync},
	{".clinerules", "Cline", byRuler},
	{".cline", "Cline", byRulesync},
	{".clineignore", "Cline", byRulesync},
	{".codeiumignore", "Windsurf", "kin of .cursorignore"},
	{"CODEBUDDY.md", "CodeBuddy", "kin of CLAUDE.md"},
	{".codebuddy", "CodeBuddy", "kin of .claude"},
	{".continue*", "Continue", "https://docs.continue.dev"},
	{"CRUSH.md", "Crush", byRuler},
	{"crush.json", "Crush", "https://github.com/charmbracelet/crush"},
	{".crush*", "Crush", byRuler},
	{".deepagents", "deepagents", byRulesync},
	{".factory", "Factory Droid", byRuler},
	{"firebender.json", "Firebender", byRuler},
	{".goose*", "Goose", byRulesync},
	{".grok", "Grok CLI", "kin of .claude"},
	{".idx", "Firebase Studio", byRuler},
	{"IFLOW.md", "iFlow CLI", "kin of GEMINI.md"},
	{".iflow", "iFlow CLI", "kin of .gemini"},
	{".junie", "Junie", byRuler},
	{".kilo", "Kilo Code", byRulesync},
	{".kilocode*", "Kilo Code", byRuler},
	{".kiloignore", "Kilo Code", byRulesync},
	{"kilo.json", "Kilo Code", "kin of opencode.json"},
	{"kilo.jsonc", "Kilo Code", "kin of opencode.jsonc"},
	{".kimi", "Kimi CLI", "kin of .claude"},
	{".kiro", "Kiro", byRuler},
	{".openhands", "OpenHands", byRuler},
	{".pi", "Pi", byRuler},
	{"replit.md", "Replit", byRulesync},
	{".roo", "Roo Code", byRuler},
	{".roorules*", "Roo Code", "https://docs.roocode.com/features/custom-instructions"},
	{".roomodes", "Roo Code", "https://docs.roocode.com/features/custom-modes"},
	{".rooignore", "Roo Code", byRulesync},
	{".rovodev", "Rovo Dev", byRulesync},
	{".rules", "Zed", "https://zed.dev/docs/ai/rules"},
	{"/.zed", "Zed", byRuler},
	{".tabnine", "Tabnine", "kin of .cursor"},
	{".trae", "Trae", byRuler},
	{".vibe", "Mistral Vibe", byRuler},
	{"WARP.md", "Warp", byRuler},
	{".warp", "Warp", byRulesync},
	{".windsurf", "Windsurf", byRuler},
	{".windsurfrules", "Windsurf", "https://docs.windsurf.com/windsurf/cascade/memories"},
}
