package render

// Landing is where a build landed on the server: a branch, and the pull request that shows it.
type Landing struct {
	Repo    string // owner/name; "" for the repository of the thread
	Branch  string // foreign
	Commit  string // object id
	URL     string // of the commit, ours; "" for none
	Pull    *Pull  // nil: it is about to be opened, or could not be
	Opened  bool   // the pull request is new; else it was there, and got a commit
	Changes []FileChange
}

// Pull is a pull request. Title is foreign.
type Pull struct {
	Number int
	Title  string
	URL    string // ours
}

// FillPulls puts the pull requests into a text that Landings of the same order without a Pull were rendered to: the result of
// a build is written before its pull request is there. What holds no such place is returned as it is.
func FillPulls(text string, landings []Landing) string { panic("unbuilt") }

// PatchKind is why a change comes back as a patch.
type PatchKind uint8

// The kinds.
const (
	PatchWorkflows PatchKind = iota + 1 // files that runners obey, which are never committed
	PatchRescued                        // the whole work, which could not be pushed
)

// Patch is a change for a person to apply, in the exact bytes that git takes (F-20, F-21, F-22).
type Patch struct {
	Kind  PatchKind
	Repo  string // owner/name; "" for the repository of the thread
	Bytes []byte
	Base  string // object id of the commit that it applies to
	Pull  *Pull  // on whose head it goes; nil for none
	File  string // ours: the file beside report.json that holds it too; "" for none
	Files []string
}

// PullText is what a pull request is opened with.
type PullText struct {
	Issue     string // URL of the issue that was built, ours
	Closes    string // owner/name#n that merging closes, ours; "" for none
	PartOf    string // owner/name#n that it is part of, ours; "" for none
	Requester string // login
	Command   string // URL of the comment with the command, ours
	RunURL    string
	Number    int    // of the issue, for the mark
	Text      string // the agent's prose; "" when it is not known any more
	Gates     []Gate
}

// PullTitle is a title for a pull request, of a foreign one: one line, at most 120 characters, that mentions nobody, closes
// nothing and keeps no check from running.
func PullTitle(title string) string { panic("unbuilt") }

// PullBody is the description of a pull request, at most 60,000 bytes.
func PullBody(p PullText) string { panic("unbuilt") }

// Disposition is what became of a review thread that a build took up.
type Disposition struct {
	URL  string // of the thread, ours
	Path string // foreign
	Text string // the agent's prose; "" when it said nothing of it
}

// ThreadReply is the reply in a review thread: what the agent says of it, and the commit, if there is one. commit is its
// object id and url its address, ours; "" for none. result is the address of the result, ours; "" for none.
func ThreadReply(d Disposition, commit, url, result, runURL string) string { panic("unbuilt") }
