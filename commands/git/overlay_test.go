package git

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/d3mlabs/ai-flow/executor/agents"
)

const (
	agentsMD = "echo base >AGENTS.md"
	settings = "mkdir -p .claude; echo base >.claude/settings.json"
	github   = "mkdir -p .github/workflows; echo base >.github/copilot-instructions.md; echo w >.github/workflows/w.yml"
	sub      = "git init -q s; git -C s commit -q --allow-empty -m s"
)

// What a base has, what a stranger's head makes of it, and the paths that are as on the base then, besides a change of work.go
// that stays.
func TestOverlay(t *testing.T) {
	cases := []struct{ name, base, head, want string }{
		{"nothing that configures", agentsMD + ";" + settings, ":", ``},
		{"both have none", ":", ":", ``},
		{"changed", agentsMD + ";" + settings, "echo x >AGENTS.md; echo x >.claude/settings.json", `".claude/settings.json" "AGENTS.md"`},
		{"added", agentsMD, "mkdir -p sub/.cursor .claude/a/b; echo x >sub/AGENTS.md; echo x >.mcp.json; echo x >sub/.cursor/mcp.json; echo x >.claude/a/b/c", `".claude/a/b/c" ".mcp.json" "sub/.cursor/mcp.json" "sub/AGENTS.md"`},
		{"removed only", agentsMD + ";" + settings, "rm -r AGENTS.md .claude", `".claude/settings.json" "AGENTS.md"`},
		{"moved", agentsMD, "mkdir docs; git mv AGENTS.md docs/AGENTS.md", `"AGENTS.md" "docs/AGENTS.md"`},
		{"a mode", settings, "chmod +x .claude/settings.json", `".claude/settings.json"`},
		{"as on the base in the end", agentsMD, "echo x >AGENTS.md; git commit -qam x; echo base >AGENTS.md", ``},

		{"a link in the place of a directory", settings, "mkdir docs; echo x >docs/settings.json; rm -r .claude; ln -s docs .claude", `".claude" ".claude/settings.json"`},
		{"a link where the base has nothing", ":", "mkdir docs; echo x >docs/settings.json; ln -s docs .claude", `".claude"`},
		{"a link in the place of a file", agentsMD, "ln -sf work.go AGENTS.md", `"AGENTS.md"`},
		{"a link for a directory above", ":", "mkdir docs; echo x >docs/copilot-instructions.md; ln -s docs .github", `".github"`},
		{"a link for a directory above, in another spelling", github, "mkdir docs; ln -s docs .GitHub", `".GitHub"`},
		{"a link out of the tree for a directory above", github, "rm -r .github; ln -s /tmp .github", `".github" ".github/copilot-instructions.md"`},
		{"a link of no concern", agentsMD, "ln -s AGENTS.md other; ln -s /etc etc", ``},
		{"a submodule", "mkdir .cursor; echo base >.cursor/mcp.json", "rm -r .cursor;" + sub + ";mv s .cursor; git add .cursor 2>/dev/null", `".cursor" ".cursor/mcp.json"`},
		{"a submodule for a directory above", github, "rm -r .github;" + sub + ";mv s .github; git add .github 2>/dev/null", `".github" ".github/copilot-instructions.md"`},
		{"a submodule of the base's", sub + ";mv s .cursor; git add .cursor 2>/dev/null", "git rm -q --cached .cursor; rm -rf .cursor; mkdir .cursor; echo x >.cursor/mcp.json", `".cursor" ".cursor/mcp.json"`},
		{"a file for a directory above", github, "rm -r .github; echo x >.github", `".github" ".github/copilot-instructions.md"`},
		{"a file for the directory", settings, "rm -r .claude; echo x >.claude", `".claude" ".claude/settings.json"`},
		{"a directory for the file", agentsMD + ";echo base >.clinerules", "rm AGENTS.md .clinerules; mkdir -p AGENTS.md/a .clinerules; echo x >AGENTS.md/a/b; echo x >.clinerules/r.md", `".clinerules" ".clinerules/r.md" "AGENTS.md" "AGENTS.md/a/b"`},

		{"another case", agentsMD, "echo x >Agents.MD; mkdir .CLAUDE; echo x >.CLAUDE/settings.json", `".CLAUDE/settings.json" "Agents.MD"`},
		{"another case in the place of", agentsMD + ";" + settings, "git mv AGENTS.md agents.md; git mv .claude .Claude", `".Claude/settings.json" ".claude/settings.json" "AGENTS.md" "agents.md"`},
		{"another case above", github, "git mv .github .GITHUB", `".GITHUB/copilot-instructions.md" ".github/copilot-instructions.md"`},
		{"both cases on the base", agentsMD + ";echo two >agents.md", "echo x >agents.md", `"agents.md"`},
		{"names that only some file systems fold", agentsMD, `echo x >'AGENTS.md '; echo x >AGENTS.md:x; echo x >$'AGENT\xc5\xbf.md'; mkdir $'.cla\xe2\x80\x8cude' .claude...; echo x >$'.cla\xe2\x80\x8cude/s'; echo x >.claude.../s`,
			`".claude.../s" ".cla\342\200\214ude/s" "AGENTS.md " "AGENTS.md:x" "AGENT\305\277.md"`},
		{"odd bytes", settings, `mkdir $'d\nd'; echo x >$'d\nd/AGENTS.md'; echo x >$'.claude/\xff"\t\\\n'; echo x >'.claude/-rf'; echo x >'.claude/:(glob)*'`, `".claude/-rf" ".claude/:(glob)*" ".claude/\377\"\011\\\012" "d\012d/AGENTS.md"`},

		{"a link of the base's to a file", "mkdir docs; echo base >docs/guide.md; ln -s docs/guide.md CLAUDE.md", "echo x >docs/guide.md", `"docs/guide.md"`},
		{"to a directory", "mkdir -p skills/a .claude; echo base >skills/a/s; ln -s ../skills .claude/skills", "echo x >skills/a/s; echo x >skills/new; ln -s a skills/b", `"skills/a/s" "skills/b" "skills/new"`},
		{"to nothing", "ln -s docs/guide.md CLAUDE.md", "mkdir docs; echo x >docs/guide.md; echo y >docs/other.md", `"docs/guide.md"`},
		{"in another spelling", "mkdir docs; echo base >docs/guide.md; ln -s docs/guide.md CLAUDE.md", "mkdir Docs; echo x >Docs/Guide.md", `"Docs/Guide.md"`},
		{"through a link", "mkdir d1 d2; echo base >d1/guide.md; ln -s d1 docs; ln -s docs/guide.md CLAUDE.md", "ln -sfn d2 docs; echo x >d1/guide.md; echo x >d2/guide.md", `"d1/guide.md" "docs"`},
		{"to a link", "mkdir a b; echo base >b/g; ln -s ../b/g a/g; ln -s a/g CLAUDE.md", "ln -sf ../work.go a/g; echo x >b/g", `"a/g" "b/g"`},
		{"to a directory with links", "mkdir -p skills vendor/v .claude; echo base >vendor/v/s; ln -s ../vendor/v skills/v; ln -s ../skills .claude/skills", "echo x >vendor/v/s; echo x >vendor/other", `"vendor/v/s"`},
		{"to a chain of them", "mkdir .claude s1 s2 s3 s4 s5 s6; ln -s ../s1 .claude/skills; for i in 1 2 3 4 5; do ln -s ../s$((i+1)) s$i/x; done; echo base >s6/s", "echo x >s6/s", `"s6/s"`},
		{"through a link that is a directory now", "mkdir d1; echo base >d1/guide.md; ln -s d1 docs; ln -s docs/guide.md CLAUDE.md", "rm docs; mkdir docs; echo x >docs/guide.md; echo y >docs/y", `"docs" "docs/guide.md" "docs/y"`},
		{"to what a link takes the place of", "mkdir docs; echo base >docs/guide.md; ln -s docs/guide.md CLAUDE.md", "mkdir evil; echo x >evil/guide.md; rm -r docs; ln -s evil docs", `"docs" "docs/guide.md"`},
		{"up and down", "mkdir -p a/b docs; echo k >a/b/k; echo base >docs/g; ln -s a/b/../../docs/g CLAUDE.md", "rm -r a/b; mkdir -p c/d/e; ln -s ../c/d/e a/b; mkdir -p c/docs; echo x >c/docs/g", `"a/b" "a/b/k"`},
		{"an import", "mkdir docs; echo base >docs/rules.md; echo 'Rules: @docs/rules.md.' >CLAUDE.md", "echo x >docs/rules.md; echo x >docs/other.md", `"docs/rules.md"`},
		{"imports of imports", "mkdir docs; echo '- @./more.md' >docs/rules.md; echo base >docs/more.md; echo 'See (@docs/rules.md)' >CLAUDE.md", "echo x >docs/more.md; echo x >more.md", `"docs/more.md" "more.md"`},
		{"an import of what is not there", "echo '@docs/my\\ rules.md' >AGENTS.md", "mkdir docs; echo x >'docs/my rules.md'", `"docs/my rules.md"`},
		{"an import of what is not there, by a link", "mkdir docs; echo k >docs/k; echo '@docs/rules.md' >AGENTS.md", "mkdir e; echo x >e/rules.md; rm -r docs; ln -s e docs", `"docs"`},
		{"an import through a link", "mkdir d1; echo base >d1/r.md; ln -s d1 docs; echo '@docs/r.md' >AGENTS.md", "mkdir d2; echo x >d2/r.md; ln -sfn d2 docs", `"docs"`},
		{"an import in another spelling", "mkdir docs; echo base >docs/rules.md; echo '@Docs/Rules.MD' >AGENTS.md", "echo x >docs/rules.md", `"docs/rules.md"`},
		{"what prose only speaks of", "mkdir src; echo base >src/a.go; echo base >README.md; echo 'All is in `src/`, see README.md, write to me@src and ask @src' >CLAUDE.md", "echo x >src/a.go; echo x >README.md; mkdir me; echo x >me/src", ``},
		{"a link of VS Code's rules", "mkdir -p docs .cursor/rules; echo '[r](mdc:docs/r.md)' >.cursor/rules/a.mdc", "echo x >docs/r.md", `"docs/r.md"`},
		{"hooks of front matter", "mkdir -p tools .claude/agents; printf -- '---\nhooks:\n  Start: sh tools/s.sh\n---\nor tools/t.sh' >.claude/agents/a.md", "echo x >tools/s.sh; echo x >tools/t.sh", `"tools/s.sh"`},
		{"a hook", "mkdir tools .claude; echo base >tools/start.sh;" + `echo '{"hooks":{"SessionStart":[{"hooks":[{"type":"command","command":"sh tools/start.sh"}]}]}}' >.claude/settings.json`, "echo x >tools/start.sh; echo x >tools/other.sh", `"tools/start.sh"`},
		{"a hook of the project's directory", "mkdir tools .claude; echo base >tools/start.sh;" + `echo '{"command":"\"$CLAUDE_PROJECT_DIR\"/tools/start.sh","b":"$CLAUDE_PROJECT_DIR/tools/b.sh","c":"${workspaceFolder}/tools/c.js"}' >.claude/settings.json`, "echo x >tools/start.sh; echo x >tools/b.sh; echo x >tools/c.js", `"tools/b.sh" "tools/c.js" "tools/start.sh"`},
		{"what a hook runs in turn", "mkdir tools .claude lib; echo '. \"$(dirname \"$0\")/lib.sh\"' >tools/start.sh; echo 'exec lib/end' >tools/lib.sh; echo base >lib/end;" + `echo '{"command":"sh tools/start.sh"}' >.claude/settings.json`, "echo x >tools/lib.sh; echo x >lib/end; echo x >lib/other", `"lib/end" "tools/lib.sh"`},
		{"a server", "mkdir tools; echo \"import './lib.js'; require('./sub')\" >tools/mcp.js; echo base >tools/lib.js;" + `echo '{"mcpServers":{"x":{"command":"node","args":["tools/mcp"]}}}' >.mcp.json`, "echo x >tools/mcp.js; echo x >tools/lib.js; mkdir tools/sub; echo x >tools/sub/index.js; echo x >tools/unused.js; echo '{}' >tsconfig.json", `"tools/lib.js" "tools/mcp.js" "tools/sub/index.js" "tsconfig.json"`},
		{"a server in another directory", "mkdir tools; echo base >tools/mcp.js;" + `echo '{"x":{"command":"node","args":["mcp.js"],"cwd":"./tools"}}' >.mcp.json`, "echo x >tools/mcp.js", `"tools/mcp.js"`},
		{"a server in Python", "mkdir tools; echo 'import json' >tools/mcp.py;" + `echo '{"command":"python3","args":["tools/mcp.py"]}' >.mcp.json`, "echo x >tools/re.py; mkdir tools/abc tools/data; echo x >tools/abc/__init__.py; echo x >tools/data/d.txt; echo x >re.py", `"tools/abc/__init__.py" "tools/re.py"`},
		{"a module in Python", "mkdir tools; echo 'import json' >tools/mcp.py;" + `echo '{"command":"python3","args":["-m","tools.mcp"]}' >.mcp.json`, "echo x >tools/mcp.py; echo x >re.py; mkdir src; echo x >src/a.py", `"re.py" "tools/mcp.py"`},
		{"a server in Go", "mkdir tools; echo base >tools/main.go;" + `echo '{"command":"go","args":["run","./tools"]}' >.mcp.json`, "echo x >tools/main.go; echo x >tools/t.go; echo x >main.go", `"tools/main.go" "tools/t.go"`},
		{"what npx reads", `echo '{"command":"npx","args":["-y","mcp-x"]}' >.mcp.json; mkdir src; echo 1 >src/index.js; echo '{"main":"src/index.js"}' >package.json`, `echo '{"bin":{"mcp-x":"./evil.js"}}' >package.json; echo x >.npmrc; echo x >src/index.js; mkdir -p node_modules/.bin; echo x >node_modules/.bin/mcp-x`, `".npmrc" "node_modules/.bin/mcp-x" "package.json"`},
		{"what npm runs", `echo '{"command":"npm","args":["run","x"]}' >.mcp.json; mkdir src t; echo 1 >src/index.js; echo 1 >t/x.js; echo '{"main":"src/index.js","scripts":{"x":"node t/x.js"}}' >package.json`, `echo '{}' >package.json; echo x >src/index.js; echo x >t/x.js`, `"package.json" "t/x.js"`},
		{"what is only allowed", `mkdir .claude; echo '{"permissions":{"allow":["Bash(npm test:*)","Read(src/**)"]}}' >.claude/settings.json; mkdir src; echo '{}' >package.json`, `echo x >package.json; echo x >src/a.go`, ``},
		{"what make runs", `echo '{"command":"make","args":["x"]}' >.mcp.json; mkdir t; printf 'x:\n\tsh t/x.sh\n' >Makefile`, `echo x >Makefile; mkdir -p t; echo x >t/x.sh`, `"Makefile" "t/x.sh"`},
		{"instructions of a glob", "mkdir docs; echo base >docs/rules.md;" + `echo '{"instructions":["docs/*.md", "**/*", "*"]}' >opencode.json`, "echo x >docs/rules.md; echo x >docs/more.md; echo x >docs/a.txt; mkdir docs/sub; echo x >docs/sub/b.md", `"docs/more.md" "docs/rules.md"`},
		{"instructions of deep globs", `echo '{"instructions":["./rules/**/*.{md,mdx}"]}' >opencode.json`, "mkdir -p rules/a/b; echo x >rules/r.md; echo x >rules/a/b/r.mdx; echo x >rules/a/b/r.go", `"rules/a/b/r.mdx" "rules/r.md"`},
		{"a glob by a link", `mkdir docs; echo k >docs/k.txt; echo '{"instructions":["docs/*.md"]}' >opencode.json`, "mkdir e; echo x >e/r.md; rm -r docs; ln -s e docs", `"docs"`},
		{"directories of instructions", `mkdir -p .vscode docs/rules; echo '{"chat.instructionsFilesLocations":{"docs/rules":true},"files.exclude":{"src":true}}' >.vscode/settings.json`, "mkdir -p docs/rules src; echo x >docs/rules/a.md; echo x >docs/b.md; echo x >src/a", `"docs/rules/a.md"`},
		{"a directory that is only named", `echo '{"command":"find","args":["src","."]}' >.mcp.json; mkdir src; echo 1 >src/a.go`, "echo x >src/a.go", ``},
		{"names of instructions", `mkdir .gemini; echo '{"context":{"fileName":["TEAM.md"]}}' >.gemini/settings.json`, "mkdir sub; echo x >sub/Team.md; echo x >TEAM.md", `"TEAM.md" "sub/Team.md"`},
		{"what Bun loads first", `echo 'preload = ["./pre.ts"]' >bunfig.toml; echo 1 >pre.ts`, "echo x >pre.ts; echo x >.bunfig.toml", `".bunfig.toml" "pre.ts"`},

		{"out of the tree", "ln -s ../../etc/passwd CLAUDE.md; ln -s /etc/passwd GEMINI.md; ln -s docs/../../x QWEN.md", "echo x >etc", ``},
		{"in circles", "ln -s b CLAUDE.md; ln -s CLAUDE.md b", "rm b; echo x >b", `"b"`},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := checkout(t, "echo 1 >work.go;"+c.base)
			sh(t, dir, "git tag base;"+c.head+"; echo 2 >work.go; git add -A; git commit -qm head")
			o := overlay{repo: open(t, dir), base: OID(sh(t, dir, "git rev-parse base")), head: OID(sh(t, dir, "git rev-parse HEAD")), match: agents.Configures}
			o.make(t)
			var got []string
			for _, path := range o.paths {
				got = append(got, cQuote(path))
			}
			if !slices.IsSorted(o.paths) || strings.Join(got, " ") != c.want {
				t.Errorf("got  %s\nwant %s", strings.Join(got, " "), c.want)
			}
			o.check(t)
			o.checkTouched(t)
		})
	}
}

// overlay is one to be judged.
type overlay struct {
	repo             *Repo
	base, head, over OID
	paths            []string
	match            func(string) bool
}

func (o *overlay) make(t testing.TB) {
	t.Helper()
	var err error
	if o.over, o.paths, err = o.repo.Overlay(t.Context(), o.head, o.base, o.match); err != nil {
		t.Fatal(err)
	}
	if len(o.paths) == 0 && o.over != o.head {
		t.Errorf("no path differs, and yet there is a new commit")
	}
}

func (o *overlay) tree(t testing.TB, commit OID) map[string]entry {
	t.Helper()
	_, tree, err := o.repo.listTree(t.Context(), commit)
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

// check holds the result against what is promised, by other means: as a tree, on a file system without regard to case, and
// checked out, through whatever links there are.
func (o *overlay) check(t testing.TB) {
	t.Helper()
	base, over := o.tree(t, o.base), o.tree(t, o.over)
	for path := range over {
		if o.match(path) && over[path] != base[path] {
			t.Errorf("%q matches and is not the base's", path)
		}
	}
	names := map[string]string{} // folded: as it is spelled
	for path := range base {
		if !o.match(path) {
			continue
		}
		if over[path] != base[path] {
			t.Errorf("%q matches on the base and is not there", path)
		}
		names[foldPath(path)] = path
	}
	for path := range over {
		folded := foldPath(path)
		for at, of := range names {
			if _, theirs := base[path]; !theirs && (at == folded || strings.HasPrefix(at, folded+"/") || strings.HasPrefix(folded, at+"/")) {
				t.Errorf("%q is in the way of %q where case does not count", path, of)
			}
		}
	}
	there, here := o.checkOut(t)
	all := slices.Collect(maps.Values(names))
	if o.match(".mcp.json") { // not a match that knows less
		all = append(all, ".claude/settings.json", "AGENTS.md", "CLAUDE.md", ".claude", ".cursor", ".cursor/mcp.json", ".github/copilot-instructions.md", ".github/hooks", "GEMINI.md", ".mcp.json")
	}
	for _, path := range all {
		if want, got := read(there, path, 0), read(here, path, 0); got != want {
			t.Errorf("an agent reads %q at %q, and on the base\n%q", got, path, want)
		}
	}
}

// checkTouched: what is not among the paths is the head's, and what is among them the base's.
func (o *overlay) checkTouched(t testing.TB) {
	t.Helper()
	base, head, over := o.tree(t, o.base), o.tree(t, o.head), o.tree(t, o.over)
	named := map[string]bool{}
	for _, path := range o.paths {
		named[path] = true
		if head[path] == base[path] {
			t.Errorf("%q does not differ", path)
		}
	}
	for _, tree := range []map[string]entry{base, head, over} {
		for path := range tree {
			want := head[path]
			if named[path] {
				want = base[path]
			}
			if over[path] != want {
				t.Errorf("%q is %v, want %v", path, over[path], want)
			}
		}
	}
}

// checkOut makes work trees of the base and of the result, as git does it.
func (o *overlay) checkOut(t testing.TB) (base, over string) {
	t.Helper()
	dir := t.TempDir()
	sh(t, dir, fmt.Sprintf(`export GIT_INDEX_FILE="$PWD/index" GIT_DIR=%q; mkdir base over
		git read-tree %s; git -c core.bare=false --work-tree=base checkout-index -a; git read-tree %s; git -c core.bare=false --work-tree=over checkout-index -a`, o.repo.gitDir, o.base, o.over))
	return filepath.Join(dir, "base"), filepath.Join(dir, "over")
}

// read is all that is to be read at a path of a work tree, through links, as one text. What is outside is not looked at.
func read(top, path string, depth int) string {
	real, err := filepath.EvalSymlinks(filepath.Join(top, path))
	if err != nil || depth > 6 || real != top && !strings.HasPrefix(real, top+"/") {
		return "nothing"
	}
	if info, err := os.Stat(real); err == nil && info.IsDir() {
		entries, err := os.ReadDir(real)
		if err != nil {
			return err.Error()
		}
		var all strings.Builder
		for _, e := range entries {
			fmt.Fprintf(&all, "%s: {%s}", e.Name(), read(top, filepath.Join(strings.TrimPrefix(real, top), e.Name()), depth+1))
		}
		return all.String()
	}
	text, err := os.ReadFile(real)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// Random trees of names that matter, in all spellings and kinds, also with a match that knows one spelling alone.
func TestOverlayOfRandomTrees(t *testing.T) {
	paths := []string{
		"AGENTS.md", "Agents.md", "d/AGENTS.md", "D/agents.MD", ".claude", ".claude/s", ".claude/S", ".Claude", ".CLAUDE/s", ".claude/sub/x", ".claude/sub", ".github", ".GITHUB", ".github/copilot-instructions.md",
		".github/hooks/h", ".GitHub/Hooks/h", ".github/workflows/w", "docs", "docs/g", "Docs/g", "docs/sub/h", "d", "d/e", "D", "CLAUDE.md", "link", "link/s", "link/copilot-instructions.md", ".mcp.json", ".cursor/mcp.json", ".cursor",
	}
	r := rand.New(rand.NewPCG(1, 2))
	n := 0
	text := func() string { n++; return fmt.Sprintf("text %d\n", n) }
	var trees []sketch
	const pairs = 25
	for range pairs {
		base := random(r, 9, paths, text)
		trees = append(trees, base, change(r, base, paths, text))
	}
	dir, commits := forest(t, trees)
	repo := open(t, dir)
	exactly := func(path string) bool {
		return path == "AGENTS.md" || path == ".claude" || strings.HasPrefix(path, ".claude/") || path == ".github/copilot-instructions.md"
	}
	changed := 0
	for i := range pairs {
		o := overlay{repo: repo, base: commits[2*i], head: commits[2*i+1], match: agents.Configures}
		if i%4 == 3 {
			o.match = exactly
		}
		o.make(t)
		o.check(t)
		o.checkTouched(t)
		if again, _, err := repo.Overlay(t.Context(), o.head, o.base, o.match); err != nil || again != o.over {
			t.Errorf("the same arguments gave %s, then %s, %v", o.over, again, err)
		}
		if changed += len(o.paths); t.Failed() {
			t.Fatalf("pair %d: base %q, head %q, paths %q", i, trees[2*i], trees[2*i+1], o.paths)
		}
	}
	if changed < pairs {
		t.Errorf("%d paths in %d pairs; the trees are too much alike", changed, pairs)
	}
}

// A link of the base's configuration to the top makes all of the tree configuration; that is the base's word.
func TestOverlayOfALinkToTheTop(t *testing.T) {
	dir := checkout(t, "mkdir .claude; ln -s .. .claude/all; echo 1 >work.go; git add -A; git commit -qm b; git tag base; echo 2 >work.go; echo n >n")
	o := overlay{repo: open(t, dir), base: OID(sh(t, dir, "git rev-parse base")), head: OID(sh(t, dir, "git rev-parse HEAD")), match: agents.Configures}
	o.make(t)
	if fmt.Sprint(o.paths) != "[n work.go]" {
		t.Errorf("got %q", o.paths)
	}
	o.checkTouched(t)
}

// The agent gets the overlaid tree in a repository of Fetch's, finds the stranger's commit below, and what it makes comes back.
func TestOverlayIsHandedOver(t *testing.T) {
	dir := checkout(t, "for i in $(seq 8); do git commit -q --allow-empty -m $i; done;"+agentsMD+";"+settings)
	sh(t, dir, "git tag base; git checkout -q HEAD~3; echo x >AGENTS.md; echo work >work; git add -A; git commit -qm 'by a stranger'")
	from := serve(t, dir, "")
	head := OID(sh(t, dir, "git rev-parse HEAD"))
	repo, err := Fetch(t.Context(), Remote{URL: from.URL + "/o/r.git", Depth: 3}, head, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer repo.Close()
	base := OID(sh(t, dir, "git rev-parse base; git --git-dir="+repo.gitDir+" fetch -q --depth=3 file://"+dir+" $(git rev-parse base) >&2"))
	o := overlay{repo: repo, base: base, head: head, match: agents.Configures}
	o.make(t)
	o.check(t)
	w := &world{repo: repo, room: sameUser(t)}
	if w.tree, err = repo.HandOver(t.Context(), w.room, o.over, HandOverOptions{}); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ script, want string }{
		{"cat AGENTS.md .claude/settings.json work", "base\nbase\nwork"},
		{"git status --porcelain; git fsck 2>&1", ""},
		{"git log --format=%s", "Files that configure agents are as on the base\nby a stranger\n6\n5"},
		{"git log --since='1 hour ago' --format=%s | wc -l", "4"},
		{"git rev-parse HEAD~", string(head)},
		{"git show -s --format='%an <%ae> %cn'", "ai-flow <ai-flow@localhost> ai-flow"},
		{"git diff --name-only HEAD~", ".claude/settings.json\nAGENTS.md"},
	} {
		if got := w.agent(t, c.script); got != c.want {
			t.Errorf("%s: got %q, want %q", c.script, got, c.want)
		}
	}
	w.agent(t, "echo more >>work; rm AGENTS.md")
	if got := show(w.take(t, Limits{})); got != "D 100644 0 +0 -1 AGENTS.md, M 100644 10 +1 -0 work" {
		t.Errorf("came back: %s", got)
	}
}

// A stranger dates a commit as he likes; git itself takes not every date.
func TestOverlayOfOddDates(t *testing.T) {
	dir := checkout(t, agentsMD)
	sh(t, dir, "echo x >AGENTS.md; git commit -qam x")
	o := overlay{repo: open(t, dir), base: OID(sh(t, dir, "git rev-parse HEAD~")), match: agents.Configures}
	for date, want := range map[string]string{"1700000000 +0200": "1700000000", "0 +0000": "0", "-5 +0000": "4294967296", "99999999999999999999999 +0000": "4294967296", "253402300800 +0000": "4294967296", "soon": "0", "": "0", "1700000000": "1700000000"} {
		o.head = OID(sh(t, dir, fmt.Sprintf(`printf 'tree %%s\nparent %%s\nauthor a <a@b> %[1]s\ncommitter c <c@d> %[1]s\n\nx\n' $(git rev-parse HEAD^{tree} HEAD~) | git hash-object -t commit -w --stdin --literally`, date)))
		o.make(t)
		o.check(t)
		if got, err := line(o.repo.ours(t.Context(), job{}, "show", "-s", "--format=%ct", string(o.over))); err != nil || got != want {
			t.Errorf("%q: dated %q, %v", date, got, err)
		}
	}
}

// A tree that git would not make, or that is not there, is an error; nothing is half laid over.
func TestOverlayRefuses(t *testing.T) {
	dir := checkout(t, agentsMD)
	good := OID(sh(t, dir, "git rev-parse HEAD"))
	repo := open(t, dir)
	entry := func(name string) string { return `100644 ` + name + `\0$(printf '\001%.0s' $(seq 20))` }
	for name, tree := range map[string]string{
		".git": entry(".git"), "..": entry(".."), "a slash": entry("a/b"), "nothing": entry(""), "an object that is not there": `40000 d\0$(printf '\002%.0s' $(seq 20))`,
	} {
		bad := OID(sh(t, dir, `git commit-tree -m bad -p HEAD $(printf "`+tree+`" | git hash-object -t tree -w --stdin --literally)`))
		if over, paths, err := repo.Overlay(t.Context(), bad, good, agents.Configures); err == nil {
			t.Errorf("%s: got %s, %q", name, over, paths)
		}
	}
	none := OID(strings.Repeat("0", 40))
	for _, c := range [][2]OID{{"", good}, {good, ""}, {"HEAD", good}, {good, "--all"}, {none, good}, {good, none}} {
		if over, _, err := repo.Overlay(t.Context(), c[0], c[1], agents.Configures); err == nil {
			t.Errorf("%q over %q: got %s", c[1], c[0], over)
		}
	}
}

// BenchmarkOverlay is what it costs with 50,000 files, of which the head has changed ten, and with all changed:
//
//	go test ./commands/git -run '^$' -bench Overlay -benchtime 5x
func BenchmarkOverlay(b *testing.B) {
	base, few, all := sketch{"AGENTS.md": {modeFile, "base"}, ".claude/skills": {modeLink, "../d1/e1"}}, sketch{}, sketch{}
	for i := range 50_000 {
		base[fmt.Sprintf("d%d/e%d/some_file_with_a_name_%d.go", i%100, i%10, i)] = leaf{modeFile, fmt.Sprintln("text", i)}
	}
	for path, l := range base {
		few[path] = l
		all[path] = leaf{modeFile, l.text + "changed\n"}
	}
	few["AGENTS.md"], few["sub/CLAUDE.md"] = leaf{modeFile, "x"}, leaf{modeFile, "x"}
	delete(all, ".claude/skills")
	dir, commits := forest(b, []sketch{base, few, all})
	repo := open(b, dir)
	for i, name := range []string{"few", "all"} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, paths, err := repo.Overlay(b.Context(), commits[i+1], commits[0], agents.Configures); err != nil || len(paths) < 2 {
					b.Fatal(paths, err)
				}
			}
		})
	}
}
