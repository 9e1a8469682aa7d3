package loopback

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
)

// Script is what the model says.
type Script struct {
	Model string // its name in /v1/models; "" means "loopback-model"
	Turns []Turn
	// Requests is how many requests are answered; later ones get HTTP 429. 0 means 500, and more than 500 is 500.
	Requests int
}

// Turn is how one prompt is answered.
type Turn struct {
	// Prompt stands in the user's last message; "" is in each. The agents put prompts of their own around ours, so the
	// test is whether it occurs, not whether it is equal.
	Prompt string
	// Recall, when not nil, is looked for in the prompt: its n-th match, from 1 to 9, stands for $n in what the turn says,
	// and in paths, commands and texts of its calls.
	Recall *regexp.Regexp
	Rounds []Round // one for each request of the turn; after the last, the model says the fixed sentence
}

// Round is one answer of the model: words, then tool calls, either may be absent.
type Round struct {
	Say    string
	Calls  []Call
	Delay  time.Duration // before the answer
	Status int           // an HTTP error instead of an answer, when not 0
}

// Deed is what a tool call is to do, whatever the agent calls its tool.
type Deed uint8

// The deeds. Named stands for a call that names its tool itself.
const (
	Named Deed = iota
	Shell      // run Command
	Read       // look at Path
	Write      // make Path with Text in it
	Edit       // change Old to Text in Path
)

// String is one word for the deed: shell, read, write, edit; named for a call that names its tool.
func (d Deed) String() string {
	switch d {
	case Shell:
		return "shell"
	case Read:
		return "read"
	case Write:
		return "write"
	case Edit:
		return "edit"
	}
	return "named"
}

// Call is one tool call.
type Call struct {
	Deed                     Deed
	Command, Path, Old, Text string

	Tool string // for Named
	// Args are the arguments of a Named call. For the others they are members that replace or add to the arguments, as far
	// as the tool takes them: what its schema does not list, or not among a member's values, is left out, so that one set of
	// members does for several agents, and for an agent that nobody has seen. Bare text, which has no schema, takes none.
	Args map[string]any
}

// fixedSentence ends a turn that the script has nothing more to say about.
const fixedSentence = "The loopback model has nothing more to say."

// round finds the answer to a request.
func (s Script) round(q query) (r Round, turn, round int) {
	if len(q.tools) == 0 { // a side request: a title, a summary; none of the script's business
		return Round{Say: "Loopback"}, -1, 0
	}
	for i, t := range s.Turns {
		if !strings.Contains(q.prompt, t.Prompt) {
			continue
		}
		if q.answers < len(t.Rounds) {
			return t.Rounds[q.answers].recalling(t.Recall, q.prompt), i, q.answers
		}
		return Round{Say: fixedSentence}, i, q.answers
	}
	return Round{Say: fixedSentence}, -1, 0
}

func (s Script) requests() int {
	if s.Requests <= 0 {
		return maxRequests
	}
	return min(s.Requests, maxRequests)
}

func (s Script) model() string {
	if s.Model == "" {
		return "loopback-model"
	}
	return s.Model
}

// recalling is the round with what stands for matches in the prompt.
func (r Round) recalling(what *regexp.Regexp, prompt string) Round {
	if what == nil {
		return r
	}
	var pairs []string
	for i, match := range what.FindAllString(prompt, 9) {
		pairs = append(pairs, fmt.Sprintf("$%d", i+1), match)
	}
	put := strings.NewReplacer(pairs...)
	r.Say, r.Calls = put.Replace(r.Say), slices.Clone(r.Calls)
	for i := range r.Calls {
		c := &r.Calls[i]
		c.Command, c.Path, c.Text = put.Replace(c.Command), put.Replace(c.Path), put.Replace(c.Text)
	}
	return r
}
