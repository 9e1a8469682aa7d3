package commands

// ParseTargets reads the line "Target repos: owner/name, …" of a document: the repositories that a build may change, in its
// order, each once, at most 8. Only a line that a reader sees as one counts (F-68). nil when there is none. The Refusal is
// about a line that names something else than repositories of owner (F-17).
func ParseTargets(document, owner string) (names []string, refusal *Refusal) { panic("unbuilt") }

// BranchPrefix is what the names of all branches of builds of an issue begin with.
func BranchPrefix(number int) string { panic("unbuilt") }

// Trailer is the line of a commit's message that names the command it was made for, so that a later attempt finds what an
// earlier one pushed. commentURL is GitHub's.
func Trailer(commentURL string) string { panic("unbuilt") }

// MadeFor reports whether a commit's message names that command.
func MadeFor(message, commentURL string) bool { panic("unbuilt") }
