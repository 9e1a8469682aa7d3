package permission

import (
	"fmt"
	"path"
	"strings"
)

// Rule matches requests by kind ("" any) and a glob on the command or path ("" any).
//
// The kind is the agent's claim, so a request that names a command is one to execute, whatever it claims: rules for execute
// match it, allow rules for other kinds do not. A deny or ask rule with a pattern for paths also matches another kind than
// its own that may do the same: edit, delete and move stand for each other, as read, search, fetch and think do, and
// execute, other and kinds that nobody knows may be any. A rule without a pattern has nothing but the claim (and the command).
//
// A pattern is matched against the command when the request names one, and against each path. In commands `*` stands for
// any run of characters and `?` for one. In paths `*` and `?` stop at a slash and `**` does not; `dir/**` matches dir too.
// Paths are cleaned, never resolved: links are not seen, which the operating system's boundary makes up for.
//
// Deny and ask rules match when any part of a chained command does, also inside substitutions, `sh -c` and behind wrappers
// such as env and xargs, and when any path does. They also match when there is nothing to look at: an action that does not say
// what it will do cannot be cleared of a rule about what it does. A title is read as a command where none is named, for agents
// that say it there. And they match a command in which the shell is to fill something in (a variable, a substitution, a list
// in braces) when what is written before that may begin what the pattern matches: `git $X` under "git push*". What they do not
// see: options of a program before its subcommand (`git -C dir push` needs a pattern of its own, "git -* push*"), a whole
// command in a variable (`eval "$X"`), file name patterns, aliases, and what a script or program does that is named by another
// name. Allow rules match only when every part and every path does, and the command holds nothing that makes a shell do more
// than it says: no substitution, no variable, no redirection, no background, no open quote, no control character.
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
	exact := r.Kind == "" || r.Kind == q.Kind || r.Kind == execute && q.Command != ""
	switch {
	case !exact && (r.Match == "" || !mayBe(q.kind(), r.Kind)):
		return "", false
	case r.Match == "":
		return "the policy restricts every such request", true
	case q.Command == "" && (r.Kind == "" || r.Kind == execute) && mayBe(q.Kind, execute):
		if why, hit := r.deniesCommand(strings.Trim(q.Title, "` ")); hit {
			return why, hit
		}
	}
	if why, hit := r.deniesPath(workspace, paths); hit || !exact {
		return why, hit
	}
	if why, hit := r.deniesCommand(q.Command); hit {
		return why, hit
	}
	if q.Command == "" && (q.Kind == execute || len(paths) == 0 && (r.Kind != "" || !q.onlyReads())) {
		return "the agent did not say what it would act on, so the rule could not be ruled out", true
	}
	return "", false
}

func (r Rule) deniesPath(workspace string, paths []string) (why string, hit bool) {
	for _, p := range paths {
		if globPath(anchor(workspace, r.Match), p) || globPath("**/"+r.Match, p) {
			return fmt.Sprintf("the policy restricts %.200q", p), true
		}
	}
	return "", false
}

func (r Rule) deniesCommand(command string) (why string, hit bool) {
	parts, clear := denyParts(command)
	for _, part := range parts {
		if globCommand(r.Match, part) {
			return fmt.Sprintf("the policy restricts %.200q", part), true
		}
	}
	for _, part := range parts {
		if mayBecome(r.Match, part) {
			return fmt.Sprintf("the policy restricts what %.200q may become; write it out", part), true
		}
	}
	if !clear {
		return "the command is too long or too deeply nested to be judged", true
	}
	return "", false
}

// allows reports whether a rule that permits matches.
func (r Rule) allows(workspace string, q Request, paths []string) bool {
	if r.Kind != "" && r.Kind != q.kind() {
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
