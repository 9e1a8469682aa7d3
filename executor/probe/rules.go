package probe

// Rule is a rule of the contract between ai-flow and an agent: what a run relies on, or a reader would want to know.
type Rule struct {
	ID   string // stable, of one word and a number: "asks-1"
	Says string // what holds when it holds, in one sentence
	Of   []Scenario
}

// Held says whether a rule holds.
type Held uint8

// NotExercised is what no launch showed, whether or not it was played.
const (
	NotExercised Held = iota
	Holds
	DoesNot
)

// String is the word of the table: holds, does not, not exercised.
func (h Held) String() string { panic("unbuilt") }

// Verdict is what was found of a rule. Why is one line: what was seen, or why nothing was; foreign text in it is bounded.
type Verdict struct {
	Rule Rule
	Held Held
	Why  string
}
