package commands

import "strings"

// workflowDirs lead to the workflows. A link in the place of one would be the way around the wall.
var workflowDirs = [...]string{".github", ".github/workflows"}

// isWorkflow is the wall, without regard to case: a checkout may land on a file system that has none. Name by name, since
// a letter has not as many bytes in either case.
func isWorkflow(p string) bool {
	names := strings.SplitN(p, "/", 3)
	return len(names) == 3 && strings.EqualFold(names[0], ".github") && strings.EqualFold(names[1], "workflows")
}
