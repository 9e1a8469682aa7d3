package permission

import (
	"path"
	"strings"
)

// globCommand matches a command: `*` is any run of characters, `?` any one. It needs no recursion and no backtracking
// beyond the last star, so a hostile command costs at most length times pattern.
func globCommand(pattern, text string) bool {
	star, mark := -1, 0
	p, t := 0, 0
	for t < len(text) {
		switch {
		case p < len(pattern) && pattern[p] == '*':
			star, mark = p, t
			p++
		case p < len(pattern) && (pattern[p] == '?' || pattern[p] == text[t]):
			p++
			t++
		case star >= 0:
			mark++
			p, t = star+1, mark
		default:
			return false
		}
	}
	return strings.Trim(pattern[p:], "*") == ""
}

// MatchPath matches a path against a pattern of the policy file: `*` and `?` stay inside one segment, `**` stands for any
// number of segments, none included. Both are cleaned first: what only passes through a directory is not in it. The time is
// bounded by the product of the two lengths.
func MatchPath(pattern, name string) bool { return globPath(path.Clean(pattern), path.Clean(name)) }

// globPath matches a cleaned path segment by segment; `**` stands for any number of segments, none included.
func globPath(pattern, name string) bool {
	ps, ns := strings.Split(pattern, "/"), strings.Split(name, "/")
	star, mark := -1, 0
	p, n := 0, 0
	for n < len(ns) {
		switch {
		case p < len(ps) && ps[p] == "**":
			star, mark = p, n
			p++
		case p < len(ps) && globCommand(ps[p], ns[n]):
			p++
			n++
		case star >= 0:
			mark++
			p, n = star+1, mark
		default:
			return false
		}
	}
	for ; p < len(ps); p++ {
		if ps[p] != "**" {
			return false
		}
	}
	return true
}
