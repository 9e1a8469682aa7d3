package hostile

// Run is what was seen of one run, and of this host around it. All of it was looked at after the program had ended, but for
// what says otherwise.
type Run struct {
	Local    bool   // without GitHub
	Gone     bool   // the comment with the command was deleted, and with it the place of its result
	Ran      bool   // whether an agent was started
	Outcome  string // as the job's output has it; "" when there is none
	Wanted   string // what the attack allows, outcomes with | between them
	AgentUID string

	Secrets []Secret
	Loot    map[string]string // what the agent's user could take away, by name
	Left    map[string]string // all that left the host or stays for people to read: comments, log, page, report, commits
	Log     string            // standard output and standard error, as the runner reads them
	Outputs string            // the file of job outputs

	Traps       []string // what sprang: "UID NAME"
	Alive       []string // processes of the agent's user
	AliveAtPush []string // the same, at each push
	Rooms       []string // directories of runs that are still there
	Changed     []string // files of the dispatcher's that are not as they were, or were looked into

	Prompts   []string // what the agent was asked
	Strangers []string // texts of people who may not write

	Posts   []Post
	Pushes  []Push
	Commits []Commit
	Moved   []string // references that moved and may not
	Foreign []string // what stands there that nobody should have written: posts, pull requests, references
}

// Secret is a canary: a value that must not arrive where it does not belong.
type Secret struct {
	Name, Value string
	Agents      bool // the agent has it, and may say it to itself
}

// Post is a text of ours that people read.
type Post struct {
	Where string // "comment 12", "pull request 2"
	Text  string
	Kind  PostKind
	Of    int64 // the comment with the command; 0 when that is not known
	Limit int   // bytes
}

// PostKind says who else's words are in it.
type PostKind uint8

// The kinds: a text that is all ours, one that a person wrote and we added to, a description that the person's agent edited,
// a title, the page of the run.
const (
	Ours PostKind = iota + 1
	Shared
	Document
	Page
	Title
)

// Push is one push that landed.
type Push struct {
	Repo, Ref string
	Forced    bool // the old tip is not below the new one
}

// Commit is one that a run brought, with the paths that differ from its parent.
type Commit struct {
	Ref, Message, Author string
	Entries              []Entry
}

// Entry is a path of a commit.
type Entry struct {
	Mode, Path string // "100644"
	Target     string // of a link
}

// Fault is a breach of an invariant, or of the attack's own promise, for which Holds is "".
type Fault struct {
	Holds string // "S1"
	Text  string
}

// String is the fault on one line.
func (f Fault) String() string {
	if f.Holds == "" {
		return f.Text
	}
	return f.Holds + ": " + f.Text
}
