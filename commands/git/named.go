package git

import (
	"context"
	"encoding/json"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
)

// look adds what a file names.
func (n *naming) look(ctx context.Context, t text) {
	if ctx.Err() != nil {
		return
	}
	if t.as == asProse {
		for _, m := range imports.FindAllStringSubmatch(t.says, -1) {
			if ctx.Err() != nil {
				return
			}
			way := strings.ReplaceAll(m[1], `\ `, " ")
			for _, w := range []string{way, strings.TrimRight(way, ".,:;!?*_")} {
				n.lookUp(w, []string{parent(t.path), ""}, asProse)
			}
		}
		if t.says = frontMatter.FindString(t.says); t.says == "" {
			return
		}
	}
	if foldPath(t.path) == "package.json" {
		t.says = scripts(t.says)
	}
	n.beside(t.path)
	n.lookUpAll(ctx, t)
}

var (
	imports     = regexp.MustCompile("(?:^|[^\\w/.@-])(?:@|mdc:)((?:\\\\ |[^\\s`\"'<>()\\[\\]])+)")
	frontMatter = regexp.MustCompile(`^---\r?\n(?s:.*?)\n---`)
	comments    = regexp.MustCompile(`(?m)^[ \t]*(#|//).*$`)
)

// scripts are the commands of a package.json: what else it names is the work itself.
func scripts(manifest string) string {
	var m struct{ Scripts map[string]string }
	if json.Unmarshal([]byte(manifest), &m) != nil {
		return manifest
	}
	return strings.Join(slices.Sorted(maps.Values(m.Scripts)), "\n")
}

// lookUpAll looks up all words of a program.
func (n *naming) lookUpAll(ctx context.Context, t text) {
	tokens := lex(comments.ReplaceAllString(t.says, ""))
	folders := n.folders(ctx, t.path, tokens)
	own := folders[:min(len(folders), 2)]
	scripted := script.MatchString(t.path) || python.MatchString(t.path)
	seen, run := map[token]bool{}, map[string]bool{}
	for _, w := range tokens {
		if n.words >= maxWords || ctx.Err() != nil {
			return
		}
		if seen[w] {
			continue
		}
		seen[w] = true
		n.words++
		for i, way := range ways(w.text) {
			if t.as == asList && w.listed() {
				n.list(w, way, own)
			}
			for _, from := range folders {
				n.lookUp(way, []string{from}, asProgram)
			}
			if i == 0 && (strings.ContainsRune(way, '/') || !scripted) {
				n.implied(way, own)
			}
		}
		// Once each: it looks through all tokens.
		if program := strings.ToLower(path.Base(w.text)); !run[program] && !allowed.MatchString(w.key) {
			run[program] = true
			n.run(program, tokens, folders)
		}
	}
}

// folders are where the words of a file are seen from: its directory, the top, and directories that it names.
func (n *naming) folders(ctx context.Context, file string, tokens []token) []string {
	all := []string{parent(file), ""}
	if all[0] == "" {
		all = all[1:]
	}
	for _, w := range tokens {
		if len(all) >= maxFolders || ctx.Err() != nil {
			break
		}
		for _, way := range ways(w.text) {
			if len(way) > maxPath || len(all) >= maxFolders {
				continue
			}
			passed, ended := walk(n.targets, "", strings.TrimRight(way, "/"))
			if !ended {
				continue
			}
			if at := passed[len(passed)-1]; n.index().dirs[foldPath(at)] && !slices.Contains(all, at) {
				all = append(all, at)
			}
		}
	}
	return all
}

// lookUp adds what way leads to from each of the folders, when that is a file of either tree.
func (n *naming) lookUp(way string, folders []string, as manner) (found bool) {
	for _, from := range folders {
		if way == "" || len(way) > 1000 {
			continue
		}
		passed, ended := walk(n.targets, from, way)
		if !ended || !n.isNamed(passed[len(passed)-1], as == asList) {
			continue
		}
		found = true
		for _, p := range passed {
			n.add(p)
		}
		end := foldPath(passed[len(passed)-1])
		n.named[end] = max(n.named[end], as)
	}
	return found
}

// isNamed reports whether a path is a file of either tree, or what stands in its way is new; or else a directory, if that counts.
func (n *naming) isNamed(p string, dirs bool) bool {
	t, f := n.index(), foldPath(p)
	switch {
	case f == "":
		return false
	case t.files[f]:
		return true
	case t.dirs[f] || t.below[f]:
		return dirs
	}
	for at := f; at != ""; at, _ = foldedDir(at) {
		if t.heads[at] {
			return true
		}
	}
	return false
}

// implied looks up what a program would take for a word that is no file itself.
func (n *naming) implied(way string, folders []string) {
	stem := strings.TrimSuffix(way, path.Ext(way))
	if !script.MatchString(way) {
		stem = way
	}
	for _, end := range endings {
		n.lookUp(strings.TrimRight(stem, "/")+end, folders, asProgram)
	}
	if module.MatchString(way) {
		at := strings.Trim(strings.ReplaceAll(way, ".", "/"), "/")
		for _, end := range [...]string{".py", "/__init__.py", "/__main__.py"} {
			n.lookUp(at+end, folders, asProgram)
		}
	}
}

var (
	endings = [...]string{".js", ".mjs", ".cjs", ".ts", ".mts", ".cts", ".tsx", ".jsx", ".py", ".sh", ".rb", ".pl", ".bat", ".cmd", ".ps1", "/index.js", "/index.mjs", "/index.cjs", "/index.ts", "/__init__.py", "/__main__.py"}
	module  = regexp.MustCompile(`^\.*\w+(\.\w+)*$`)
)

// list adds directories, globs and names of files that instructions are taken from.
func (n *naming) list(w token, way string, folders []string) {
	switch {
	case fileNames.MatchString(w.key) && !strings.ContainsAny(way, "/*") && strings.Contains(way, "."):
		n.reserve.names[foldPath(way)] = true
	case strings.ContainsAny(way, "*?[{"):
		if !literal.MatchString(way) || len(n.globs) >= maxGlobs || len(way) > 1000 {
			return
		}
		for _, from := range folders {
			if g := glob(path.Join(from, way)); g != nil && !slices.ContainsFunc(n.globs, func(o *regexp.Regexp) bool { return o.String() == g.String() }) {
				n.globs = append(n.globs, g)
			}
		}
	default:
		n.lookUp(strings.TrimRight(way, "/"), folders, asList)
	}
}

// lists are keys below which directories and globs are what an agent obeys or loads.
var (
	lists     = regexp.MustCompile(`(?i)instruction|context|rule|skill|prompt|plugin|agent|extension|command.+|hook|marketplace|filename|director|^(read|source|paths?|include)$`)
	fileNames = regexp.MustCompile(`(?i)filename`)
	allowed   = regexp.MustCompile(`(?i)allow|deny|^ask$|permission|exclude|trusted|approv|description`)
	literal   = regexp.MustCompile(`[\pL\pN_]`)
)

// run adds what a program reads where it is started.
func (n *naming) run(program string, tokens []token, folders []string) {
	says := func(words ...string) bool {
		return slices.ContainsFunc(tokens, func(t token) bool { return slices.Contains(words, t.text) })
	}
	switch {
	case strings.HasPrefix(program, "python") && says("-m", "-c"):
		n.kin[""] = pythonKin
	case program == "go" && says("run", "generate", "tool"):
		for _, at := range folders {
			if at != "" {
				n.kin[foldPath(at)] = goKin
			}
		}
	}
	reads := runners[program]
	n.npm = n.npm || slices.Contains([]string{"npm", "pnpm", "yarn", "bun"}, program)
	for _, name := range reads {
		for _, at := range folders {
			n.add(path.Join(at, name))
			n.unread[foldPath(path.Join(at, name))] = !followed.MatchString(name)
		}
	}
}

// beside adds what a script loads by no name that is a path.
func (n *naming) beside(file string) {
	if python.MatchString(file) {
		n.kin[foldPath(parent(file))] = pythonKin
	}
	if !script.MatchString(file) {
		return
	}
	for at := parent(file); ; at = parent(at) {
		for _, name := range [...]string{"package.json", "tsconfig.json", "jsconfig.json", "deno.json", "deno.jsonc"} {
			n.add(path.Join(at, name))
			n.unread[foldPath(path.Join(at, name))] = !followed.MatchString(name)
		}
		if at == "" {
			return
		}
	}
}

var (
	followed  = regexp.MustCompile(`(?i)^(gnu)?makefile$|^\.?justfile$|^rakefile$|^[tj]sconfig\.json$|^deno\.jsonc?$|rc$`)
	pythonKin = regexp.MustCompile(`^[^/]*\.(py|pyc|pyd|so|pth)$|^[^/]+/__init__\.[^/]*$`)
	goKin     = regexp.MustCompile(`^[^/]*\.(go|s|c|h|syso)$`)
	node      = []string{"package.json", "package-lock.json", "npm-shrinkwrap.json", ".npmrc", ".yarnrc", ".yarnrc.yml", "yarn.lock", ".yarn", ".pnp.cjs", ".pnp.loader.mjs", "pnpm-workspace.yaml", "pnpm-lock.yaml", ".pnpmfile.cjs", "bunfig.toml", "bun.lock", "bun.lockb", "tsconfig.json"}
	deno      = []string{"deno.json", "deno.jsonc", "deno.lock", "import_map.json", "package.json"}
	pip       = []string{"pyproject.toml", "uv.toml", "uv.lock", "poetry.toml", "poetry.lock", "setup.py", "setup.cfg", ".python-version"}
	makefiles = []string{"GNUmakefile", "Makefile"}
	runners   = map[string][]string{
		"npx": node, "npm": node, "pnpm": node, "pnpx": node, "yarn": node, "bun": node, "bunx": node, "tsx": node, "ts-node": node, "deno": deno,
		"uv": pip, "uvx": pip, "pip": pip, "pip3": pip, "pipx": pip, "poetry": pip, "make": makefiles, "gmake": makefiles, "just": {"justfile", ".justfile"},
		"go": {"go.mod", "go.work", "go.sum"}, "cargo": {"Cargo.toml", "Cargo.lock", "build.rs", ".cargo", "rust-toolchain.toml", "rust-toolchain"},
		"bundle": {"Gemfile", "Gemfile.lock", ".bundle"}, "rake": {"Rakefile"}, "direnv": {".envrc"}, "mise": {"mise.toml", ".mise.toml", ".tool-versions", ".mise"},
		"nix": {"flake.nix", "flake.lock"}, "nix-shell": {"shell.nix", "default.nix"}, "docker": {"Dockerfile", ".dockerignore", "compose.yaml", "compose.yml", "docker-compose.yaml", "docker-compose.yml"},
	}
)
