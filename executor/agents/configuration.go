package agents

import (
	"slices"
	"strings"
)

// configFile is a path by which a repository configures agents.
type configFile struct {
	// pattern is a path from the root ("/.github/copilot-instructions.md"), or a name that counts in every directory
	// ("AGENTS.md"); a star at the end of a name is whatever follows. A directory stands for all that is below it. Case
	// does not count.
	pattern string
	agents  string // which read it
	source  string // where that is documented, or how it was observed; "kin of" another one where neither is at hand
}

// Configures reports whether a path of a tree is one by which a repository configures agents, or below one. It is for the paths of files, links
// and submodules: one in the place of a directory above a path of the table, such as a link called .github, is one as well,
// since it decides what that path leads to. The table errs on the side of too many: what is kept from a stranger without
// need costs an answer a little, what is not kept from him may cost a key.
func Configures(path string) bool {
	// Two capitals have a second small letter, which some file systems know: upper case comes first.
	folded := strings.ToLower(strings.ToUpper(path))
	if slices.ContainsFunc(fromRoot, func(p string) bool { return standsFor(folded, p) }) {
		return true
	}
	for name := range strings.SplitSeq(folded, "/") {
		if anywhere[name] || slices.ContainsFunc(beginnings, func(b string) bool { return strings.HasPrefix(name, b) }) {
			return true
		}
	}
	return false
}

// standsFor reports whether path is pattern, is below it, or is in the place of a directory above it.
func standsFor(path, pattern string) bool {
	for {
		want, wantRest, wantMore := strings.Cut(pattern, "/")
		name, rest, more := strings.Cut(path, "/")
		beginning, open := strings.CutSuffix(want, "*")
		if name != want && !(open && strings.HasPrefix(name, beginning)) {
			return false
		}
		if !wantMore || !more {
			return true
		}
		pattern, path = wantRest, rest
	}
}

// The table, sorted by how it is looked up: tens of thousands of paths are asked about in a run.
var fromRoot, anywhere, beginnings = sorted(configFiles[:])

func sorted(all []configFile) (fromRoot []string, anywhere map[string]bool, beginnings []string) {
	anywhere = map[string]bool{}
	for _, f := range all {
		pattern := strings.ToLower(f.pattern)
		if path, ok := strings.CutPrefix(pattern, "/"); ok {
			fromRoot = append(fromRoot, path)
		} else if beginning, ok := strings.CutSuffix(pattern, "*"); ok {
			beginnings = append(beginnings, beginning)
		} else {
			anywhere[pattern] = true
		}
	}
	return fromRoot, anywhere, beginnings
}
