package probe

import "slices"

// Scenario is one of the closed set of situations in which an agent is put.
type Scenario uint8

// The scenarios.
const (
	ReadDenied    Scenario = iota + 1 // its reading tool meets a file that is closed to its user
	ShellDenied                       // a command does
	RejectWrite                       // a command that writes, and its writing tool, are refused
	AllowWrite                        // the same are allowed, once each
	Edit                              // an edit is allowed, another refused
	Cancel                            // the turn is cancelled while a command runs
	Exit                              // it ends, with a process left behind
	AttachedShell                     // a command still runs when its tool has answered
	LongOutput                        // a command prints 5 MB, with a denial in the middle
	Modes                             // its unattended mode, and a model that does not exist
)

var names = [...]string{ReadDenied: "read-denied", ShellDenied: "shell-denied", RejectWrite: "reject-write", AllowWrite: "allow-write",
	Edit: "edit", Cancel: "cancel", Exit: "exit", AttachedShell: "attached-shell", LongOutput: "long-output", Modes: "modes"}

// Scenarios are all of them, in the order in which they are played.
func Scenarios() []Scenario {
	var all []Scenario
	for s := ReadDenied; s <= Modes; s++ {
		all = append(all, s)
	}
	return all
}

// String is the name by which a person asks for it: read-denied, shell-denied, reject-write, allow-write, edit, cancel, exit,
// attached-shell, long-output, modes.
func (s Scenario) String() string {
	if int(s) < len(names) && s > 0 {
		return names[s]
	}
	return "unknown"
}

// FindScenario returns a scenario by its name.
func FindScenario(name string) (Scenario, bool) {
	i := slices.Index(names[1:], name)
	return Scenario(i + 1), i >= 0
}
