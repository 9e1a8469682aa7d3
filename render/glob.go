package render

import (
	"path"
	"strings"
)

// matchGlob matches a slash-separated path against a pattern in which "*" and "?" stay inside one element and "**" stands
// for any number of elements, none included. The path is cleaned first: what only passes through a shared folder is not in
// it. The time is bounded by the product of the two lengths.
func matchGlob(pattern, name string) bool {
	p := strings.Split(path.Clean(pattern), "/")
	n := strings.Split(path.Clean(name), "/")
	row := make([]bool, len(n)+1) // row[j]: the rest of the pattern matches n[j:]
	row[len(n)] = true
	for i := len(p) - 1; i >= 0; i-- {
		next := make([]bool, len(n)+1)
		for j := len(n); j >= 0; j-- {
			if p[i] == "**" {
				next[j] = row[j] || j < len(n) && next[j+1]
			} else if j < len(n) {
				next[j] = row[j+1] && matchElement(p[i], n[j])
			}
		}
		row = next
	}
	return row[0]
}

// matchElement matches "*" and "?" without backtracking further than to the last star.
func matchElement(pattern, text string) bool {
	i, j, star, mark := 0, 0, -1, 0
	for j < len(text) {
		switch {
		case i < len(pattern) && pattern[i] == '*':
			star, mark = i, j
			i++
		case i < len(pattern) && (pattern[i] == '?' || pattern[i] == text[j]):
			i++
			j++
		case star >= 0:
			mark++
			i, j = star+1, mark
		default:
			return false
		}
	}
	return strings.Trim(pattern[i:], "*") == ""
}
