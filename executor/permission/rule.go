package permission

import (
	"fmt"
	"path"
	"strings"
)

// Rule matches requests by kind ("" any) and a glob on the command or path ("" any).
//
// A pattern is matched against the command when the request names one, and against each path. In commands `*` stands for
// any run of characters and `?` for one. In paths `*` and `?` stop at a slash and `**` does not; `dir/**` matches dir too.
// Paths are cleaned, never resolved: links are not seen, which the operating system's boundary makes up for.
//
// Deny and ask rules match when any part of a chained command does, also inside substitutions, `sh -c` and behind wrappers
// such as env and xargs, and when any path does. They also match when there is nothing to look at: an action that does not
// say what it will do cannot be cleared of a rule about what it does. Allow rules match only when every part and every
// path does, and the command holds nothing that makes a shell do more than it says: no substitution, no variable, no
// redirection, no background, no open quote, no control character.
type Rule struct{ Kind, Match string }

// String is the rule as the policy file has it.
func (r Rule) String() string {
	switch {
	case r.Match == "":
		return fmt.Sprintf("{kind: %s}", orAny(r.Kind))
	case r.Kind == "":
		return fmt.Sprintf("{match: %q}", r.Match)
	}
	return fmt.Sprintf("{kind: %s, match: %q}", r.Kind, r.Match)
}

func orAny(kind string) string {
	if kind == "" {
		return "any"
	}
	return kind
}

// denies reports whether a rule that restricts matches, and what of the request it matched.
func (r Rule) denies(workspace string, q Request, paths []string) (why string, hit bool) {
	if r.Kind != "" && r.Kind != q.Kind {
		return "", false
	}
	if r.Match == "" {
		return "the policy restricts every such request", true
	}
	parts, clear := denyParts(q.Command)
	for _, part := range parts {
		if globCommand(r.Match, part) {
			return fmt.Sprintf("the policy restricts %.200q", part), true
		}
	}
	for _, p := range paths {
		if globPath(anchor(workspace, r.Match), p) || globPath("**/"+r.Match, p) {
			return fmt.Sprintf("the policy restricts %.200q", p), true
		}
	}
	if !clear {
		return "the command is too long or too deeply nested to be judged", true
	}
	if q.Command == "" && (q.Kind == "execute" || len(paths) == 0 && (r.Kind != "" || !reads(q.Kind))) {
		return "the agent did not say what it would act on, so the rule could not be ruled out", true
	}
	return "", false
}

// allows reports whether a rule that permits matches.
func (r Rule) allows(workspace string, q Request, paths []string) bool {
	if r.Kind != "" && r.Kind != q.Kind {
		return false
	}
	if r.Match == "" {
		return true
	}
	if q.Command != "" {
		return allowsCommand(r.Match, q.Command)
	}
	for _, p := range paths {
		if !globPath(anchor(workspace, r.Match), p) {
			return false
		}
	}
	return len(paths) > 0
}

func allowsCommand(pattern, command string) bool {
	parts, plain := allowParts(command)
	for _, part := range parts {
		if !globCommand(pattern, part) {
			return false
		}
	}
	return plain && len(parts) > 0
}

// anchor makes a relative pattern one below the workspace, as the paths are.
func anchor(workspace, pattern string) string {
	if workspace == "" || strings.HasPrefix(pattern, "/") || strings.HasPrefix(pattern, "**") {
		return pattern
	}
	return path.Join(workspace, pattern)
}

func cleanPaths(workspace string, paths []string) []string {
	var clean []string
	for _, p := range paths {
		if p == "" {
			continue
		}
		if workspace != "" && !path.IsAbs(p) {
			p = workspace + "/" + p
		}
		clean = append(clean, path.Clean(p))
	}
	return clean
}
