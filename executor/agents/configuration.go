package agents

// ConfigFile is a path by which a repository configures agents.
type ConfigFile struct {
	// Pattern is a path from the root ("/.github/copilot-instructions.md"), or a name that counts in every directory
	// ("AGENTS.md"). A directory stands for all that is below it. Case does not count.
	Pattern string
	Agents  string // which read it
	Source  string // where that is documented, or how it was observed
}

// Configuration is the table of all paths by which a repository configures agents, those we know and their kin.
func Configuration() []ConfigFile { panic("unbuilt") }

// Configures reports whether a path of a tree is one of Configuration's, or below one.
func Configures(path string) bool { panic("unbuilt") }
