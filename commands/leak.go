package commands

import (
	"maps"
	"slices"

	"github.com/d3mlabs/ai-flow/commands/git"
)

// leaked names the first of the texts, in the order of their names, that holds a secret which this run knows, in its usual
// encodings, or the shape of a private key; "" when none does (S5). It never says what it found. The tree's contents are
// judged while they come back (Limits.Check).
func (r *run) leaked(texts map[string]string) (name string) {
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		if text := texts[name]; r.Secrets.Shows(text) || git.HoldsPrivateKey([]byte(text)) {
			return name
		}
	}
	return ""
}
