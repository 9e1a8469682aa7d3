package main

import (
	"errors"
	"strings"
)

// splitWords splits AI_FLOW_AGENT_ARGS as a shell splits words: blanks, single and double quotes, backslashes. Nothing is
// expanded: no variables, no globs, no command substitution, for the words come from a configuration, not from a script.
// It returns nil for a blank string.
func splitWords(s string) ([]string, error) {
	var words []string
	var word strings.Builder
	in := false // inside a word, which may be empty: ''
	for i := 0; i < len(s); i++ {
		switch c := s[i]; c {
		case ' ', '\t', '\n':
			if in {
				words = append(words, word.String())
				word.Reset()
			}
			in = false
		case '\'', '"':
			end, err := quotedPart(s[i+1:], c, &word)
			if err != nil {
				return nil, err
			}
			i, in = i+end, true
		case '\\':
			if i++; i == len(s) {
				return nil, errors.New("ends in a backslash")
			}
			word.WriteByte(s[i])
			in = true
		default:
			word.WriteByte(c)
			in = true
		}
	}
	if in {
		words = append(words, word.String())
	}
	return words, nil
}

// quotedPart copies what stands up to the closing quote into word and returns how many bytes it took, the quote included.
func quotedPart(s string, quote byte, word *strings.Builder) (int, error) {
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == quote:
			return i + 1, nil
		case s[i] == '\\' && quote == '"' && i+1 < len(s) && strings.IndexByte("\\\"$`", s[i+1]) >= 0:
			i++
		}
		word.WriteByte(s[i])
	}
	return 0, errors.New("a quote is not closed")
}

// shellWord quotes text for a command line that a person copies.
func shellWord(s string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("/._-=:,+@%", r)
	}
	if s != "" && !strings.ContainsFunc(s, func(r rune) bool { return !plain(r) }) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

func shellWords(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = shellWord(w)
	}
	return strings.Join(quoted, " ")
}
