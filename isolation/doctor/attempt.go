package doctor

import "fmt"

// Deed is the closed set of what the agent user attempts.
type deed string

// The deeds. Each is undone at once.
const (
	deedRead    deed = "read"    // open Path and read at most Max bytes
	deedWrite   deed = "write"   // open Path for writing and close it; nothing is written
	deedCreate  deed = "create"  // make a file in the directory Path, and remove it
	deedList    deed = "list"    // read the names in the directory Path
	deedConnect deed = "connect" // connect to the socket of the file system at Path
	deedDial    deed = "dial"    // connect to the TCP address Path
	deedRun     deed = "run"     // run Argv, with Input, for at most two seconds
	deedTrace   deed = "trace"   // attach to the process Pid with ptrace, and detach
	deedMemory  deed = "memory"  // read a byte of the memory of the process Pid
	deedSignal  deed = "signal"  // send signal 0 to the process Pid
	deedSelf    deed = "self"    // tell of oneself: Data is a self
	deedScan    deed = "scan"    // read environ and cmdline of every process that lets us, of those whose number leaves Pid when divided by scanParts: Data is a list of ran
	deedWalk    deed = "walk"    // find programs with rights of their own below Path: "setuid 0 /usr/bin/su", "setgid 42 …", "caps HEX …"
	deedUserns  deed = "userns"  // make a user namespace, and a mount namespace in it
)

// attempt is one thing to try.
type attempt struct {
	Deed  deed
	Path  string   `json:",omitempty"`
	Pid   int      `json:",omitempty"`
	Max   int      `json:",omitempty"` // bytes, at most 1 MiB
	Argv  []string `json:",omitempty"`
	Input string   `json:",omitempty"`
}

// outcome is what came of it. All of it is the agent user's word.
type outcome struct {
	Done  bool     // it worked
	Error string   `json:",omitempty"` // the kernel's name of the error, such as EACCES; "" when it worked
	Data  []byte   `json:",omitempty"` // bytes read, or the output of a program; at most 1 MiB
	Names []string `json:",omitempty"` // found: names, paths, sockets; at most 1,000
	Code  int      `json:",omitempty"` // exit status of a program
	Cut   bool     `json:",omitempty"` // there was more than Data or Names can hold
}

// check is one row of the table.
type check struct {
	id, says string
	short    bool // takes no time, so that each run makes it
	// attempts are what is tried on this host; none makes the finding Unknown with the reason.
	attempts func(h host) (tries []attempt, unknown string)
	// judge is a pure function of the outcomes, one for each attempt in order.
	judge func(h host, tries []attempt, got []outcome) verdict
}

// verdict is what a check found.
type verdict struct {
	status   Status
	why, fix string
}

// host is what the dispatcher's side knows.
type host struct {
	Options
	pid        int    // of the dispatcher
	family     []int  // the dispatcher and the processes above it that are not the agent's, such as the runner's
	uid, gid   int    // of the agent user
	room       string // the run's directory
	leftovers  []string
	canaries   []canary // files that the dispatcher made in Closed for others to read, were it not for the directory
	rules      rules    // what sudo says of the dispatcher
	lock       bool     // the shared lock is there
	runner     runnerPaths
	dispatcher string         // name of our own user
	ourGID     int            // of our own user
	home       string         // of our own user
	groups     map[int]string // names of the groups that the agent user is in
}

// runnerPaths are where the workflow runner keeps what later steps obey; "" where not set.
type runnerPaths struct {
	commandFiles []string // GITHUB_ENV, GITHUB_PATH, GITHUB_OUTPUT, GITHUB_STATE, GITHUB_STEP_SUMMARY
	workspace    string   // GITHUB_WORKSPACE
	root         string   // where the runner is installed, when it looks like it
	actions      string   // _actions beside the workspace
	temp, tools  string   // RUNNER_TEMP, RUNNER_TOOL_CACHE
}

// canary is a file with a random text.
type canary struct{ dir, path, text string }

// rules are what sudo tells; "" where it tells nothing.
type rules struct {
	ours     string // sudo -n -l of the dispatcher
	agents   string // sudo -n -l of the agent without the launch line
	programs []string
}

// self is what a process can tell of itself.
type self struct {
	Status, Limits string   // /proc/self/status and limits
	DeathSignal    int      // of PR_SET_PDEATHSIG; -1 when it could not be asked
	Parent         string   // name of the parent process
	Environ        []string // names alone
}

// ran is a process as others see it.
type ran struct {
	PID           int
	Name          string
	Args, Environ []byte
}

// String names an attempt for people.
func (a attempt) String() string {
	switch {
	case a.Path != "":
		return fmt.Sprintf("%s %.200q", a.Deed, a.Path)
	case len(a.Argv) > 0:
		return fmt.Sprintf("%s %.200q", a.Deed, a.Argv[0])
	case a.Pid != 0:
		return fmt.Sprintf("%s process %d", a.Deed, a.Pid)
	}
	return string(a.Deed)
}
