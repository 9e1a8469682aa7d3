package doctor

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
	deedSelf    deed = "self"    // tell of oneself: status, limits, groups, umask, environment's names
	deedScan    deed = "scan"    // read environ and cmdline of every process that lets us
	deedWalk    deed = "walk"    // find setuid, setgid and capability files below Path
	deedUserns  deed = "userns"  // make a user namespace
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
	uid, gid   int    // of the agent user
	room       string // the run's directory
	leftovers  []string
	runner     runnerPaths
	dispatcher string // name of our own user
}

// runnerPaths are where the workflow runner keeps what later steps obey; "" where not set.
type runnerPaths struct {
	commandFiles []string // GITHUB_ENV, GITHUB_PATH, GITHUB_OUTPUT, GITHUB_STATE, GITHUB_STEP_SUMMARY
	workspace    string   // GITHUB_WORKSPACE
	actions      string   // _actions beside the workspace
	temp, tools  string   // RUNNER_TEMP, RUNNER_TOOL_CACHE
}
