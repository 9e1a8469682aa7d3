package commands

import (
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/d3mlabs/ai-flow/commands/git"
)

// leaked names the first of the texts, in the order of their names, that holds a secret which this run knows, in its usual
// encodings, or the shape of a private key; "" when none does (S5). It never says what it found. The tree's contents are
// judged while they come back (Limits.Check).
func (r *run) leaked(texts map[string]string) (name string) {
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		text := texts[name]
		if r.Secrets.Shows(text) || r.Secrets.Shows(unbroken(text)) || git.HoldsPrivateKey([]byte(text)) {
			return name
		}
	}
	return ""
}

// unbroken is a text without white space and the marks of quotes, which part what was written over several lines. Such texts
// are short, and an agent's prose, so this look is for them and not for every window of a tree.
func unbroken(text string) string {
	return strings.Map(func(c rune) rune {
		if unicode.IsSpace(c) || c == '>' {
			return -1
		}
		return c
	}, text)
}
