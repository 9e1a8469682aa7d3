package agents

import (
	"slices"
	"strings"
	"testing"
)

// Each row says who reads it and how that is known, stands once, and is needed: no other row covers it.
func TestConfigurationTable(t *testing.T) {
	seen := map[string]bool{}
	for _, f := range configFiles {
		key := strings.ToLower(f.pattern)
		if seen[key] {
			t.Errorf("%s is there twice", f.pattern)
		}
		seen[key] = true
		if f.agents == "" {
			t.Errorf("%s: nobody reads it", f.pattern)
		}
		if !slices.ContainsFunc([]string{"https://", "observed: ", "kin of "}, func(p string) bool { return strings.HasPrefix(f.source, p) }) {
			t.Errorf("%s: source %q", f.pattern, f.source)
		}
		if kin, ok := strings.CutPrefix(f.source, "kin of "); ok && !slices.ContainsFunc(configFiles[:], func(o configFile) bool { return o.pattern == kin && !strings.HasPrefix(o.source, "kin") }) {
			t.Errorf("%s: kin of %q, which is not in the table by a source of its own", f.pattern, kin)
		}
		path := strings.Trim(f.pattern, "/")
		if path == "" || strings.Contains(path, "//") || strings.Contains(strings.TrimSuffix(path, "*"), "*") || !strings.HasPrefix(f.pattern, "/") && strings.Contains(path, "/") {
			t.Errorf("%s is not of the form that is documented", f.pattern)
		}
		for _, o := range configFiles {
			if o.pattern != f.pattern && strings.HasSuffix(o.pattern, "*") && strings.HasPrefix(key, strings.ToLower(strings.TrimSuffix(o.pattern, "*"))) {
				t.Errorf("%s is covered by %s", f.pattern, o.pattern)
			}
		}
	}
}

// Each row counts: as a file or link, as a directory, in any case, at the root, and below it unless it is a path.
func TestEachRowConfigures(t *testing.T) {
	for _, f := range configFiles {
		path, fromRoot := strings.CutPrefix(f.pattern, "/")
		forms := []string{path}
		if p, ok := strings.CutSuffix(path, "*"); ok {
			forms = []string{p, p + ".yml", p + "-more"}
		}
		for _, p := range forms {
			for _, spelled := range []string{p, strings.ToUpper(p), strings.ToLower(p), strings.ReplaceAll(p, "s", "\u017f"), strings.ReplaceAll(p, "k", "\u212a")} {
				for _, at := range []string{spelled, spelled + "/x", spelled + "/deep/x.md"} {
					if !Configures(at) {
						t.Errorf("%s: %q does not count", f.pattern, at)
					}
					if below := "pkg/deep/" + at; Configures(below) == fromRoot {
						t.Errorf("%s: %q: %v", f.pattern, below, !fromRoot)
					}
				}
			}
			for above := p; strings.Contains(above, "/"); {
				above = above[:strings.LastIndexByte(above, '/')]
				if !Configures(above) {
					t.Errorf("%s: a link called %q would lead elsewhere", f.pattern, above)
				}
			}
		}
	}
}

func TestConfigures(t *testing.T) {
	yes := []string{
		"AGENTS.md", "Agents.MD", "docs/AGENTS.md", "a/b/c/CLAUDE.local.md", ".CLAUDE/settings.json", ".claude", "sub/.claude/skills/x/SKILL.md", ".claude/\xff\n\"odd",
		".github/copilot-instructions.md", ".github/copilot/settings.json", ".GitHub/Hooks/start.json", ".github/instructions/go.instructions.md", ".github", ".vscode",
		".vscode/mcp.json", ".vscode/settings.json", ".env", ".env.local", ".env.production", "bunfig.toml", ".BUNFIG.toml", ".npmrc", "node_modules/.bin/x", "tools/node_modules", ".mcp.json", "services/api/.mcp.json", "opencode.jsonc", ".aider.conf.yml", ".goosehints", ".roorules-code/a.md",
		".cursor", ".cursor/rules/a.mdc", ".cursorrules", ".windsurfrules", ".clinerules", ".clinerules/a.md", ".kilocodemodes", ".codex/config.toml",
	}
	no := []string{
		"", "/", ".", "docs/AGENTS.md.txt", "AGENTS.md.bak", "MYAGENTS.md", "agents.go", "AGENTS", "agents/main.go", "claude", "claude/main.go", "CLAUDE.mdx", "docs/claude.md.tmpl",
		".github/workflows/x.yml", ".github/workflows/copilot.yml", ".github/workflows/copilot-setup-steps.yml", ".github/CODEOWNERS", ".github/ai-flow.yml", ".github/dependabot.yml",
		".github/hooks.md", ".github/agentsx", ".github/ISSUE_TEMPLATE/agents.md.yml", ".githubx", "github/copilot-instructions.md", "copilot-instructions.md",
		"docs/.github/copilot-instructions.md", ".vscode/launch.json", ".vscode/extensions.json", ".vscodex", "docs/.env", ".envrc", "docs/.env.local", "env", "docs/bunfig.toml", "bunfig.tom", "docs/.npmrc", "node_modules.md",
		"mcp.json", "x.mcp.json", "cursor/x", ".cursorx", "my.cursor/x", ".claudex", "opencode.json5", "myopencode.json", "rules", "a.rules", "package.json", "Makefile", "README.md",
		".git/config", ".gitignore", ".gitmodules", ".editorconfig", ".pipeline/x", "crush.jsonc", "context.go", "go.mod", ".agentsx", "aider.md", ".continu", "goose/x",
	}
	for _, path := range yes {
		if !Configures(path) {
			t.Errorf("%q configures agents", path)
		}
	}
	for _, path := range no {
		if Configures(path) {
			t.Errorf("%q configures no agent", path)
		}
	}
}

// What a profile says that its agent runs unasked is in the table, and so is what the agent is configured by in the first place.
func TestProfilesAreCovered(t *testing.T) {
	for _, p := range All() {
		for _, path := range p.Ambient {
			if !Configures(path) || !Configures(path+"/x") {
				t.Errorf("%s runs %q unasked, and the table does not have it", p.Name, path)
			}
		}
		named := slices.ContainsFunc(configFiles[:], func(f configFile) bool {
			return strings.Contains(strings.ToLower(f.agents), p.Name) && !strings.HasPrefix(f.source, "kin of")
		})
		if !named && p.Name != "demo" && p.Name != "custom" {
			t.Errorf("no row is read by %s", p.Name)
		}
	}
}

// FuzzConfigures: case does not count, and what lies below of what counts does too.
func FuzzConfigures(f *testing.F) {
	f.Add(".github/copilot-instructions.md")
	f.Add("a/\xff/.CLAUDE")
	f.Add(".roo\u017f")
	f.Fuzz(func(t *testing.T, path string) {
		is := Configures(path)
		if is && !Configures(path+"/below") && !isAbove(path) {
			t.Errorf("%q counts and what is below does not", path)
		}
		ascii := !strings.ContainsFunc(path, func(r rune) bool { return r >= 0x80 })
		if ascii && (Configures(strings.ToUpper(path)) != is || Configures(strings.ToLower(path)) != is) {
			t.Errorf("%q: case counts", path)
		}
	})
}

// isAbove is for what counts only since it would stand for a directory.
func isAbove(path string) bool {
	path = strings.ToLower(path)
	return path == ".github" || path == ".vscode"
}

// BenchmarkConfigures is one path that does not count, which most are.
func BenchmarkConfigures(b *testing.B) {
	for b.Loop() {
		if Configures("internal/service/handlers/repository_handler_test.go") {
			b.Fatal("it counts")
		}
	}
}
