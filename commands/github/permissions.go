package github

import (
	"fmt"
	"strings"
)

// permission is one of an App's, with its level.
type permission struct{ name, level string }

// dispatcherNeeds is what the dispatcher's calls use, the one that opens a pull request included. agentNeeds is what an agent
// may read. pushNeeds is for git alone, in a token of its own for the moment of a push: with it among the dispatcher's, every
// /ask would carry a token that can change the code. metadata comes with every token.
var (
	dispatcherNeeds = []permission{{"contents", "read"}, {"issues", "write"}, {"metadata", "read"}, {"pull_requests", "write"}}
	agentNeeds      = []permission{{"contents", "read"}, {"issues", "read"}, {"metadata", "read"}, {"pull_requests", "read"}}
	pushNeeds       = []permission{{"contents", "write"}, {"metadata", "read"}}
)

// rank orders levels. A level that we do not know is above all that we do.
func rank(level string) int {
	switch level {
	case "", "none":
		return 0
	case "read":
		return 1
	case "write":
		return 2
	case "admin":
		return 3
	}
	return 4
}

// lacking lists what of the needs is not granted.
func lacking(needs []permission, granted map[string]string) (list []permission) {
	for _, p := range needs {
		if rank(granted[p.name]) < rank(p.level) {
			list = append(list, p)
		}
	}
	return list
}

// beyond reports whether more is granted than needed.
func beyond(needs []permission, granted map[string]string) bool {
	most := asMap(needs)
	for name, level := range granted {
		if rank(level) > rank(most[name]) {
			return true
		}
	}
	return false
}

func asMap(list []permission) map[string]string {
	m := map[string]string{}
	for _, p := range list {
		m[p.name] = p.level
	}
	return m
}

// words is a list for people: "issues: write, metadata: read".
func words(list []permission) string {
	var parts []string
	for _, p := range list {
		parts = append(parts, fmt.Sprintf("%s: %s", p.name, p.level))
	}
	return strings.Join(parts, ", ")
}
