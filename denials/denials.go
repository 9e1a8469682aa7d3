// Package denials finds out what an agent wanted and did not get.
package denials

// Channel says how a want became known. A later constant replaces an earlier one on the same subject.
type Channel uint8

// The channels: observed is a guess, refused a fact, declared the agent's own claim.
const (
	Observed Channel = iota + 1
	Refused
	Declared
)

func (c Channel) String() string { panic("unbuilt") }

// Kind says what sort of door it was.
type Kind uint8

// The kinds of want.
const (
	Access      Kind = iota + 1 // the operating system denied a path, socket or address
	MissingTool                 // a command that is not installed
	Action                      // a request that the permission policy rejected
	Capability                  // anything else, in words
)

func (k Kind) String() string { panic("unbuilt") }

// Want is one locked door. All its text is foreign: printable and bounded, but not safe for Markdown (render does that).
type Want struct {
	Subject string
	Why     string
	Channel Channel
	Kind    Kind
	Source  string // who met it: "agent", or the name of a gate
	Count   int
}

// Contract is the PERMISSION BOUNDARIES section that ends every prompt of a run with a boundary.
func Contract() string { panic("unbuilt") }

// Strip removes each WANTED line from joined agent text and returns what they said.
func Strip(text string) (clean string, wants []Want) { panic("unbuilt") }

// Options of a Collector.
type Options struct {
	Workspace string     // the agent's tree: paths below it are made relative to it
	Home      string     // the agent's home, for ~
	Source    string     // default source of wants; "" means "agent"
	OnWant    func(Want) // called once for each new subject, while the turn still runs
}

// Collector gathers wants from all channels, bounded while it collects. It may be used from several goroutines.
type Collector struct{}

// NewCollector returns an empty collector.
func NewCollector(o Options) *Collector { panic("unbuilt") }

// ToolKind is how freely a tool's output repeats other people's words.
type ToolKind uint8

// Execute-like output is always scanned; that of readers (read, search, fetch) only when the call failed.
const (
	Other ToolKind = iota
	Execute
	Reader
)

// Piece is one piece of output of a call. Within a call, Part tells streams apart.
type Piece struct {
	Part   string
	Text   string
	Append bool // continues the part (cut anywhere); otherwise replaces it, and is scanned only where new
}

// Call is what became known about one tool call. Zero fields mean "nothing new".
type Call struct {
	ID      string
	Kind    ToolKind
	Command string
	Dir     string
	Pieces  []Piece
	Exit    *int
	Done    bool // completed or failed
	Failed  bool
}

// Observe takes in an update of a call.
func (c *Collector) Observe(u Call) { panic("unbuilt") }

// Stderr takes in a piece of the agent process's standard error.
func (c *Collector) Stderr(text string) { panic("unbuilt") }

// Refuse records a request that our policy rejected: a fact.
func (c *Collector) Refuse(subject, why string) { panic("unbuilt") }

// Declare records wants found by Strip.
func (c *Collector) Declare(wants []Want) { panic("unbuilt") }

// Wants returns what was collected so far, declared before refused before observed, then in order of first appearance;
// calls still open are judged as if they ended now. More is the number of distinct subjects beyond the cap.
func (c *Collector) Wants() (wants []Want, more int) { panic("unbuilt") }
