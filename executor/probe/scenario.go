package probe

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
	LongOutput                        // a command prints 5 MB, with denials in the middle
	Modes                             // its unattended mode, and a model that does not exist
)

// Scenarios are all of them, in the order in which they are played.
func Scenarios() []Scenario { panic("unbuilt") }

// String is the name by which a person asks for it: read-denied, shell-denied, reject-write, allow-write, edit, cancel, exit,
// attached-shell, long-output, modes.
func (s Scenario) String() string { panic("unbuilt") }

// FindScenario returns a scenario by its name.
func FindScenario(name string) (Scenario, bool) { panic("unbuilt") }
