package permission

import "strings"

// mayBecome reports whether a reading of a command that leaves something for the shell to fill in may become what a
// pattern matches. Only what is written is compared, up to the first gap: `git $X` may become `git push`, `git commit -m $X`
// may not. Where the gap is the program's name, all that follows must match what follows the name in the pattern. To deny
// whatever holds a variable would deny half of what honest agents do; to guess at values would be no better.
func mayBecome(pattern, reading string) bool {
	gap := firstGap(reading)
	if gap < 0 {
		return false
	}
	program, rest, _ := strings.Cut(reading, " ")
	wantProgram, wantRest, more := strings.Cut(pattern, " ")
	if gap >= len(program) {
		return isProgram(wantProgram, program) && mayBegin(pattern, reading[:gap])
	}
	if gap = firstGap(rest); gap < 0 {
		return more && globCommand(wantRest, rest)
	}
	return more && gap > 0 && mayBegin(wantRest, rest[:gap])
}

// firstGap is where a shell would put something else: a variable, a substitution, or a list in braces; -1 when nowhere.
// Quotes are gone by now, so that a `$` in single quotes counts too. `{}` is find's and stays what it is.
func firstGap(text string) int {
	for i := range len(text) {
		switch text[i] {
		case '$', '`':
			return i
		case '{':
			if i+1 < len(text) && text[i+1] != '}' && text[i+1] != ' ' {
				return i
			}
		}
	}
	return -1
}

// isProgram reports whether the first word of a pattern means a program, also when the pattern goes on without a space
// (`git*push`). One that begins with a star means no program, and a gap says nothing about it.
func isProgram(want, program string) bool {
	if globCommand(want, program) {
		return true
	}
	star := strings.IndexByte(want, '*')
	return star > 0 && globCommand(want[:star+1], program)
}

// mayBegin reports whether some text that begins with prefix matches the pattern.
func mayBegin(pattern, prefix string) bool {
	for i := range len(prefix) {
		switch {
		case i == len(pattern):
			return false
		case pattern[i] == '*':
			return true
		case pattern[i] != '?' && pattern[i] != prefix[i]:
			return false
		}
	}
	return true
}
